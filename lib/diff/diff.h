// Finds what changed between two runs: which values have another shape, stride, dtype, device or aliasing, which nodes
// are new or gone, which guards.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/diff/diff_side.h"
#include "lib/diff/diff_values.h"

namespace fakeprop {

// A node that changed, is new, is gone or has another name. Null where a side does not have it.
struct DiffEntry {
  enum class Kind { kChanged, kAdded, kRemoved } kind = Kind::kChanged;
  std::string graph;  // "true_graph_0"; empty for the outermost graph
  const DiffNode* from = nullptr;
  const DiffNode* to = nullptr;
  std::vector<FieldChange> fields;  // of kChanged
  // Of kChanged: what the node reads changed or is new, so this change may follow from that. The position of the entry
  // that the change goes back to; -1 if there is none.
  int follows = -1;
  size_t followers = 0;  // how many entries go back to this one

  // The node as messages call it: as it is now, else as it was.
  const DiffNode& node() const { return to ? *to : *from; }
};

struct GuardChange {
  bool is_added = false;
  std::string expression;
  std::string node, line;  // where the guard was made; empty if it is not known
};

// A bound of a symbol that has other values: "min", "max", "multiple_of".
struct SymbolChange {
  std::string name, was_name, bound, from, to;  // "none" where a side has no such bound
};

struct RenamedNode {
  std::string graph, from, to;
};

// A node of either graph beside the one that it corresponds to. Null where a side does not have it.
struct DiffRow {
  const DiffNode* from = nullptr;
  const DiffNode* to = nullptr;
  int entry = -1;  // the position of what changed; -1 for nothing
};

struct Diff {
  std::vector<DiffEntry> entries;  // in the order of the second graph; what is gone stands where it was
  std::vector<DiffRow> rows;       // every node, in the same order
  std::vector<GuardChange> guards;
  std::vector<SymbolChange> symbols;
  std::vector<RenamedNode> renamed;
  size_t compared = 0;  // nodes that both have

  bool IsEmpty() const { return entries.empty() && guards.empty() && symbols.empty(); }
  size_t Count(DiffEntry::Kind kind) const;
};

// The sides must outlive the result. Takes time in proportion to the graphs, see align_nodes.h.
Diff CompareSides(const DiffSide& from, const DiffSide& to);

}  // namespace fakeprop
