// Operators whose result is a nested tensor: they check their plain tensors, and then there is no form for the result.
// Source: aten/src/ATen/native/nested/NestedTensorMath.cpp, NestedTensorTransformerFunctions.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

[[noreturn]] void FailNested(const Call& call) {
  Fail(ErrorClass::kUnsupportedOperator, OpName(call) + " gives a nested tensor, which has no sizes");
}

void RequireLong(const Call& call, int i) {
  if (call.Meta(i).dtype != ScalarType::Long) FailDtype(call, "takes sizes of int64, not " + ToString(call.Meta(i)));
}

// (padded, sizes of each tensor, ...)
void FromPadded(Call& call) {
  const TensorMeta &padded = call.Meta(0), &sizes = call.Meta(1);
  RequireLong(call, 1);
  if (sizes.rank() != 2 || !Expect(Eq(sizes.sizes[1], padded.rank() - 1)))
    FailShape(call, "takes the sizes of tensors of " + std::to_string(padded.rank() - 1) + " dimensions, but got " +
                        ToString(sizes));
  FailNested(call);
}

// (tensors [N, L, D], mask [N, L])
void CheckMask(const Call& call) {
  const TensorMeta &t = call.Meta(0), &mask = call.Meta(1);
  if (mask.dtype != ScalarType::Bool) FailDtype(call, "takes a mask of bool, not " + ToString(mask));
  RequireRank(call, 1, 2);
  RequireRank(call, 0, 3);
  for (int d : {0, 1})
    if (!Expect(Eq(t.sizes[d], mask.sizes[d])))
      FailShape(call,
          "takes a mask of the first two sizes of " + ToString(t.size_span()) + ", not " + ToString(mask.size_span()));
}

void FromMask(Call& call) {
  CheckMask(call);
  FailNested(call);
}

// Whether the mask is true at the start of its rows alone.
void IsLeftAligned(Call& call) {
  CheckMask(call);
  DataDependent(call);
}

// (buffer, sizes [N, D], strides [N, D], offsets [N])
void ViewOfBuffer(Call& call) {
  RequireRank(call, 0, 1);
  for (int i : {1, 2}) {
    RequireLong(call, i);
    RequireRank(call, i, 2);
  }
  RequireLong(call, 3);
  RequireRank(call, 3, 1);
  for (int i : {2, 3})
    if (!Expect(Eq(call.Meta(1).sizes[0], call.Meta(i).sizes[0])))
      FailShape(call, "takes sizes, strides and offsets of as many tensors, but got " + ToString(call.Meta(1)) +
                          " and " + ToString(call.Meta(i)));
  FailNested(call);
}

constexpr RuleRow kRows[] = {
    {"aten::_nested_from_padded", FromPadded},
    {"aten::_nested_tensor_from_mask", FromMask},
    {"aten::_nested_tensor_from_mask_left_aligned", IsLeftAligned},
    {"aten::_nested_view_from_buffer", ViewOfBuffer},
};

}  // namespace

RuleRows NestedRules() { return kRows; }

}  // namespace fakeprop::rules
