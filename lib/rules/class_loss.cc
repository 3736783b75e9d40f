// Losses of class scores: negative log likelihood, cross entropy, margins, CTC; and their gradients.
// Source: aten/src/ATen/native/LossNLL.cpp, LossNLL2d.cpp, LossMultiMargin.cpp, LossCTC.cpp; torch/_decomp
// (torch 2.13).
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/families.h"
#include "lib/rules/results.h"
#include "lib/rules/shapes.h"

namespace fakeprop {
namespace {

constexpr int64_t kNone = 0, kMean = 1;  // at::Reduction

int64_t ReductionOf(const Call& call) { return call.Int(call.Index("reduction")); }

[[noreturn]] void FailTarget(const Call& call, const TensorMeta& self, const TensorMeta& target) {
  FailShape(call, "takes a target that fits the scores " + ToString(self.size_span()) + ", not one of shape " +
                      ToString(target.size_span()));
}

void RequireClassWeight(const Call& call, int position, Dim classes) {
  const Tensor* weight = call.OptionalTensor(position);
  if (!weight) return;
  if (weight->meta.rank() != 1 || !Expect(Eq(weight->meta.sizes[0], classes)))
    FailShape(call, "takes a weight for each of " + classes.ToString() + " classes, but got shape " +
                        ToString(weight->meta.size_span()));
}

// The kernel for images, and those for gradients, count the weights alone.
void RequireClassNumel(const Call& call, int position, Dim classes) {
  const Tensor* weight = call.OptionalTensor(position);
  if (weight && !HasNumel(weight->meta, classes))
    FailShape(call, "takes a weight for each of " + classes.ToString() + " classes, but got shape " +
                        ToString(weight->meta.size_span()));
}

void RequireClassNumbers(const Call& call, const TensorMeta& target) {
  if (target.dtype != ScalarType::Long && target.dtype != ScalarType::Byte)
    FailDtype(call, "takes targets of int64 or uint8, not " + std::string(DtypeName(target.dtype)));
}

// Scores [N, C] or [C], targets [N] or [].
void CheckNll(const Call& call, const TensorMeta& self, const TensorMeta& target) {
  if (self.rank() < 1 || self.rank() > 2 || target.rank() > 1) FailTarget(call, self, target);
  const bool no_batch = self.rank() == 1 && target.rank() == 0;
  if (target.rank() == 0 && !no_batch) FailTarget(call, self, target);
  if (!no_batch && !Expect(Eq(self.sizes[0], SizeAt(target, 0)))) FailTarget(call, self, target);
  RequireClassNumbers(call, target);
}

// Scores [N, C, H, W], targets [N, H, W].
void CheckNll2d(const Call& call, const TensorMeta& self, const TensorMeta& target) {
  bool fits = self.rank() == 4 && target.rank() == 3 && Expect(Eq(self.sizes[0], target.sizes[0]));
  for (int d : {1, 2}) fits = fits && Expect(Eq(self.sizes[d + 1], target.sizes[d]));
  if (!fits) FailTarget(call, self, target);
  RequireClassNumbers(call, target);
}

// The CPU kernels read all numbers as those of the scores.
void RequireDtypeOfScores(const Call& call, int scores, std::initializer_list<int> others) {
  if (!call.Meta(scores).device.is_cpu()) return;
  for (int i : others)
    if (call.OptionalTensor(i)) RequireSameDtype(call, i, scores);
}

void ReturnNll(Call& call) {
  const TensorMeta& self = call.Meta(0);
  RequireDeviceOfFirst(call, {0, 1});
  CheckNll(call, self, call.Meta(1));
  RequireFloat(call, self.dtype);
  RequireDtypeOfScores(call, 0, {2});
  RequireClassWeight(call, 2, self.sizes.back());
  const bool reduced = ReductionOf(call) != kNone || self.rank() == 1;
  ReturnContiguous(call, reduced ? Dims{} : Dims{self.sizes[0]}, self.dtype);
}

void ReturnNll2d(Call& call) {
  const TensorMeta& self = call.Meta(0);
  CheckNll2d(call, self, call.Meta(1));
  RequireFloat(call, self.dtype);
  RequireDtypeOfScores(call, 0, {2});
  RequireClassNumel(call, 2, self.sizes[1]);
  if (ReductionOf(call) != kNone) return void(ReturnContiguous(call, {}, self.dtype));
  // Python's ends in a `where` on the target; the CPU kernel's output is dense.
  if (!call.device().is_cpu()) return void(ReturnLike(call, call.Meta(1), self.dtype));
  ReturnContiguous(call, call.Meta(1).sizes, self.dtype);
}

// The loss and the sum of the weights that it was divided by.
template <Rule Loss>
void WithTotalWeight(Call& call) {
  Loss(call);
  ReturnContiguous(call, {}, call.Meta(0).dtype);
}

// Any number of dimensions behind the classes; reshaped to 4 where there are others than 0 and 2.
void CheckNllNd(const Call& call, const TensorMeta& self, const TensorMeta& target) {
  if (self.rank() < 1) FailShape(call, "takes scores of at least 1 dimension");
  if (self.rank() == 1 && target.rank() == 1 && !Expect(Eq(target.sizes[0], 1))) FailTarget(call, self, target);
  if (self.rank() <= 2) return CheckNll(call, self, target);
  bool fits = target.rank() == self.rank() - 1 && Expect(Eq(self.sizes[0], target.sizes[0]));
  for (int64_t d = 1; fits && d < target.rank(); ++d) fits = Expect(Eq(self.sizes[d + 1], target.sizes[d]));
  if (!fits) FailTarget(call, self, target);
  RequireClassNumbers(call, target);
}

Dims LossSizes(const TensorMeta& self) { return self.rank() == 1 ? Dims{} : ReducedSizes(self.size_span(), 1, false); }

Dim ClassesOf(const TensorMeta& self) { return self.sizes[self.rank() == 1 ? 0 : 1]; }

void NllNd(Call& call) {
  const TensorMeta& self = call.Meta(0);
  RequireDeviceOfFirst(call, {0, 1});
  CheckNllNd(call, self, call.Meta(1));
  RequireFloat(call, self.dtype);
  RequireClassWeight(call, 2, ClassesOf(self));
  const Dims sizes = self.rank() == 4 ? call.Meta(1).sizes : LossSizes(self);  // as nll_loss2d has it
  ReturnContiguous(call, ReductionOf(call) != kNone ? Dims{} : sizes, self.dtype);
}

// Below 0 it counts for none. Source: cross_entropy_loss_prob_target, cross_entropy_loss_label_smoothing.
void RequireSmoothing(const Call& call) {
  if (call.Float(5) > 1) FailValue(call, "takes a label_smoothing of at most 1, not " + ToString(call.Arg(5)));
}

// Targets are class numbers, or probabilities of the scores' own shape.
void CrossEntropy(Call& call) {
  const TensorMeta& self = call.Meta(0);
  const TensorMeta& target = call.Meta(1);
  RequireSmoothing(call);
  if (!GuardSame(self.size_span(), target.size_span())) return NllNd(call);
  RequireFloat(call, self.dtype);
  if (!IsFloat(target.dtype))
    FailDtype(call, "takes class probabilities of a floating-point dtype, not " + std::string(DtypeName(target.dtype)));
  if (self.rank() < 1) FailShape(call, "takes scores of at least 1 dimension");
  if (Expect(Ge(call.DimArg(4), 0)))
    FailValue(call, "can't ignore a class, " + ToString(call.Arg(4)) + ", where the target holds probabilities");
  RequireClassWeight(call, 2, ClassesOf(self));
  const ScalarType dtype = PromoteTypes(self.dtype, target.dtype);
  if (ReductionOf(call) < 0 || ReductionOf(call) > 2)
    FailValue(call, "has no reduction " + std::to_string(ReductionOf(call)));
  ReturnContiguous(call, ReductionOf(call) != kNone ? Dims{} : LossSizes(self), dtype);
}

// A gradient may be a number of the cpu; the total weight is looked at where it divides.
void CheckNllBackwardDevices(const Call& call) {
  RequireDeviceOfFirst(call, {1, 2, 3});
  const auto is_number = [&](int i) { return call.Meta(i).rank() == 0 && call.Meta(i).device.is_cpu(); };
  if (!is_number(0)) RequireDeviceOfFirst(call, {1, 0});
  if (ReductionOf(call) == kMean && !is_number(6)) RequireDeviceOfFirst(call, {1, 6});
}

// (grad_output, self, target, weight, ...): as self, dense.
template <void (*Check)(const Call&, const TensorMeta&, const TensorMeta&)>
void NllBackward(Call& call) {
  CheckNllBackwardDevices(call);
  Check(call, call.Meta(1), call.Meta(2));
  RequireClassNumel(call, 3, ClassesOf(call.Meta(1)));
  const bool one_each = ReductionOf(call) == kNone && call.Meta(1).rank() > 1;
  const TensorMeta& grad = call.Meta(0);
  if (one_each) RequireSameSizes(call, 0, 2);
  if (!one_each && (grad.rank() > 1 || !HasNumel(grad, 1)))
    FailShape(call, "takes a gradient of one element for one loss, not " + ToString(grad.size_span()));
  if (!HasNumel(call.Meta(6), 1)) FailShape(call, "takes a total_weight of one element, not " + ToString(call.Meta(6)));
  RequireFloat(call, call.Meta(1).dtype);
  RequireDtypeOfScores(call, 1, {0, 3, 6});
  ReturnContiguous(call, call.Meta(1).size_span(), call.Meta(1).dtype);
}

// ---- margins

// The scores as rows: a vector is one row.
void CheckRows(const Call& call, const TensorMeta& self, const TensorMeta& target, bool one_target_a_row) {
  const bool fits_self = self.rank() <= 2 && (self.rank() < 2 || Expect(Ne(self.sizes[1], 0)));
  if (!fits_self) FailTarget(call, self, target);
  const Dim rows = self.rank() == 2 ? self.sizes[0] : Dim(1);
  const bool fits = one_target_a_row   ? target.rank() <= 1 && HasNumel(target, rows)
                    : self.rank() == 2 ? target.rank() == 2 && GuardSame(target.size_span(), self.size_span())
                                       : target.rank() <= 1 && HasNumel(target, Numel(self.size_span()));
  if (!fits) FailTarget(call, self, target);
  if (target.dtype != ScalarType::Long)
    FailDtype(call, "takes int64 targets, not " + std::string(DtypeName(target.dtype)));
  // A target without dimensions is an index here, no number that goes with every device.
  if (target.device != self.device)
    Fail(ErrorClass::kDeviceMismatch,
        OpName(call) + " takes its targets on " + self.device.str() + ", not on " + target.device.str());
}

Dims RowLosses(const Call& call, const TensorMeta& self, bool scalar) {
  if (ReductionOf(call) != kNone || scalar) return {};
  return Dims{self.rank() == 2 ? self.sizes[0] : Dim(1)};
}

void RequireMarginPower(const Call& call, int position) {
  const double p = call.Float(position);
  if (p != 1 && p != 2) FailValue(call, "supports the powers 1 and 2 only, not " + ToString(call.Arg(position)));
}

void MultiMargin(Call& call) {
  const TensorMeta& self = call.Meta(0);
  CheckRows(call, self, call.Meta(1), true);
  RequireMarginPower(call, 2);
  RequireFloat(call, self.dtype);
  ReturnContiguous(call, RowLosses(call, self, call.Meta(1).rank() == 0), self.dtype);
}

void MultiMarginBackward(Call& call) {
  CheckRows(call, call.Meta(1), call.Meta(2), true);
  RequireSameDtype(call, 0, 1);
  RequireMarginPower(call, 3);
  RequireClassWeight(call, 5, call.Meta(1).rank() > 0 ? call.Meta(1).sizes.back() : Dim(1));
  RequireFloat(call, call.Meta(1).dtype);
  ReturnContiguous(call, call.Meta(1).size_span(), call.Meta(1).dtype);
}

void MultiLabelMargin(Call& call) {
  const TensorMeta& self = call.Meta(0);
  CheckRows(call, self, call.Meta(1), false);
  RequireFloat(call, self.dtype);
  ReturnContiguous(call, RowLosses(call, self, self.rank() <= 1), self.dtype);
}

void MultiLabelMarginForward(Call& call) {
  MultiLabelMargin(call);
  ReturnContiguous(call, call.Meta(1).size_span(), call.Meta(0).dtype);
}

void MultiLabelMarginBackward(Call& call) {
  RequireSameDtype(call, 1, 4);
  CheckRows(call, call.Meta(1), call.Meta(2), false);
  RequireSameSizes(call, 4, 2);
  const ScalarType dtype = call.Meta(1).dtype;
  if (dtype != ScalarType::Float && dtype != ScalarType::Double)
    FailDtype(call, "takes float32 and float64 tensors, not " + std::string(DtypeName(dtype)));
  ReturnContiguous(call, call.Meta(1).size_span(), call.Meta(1).dtype);
}

// ---- CTC

// The lengths, where the call gives or the graph knows them.
std::vector<int64_t> Lengths(Call& call, int position) {
  const Tensor* t = call.Arg(position).TryTensor();
  if (!t) return call.Ints(position);
  const std::vector<Value>* values = t->KnownValue();
  if (!values) DynamicShape(call);
  std::vector<int64_t> lengths;
  for (const Value& v : *values)
    if (auto d = v.TryGet<Dim>()) lengths.push_back(d->Specialize());
  return lengths;
}

void RequireLengths(const Call& call, const std::vector<int64_t>& lengths, Dim batch) {
  if (!Expect(Eq(static_cast<int64_t>(lengths.size()), batch)))
    FailShape(call,
        "takes a length for each of " + batch.ToString() + " sequences, but got " + std::to_string(lengths.size()));
}

// Targets and lengths of integers.
void RequireIntegers(const Call& call) {
  for (int i : {1, 2, 3}) {
    const Tensor* t = call.Arg(i).TryTensor();
    if (t && (!IsIntegral(t->meta.dtype) || t->meta.dtype == ScalarType::Bool))
      FailDtype(call, "takes integers for `" + std::string(call.schema().arguments[i].name) + "`, not " +
                          std::string(DtypeName(t->meta.dtype)));
  }
}

// The kernels for cpu have two dtypes.
void RequireCtcDtype(const Call& call, ScalarType dtype) {
  if (dtype != ScalarType::Float && dtype != ScalarType::Double)
    FailDtype(call, "takes float32 and float64 log-probabilities, not " + std::string(DtypeName(dtype)));
}

// Targets hold as many class numbers as their lengths say. Source: ctc_loss_allocate_outputs.
void CheckTargetLengths(const Call& call, const std::vector<int64_t>& lengths) {
  const TensorMeta& targets = call.Meta(1);
  int64_t longest = 0, total = 0;
  for (int64_t length : lengths) {
    if (length < 0) FailValue(call, "takes targets of length 0 or more, not " + std::to_string(length));
    longest = std::max(longest, length);
    total += length;
  }
  const bool fits = targets.rank() > 1 ? Expect(Ge(targets.sizes[1], longest)) : HasNumel(targets, total);
  if (!fits)
    FailShape(call, "has target lengths of up to " + std::to_string(longest) + ", " + std::to_string(total) +
                        " in all, but targets of shape " + ToString(targets.size_span()));
}

// Class numbers one after the other, or padded in [N, S]; lengths for each sequence, of inputs at most all steps.
void CheckCtc(const Call& call, const TensorMeta& log_probs) {
  RequireIntegers(call);
  const int64_t blank = call.Int(call.Index("blank"));
  if (blank < 0 || !Expect(Lt(blank, log_probs.sizes.back())))
    FailValue(
        call, "has no class " + std::to_string(blank) + " for its blank among " + log_probs.sizes.back().ToString());
  const TensorMeta& targets = call.Meta(1);
  if (targets.rank() > 1 && !Expect(Eq(targets.sizes[0], log_probs.sizes[1])))
    FailShape(call,
        "takes targets of " + log_probs.sizes[1].ToString() + " sequences, but got " + ToString(targets.size_span()));
  if (call.Arg(2).TryTensor()) return;
  for (int64_t length : call.Ints(2))
    if (length < 0) FailValue(call, "takes inputs of length 0 or more, not " + std::to_string(length));
  for (int64_t length : call.Ints(2))
    if (!Expect(Le(length, log_probs.sizes[0])))
      FailValue(call,
          "has an input of length " + std::to_string(length) + " in only " + log_probs.sizes[0].ToString() + " steps");
}

// The losses, and the alphas that the gradient needs: [N, T, 2 * longest target + 1].
void CtcForward(Call& call) {
  const TensorMeta& log_probs = call.Meta(0);
  RequireCtcDtype(call, log_probs.dtype);
  RequireRank(call, 0, 3);
  const ScalarType targets_dtype = call.Meta(1).dtype;
  if (targets_dtype != ScalarType::Long && targets_dtype != ScalarType::Int)
    FailDtype(call, "takes int32 or int64 targets, not " + std::string(DtypeName(targets_dtype)));
  CheckCtc(call, log_probs);
  const Dim batch = log_probs.sizes[1];
  RequireLengths(call, Lengths(call, 2), batch);
  const std::vector<int64_t> targets = Lengths(call, 3);
  RequireLengths(call, targets, batch);
  CheckTargetLengths(call, targets);
  const int64_t longest = targets.empty() ? 0 : *std::max_element(targets.begin(), targets.end());
  ReturnContiguous(call, Dims{batch}, log_probs.dtype);
  ReturnContiguous(call, Dims{batch, log_probs.sizes[0], 2 * longest + 1}, log_probs.dtype);
}

void Ctc(Call& call) {
  const TensorMeta& log_probs = call.Meta(0);
  RequireIntegers(call);
  RequireCtcDtype(call, log_probs.dtype);
  const bool batched = log_probs.rank() == 3;
  if (!batched && log_probs.rank() != 2) RequireRank(call, 0, 3);
  if (batched) CheckCtc(call, log_probs);
  if (!call.Arg(3).TryTensor()) {
    for (int i : {2, 3}) RequireLengths(call, call.Ints(i), batched ? log_probs.sizes[1] : Dim(1));
    CheckTargetLengths(call, call.Ints(3));
  }
  // As in native::ctc_loss, numbers for no reduction leave the losses as they are.
  const bool reduced = ReductionOf(call) == 1 || ReductionOf(call) == 2;
  ReturnContiguous(call, !reduced && batched ? Dims{log_probs.sizes[1]} : Dims{}, log_probs.dtype);
}

void CtcBackward(Call& call) {
  const TensorMeta& log_probs = call.Meta(1);
  RequireCtcDtype(call, log_probs.dtype);
  const ScalarType targets = call.Meta(2).dtype;
  if (targets != ScalarType::Long && targets != ScalarType::Int)
    FailDtype(call, "takes int32 or int64 targets, not " + std::string(DtypeName(targets)));
  RequireRank(call, 1, 3);
  // (grad, log_probs, targets, lengths, lengths, neg_log_likelihood, log_alpha)
  for (int i : {0, 5, 6}) {
    RequireSameDtype(call, i, 1);
    RequireRank(call, i, i == 6 ? 3 : 1);
  }
  ReturnContiguous(call, log_probs.size_span(), log_probs.dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::nll_loss_forward", WithTotalWeight<ReturnNll>},
    {"aten::nll_loss", ReturnNll},
    {"aten::nll_loss2d_forward", WithTotalWeight<ReturnNll2d>},
    {"aten::nll_loss2d", ReturnNll2d},
    {"aten::nll_loss_nd", NllNd},
    {"aten::cross_entropy_loss", CrossEntropy},
    {"aten::nll_loss_backward", NllBackward<CheckNll>, Devices::kAny},
    {"aten::nll_loss2d_backward", NllBackward<CheckNll2d>, Devices::kAny},
    {"aten::multi_margin_loss", MultiMargin},
    {"aten::multi_margin_loss_backward", MultiMarginBackward},
    {"aten::multilabel_margin_loss", MultiLabelMargin},
    {"aten::multilabel_margin_loss_forward", MultiLabelMarginForward},
    {"aten::multilabel_margin_loss_backward", MultiLabelMarginBackward},
    {"aten::_ctc_loss", DecidedOnCpu<CtcForward, DynamicShape>},
    {"aten::_ctc_loss.Tensor", CtcForward},
    {"aten::ctc_loss.IntList", Ctc},
    {"aten::ctc_loss.Tensor", Ctc},
    {"aten::_ctc_loss_backward", CtcBackward},
    {"aten::_ctc_loss_backward.Tensor", CtcBackward},
};

}  // namespace

RuleRows ClassLossRules() { return kRows; }

}  // namespace fakeprop
