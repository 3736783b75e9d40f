// Places in the graph, and their names in messages.
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

// Returns the name of a place in messages.
using PlaceDescriber = std::function<std::string(const GraphPlace&)>;

// The name of the place in messages: "the inputs" if it has no node, else the describer's text. Without a describer it
// is "node `add`".
inline std::string PlaceText(const GraphPlace& place, const PlaceDescriber& describer) {
  if (place.node.empty()) return "the inputs";
  return describer ? describer(place) : "node `" + std::string(place.node) + "`";
}

}  // namespace fakeprop
