// Sequences of different lengths: conversions between one dense run of rows and padded batches.
// Source: _jagged_to_padded_dense_forward in torch/_meta_registrations.py, _padded_dense_to_jagged_forward in
// torch/_subclasses/fake_impls.py, aten/src/ATen/native/nested/NestedTensorUtils.cpp (torch 2.13).
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"
#include "lib/rules/support/data_dependent_results.h"

namespace fakeprop::rules {
namespace {

// The offsets at which rows start; the kernels take one jagged dimension.
Operand OneOffsets(const Call& call) {
  const Operands offsets = call.ListIn("offsets");
  RequireValue(call, offsets.size() == 1, {"takes the offsets of one jagged dimension, but got {}", offsets.size()});
  return offsets[0].Rank(1, "takes offsets of one dimension, but got {}");
}

// values [rows, ...] to [batch, max_length, ...].
void JaggedToPadded(Call& call) {
  const Operand values = call.In("values"), offsets = OneOffsets(call);
  const Dims lengths = call.DimList("max_lengths");
  RequireValue(call, lengths.size() == 1, {"takes one maximal length, but got {}", lengths.size()});
  values.RankAtLeast(1, "takes values of at least one dimension, not 0-dim ones");
  Dims sizes = {offsets->sizes[0] - 1, lengths[0]};
  sizes.append(values->sizes.begin() + 1, values->sizes.end());
  ReturnContiguous(call, sizes, values->dtype);
}

// How many rows there are is data, unless the caller says it.
void PaddedToJagged(Call& call) {
  const Operand padded = call.In("dense");
  OneOffsets(call);
  auto rows = call.OptionalDim("total_L");
  padded.RankAtLeast(2, "takes padded batches of rows, but got shape {}");
  if (!rows) rows = UnbackedSize(call, padded.Numel().TryNumber());
  Dims sizes = {*rows};
  sizes.append(padded->sizes.begin() + 2, padded->sizes.end());
  ReturnContiguous(call, sizes, padded->dtype);
}

// Strides of each tensor, and where it starts. The sizes themselves are returned where the tensors have no dimensions.
// Source: construct_nested_strides, construct_offsets (native/nested/NestedTensorUtils.cpp).
void StridesAndOffsets(Call& call) {
  const Operand sizes = call.In("nested_size");
  const bool has_tensors = sizes->rank() > 0;
  if (has_tensors)
    sizes.RankAtLeast(2, "takes the sizes of several tensors, but got shape {}")
        .Takes(ScalarType::Long, "takes int64 sizes, not {}");
  if (!has_tensors || GuardOrFalse(Eq(sizes->sizes[1], 0))) {
    call.ReturnArgument(sizes.tensor());
  } else {
    ReturnContiguous(call, sizes);
  }
  ReturnContiguous(call, Dims{has_tensors ? sizes->sizes[0] : Dim(0)}, ScalarType::Long);
}

constexpr RuleRow kRows[] = {
    {"aten::_jagged_to_padded_dense_forward", JaggedToPadded},
    {"aten::_padded_dense_to_jagged_forward", PaddedToJagged, Devices::kAny},
    {"aten::_nested_compute_contiguous_strides_offsets", StridesAndOffsets},
};

}  // namespace

RuleRows JaggedRules() { return kRows; }

}  // namespace fakeprop::rules
