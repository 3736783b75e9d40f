// What goes in and out of a graph: aliases, writes to inputs, and what nothing uses.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "lib/annotations/summary.h"
#include "lib/base/byte_count.h"
#include "lib/lint/checks/checks.h"
#include "lib/lint/replay.h"

namespace fakeprop {
namespace {

// The inputs of the outermost graph by their placeholders.
std::map<int32_t, const Input*> InputsByNode(const CheckedGraph& graph) {
  std::map<int32_t, const Input*> inputs;
  if (!graph.is_outermost()) return inputs;
  for (const Input& input : graph.graph().inputs)
    if (input.node >= 0) inputs.emplace(input.node, &input);
  return inputs;
}

// How messages call an input: "input `x`", "parameter `fc.weight`".
std::string InputName(const CheckedGraph& graph, const Input& input) {
  const std::string name = input.qualified_name.empty() ? graph.at(input.node).node->name : input.qualified_name;
  switch (input.kind) {
    case InputKind::kParameter: return "parameter `" + name + "`";
    case InputKind::kBuffer: return "buffer `" + name + "`";
    default: return "input `" + name + "`";
  }
}

bool IsUserTensor(const CheckedGraph& graph, const Input& input) {
  return input.kind == InputKind::kUserInput && !graph.at(input.node).results.empty();
}

// Placeholders by the storages of their tensors.
class PlaceholdersByStorage {
 public:
  PlaceholdersByStorage(const CheckedGraph& graph, const std::map<int32_t, const Input*>& inputs) {
    for (const auto& [node, input] : inputs)
      if (input->kind != InputKind::kTensorConstant)
        for (const CheckedTensor& tensor : graph.at(node).results) first_.emplace(tensor.storage(), node);
  }
  // The first one with this storage; -1 if there is none.
  int32_t Find(const Storage* storage) const {
    const auto it = first_.find(storage);
    return it == first_.end() ? -1 : it->second;
  }

 private:
  std::unordered_map<const Storage*, int32_t> first_;
};

// Calls that do something besides their results.
bool HasEffect(const CheckedNode& node) {
  if (!node.written.empty() || node.results.empty()) return true;
  return !node.schema && node.node->op == NodeOp::kCallFunction &&
         node.node->target.find("higher_order") != std::string::npos;
}

// Export uses one of the parameters that share storage, and a file without weights does not say which do. So a matrix
// that has exactly one used one of the same sizes may be tied to it.
class UsedParameters {
 public:
  UsedParameters(const CheckedGraph& graph, const std::map<int32_t, const Input*>& inputs) : graph_(graph) {
    for (const auto& [node, input] : inputs) {
      const CheckedNode& used = graph.at(node);
      if (input->kind != InputKind::kParameter || used.users.empty() || used.results.size() != 1) continue;
      of_storage_[used.results[0].storage()].push_back(node);
      of_sizes_[ToString(used.results[0].meta)].push_back(node);
    }
  }

  bool MayBeTied(int32_t unused) const {
    const auto& results = graph_.at(unused).results;
    if (results.size() != 1 || results[0].meta.rank() < 2) return false;
    std::set<int32_t> alike;
    if (const auto it = of_storage_.find(results[0].storage()); it != of_storage_.end())
      alike.insert(it->second.begin(), it->second.end());
    if (const auto it = of_sizes_.find(ToString(results[0].meta)); it != of_sizes_.end())
      alike.insert(it->second.begin(), it->second.begin() + std::min<size_t>(it->second.size(), 2));
    return alike.size() == 1;
  }

