#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kValues[] = {
    {"eq.str(\"a\", \"a\")", "True"},
    {"ne.str(\"a\", \"b\")", "True"},
    {"eq.device(cpu, cuda)", "False"},
    {"eq.int_list([1,2], [1,2])", "True"},
    {"eq.float_list([1.0], [2.0])", "False"},
    {"ne.bool_list([True], [True])", "False"},
    {"eq.str_list([\"a\"], [\"a\",\"b\"])", "False"},
    {"lt.str(\"a\", \"b\")", "True"},
    {"ge.str(\"a\", \"b\")", "False"},
    {"add.str(\"a\", \"b\")", "\"ab\""},
    {"len.str(\"abc\")", "3"},
    {"all.int([1,0])", "False"},
    {"any.bool([False,True])", "True"},
    {"any.str([\"\",\"a\"])", "True"},
    {"sum.int([1,2,3])", "6"},
    {"sum.float([0.5,2.0])", "2.5"},
    {"sum.bool([True,True])", "2"},
    {"count.int([1,2,1], 1)", "2"},
    {"__contains__.float_list([1.0], 2.0)", "False"},
    {"index.list_int([3,4], 4)", "1"},
    {"index.list_int([3,4], 5)", "!ValueError"},
    {"sorted.int([3,1,2])", "[1, 2, 3]"},
    {"sorted.str([\"b\",\"a\"])", "[\"a\", \"b\"]"},
    {"Size([2,3])", "[2, 3]"},
    {"_infer_size([2,1], [3])", "[2, 3]"},
    {"_infer_size([2,2], [3])", "!ShapeMismatch"},
    {"broadcast_shapes([2,1], [3])", "[2, 3]"},
    {"_size_if_not_equal([2], [2])", "None"},
    {"_size_if_not_equal([2], [3])", "[2]"},
    {"size(f32[2,3]{1,2})", "[2, 3]"},
    {"sym_size(f32[2,3])", "[2, 3]"},
    {"stride(f32[2,3]{1,2})", "[1, 2]"},
    {"len.Tensor(f32[2,3]{1,2})", "2"},
    {"len.Tensor(f32[])", "!TypeError"},
    {"element_size(i64[2])", "8"},
    {"is_non_overlapping_and_dense(f32[2,3]{1,2})", "True"},
    {"is_non_overlapping_and_dense(f32[2,3]{1,4})", "False"},
    {"is_strides_like_format(f32[2,3,4,4]{48,1,12,3}, channels_last)", "True"},
    {"is_strides_like_format(f32[2,3,4,4], channels_last)", "False"},
    {"is_scripting()", "True"},
    {"_get_tracing_state()", "False"},
    {"is_grad_enabled()", "True"},
    {"is_autocast_enabled()", "False"},
};

TEST(ScriptValue, Values) { CheckCalls(kValues); }

}  // namespace
}  // namespace fakeprop::testing
