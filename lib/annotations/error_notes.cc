#include "lib/annotations/error_notes.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "lib/annotations/summary.h"
#include "lib/graph/open_value.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

using Kind = NodeAnnotation::Kind;

void NoteSkippedNodes(Annotations& annotations) {
  // Counted by failing node. A node whose subgraph failed has the diagnostic of the node inside.
  std::map<const Node*, size_t> skipped;
  for (const GraphAnnotations& graph : annotations.graphs)
    for (const NodeAnnotation& node : graph.nodes)
      if (node.kind == Kind::kSkipped) ++skipped[node.cause];
  std::map<int, size_t> by_error;
  for (const GraphAnnotations& graph : annotations.graphs)
    for (const NodeAnnotation& node : graph.nodes)
      if (node.kind == Kind::kError) by_error[node.diagnostic] += skipped[node.node];
  for (const auto& [error, count] : by_error) {
    if (count == 0) continue;
    Diagnostic& d = annotations.diagnostics[error];
    d.notes.push_back(Counted(count, "node") + (count == 1 ? " was" : " were") + " skipped because of it");
  }
}

bool IsOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

// Whether the name stands in the text as a word of its own.
bool Names(std::string_view text, std::string_view name) {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !IsOfName(text[at - 1])) && (end == text.size() || !IsOfName(text[end]))) return true;
  }
  return false;
}

bool Shows(const Diagnostic& d, const std::string& symbol) {
  return Names(d.message, symbol) || std::any_of(d.operands.begin(), d.operands.end(),
                                         [&](const OperandOrigin& operand) { return Names(operand.meta, symbol); });
}

// "at n = 13": a reader cannot check `32*n` without.
void NoteHints(const ShapeEnv& env, Diagnostic& d) {
  std::string hints;
  for (const SymbolInfo& symbol : env.symbols())
    if (symbol.hint && Shows(d, symbol.node->name))
      hints += (hints.empty() ? "at " : ", ") + symbol.node->name + " = " + std::to_string(*symbol.hint);
  if (!hints.empty()) d.notes.push_back(hints);
}

// The node of the outermost graph that has the first error, itself or in a subgraph. -1 if there is none.
int32_t FirstFailingNode(const Annotations& annotations) {
  const std::vector<NodeAnnotation>& nodes = annotations.graphs.front().nodes;
  for (size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].kind == Kind::kError && nodes[i].diagnostic == 0) return static_cast<int32_t>(i);
  return -1;
}

// All nodes whose results go into this one, and itself.
std::set<int32_t> WhatGoesInto(const Graph& graph, int32_t node) {
  std::set<int32_t> found{node};
  std::vector<int32_t> open{node};
  while (!open.empty()) {
    const Node& next = graph.nodes[open.back()];
    open.pop_back();
    for (const Argument& argument : next.arguments)
      ForEachNode(argument.value, [&](NodeRef ref) {
        if (found.insert(ref.index).second) open.push_back(ref.index);
      });
  }
  return found;
}

// A wrong rank or size may show far from the input that has it.
void NoteInputs(const Graph& graph, const std::vector<InputValue>& inputs, Annotations& annotations) {
  const auto differs = [](const InputValue& input) { return !input.recorded.empty(); };
  if (annotations.diagnostics.empty() || std::none_of(inputs.begin(), inputs.end(), differs)) return;
  const int32_t failing = FirstFailingNode(annotations);
  if (failing < 0) return;
  const std::set<int32_t> causes = WhatGoesInto(graph, failing);
  for (size_t i = 0; i < graph.inputs.size() && i < inputs.size(); ++i)
    if (differs(inputs[i]) && causes.contains(graph.inputs[i].node))
      annotations.diagnostics.front().notes.push_back(
          inputs[i].origin + " is " + ToString(inputs[i].meta) + "; the graph recorded " + inputs[i].recorded);
}

}  // namespace

void ExplainErrors(const Graph& graph, const std::vector<InputValue>& inputs, Annotations& annotations) {
  if (annotations.diagnostics.empty()) return;
  if (annotations.shape_env)
    for (Diagnostic& d : annotations.diagnostics) NoteHints(*annotations.shape_env, d);
  NoteInputs(graph, inputs, annotations);
  NoteSkippedNodes(annotations);
}

}  // namespace fakeprop
