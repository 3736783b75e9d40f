// Masks: filling, writing and selecting where they are true, and the positions of what is not zero.
// Source: aten/src/ATen/native/TensorAdvancedIndexing.cpp (torch 2.13).
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/data_dependent_results.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

// masked_fill: dense, over the broadcast shape.
void MaskedFill(Call& call) {
  const Operand self = call.In("self"), mask = call.In("mask").Takes(
                                            ScalarType::Bool, "takes a bool mask, not {}: only supports boolean masks");
  const Operand value =
      call.TryIn("value").Rank(0, "takes a 0-dim value, not {}: only supports a 0-dimensional value tensor");
  const ScalarType dtype = value ? value->dtype : NumberDtype(call.Number("value"), call.state());
  if (IsComplex(dtype)) self.Takes(kComplexDtypes | ScalarType::Bool, "can't store a complex value in {}");
  ReturnContiguous(call, BroadcastSizes(self->size_span(), mask->size_span()), self->dtype);
}

void MaskedFillInplace(Call& call) { WriteExpanded(call, MaskedFill); }

void MaskedScatter(Call& call) {
  const Operand self = call.In("self"), mask = call.In("mask").Takes(kMask);
  self.SameDtypeAs(call.In("source"));
  ReturnContiguous(call, BroadcastSizes(self->size_span(), mask->size_span()), self->dtype);
}

void MaskedScatterBackward(Call& call) { ReturnContiguous(call, call.DimList("sizes"), call.In("grad_output")->dtype); }

// The selected elements of the gradient, put into zeros like the input.
void MaskedSelectBackward(Call& call) {
  const Operand grad = call.In("grad"), input = call.In("input"), mask = call.In("mask").Takes(kMask);
  const Dims sizes = BroadcastSizes(input->size_span(), mask->size_span());
  mask.Takes(ScalarType::Bool, "takes a bool mask, not {}: masked_scatter_ only supports boolean masks");
  input.SameDtypeAs(grad);
  call.ReturnNew(EmptyLike(Expanded(input, sizes)));
}

// How many elements of the broadcast shape the mask selects. Each call gets a new symbol.
// Source: masked_select in torch/_subclasses/fake_impls.py, which bounds it only above 2.
Dim SelectedOf(Call& call, const Operand& self, const Operand& mask, DimSpan shape) {
  if (IsKnownEmpty(shape)) return 0;
  if (auto selected = KnownSelection(mask.tensor()))
    return Known(Eq(*selected, 0)) ? *selected : *selected * FloorDiv(Numel(shape), mask.Numel());
  const std::optional<int64_t> most = MostElements(self.Numel());
  return UnbackedSize(call, most && *most > 2 ? most : std::nullopt);
}

// masked_select: one dimension, as long as the mask selects.
void MaskedSelect(Call& call) {
  const Operand self = call.In("self"), mask = call.In("mask").Takes(kMask);
  const Dims shape = BroadcastSizes(self->size_span(), mask->size_span());
  ReturnContiguous(call, Dims{SelectedOf(call, self, mask, shape)}, self->dtype);
}

// The positions of what is not zero, a row each; eager lays the columns out one after the other.
void NonZero(Call& call) {
  const Operand self = call.In("self");
  const Dim rows = SelectedByMask(call, self.tensor());
  TensorMeta out = NewMeta(call, Dims{rows, self->rank()}, ScalarType::Long);
  if (self->rank() > 1 || (rows.IsSymbolic() && self->rank() == 1)) out.strides = {1, rows};
  call.ReturnNew(std::move(out));
}

// A column of nonzero() for each dimension, all on one storage; a number counts as a vector of one.
// Source: at::native::nonzero_numpy.
template <ArgumentName Name>
void NonZeroColumns(Call& call) {
  const Operand t = call.In(Name);
  const Dim rows = SelectedByMask(call, t.tensor());
  const int64_t columns = std::max<int64_t>(t->rank(), 1);
  std::vector<Output> items;
  for (int64_t i = 0; i < columns; ++i) {
    Output& item = items.emplace_back(NewOutput(NewMeta(call, Dims{rows}, ScalarType::Long)));
    item.meta.storage_offset = rows * i;
    if (i > 0) item.shares_with = 0;
  }
  ReturnList(call, std::move(items));
}

// Source: nonzero_static in torch/_meta_registrations.py: other devices lay out column by column.
void NonZeroStatic(Call& call) {
  const Dim size = call.DimArg("size");
  RequireValue(call, !Known(Lt(size, 0)), {"takes a size of at least 0, not {}", size});
  TensorMeta out = NewMeta(call, Dims{size, call.In("self")->rank()}, ScalarType::Long);
  if (!call.OnCpu()) out.strides = {1, size};
  call.ReturnNew(std::move(out));
}

constexpr RuleRow kRows[] = {
    {"aten::masked_fill.Scalar", MaskedFill},
    {"aten::masked_fill.Tensor", MaskedFill},
    {"aten::masked_fill_.Scalar", MaskedFillInplace},
    {"aten::masked_fill_.Tensor", MaskedFillInplace},
    {"aten::masked_scatter", MaskedScatter},
    {"aten::masked_scatter_backward", MaskedScatterBackward},
    {"aten::masked_select", MaskedSelect},
    {"aten::masked_select_backward", MaskedSelectBackward},
    {"aten::nonzero", NonZero},
    {"aten::argwhere", NonZero, Grad::kNone},
    {"aten::nonzero_numpy", NonZeroColumns<"self">, Grad::kNone},
    {"aten::where", NonZeroColumns<"condition">},
    {"aten::nonzero_static", NonZeroStatic},
};

}  // namespace

RuleRows MaskRules() { return kRows; }

}  // namespace fakeprop::rules
