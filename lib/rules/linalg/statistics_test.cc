#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kCovariance[] = {
    {"cov(f32[3,5]{1,3})", "f32[3,3]"},
    {"cov(f32[5])", "f32[]"},
    {"cov(f32[1,5])", "f32[]"},
    {"cov(f32[0,5])", "f32[0,0]"},
    {"cov(f32[3,5]@cuda:0)", "!DataDependentOutput"},  // FakeTensorMode looks whether weights are negative
    {"corrcoef(f32[3,5]@cuda:0)", "!DataDependentOutput"},
    {"linalg_lstsq(f32[3,4]@cuda:0, f32[3,2]@cuda:0)", "!DynamicOutputShape"},
    {"cov(i64[3,5])", "f32[3,3]"},
    {"cov(bf16[3,2], correction=1, aweights=f32[2])", "f32[3,3]"},
    {"cov(f32[3,5], fweights=i64[5])", "f32[3,3]"},
    {"cov(f32[3,5], fweights=f32[5])", "!DtypeMismatch"},
    {"cov(f32[3,5], fweights=i64[4])", "!ShapeMismatch"},
    {"cov(f32[3,5], aweights=f32[1,5])", "!ShapeMismatch"},
    {"cov(b8[3,5])", "!DtypeMismatch"},
    {"cov(f32[2,3,4])", "!ShapeMismatch"},
    {"corrcoef(f32[3,5]{1,3})", "f32[3,3]"},
    {"corrcoef(i64[2])", "f32[]"},
    {"corrcoef(c64[3,5])", "c64[3,3]"},
    {"corrcoef(f32[2,3,4])", "!ShapeMismatch"},
};

constexpr CallCase kLeastSquares[] = {
    {"linalg_lstsq(f32[4,3]{1,4}, f32[4,2])", "f32[3,2]{1,4}, f32[0], i64[], f32[0]"},
    {"linalg_lstsq(f32[4,3], f32[4,2], driver=\"gels\")", "f32[3,2]{1,4}, f32[2], i64[0], f32[0]"},
    {"linalg_lstsq(c64[4,3], c64[4,2], driver=\"gels\")", "c64[3,2]{1,4}, f32[2], i64[0], f32[0]"},
    {"linalg_lstsq(f32[3,2,3], f32[3,2,3], driver=\"gels\")", "f32[3,3,3]{9,1,3}, f32[0], i64[0], f32[0]"},
    {"linalg_lstsq(f32[2,4,3], f32[2,4], driver=\"gels\")", "f32[2,3]{4,1}, f32[2,1], i64[0], f32[0]"},
    {"linalg_lstsq(f32[3,4], f32[3,2], driver=\"gelsd\")", "f32[4,2]{1,4}, f32[0], i64[], f32[3]"},
    {"linalg_lstsq(f32[1,3,4], f32[2,3,2])", "f32[2,4,2]{8,1,4}, f32[0], i64[1], f32[0]"},
    {"linalg_lstsq(f32[0,4], f32[0,2])", "f32[4,2]{1,4}, f32[0], i64[], f32[0]"},
    {"linalg_lstsq(f32[4,3], f32[4,2], driver=\"gelss\")", "!DynamicOutputShape"},
    {"linalg_lstsq(f32[4,3], f32[4,2], driver=\"x\")", "!ValueError"},
    {"linalg_lstsq(f32[3,4], f32[4,2])", "!ShapeMismatch"},
    {"linalg_lstsq(f32[3,4], f64[3,2])", "!DtypeMismatch"},
    {"linalg_lstsq(i64[3,4], i64[3,2])", "!DtypeMismatch"},
};

TEST(Statistics, Covariance) { CheckCalls(kCovariance); }
TEST(Statistics, LeastSquares) { CheckCalls(kLeastSquares); }

}  // namespace
}  // namespace fakeprop::testing
