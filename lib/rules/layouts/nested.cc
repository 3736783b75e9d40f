// Operators that make a nested tensor of strided ones. lib/rules/other_layouts has those that take one. Source:
// aten/src/ATen/native/nested/NestedTensorMath.cpp, NestedTensorTransformerFunctions.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/data_dependent_results.h"
#include "lib/rules/support/nested_results.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop::rules {
namespace {

// The longest of lengths that depend on data, in any kind of run: a nested tensor's sizes decide nothing but those of
// the strided tensor that is made of it.
Dim Longest(Call& call, Dim most) {
  if (!ShapeEnv::Current()) DynamicShape(call);
  return UnbackedInteger(0, MostElements(most).value_or(INT64_MAX));
}

Operand LongIn(const Call& call, ArgumentName name) { return call.In(name).Takes(ScalarType::Long); }

void FromPadded(Call& call) {
  const Operand padded = call.In("padded"), sizes = LongIn(call, "cpu_nested_shape_example");
  const int64_t rank = padded->rank() - 1;
  sizes.Rank(2).Size(1, rank);
  Dims longest = {sizes->sizes[0]};
  for (const Dim size : padded->size_span().subspan(1)) longest.push_back(Longest(call, size));
  ReturnNested(call, longest, padded->dtype);
}

// A mask [N, L] for tensors [N, L, D].
void CheckMask(const Call& call) {
  const Operand mask = call.In("mask").Takes(ScalarType::Bool, "takes a mask of bool, not {tensor}").Rank(2);
  const Operand t = call.In("t").Rank(3);
  mask.Sizes({t->sizes[0], t->sizes[1]});
}

void FromMask(Call& call) {
  CheckMask(call);
  const Operand t = call.In("t");
  ReturnNested(call, Dims{t->sizes[0], Longest(call, t->sizes[1]), t->sizes[2]}, t->dtype);
}

// Whether the mask is true up to a length in each row. Eager gives a bool, which a graph that PyTorch made does not
// use.
void IsLeftAligned(Call& call) {
  CheckMask(call);
  if (!MakesUnbacked()) return DataDependent(call);
  call.ReturnNumber(Value::Of(ShapeEnv::Current()->NewUnbacked(SymType::kBool, {})));
}

void FromList(Call& call) {
  const std::vector<Tensor*> list = call.Tensors("list");
  RequireValue(call, !call.Flag("pin_memory"), {"makes no nested tensor in pinned memory, which needs a GPU"});
  const auto dtype = call.OptionalDtype("dtype");
  if (list.empty()) return void(ReturnNested(call, Dims{0}, dtype.value_or(ScalarType::Float)));
  Dims sizes = list[0]->meta.sizes;
  for (const Tensor* t : list) {
    RequireShape(call, t->meta.rank() == list[0]->meta.rank(),
        {"takes tensors of one rank, but got {} and {}", list[0]->meta, t->meta});
    for (size_t d = 0; d < sizes.size(); ++d) sizes[d] = Max(sizes[d], t->meta.sizes[d]);
  }
  sizes.insert(sizes.begin(), Dim(static_cast<int64_t>(list.size())));
  ReturnNested(call, sizes, dtype.value_or(list[0]->meta.dtype));
}

[[noreturn]] void NeedsNested(Call& call) {
  FailAs(call, ErrorClass::kTypeError, {"takes a nested tensor, not {}", *call.In("self")});
}

[[noreturn]] void FailView(const Call& call) {
  FailAs(call, ErrorClass::kUnsupportedOperator, "gives a nested tensor whose sizes are data");
}

// A flat buffer, with sizes [N, D], strides [N, D] and offsets [N].
void ViewOfBuffer(Call& call) {
  call.In("self").Rank(1);
  const Operand sizes = LongIn(call, "nested_size").Rank(2), strides = LongIn(call, "nested_strides").Rank(2);
  Operands{strides, LongIn(call, "offsets").Rank(1)}.Size(0, sizes->sizes[0]);
  FailView(call);
}

constexpr RuleRow kRows[] = {
    {"aten::_nested_from_padded", FromPadded},
    {"aten::_nested_tensor_from_mask", FromMask},
    {"aten::_nested_tensor_from_mask_left_aligned", IsLeftAligned},
    {"aten::_nested_tensor_from_tensor_list", FromList},
    {"aten::_nested_view_from_buffer", ViewOfBuffer},
    {"aten::to_padded_tensor", NeedsNested},
};

}  // namespace

RuleRows NestedRules() { return kRows; }

}  // namespace fakeprop::rules
