// Graphs as short text, for tests.
//
//   x: f32[2,3]                       an input; `f32[3] grad` requires grad, `f32[6] of x` stands on x's storage
//   y = add.Tensor(x, 1)              an operator of aten; `_operator.getitem(x, 0)` one of Python's
//   z = higher_order.cond(p, f, g, (x,))
//   c = to.dtype(x, i64)              a dtype
//   return y, [z, {"key": x}, slice(None, y, None)]
//
// A subgraph is written before the nodes that use it, with indented lines:
//
//   graph f(x)
//     y = relu(x)
//     return y
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/graph/graph.h"
#include "lib/inputs/inputs.h"

namespace fakeprop::testing {

struct WrittenGraph {
  Graph graph;
  std::vector<InputValue> inputs;

  int32_t IndexOf(std::string_view node) const;
};

// Throws std::invalid_argument if the text is not a graph.
WrittenGraph ReadWrittenGraph(std::string_view text);

// "f32[3, 2], strides [1, 3]": as ToString, but without the device cpu.
std::string ShortText(const Value& value);

}  // namespace fakeprop::testing
