// Losses that compare element by element, distances, and their gradients.
// Source: aten/src/ATen/native/Loss.cpp, Distance.cpp; torch/_refs/nn/functional, _decomp (torch 2.13).
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/families.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/checked_pointwise.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/memory_overlap.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

using enum Promotion;

// at::Reduction
constexpr int64_t kNone = 0;
constexpr int64_t kMean = 1;

// Numbers other than the three reductions leave the losses as they are. Source: apply_loss_reduction.
int64_t ReductionOf(const Call& call) {
  const int64_t reduction = call.Int("reduction");
  return reduction < 0 || reduction > 2 ? kNone : reduction;
}

// The losses themselves, or their mean or sum.
void ReturnReduced(Call& call, const TensorMeta& losses) {
  const int64_t reduction = ReductionOf(call);
  if (reduction == kNone) return void(call.ReturnNew(losses));
  if (reduction == kMean) RequireDtype(call, losses.dtype, kFloatingOrComplex);
  ReturnContiguous(call, {}, IsIntegral(losses.dtype) ? ScalarType::Long : losses.dtype);
}

template <const DtypeClass& kClass, Promotion P, ArgumentName... Names>
TensorMeta Losses(const Call& call) {
  static constexpr ArgumentName kNames[] = {Names...};
  const ScalarType dtype = PromotedDtype(call, kNames);
  RequireDtype(call, dtype, kClass);
  return ElementwiseMeta(call, kNames, ApplyPromotion(dtype, P, call.state()));
}

// The cpu makes one result for all losses, and reduces it in its place.
void KeepStorageOf(Call& call, const TensorMeta& losses) {
  if (call.OnCpu() && !IsKnownEmpty(losses)) call.effects().outputs[0].nbytes = StorageNbytes(losses);
}

// Source: TORCH_META_FUNC(mse_loss), TORCH_META_FUNC(smooth_l1_loss) in aten/src/ATen/native/Loss.cpp.
template <const DtypeClass& kClass>
void LossInOneStorage(Call& call) {
  const TensorMeta losses = Losses<kClass, kDefault, "self", "target">(call);
  if (call.OnCpu()) RequireDtype(call, losses.dtype, kFloating);
  ReturnReduced(call, losses);
  KeepStorageOf(call, losses);
}

// Losses whose kernels know only the three reductions.
template <Rule Loss>
void OfKnownReduction(Call& call) {
  call.IntBetween("reduction", 0, 2, "has no reduction {}");
  Loss(call);
}

// Bool tensors are not subtracted or negated. Source: at::native::sub_check.
template <ArgumentName... Names>
void RequireSubtractable(const Call& call) {
  Operands{call.In(Names)...}.Takes(kNotBool, "subtracts {name}, which a bool tensor does not take");
}

// What an operator of two tensors that were computed gives.
TensorMeta Joined(const Call& call, const TensorMeta& a, const TensorMeta& b, ScalarType dtype) {
  const TensorMeta* both[] = {&a, &b};
  return ElementwiseMeta(both, dtype, call.device());
}

// The absolute value of the difference. Source: at::native::l1_loss.
void L1Loss(Call& call) {
  RequireSubtractable<"self", "target">(call);
  const TensorMeta difference = Losses<kNotBool, kComplexToFloat, "self", "target">(call), *one[] = {&difference};
  ReturnReduced(call, ElementwiseMeta(one, difference.dtype, call.device()));
}

// The negated target, multiplied by the difference. Source: at::native::margin_ranking_loss.
void MarginRankingLoss(Call& call) {
  RequireSubtractable<"input1", "input2", "target">(call);
  const TensorMeta losses = Losses<kReal, kIntToFloat, "input1", "input2", "target">(call);
  const TensorMeta difference = ElementwiseMeta(call, {"input1", "input2"}, losses.dtype);
  ReturnReduced(call, Joined(call, ElementwiseMeta(call, {"target"}, losses.dtype), difference, losses.dtype));
}

