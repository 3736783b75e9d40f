// What every node of a graph produces, without LibTorch's operators: propagate GRAPH.
#include <iostream>

#include "fakeprop/propagate.h"

int main(int argc, char** argv) {
  using namespace fakeprop;
  if (argc != 2) {
    std::cerr << "usage: propagate GRAPH\n";
    return 2;
  }
  DiagnosticSink sink;
  const std::optional<LoadedGraph> graph = ReadGraph(argv[1], sink);
  const std::optional<Inputs> inputs = graph ? ResolveInputs(*graph, sink) : std::nullopt;
  if (!inputs) {
    std::cerr << ToString(sink);
    return 2;
  }
  const AnnotatedGraph annotated = Propagate(*graph, *inputs, {.keep_going = true});
  for (const Diagnostic& error : annotated.errors()) std::cout << error.node << ": " << error.message << "\n";
  size_t values = 0;
  int64_t bytes = 0;
  for (const AnnotatedNode& node : annotated.nodes()) values += node.outcome() == AnnotatedNode::Outcome::kValue;
  for (const StorageMetadata& storage : annotated.storages()) bytes += storage.nbytes.hint.value_or(0);
  std::cout << values << " values on " << annotated.storages().size() << " storages of " << bytes << " bytes\n";
}
