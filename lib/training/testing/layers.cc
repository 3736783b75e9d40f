#include "lib/training/testing/layers.h"

#include <deque>
#include <string>

#include "lib/interpreter/run_graph.h"
#include "lib/interpreter/testing/written_graph.h"

namespace fakeprop::testing {
namespace {

std::string TextOf(int count) {
  std::string inputs = "x: f32[10]\n", nodes, last = "x";
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    inputs += "p" + number + ": f32[10] grad\n";
    nodes += "a" + number + " = mul.Tensor(" + last + ", p" + number + ")\n";
    nodes += "b" + number + " = sigmoid(a" + number + ")\n";
    nodes += "c" + number + " = tanh(b" + number + ")\n";
    last = "c" + number;
  }
  return inputs + nodes + "return " + last;
}

// A text that lives as long as the program, since graphs have views of it.
std::string_view StackOf(int layer) {
  static std::deque<std::string>& stacks = *new std::deque<std::string>;
  while (static_cast<int>(stacks.size()) <= layer)
    stacks.push_back("r,,Net;l,layers." + std::to_string(stacks.size()) + ",Layer");
  return stacks[layer];
}

}  // namespace

Layers MakeLayers(int count) {
  WrittenGraph written = ReadWrittenGraph(TextOf(count));
  for (Input& input : written.graph.inputs) {
    const std::string& name = written.graph.nodes[input.node].name;
    if (name[0] != 'p') continue;
    input.kind = InputKind::kParameter;
    input.qualified_name = "layers." + name.substr(1) + ".weight";
  }
  for (Node& node : written.graph.nodes)
    if (node.op == NodeOp::kCallFunction) node.nn_module_stack = StackOf(std::stoi(node.name.substr(1)));
  RunOptions options;
  options.shape_env = std::make_shared<ShapeEnv>();
  Annotations annotations = RunGraph(written.graph, written.inputs, options);
  return {std::move(written.graph), options.shape_env, std::move(annotations)};
}

}  // namespace fakeprop::testing