// Demands that `operand` does not change the sizes of the tensor that it is computed into.
void RequireInPlace(const Operand& written, const Operand& operand) {
  if (!operand) return;
  const Dims sizes = BroadcastSizes(written->size_span(), operand->size_span());
  written.Sizes(sizes, {"computes in the place of {name}: output with shape {} doesn't match the broadcast shape {}",
                           written->sizes, sizes});
}

TensorMeta WithoutOnes(TensorMeta t) {
  for (int64_t d = t.rank() - 1; d >= 0; --d) t = Squeezed(std::move(t), d);
  return t;
}

// The cpu's kernels compute a tensor like self from tensors of its dtype. They leave out dimensions of size 1 before
// they broadcast, and weigh in place. Source: binary_cross_entropy_out_cpu, binary_cross_entropy_backward_out_cpu in
// aten/src/ATen/native/Loss.cpp.
TensorMeta CrossEntropyOnCpu(const Call& call, ArgumentNames others) {
  const Operand self = call.In("self").Takes(kFloating), weight = call.OptionalIn("weight");
  for (const Operand& t : call.Each(others)) {
    t.SameDtypeAs(self, {"takes `{name}` of the input's dtype: expected {}, found dtype {}", self->dtype});
    if (!ExpectSame(self->size_span(), t->size_span()))
      BroadcastSizes(WithoutOnes(self).size_span(), WithoutOnes(t).size_span());
  }
  weight.Takes(kNotComplex, {"weighs {} by {tensor}: result type can't be cast to it", self->dtype});
  return EmptyLike(self);
}

// What the cpu's kernels compute in the memory of `result`: they resize it where another operand broadcasts beyond it,
// which its sizes do not show.
TensorMeta ComputedOnCpu(const Call& call, const TensorMeta& result, ArgumentNames others) {
  if (!call.OnCpu()) return result;
  Dims sizes = WithoutOnes(result).sizes;
  for (const Operand& t : call.Each(others))
    if (!GuardSameOrFalse(result.size_span(), t->size_span()))
      sizes = BroadcastSizes(sizes, WithoutOnes(t).size_span());
  if (GuardSameOrFalse(sizes, WithoutOnes(result).size_span())) return result;
  TensorMeta computed = ContiguousMeta(sizes, result.dtype, result.device);
  computed.storage_offset = result.storage_offset;
  return computed;
}

// `weighed` is what the cpu computes the losses into, and then weighs in place.
TensorMeta CrossEntropies(const Call& call, const Operand& weighed) {
  if (!call.OnCpu()) return Losses<kFloating, kDefault, "self", "target", "weight">(call);
  TensorMeta losses = CrossEntropyOnCpu(call, {"target"});
  RequireInPlace(weighed, call.OptionalIn("weight"));
  return losses;
}

void BinaryCrossEntropy(Call& call) {
  const TensorMeta losses = CrossEntropies(call, call.In("self"));
  ReturnReduced(call, losses);
  KeepStorageOf(call, ComputedOnCpu(call, losses, {"target"}));
}

// The losses are computed into a view of the out tensor without dimensions of size 1, so that its own sizes stay.
void BinaryCrossEntropyOut(Call& call) {
  const Operand out = call.In("out");
  const TensorMeta losses = CrossEntropies(call, out);
  out.Takes(losses.dtype);
  RequireUnshared(call, out);
  RequireNoPartOf(call, out.tensor(), ReadsWritten::kItself | Compares::kViews);
  if (ReductionOf(call) != kNone) {
    WriteOfSizes(call, out.tensor(), {});
  } else {
    call.Write(out.tensor());
    call.ReturnArgument(out.tensor());
  }
  TensorMeta written = losses;
  written.storage_offset = out->storage_offset;
  call.effects().mutations.back().nbytes = StorageNbytes(ComputedOnCpu(call, written, {"target"}));
}

