#include "lib/interpreter/node_diagnostic.h"

#include <algorithm>

#include "lib/diag/python_trace.h"
#include "lib/graph/node_text.h"

namespace fakeprop {
namespace {

constexpr size_t kMaxOperands = 6;

void CollectNodes(const GraphValue& value, std::vector<int32_t>& nodes) {
  ForEachNode(value, [&](NodeRef ref) {
    if (std::find(nodes.begin(), nodes.end(), ref.index) == nodes.end()) nodes.push_back(ref.index);
  });
}

// Describes a tensor of a module in the words for an input. Nothing distinguishes a frozen parameter from a buffer.
std::string AttributeOrigin(const Node& node, const Tensor& t) {
  return (t.RequiresGrad() ? "parameter `" : "attribute `") + node.target + "`";
}

std::string Origin(const Graph& graph, int32_t index, const std::vector<InputValue>& inputs, const Tensor& t) {
  const Node& node = graph.nodes[index];
  if (node.op == NodeOp::kGetAttr) return AttributeOrigin(node, t);
  if (node.op == NodeOp::kPlaceholder) {
    for (size_t i = 0; i < graph.inputs.size() && i < inputs.size(); ++i)
      if (graph.inputs[i].node == index) return inputs[i].origin;
    return "an input of the subgraph";
  }
  const auto frames = ParseStackTrace(node.stack_trace);
  const PythonFrame* frame = HeadlineFrame(frames);
  if (!frame) return "made by node `" + node.name + "`";
  return "made at " + LineText(*frame);
}

std::vector<OperandOrigin> Operands(const Graph& graph, const Node& node, std::span<const Tensor* const> in_question,
    std::span<const Value> values, const std::vector<InputValue>& inputs) {
  std::vector<int32_t> nodes;
  for (const Argument& argument : node.arguments) CollectNodes(argument.value, nodes);
  std::vector<OperandOrigin> operands;
  for (int32_t index : nodes) {
    const Tensor* t = values[index].TryTensor();
    if (!t || operands.size() == kMaxOperands) continue;
    if (!in_question.empty() && std::find(in_question.begin(), in_question.end(), t) == in_question.end()) continue;
    operands.push_back({"%" + graph.nodes[index].name, ToString(t->meta), Origin(graph, index, inputs, *t)});
  }
  return operands;
}

}  // namespace

Diagnostic ReportNode(const Graph& graph, const Node& node, Code code, const std::string& message,
    std::span<const Tensor* const> operands, std::span<const Value> values, const std::vector<InputValue>& inputs) {
  Diagnostic d;
  d.code = code;
  d.message = message;
  d.file = graph.source;
  d.place = node.Place();
  d.node = node.name;
  d.node_text = NodeText(graph, node);
  d.frames = ParseStackTrace(node.stack_trace, node.nn_module_stack);
  d.module = InnermostModule(node.nn_module_stack);
  d.operands = Operands(graph, node, operands, values, inputs);
  return d;
}

}  // namespace fakeprop
