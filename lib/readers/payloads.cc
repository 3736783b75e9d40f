#include "lib/readers/payloads.h"

#include <unordered_map>

#include "lib/archive/copied_weights.h"
#include "lib/archive/elements.h"
#include "lib/readers/export_values.h"

namespace fakeprop {
namespace {

void RefuseExpressions(JsonValue json, const RecordedTensor& tensor) {
  const auto is_expression = [](const RecordedSize& size) { return !size.expression.empty(); };
  for (const auto* sizes : {&tensor.sizes, &tensor.strides})
    for (const RecordedSize& size : *sizes)
      if (is_expression(size)) json.FailExpected("sizes in numbers");
  if (is_expression(tensor.storage_offset)) json.Get("storage_offset").FailExpected("a number");
}

}  // namespace

void AttachPayloads(
    JsonValue table, const ZipArchive& archive, const std::string& folder, Graph& graph, BufferReading* buffers) {
  std::unordered_map<std::string_view, JsonValue> payloads;
  for (JsonValue payload : table.Get("config").AsObject()) payloads.emplace(payload.key(), payload);
  std::unordered_map<std::string_view, int32_t> owners;  // by payload: the first input that stands on it
  std::vector<StoredWeight> weights;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    Input& input = graph.inputs[i];
    auto it = payloads.find(input.qualified_name);
    if (input.kind == InputKind::kUserInput || input.qualified_name.empty() || it == payloads.end()) continue;
    const std::optional<JsonValue> meta = it->second.Find("tensor_meta");
    // What is pickled is a tensor of another class: nothing is known but what the graph recorded.
    if (!meta || it->second.Get("use_pickle").AsBool()) continue;
    RecordedTensor tensor = ReadTensorMeta(*meta);
    RefuseExpressions(*meta, tensor);
    const std::string_view path = it->second.Get("path_name").AsString();
    const auto [owner, is_first] = owners.emplace(path, static_cast<int32_t>(i));
    if (!is_first) input.storage_of = owner->second;
    if (is_first && input.kind == InputKind::kParameter && tensor.sizes.size() >= 2)
      weights.push_back({i, folder + std::string(path), tensor.dtype});
    if (buffers && input.kind == InputKind::kBuffer)
      if (const auto bounds = ReadBounds(tensor, archive, folder + std::string(path), buffers->most_bytes))
        buffers->bounds.emplace(input.qualified_name, *bounds);
    if (input.kind == InputKind::kTensorConstant)
      input.elements = ReadElements(tensor, archive, folder + std::string(path));
    graph.recorded.insert_or_assign(graph.nodes[input.node].name, std::move(tensor));
  }
  FindCopiedWeights(weights, archive, graph);
}

}  // namespace fakeprop
