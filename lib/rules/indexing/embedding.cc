// Lookup tables: embedding, embedding_bag and their gradients.
// Source: aten/src/ATen/native/Embedding.cpp, EmbeddingBag.cpp; meta_embedding_bag in torch/_meta_registrations.py
// (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

void Embedding(Call& call) {
  const TensorMeta& weight = call.Meta(0);
  RequireRank(call, 0, 2);
  RequireIndexDtype(call, call.Meta(1));
  Dims sizes = call.Meta(1).sizes;
  sizes.push_back(weight.sizes[1]);
  ReturnContiguous(call, sizes, weight.dtype);
}

// [num_weights, features of the gradient].
void EmbeddingBackward(Call& call) {
  const TensorMeta& grad = call.Meta(0);
  RequireIndexDtype(call, call.Meta(1));
  if (grad.rank() == 0) FailShape(call, "takes a gradient of at least 1 dimension");
  if (!HasNumel(grad, Numel(call.Meta(1).size_span()) * grad.sizes.back()))
    FailShape(call, "takes a row of the gradient for each index, but got " + ToString(grad.size_span()) + " for " +
                        ToString(call.Meta(1).size_span()));
  ReturnContiguous(call, Dims{call.DimArg(2), grad.sizes.back()}, grad.dtype);
}

// The rows whose norm is too large, scaled down.
void EmbeddingRenorm(Call& call) {
  RequireRank(call, 0, 2);
  RequireIndexDtype(call, call.Meta(1));
  RequireFloatOrComplex(call, call.Meta(0).dtype);
  ReturnLike(call, call.Meta(0), call.Meta(0).dtype);
}

enum class Mode { kSum = 0, kMean = 1, kMax = 2 };

// The arguments that all forms of embedding_bag share, by position.
struct Bag {
  explicit Bag(const Call& call)
      : weight(call.Meta(0)),
        indices(call.Meta(1)),
        offsets(call.Meta(2)),
        mode(static_cast<Mode>(call.Int(4))),
        per_sample_weights(call.OptionalTensor(6)),
        include_last_offset(call.Bool(7)),
        has_padding(HasPadding(call)) {}

  const TensorMeta& weight;
  const TensorMeta& indices;
  const TensorMeta& offsets;
  Mode mode;
  const Tensor* per_sample_weights;
  bool include_last_offset;
  bool has_padding;

 private:
  // A negative one is none, but embedding_bag's own counts from the end.
  static bool HasPadding(const Call& call) {
    if (call.size() <= 8 || call.IsNone(8)) return false;
    const int64_t padding = call.Int(8);
    if (call.schema().full_name != "aten::embedding_bag.padding_idx" || call.Meta(0).rank() == 0) return padding >= 0;
    const Dim rows = call.Meta(0).sizes[0];
    if (!Expect(And(Le(-rows, padding), Lt(padding, rows))))
      FailValue(call, "takes a padding_idx within " + rows.ToString() + " rows, not " + std::to_string(padding));
    return true;
  }
};

void CheckBag(const Call& call, const Bag& bag) {
  RequireIndexDtype(call, bag.indices);
  RequireIndexDtype(call, bag.offsets);
  RequireFloat(call, bag.weight.dtype);
  RequireRank(call, 0, 2);
  if (bag.indices.rank() < 1 || bag.indices.rank() > 2) RequireRank(call, 1, 1);
  RequireRank(call, 2, 1);
  if (bag.include_last_offset && !Expect(Ge(bag.offsets.sizes[0], 1)))
    FailShape(call, "with include_last_offset needs at least one offset");
  if (!bag.per_sample_weights) return;
  if (bag.mode != Mode::kSum) FailValue(call, "takes per_sample_weights only with the mode 'sum'");
  RequireRank(call, 6, 1);
  RequireSameDtype(call, 6, 0);
  if (!HasNumel(bag.per_sample_weights->meta, Numel(bag.indices.size_span())))
    FailShape(call, "takes as many per_sample_weights as indices");
}

// Whether eager sums the rows without noting which bag each index went to.
bool IsFastSum(const Bag& bag) {
  if (bag.mode != Mode::kSum || bag.has_padding) return false;
  if (bag.weight.dtype != ScalarType::Float && bag.weight.dtype != ScalarType::Half) return false;
  if (bag.per_sample_weights && !GuardOrFalse(Eq(bag.per_sample_weights->meta.strides[0], 1))) return false;
  return GuardOrFalse(Eq(bag.weight.strides[1], 1));
}

