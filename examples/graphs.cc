// A graph of torch.export on fakes of a mode: graphs GRAPH.
#include <ATen/ATen.h>

#include <iostream>

#include "fakeprop/fake_tensor_prop.h"

int main(int argc, char** argv) {
  using namespace fakeprop;
  if (argc != 2) {
    std::cerr << "usage: graphs GRAPH\n";
    return 2;
  }
  DiagnosticSink sink;
  const std::optional<LoadedGraph> graph = ReadGraph(argv[1], sink);
  const std::optional<Inputs> inputs = graph ? ResolveInputs(*graph, sink, {.symbolic = false}) : std::nullopt;
  if (!inputs) {
    std::cerr << ToString(sink);
    return 2;
  }
  FakeTensorProp prop(*graph, FakeTensorMode());
  const c10::IValue output = prop.PropagateDontConvertInputs(prop.MakeInputs(*inputs));
  std::cout << prop.annotations().nodes().size() << " nodes\n";
  for (const c10::IValue& result : output.toTupleRef().elements())
    std::cout << "result " << result.toTensor().sizes() << " on " << result.toTensor().device() << "\n";
}
