// Lookup tables: embedding, embedding_bag and their gradients.
// Source: aten/src/ATen/native/Embedding.cpp, EmbeddingBag.cpp; meta_embedding_bag in torch/_meta_registrations.py
// (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/data_dependent_results.h"
#include "lib/rules/support/sparse_results.h"

namespace fakeprop::rules {
namespace {

// Source: checkScalarTypes.
constexpr DtypeClass kEmbeddingIndices{kIndexDtype.dtypes,
    "takes an int64 or int32 index, not {}: expected tensor for argument #1 'indices' to have one of the following "
    "scalar types: Long, Int"};

void Embedding(Call& call) {
  const Operand weight = call.In("weight").Rank(2, "takes a weight of shape {}: 'weight' must be 2-D"),
                indices = call.In("indices").Takes(kEmbeddingIndices);
  // The cpu's kernel selects slices (index_select_out_cpu_).
  RequireIndex(call, !weight->device.is_cpu() || IsKnownEmpty(indices) || !Known(Eq(weight->sizes[0], 0)),
      {"looks up rows of {}: index_select(): self indexing axis dim should be positive", *weight});
  ReturnContiguous(call, Appended(indices->sizes, weight->sizes[1]), weight->dtype);
}

// One row for each index, but none for those of padding, whose number data tells.
void ReturnRows(Call& call, const TensorMeta& grad, Dim rows, int64_t padding) {
  if (call.Bool("scale_grad_by_freq")) FailValue(call, "does not support scale_grad_by_freq with sparse gradients");
  const Dim features = grad.sizes.back();
  const Dim nnz = padding == -1 ? rows : UnknownNnz(call, Dims{rows});
  ReturnCoo(call, {Dims{call.DimArg("num_weights"), features}, grad.dtype, 1, nnz, false});
}

void EmbeddingSparseBackward(Call& call) {
  const Operand grad = call.In(0).RankAtLeast(1), indices = call.In("indices").Takes(kEmbeddingIndices);
  const Dim rows = indices.Numel();
  grad.NumelIs(rows * grad->sizes.back());
  ReturnRows(call, grad, rows, call.Int("padding_idx"));
}

// [num_weights, features of the gradient].
template <ArgumentName Grad>
void EmbeddingBackward(Call& call) {
  if (call.Flag("sparse")) return EmbeddingSparseBackward(call);
  const Operand grad = call.In(Grad), indices = call.In("indices").Takes(kEmbeddingIndices);
  grad.RankAtLeast(1, "takes a gradient of at least 1 dimension");
  const Dim features = grad->sizes.back();
  grad.NumelIs(indices.Numel() * features,
      {"takes a row of the gradient for each index, but got {} for {}", grad->sizes, indices->sizes});
  ReturnContiguous(call, {call.DimArg("num_weights"), features}, grad->dtype);
}

// The rows whose norm is too large, scaled down.
void EmbeddingRenorm(Call& call) {
  const Operand self = call.In("self").Rank(2);
  // Norms are computed of the rows that indices name.
  if (!IsKnownEmpty(call.In("indices").Takes(kIndexDtype))) self.Takes(kFloatingOrComplex);
  ReturnLike(call, self);
}

enum Mode : int64_t { kSum, kMean, kMax };

// Which padding_idx counts as one: of embedding_bag any, which may count from the end, elsewhere those from 0 on.
enum class Padding { kFromZero, kFromEnd };

bool HasPadding(const Call& call, Padding counted) {
  if (!call.Has("padding_idx")) return false;
  const int64_t padding = call.Int("padding_idx");
  const Operand weight = call.In("weight");
  if (counted == Padding::kFromZero || weight->rank() == 0) return padding >= 0;
  const Dim rows = weight->sizes[0];
  RequireValue(
      call, And(Le(-rows, padding), Lt(padding, rows)), {"takes a padding_idx within {} rows, not {}", rows, padding});
  return true;
}

// The arguments that all forms of embedding_bag share.
struct Bag {
  Operand weight, indices, offsets, per_sample_weights;
  int64_t mode;
  bool include_last_offset, has_padding;
};

Bag BagOf(const Call& call, Padding counted) {
  return {call.In("weight"), call.In("indices"), call.In("offsets"), call.OptionalIn("per_sample_weights"),
      call.Int("mode"), call.Bool("include_last_offset"), HasPadding(call, counted)};
}

void CheckBag(const Call& call, const Bag& bag) {
  bag.indices.Takes(kEmbeddingIndices);
  bag.offsets.Takes(kIndexDtype);
  bag.weight.Takes(kFloating).Rank(2);
  bag.indices.RankBetween(1, 2, "takes {name} of 1 dimensions, but got shape {}");
  bag.offsets.Rank(1, "takes offsets of shape {}: offsets has to be a 1D Tensor");
  RequireShape(call, !bag.include_last_offset || Expect(Ge(bag.offsets->sizes[0], 1)),
      "with include_last_offset needs at least one offset");
  if (!bag.per_sample_weights) return;
  RequireValue(call, bag.mode == kSum, "takes per_sample_weights only with the mode 'sum'");
  bag.per_sample_weights.Rank(1).SameDtypeAs(bag.weight);
  bag.per_sample_weights.NumelIs(Numel(bag.indices->size_span()), "takes as many per_sample_weights as indices");
}

// Whether eager sums the rows without recording the bag of each index.
bool IsFastSum(const Bag& bag) {
  if (bag.mode != kSum || bag.has_padding) return false;
  if (!Dtypes({ScalarType::Float, ScalarType::Half}).Has(bag.weight->dtype)) return false;
  if (bag.per_sample_weights && !GuardOrFalse(Eq(bag.per_sample_weights->strides[0], 1))) return false;
  return GuardOrFalse(Eq(bag.weight->strides[1], 1));
}

// What a call keeps besides the sums. How that shows in the results depends on the device.
enum class Kept { kForBackward, kForwardOnly };

void ReturnBag(Call& call, const Bag& bag, Kept kept) {
  const Dim offsets = bag.offsets->sizes[0];
  const Dim bags = bag.include_last_offset ? offsets - 1 : offsets;
  const Dim features = bag.weight->sizes[1];
  const bool on_cpu = bag.offsets->device.is_cpu();
  call.ReturnNew(ContiguousMeta(Dims{bags, features}, bag.weight->dtype, bag.weight->device));
  const TensorMeta& like = on_cpu ? *bag.offsets : *bag.indices;
  auto return_index = [&](Dims sizes) { call.ReturnNew(ContiguousMeta(sizes, like.dtype, like.device)); };
  return_index({on_cpu && IsFastSum(bag) ? Dim(0) : bag.indices->sizes[0]});
  return_index({on_cpu && kept == Kept::kForBackward ? bags : offsets});
  if (bag.mode == kMax) return return_index({bags, features});
  return_index({on_cpu ? bags : Dim(0)});
}

template <Kept K, Padding kCounted = Padding::kFromZero>
void InnerEmbeddingBag(Call& call) {
  const Bag bag = BagOf(call, kCounted);
  CheckBag(call, bag);
  ReturnBag(call, bag, K);
}

// Keeps nothing for a backward pass where the weight requires no gradient.
template <Padding kCounted>
void EmbeddingBag(Call& call) {
  call.In("weight").tensor().RequiresGrad() ? InnerEmbeddingBag<Kept::kForBackward, kCounted>(call)
                                            : InnerEmbeddingBag<Kept::kForwardOnly, kCounted>(call);
}

// A fast sum records no bags. Its backward pass finds them by the offsets.
bool HasNoBags(const TensorMeta& offset2bag) {
  return offset2bag.rank() == 1 && GuardOrFalse(Eq(offset2bag.sizes[0], 0));
}

// The gradient of each bag, once for each of its indices.
void ReturnBagRows(Call& call) {
  const Operand grad = call.In("grad").Rank(2), indices = call.In("indices").Takes(kIndexDtype).Rank(1);
  if (call.Has("per_sample_weights"))
    call.IntBetween("mode", kSum, kSum, "takes `per_sample_weights` for the mode 0 (sum) alone, not {}");
  const Operand bags = call.In("offset2bag");
  if (!HasNoBags(*bags)) bags.SameSizesAs(indices);
  // The operator with a flag finds the bags itself.
  const bool is_empty = HasNoBags(*bags) && !call.Declares("sparse");
  ReturnRows(call, grad, is_empty ? Dim(0) : indices->sizes[0], call.Int("padding_idx"));
}

void EmbeddingBagBackward(Call& call) {
  if (call.Flag("sparse")) return ReturnBagRows(call);
  const Operand grad = call.In("grad");
  call.In("indices").Takes(kIndexDtype);
  const int64_t mode = call.IntBetween("mode", kSum, kMax, "takes the modes 0 (sum), 1 (mean) and 2 (max), not {}");
  // The mode max has the position of each bag's greatest element, and asks for nothing else.
  if (mode != kMax) call.In("offset2bag").Rank(1);
  grad.Takes(kFloating);
  grad.RankAtLeast(2, "takes {name} of 2 dimensions, but got shape {}");
  ReturnContiguous(call, {call.DimArg("num_weights"), grad->sizes[1]}, grad->dtype);
}

void EmbeddingBagWeightsBackward(Call& call) {
  RequireValue(call, call.Int("mode") == kSum, "takes the mode 'sum' only");
  const Operand grad = call.In("grad").Rank(2), weight = call.In("weight").Rank(2);
  const Operand indices = call.In("indices").Rank(1);
  grad.Takes(kFloating).SameDtypeAs(weight);
  // The kernel for cpu reads indices and bags straight from memory.
  for (const Operand& t : call.Each({"indices", "offset2bag"}))
    RequireValue(call, !call.OnCpu() || IsContiguous(t), {"reads contiguous tensors of indices only, not {}", *t});
  grad.Size(1, weight->sizes[1], "takes a gradient as wide as the weight");
  ReturnContiguous(call, indices, grad->dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::embedding", Embedding, Reads::kSelected},
    {"aten::embedding_backward", EmbeddingBackward<"grad">},
    {"aten::embedding_dense_backward", EmbeddingBackward<"grad_output">},
    {"aten::embedding_sparse_backward", EmbeddingSparseBackward},
    {"aten::_embedding_bag_sparse_backward", ReturnBagRows},
    {"aten::embedding_renorm", EmbeddingRenorm, Overlap::kAllowed},
    {"aten::embedding_bag", EmbeddingBag<Padding::kFromZero>},
    {"aten::embedding_bag.padding_idx", EmbeddingBag<Padding::kFromEnd>},
    {"aten::_embedding_bag", InnerEmbeddingBag<Kept::kForBackward>, Devices::kAny},
    {"aten::_embedding_bag_forward_only", InnerEmbeddingBag<Kept::kForwardOnly>},
    {"aten::_embedding_bag_backward", EmbeddingBagBackward},
    {"aten::_embedding_bag_dense_backward", EmbeddingBagBackward},
    {"aten::_embedding_bag_per_sample_weights_backward", EmbeddingBagWeightsBackward},
};

}  // namespace

RuleRows EmbeddingRules() { return kRows; }

}  // namespace fakeprop::rules
