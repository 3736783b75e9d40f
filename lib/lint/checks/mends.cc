#include "lib/lint/checks/mends.h"

#include <algorithm>
#include <cctype>
#include <memory>

#include "lib/lint/checks/failure.h"

namespace fakeprop {
namespace {

// The first that knows an answer gives it.
constexpr Mend kMends[] = {MendDevice, MendAutograd, MendSwapped, MendLoss, MendLinear, MendConvolution, MendBias,
    MendWindow, MendNorm, MendRecurrent, MendProduct, MendConcatenation, MendView, MendSplit, MendDimension,
    MendBroadcast, MendDtype};

std::optional<FailedOperand> OperandOf(const std::string& name, const CheckedTensor& tensor) {
  if (!tensor.is_known) return std::nullopt;
  FailedOperand operand{.name = name, .dtype = tensor.meta.dtype, .device = tensor.meta.device};
  for (const Dim size : tensor.meta.sizes) operand.sizes.push_back(*size.TryNumber());
  return operand;
}

// The parameters of a module that a call_module runs.
void AddParameters(const CheckedGraph& graph, const CheckedNode& node, std::vector<FailedOperand>& operands) {
  const Graph& root = graph.run().graph;
  if (node.node->op != NodeOp::kCallModule || node.node->member < 0) return;
  const std::string& module = root.modules[node.node->member].name;
  for (const char* kind : {"weight", "weight_ih_l0", "running_mean"})
    for (const Attribute& attribute : root.attributes) {
      if (attribute.name != module + "." + kind) continue;
      FailedOperand operand{.name = attribute.name,
          .dtype = attribute.tensor.dtype,
          .device = attribute.tensor.device,
          .is_parameter = true};
      for (const RecordedSize& size : attribute.tensor.sizes) operand.sizes.push_back(size.number);
      operands.push_back(std::move(operand));
    }
}

bool IsParameter(const CheckedGraph& graph, int32_t node) {
  if (graph.at(node).node->op == NodeOp::kGetAttr) return true;
  return std::ranges::any_of(graph.graph().inputs, [&](const Input& input) {
    return input.node == node && (input.kind == InputKind::kParameter || input.kind == InputKind::kBuffer);
  });
}

std::vector<FailedOperand> OperandsOf(const CheckedGraph& graph, const CheckedNode& node) {
  std::vector<FailedOperand> operands;
  bool is_known = true;
  for (const Argument& argument : node.node->arguments)
    ForEachNode(argument.value, [&](NodeRef ref) {
      const CheckedNode& input = graph.at(ref.index);
      for (const CheckedTensor& tensor : input.results) {
        std::optional<FailedOperand> operand = OperandOf(input.node->name, tensor);
        if (operand) operand->is_parameter = IsParameter(graph, ref.index);
        if (operand) operands.push_back(*operand);
        is_known = is_known && operand.has_value();
      }
    });
  if (!is_known) return {};
  AddParameters(graph, node, operands);
  return operands;
}

std::optional<std::string> FindMend(const Failure& failure) {
  if (failure.operands.empty()) return std::nullopt;
  for (const Mend mend : kMends)
    if (std::optional<std::string> help = mend(failure)) return help;
  return std::nullopt;
}

}  // namespace

int64_t FailedOperand::numel() const { return Product(sizes); }

Sizes Failure::NumbersAfter(std::string_view words) const {
  Sizes numbers;
  const size_t at = message.find(words);
  if (at == std::string_view::npos) return numbers;
  for (size_t i = at + words.size(); i < message.size(); ++i) {
    if (!std::isdigit(static_cast<unsigned char>(message[i]))) continue;
    const bool is_negative = message[i - 1] == '-';
    int64_t number = 0;
    for (; i < message.size() && std::isdigit(static_cast<unsigned char>(message[i])) && number < INT32_MAX; ++i)
      number = number * 10 + (message[i] - '0');
    numbers.push_back(is_negative ? -number : number);
  }
  return numbers;
}

std::string SizesText(const Sizes& sizes) {
  std::string text = "[";
  for (size_t i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + "]";
}

Sizes Swapped(Sizes sizes, int64_t a, int64_t b) {
  std::swap(sizes[a], sizes[b]);
  return sizes;
}

Sizes Unsqueezed(Sizes sizes, int64_t dim) {
  sizes.insert(sizes.begin() + dim, 1);
  return sizes;
}

bool Broadcasts(const Sizes& a, const Sizes& b) {
  for (size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const int64_t x = a[a.size() - i], y = b[b.size() - i];
    if (x != y && x != 1 && y != 1) return false;
  }
  return true;
}

bool EndsWith(const Sizes& sizes, const Sizes& last) {
  return sizes.size() >= last.size() && std::equal(last.rbegin(), last.rend(), sizes.rbegin());
}

int64_t Product(const Sizes& sizes, size_t first) {
  int64_t product = 1;
  for (size_t i = first; i < sizes.size(); ++i)
    if (__builtin_mul_overflow(product, sizes[i], &product)) return -1;
  return product;
}

void AddMends(const LintRun& run, std::vector<Finding>& errors) {
  for (const GraphAnnotations& annotations : run.annotations.graphs) {
    std::unique_ptr<CheckedGraph> graph;  // made for the first error
    for (const NodeAnnotation& node : annotations.nodes) {
      if (node.kind != NodeAnnotation::Kind::kError || node.diagnostic >= static_cast<int>(errors.size())) continue;
      Diagnostic& diagnostic = errors[node.diagnostic].diagnostic;
      if (diagnostic.node != node.node->name) continue;  // of a node in a subgraph
      if (!graph) graph = std::make_unique<CheckedGraph>(run, annotations);
      const CheckedNode& checked = graph->at(static_cast<int32_t>(&node - annotations.nodes.data()));
      const Failure failure{&checked, diagnostic.code.id, diagnostic.message, OperandsOf(*graph, checked)};
      if (const std::optional<std::string> help = FindMend(failure))
        diagnostic.notes.insert(diagnostic.notes.begin(), "help: " + *help);
    }
  }
}

}  // namespace fakeprop
