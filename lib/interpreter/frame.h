// One graph of a run: the values of its nodes so far, and which nodes failed.
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
  std::string path = {};  // as in GraphAnnotations
  std::string call = {};
  std::span<const Value> arguments = {};           // the values of a subgraph's placeholders
  size_t next_input = 0;                           // the index of the next placeholder
  size_t annotations = kNotKept;                   // the index of this graph in the annotations
  std::vector<Value> values = {};                  // of each node
  std::vector<int32_t> failed_by = {};             // for each node, the failed node that is the cause; -1 for none
  int32_t first_failure = -1;                      // the first node that failed by itself; -1 if none did
  std::map<const Tensor*, int32_t> poisoned = {};  // tensors that a failed node should have changed, with that node
  const Value* output = nullptr;                   // set once the output node has run

  bool IsOutermost() const { return annotations == 0; }
};

}  // namespace fakeprop
