// Dtypes that come about by promotion, and reductions in half precision.
#include <algorithm>
#include <set>

#include "lib/lint/checks/checks.h"
#include "lib/meta/dtype.h"

namespace fakeprop {
namespace {

// A dtype that promotion makes out of narrower ones.
bool IsWide(ScalarType dtype) { return dtype == ScalarType::Double || dtype == ScalarType::Long; }

bool IsNarrowerOf(ScalarType narrow, ScalarType wide) {
  if (wide == ScalarType::Double) return IsFloat(narrow) && narrow != ScalarType::Double;
  return kIntegerDtypes.Has(narrow) && narrow != ScalarType::Long;
}

// Operators whose tensors are promoted to one dtype.
bool Promotes(const CheckedNode& node) {
  return node.Is({"add", "sub", "mul", "div", "truediv", "floordiv", "mod", "rsub", "pow", "where", "cat", "stack",
      "concat", "concatenate", "maximum", "minimum", "fmax", "fmin", "atan2", "fmod", "remainder", "lerp", "addcmul",
      "addcdiv", "hypot", "floor_divide", "true_divide", "divide", "multiply", "subtract", "bitwise_and", "bitwise_or",
      "bitwise_xor", "copysign", "nextafter", "hstack", "vstack", "dstack", "mse_loss"});
}

// The operands that decide the result's dtype: those with dimensions, if there are any.
std::vector<int32_t> DecidingInputs(const CheckedGraph& graph, const CheckedNode& node) {
  std::vector<int32_t> deciding;
  for (const int32_t input : node.inputs)
    if (graph.at(input).results.size() == 1 && graph.at(input).results[0].meta.rank() > 0) deciding.push_back(input);
  return deciding;
}

std::string MendOf(const CheckedNode& wide, ScalarType narrow) {
  const std::string name(C10DtypeName(narrow));
  return "help: make `" + wide.node->name + "` " + (IsFloat(narrow) ? "a tensor of the narrower dtype" : "narrow") +
         " where it is made, or cast it: `." +
         (name == "Float"     ? "float"
             : name == "Half" ? "half"
             : name == "Int"  ? "int"
                              : "to") +
         "()`";
}

constexpr std::string_view kReductions[] = {"sum", "mean", "prod", "cumsum", "cumprod", "norm", "linalg_vector_norm",
    "var", "std", "var_mean", "std_mean", "logsumexp", "logcumsumexp", "softmax", "log_softmax", "_softmax",
    "_log_softmax", "softmin", "nansum"};

bool IsReduction(const CheckedNode& node) {
  return std::find(std::begin(kReductions), std::end(kReductions), node.op) != std::end(kReductions);
}

// Under autocast these run in float32; the others keep the dtype, and that is meant.
bool HasAutocast(const CheckedGraph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const CheckedNode& node) {
    return node.node->target.find("autocast") != std::string::npos;
  }) || !graph.is_outermost();
}

}  // namespace

void CheckPromotedDtype(const CheckedGraph& graph, const CheckSettings&, CheckReports& out) {
  std::vector<int> finding_of(graph.nodes().size(), -1);  // the finding that a node's wide dtype follows from
  for (int32_t i = 0; i < static_cast<int32_t>(graph.nodes().size()); ++i) {
    const CheckedNode& node = graph.at(i);
    if (!node.IsCall() || node.results.empty() || !IsWide(node.results[0].meta.dtype)) continue;
    const ScalarType wide = node.results[0].meta.dtype;
    for (const int32_t input : node.inputs)
      if (finding_of[input] >= 0 && graph.at(input).results[0].meta.dtype == wide) finding_of[i] = finding_of[input];
    if (!Promotes(node)) continue;
    int32_t narrow_input = -1, wide_input = -1;
    for (const int32_t input : DecidingInputs(graph, node)) {
      const ScalarType dtype = graph.at(input).results[0].meta.dtype;
      if (dtype == wide && wide_input < 0) wide_input = input;
      if (IsNarrowerOf(dtype, wide) && narrow_input < 0) narrow_input = input;
    }
    if (narrow_input < 0 || wide_input < 0) continue;
    if (finding_of[i] >= 0) {
      out[finding_of[i]].others.push_back(i);
      continue;
    }
    finding_of[i] = static_cast<int>(out.size());
    const CheckedTensor& narrow = graph.at(narrow_input).results[0];
    out.push_back({i,
        std::string(wide == ScalarType::Double ? "float64" : "int64") + " slips in: " + ShapeText(narrow) + " of " +
            graph.Name(narrow_input) + " is promoted by " + ShapeText(graph.at(wide_input).results[0]) + " of " +
            graph.Name(wide_input),
        {MendOf(graph.at(wide_input), narrow.meta.dtype)}, {}});
  }
}

void CheckHalfReduction(const CheckedGraph& graph, const CheckSettings&, CheckReports& out) {
  const bool has_autocast = HasAutocast(graph);
  for (int32_t i = 0; i < static_cast<int32_t>(graph.nodes().size()); ++i) {
    const CheckedNode& node = graph.at(i);
    if (!node.IsCall() || has_autocast || node.results.empty() || !IsReduction(node)) continue;
    const std::vector<const CheckedTensor*> inputs = graph.InputTensors(node);
    if (inputs.empty() || inputs[0]->meta.dtype != ScalarType::Half) continue;
    if (node.results[0].meta.dtype != ScalarType::Half) continue;
    out.push_back(
        {i, "`" + node.op + "` of " + ShapeText(*inputs[0]) + " has a float16 result, which overflows above 65504",
            {"help: `dtype=torch.float32` in the call, or run the model under `torch.autocast`"}, {}});
  }
}

}  // namespace fakeprop
