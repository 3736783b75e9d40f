#include "lib/annotations/subgraphs.h"

#include <algorithm>

#include "lib/base/check.h"

namespace fakeprop {

const Graph* TryGraphAt(const Graph& graph, std::string_view path) {
  const Graph* at = &graph;
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find('.'));
    auto it =
        std::find_if(at->subgraphs.begin(), at->subgraphs.end(), [&](const Subgraph& s) { return s.name == name; });
    if (it == at->subgraphs.end()) return nullptr;
    at = it->graph.get();
    path.remove_prefix(std::min(path.size(), name.size() + 1));
  }
  return at;
}

const Graph& GraphAt(const Graph& graph, std::string_view path) {
  const Graph* at = TryGraphAt(graph, path);
  FAKEPROP_CHECK(at != nullptr);
  return *at;
}

}  // namespace fakeprop
