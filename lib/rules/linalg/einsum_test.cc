#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kOneOperand[] = {
    {"einsum(\"ij->ji\", [f32[2,3]])", "view(0) f32[3,2]{1,3}"},
    {"einsum(\"ii->i\", [f32[3,3]])", "view(0) f32[3]{4}"},
    {"einsum(\"ii\", [f32[3,3]])", "f32[]"},
    {"einsum(\"iij->ji\", [f32[3,3,2]{1,3,9}])", "view(0) f32[2,3]{9,4}"},
    {"einsum(\"...ij->...ji\", [f32[2,3,4]])", "view(0) f32[2,4,3]{12,1,4}"},
    {"einsum(\"ij->\", [i64[2,3]])", "i64[]"},
    {"einsum(\"ba\", [f32[2,3]])", "view(0) f32[3,2]{1,3}"},
    {"einsum(\"ij->k\", [f32[2,3]])", "!ValueError"},
    {"einsum(\"ijk\", [f32[2,3]])", "!ShapeMismatch"},
    {"einsum(\"ii\", [f32[3,4]])", "!ShapeMismatch"},
    {"einsum(\"ij,kj->ik\", [b8[3,2], b8[3,2]])", "!DtypeMismatch"},
};

constexpr CallCase kProducts[] = {
    {"einsum(\"ij,jk->ik\", [f32[2,3], f32[3,4]])", "f32[2,4]"},
    {"einsum(\"ij,jk->ki\", [f32[2,3]{1,2}, f32[3,4]])", "f32[4,2]"},
    {"einsum(\"bhid,bhjd->bhij\", [f32[2,3,4,5], f32[2,3,6,5]])", "f32[2,3,4,6]"},
    {"einsum(\"bhij,bhjd->bihd\", [f32[2,3,4,6], f32[2,3,6,5]])", "f32[2,4,3,5]{60,5,20,1}"},
    {"einsum(\"bihd,bjhd->bhij\", [f32[2,4,3,5], f32[2,6,3,5]])", "f32[2,3,4,6]"},
    {"einsum(\"i,j->ij\", [f32[3], f32[4]])", "f32[3,4]"},
    {"einsum(\"i,i\", [f32[3], f32[3]])", "f32[]"},
    {"einsum(\"...i,...i->...\", [f32[2,3,4], f32[3,4]])", "f32[2,3]{1,2}"},
    {"einsum(\"ijk,ik->ij\", [f32[2,3,4], f32[2,4]])", "f32[2,3]"},
    {"einsum(\"bnd,nde->bne\", [f32[2,3,4], f32[3,4,5]])", "f32[2,3,5]{5,10,1}"},
    {"einsum(\"ij,kl->il\", [f32[2,3], f32[4,5]])", "f32[2,5]"},
    {"einsum(\"Aa,aB\", [f32[2,3], f32[3,4]])", "f32[2,4]"},
    {"einsum(\"ij,ij->ij\", [f32[2,3]{1,2}, f32[2,3]{1,2}])", "f32[2,3]{1,2}"},
    {"einsum(\"ij,jk->ik\", [f32[2,3], f32[4,5]])", "!ShapeMismatch"},
    {"einsum(\"ij,jk->ik\", [f32[2,3], f64[3,5]])", "!DtypeMismatch"},
    {"einsum(\"ij,jk->ik\", [f32[2,3]])", "!ValueError"},
    {"einsum(\"ij,jk->ii\", [f32[2,3], f32[3,4]])", "!ValueError"},
};

constexpr CallCase kChains[] = {
    {"einsum(\"ij,jk,kl->il\", [f32[2,3], f32[3,4], f32[4,5]])", "f32[2,5]"},
    {"einsum(\"ij,jk,kl->li\", [f32[2,3], f32[3,4], f32[4,5]], path=[1,2,0,1])", "f32[5,2]{1,5}"},
    {"einsum(\"bi,ij,bj->b\", [f32[2,3], f32[3,4], f32[2,4]])", "f32[2]"},
    {"einsum(\"bn,anm,bm->ba\", [f32[2,5], f32[3,5,4], f32[2,4]])", "f32[2,3]"},
    {"einsum(\"ij,Ab->ijAb\", [f64[1,3]{3,0}, f64[4,4]])", "f64[1,3,4,4]{1,4,12,1}"},
    // The operand of another dtype is cast to a dense one first.
    {"einsum(\"ij,Ab->ijAb\", [f32[1,3]{3,0}, f64[4,4]])", "f64[1,3,4,4]"},
    {"einsum(\"ij,jk,kl->il\", [f32[2,3], f32[3,4], f32[4,5]], path=[0,3,0,1])", "!ValueError"},
};

TEST(Einsum, OneOperand) { CheckCalls(kOneOperand); }
TEST(Einsum, Products) { CheckCalls(kProducts); }
TEST(Einsum, Chains) { CheckCalls(kChains); }

}  // namespace
}  // namespace fakeprop::testing
