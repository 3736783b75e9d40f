// The interpreter as a library, without LibTorch's operators and without the command line: propagate GRAPH.
#include <iostream>

#include "lib/interpreter/propagate.h"
#include "lib/readers/reader.h"

int main(int argc, char** argv) {
  using namespace fakeprop;
  DiagnosticSink sink;
  const std::optional<Graph> graph = argc > 1 ? ReadGraph(argv[1], sink) : std::nullopt;
  const auto env = std::make_shared<ShapeEnv>();
  const auto inputs = graph ? ResolveInputs(*graph, "", "", sink, env.get()) : std::nullopt;
  if (!inputs) {
    std::cerr << (argc > 1 ? sink.diagnostics().at(0).message : "usage: propagate GRAPH") << "\n";
    return 2;
  }
  const Annotations annotations = Propagate(*graph, *inputs, {.keep_going = true, .shape_env = env});
  for (const Diagnostic& error : annotations.diagnostics) std::cout << error.node << ": " << error.message << "\n";
  size_t values = 0;
  int64_t bytes = 0;
  for (const NodeAnnotation& node : annotations.graphs[0].nodes) values += node.kind == NodeAnnotation::Kind::kValue;
  for (const Storage* storage : annotations.storages) bytes += storage->nbytes.Hint().value_or(0);
  std::cout << values << " values on " << annotations.storages.size() << " storages of " << bytes << " bytes\n";
}
