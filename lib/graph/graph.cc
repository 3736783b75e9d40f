#include "lib/graph/graph.h"

namespace fakeprop {

std::string_view Name(NodeOp op) {
  switch (op) {
    case NodeOp::kPlaceholder: return "placeholder";
    case NodeOp::kGetAttr: return "get_attr";
    case NodeOp::kCallFunction: return "call_function";
    case NodeOp::kCallMethod: return "call_method";
    case NodeOp::kCallModule: return "call_module";
    case NodeOp::kOutput: return "output";
  }
  return "call_function";
}

std::string Node::Place() const {
  std::string place(place_prefix);
  if (place_index >= 0) place += "/" + std::to_string(place_index);
  return place;
}

const Node* Graph::FindNode(std::string_view name) const {
  for (const Node& node : nodes)
    if (node.name == name) return &node;
  return nullptr;
}

}  // namespace fakeprop
