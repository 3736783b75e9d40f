// A tensor argument by its name, and the demands of an operator on it.
//
// A violated demand throws an OpError whose message begins with the operator's name. Every demand has a default text. A
// rule can give another one, with `{}` for values. The last value is what was seen. `{tensor}` is the whole operand
// ("f32[2, 3] on cpu"), `{name}` its name ("`self`"), and `{argument}` the name as PyTorch writes it ("self"):
//
//     call.In("weight").Sizes({classes}, {"takes a weight for each of {} classes, but got shape {}", classes});
//     call.In("mask").Takes(ScalarType::Bool, "takes a bool mask, not {tensor}");
//
// Demands are checked in the order in which they are written. An argument that is not given meets all of them.
#pragma once

#include <array>
#include <initializer_list>

#include "lib/meta/objects.h"
#include "lib/meta/text.h"
#include "lib/rules/core/dtype_class.h"

namespace fakeprop {

class Call;

// What a demand rests on: a bool, or comparisons of sizes, which are relied on one after another:
// RequireValue(call, {Ge(low, 0), Le(high, size)}, "takes a range within its size").
class Demanded {
 public:
  Demanded(bool holds) : holds_(holds) {}                  // NOLINT: a demand is called with what holds
  Demanded(Cond condition) : holds_(Expect(condition)) {}  // NOLINT
  Demanded(std::initializer_list<Cond> conditions) : holds_(true) {
    for (const Cond condition : conditions) holds_ = holds_ && Expect(condition);
  }
  explicit operator bool() const { return holds_; }

 private:
  bool holds_;
};

// Behaves like a pointer to the tensor's metadata.
class Operand {
 public:
  Operand(const Call& call, int position, Tensor* tensor) : call_(&call), tensor_(tensor), position_(position) {}

  // Returns true if the argument is given.
  explicit operator bool() const { return tensor_ != nullptr; }
  const TensorMeta& meta() const { return tensor().meta; }
  const TensorMeta* TryMeta() const { return tensor_ ? &tensor_->meta : nullptr; }
  const TensorMeta* operator->() const { return &meta(); }
  const TensorMeta& operator*() const { return meta(); }
  operator const TensorMeta&() const { return meta(); }  // NOLINT: lets functions that take metadata take an operand
  Tensor& tensor() const {
    FAKEPROP_CHECK(tensor_);
    return *tensor_;
  }
  // How many elements it has.
  Dim Numel() const { return fakeprop::Numel(meta().size_span()); }
  // The name in messages: "`self`".
  std::string QuotedName() const;

  // ---- dimensions and sizes: errors of class ShapeMismatch
  // "takes `self` of 3 dimensions, but got shape {}"
  Operand Rank(int64_t rank, const Text& text = {}) const {
    return !tensor_ || tensor_->meta.rank() == rank ? *this : FailRank(rank, text);
  }
  // "takes `self` of at least 2 dimensions, but got shape {}"
  Operand RankAtLeast(int64_t rank, const Text& text = {}) const {
    return !tensor_ || tensor_->meta.rank() >= rank ? *this : FailRankBound("at least", rank, text);
  }
  // "takes `self` of at most 2 dimensions, but got shape {}"
  Operand RankAtMost(int64_t rank, const Text& text = {}) const {
    return !tensor_ || tensor_->meta.rank() <= rank ? *this : FailRankBound("at most", rank, text);
  }
  // "takes `self` of 1 to 2 dimensions, but got shape {}"
  Operand RankBetween(int64_t least, int64_t most, const Text& text = {}) const {
    const bool holds = !tensor_ || (tensor_->meta.rank() >= least && tensor_->meta.rank() <= most);
    return holds ? *this : FailRankRange(least, most, text);
  }
  // Any other demand on the shape. The argument has to be given. The value that was seen is its sizes.
  Operand Require(Demanded holds, const Text& text) const { return holds ? *this : FailSizes(text, {}); }
  // "takes a contiguous `self`, but got {}", which is the whole operand
  Operand Contiguous(const Text& text = {}) const;
  // const auto [n, c, h, w] = call.In("self").Sizes<4>();
  template <size_t kRank>
  std::array<Dim, kRank> Sizes(const Text& text = {}) const {
    Rank(kRank, text);
    std::array<Dim, kRank> sizes;
    for (size_t d = 0; d < kRank; ++d) sizes[d] = meta().sizes[d];
    return sizes;
  }
  // "takes `target` of shape [2, 3], but got {}". Dimensions are compared from the first to the last.
  Operand Sizes(DimSpan sizes, const Text& text = {}) const;
  Operand Sizes(std::initializer_list<Dim> sizes, const Text& text = {}) const {
    return Sizes(DimSpan(sizes.begin(), sizes.size()), text);
  }
  // "takes `self` of size 4 in dimension 0, but got shape {}". A dimension is counted from either end.
  Operand Size(int64_t dim, Dim size, const Text& text = {}) const;
  // "takes `self` and `other` of one shape, but got [2] and [3]"
  Operand SameSizesAs(const Operand& other, const Text& text = {}) const;
  // "takes `self` of 4 elements, but got shape {}"
  Operand NumelIs(Dim numel, const Text& text = {}) const;
  // "takes `self` that broadcasts to [2, 3], but got shape {}"
  Operand BroadcastsTo(DimSpan sizes, const Text& text = {}) const;