// Source: at::native::smooth_l1_loss.
void RequireBeta(Call& call) {
  RequireValue(call, call.Float("beta") >= 0, {"does not support negative values for beta, not {}", call.Arg("beta")});
}

// Computes both dtypes' promotion into a tensor like self. Source: at::native::huber_loss.
void HuberLoss(Call& call) {
  RequireValue(call, call.Float("delta") > 0, {"takes a positive delta, not {}", call.Arg("delta")});
  const Operand self = call.In("self");
  const ScalarType dtype = PromotedDtype(call, {"self", "target"});
  RequireDtype(call, dtype, kFloating);
  RequireCast(call, dtype, self->dtype);
  ReturnReduced(call, LaidOutAs(self, ElementwiseMeta(call, {"self", "target", "delta"}, self->dtype)));
}

// Computes in place on a negated copy of the input; the kernel takes every number but 0 for a reduction.
// Source: at::native::soft_margin_loss_out.
void SoftMarginLoss(Call& call) {
  const Operand self = call.In("self"), target = call.In("target");
  RequireInPlace(self, target);
  const ScalarType promoted = PromotedDtype(call, {"self", "target"});
  RequireDtype(call, promoted, kFloatingOrComplex);
  if (!IsFloatOrComplex(self->dtype) || !CanCast(promoted, self->dtype))
    FailDtype(call, {"computes in the place of `self`: result type {} can't be cast to the desired output type {}",
                        TorchName(promoted), TorchName(self->dtype)});
  const TensorMeta losses = ElementwiseMeta(call, {"self"}, self->dtype);
  if (call.Int("reduction") == kNone) return void(call.ReturnNew(losses));
  ReturnContiguous(call, {}, self->dtype);
  KeepStorageOf(call, losses);
}

// By the target it chooses between zeros, the input, and the margin less the input.
// Source: at::native::hinge_embedding_loss.
void HingeEmbeddingLoss(Call& call) {
  const Operand self = call.In("self").Takes(kReal, "takes no {} tensors");
  const TensorMeta chosen = ElementwiseMeta(call, {"target"}, ScalarType::Bool), zeros = NewLike(self);
  const TensorMeta margin = ElementwiseMeta(call, {"self"}, self->dtype);
  const TensorMeta *beyond[] = {&chosen, &margin, &zeros}, *within[] = {&chosen, &*self, &zeros};
  const TensorMeta first = ElementwiseMeta(beyond, self->dtype, call.device());
  const TensorMeta second = ElementwiseMeta(within, self->dtype, call.device());
  ReturnReduced(call, Joined(call, first, second, self->dtype));
  // The target only chooses.
  FollowOnly(call, {"self"});
}

// From what is computed of the target alone, the product of the target and the input is subtracted.
// Source: at::native::kl_div.
void KlDivergence(Call& call) {
  call.Each({"self", "target"}).Takes(kFloating);
  const ScalarType dtype = PromotedDtype(call, {"self", "target"});
  const TensorMeta entropies = ElementwiseMeta(call, {"target"}, dtype);
  const TensorMeta products = ElementwiseMeta(call, {"target", "self"}, dtype);
  ReturnReduced(call, Joined(call, entropies, products, dtype));
}

// exp(input) - target * input, or input - target * log(input) if the input is no logarithm. Layouts are joined in the
// order of these formulas. Full losses add a term of the target alone, in their place.
// Source: at::native::poisson_nll_loss.
void PoissonLoss(Call& call) {
  call.Each({"input", "target"}).Takes(kNotComplex);
  const ScalarType dtype = ApplyPromotion(PromotedDtype(call, {"input", "target"}), kIntToFloat, call.state());
  const TensorMeta of_input = ElementwiseMeta(call, {"input"}, dtype);
  const TensorMeta of_target = call.In("target");
  const bool is_log = call.Bool("log_input");
  const TensorMeta& input = call.In("input");
  const TensorMeta products = Joined(call, of_target, is_log ? input : of_input, dtype);
  ReturnReduced(call, Joined(call, is_log ? of_input : input, products, dtype));
}

