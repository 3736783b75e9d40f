#include "lib/value_ranges/graph_writes.h"

#include <algorithm>

#include "lib/schema/functional_name.h"
#include "lib/value_ranges/called_operator.h"

namespace fakeprop {
namespace {

// Of the graph or of its subgraphs.
template <typename Is>
bool AnyNode(const Graph& graph, const Is& is) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), is) ||
         std::any_of(graph.subgraphs.begin(), graph.subgraphs.end(),
             [&](const Subgraph& subgraph) { return AnyNode(*subgraph.graph, is); });
}

// Operations of TorchScript that change lists and dicts. They have no schema here.
constexpr std::string_view kListWriters[] = {"Delete", "_set_item", "add_", "append", "clear", "extend", "insert",
    "pop", "popitem", "remove", "reverse", "setdefault", "sort", "update"};

// Operations of TorchScript that write to no tensor.
constexpr std::string_view kScriptReaders[] = {"prim::DictConstruct", "prim::NumToTensor", "prim::RaiseException",
    "prim::Uninitialized", "prim::device", "prim::dtype", "prim::unchecked_cast"};

bool IsScriptReader(const Node& node) {
  return PassesOn(node) ||
         std::find(std::begin(kScriptReaders), std::end(kScriptReaders), node.target) != std::end(kScriptReaders);
}

constexpr std::string_view kOperatorModule = "_operator.";

// `x += y` and kin, and `x[0] = y`.
constexpr std::string_view kWriters[] = {"iadd", "iand", "iconcat", "ifloordiv", "ilshift", "imatmul", "imod", "imul",
    "ior", "ipow", "irshift", "isub", "itruediv", "ixor", "setitem"};

// TorchScript's own operations (`aten::add_.t`) write to lists.
bool WritesFirst(const Node& node) {
  const std::string_view target = node.target;
  if (target.starts_with(kOperatorModule)) return PythonOperatorWrites(target);
  const bool has_python_name = node.op == NodeOp::kCallMethod || node.op == NodeOp::kCallFunction;
  return has_python_name && target.find("::") == std::string_view::npos && FunctionalName(target) != target;
}

// Python's own operators on numbers write nothing.
bool IsPlainPython(const Node& node) {
  return node.target.starts_with(kOperatorModule) && !PythonOperatorWrites(node.target);
}

}  // namespace

bool IsUnknownWriter(const Node& node) {
  if (node.target.find("triton") != std::string::npos) return true;
  if (node.target.starts_with("torch.ops.higher_order.") || IsPlainPython(node) || IsScriptReader(node)) return false;
  return !node.target.starts_with("torch.sym_") && !node.target.starts_with("math.");
}

bool HasWriters(const Graph& graph) {
  return AnyNode(graph, [](const Node& node) {
    if (node.op == NodeOp::kPlaceholder || node.op == NodeOp::kGetAttr || node.op == NodeOp::kOutput) return false;
    const CalledOperator* called = OperatorOf(node);
    return called ? !WrittenArguments(node.arguments, *called->schema).empty() : IsUnknownWriter(node);
  });
}

bool HasListWrites(const Graph& graph) {
  return AnyNode(graph, [](const Node& node) {
    const std::string_view word = AtenWord(node.target);
    return std::find(std::begin(kListWriters), std::end(kListWriters), word) != std::end(kListWriters) &&
           !OperatorOf(node);
  });
}

bool PassesOn(const Node& node) {
  return node.target == "prim::ListConstruct" || node.target == "prim::TupleConstruct" ||
         node.target == "prim::ListUnpack" || node.target == "prim::TupleUnpack";
}

bool PythonOperatorWrites(std::string_view target) {
  if (!target.starts_with(kOperatorModule)) return false;
  return std::ranges::find(kWriters, target.substr(kOperatorModule.size())) != std::end(kWriters);
}

std::vector<size_t> WrittenArguments(std::span<const Argument> arguments, const Schema& schema) {
  std::vector<size_t> written;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i].name;
    const int position = name.empty() ? static_cast<int>(i) : schema.FindArgument(name);
    const bool is_known = position >= 0 && position < static_cast<int>(schema.arguments.size());
    if (is_known && schema.arguments[position].is_write) written.push_back(i);
  }
  return written;
}

std::vector<size_t> WrittenArguments(const Node& node, const Schema* schema) {
  if (schema) return WrittenArguments(node.arguments, *schema);
  std::vector<size_t> written;
  for (size_t i = 0; i < node.arguments.size(); ++i)
    if ((i == 0 && WritesFirst(node)) || node.arguments[i].name == "out") written.push_back(i);
  return written;
}

}  // namespace fakeprop
