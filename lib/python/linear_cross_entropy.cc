// A linear layer and the cross entropy of what it gives, in one. Sources: linear_cross_entropy of
// torch/nn/functional.py, LinearCrossEntropyLoss of torch/nn/modules/loss.py (torch 2.13). Their `options` choose how
// the work is cut up, not what comes out.
#include "lib/meta/lists.h"
#include "lib/python/module.h"
#include "lib/python/registry.h"

namespace fakeprop {
namespace {

[[noreturn]] void FailSizes(const std::string& why) {
  Fail(ErrorClass::kShapeMismatch, "linear_cross_entropy: " + why);
}

void CheckSizes(const Bindings& a) {
  const TensorMeta &input = a.TensorOf("input").meta, &weight = a.TensorOf("linear_weight").meta;
  if (input.rank() < 1 || input.rank() > 2) FailSizes("the input has rank 1 or 2, not " + std::to_string(input.rank()));
  if (weight.rank() < 2) FailSizes("the linear weight has rank 2 or more, not " + std::to_string(weight.rank()));
  if (!Guard(Eq(input.sizes[input.rank() - 1], weight.sizes[weight.rank() - 1])))
    FailSizes(
        "the input " + ToString(input) + " and the linear weight " + ToString(weight) + " have different features");
  if (weight.rank() > 2 && input.rank() == 1)
    FailSizes("a loss of several dimensions needs a batch, not " + ToString(input));
}

Value LinearCrossEntropy(Python& python, const Bindings& a) {
  CheckSizes(a);
  const Dims input = a.TensorOf("input").meta.sizes, weight = a.TensorOf("linear_weight").meta.sizes;
  Dims logits(input.begin(), input.end() - 1);
  Dim rows = 1;
  for (size_t d = 0; d + 1 < weight.size(); ++d) {
    logits.push_back(weight[d]);
    rows *= weight[d];
  }
  Value flat_weight = a["linear_weight"], flat_bias = a["linear_bias"];
  if (weight.size() > 2) {
    flat_weight = python.Call("aten.reshape", {flat_weight, IntListOf({rows, weight.back()})});
    if (!flat_bias.IsNone()) flat_bias = python.Call("aten.reshape", {flat_bias, IntListOf({rows})});
  }
  Value out = python.Call("aten.linear", {a["input"], flat_weight, flat_bias});
  out = python.Call("aten.reshape", {out, IntListOf(logits)});
  PythonArguments arguments{{out, a["target"]}, {}};
  for (const char* name : {"weight", "reduction", "label_smoothing"}) arguments.keywords.emplace_back(name, a[name]);
  return python.Call("F.cross_entropy", std::move(arguments));
}

constexpr FunctionRow kFunctions[] = {
    {"linear_cross_entropy(input, linear_weight, target, *, linear_bias=None, weight=None, reduction='mean', "
     "ignore_index=None,"
     " label_smoothing=0.0, options=None)",
        {}, LinearCrossEntropy},
};

// The weight is kept flat, and is as large as the file has it.
void Tensors(ModuleInstance& m) {
  m.FileTensor("linear.weight");
  m.FileTensor("linear.bias");
  m.FileTensor("weight");
}

Value Loss(ModuleInstance& m) {
  if (m["linear.weight"].IsNone()) Fail(ErrorClass::kTypeError, "the file has no weight of the module's linear layer");
  Dims sizes = {m.names().Int("num_classes")};
  for (const Value& size : AsItems(m["out_features"])) sizes.push_back(AsInt(size));
  Dims weight_sizes = sizes;
  weight_sizes.push_back(SizeIn(AsTensor(m["linear.weight"]).meta, 1));
  Value weight = m.Call("aten.reshape", {m["linear.weight"], IntListOf(weight_sizes)});
  Value bias = m["linear.bias"].IsNone() ? Value() : m.Call("aten.reshape", {m["linear.bias"], IntListOf(sizes)});
  PythonArguments arguments{{m["input"], weight, m["target"]}, {{"linear_bias", bias}}};
  for (const char* name : {"weight", "reduction", "ignore_index", "label_smoothing"})
    arguments.keywords.emplace_back(name, m[name]);
  return m.python().Call("F.linear_cross_entropy", std::move(arguments));
}

constexpr ModuleRow kModules[] = {
    {"LinearCrossEntropyLoss(num_classes, out_features=(), reduction='mean', ignore_index=None, label_smoothing=0.0)",
        "input, target", {}, Tensors, Loss},
};

}  // namespace

FunctionTable LinearCrossEntropyFunctions() { return {"torch.nn.functional.", kFunctions}; }
std::span<const ModuleRow> LinearCrossEntropyModules() { return kModules; }

}  // namespace fakeprop
