// Operators whose result is a nested tensor. Their rules check the plain tensors that they take. Then they fail,
// because a nested tensor has no sizes that could be given. Source: aten/src/ATen/native/nested/NestedTensorMath.cpp,
// NestedTensorTransformerFunctions.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

[[noreturn]] void FailNested(const Call& call) {
  Fail(ErrorClass::kUnsupportedOperator, Format("{} gives a nested tensor, which has no sizes", OpName(call)));
}

Operand LongIn(const Call& call, ArgumentName name) {
  return call.In(name).Takes(ScalarType::Long, "takes sizes of int64, not {tensor}");
}

void FromPadded(Call& call) {
  const Operand padded = call.In("padded"), sizes = LongIn(call, "cpu_nested_shape_example");
  const int64_t rank = padded->rank() - 1;
  sizes.Require(sizes->rank() == 2 && Expect(Eq(sizes->sizes[1], rank)),
      {"takes the sizes of tensors of {} dimensions, but got {tensor}", rank});
  FailNested(call);
}

// A mask [N, L] for tensors [N, L, D].
void CheckMask(const Call& call) {
  const Operand mask = call.In("mask").Takes(ScalarType::Bool, "takes a mask of bool, not {tensor}").Rank(2);
  const Operand t = call.In("t").Rank(3);
  mask.Sizes({t->sizes[0], t->sizes[1]}, {"takes a mask of the first two sizes of {}, not {}", t->sizes});
}

// A flat buffer, with sizes [N, D], strides [N, D] and offsets [N].
void ViewOfBuffer(Call& call) {
  call.In("self").Rank(1);
  const Operand sizes = LongIn(call, "nested_size").Rank(2), strides = LongIn(call, "nested_strides").Rank(2);
  for (const Operand& t : {strides, LongIn(call, "offsets").Rank(1)})
    t.Size(
        0, sizes->sizes[0], {"takes sizes, strides and offsets of as many tensors, but got {} and {tensor}", *sizes});
  FailNested(call);
}

constexpr RuleRow kRows[] = {
    {"aten::_nested_from_padded", FromPadded},
    {"aten::_nested_tensor_from_mask", InOrder<CheckMask, FailNested>},
    {"aten::_nested_tensor_from_mask_left_aligned", InOrder<CheckMask, DataDependent>},
    {"aten::_nested_view_from_buffer", ViewOfBuffer},
};

}  // namespace

RuleRows NestedRules() { return kRows; }

}  // namespace fakeprop::rules
