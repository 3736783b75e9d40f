#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kContractions[] = {
    {"inner(f32[2,3], f32[4,3]{1,4})", "f32[2,4]"},
    {"inner(f32[], f32[4,3])", "f32[4,3]"},
    {"inner(f32[2,3], f32[4])", "!ShapeMismatch"},
    {"tensordot(f32[2,3,4]{1,8,2}, f32[4,3,5], [1,2], [1,0])", "f32[2,5]"},
    {"tensordot(f32[2,3], f32[4], [], [])", "f32[2,3,4]"},
    {"tensordot(f32[2,3], f32[3], [1], [])", "!ValueError"},
    {"tensordot(f32[2,3], f32[4], [1], [0])", "!ShapeMismatch"},
    {"tensordot(b8[3], b8[3], [0], [0])", "!DtypeMismatch"},
    {"tensordot(b8[3]{2}, b8[3], [0], [0])", "b8[]"},
    {"tensordot(b8[3,1]{0,1}, b8[3,1], [0], [0])", "b8[1,1]"},
    {"tensordot(b8[3,1]{0,1}, b8[3,1]{0,1}, [0,1], [0,1])", "b8[]"},
    {"tensordot(b8[2,3], b8[3,2], [1], [0])", "!DtypeMismatch"},
    {"tensordot(b8[0,2], b8[0,2], [0], [0])", "b8[2,2]"},
    {"tensordot(b8[0], b8[0], [0], [0])", "!DtypeMismatch"},
    {"inner(b8[2,3], b8[2,3])", "!DtypeMismatch"},
    {"inner(b8[3]{2}, b8[3])", "b8[]"},
};

TEST(Tensordot, Contractions) { CheckCalls(kContractions); }

}  // namespace
}  // namespace fakeprop::testing