// What the results hold besides the sums depends on the device.
enum class Kept { kForBackward, kForwardOnly };

void ReturnBag(Call& call, const Bag& bag, Kept kept) {
  const Dim offsets = bag.offsets.sizes[0];
  const Dim bags = bag.include_last_offset ? offsets - 1 : offsets;
  const Dim features = bag.weight.sizes[1];
  const bool on_cpu = bag.offsets.device.is_cpu();
  call.ReturnNew(ContiguousMeta(Dims{bags, features}, bag.weight.dtype, bag.weight.device));
  const TensorMeta& like = on_cpu ? bag.offsets : bag.indices;
  auto return_index = [&](Dims sizes) { call.ReturnNew(ContiguousMeta(sizes, like.dtype, like.device)); };
  return_index({on_cpu && IsFastSum(bag) ? Dim(0) : bag.indices.sizes[0]});
  return_index({on_cpu && kept == Kept::kForBackward ? bags : offsets});
  if (bag.mode == Mode::kMax) return return_index({bags, features});
  return_index({on_cpu ? bags : Dim(0)});
}

template <Kept K>
void InnerEmbeddingBag(Call& call) {
  const Bag bag(call);
  CheckBag(call, bag);
  ReturnBag(call, bag, K);
}

// Keeps nothing for a backward pass that there won't be.
void EmbeddingBag(Call& call) {
  const Bag bag(call);
  CheckBag(call, bag);
  ReturnBag(call, bag, call.TensorArg(0).RequiresGrad() ? Kept::kForBackward : Kept::kForwardOnly);
}

void EmbeddingBagBackward(Call& call) {
  RequireIndexDtype(call, call.Meta(1));
  // Where each bag's greatest is known, nothing else is asked.
  const int64_t mode = call.Int("mode");
  if (mode < 0 || mode > static_cast<int64_t>(Mode::kMax))
    FailValue(call, "takes the modes 0 (sum), 1 (mean) and 2 (max), not " + std::to_string(mode));
  const bool is_max = static_cast<Mode>(mode) == Mode::kMax;
  if (!is_max) RequireRank(call, call.Index("offset2bag"), 1);
  RequireFloat(call, call.Meta(0).dtype);
  if (call.Meta(0).rank() < 2) RequireRank(call, 0, 2);
  ReturnContiguous(call, Dims{call.DimArg("num_weights"), call.Meta(0).sizes[1]}, call.Meta(0).dtype);
}

void EmbeddingBagWeightsBackward(Call& call) {
  if (call.Int(5) != static_cast<int>(Mode::kSum)) FailValue(call, "takes the mode 'sum' only");
  RequireRank(call, 0, 2);
  RequireRank(call, 1, 2);
  RequireRank(call, 2, 1);
  RequireFloat(call, call.Meta(0).dtype);
  RequireSameDtype(call, 0, 1);
  // The kernel for cpu reads indices and bags as they lie.
  for (int i : {2, 4})
    if (call.device().is_cpu() && !IsContiguous(call.Meta(i)))
      FailValue(call, "reads contiguous tensors of indices only, not " + ToString(call.Meta(i)));
  if (!Expect(Eq(call.Meta(0).sizes[1], call.Meta(1).sizes[1])))
    FailShape(call, "takes a gradient as wide as the weight");
  ReturnContiguous(call, call.Meta(2).size_span(), call.Meta(0).dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::embedding", Embedding},
    {"aten::embedding_backward", EmbeddingBackward},
    {"aten::embedding_dense_backward", EmbeddingBackward},
    {"aten::embedding_renorm", EmbeddingRenorm},
    {"aten::embedding_bag", EmbeddingBag},
    {"aten::embedding_bag.padding_idx", EmbeddingBag},
    {"aten::_embedding_bag", InnerEmbeddingBag<Kept::kForBackward>, Devices::kAny},
    {"aten::_embedding_bag_forward_only", InnerEmbeddingBag<Kept::kForwardOnly>},
    {"aten::_embedding_bag_backward", EmbeddingBagBackward},
    {"aten::_embedding_bag_dense_backward", EmbeddingBagBackward},
    {"aten::_embedding_bag_per_sample_weights_backward", EmbeddingBagWeightsBackward},
};

}  // namespace

RuleRows EmbeddingRules() { return kRows; }

}  // namespace fakeprop::rules
