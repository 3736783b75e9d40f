// Finds which nodes of two graphs correspond: by name where names are reliable, else by module, operator and order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fakeprop {

// The properties of a node that tell it from others.
struct NodeTraits {
  std::string_view name, op, target;
  std::string_view module;  // empty if it is not known
  std::string_view line;    // the text of the user's Python line; empty if it is not known
  std::string value;        // dtype and sizes, with `?` for each size that is an expression
  std::string layout = {};  // storage offset and strides, likewise: slices of one tensor differ in nothing else
};

inline constexpr int32_t kNoNode = -1;

// For each node of `a` the node of `b` that it became, or kNoNode. No two nodes become the same one.
//
// Tracers number the nodes of one operator: add, add_1, add_2. A node more or less gives all later ones another name.
// So a name counts only if both graphs have the same names of that form. Other nodes are aligned as two sequences:
// between the nodes that were matched, with the least differences of module, line, value, layout and name. Only nodes
// of one operator, in any overload, correspond. Takes O(n log n) and O(n * (256 + |n - m|)) at most, for stretches
// without a match of n and m nodes, and never more than 2^26 steps for such a stretch.
std::vector<int32_t> AlignNodes(const std::vector<NodeTraits>& a, const std::vector<NodeTraits>& b);

}  // namespace fakeprop
