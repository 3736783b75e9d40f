#include "lib/value_ranges/written_storages.h"

#include <algorithm>

#include "lib/annotations/subgraphs.h"
#include "lib/meta/value_visit.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

// "add_" of "torch.ops.aten.add_.Tensor".
std::string_view OpWord(std::string_view target) {
  constexpr std::string_view kOps = "torch.ops.";
  if (!target.starts_with(kOps)) return target;
  target.remove_prefix(kOps.size());
  target.remove_prefix(std::min(target.size(), target.find('.') + 1));
  return target.substr(0, target.find('.'));
}

// Cheap, and true for every call that may write; operators of aten that write end with `_` or have `out`.
bool MayWrite(const Node& node) {
  if (node.op == NodeOp::kPlaceholder || node.op == NodeOp::kGetAttr || node.op == NodeOp::kOutput) return false;
  if (!node.target.starts_with("torch.ops.aten.")) return node.target != "_operator.getitem";
  if (OpWord(node.target).ends_with('_') && !OpWord(node.target).ends_with("__")) return true;
  return node.target.ends_with("out");
}

// Python's own operators on numbers write nothing.
bool IsPlainPython(const Node& node) {
  return node.target.starts_with("_operator.") && !node.target.starts_with("_operator.i") &&
         node.target != "_operator.setitem";
}

bool IsWriterOfUnknown(const Node& node) {
  if (node.target.find("triton") != std::string::npos) return true;
  if (node.target.starts_with("torch.ops.higher_order.") || IsPlainPython(node)) return false;
  return !node.target.starts_with("torch.sym_") && !node.target.starts_with("math.");
}

class Finder {
 public:
  explicit Finder(WrittenStorages& written) : written_(written) {}

  void Look(const Graph& graph, const GraphAnnotations& annotations) {
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (MayWrite(graph.nodes[i])) LookAt(static_cast<int32_t>(i), graph.nodes[i], annotations);
  }

 private:
  void LookAt(int32_t index, const Node& node, const GraphAnnotations& annotations) {
    const Schema* schema = SchemaOf(node);
    if (!schema && !IsWriterOfUnknown(node)) return;
    auto& into = schema && annotations.path.empty() ? written_.outermost : written_.elsewhere;
    if (!schema) {
      for (const Argument& argument : node.arguments) Add(argument.value, annotations, into);
      return;
    }
    const std::vector<size_t> arguments = WrittenArguments(node, *schema);
    for (const size_t i : arguments) Add(node.arguments[i].value, annotations, into);
    if (!arguments.empty() && annotations.path.empty()) written_.writers.insert(index);
  }

  static void Add(
      const GraphValue& value, const GraphAnnotations& annotations, std::unordered_set<const Storage*>& into) {
    ForEachNode(value, [&](NodeRef ref) {
      ForEachTensor(annotations.nodes[ref.index].value, [&](const Tensor& tensor) { into.insert(tensor.storage); });
    });
  }

  WrittenStorages& written_;
};

}  // namespace

const Schema* SchemaOf(const Node& node) {
  if (node.op != NodeOp::kCallFunction) return nullptr;
  const std::string name = OperatorName(node.target);
  return name.empty() ? nullptr : FindSchema(name);
}

std::vector<size_t> WrittenArguments(const Node& node, const Schema& schema) {
  std::vector<size_t> written;
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    const std::string_view name = node.arguments[i].name;
    const int position = name.empty() ? static_cast<int>(i) : schema.FindArgument(name);
    const bool is_known = position >= 0 && position < static_cast<int>(schema.arguments.size());
    if (is_known && schema.arguments[position].is_write) written.push_back(i);
  }
  return written;
}

WrittenStorages FindWrittenStorages(const Graph& graph, const Annotations& annotations) {
  WrittenStorages written;
  for (const GraphAnnotations& annotation : annotations.graphs)
    Finder(written).Look(GraphAt(graph, annotation.path), annotation);
  return written;
}

}  // namespace fakeprop
