// A graph of torch.export on fakes of a mode: graphs GRAPH.
#include <ATen/ATen.h>

#include <iostream>

#include "lib/fake/fake_tensor_prop.h"
#include "lib/readers/reader.h"

int main(int argc, char** argv) {
  using namespace fakeprop;
  DiagnosticSink sink;
  const std::optional<Graph> graph = argc > 1 ? ReadGraph(argv[1], sink) : std::nullopt;
  if (!graph) {
    std::cerr << (argc > 1 ? sink.diagnostics().at(0).message : "usage: graphs GRAPH") << "\n";
    return 2;
  }
  const FakeTensorMode mode;
  const std::optional<std::vector<InputValue>> recorded = ResolveInputs(*graph, "", "", sink);
  if (!recorded) return 2;
  std::vector<c10::IValue> inputs;
  const FakeModeGuard on(mode);
  for (const InputValue& input : *recorded) {
    std::vector<int64_t> sizes;
    for (const Dim size : input.meta.sizes) sizes.push_back(size.Specialize());
    inputs.push_back(at::empty(sizes, at::device(input.meta.device).dtype(input.meta.dtype)));
  }
  FakeTensorProp prop(*graph, mode);
  const c10::IValue output = prop.PropagateDontConvertInputs(inputs);
  std::cout << prop.annotations().graphs[0].nodes.size() << " nodes\n";
  for (const c10::IValue& result : output.toTupleRef().elements())
    std::cout << "result " << result.toTensor().sizes() << " on " << result.toTensor().device() << "\n";
}
