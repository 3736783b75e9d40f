// Losses that compare element by element, distances, and their gradients.
// Source: aten/src/ATen/native/Loss.cpp, Distance.cpp; torch/_refs/nn/functional, _decomp (torch 2.13).
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/checked_pointwise.h"

namespace fakeprop::rules {
namespace {

using enum Promotion;

// at::Reduction
constexpr int64_t kNone = 0;
constexpr int64_t kMean = 1;

// Numbers that stand for no reduction leave the losses as they are. Source: apply_loss_reduction.
int64_t ReductionOf(const Call& call) {
  const int64_t reduction = call.Int("reduction");
  return reduction < 0 || reduction > 2 ? kNone : reduction;
}

// The losses themselves, or their mean or sum.
void ReturnReduced(Call& call, const TensorMeta& losses) {
  const int64_t reduction = ReductionOf(call);
  if (reduction == kNone) return void(call.ReturnNew(losses));
  if (reduction == kMean) RequireFloatOrComplex(call, losses.dtype);
  ReturnContiguous(call, {}, IsIntegral(losses.dtype) ? ScalarType::Long : losses.dtype);
}

template <const DtypeClass& kClass, Promotion P, ArgumentName... Names>
void ElementwiseLoss(Call& call) {
  static constexpr ArgumentName kNames[] = {Names...};
  const ScalarType dtype = PromotedDtype(call, kNames);
  RequireDtype(call, dtype, kClass);
  ReturnReduced(call, ElementwiseMeta(call, kNames, ApplyPromotion(dtype, P, call.state())));
}

// Losses whose kernels know the three reductions alone.
template <Rule Loss>
void OfKnownReduction(Call& call) {
  const int64_t reduction = call.Int("reduction");
  if (reduction < 0 || reduction > 2) FailValue(call, "has no reduction " + std::to_string(reduction));
  Loss(call);
}

// Losses that subtract or negate these arguments, which bool tensors do not take. Source: at::native::sub_check.
template <auto Loss, int... Positions>
void Subtracting(Call& call) {
  for (int i : {Positions...}) {
    if (call.Meta(i).dtype == ScalarType::Bool)
      FailDtype(
          call, "subtracts `" + std::string(call.schema().arguments[i].name) + "`, which a bool tensor does not take");
  }
  Loss(call);
}

void HuberLoss(Call& call) {
  if (!(call.Float(3) > 0)) FailValue(call, "takes a positive delta, not " + ToString(call.Arg(3)));
  ElementwiseLoss<kFloating, kDefault, 0, 1>(call);
}

// Source: at::native::hinge_embedding_loss, which chooses by the target between zeros, the input and the margin less
// it.
void HingeEmbeddingLoss(Call& call) {
  const ScalarType dtype = call.Meta(0).dtype;
  if (dtype == ScalarType::Bool || IsComplex(dtype))
    FailDtype(call, "takes no " + std::string(DtypeName(dtype)) + " tensors");
  ReturnReduced(call, ElementwiseMeta(call, {1, 0}, dtype));
}

// Source: at::native::kl_div.
void KlDivergence(Call& call) {
  for (int i : {0, 1}) RequireFloat(call, call.Meta(i).dtype);
  ElementwiseLoss<kFloating, kDefault, 1, 0>(call);
}

// Steps in place on the target: its dtype stays.
void CrossEntropyOfLogits(Call& call) {
  const ScalarType stays = call.Meta(1).dtype;
  if (!CanCast(PromotedDtype(call, {0, 1}), stays))
    FailDtype(
        call, "computes in the target's place, and " + std::string(DtypeName(stays)) + " does not hold the result");
  ElementwiseLoss<kNotBool, kDefault, 1, 0, 2, 3>(call);
  const ScalarType input = call.Meta(0).dtype, target = call.Meta(1).dtype;
  if (IsFloat(input) && IsFloat(target)) call.effects().outputs[0].meta.dtype = target;
}

// ---- distances

// The last dimension of both operands, reduced by a norm.
TensorMeta DistanceMeta(const Call& call, const TensorMeta& a, const TensorMeta& b, ScalarType dtype, bool keepdim) {
  const Dims sizes = BroadcastSizes(a.size_span(), b.size_span());
  const int64_t last = std::max<int64_t>(static_cast<int64_t>(sizes.size()) - 1, 0);
  return NewMeta(call, ReducedSizes(sizes, last, keepdim), dtype);
}

void PairwiseDistance(Call& call) {
  const ScalarType dtype = ApplyPromotion(PromotedDtype(call, {0, 1}), kIntToFloat, call.state());
  call.ReturnNew(DistanceMeta(call, call.Meta(0), call.Meta(1), ToRealDtype(dtype), call.Bool(4)));
}

// Source: at::native::cosine_similarity, which goes by the dtypes alone: a 0-dim tensor counts like others.
void CosineSimilarity(Call& call) {
  const ScalarType dtype = PromoteTypes(call.Meta(0).dtype, call.Meta(1).dtype);
  RequireFloat(call, dtype);
  const Dims sizes = BroadcastSizes(call.Meta(0).size_span(), call.Meta(1).size_span());
  const int64_t dim = WrapDim(call.Int(2), static_cast<int64_t>(sizes.size()));
  ReturnContiguous(call, ReducedSizes(sizes, dim, false), dtype);
}

// Source: at::native::cosine_embedding_loss: a target for each row, or one for two vectors.
void CosineEmbeddingLoss(Call& call) {
  const TensorMeta& target = call.Meta(2);
  if (target.rank() > 1)
    FailShape(call, "takes targets of at most 1 dimension, but got " + ToString(target.size_span()));
  for (int i : {0, 1})
    if (call.Meta(i).rank() != target.rank() + 1) RequireRank(call, i, target.rank() + 1);
  RequireNotComplex(call, PromotedDtype(call, {0, 1}));
  const ScalarType dtype = ApplyPromotion(PromotedDtype(call, {0, 1}), kIntToFloat, call.state());
  TensorMeta similarity = DistanceMeta(call, call.Meta(0), call.Meta(1), dtype, false);
  const TensorMeta* operands[] = {&similarity, &target};
  ReturnReduced(call, ElementwiseMeta(operands, dtype, call.device()));
}

// Source: at::native::triplet_margin_loss, of pairwise distances: real floating-point numbers whatever is compared.
void TripletMarginLoss(Call& call) {
  const ScalarType promoted = PromotedDtype(call, {0, 1, 2});
  RequireDtype(call, promoted, kNotBool);
  const ScalarType dtype = ToRealDtype(ApplyPromotion(promoted, kIntToFloat, call.state()));
  for (int i : {1, 2})
    if (call.Meta(i).rank() != call.Meta(0).rank()) RequireRank(call, i, call.Meta(0).rank());
  const TensorMeta positive = DistanceMeta(call, call.Meta(0), call.Meta(1), dtype, false);
  const TensorMeta negative = DistanceMeta(call, call.Meta(0), call.Meta(2), dtype, false);
  const TensorMeta* operands[] = {&positive, &negative};
  ReturnReduced(call, ElementwiseMeta(operands, dtype, call.device()));
}

// ---- gradients

// The kernels write into a tensor like self, the second argument.
void RequireSelfHolds(const Call& call, ScalarType dtype) {
  const ScalarType self = call.Meta(1).dtype;
  if (!CanCast(dtype, self))
    FailDtype(call, "computes " + std::string(DtypeName(dtype)) + ", which a gradient for " +
                        std::string(DtypeName(self)) + " does not hold");
}

// Computed through exp, which has no integers.
void SoftMarginBackward(Call& call) {
  RequireSelfHolds(call, ApplyPromotion(PromotedDtype(call, {0, 1, 2}), kIntToFloat, call.state()));
  Checked<kNotBool, kDefault, 2, 1, 0>(call);
}

// As the input, dense (zeros_like in contiguous format, filled by the kernel).
void DenseGradient(Call& call) {
  const ScalarType dtype = PromotedDtype(call, {0, 1, 2});
  RequireDtype(call, dtype, kNotBool);
  RequireSelfHolds(call, dtype);
  const TensorMeta broadcast = ElementwiseMeta(call, {0, 1, 2}, dtype);
  ReturnContiguous(call, broadcast.size_span(), dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::mse_loss", OfKnownReduction<ElementwiseLoss<kFloatingOrComplex, kDefault, 0, 1>>},
    {"aten::l1_loss", ElementwiseLoss<kNotBool, kComplexToFloat, 0, 1>},
    {"aten::smooth_l1_loss", OfKnownReduction<ElementwiseLoss<kFloating, kDefault, 0, 1>>},
    {"aten::huber_loss", HuberLoss},
    {"aten::soft_margin_loss", ElementwiseLoss<kFloatingOrComplex, kDefault, 0, 1>},
    {"aten::kl_div", KlDivergence},
    {"aten::poisson_nll_loss", ElementwiseLoss<kNotComplex, kIntToFloat, 0, 1>},
    {"aten::hinge_embedding_loss", HingeEmbeddingLoss},
    {"aten::margin_ranking_loss", Subtracting<ElementwiseLoss<kReal, kIntToFloat, 0, 1, 2>, 0, 1, 2>},
    {"aten::binary_cross_entropy", ElementwiseLoss<kFloating, kDefault, 0, 1, 2>},
    {"aten::binary_cross_entropy_with_logits", CrossEntropyOfLogits},
    {"aten::pairwise_distance", PairwiseDistance},
    {"aten::cosine_similarity", CosineSimilarity, Devices::kSame},
    {"aten::cosine_embedding_loss", CosineEmbeddingLoss},
    {"aten::triplet_margin_loss", TripletMarginLoss},
    {"aten::mse_loss_backward", DenseGradient},
    {"aten::smooth_l1_loss_backward", DenseGradient},
    {"aten::huber_loss_backward", DenseGradient},
    {"aten::soft_margin_loss_backward", SoftMarginBackward},
    {"aten::binary_cross_entropy_backward", Checked<kNotBool, kDefault, 0, 1, 2, 3>},
};

}  // namespace

RuleRows LossRules() { return kRows; }

}  // namespace fakeprop::rules
