#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kCases[] = {
    {"_trilinear(f64[1,3], f64[5,3,4], f16[1,1], [1,3], [0], [2,3], [1,2])", "f64[1,4]"},
    {"_trilinear(f64[1,3], f16[5,3,4], f16[1,1], [1,3], [0], [2,3], [1,2])", "!DtypeMismatch"},
    {"bilinear(f32[4,3], f32[4,5], f32[6,3,5], f32[6])", "f32[4,6]"},
    {"bilinear(f32[2,4,3]{12,1,4}, f32[2,4,5], f32[6,3,5])", "f32[2,4,6]"},
    {"bilinear(f32[3], f32[5], f32[6,3,5])", "f32[6]"},
    {"bilinear(f32[4,3], f32[4,5], f32[6,3,5], f32[6,1])", "!ShapeMismatch"},
    {"bilinear(f32[4,3], f32[3,5], f32[6,3,5])", "!ShapeMismatch"},
    {"bilinear(f32[4,3], f32[4,5], f32[6,5,3])", "!ShapeMismatch"},
    {"bilinear(f32[4,3], f64[4,5], f32[6,3,5])", "!DtypeMismatch"},
    {"bilinear(f32[4,3], f32[4,5], f32[6,3,5], f32[5])", "!ShapeMismatch"},
    {"bilinear(f32[], f32[], f32[6,3,5])", "!ShapeMismatch"},
    {"bilinear(f32[0,3], f32[0,5], f32[6,3,5], f32[6])", "f32[0,6]"},
    {"_trilinear(f32[4,3]{1,4}, f32[6,3,5], f32[4,5], [1,3], [0], [1,2], [2,3])", "f32[4,6]"},
    {"_trilinear(f32[2,3], f32[2,3], f32[2,3], [], [], [], [])", "f32[2,3]"},
    {"_trilinear(f32[2,3], f32[2,3], f32[2,3], [], [], [], [0,1], 0)", "f32[]"},
    {"_trilinear(f32[2,3], f32[2,3], f32[2,3], [], [], [], [], 2)", "!ValueError"},
    {"_trilinear(f32[2,3], f32[4,3], f32[2,3], [], [], [], [])", "!ShapeMismatch"},
    {"_trilinear(f32[2,3], f32[1,3], f32[2,3], [], [], [], [])", "f32[2,3]"},
    {"_trilinear(f32[1,3], f32[4,3], f32[1,3], [], [], [], [])", "!ShapeMismatch"},
    {"_trilinear(f64[0,3], f64[5,3,4], f64[1,5], [1, 3], [0], [2, 3], [1, 2])", "f64[1,4]"},
    {"_trilinear(f64[1,0], f64[5,0,4], f64[1,5], [1, 0], [0], [2, 0], [1, 2])", "f64[0,5]"},
    {"_trilinear(f32[2,4], f32[2,3], f32[2,3], [], [], [], [0], 1)", "f32[3]"},
    {"_trilinear(f32[2,3], f32[3], f32[2,3], [], [0], [], [1])", "f32[2]"},
    {"_trilinear(f32[0,8], f32[1,1,0,8], f32[0,8], [1,3], [2,3], [1,2], [0])", "f32[1,8,8]"},
    {"_trilinear(f32[2,8], f32[1,1,2,8], f32[2,8], [1,3], [2,3], [1,2], [0])", "!ShapeMismatch"},
    {"_trilinear(f32[2,8], f32[2,8], f32[1,2,8], [1,3], [2,3], [1,2], [0])", "!ShapeMismatch"},
    {"bilinear(f64[0], f64[2], f64[3,0,2])", "!ShapeMismatch"},
    {"bilinear(f64[0,2], f64[0,2], f64[3,2,2])", "f64[0,3]"},
    {"_trilinear(f32[0,8], f32[0], f32[0,8], [1,3], [2,3], [1,2], [0])", "!ShapeMismatch"},
};

TEST(Trilinear, Cases) { CheckCalls(kCases); }

}  // namespace
}  // namespace fakeprop::testing
