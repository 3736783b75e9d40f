// What every node produces for sizes that are symbols, and what that rests on: symbolic_graph GRAPH SPEC.
#include <fstream>
#include <iostream>
#include <sstream>

#include "fakeprop/propagate.h"

namespace {

using namespace fakeprop;

std::string ReadText(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void Print(const AnnotatedNode& node) {
  std::cout << node.name() << ": ";
  switch (node.outcome()) {
    case AnnotatedNode::Outcome::kValue: std::cout << ToString(node.value()) << "\n"; break;
    case AnnotatedNode::Outcome::kError: std::cout << node.error()->message << "\n"; break;
    case AnnotatedNode::Outcome::kSkipped: std::cout << "skipped for " << node.skipped_for() << "\n"; break;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: symbolic_graph GRAPH SPEC\n";
    return 2;
  }
  DiagnosticSink sink;
  const auto graph = ReadGraph(argv[1], sink);
  const auto inputs =
      graph ? ResolveInputs(*graph, sink, {.spec = ReadText(argv[2]), .spec_name = argv[2]}) : std::nullopt;
  if (!inputs) {
    std::cerr << ToString(sink);
    return 2;
  }
  const AnnotatedGraph annotated = Propagate(*graph, *inputs, {.keep_going = true});
  for (const AnnotatedNode& node : annotated.nodes()) Print(node);
  for (const ShapeGuard& guard : annotated.guards())
    std::cout << "assumed: " << guard.expression << ", by " << guard.node << "\n";

  const SizeExpr rows = TensorsIn(annotated.nodes().back().value()).at(0).shape.at(2);
  std::cout << ToString(rows) << " is " << rows.hint.value_or(0) << " at the hints and "
            << Evaluate(rows, {{"h", 100}}).value_or(0) << " for h = 100\n";
}