  // ---- dtypes: errors of class DtypeMismatch
  // The text is the class's, or another one.
  Operand Takes(const DtypeClass& dtypes) const {
    return !tensor_ || dtypes.dtypes.Has(tensor_->meta.dtype) ? *this : FailTakes(dtypes.TextFor(tensor_->meta.dtype));
  }
  Operand Takes(const DtypeClass& dtypes, const Text& text) const { return Takes(dtypes.dtypes, text); }
  // "takes `self` of float32 or float64, not {}"
  Operand Takes(Dtypes dtypes, const Text& text = {}) const {
    return !tensor_ || dtypes.Has(tensor_->meta.dtype) ? *this : FailTakes(dtypes, text);
  }
  // "takes `self` and `other` of one dtype, but got float32 and int64"
  Operand SameDtypeAs(const Operand& other, const Text& text = {}) const {
    const bool same = !tensor_ || !other.tensor_ || tensor_->meta.dtype == other.tensor_->meta.dtype;
    return same ? *this : FailSameDtype(other, text);
  }

  // ---- devices: errors of class DeviceMismatch
  // "takes tensors of one device, but found cpu and cuda:0"
  Operand SameDeviceAs(const Operand& other) const;

 private:
  Operand FailRank(int64_t rank, const Text& text) const;
  Operand FailRankBound(const char* bound, int64_t rank, const Text& text) const;
  Operand FailRankRange(int64_t least, int64_t most, const Text& text) const;
  Operand FailTakes(const Text& text) const;
  Operand FailTakes(Dtypes dtypes, const Text& text) const;
  Operand FailSameDtype(const Operand& other, const Text& text) const;
  // Fails with `text`, or with `own` if that is empty. The sizes that were seen are the last value of either.
  Operand FailSizes(const Text& text, const Text& own) const;
  // The text with the value that was seen, the operand and its name.
  std::string Filled(const Text& text, const Shown& seen) const;

  const Call* call_;
  Tensor* tensor_;
  int position_;
};

// Several operands of which an operator demands the same: call.Each({"x1", "x2"}).Takes(kFloating).Rank(2). The first
// demand is checked for all of them, then the second.
class Operands : public SmallVector<Operand, 6> {
 public:
  using SmallVector<Operand, 6>::SmallVector;
  const Operands& Rank(int64_t rank, const Text& text = {}) const {
    return Each([&](const Operand& t) { t.Rank(rank, text); });
  }
  const Operands& RankAtLeast(int64_t rank, const Text& text = {}) const {
    return Each([&](const Operand& t) { t.RankAtLeast(rank, text); });
  }
  const Operands& RankAtMost(int64_t rank, const Text& text = {}) const {
    return Each([&](const Operand& t) { t.RankAtMost(rank, text); });
  }
  const Operands& RankBetween(int64_t least, int64_t most, const Text& text = {}) const {
    return Each([&](const Operand& t) { t.RankBetween(least, most, text); });
  }
  const Operands& Size(int64_t dim, Dim size, const Text& text = {}) const {
    return Each([&](const Operand& t) { t.Size(dim, size, text); });
  }
  const Operands& Sizes(DimSpan sizes, const Text& text = {}) const {
    return Each([&](const Operand& t) { t.Sizes(sizes, text); });
  }
  const Operands& Sizes(std::initializer_list<Dim> sizes, const Text& text = {}) const {
    return Sizes(DimSpan(sizes.begin(), sizes.size()), text);
  }
  const Operands& SameSizesAs(const Operand& other, const Text& text = {}) const {
    return Each([&](const Operand& t) { t.SameSizesAs(other, text); });
  }
  const Operands& NumelIs(Dim numel, const Text& text = {}) const {
    return Each([&](const Operand& t) { t.NumelIs(numel, text); });
  }
  const Operands& Contiguous(const Text& text = {}) const {
    return Each([&](const Operand& t) { t.Contiguous(text); });
  }
  const Operands& Takes(const DtypeClass& dtypes) const {
    return Each([&](const Operand& t) { t.Takes(dtypes); });
  }
  const Operands& Takes(const DtypeClass& dtypes, const Text& text) const { return Takes(dtypes.dtypes, text); }
  const Operands& Takes(Dtypes dtypes, const Text& text = {}) const {
    return Each([&](const Operand& t) { t.Takes(dtypes, text); });
  }
  const Operands& SameDtypeAs(const Operand& other, const Text& text = {}) const {
    return Each([&](const Operand& t) { t.SameDtypeAs(other, text); });
  }
  const Operands& SameDeviceAs(const Operand& other) const {
    return Each([&](const Operand& t) { t.SameDeviceAs(other); });
  }

 private:
  template <typename Demand>
  const Operands& Each(Demand demand) const {
    for (const Operand& t : *this) demand(t);
    return *this;
  }
};

}  // namespace fakeprop
