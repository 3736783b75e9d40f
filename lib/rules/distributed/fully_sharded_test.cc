#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

// As eager on two ranks, torch 2.13.
constexpr CallCase kCases[] = {
    {"fsdp::all_gather_copy_in([f32[3], f32[2]{2}], f32[10], [3,2], 5, 1)", "alias(2) f32[5]+5, arg(2); writes 2"},
    {"fsdp::all_gather_copy_in([f32[]], f32[2], [1], 1, 0)", "alias(1) f32[1], arg(1); writes 1"},
    {"fsdp::all_gather_copy_in([f32[3], f32[2]], f32[10], [3,2], 4, 1)", "!ValueError"},
    {"fsdp::all_gather_copy_in([f32[3], f32[2]], f32[10], [2,3], 5, 1)", "!ShapeMismatch"},
    {"fsdp::split_with_sizes_copy(f32[2,5], [3,2], 1, out=[f32[2,3]{1,2}, f32[2,2]])", "; writes 1; writes 2"},
    {"fsdp::split_with_sizes_copy(f32[5], [5], out=[f32[5]])", "; writes 1"},
    {"fsdp::split_with_sizes_copy(f32[2,5], [3,2], 1, out=[f32[2,3], f32[2,3]])", "!ShapeMismatch"},
    {"fsdp::split_with_sizes_copy(f32[2,5], [3,3], 1, out=[f32[2,3], f32[2,3]])", "!ValueError"},
    {"fsdp::chunk_cat([f32[4,3], f32[5]{2}], 0, 2, out=f32[2,9])", "; writes 2"},
    {"fsdp::chunk_cat([f32[4]], 0, 2, out=f32[2,2])", "; writes 1"},
    {"fsdp::chunk_cat([f32[4,3]], 0, 2, out=f32[2,9])", "!ShapeMismatch"},
    {"fsdp::chunk_cat_mixed_dtype([f32[4,3], f32[5]{2}], 0, 2, out=f32[2,9])", "; writes 2"},
    {"fsdp::chunk_cat_mixed_dtype([f32[4]], 0, 2, out=f32[2,2])", "; writes 1"},
    {"fsdp::chunk_cat_mixed_dtype([f32[4,3]], 0, 2, out=f32[2,9])", "!ShapeMismatch"},
    {"fsdp::record_grad_output_stream(f32[4,3]{1,4}@cuda:0, 0, 0, 1)", ""},
    {"fsdp::record_grad_output_stream(f32[4]@cuda:0, 0, 0, 1)", ""},
    {"fsdp::copy_(f32[4,3]{1,4}, f32[3])", "; writes 0"},
    {"fsdp::copy_(f32[4], f64[])", "; writes 0"},
    {"fsdp::copy_(f32[4], f32[3])", "!ShapeMismatch"},
    {"profiler::_record_function_enter_new(\"FSDP::pre_forward\")", "object FSDP::pre_forward"},
    {"profiler::_record_function_exit._RecordFunction(None)", ""},
};

TEST(FullySharded, Calls) { CheckCalls(kCases); }

}  // namespace
}  // namespace fakeprop::testing