// Computes in place on the target, whose sizes and dtype stay; the weight of positives on the log sigmoid of the input.
void CrossEntropyOfLogits(Call& call) {
  const Operand self = call.In("self").Takes(kFloating), target = call.In("target");
  RequireInPlace(target, self);
  RequireInPlace(target, call.OptionalIn("weight"));
  RequireInPlace(self, call.OptionalIn("pos_weight"));
  RequireCast(call, PromotedDtype(call, {"self", "target"}), target->dtype);
  const ArgumentNames names = {"target", "self", "weight", "pos_weight"};
  const ScalarType promoted = PromotedDtype(call, names);
  RequireDtype(call, promoted, kNotBool);
  TensorMeta losses = LaidOutAs(target, ElementwiseMeta(call, names, promoted));
  if (IsFloatOrComplex(target->dtype)) losses.dtype = target->dtype;
  ReturnReduced(call, losses);
}

// ---- distances

// A norm over the last dimension of the difference of both.
TensorMeta DistanceMeta(const Call& call, const TensorMeta& a, const TensorMeta& b, ScalarType dtype, bool keepdim) {
  const Dims sizes = BroadcastSizes(a.size_span(), b.size_span());
  const int64_t last = std::max<int64_t>(static_cast<int64_t>(sizes.size()) - 1, 0);
  return NewMeta(call, ReducedSizes(sizes, last, keepdim), dtype);
}

void PairwiseDistance(Call& call) {
  const ScalarType dtype = ApplyPromotion(PromotedDtype(call, {"x1", "x2"}), kIntToFloat, call.state());
  call.ReturnNew(DistanceMeta(call, call.In("x1"), call.In("x2"), ToRealDtype(dtype), call.Bool("keepdim")));
}

// Goes by the dtypes alone: a 0-dim tensor counts like others. Source: at::native::cosine_similarity.
void CosineSimilarity(Call& call) {
  const Operand x1 = call.In("x1"), x2 = call.In("x2");
  const ScalarType dtype = PromoteTypes(x1->dtype, x2->dtype);
  RequireDtype(call, dtype, kFloating);
  const Dims sizes = BroadcastSizes(x1->size_span(), x2->size_span());
  const int64_t dim = WrapDim(call.Int("dim"), static_cast<int64_t>(sizes.size()));
  ReturnContiguous(call, ReducedSizes(sizes, dim, false), dtype);
}

// A target for each row, or one for two vectors. Source: at::native::cosine_embedding_loss.
void CosineEmbeddingLoss(Call& call) {
  const Operand target = call.In("target").RankAtMost(1, "takes targets of at most 1 dimension, but got {}");
  const Operand input1 = call.In("input1").Rank(target->rank() + 1),
                input2 = call.In("input2").Rank(target->rank() + 1);
  const ScalarType promoted = PromotedDtype(call, {"input1", "input2"});
  RequireDtype(call, promoted, kNotComplex);
  const ScalarType dtype = ApplyPromotion(promoted, kIntToFloat, call.state());
  const TensorMeta similarity = DistanceMeta(call, input1, input2, dtype, false);
  ReturnReduced(call, Joined(call, similarity, target, dtype));
  // The target only chooses.
  FollowOnly(call, {"input1", "input2"});
}

// Compares pairwise distances: real floating-point numbers, whatever the dtypes of the inputs.
// Source: at::native::triplet_margin_loss.
void TripletMarginLoss(Call& call) {
  const ScalarType promoted = PromotedDtype(call, {"anchor", "positive", "negative"});
  RequireDtype(call, promoted, kNotBool);
  const ScalarType dtype = ToRealDtype(ApplyPromotion(promoted, kIntToFloat, call.state()));
  const Operand anchor = call.In("anchor");
  const Operand positive = call.In("positive").Rank(anchor->rank()),
                negative = call.In("negative").Rank(anchor->rank());
  const TensorMeta near = DistanceMeta(call, anchor, positive, dtype, false);
  const TensorMeta far = DistanceMeta(call, anchor, negative, dtype, false);
  ReturnReduced(call, Joined(call, near, far, dtype));
}

