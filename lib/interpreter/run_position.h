// The current place of a run: guards and errors name it, and it has recorded names for the next unbacked symbols.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lib/graph/unbacked_bindings.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

class RunPosition {
 public:
  explicit RunPosition(ShapeEnv& shape_env) : shape_env_(shape_env) {}

  void MoveTo(const Graph& graph, int32_t node);
  // Names that the file recorded for the symbols of this node; null if it has none.
  const std::vector<std::string>* RecordedNamesHere();

  // Restores the earlier place when it is destroyed.
  class Guard {
   public:
    explicit Guard(RunPosition& position);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    RunPosition& position_;
    const Graph* graph_;
    int32_t node_;
    GraphPlace place_;
  };

 private:
  ShapeEnv& shape_env_;
  const Graph* graph_ = nullptr;
  int32_t node_ = -1;
  std::map<const Graph*, RecordedNames> recorded_names_;
};

// "node `item` (model.py:7: n = x.item())"
std::string DescribePlace(const GraphPlace& place);

}  // namespace fakeprop
