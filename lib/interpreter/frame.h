// One graph of a run: its nodes' values so far, and how they ended.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "lib/interpreter/annotation_writer.h"
#include "lib/interpreter/resolve.h"

namespace fakeprop {

struct Frame {
  const Graph& graph;
  const std::vector<ResolvedNode>& resolved;
  std::string path = {};  // as GraphAnnotations has them
  std::string call = {};
  std::span<const Value> arguments = {};           // of a subgraph's placeholders
  size_t next_input = 0;                           // the placeholder that comes next
  size_t annotations = kNotKept;                   // which graph of the annotations this one is
  std::vector<Value> values = {};                  // of each node
  std::vector<int32_t> failed_by = {};             // the node that each one's failure goes back to; -1 where it is well
  int32_t first_failure = -1;                      // the first node that failed by itself; -1 where none did
  std::map<const Tensor*, int32_t> poisoned = {};  // what a failed node was to change, by that node
  const Value* output = nullptr;                   // once the output node has run

  bool IsOutermost() const { return annotations == 0; }
};

}  // namespace fakeprop
