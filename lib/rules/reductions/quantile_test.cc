#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kCases[] = {
    {"quantile(f32[3,5], f32[2])", "f32[2]"},
    {"quantile(f32[3,5], f32[2], keepdim=True)", "f32[2,1,1]{1,2,2}"},
    {"quantile(f32[3,5,4]{1,3,15}, f32[2], 1)", "f32[2,3,4]{1,8,2}"},
    {"quantile(f32[3,5,4], f32[2], 1, True)", "f32[2,3,1,4]{1,8,8,2}"},
    {"quantile(f64[3,5,4], f64[], -1)", "f64[3,5]"},
    {"quantile(f32[], f32[], 0, True)", "f32[]"},
    {"quantile(f32[3], f32[0], 0, interpolation=\"nearest\")", "f32[0]"},
    {"quantile(f32[3], f32[2,1])", "!ShapeMismatch"},
    {"quantile(f32[3], f64[2])", "!DtypeMismatch"},
    {"quantile(f16[3], f16[])", "!DtypeMismatch"},
    {"quantile(f32[0,3], f32[], 1)", "!ShapeMismatch"},
    {"quantile(f32[3], f32[], interpolation=\"cubic\")", "!ValueError"},
    {"quantile(f32[3], f32[], 1)", "!IndexOutOfRange"},
    {"quantile(f32[2,3], f32[]@cuda:0)", "!DeviceMismatch"},
    {"quantile.out(f32[3,5], f32[2], 0, out=f32[0])", "arg(2); 2 := f32[2,5]; writes 2"},
    {"quantile.out(f32[3,5], f32[2], 0, out=f32[2,5]{1,2})", "arg(2); writes 2"},
    {"quantile.out(f32[3,5], f32[2], 0, out=f64[2,5])", "!DtypeMismatch"},
    {"quantile.scalar(f32[3,5], 0.5)", "f32[]"},
    {"quantile.scalar(f32[3,5]{1,3}, 0.5, 0, True, interpolation=\"midpoint\")", "f32[1,5]"},
    {"quantile.scalar(f32[3], 1.5)", "!ValueError"},
    {"quantile.scalar_out(f64[3,5], 0.5, 1, out=f64[3])", "arg(1); writes 1"},
    {"nanquantile(f32[3,5]{1,3}, f32[2], 0, True)", "f32[2,1,5]{1,10,2}"},
    {"nanquantile(f64[2,3,4], f64[])", "f64[]"},
    {"nanquantile(i64[3], i64[])", "!DtypeMismatch"},
    {"nanquantile.out(f32[3,5], f32[2], 0, out=f32[2,5])", "arg(2); writes 2"},
    {"nanquantile.scalar(f32[3,5]{1,3}, 0.5, 0, True)", "f32[1,5]"},
    {"nanquantile.scalar(f32[], 0, keepdim=True)", "f32[]"},
    {"nanquantile.scalar(f32[3], -0.5)", "!ValueError"},
    {"nanquantile.scalar_out(f64[3,5], 0.5, out=f64[])", "arg(1); writes 1"},
};

TEST(Quantile, Cases) { CheckCalls(kCases); }

}  // namespace
}  // namespace fakeprop::testing
