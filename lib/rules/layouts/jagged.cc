// Rows of different lengths: between one dense run of rows and padded batches of them.
// Source: _jagged_to_padded_dense_forward in torch/_meta_registrations.py, _padded_dense_to_jagged_forward in
// torch/_subclasses/fake_impls.py, aten/src/ATen/native/nested/NestedTensorUtils.cpp (torch 2.13).
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"
#include "lib/rules/support/unbacked_results.h"

namespace fakeprop::rules {
namespace {

// The offsets at which rows start; the kernels take one jagged dimension.
const TensorMeta& OneOffsets(const Call& call, int i) {
  const std::vector<Tensor*> offsets = call.Tensors(i);
  if (offsets.size() != 1)
    FailValue(call, "takes the offsets of one jagged dimension, but got " + std::to_string(offsets.size()));
  const TensorMeta& meta = offsets[0]->meta;
  if (meta.rank() != 1) FailShape(call, "takes offsets of one dimension, but got " + ToString(meta.size_span()));
  return meta;
}

// values [rows, ...] to [batch, max_length, ...].
void JaggedToPadded(Call& call) {
  const TensorMeta& values = call.Meta(0);
  const TensorMeta& offsets = OneOffsets(call, 1);
  const Dims lengths = call.DimList(2);
  if (lengths.size() != 1) FailValue(call, "takes one maximal length, but got " + std::to_string(lengths.size()));
  if (values.rank() == 0) FailShape(call, "takes values of at least one dimension, not 0-dim ones");
  Dims sizes = {offsets.sizes[0] - 1, lengths[0]};
  sizes.append(values.sizes.begin() + 1, values.sizes.end());
  ReturnContiguous(call, sizes, values.dtype);
}

// How many rows there are is data, unless the caller says it.
void PaddedToJagged(Call& call) {
  const TensorMeta& padded = call.Meta(0);
  OneOffsets(call, 1);
  auto rows = call.OptionalDim(2);
  if (padded.rank() < 2) FailShape(call, "takes padded batches of rows, but got shape " + ToString(padded.size_span()));
  if (!rows) rows = UnbackedSize(call, Numel(padded.size_span()).TryNumber());
  Dims sizes = {*rows};
  sizes.append(padded.sizes.begin() + 2, padded.sizes.end());
  ReturnContiguous(call, sizes, padded.dtype);
}

// Strides of each tensor, and where it starts. Where the tensors have no dimensions their sizes come back.
void StridesAndOffsets(Call& call) {
  const TensorMeta& sizes = call.Meta(0);
  // Of no tensors at all. Source: construct_nested_strides, construct_offsets (native/nested/NestedTensorUtils.cpp).
  if (sizes.rank() == 0) {
    call.ReturnArgument(call.TensorArg(0));
    return void(ReturnContiguous(call, Dims{0}, ScalarType::Long));
  }
  if (sizes.rank() < 2)
    FailShape(call, "takes the sizes of several tensors, but got shape " + ToString(sizes.size_span()));
  if (sizes.dtype != ScalarType::Long) FailDtype(call, "takes int64 sizes, not " + ToString(Value(sizes.dtype)));
  if (GuardOrFalse(Eq(sizes.sizes[1], 0))) {
    call.ReturnArgument(call.TensorArg(0));
  } else {
    ReturnContiguous(call, sizes.size_span(), sizes.dtype);
  }
  ReturnContiguous(call, Dims{sizes.sizes[0]}, sizes.dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::_jagged_to_padded_dense_forward", JaggedToPadded},
    {"aten::_padded_dense_to_jagged_forward", PaddedToJagged, Devices::kAny},
    {"aten::_nested_compute_contiguous_strides_offsets", StridesAndOffsets},
};

}  // namespace

RuleRows JaggedRules() { return kRows; }

}  // namespace fakeprop::rules