// ---- gradients

void CrossEntropyBackward(Call& call) {
  if (call.OnCpu()) {
    const TensorMeta grad = CrossEntropyOnCpu(call, {"grad_output", "target"});
    call.ReturnNew(grad).nbytes = StorageNbytes(ComputedOnCpu(call, grad, {"grad_output", "target"}));
    return RequireInPlace(call.In("self"), call.OptionalIn("weight"));
  }
  Checked<kNotBool, kDefault, "grad_output", "self", "target", "weight">(call);
}

ScalarType GradientDtype(const Call& call) { return PromotedDtype(call, {"grad_output", "self", "target"}); }

// The kernels write into a tensor of self's dtype.
void RequireSelfHolds(const Call& call, ScalarType dtype) {
  const ScalarType self = call.In("self")->dtype;
  RequireDtype(call, CanCast(dtype, self), {"computes {}, which a gradient for {} does not hold", dtype, self});
}

// Computed by exp, which makes integers floating.
void SoftMarginBackward(Call& call) {
  RequireSelfHolds(call, ApplyPromotion(GradientDtype(call), kIntToFloat, call.state()));
  Checked<kNotBool, kDefault, "target", "self", "grad_output">(call);
}

// Dense: the kernel fills zeros_like(self) in contiguous format.
void DenseGradient(Call& call) {
  const ScalarType dtype = GradientDtype(call);
  RequireDtype(call, dtype, kNotBool);
  RequireSelfHolds(call, dtype);
  const TensorMeta broadcast = ElementwiseMeta(call, {"grad_output", "self", "target"}, dtype);
  ReturnContiguous(call, broadcast.size_span(), dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::mse_loss", OfKnownReduction<LossInOneStorage<kFloatingOrComplex>>, OutDtype::kCast | ReadsWritten::kItself},
    {"aten::l1_loss", L1Loss},
    {"aten::smooth_l1_loss", InOrder<RequireBeta, OfKnownReduction<LossInOneStorage<kFloating>>>,
        OutDtype::kCast | ReadsWritten::kItself},
    {"aten::huber_loss", HuberLoss, OutDtype::kCast | ReadsWritten::kItself},
    {"aten::soft_margin_loss", SoftMarginLoss, ReadsWritten::kItself},
    {"aten::kl_div", KlDivergence},
    {"aten::poisson_nll_loss", InOrder<RequireDifferentiable<"input", "target">, PoissonLoss>},
    {"aten::hinge_embedding_loss", HingeEmbeddingLoss},
    {"aten::margin_ranking_loss", InOrder<RequireDifferentiable<"input1", "input2", "target">, MarginRankingLoss>},
    {"aten::binary_cross_entropy", BinaryCrossEntropy},
    {"aten::binary_cross_entropy.out", BinaryCrossEntropyOut},
    {"aten::binary_cross_entropy_with_logits", CrossEntropyOfLogits},
    {"aten::pairwise_distance", PairwiseDistance},
    {"aten::cosine_similarity", CosineSimilarity, Devices::kSame},
    {"aten::cosine_embedding_loss", CosineEmbeddingLoss},
    {"aten::triplet_margin_loss", InOrder<RequireDifferentiable<"anchor", "positive", "negative">, TripletMarginLoss>},
    {"aten::mse_loss_backward", DenseGradient, OutDtype::kCast},
    {"aten::smooth_l1_loss_backward", DenseGradient, OutDtype::kCast},
    {"aten::huber_loss_backward", DenseGradient},
    {"aten::soft_margin_loss_backward", SoftMarginBackward, OutDtype::kCast},
    {"aten::binary_cross_entropy_backward", CrossEntropyBackward, OutStrides::kContiguous},
};

}  // namespace

RuleRows LossRules() { return kRows; }

}  // namespace fakeprop::rules
