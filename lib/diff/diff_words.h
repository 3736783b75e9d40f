// The words that the reports of a diff share.
#pragma once

#include <string>
#include <vector>

#include "lib/diff/diff_report.h"

namespace fakeprop {

// "3 nodes changed, 1 node added, 2 nodes removed, 12 nodes renamed, 1 guard added; 57 nodes compared".
std::string DiffSummary(const Diff& diff);

// "true_graph_0.relu" for a node of a subgraph.
std::string NodeLabel(const std::string& graph, std::string_view node);

// Entries that a report shows: those that follow from no other, or all. Neighbouring nodes that are added are one
// group, and so are those that are removed.
std::vector<std::vector<const DiffEntry*>> ShownEntries(const DiffReport& report);

// "4 later nodes changed too: a, b, c, ...". Empty without any.
std::string FollowersText(const DiffReport& report, const DiffEntry& entry);

// "max of batch is 64, was 512".
std::string SymbolChangeText(const SymbolChange& change);

// The names of the nodes of a group, at most a few.
std::string NamesText(const std::vector<const DiffEntry*>& group);

// "model.py:12: y = self.conv(x)", or the place in the file.
std::string PlaceText(const DiffNode& node, const DiffSide& side);

}  // namespace fakeprop
