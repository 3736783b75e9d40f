// Prints what every node of a graph produces: shapes GRAPH.
#include <iostream>
#include <stdexcept>

#include "fakeprop/propagate.h"

int main(int argc, char** argv) {
  fakeprop::DiagnosticSink sink;
  const auto graph = argc == 2 ? fakeprop::ReadGraph(argv[1], sink) : std::nullopt;
  const auto inputs = graph ? fakeprop::ResolveInputs(*graph, sink) : std::nullopt;
  if (!inputs) {
    std::cerr << "usage: shapes GRAPH\n" << ToString(sink);
    return 2;
  }
  const fakeprop::AnnotatedGraph annotated = fakeprop::Propagate(*graph, *inputs);
  for (const fakeprop::AnnotatedNode& node : annotated.nodes())
    std::cout << node.name() << " " << ToString(node.value()) << "\n";
  try {  // exceptions leave the library as they should
    Propagate(*fakeprop::ReadGraph(argv[1], sink), *inputs);
  } catch (const std::invalid_argument& e) {
    std::cout << "inputs of another graph: " << e.what() << "\n";
  }
  return annotated.ok() ? 0 : 1;
}
