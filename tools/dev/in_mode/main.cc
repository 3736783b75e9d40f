// Propagates a graph as `fakeprop GRAPH --keep-going -o FILE [--inputs SPEC] [--op-rules FILE]` does, but every
// operator goes by way of at::Tensors, LibTorch's dispatcher and a FakeTensorMode: the rules' second host, for the
// scripts that compare with PyTorch.
#include <fstream>
#include <iostream>
#include <string>

#include "lib/annotations/annotations_json.h"
#include "lib/base/testing/read_text.h"
#include "lib/fake/testing/mode_fallback.h"
#include "lib/inputs/inputs.h"
#include "lib/interpreter/run_graph_through.h"
#include "lib/libtorch_fallback/dry_run.h"
#include "lib/python/op_rules.h"
#include "lib/readers/read_graph.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

struct Arguments {
  std::string graph, spec, output, op_rules;
};

Arguments Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--keep-going") continue;
    std::string& to = argument == "-o"           ? arguments.output
                      : argument == "--inputs"   ? arguments.spec
                      : argument == "--op-rules" ? arguments.op_rules
                                                 : arguments.graph;
    to = &to == &arguments.graph ? argument : i + 1 < argc ? argv[++i] : "";
  }
  return arguments;
}

int Fail(const DiagnosticSink& sink) {
  for (const Diagnostic& d : sink.diagnostics()) std::cerr << d.message << '\n';
  return 2;
}

int Run(const Arguments& arguments) {
  DiagnosticSink sink;
  const auto graph = ReadGraph(arguments.graph, sink);
  if (!graph) return Fail(sink);
  auto shape_env = std::make_shared<ShapeEnv>();
  auto inputs = ResolveInputs(
      *graph, arguments.spec.empty() ? "" : ReadTextFile(arguments.spec), arguments.spec, sink, shape_env.get());
  if (!inputs) return Fail(sink);
  SpecializeToHints(*inputs, *shape_env);
  OpRules op_rules;
  if (!arguments.op_rules.empty() && !op_rules.Add(ReadTextFile(arguments.op_rules), arguments.op_rules, sink))
    return Fail(sink);
  testing::ModeFallback in_mode;
  DryRunFallback dry_run;
  RunOptions options;
  options.keep_going = true;
  options.op_rules = &op_rules;
  LibTorchFallback* const served = dry_run.Before(&in_mode);
  options.open_libtorch = [&](std::string&) { return served; };
  const Annotations annotations = RunGraphThrough(*graph, *inputs, options, *served);
  std::ofstream(arguments.output) << WriteAnnotations(*graph, annotations);
  return annotations.diagnostics.empty() ? 0 : 1;
}

}  // namespace
}  // namespace fakeprop

int main(int argc, char** argv) { return fakeprop::Run(fakeprop::Parse(argc, argv)); }
