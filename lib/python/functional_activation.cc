// torch.nn.functional: activations and dropout, where Python stands before the operator.
// Source: torch/nn/functional.py (torch 2.13).
#include "lib/python/registry.h"

namespace fakeprop {
namespace {

// dropout1d: a signal without a batch gets one for the time of the call.
Value ChannelDropout(Python& python, const Bindings& a, int64_t unbatched_rank) {
  const bool is_batched = a.TensorOf("input").meta.rank() != unbatched_rank;
  const std::string op = a.Bool("inplace") ? "aten.feature_dropout_" : "aten.feature_dropout";
  if (is_batched) return python.Call(op, {a["input"], a["p"], a["training"]});
  Value batched = python.Call(a.Bool("inplace") ? "aten.unsqueeze_" : "aten.unsqueeze", {a["input"], Value(0)});
  Value dropped = python.Call(op, {batched, a["p"], a["training"]});
  return python.Call(a.Bool("inplace") ? "aten.squeeze_" : "aten.squeeze", {dropped, Value(0)});
}

Value Dropout1d(Python& python, const Bindings& a) { return ChannelDropout(python, a, 2); }
Value Dropout3d(Python& python, const Bindings& a) { return ChannelDropout(python, a, 4); }

// Logits plus noise of their layout, softmax, and for `hard` a one-hot tensor of the same sizes.
Value GumbelSoftmax(Python& python, const Bindings& a) {
  Value noise = python.Operator(
      "aten::empty_like", {a["logits"], Value(), Value(), Value(), Value(), Value(MemoryFormat::Contiguous)});
  noise = python.Call("aten.neg", {python.Call("aten.log", {python.Call("aten.exponential_", {noise})})});
  Value logits = python.Call("aten.div", {python.Call("aten.add", {a["logits"], noise}), a["tau"]});
  Value soft = python.Call("aten.softmax", {logits, a["dim"]});
  if (!a.Bool("hard")) return soft;
  Value index = python.Call(
      "builtins.getattr", {python.Operator("aten::max.dim", {soft, a["dim"], Value(true)}), Value("indices")});
  Value hard = python.Operator(
      "aten::zeros_like", {a["logits"], Value(), Value(), Value(), Value(), Value(MemoryFormat::Contiguous)});
  hard = python.Call("aten.scatter_", {hard, a["dim"], index, Value(1.0)});
  return python.Call("aten.add", {python.Call("aten.sub", {hard, python.Call("aten.detach", {soft})}), soft});
}

constexpr FunctionRow kRows[] = {
    {"relu(input, inplace=False)", "aten.relu_(input) if inplace else aten.relu(input)"},
    {"relu6(input, inplace=False)", "aten.relu6_(input) if inplace else aten.relu6(input)"},
    {"elu(input, alpha=1.0, inplace=False)", "aten.elu_(input, alpha) if inplace else aten.elu(input, alpha)"},
    {"selu(input, inplace=False)", "aten.selu_(input) if inplace else aten.selu(input)"},
    {"celu(input, alpha=1.0, inplace=False)", "aten.celu_(input, alpha) if inplace else aten.celu(input, alpha)"},
    {"silu(input, inplace=False)", "aten.silu_(input) if inplace else aten.silu(input)"},
    {"mish(input, inplace=False)", "aten.mish_(input) if inplace else aten.mish(input)"},
    {"hardswish(input, inplace=False)", "aten.hardswish_(input) if inplace else aten.hardswish(input)"},
    {"hardsigmoid(input, inplace=False)", "aten.hardsigmoid_(input) if inplace else aten.hardsigmoid(input)"},
    {"hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False)",
        "aten.hardtanh_(input, min_val, max_val) if inplace else aten.hardtanh(input, min_val, max_val)"},
    {"leaky_relu(input, negative_slope=0.01, inplace=False)",
        "aten.leaky_relu_(input, negative_slope) if inplace else aten.leaky_relu(input, negative_slope)"},
    {"rrelu(input, lower=0.125, upper=0.3333333333333333, training=False, inplace=False)",
        "aten.rrelu_(input, lower, upper, training) if inplace else aten.rrelu(input, lower, upper, training)"},
    {"threshold(input, threshold, value, inplace=False)",
        "aten.threshold_(input, threshold, value) if inplace else aten.threshold(input, threshold, value)"},
    {"_threshold(input, threshold, value, inplace=False)", "F.threshold(input, threshold, value, inplace)"},
    {"logsigmoid(input)", "aten.log_sigmoid(input)"},
    {"glu(input, dim=-1)", "aten.glu(input, dim)"},
    {"tanh(input)", "aten.tanh(input)"},
    {"sigmoid(input)", "aten.sigmoid(input)"},
    {"tanhshrink(input)", "aten.sub(input, aten.tanh(input))"},
    {"softsign(input)", "aten.div(input, aten.add(aten.abs(input), 1))"},
    {"softmin(input, dim=None, _stacklevel=3, dtype=None)",
        "aten.softmax(aten.neg(input), softmax_dim(input, dim), dtype=dtype)"},
    {"softmax(input, dim=None, _stacklevel=3, dtype=None)",
        "aten.softmax(input, softmax_dim(input, dim), dtype=dtype)"},
    {"log_softmax(input, dim=None, _stacklevel=3, dtype=None)",
        "aten.log_softmax(input, softmax_dim(input, dim), dtype=dtype)"},
    {"gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1)", {}, GumbelSoftmax},
    {"dropout(input, p=0.5, training=True, inplace=False)",
        "aten.dropout_(input, p, training) if inplace else aten.dropout(input, p, training)"},
    {"alpha_dropout(input, p=0.5, training=False, inplace=False)",
        "aten.alpha_dropout_(input, p, training) if inplace else aten.alpha_dropout(input, p, training)"},
    {"feature_alpha_dropout(input, p=0.5, training=False, inplace=False)",
        "aten.feature_alpha_dropout_(input, p, training) if inplace else aten.feature_alpha_dropout(input, p, "
        "training)"},
    {"dropout1d(input, p=0.5, training=True, inplace=False)", {}, Dropout1d},
    {"dropout2d(input, p=0.5, training=True, inplace=False)",
        "aten.feature_dropout_(input, p, training) if inplace else aten.feature_dropout(input, p, training)"},
    {"dropout3d(input, p=0.5, training=True, inplace=False)", {}, Dropout3d},
};

}  // namespace

FunctionTable FunctionalActivations() { return {"torch.nn.functional.", kRows}; }

}  // namespace fakeprop
