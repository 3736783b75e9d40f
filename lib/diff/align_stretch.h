// Aligns two short sequences of nodes at the least cost.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "lib/diff/align_nodes.h"

namespace fakeprop {

// The operator without its overload, and without the mark of an in-place form: "torch.ops.aten.add" for
// "torch.ops.aten.add_.Tensor". For other nodes their kind: "placeholder".
std::string_view OperatorOf(const NodeTraits& node);

// Returns true for inputs and attributes.
bool IsSource(const NodeTraits& node);

// Pairs of positions, in order. Nodes of one operator may correspond. An input or attribute with another name also has
// to have the same value.
std::vector<std::pair<size_t, size_t>> AlignStretch(
    const std::vector<const NodeTraits*>& a, const std::vector<const NodeTraits*>& b);

}  // namespace fakeprop
