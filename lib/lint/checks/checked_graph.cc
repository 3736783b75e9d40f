#include "lib/lint/checks/checked_graph.h"

#include <algorithm>
#include <cctype>

#include "lib/annotations/subgraphs.h"
#include "lib/lint/replay.h"
#include "lib/meta/value_visit.h"
#include "lib/schema/schema_table.h"
#include "lib/value_ranges/graph_writes.h"

namespace fakeprop {
namespace {

bool TakeHints(Dims& dims) {
  for (Dim& dim : dims) {
    const std::optional<int64_t> hint = dim.Hint();
    if (!hint) return false;
    dim = *hint;
  }
  return true;
}

CheckedTensor AtHints(const Tensor& tensor) {
  CheckedTensor checked{&tensor, tensor.meta};
  const std::optional<int64_t> offset = tensor.meta.storage_offset.Hint();
  checked.is_known = offset && TakeHints(checked.meta.sizes) && TakeHints(checked.meta.strides);
  if (!checked.is_known) return checked;
  checked.meta.storage_offset = *offset;
  __int128 numel = 1;
  for (const Dim size : checked.meta.sizes) numel = std::min<__int128>(numel * *size.TryNumber(), INT64_MAX / 16);
  checked.numel = static_cast<int64_t>(numel);
  checked.bytes = checked.numel * ItemSize(checked.meta.dtype);
  return checked;
}

std::string LastWord(const std::string& path) { return path.substr(path.rfind('.') + 1); }

std::string OpOf(const Node& node, const Graph& root) {
  if (node.op == NodeOp::kCallMethod) return node.target;
  if (node.op == NodeOp::kCallModule) {
    std::string name = node.member < 0 ? "" : LastWord(root.modules[node.member].class_name);
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
  }
  if (node.op != NodeOp::kCallFunction) return "";
  const std::string name = OperatorName(node.target);
  if (name.empty()) return LastWord(node.target);
  const std::string word = name.substr(name.rfind(':') + 1);
  return word.substr(0, word.find('.'));
}

std::vector<int32_t> WrittenBy(const Node& node, const Schema* schema) {
  std::vector<int32_t> written;
  for (const size_t i : WrittenArguments(node, schema))
    ForEachNode(node.arguments[i].value, [&](NodeRef ref) { written.push_back(ref.index); });
  return written;
}

}  // namespace

bool CheckedNode::Is(std::initializer_list<std::string_view> names) const {
  return std::find(names.begin(), names.end(), op) != names.end();
}

CheckedGraph::CheckedGraph(const LintRun& run, const GraphAnnotations& annotations, const GraphRanges* ranges)
    : run_(run), annotations_(annotations), graph_(GraphAt(run.graph, annotations.path)), ranges_(ranges) {
  nodes_.resize(graph_.nodes.size());
  for (int32_t i = 0; i < static_cast<int32_t>(nodes_.size()); ++i) AddNode(i);
}

void CheckedGraph::AddNode(int32_t index) {
  CheckedNode& checked = nodes_[index];
  const Node& node = graph_.nodes[index];
  checked.node = &node;
  checked.annotation = &annotations_.nodes[index];
  if (node.op == NodeOp::kCallFunction)
    if (const std::string name = OperatorName(node.target); !name.empty()) checked.schema = FindSchema(name);
  checked.op = OpOf(node, run_.graph);
  ForEachTensor(checked.annotation->value, [&](Tensor& tensor) { checked.results.push_back(AtHints(tensor)); });
  checked.inputs = InputsOf(node);
  for (const int32_t input : checked.inputs) nodes_[input].users.push_back(index);
  if (checked.IsCall()) checked.written = WrittenBy(node, checked.schema);
}

std::vector<const CheckedTensor*> CheckedGraph::InputTensors(const CheckedNode& node) const {
  std::vector<const CheckedTensor*> tensors;
  for (const int32_t input : node.inputs)
    for (const CheckedTensor& tensor : nodes_[input].results) tensors.push_back(&tensor);
  return tensors;
}

bool CheckedGraph::MakesStorage(const CheckedNode& node, const CheckedTensor& result) const {
  const std::vector<const CheckedTensor*> inputs = InputTensors(node);
  return std::none_of(
      inputs.begin(), inputs.end(), [&](const CheckedTensor* input) { return input->storage() == result.storage(); });
}

std::string ShapeText(const CheckedTensor& tensor) {
  const std::string text = ToString(tensor.tensor->meta);
  return text.substr(0, text.find(" on "));
}

}  // namespace fakeprop
