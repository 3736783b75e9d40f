#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kAssertions[] = {
    {"_assert_tensor_metadata(f32[2,3]{1,2}, [2,3], [1,2], float32, device=cpu, layout=strided)", ""},
    {"_assert_tensor_metadata(f32[2,3], [2,4])", "!AssertionFailed"},
    {"_assert_tensor_metadata(f32[2,3]{1,2}, None, [3,1])", "!AssertionFailed"},
    {"_assert_tensor_metadata(f32[2], None, None, float64)", "!AssertionFailed"},
    {"_assert_tensor_metadata(f32[2]@cuda:0, device=cpu)", "!AssertionFailed"},
    {"_assert_scalar(True, \"m\")", ""},
    {"_assert_scalar(0, \"m\")", "!AssertionFailed"},
    {"_assert_async(b8[])", ""},
    {"_print(\"m\")", ""},
    {"_assert_async.msg(b8[], \"m\")", ""},
    {"_functional_assert_scalar(True, \"m\", f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"sym_constrain_range(5, min=2, max=7)", ""},
    {"sym_constrain_range_for_size(5, min=8)", "!AssertionFailed"},
    {"sym_constrain_range(5, min=8, max=7)", "!ValueError"},
    {"_functional_assert_async.msg(b8[]@cuda:0, \"m\", f32[1]@cuda:0)", "arg(1)"},
    {"_shape_as_tensor(f32[3,2]{4,2})", "i64[2]"},
    {"_shape_as_tensor(f32[])", "i64[0]"},
};

constexpr CallCase kQuestions[] = {
    {"sym_size.int(f32[2,3]{1,2}, -1)", "3"},
    {"sym_size.int(f32[2,3], 2)", "!IndexOutOfRange"},
    {"sym_stride.int(f32[2,3]{1,2}, 1)", "2"},
    {"sym_numel(f32[2,3,4])", "24"},
    {"sym_storage_offset(f32[2]+5)", "5"},
    {"is_contiguous(f32[2,3]{1,2})", "False"},
    {"sym_is_contiguous(f32[2,3])", "True"},
    {"is_complex(c64[2])", "True"},
    {"is_floating_point(i64[2])", "False"},
    {"is_same_size(f32[2], f32[2,1])", "False"},
};

constexpr CallCase kData[] = {
    {"item(f32[])", "!DataDependentOutput"},
    {"item(f32[2])", "!ValueError"},
    {"_local_scalar_dense(i64[1,1])", "!DataDependentOutput"},
    {"is_nonzero(b8[])", "!DataDependentOutput"},
    {"equal(f32[2], f32[3])", "False"},
    {"equal(f32[2], f64[2])", "!DtypeMismatch"},
    {"equal(f32[0,2], f32[0,2])", "True"},
    {"equal(f32[2]@cuda:0, f32[3]@cuda:0)", "!DataDependentOutput"},  // FakeTensorMode never looks at shapes
    {"equal(f32[2,3]{1,2}, f32[2,3])", "!DataDependentOutput"},
    {"allclose(f32[2], f32[2])", "!DataDependentOutput"},
};

constexpr CallCase kIdentities[] = {
    {"is_set_to(f32[2,3]{1,2}, f32[2,3])", "False"},
    {"is_set_to(f32[2], i64[3])", "False"},
    {"get_device(f32[2,3]{1,2})", "-1"},
    {"get_device(f32[2]@cuda:1)", "1"},
};

TEST(Assertion, Assertions) { CheckCalls(kAssertions); }
TEST(Assertion, Questions) { CheckCalls(kQuestions); }
TEST(Assertion, Data) { CheckCalls(kData); }
TEST(Assertion, Identities) { CheckCalls(kIdentities); }

}  // namespace
}  // namespace fakeprop::testing
