// A chain of small modules `layers.0`, `layers.1` ..., for tests of training.
#pragma once

#include <memory>

#include "lib/graph/graph.h"
#include "lib/interpreter/annotations.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop::testing {

// Each layer is tanh(sigmoid(x * weight)) on 10 elements of float32, and has a weight of the same sizes. Autograd saves
// the result of sigmoid, and that of tanh.
struct Layers {
  Graph graph;
  std::shared_ptr<ShapeEnv> env;
  Annotations annotations;
};
Layers MakeLayers(int count);

}  // namespace fakeprop::testing
