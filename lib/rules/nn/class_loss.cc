// Losses of class scores: negative log likelihood, cross entropy, margins, CTC; and their gradients.
// Source: aten/src/ATen/native/LossNLL.cpp, LossNLL2d.cpp, LossMultiMargin.cpp, LossCTC.cpp; torch/_decomp
// (torch 2.13).
#include <algorithm>
#include <numeric>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/data_dependent_results.h"
#include "lib/rules/support/out_facts.h"

namespace fakeprop::rules {
namespace {

constexpr int64_t kNone = 0, kMean = 1;  // at::Reduction

constexpr DtypeClass kClassNumbers{{ScalarType::Long, ScalarType::Byte},
    "takes targets of int64 or uint8, not {}: expected target dtype to be Long or Byte"};
constexpr DtypeClass kCtcTargets{{ScalarType::Int, ScalarType::Long}, "takes int32 or int64 targets, not {}"};
// The kernels for cpu know only these two.
constexpr DtypeClass kCtcScores{kFloat32Or64, "takes float32 and float64 log-probabilities, not {}"};

constexpr const char* kTargetText = "takes a target that fits the scores: size mismatch (got input: {}, target: {})";
constexpr const char* kWeightText =
    "takes a weight for each class: weight tensor should be defined either for all {} classes or no classes but got "
    "weight tensor of shape: {}";

int64_t ReductionOf(const Call& call) { return call.Int("reduction"); }
bool IsReduced(const Call& call) { return ReductionOf(call) != kNone; }

void RequireClassWeight(const Call& call, Dim n) { call.OptionalIn("weight").Sizes({n}, {kWeightText, n}); }

// The kernel for images and those for gradients look only at the number of weights.
void RequireClassNumel(const Call& call, Dim n) { call.OptionalIn("weight").NumelIs(n, {kWeightText, n}); }

// Scores [N, C] or [C], targets [N] or [].
void CheckNll(const Operand& self, const Operand& target) {
  self.RankBetween(1, 2, "takes scores of one or two dimensions: input tensor should be 1D or 2D, but is {}");
  target.RankAtMost(
      1, "takes one class a row: 0D or 1D target tensor expected, multi-target not supported, but got {}");
  const bool fits = target->rank() == 0 ? self->rank() == 1 : Expect(Eq(self->sizes[0], target->sizes[0]));
  target.Require(fits, {kTargetText, self->sizes}).Takes(kClassNumbers);
}

// Targets [N, ...] for scores [N, C, ...].
void CheckTargetOfEach(const Operand& self, const Operand& target) {
  target.Sizes(ReducedSizes(self->size_span(), 1, false), {kTargetText, self->sizes}).Takes(kClassNumbers);
}

void CheckNll2d(const Operand& self, const Operand& target) {
  target.Require(self->rank() == 4, {kTargetText, self->sizes});
  CheckTargetOfEach(self, target);
}

// nll_loss_forward and nll_loss2d_forward have no formula for the weight.
void RequireUnfollowedWeight(const Call& call) { RequireNoGrad(call, {"weight"}); }

// Floating-point scores; the CPU kernels read all operands in their dtype.
void RequireDtypeOfScores(const Call& call, ArgumentNames others) {
  const Operand self = call.In("self").Takes(kFloating);
  if (self->device.is_cpu()) call.Given(others).SameDtypeAs(self);
}

Dims LossSizes(const TensorMeta& self) { return self.rank() == 1 ? Dims{} : ReducedSizes(self.size_span(), 1, false); }

// A loss for each of these, or one for all.
void ReturnLosses(Call& call, DimSpan sizes, ScalarType dtype) {
  ReturnContiguous(call, IsReduced(call) ? DimSpan() : sizes, dtype);
}

void ReturnNll(Call& call) {
  const Operand self = call.In("self"), target = call.In("target").SameDeviceAs(self);
  CheckNll(self, target);
  RequireDtypeOfScores(call, {"weight"});
  RequireClassWeight(call, self->sizes.back());
  ReturnLosses(call, LossSizes(self), self->dtype);
}

void ReturnNll2d(Call& call) {
  const Operand self = call.In("self"), target = call.In("target");
  CheckNll2d(self, target);
  RequireDtypeOfScores(call, {"weight"});
  RequireClassNumel(call, self->sizes[1]);
  // Python's function ends in a `where` over the target and keeps its layout. The CPU kernel's result is dense.
  const bool is_dense = IsReduced(call) || call.OnCpu();
  is_dense ? ReturnLosses(call, target->sizes, self->dtype) : void(ReturnLike(call, target, self->dtype));
}

// The sum of the weights that the loss was divided by.
void ReturnTotalWeight(Call& call) { ReturnContiguous(call, {}, call.In("self")->dtype); }

// Scores with any number of dimensions behind the classes. PyTorch reshapes them to 4 dimensions unless that is 0 or 2.
void CheckNllNd(const Operand& self, const Operand& target) {
  self.RankAtLeast(1, "takes scores of at least 1 dimension");
  if (self->rank() == 1 && target->rank() == 1) target.Sizes({1}, {kTargetText, self->sizes});
  target.Require(self->rank() == 1 || target->rank() == 0 || Expect(Eq(self->sizes[0], target->sizes[0])),
      {"takes a target a row: expected input batch_size ({}) to match target batch_size ({})", self->sizes[0],
          SizeAt(target, 0)});
  if (self->rank() <= 2) return CheckNll(self, target);
  const Dims losses = LossSizes(self);
  if (self->rank() != 4)
    target.Sizes(losses, {"takes a target for each loss: expected target size {}, got {}", losses});
  CheckTargetOfEach(self, target);
}

Dim ClassesOf(const TensorMeta& self) { return self.sizes[self.rank() == 1 ? 0 : 1]; }

void NllNd(Call& call) {
  const Operand self = call.In("self"), target = call.In("target").SameDeviceAs(self);
  CheckNllNd(self, target);
  RequireDtypeOfScores(call, {"weight"});
  RequireUnfollowedWeight(call);
  RequireClassWeight(call, ClassesOf(self));
  ReturnLosses(call, self->rank() == 4 ? target->sizes : LossSizes(self), self->dtype);  // as nll_loss2d has it
}

void CheckProbabilities(const Call& call, const Operand& self, const Operand& target) {
  self.Takes(kFloating);
  target.Takes(kFloating, "takes class probabilities of a floating-point dtype, not {}");
  self.RankAtLeast(1, "takes scores of at least 1 dimension");
  RequireValue(call, !Expect(Ge(call.DimArg("ignore_index"), 0)),
      {"can't ignore a class, {}, where the target holds probabilities", call.Arg("ignore_index")});
  RequireClassWeight(call, ClassesOf(self));
}

// Targets are class numbers, or probabilities of the scores' own shape. A smoothing below 0 counts as none.
// Source: cross_entropy_loss_prob_target, cross_entropy_loss_label_smoothing.
void CrossEntropy(Call& call) {
  const Operand self = call.In("self"), target = call.In("target");
  RequireValue(call, !(call.Float("label_smoothing") > 1),
      {"takes a label_smoothing of at most 1, not {}", call.Arg("label_smoothing")});
  if (!GuardSame(self->size_span(), target->size_span())) return NllNd(call);
  CheckProbabilities(call, self, target);
  call.IntBetween("reduction", 0, 2, "has no reduction {}");
  ReturnLosses(call, LossSizes(self), PromoteTypes(self->dtype, target->dtype));
}

// The gradient may be a 0-dim cpu tensor. The total weight's device matters only for the mean, which divides by it.
void CheckNllBackwardDevices(const Call& call) {
  RequireDeviceOfFirst(call, {"self", "target", "weight"});
  const auto is_number = [](const Operand& t) { return t->rank() == 0 && t->device.is_cpu(); };
  if (!is_number(call.In("grad_output"))) RequireDeviceOfFirst(call, {"self", "grad_output"});
  if (ReductionOf(call) == kMean && !is_number(call.In("total_weight")))
    RequireDeviceOfFirst(call, {"self", "total_weight"});
}

void CheckNllGradient(const Call& call, const Operand& self) {
  constexpr const char* kText = "takes a gradient of one element for one loss, not {}";
  const Operand grad = call.In("grad_output");
  const bool is_one = IsReduced(call) || self->rank() <= 1;
  is_one ? grad.RankAtMost(1, kText).NumelIs(1, kText) : grad.SameSizesAs(call.In("target"));
  call.In("total_weight").NumelIs(1, "takes a total_weight of one element, not {tensor}");
}

// Dense, with self's sizes and dtype.
template <void (*Check)(const Operand&, const Operand&)>
void NllBackward(Call& call) {
  CheckNllBackwardDevices(call);
  const Operand self = call.In("self");
  Check(self, call.In("target"));
  RequireClassNumel(call, ClassesOf(self));
  CheckNllGradient(call, self);
  RequireDtypeOfScores(call, {"grad_output", "weight", "total_weight"});
  ReturnContiguous(call, self);
}

// ---- margins

enum class Targets { kOneARow, kOneAScore };

bool FitsRows(const TensorMeta& self, const TensorMeta& target, Targets targets) {
  if (self.rank() > 2 || (self.rank() > 0 && !Expect(Ne(self.sizes.back(), 0)))) return false;
  const Dim rows = self.rank() == 2 ? self.sizes[0] : Dim(1);
  if (targets == Targets::kOneARow) return target.rank() <= 1 && HasNumel(target, rows);
  if (self.rank() == 2) return target.rank() == 2 && GuardSame(target.size_span(), self.size_span());
  return target.rank() <= 1 && HasNumel(target, Numel(self.size_span()));
}

// The scores as rows: a vector is one row.
template <Targets kTargets>
void CheckRows(const Call& call) {
  const Operand self = call.In("self"), target = call.In("target");
  target.Require(FitsRows(self, target, kTargets), {kTargetText, self->sizes});
  if (!IsKnownEmpty(self)) target.Takes(ScalarType::Long, "takes int64 targets, not {}");
  // A 0-dim target is an index here, and so must be on the scores' device.
  if (target->device != self->device)
    FailAs(call, ErrorClass::kDeviceMismatch, {"takes its targets on {}, not on {}", self->device, target->device});
}

// The kernels look at the dtype where there is something to add.
void ReturnRowLosses(Call& call, const Operand& self, bool is_scalar) {
  if (!IsKnownEmpty(self)) self.Takes(kFloating);
  ReturnLosses(call, is_scalar ? Dims{} : Dims{self->rank() == 2 ? self->sizes[0] : Dim(1)}, self->dtype);
}

void RequireMarginPower(const Call& call) {
  const double p = call.Float("p");
  RequireValue(call, p == 1 || p == 2, {"supports the powers 1 and 2 only, not {}", call.Arg("p")});
}

void ReturnMultiMargin(Call& call) { ReturnRowLosses(call, call.In("self"), call.In("target")->rank() == 0); }

void MultiMarginBackward(Call& call) {
  const Operand self = call.In("self");
  CheckRows<Targets::kOneARow>(call);
  call.In("grad_output").SameDtypeAs(self);
  RequireMarginPower(call);
  RequireClassWeight(call, self->rank() > 0 ? self->sizes.back() : Dim(1));
  ReturnContiguous(call, self.Takes(kFloating));
}

void MultiLabelMargin(Call& call) {
  CheckRows<Targets::kOneAScore>(call);
  ReturnRowLosses(call, call.In("self"), call.In("self")->rank() <= 1);
}

void ReturnIsTarget(Call& call) { ReturnContiguous(call, call.In("target")->size_span(), call.In("self")->dtype); }

// The mask of the targets is written as contiguous memory, unless it gets its size here.
void MultiLabelMarginOut(Call& call) {
  MultiLabelMargin(call);
  const TensorMeta losses = TakeResult(call);
  const Operand self = call.In("self"), target = call.In("target"), is_target = call.In("is_target");
  if (!IsKnownEmpty(self)) Operands{call.In("output"), is_target}.SameDtypeAs(self);
  WriteOfSizes(call, call.In("output").tensor(), losses.sizes);
  if (GuardSameOrFalse(target->size_span(), is_target->size_span()))
    is_target.Contiguous("is_target must be contiguous");
  WriteOfSizes(call, is_target.tensor(), target->sizes);
}

void MultiLabelMarginBackward(Call& call) {
  const Operand self = call.In("self"), is_target = call.In("is_target");
  self.SameDtypeAs(is_target);
  CheckRows<Targets::kOneAScore>(call);
  is_target.SameSizesAs(call.In("target"));
  ReturnContiguous(call, self.Takes(kFloat32Or64, "takes float32 and float64 tensors, not {}"));
}

// ---- CTC

// The lengths, if the call gives them or the graph knows them.
std::vector<int64_t> Lengths(Call& call, ArgumentName name) {
  const Operand t = call.TryIn(name);
  if (!t) return call.Ints(name);
  const std::vector<Value>* values = t.tensor().KnownValue();
  if (!values) DynamicShape(call);
  std::vector<int64_t> lengths;
  for (const Value& v : *values)
    if (auto d = v.TryGet<Dim>()) lengths.push_back(d->Specialize());
  return lengths;
}

void RequireLengths(const Call& call, const std::vector<int64_t>& lengths, Dim batch) {
  RequireEqual(
      call, std::ssize(lengths), batch, {"takes a length for each of {} sequences, but got {}", batch, lengths.size()});
}

// Targets and lengths of integers.
void RequireIntegers(const Call& call) {
  call.Given({"targets", "input_lengths", "target_lengths"}).Takes(kInteger, "takes integers for {name}, not {}");
}

int64_t Longest(const std::vector<int64_t>& lengths) { return lengths.empty() ? 0 : std::ranges::max(lengths); }

void RequireNotNegative(const Call& call, const std::vector<int64_t>& lengths, const char* of) {
  for (int64_t length : lengths) RequireValue(call, length >= 0, {"takes {} of length 0 or more, not {}", of, length});
}

// Targets hold as many class numbers as their lengths say. Source: ctc_loss_allocate_outputs.
void CheckTargetLengths(const Call& call, const std::vector<int64_t>& lengths) {
  const Operand targets = call.In("targets");
  RequireNotNegative(call, lengths, "targets");
  const int64_t longest = Longest(lengths), total = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  targets.Require(targets->rank() > 1 ? Expect(Ge(targets->sizes[1], longest)) : HasNumel(targets, total),
      {"has target lengths of up to {}, {} in all, but targets of shape {}", longest, total});
}

void CheckInputLengths(const Call& call, Dim steps) {
  if (call.TryIn("input_lengths")) return;
  const std::vector<int64_t> lengths = call.Ints("input_lengths");
  RequireNotNegative(call, lengths, "inputs");
  for (int64_t length : lengths)
    RequireValue(call, Le(length, steps), {"has an input of length {} in only {} steps", length, steps});
}

// Targets are class numbers, one sequence after the other or padded to [N, S]. No input is longer than all steps.
void CheckCtc(const Call& call) {
  RequireIntegers(call);
  const auto [steps, batch, classes] = call.In("log_probs").Sizes<3>();
  const int64_t blank = call.Int("blank");
  RequireValue(
      call, blank >= 0 && Expect(Lt(blank, classes)), {"has no class {} for its blank among {}", blank, classes});
  if (const Operand targets = call.In("targets"); targets->rank() > 1) targets.Size(0, batch);
  CheckInputLengths(call, steps);
}

// The losses, and the alphas that the gradient needs: [N, T, 2 * longest target + 1].
void CtcForward(Call& call) {
  const Operand log_probs = call.In("log_probs").Takes(kCtcScores);
  const auto [steps, batch, classes] = log_probs.Sizes<3>();
  call.In("targets").Takes(kCtcTargets);
  CheckCtc(call);
  const Operand lengths = call.TryIn("target_lengths");
  // The fallback kernel refuses joined targets, as it finds lengths of 0.
  const bool is_open = lengths && !lengths.tensor().KnownValue() && call.In("targets")->rank() > 1;
  if (is_open && ReturnSizesOfOuts(call, {log_probs->dtype, log_probs->dtype})) return;
  RequireLengths(call, Lengths(call, "input_lengths"), batch);
  const std::vector<int64_t> targets = Lengths(call, "target_lengths");
  RequireLengths(call, targets, batch);
  CheckTargetLengths(call, targets);
  ReturnContiguous(call, {batch}, log_probs->dtype);
  ReturnContiguous(call, {batch, steps, 2 * Longest(targets) + 1}, log_probs->dtype);
}

// On other devices FakeTensorMode asks for the shape in the out= form alone.
void CtcForwardOfLengths(Call& call) {
  CtcForward(call);
  if (call.OnCpu() || call.form()) return;
  call.effects().Clear();
  DynamicShape(call);
}

void Ctc(Call& call) {
  RequireIntegers(call);
  const Operand log_probs = call.In("log_probs").Takes(kCtcScores);
  log_probs.RankBetween(2, 3);
  const bool batched = log_probs->rank() == 3;
  if (batched) CheckCtc(call);
  const Dim batch = batched ? log_probs->sizes[1] : Dim(1);
  if (!call.TryIn("target_lengths")) {
    for (ArgumentName name : ArgumentNames{"input_lengths", "target_lengths"})
      RequireLengths(call, call.Ints(name), batch);
    CheckTargetLengths(call, call.Ints("target_lengths"));
  }
  // As in native::ctc_loss, numbers other than the reductions leave the losses as they are.
  const bool reduced = ReductionOf(call) == 1 || ReductionOf(call) == 2;
  ReturnContiguous(call, !reduced && batched ? Dims{batch} : Dims{}, log_probs->dtype);
}

void CtcBackward(Call& call) {
  const Operand log_probs = call.In("log_probs").Takes(kCtcScores);
  call.In("targets").Takes(kCtcTargets);
  log_probs.Rank(3);
  call.In("grad").SameDtypeAs(log_probs).Rank(1);
  call.In("neg_log_likelihood").SameDtypeAs(log_probs).Rank(1);
  call.In("log_alpha").SameDtypeAs(log_probs).Rank(3);
  ReturnContiguous(call, log_probs);
}

// The loss of nothing may have any dtype, but not the sum of its weights.
OutDtype OutDtypeOfNll2d(const Call& out_form) {
  const bool is_exact =
      out_form.Declares("total_weight") && out_form.In("total_weight")->dtype != out_form.In("self")->dtype;
  return IsReduced(out_form) && !is_exact ? OutDtypeIfRead<"target">(out_form) : OutDtype::kExact;
}

constexpr RuleRow kRows[] = {
    {"aten::nll_loss_forward", InOrder<ReturnNll, ReturnTotalWeight>, Overlap::kAllowedInOut},
    {"aten::nll_loss", InOrder<RequireUnfollowedWeight, ReturnNll>, Overlap::kAllowedInOut},
    {"aten::nll_loss2d_forward", InOrder<ReturnNll2d, ReturnTotalWeight>, Overlap::kAllowedInOut | OutDtypeOfNll2d},
    {"aten::nll_loss2d", InOrder<RequireUnfollowedWeight, ReturnNll2d>, Overlap::kAllowedInOut | OutDtypeOfNll2d},
    {"aten::nll_loss_nd", NllNd},
    {"aten::cross_entropy_loss", CrossEntropy},
    {"aten::nll_loss_backward", NllBackward<CheckNll>, Devices::kAny | Overlap::kAllowedInOut},
    {"aten::nll_loss2d_backward", NllBackward<CheckNll2d>, Devices::kAny},
    {"aten::multi_margin_loss", InOrder<CheckRows<Targets::kOneARow>, RequireMarginPower, ReturnMultiMargin>,
        Overlap::kAllowedInOut | OutDtypeIfRead<"self">},
    {"aten::multi_margin_loss_backward", MultiMarginBackward, OutStrides::kOnlyContiguous},
    {"aten::multilabel_margin_loss", MultiLabelMargin, Overlap::kAllowedInOut | OutDtypeIfRead<"self">},
    {"aten::multilabel_margin_loss_forward", InOrder<MultiLabelMargin, ReturnIsTarget>, Overlap::kAllowedInOut},
    {"aten::multilabel_margin_loss_forward.output", MultiLabelMarginOut},
    {"aten::multilabel_margin_loss_backward", MultiLabelMarginBackward, OutStrides::kOnlyContiguous},
    {"aten::_ctc_loss", CtcForwardOfLengths},
    {"aten::_ctc_loss.Tensor", CtcForward},
    {"aten::ctc_loss.IntList", Ctc},
    {"aten::ctc_loss.Tensor", Ctc},
    {"aten::_ctc_loss_backward", CtcBackward},
    {"aten::_ctc_loss_backward.Tensor", CtcBackward},
};

}  // namespace

RuleRows ClassLossRules() { return kRows; }

}  // namespace fakeprop::rules
