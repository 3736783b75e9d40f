// Where in the graph something happened, and what messages call that place.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace fakeprop {

// A place in the graph. Both texts outlive the run.
struct GraphPlace {
  std::string_view node;         // empty for the inputs
  std::string_view stack_trace;  // of the user's Python code
};

// Returns what messages call a place.
using PlaceDescriber = std::function<std::string(const GraphPlace&)>;

// What messages call the place: "the inputs" if it has no node, else what the describer says. Without a describer it is
// "node `add`".
inline std::string PlaceText(const GraphPlace& place, const PlaceDescriber& describer) {
  if (place.node.empty()) return "the inputs";
  return describer ? describer(place) : "node `" + std::string(place.node) + "`";
}

}  // namespace fakeprop