 private:
  const CheckedGraph& graph_;
  std::unordered_map<const Storage*, std::vector<int32_t>> of_storage_;
  std::unordered_map<std::string, std::vector<int32_t>> of_sizes_;
};

// No result of the node is used; the getitems of its results count as the node itself.
bool IsUnused(const CheckedGraph& graph, int32_t index) {
  const CheckedNode& node = graph.at(index);
  return std::all_of(node.users.begin(), node.users.end(),
      [&](int32_t user) { return IsGetitem(*graph.at(user).node) && graph.at(user).users.empty(); });
}

}  // namespace

void CheckOutputAliasesInput(const CheckedGraph& graph, const CheckSettings&, CheckReports& out) {
  const std::map<int32_t, const Input*> inputs = InputsByNode(graph);
  const PlaceholdersByStorage placeholders(graph, inputs);
  for (const CheckedNode& node : graph.nodes()) {
    if (node.node->op != NodeOp::kOutput || inputs.empty()) continue;
    for (const int32_t returned : node.inputs) {
      for (const CheckedTensor& tensor : graph.at(returned).results) {
        const int32_t placeholder = placeholders.Find(tensor.storage());
        if (placeholder < 0) continue;
        const std::string name = InputName(graph, *inputs.at(placeholder));
        const std::string what = returned == placeholder
                                     ? "the output is " + name + " itself"
                                     : "the output " + graph.Name(returned) + " is a view of " + name;
        out.push_back({returned, what + ": a write to one changes the other",
            {"help: return `" + graph.at(returned).node->name + ".clone()`, if callers may write to it"}, {}});
        break;
      }
    }
  }
}

void CheckInputWritten(const CheckedGraph& graph, const CheckSettings&, CheckReports& out) {
  const std::map<int32_t, const Input*> inputs = InputsByNode(graph);
  const PlaceholdersByStorage placeholders(graph, inputs);
  std::map<int32_t, size_t> finding_of;  // by placeholder
  for (int32_t i = 0; i < static_cast<int32_t>(graph.nodes().size()); ++i) {
    for (const int32_t written : graph.at(i).written) {
      if (graph.at(written).results.empty()) continue;
      const int32_t placeholder = placeholders.Find(graph.at(written).results[0].storage());
      if (placeholder < 0 || !IsUserTensor(graph, *inputs.at(placeholder))) continue;
      const auto [it, is_new] = finding_of.emplace(placeholder, out.size());
      if (!is_new) {
        out[it->second].others.push_back(i);
        continue;
      }
      out.push_back({i,
          "`" + graph.at(i).op + "` writes to " + InputName(graph, *inputs.at(placeholder)) +
              ", which belongs to the caller",
          {"help: write to `" + graph.at(placeholder).node->name +
              ".clone()`, or use the operator that is not in place"},
          {}});
    }
  }
}

// Bodies of loops and of vmap have what their callers made of them.
void CheckUnusedResult(const CheckedGraph& graph, const CheckSettings&, CheckReports& out) {
  if (!graph.is_outermost()) return;
  for (int32_t i = 0; i < static_cast<int32_t>(graph.nodes().size()); ++i) {
    const CheckedNode& node = graph.at(i);
    if (!node.IsCall() || IsGetitem(*node.node) || HasEffect(node) || !IsUnused(graph, i)) continue;
    if (!graph.MakesStorage(node, node.results[0])) continue;  // a view costs nothing
    if (node.node->target.starts_with("torch._functorch")) continue;
    out.push_back({i, "nothing uses the result of `" + node.op + "`, " + ShapeText(node.results[0]),
        {"help: leave the call out, or return its result"}, {}});
  }
}

void CheckUnusedInput(const CheckedGraph& graph, const CheckSettings&, CheckReports& out) {
  for (const auto& [node, input] : InputsByNode(graph))
    if (IsUserTensor(graph, *input) && graph.at(node).users.empty())
      out.push_back({node, "nothing uses " + InputName(graph, *input),
          {"help: leave it out of the arguments of `forward`, or find out what should have used it"}, {}});
}

// One finding for all: a module that is not called leaves several.
void CheckUnusedParameter(const CheckedGraph& graph, const CheckSettings&, CheckReports& out) {
  std::vector<int32_t> unused;
  const std::map<int32_t, const Input*> inputs = InputsByNode(graph);
  const UsedParameters used(graph, inputs);
  for (const auto& [node, input] : inputs)
    if (input->kind == InputKind::kParameter && graph.at(node).users.empty() && !used.MayBeTied(node))
      unused.push_back(node);
  if (unused.empty()) return;
  int64_t bytes = 0;
  for (const int32_t node : unused)
    for (const CheckedTensor& tensor : graph.at(node).results) bytes += tensor.bytes;
  const std::string first = InputName(graph, *inputs.at(unused[0]));
  const std::string more = unused.size() > 1 ? " and " + Counted(unused.size() - 1, "other parameter") : "";
  out.push_back({unused[0], "nothing uses " + first + more + ", " + BytesText(bytes) + " in all",
      {"help: a module that `forward` does not call should not be there, or should be called"},
      {unused.begin() + 1, unused.end()}});
}

// One finding for all copies of a weight, at the first copy.
void CheckDuplicateWeight(const CheckedGraph& graph, const CheckSettings&, CheckReports& out) {
  if (!graph.is_outermost()) return;
  std::map<int32_t, std::vector<int32_t>> copies;  // by the input that they are copies of: their placeholders
  for (const Input& input : graph.graph().inputs)
    if (input.copy_of >= 0 && !graph.at(input.node).users.empty()) copies[input.copy_of].push_back(input.node);
  const std::map<int32_t, const Input*> inputs = InputsByNode(graph);
  for (const auto& [original, nodes] : copies) {
    const Input& first = graph.graph().inputs[original];
    if (graph.at(first.node).users.empty() || graph.at(nodes[0]).results.empty()) continue;
    const Input& copy = *inputs.at(nodes[0]);
    const std::string more = nodes.size() > 1 ? " and " + Counted(nodes.size() - 1, "other parameter") : "";
    out.push_back({nodes[0],
        InputName(graph, copy) + more + " and " + InputName(graph, first) +
            " hold the same numbers in storages of their own, " + BytesText(graph.at(nodes[0]).results[0].bytes) +
            " each",
        {"the checksums in the archive say so; no weights were read",
            "help: if it is one weight, tie it before the export: `" + copy.qualified_name + " = " +
                first.qualified_name + "`"},
        {nodes.begin() + 1, nodes.end()}});
  }
}

}  // namespace fakeprop
