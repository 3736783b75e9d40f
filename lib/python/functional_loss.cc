// torch.nn.functional: losses. Source: torch/nn/functional.py (torch 2.13).
#include <cmath>
#include <numbers>

#include "lib/meta/lists.h"
#include "lib/python/registry.h"

namespace fakeprop {
namespace {

Value Weighted(Python& python, const Bindings& a, Value error, bool by_weight) {
  const std::string_view reduction = a.String("reduction");
  Value weighted = python.Call("aten.mul", {std::move(error), a["weight"]});
  if (reduction == "none") return weighted;
  if (reduction == "sum") return python.Call("aten.sum", {weighted});
  if (!by_weight) return python.Call("aten.mean", {weighted});
  return python.Call("aten.div", {python.Call("aten.sum", {weighted}), python.Call("aten.sum", {a["weight"]})});
}

// A loss of two tensors that are broadcast first; with weights it is put together from its parts.
Value MatchedLoss(
    Python& python, const Bindings& a, std::string_view op, std::vector<Value> rest, std::string_view weighted_by) {
  const Value matched = python.Call("match_sizes", {a["input"], a["target"]});
  const std::vector<Value>& pair = AsItems(matched);
  const Value* weight = a.Find("weight");
  const bool has_weight = weight && !weight->IsNone();
  if (has_weight && !weighted_by.empty()) {
    Value error = python.Call("aten.sub", {pair[0], pair[1]});
    error = weighted_by == "aten.pow" ? python.Call(weighted_by, {error, Value(2)}) : python.Call(weighted_by, {error});
    return Weighted(python, a, std::move(error), true);
  }
  std::vector<Value> arguments = {pair[0], pair[1]};
  arguments.push_back(has_weight ? Value(0) : python.Call("reduction_number", {a["reduction"]}));
  for (Value& v : rest) arguments.push_back(std::move(v));
  Value loss = python.Call(op, std::move(arguments));
  return has_weight ? Weighted(python, a, std::move(loss), false) : loss;
}

Bindings WithReduction(Python& python, const Bindings& a) {
  Bindings out = a;
  out.Set("reduction", python.Call("legacy_reduction", {a["reduction"], a["size_average"], a["reduce"]}));
  return out;
}

Value MseLoss(Python& python, const Bindings& a) {
  return MatchedLoss(python, WithReduction(python, a), "aten.mse_loss", {}, "aten.pow");
}
Value L1Loss(Python& python, const Bindings& a) {
  return MatchedLoss(python, WithReduction(python, a), "aten.l1_loss", {}, "aten.abs");
}
Value SmoothL1Loss(Python& python, const Bindings& a) {
  const Bindings given = WithReduction(python, a);
  if (a.Float("beta") == 0) return MatchedLoss(python, given, "aten.l1_loss", {}, "");
  return MatchedLoss(python, given, "aten.smooth_l1_loss", {a["beta"]}, "");
}
Value HuberLoss(Python& python, const Bindings& a) {
  return MatchedLoss(python, a, "aten.huber_loss", {a["delta"]}, "");
}

Value KlDiv(Python& python, const Bindings& a) {
  const Bindings given = WithReduction(python, a);
  const bool by_batch = given.String("reduction") == "batchmean";
  const Value number = by_batch ? Value(2) : python.Call("reduction_number", {given["reduction"]});
  Value loss = python.Operator("aten::kl_div", {a["input"], a["target"], number, a["log_target"]});
  const TensorMeta& meta = a.TensorOf("input").meta;
  if (!by_batch || meta.rank() == 0) return loss;
  return python.Call("aten.div", {loss, Value(SizeIn(meta, 0))});
}

Value BinaryCrossEntropy(Python& python, const Bindings& a) {
  const Bindings given = WithReduction(python, a);
  Value weight = a["weight"];
  const TensorMeta &input = a.TensorOf("input").meta, &target = a.TensorOf("target").meta;
  if (!GuardSame(input.size_span(), target.size_span()))
    Fail(ErrorClass::kShapeMismatch, "binary_cross_entropy needs a target of the input's size " +
                                         ToString(input.size_span()) + ", not " + ToString(target.size_span()));
  if (weight.TryTensor()) weight = python.Call("aten.expand", {weight, IntListOf(target.sizes)});
  return python.Call("aten.binary_cross_entropy",
      {a["input"], a["target"], weight, python.Call("reduction_number", {given["reduction"]})});
}

Value BinaryCrossEntropyWithLogits(Python& python, const Bindings& a) {
  const Bindings given = WithReduction(python, a);
  const TensorMeta &input = a.TensorOf("input").meta, &target = a.TensorOf("target").meta;
  if (!GuardSame(input.size_span(), target.size_span()))
    Fail(ErrorClass::kShapeMismatch, "the target's size " + ToString(target.size_span()) +
                                         " has to be the input's size " + ToString(input.size_span()));
  return python.Call("aten.binary_cross_entropy_with_logits",
      {a["input"], a["target"], a["weight"], a["pos_weight"], python.Call("reduction_number", {given["reduction"]})});
}

Value GaussianNllLoss(Python& python, const Bindings& a) {
  Value var = a["var"];
  if (!var.TryTensor()) {
    var = python.Call("aten.mul", {python.Operator("aten::ones_like", {a["input"]}), var});
  }
  const Dims sizes = a.TensorOf("input").meta.sizes, own = AsTensor(var).meta.sizes;
  if (own.size() + 1 == sizes.size()) var = python.Call("aten.unsqueeze", {var, Value(-1)});
  var = python.Call("aten.clone", {var});
  ExecutionState& state = python.host().state();
  const bool grad = state.grad_enabled;
  state.grad_enabled = false;
  python.Operator("aten::clamp_", {var, a["eps"]});
  state.grad_enabled = grad;
  Value error = python.Call("aten.pow", {python.Call("aten.sub", {a["input"], a["target"]}), Value(2)});
  Value loss = python.Call("aten.add", {python.Call("aten.log", {var}), python.Call("aten.div", {error, var})});
  loss = python.Call("aten.mul", {loss, Value(0.5)});
  if (a.Bool("full")) loss = python.Call("aten.add_", {loss, Value(0.5 * std::log(2 * std::numbers::pi))});
  return python.Call("reduce", {loss, a["reduction"]});
}

Value MultilabelSoftMarginLoss(Python& python, const Bindings& a) {
  const Bindings given = WithReduction(python, a);
  const Value& x = a["input"];
  Value yes = python.Call("aten.mul", {a["target"], python.Call("aten.log_sigmoid", {x})});
  Value no = python.Call("aten.mul", {python.Call("_operator.sub", {Value(1), a["target"]}),
                                         python.Call("aten.log_sigmoid", {python.Call("aten.neg", {x})})});
  Value loss = python.Call("aten.neg", {python.Call("aten.add", {yes, no})});
  if (a["weight"].TryTensor()) loss = python.Call("aten.mul", {loss, a["weight"]});
  const TensorMeta& meta = a.TensorOf("input").meta;
  const int64_t class_dim = meta.rank() - 1;
  const Dim classes = SizeIn(meta, class_dim);
  loss = python.Call("aten.div", {python.Call("aten.sum", {loss, Value(class_dim)}), Value(classes)});
  return python.Call("reduce", {loss, given["reduction"]});
}

Value TripletMarginWithDistanceLoss(Python& python, const Bindings& a) {
  const Operator* given = a["distance_function"].TryGet<Operator>();
  const PythonFunction* function =
      FindPythonFunction(given ? std::string_view(given->target) : "aten.pairwise_distance");
  if (!function || (!given && !a.IsNone("distance_function")))
    Fail(ErrorClass::kUnsupportedOperator,
        "the distance function " + ToString(a["distance_function"]) + " is not known here");
  auto distance = [&](const Value& x, const Value& y) { return function->Run(python, {{x, y}, {}}); };
  Value positive = distance(a["anchor"], a["positive"]);
  Value negative = distance(a["anchor"], a["negative"]);
  if (a.Bool("swap")) negative = python.Call("aten.minimum", {negative, distance(a["positive"], a["negative"])});
  return python.Call("triplet_of_distances", {positive, negative, a["margin"], a["reduction"]});
}

constexpr FunctionRow kRows[] = {
    {"mse_loss(input, target, size_average=None, reduce=None, reduction='mean', weight=None)", {}, MseLoss},
    {"l1_loss(input, target, size_average=None, reduce=None, reduction='mean', weight=None)", {}, L1Loss},
    {"smooth_l1_loss(input, target, size_average=None, reduce=None, reduction='mean', beta=1.0)", {}, SmoothL1Loss},
    {"huber_loss(input, target, reduction='mean', delta=1.0, weight=None)", {}, HuberLoss},
    {"kl_div(input, target, size_average=None, reduce=None, reduction='mean', log_target=False)", {}, KlDiv},
    {"binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction='mean')", {},
        BinaryCrossEntropy},
    {"binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction='mean',"
     " pos_weight=None)",
        {}, BinaryCrossEntropyWithLogits},
    {"gaussian_nll_loss(input, target, var, full=False, eps=1e-06, reduction='mean')", {}, GaussianNllLoss},
    {"multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction='mean')", {},
        MultilabelSoftMarginLoss},
    {"triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False,"
     " reduction='mean')",
        {}, TripletMarginWithDistanceLoss},
    {"cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean',"
     " label_smoothing=0.0)",
        "aten.cross_entropy_loss(input, target, weight, reduction_number(legacy_reduction(reduction, size_average, "
        "reduce)),"
        " ignore_index, label_smoothing)"},
    {"nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean')",
        "aten.nll_loss_nd(input, target, weight, reduction_number(legacy_reduction(reduction, size_average, reduce)),"
        " ignore_index)"},
    {"poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None,"
     " reduction='mean')",
        "aten.poisson_nll_loss(input, target, log_input, full, eps,"
        " reduction_number(legacy_reduction(reduction, size_average, reduce)))"},
    {"ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction='mean', zero_infinity=False)",
        "aten.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction_number(reduction), "
        "zero_infinity)"},
    {"margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction='mean')",
        "aten.margin_ranking_loss(input1, input2, target, margin,"
        " reduction_number(legacy_reduction(reduction, size_average, reduce)))"},
    {"hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction='mean')",
        "aten.hinge_embedding_loss(input, target, margin, reduction_number(legacy_reduction(reduction, size_average, "
        "reduce)))"},
    {"multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction='mean')",
        "aten.multilabel_margin_loss(input, target, reduction_number(legacy_reduction(reduction, size_average, "
        "reduce)))"},
    {"soft_margin_loss(input, target, size_average=None, reduce=None, reduction='mean')",
        "aten.soft_margin_loss(input, target, reduction_number(legacy_reduction(reduction, size_average, reduce)))"},
    {"cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction='mean')",
        "aten.cosine_embedding_loss(input1, input2, target, margin,"
        " reduction_number(legacy_reduction(reduction, size_average, reduce)))"},
    {"multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction='mean')",
        "aten.multi_margin_loss(input, target, p, margin, weight,"
        " reduction_number(legacy_reduction(reduction, size_average, reduce)))"},
    {"triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, size_average=None,"
     " reduce=None, reduction='mean')",
        "aten.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap,"
        " reduction_number(legacy_reduction(reduction, size_average, reduce)))"},
};

}  // namespace

FunctionTable FunctionalLosses() { return {"torch.nn.functional.", kRows}; }

}  // namespace fakeprop
