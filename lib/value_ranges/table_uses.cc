// Operators that use tensors of indices: into tables, along dimensions, as labels.
#include "lib/value_ranges/index_verdict.h"

namespace fakeprop {
namespace {

using Limit = IndexUse::Limit;

// Indices into one dimension of a tensor.
void AddAlong(const RangeCall& call, const RangeOperand& table, int64_t dim, const RangeOperand& indices,
    bool from_ends, Limit limit, std::vector<IndexUse>& uses, Sym others_are_empty = nullptr) {
  if (!indices.IsIntegral() || indices.tensor->meta.dtype == ScalarType::Bool) return;
  const RangeMath& math = call.math();
  const Dim count = dim < table.tensor->meta.rank() ? table.tensor->meta.sizes[dim] : Dim(1);
  IndexUse use = UseOf(call, indices, from_ends ? FromEnds(math, count) : FromZero(math, count), limit);
  use.table = table.node;
  use.dim = dim;
  AddUse(call, indices, use, uses, EitherOf(IsEmpty(*table.tensor, math, dim), others_are_empty));
}

void TableRows(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand table = call.OperandOf("weight");
  if (table.tensor) AddAlong(call, table, 0, call.OperandOf("indices"), false, Limit::kRows, uses);
}

void AlongDimension(const RangeCall& call, bool from_ends, std::vector<IndexUse>& uses) {
  const RangeOperand self = call.OperandOf("self");
  const std::optional<size_t> dim = self.tensor ? call.DimensionOf("dim", *self.tensor) : std::nullopt;
  const RangeOperand indices = call.OperandOf(call.EitherOf("indices", "index"));
  if (dim && indices.tensor)
    AddAlong(call, self, static_cast<int64_t>(*dim), indices, from_ends, Limit::kElements, uses);
}
void Gathered(const RangeCall& call, std::vector<IndexUse>& uses) { AlongDimension(call, false, uses); }
void Filled(const RangeCall& call, std::vector<IndexUse>& uses) { AlongDimension(call, true, uses); }

// From torch 2.13 on any index counts, modulo the size.
void TakenModulo(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand self = call.OperandOf("self"), indices = call.OperandOf("indices");
  if (!self.tensor || !indices.IsIntegral()) return;
  IndexUse use = UseOf(call, indices, {}, Limit::kElements);
  use.table = self.node;
  AddUse(call, indices, use, uses);
}

// Each index takes the next dimension of `self`, a mask as many as it has.
void Indexed(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand self = call.OperandOf("self");
  if (!self.tensor) return;
  int64_t dim = 0;
  Sym one_is_empty = nullptr;  // then all are, once broadcast
  for (const RangeOperand& indices : call.OperandsOf("indices"))
    if (indices.tensor) one_is_empty = EitherOf(one_is_empty, IsEmpty(*indices.tensor, call.math()));
  for (const RangeOperand& indices : call.OperandsOf("indices")) {
    const ScalarType dtype = indices.tensor ? indices.tensor->meta.dtype : ScalarType::Long;
    const bool is_mask = dtype == ScalarType::Bool || dtype == ScalarType::Byte;
    if (indices.tensor && !is_mask && dim < self.tensor->meta.rank())
      AddAlong(call, self, dim, indices, true, Limit::kElements, uses, one_is_empty);
    dim += is_mask ? indices.tensor->meta.rank() : 1;
  }
}

void Taken(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand self = call.OperandOf("self"), indices = call.OperandOf("index");
  if (!self.tensor || !indices.IsIntegral()) return;
  const RangeMath& math = call.math();
  IndexUse use = UseOf(call, indices, FromEnds(math, CountOf(*self.tensor, math)), Limit::kElements);
  use.dim = -1;
  use.table = self.node;
  AddUse(call, indices, use, uses);
}

// Where max_unpool puts elements of a plane.
void Unpooled(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand indices = call.OperandOf("indices");
  const Value sizes = call.ValueOf("output_size");
  const List* list = sizes.TryList();
  if (!indices.IsIntegral() || !list) return;
  const RangeMath& math = call.math();
  Sym count = math.Number(1);
  for (const Value& size : list->items) {
    const Dim* dim = size.TryGet<Dim>();
    if (!dim) return;
    count = Multiply(count, math.Of(*dim));
  }
  AddUse(call, indices, UseOf(call, indices, FromZero(math, count), Limit::kElements), uses);
}

// The label that a loss ignores may be anything.
void TakeOutIgnored(IndexUse& use, const std::vector<Value>* labels, const RangeMath& math) {
  const int64_t ignored = *use.ignored;
  if (labels) {
    std::vector<Value> others;
    for (const Value& label : *labels)
      if (const Dim* number = label.TryGet<Dim>(); !number || number->TryNumber() != ignored) others.push_back(label);
    if (const std::optional<ValueRange> exact = RangeOfElements(others, math)) {
      use.range.low = exact->low;
      use.range.high = exact->high;
    }
    if (others.empty()) use.least = use.greatest = nullptr;
    return;
  }
  const auto is_ignored = [&](const ValueEnd& end) { return end.at && end.at->IsInteger(ignored); };
  if (use.range.IsPoint() && is_ignored(use.range.low)) use.least = use.greatest = nullptr;
  else if (is_ignored(use.range.low)) use.range.low = {};
  else if (is_ignored(use.range.high)) use.range.high = {};
}

void Classes(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand self = call.OperandOf("self");
  const RangeOperand target = call.OperandOf("target");
  if (!self.tensor || !target.IsIntegral() || self.tensor->meta.rank() == 0) return;
  const RangeMath& math = call.math();
  const int64_t dim = self.tensor->meta.rank() == 1 ? 0 : 1;
  const Sym count = math.Of(self.tensor->meta.sizes[dim]);
  IndexUse use = UseOf(call, target, FromZero(math, count), Limit::kClasses);
  use.table = self.node;
  use.dim = dim;
  if (call.Has("ignore_index")) use.ignored = call.NumberOf("ignore_index");
  if (use.ignored) TakeOutIgnored(use, call.ElementsOf(*target.tensor), math);
  AddUse(call, target, use, uses);
}

// Several labels each, with -1 behind the last.
void ManyClasses(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand self = call.OperandOf("self"), target = call.OperandOf("target");
  if (!self.tensor || !target.IsIntegral() || self.tensor->meta.rank() == 0) return;
  const RangeMath& math = call.math();
  const Sym last = Subtract(math.Of(self.tensor->meta.sizes.back()), math.Number(1));
  IndexUse use = UseOf(call, target, {math.Number(-1), last}, Limit::kClasses);
  use.table = self.node;
  use.dim = self.tensor->meta.rank() - 1;
  AddUse(call, target, use, uses);
}

void NewClasses(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand self = call.OperandOf("self");
  if (!self.IsIntegral()) return;
  const RangeMath& math = call.math();
  const std::optional<int64_t> classes = call.NumberOf("num_classes");
  const Allowed allowed = classes.value_or(-1) > 0 ? FromZero(math, math.Number(*classes)) : Allowed{math.Number(0)};
  AddUse(call, self, UseOf(call, self, allowed, Limit::kClasses), uses);
}

// Where each bag begins among the indices.
void BagOffsets(const RangeCall& call, std::vector<IndexUse>& uses) {
  TableRows(call, uses);
  const RangeOperand indices = call.OperandOf("indices"), offsets = call.OperandOf("offsets");
  if (!indices.tensor || indices.tensor->meta.rank() != 1 || !offsets.IsIntegral()) return;
  const RangeMath& math = call.math();
  IndexUse use = UseOf(call, offsets, {math.Number(0), math.Of(indices.tensor->meta.sizes[0])}, Limit::kBetween);
  AddUse(call, offsets, use, uses);
}

constexpr UseRow kTableUses[] = {
    {"embedding", TableRows},
    {"embedding_bag", BagOffsets},
    {"_embedding_bag", BagOffsets},
    {"_embedding_bag_forward_only", BagOffsets},
    {"gather", Gathered},
    {"take_along_dim", TakenModulo},
    {"scatter", Gathered},
    {"scatter_add", Gathered},
    {"scatter_reduce", Gathered},
    {"index_select", Gathered},
    {"index_add", Gathered},
    {"index_reduce", Gathered},
    {"index_copy", Gathered},
    {"index_fill", Filled},
    {"index", Indexed},
    {"_unsafe_index", Indexed},
    {"index_put", Indexed},
    {"_unsafe_index_put", Indexed},
    {"_index_put_impl_", Indexed},
    {"take", Taken},
    {"put", Taken},
    {"nll_loss", Classes},
    {"nll_loss2d", Classes},
    {"nll_loss_nd", Classes},
    {"nll_loss_forward", Classes},
    {"nll_loss2d_forward", Classes},
    {"cross_entropy_loss", Classes},
    {"multi_margin_loss", Classes},
    {"multilabel_margin_loss", ManyClasses},
    {"multilabel_margin_loss_forward", ManyClasses},
    {"max_unpool2d", Unpooled},
    {"max_unpool3d", Unpooled},
    {"one_hot", NewClasses},
};

}  // namespace

std::span<const UseRow> TableUses() { return kTableUses; }

}  // namespace fakeprop
