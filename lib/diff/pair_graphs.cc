#include "lib/diff/pair_graphs.h"

#include <set>

#include "lib/diff/diff_values.h"
#include "lib/json/json_copy.h"

namespace fakeprop {
namespace {

std::string SizeText(JsonValue size) { return size.kind() == JsonKind::kInteger ? std::to_string(size.AsInt()) : "?"; }

// "float32[2, ?]": sizes that are expressions depend on the names of symbols.
std::string SignatureOf(const DiffNode& node) {
  if (!node.value) return "failed";
  if (!HasType(*node.value, "tensor")) return BriefValue(*node.value);
  std::string text(node.value->Get("dtype").AsString());
  for (JsonValue size : node.value->Get("shape")) text += "," + SizeText(size);
  return text;
}

// "4,8,1": offset and strides.
std::string LayoutOf(const DiffNode& node) {
  if (!node.value || !HasType(*node.value, "tensor")) return "";
  const std::optional<JsonValue> offset = node.value->Find("storage_offset");
  std::string text = offset ? SizeText(*offset) : "";
  for (JsonValue stride : node.value->Get("stride")) text += "," + SizeText(stride);
  return text;
}

std::vector<NodeTraits> TraitsOf(const DiffGraph& graph) {
  std::vector<NodeTraits> traits;
  traits.reserve(graph.nodes.size());
  for (const DiffNode& node : graph.nodes) {
    const std::string_view line = node.line ? std::string_view(node.line->source) : std::string_view();
    traits.push_back({node.name, node.op, node.target, node.module, line, SignatureOf(node), LayoutOf(node)});
  }
  return traits;
}

class GraphPairer {
 public:
  GraphPairer(const DiffSide& from, const DiffSide& to) : from_(from), to_(to) {}

  GraphPairs Pair() {
    PairPaths("", "");
    // The list grows while it is visited: subgraphs have subgraphs.
    for (size_t i = 0; i < pairs_.pairs.size(); ++i) PairSubgraphsOf(i);
    for (const DiffGraph& graph : from_.graphs) PairPaths(graph.path, graph.path);
    for (const DiffGraph& graph : from_.graphs)
      if (!done_from_.contains(&graph)) pairs_.only_from.push_back(&graph);
    for (const DiffGraph& graph : to_.graphs)
      if (!done_to_.contains(&graph)) pairs_.only_to.push_back(&graph);
    return std::move(pairs_);
  }

 private:
  static const DiffGraph* Find(const DiffSide& side, const std::string& path, const std::string& call) {
    for (const DiffGraph& graph : side.graphs)
      if (graph.path == path && graph.call == call) return &graph;
    return nullptr;
  }

  // The first runs of two graphs, and their later runs, by the names of the nodes that call them.
  void PairPaths(const std::string& from, const std::string& to) {
    for (const DiffGraph& graph : from_.graphs) {
      if (graph.path != from) continue;
      const DiffGraph* other = Find(to_, to, NameInOther(graph.call));
      if (!other || done_from_.contains(&graph) || done_to_.contains(other)) continue;
      done_from_.insert(&graph);
      done_to_.insert(other);
      pairs_.pairs.push_back({&graph, other, AlignNodes(TraitsOf(graph), TraitsOf(*other))});
    }
  }

  // What a node of the outermost graph is called on the other side.
  std::string NameInOther(const std::string& name) const {
    if (name.empty()) return name;
    const GraphPair& outermost = pairs_.pairs.front();
    for (size_t i = 0; i < outermost.from->nodes.size(); ++i)
      if (outermost.from->nodes[i].name == name && outermost.to_of[i] != kNoNode)
        return std::string(outermost.to->nodes[static_cast<size_t>(outermost.to_of[i])].name);
    return name;
  }

  void PairSubgraphsOf(size_t index) {
    const GraphPair pair = pairs_.pairs[index];  // a copy, since the list grows
    for (size_t i = 0; i < pair.from->nodes.size(); ++i) {
      if (pair.to_of[i] == kNoNode) continue;
      const DiffNode &from = pair.from->nodes[i], &to = pair.to->nodes[static_cast<size_t>(pair.to_of[i])];
      if (!from.value || !to.value) continue;
      VisitPairs(*from.value, *to.value, "graph",
          [&](JsonValue a, JsonValue b) { PairPaths(PathOf(*pair.from, a), PathOf(*pair.to, b)); });
    }
  }

  static std::string PathOf(const DiffGraph& parent, JsonValue graph) {
    return (parent.path.empty() ? "" : parent.path + ".") + std::string(graph.Get("name").AsString());
  }

  const DiffSide& from_;
  const DiffSide& to_;
  GraphPairs pairs_;
  std::set<const DiffGraph*> done_from_, done_to_;
};

}  // namespace

GraphPairs PairGraphs(const DiffSide& from, const DiffSide& to) { return GraphPairer(from, to).Pair(); }

}  // namespace fakeprop
