#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kSizes[] = {
    {"resize_(f32[2,3], [3,4])", "arg(0); 0 := f32[3,4]"},
    {"resize_(f32[2,3]{1,2}, [2,3])", "arg(0); 0 := f32[2,3]{1,2}"},
    {"resize_(f32[2,3]{1,2}, [3,2])", "arg(0); 0 := f32[3,2]"},
    {"resize_(f32[2,3]+4, [3,4])", "arg(0); 0 := f32[3,4]+4"},
    {"resize_(f32[2,3], [2])", "arg(0); 0 := f32[2]"},
    {"resize_(f32[2,3], [-1])", "!ValueError"},
    {"resize_(f32[2,3,4,5], [2,3,4,5], memory_format=channels_last)", "arg(0); 0 := f32[2,3,4,5]{60,1,15,3}"},
    {"resize_(f32[2,3,4,5], [2,3,4,6], memory_format=channels_last)", "arg(0); 0 := f32[2,3,4,6]{72,1,18,3}"},
    {"resize_(f32[2,3], [2,3,4,6], memory_format=channels_last)", "arg(0); 0 := f32[2,3,4,6]{72,1,18,3}"},
    {"resize_(f32[2,3], [2,3], memory_format=preserve_format)", "!ValueError"},
    {"resize_(f32[2,3]{1,2}, [2,3], memory_format=contiguous_format)", "arg(0); 0 := f32[2,3]"},
    {"resize_as_(f32[2,3], f32[4,5]{1,4})", "arg(0); 0 := f32[4,5]"},
    {"resize_as_(f32[2,3], f32[4,5]{1,4}, memory_format=preserve_format)", "arg(0); 0 := f32[4,5]"},
    {"resize_as_(f32[2,3], f32[2,3,4,5]{60,1,15,3}, memory_format=preserve_format)",
        "arg(0); 0 := f32[2,3,4,5]{60,1,15,3}"},
    {"resize_as_(f32[2,3]{1,2}, i64[2,3])", "arg(0); 0 := f32[2,3]{1,2}"},
    {"resize_as_(f32[2,3,4,5], i64[2,3,4,5]{60,1,15,3}, memory_format=preserve_format)",
        "arg(0); 0 := f32[2,3,4,5]{60,1,15,3}"},
    {"resize(f32[2,3]{1,2}, [3,4])", "f32[3,4]"},
    {"resize(f32[2,3]{1,2}, [2,3])", "f32[2,3]{1,2}"},
    {"resize_as(f32[2,3], f32[4,5])", "f32[4,5]"},
    {"as_strided_(f32[2,3], [3,2], [1,3])", "arg(0); 0 := f32[3,2]{1,3}"},
    {"as_strided_(f32[2,3], [3,2], [1,3], 1)", "!ViewError"},
    {"resize(f32[2,3]{6,2}+1, [2,3])", "f32[2,3]"},
    {"resize(f32[2,3]{6,2}+1, [3,3])", "f32[3,3]"},
    {"resize(f32[2,3]+1, [2])", "f32[2]"},
    {"resize_as(f32[2,3]{6,2}+1, f32[2,3])", "f32[2,3]"},
};

constexpr CallCase kStorage[] = {
    {"set_.source_Tensor_storage_offset(f32[2,3], f32[2,3]+3, 1, [2,2], [1,2])", "arg(0); 0 := f32[2,2]{1,2}+4"},
    {"set_.source_Tensor_storage_offset(f32[2,3], f32[2,3], 1, [2,2,4])", "arg(0); 0 := f32[2,2,4]+1"},
    {"set_.source_Tensor_storage_offset(f32[2,3], f32[2,3], -1, [2,2])", "!ValueError"},
    {"set_.source_Tensor(f32[2,3], f32[4]{2}+3)", "arg(0); 0 := f32[4]{2}+3"},
    {"set_.source_Tensor(f32[2,3], i64[4])", "arg(0); 0 := f32[4]"},
    {"set_.source_Tensor(f32[2,3], f32[4]@cuda:0)", "!DeviceMismatch"},
    {"set_.source_Tensor_storage_offset(f32[2,3], f32[12], 1, [2,3], [3,1])", "arg(0); 0 := f32[2,3]+1"},
    {"set_.source_Tensor_storage_offset(f32[2,3], f32[12], 1, [2,3])", "arg(0); 0 := f32[2,3]+1"},
    {"set_.source_Tensor_storage_offset(f32[3,2], f32[12], 10, [2,3])", "arg(0); 0 := f32[2,3]+10"},
    // One that has these sizes already is not resized, so its storage does not grow.
    {"set_.source_Tensor_storage_offset(f32[2,3], f32[12], 10, [2,3])", "!ValueError"},
    {"set_.source_Tensor_storage_offset(f32[2,3], f32[3,4]{1,3}, 0, [2,3])", "!ValueError"},
    {"set_(f32[2,3])", "arg(0); 0 := f32[0]"},
    {"set.source_Tensor(f32[2,3], f32[4]{2}+3)", "alias(1) f32[4]{2}+3"},
    {"set(f32[2,3])", "f32[0]"},
};

constexpr CallCase kViews[] = {
    {"t_(f32[2,3])", "arg(0); 0 := f32[3,2]{1,3}"},
    {"t_(f32[2,3,4])", "!ShapeMismatch"},
    {"transpose_(f32[2,3], 0, 1)", "arg(0); 0 := f32[3,2]{1,3}"},
    {"squeeze_(f32[2,1,3])", "arg(0); 0 := f32[2,3]"},
    {"squeeze_.dim(f32[2,1,3], 1)", "arg(0); 0 := f32[2,3]"},
    {"squeeze_.dim(f32[2,1,3], 0)", "arg(0); 0 := f32[2,1,3]"},
    {"squeeze_.dims(f32[2,1,1], [1,2])", "arg(0); 0 := f32[2]"},
    {"unsqueeze_(f32[2,3], 1)", "arg(0); 0 := f32[2,1,3]"},
    {"swapdims_(f32[2,3], 0, 1)", "arg(0); 0 := f32[3,2]{1,3}"},
    {"swapaxes_(f32[2,3], 0, 1)", "arg(0); 0 := f32[3,2]{1,3}"},
    {"transpose_(f32[2,3], 0, 2)", "!IndexOutOfRange"},
    {"set_.source_Tensor_storage_offset(f32[3], f32[3], 1, [3])", "!ValueError"},
    {"set_.source_Tensor(f64[3], f32[3])", "!ValueError"},
};

TEST(Mutation, Sizes) { CheckCalls(kSizes); }
TEST(Mutation, Storage) { CheckCalls(kStorage); }
TEST(Mutation, Views) { CheckCalls(kViews); }

}  // namespace
}  // namespace fakeprop::testing
