#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kCases[] = {
    {"trapezoid.x(f32[3,4], f32[4])", "f32[3]"},
    {"trapezoid.x(f32[3,4]{1,3}, f32[3,4], dim=0)", "f32[4]"},
    {"trapezoid.x(i64[2,3,4], i64[3], dim=1)", "f32[2,4]"},
    {"trapezoid.x(f16[3,4], f32[3], dim=-2)", "f32[4]"},
    {"trapezoid.x(f32[3,4], f64[2,3,4], dim=1)", "!ShapeMismatch"},
    {"trapezoid.x(f32[3,4], f32[])", "!ShapeMismatch"},
    {"trapezoid.x(f32[3,0], f32[2])", "f32[3]"},
    {"trapezoid.x(f32[3,4], f32[3])", "!ShapeMismatch"},
    {"trapezoid.x(b8[3], f32[3])", "!DtypeMismatch"},
    {"trapezoid.x(f32[], f32[3])", "!ShapeMismatch"},
    {"trapezoid.x(f32[3,1], f32[3,4])", "!ShapeMismatch"},
    {"trapezoid.dx(f32[3,4]{1,3})", "f32[3]"},
    {"trapezoid.dx(i32[2,3,4], dx=2, dim=0)", "f32[3,4]"},
    {"trapezoid.dx(f32[2,3,4]{1,2,6}, dim=1)", "f32[2,4]"},
    {"trapezoid.dx(c64[3], dx=0.5)", "c64[]"},
    {"trapezoid.dx(f32[0,3], dim=0)", "f32[3]"},
    {"trapezoid.dx(b8[3])", "!DtypeMismatch"},
    {"trapezoid.dx(f32[3], dx=True)", "!ValueError"},
    {"trapezoid.dx(f32[3], dim=1)", "!IndexOutOfRange"},
    {"trapz.x(f32[3,4], f32[4])", "f32[3]"},
    {"trapz.x(u8[3,4]{1,3}, f32[3,1], dim=0)", "f32[4]"},
    {"trapz.x(f32[], f32[])", "!ShapeMismatch"},
    {"trapz.dx(f16[4]{2})", "f16[]"},
    {"trapz.dx(f32[3,4], dx=2.0, dim=-2)", "f32[4]"},
    {"trapz.dx(f32[3,4], dx=2.0, dim=2)", "!IndexOutOfRange"},
    {"cumulative_trapezoid.x(f32[3,4]{1,3}, f32[4])", "f32[3,3]"},
    {"cumulative_trapezoid.x(i32[2,3,4], i32[2,3,4], dim=1)", "f32[2,2,4]"},
    {"cumulative_trapezoid.x(f32[3], b8[3])", "!DtypeMismatch"},
    {"cumulative_trapezoid.x(f32[3,0], f32[0])", "f32[3,0]"},
    {"cumulative_trapezoid.dx(f32[3,4]{1,3}, dx=2)", "f32[3,3]"},
    {"cumulative_trapezoid.dx(i64[3])", "f32[2]"},
    {"cumulative_trapezoid.dx(bf16[2,3,4], dim=-3)", "bf16[1,3,4]"},
    {"cumulative_trapezoid.dx(f32[])", "!ShapeMismatch"},
};

TEST(Trapezoid, Cases) { CheckCalls(kCases); }

}  // namespace
}  // namespace fakeprop::testing
