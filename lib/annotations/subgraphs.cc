#include "lib/annotations/subgraphs.h"

#include <algorithm>

#include "lib/base/check.h"

namespace fakeprop {

const Graph& GraphAt(const Graph& graph, std::string_view path) {
  const Graph* at = &graph;
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find('.'));
    auto it = std::find_if(at->subgraphs.begin(), at->subgraphs.end(), [&](const Subgraph& s) { return s.name == name; });
    FAKEPROP_CHECK(it != at->subgraphs.end());
    at = it->graph.get();
    path.remove_prefix(std::min(path.size(), name.size() + 1));
  }
  return *at;
}

}  // namespace fakeprop
