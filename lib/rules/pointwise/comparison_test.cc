#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kComparisons[] = {
    {"eq.Tensor(f32[2,3]{1,2}, i64[3])", "b8[2,3]{1,2}"},
    {"ne.Scalar(c64[2], 1)", "b8[2]"},
    {"not_equal.Tensor(f32[2], f32[3])", "!ShapeMismatch"},
    {"lt.Tensor(f32[2,3]{1,2}, f32[2,3]{1,2})", "b8[2,3]{1,2}"},
    {"lt.Scalar(c64[2], 1)", "!DtypeMismatch"},
    {"greater_equal.Scalar(i64[2,3]{1,2}, 1.5)", "b8[2,3]{1,2}"},
    {"less.Tensor(f32[2]@cuda:0, f32[])", "b8[2]@cuda:0"},
    {"greater.Tensor(f32[2], f32[3])", "!ShapeMismatch"},
    {"logical_and(f32[2,3]{1,2}, b8[3])", "b8[2,3]{1,2}"},
    {"logical_or(f32[2], f32[3])", "!ShapeMismatch"},
    {"logical_not(i64[2,3]{1,2})", "b8[2,3]{1,2}"},
    {"isclose(f32[2,3]{1,2}, f32[3])", "b8[2,3]{1,2}"},
    {"isclose(f32[2], f64[2])", "!DtypeMismatch"},
    {"isclose(f32[2], f32[2], -1.0)", "!ValueError"},
    {"eq_.Scalar(f32[2,3]{1,2}, 1)", "arg(0); writes 0"},
};

constexpr CallCase kTests[] = {
    {"isnan(i64[2,3]{1,2})", "b8[2,3]{1,2}"},
    {"isinf(c64[2])", "b8[2]"},
    {"isfinite(f32[2,3,4]{1,2,6})", "b8[2,3,4]{1,2,6}"},
    {"isreal(c64[2,3]{1,2})", "b8[2,3]{1,2}"},
    {"isposinf(c64[2])", "!DtypeMismatch"},
    {"isneginf(f32[2,3]{1,2})", "b8[2,3]{1,2}"},
    {"signbit(c64[2])", "!DtypeMismatch"},
    {"logical_not.out(i32[3], out=c32[3])", "!DtypeMismatch"},
    {"logical_not.out(b8[0], out=u16[0])", "!DtypeMismatch"},
    {"logical_not.out(b8[3], out=f16[3])", "arg(1); writes 1"},
    {"signbit(i64[2,3]{1,2})", "b8[2,3]{1,2}"},
};

TEST(Comparison, Comparisons) { CheckCalls(kComparisons); }
TEST(Comparison, Tests) { CheckCalls(kTests); }

}  // namespace
}  // namespace fakeprop::testing
