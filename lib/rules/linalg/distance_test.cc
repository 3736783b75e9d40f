#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kDistances[] = {
    {"pdist(bf16[5,5], 1.0)", "!DtypeMismatch"},
    {"pdist(bf16[1,5], 1.0)", "bf16[0]"},
    {"cdist(f32[2,3,4], f32[5,4])", "f32[2,3,5]"},
    {"cdist(f32[2,3,4]{12,1,3}, f32[2,5,4])", "f32[2,3,5]"},
    {"cdist(f32[30,4], f32[30,4])", "f32[30,30]"},
    {"cdist(f32[2,3,0], f32[2,5,0])", "f32[2,3,5]"},
    {"_cdist_forward(f32[2,3,4], f32[5,4], 2.0, None)", "f32[2,3,5]"},
    {"_euclidean_dist(f32[3,4], f32[5,4])", "f32[3,5]"},
    {"pdist(f32[5,3])", "f32[10]"},
    {"pdist(f32[5,3]{1,5})", "f32[10]"},
    {"pdist(f32[2,5,3])", "!ShapeMismatch"},
    {"pdist(f32[1,3])", "f32[0]"},
    {"cdist(f32[3,4], f32[5,3])", "!ShapeMismatch"},
    {"cdist(i64[3,4], i64[5,4])", "!DtypeMismatch"},
    {"cdist(f32[3,4], f32[5,4], -1.0)", "!ValueError"},
    {"_cdist_forward(f32[3,4], f32[5,4], 1.0, 5)", "!ValueError"},
    {"_cdist_backward(f32[2,3,5], f32[3,4], f32[2,5,4], 2.0, f32[2,3,5])", "f32[2,3,4]"},
    {"_pdist_forward(f32[5,3])", "f32[10]"},
    {"_pdist_forward(f32[5,3]{1,5})", "!ShapeMismatch"},
    {"_pdist_backward(f32[10], f32[5,3], 2.0, f32[10])", "f32[5,3]"},
    {"cdist(f64[5,3,4], f32[6,4])", "!DtypeMismatch"},
    {"cdist(f16[5,4], f16[6,4])", "!DtypeMismatch"},
    {"cdist(f16[30,4], f16[6,4])", "f16[30,6]"},
    {"cdist(bf16[5,4], bf16[6,4], 2.0, 1)", "bf16[5,6]"},
    {"cdist(bf16[30,4], bf16[6,4], 2.0, 2)", "!DtypeMismatch"},
    {"cdist(bf16[30,4], bf16[6,4], 1.0)", "!DtypeMismatch"},
    {"cdist(f16[0,4], f32[6,4])", "f16[0,6]"},
    {"cdist(f16[2,0], f32[6,0])", "f16[2,6]"},
    {"cdist(f64[30,4], f32[30,4])", "!DtypeMismatch"},
    {"_cdist_forward(f16[5,4], f16[6,4], 2.0, None)", "!DtypeMismatch"},
    {"_euclidean_dist(f16[1,0,3], f32[1,0,3])", "f32[1,0,0]"},
    {"_euclidean_dist(f16[0,3], f32[0,3])", "!DtypeMismatch"},
    {"_euclidean_dist(f16[1,2,3], f32[1,2,3])", "!DtypeMismatch"},
    {"_euclidean_dist(c64[2,3], c64[2,4])", "!ShapeMismatch"},
    {"_euclidean_dist(c64[2,3], c64[2,3])", "!DtypeMismatch"},
    {"renorm(f32[0,10,3], inf, 2, 0.5)", "!ShapeMismatch"},
    {"renorm(f32[0,10,3], inf, 0, 0.5)", "f32[0,10,3]"},
    {"renorm(f32[0,10,3], 2, 2, 0.5)", "f32[0,10,3]"},
    {"_pdist_forward(bf16[1,3,4,3], 10.0)", "bf16[0]"},
    {"_pdist_forward(bf16[2,3], 10.0)", "!DtypeMismatch"},
};

constexpr CallCase kScaling[] = {
    {"renorm(f32[2,3,4]{12,1,3}, 2, 1, 1.0)", "f32[2,3,4]"},
    {"renorm_(f32[3,4], 2, 0, 1.0)", "arg(0); writes 0"},
    {"renorm(f32[3], 2, 0, 1.0)", "!ShapeMismatch"},
    {"renorm(f32[3,4], 2, 0, -1.0)", "!ValueError"},
    {"renorm(f32[3,4], 0, 0, 1.0)", "!ValueError"},
};

TEST(Distance, Distances) { CheckCalls(kDistances); }
TEST(Distance, Scaling) { CheckCalls(kScaling); }

}  // namespace
}  // namespace fakeprop::testing
