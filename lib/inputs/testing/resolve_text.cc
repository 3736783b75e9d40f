#include "lib/inputs/testing/resolve_text.h"

#include <gtest/gtest.h>

#include <sstream>

#include "lib/inputs/inputs.h"
#include "lib/meta/dtype.h"
#include "lib/readers/read_graph.h"
#include "lib/readers/testing/graph_text.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop::testing {
namespace {

// The position of a container's item, as the container refers to it: "%3".
std::string NameOf(const Graph& graph, size_t i) {
  return i < graph.inputs.size() ? graph.nodes[graph.inputs[i].node].name : "%" + std::to_string(i);
}

std::string ValueText(const InputValue& value, const Graph& graph) {
  if (!value.is_tensor) {
    // An operator's text is its target, without quotes.
    const auto name = [](InputRef ref) -> Value { return Operator{"%" + std::to_string(ref.index)}; };
    return ToString(Fill(value.value, name));
  }
  const TensorMeta& meta = value.meta;
  std::string text = std::string(ShortDtypeName(meta.dtype)) + ToString(meta.size_span()) + " on " + meta.device.str() +
                     " strides " + ToString(meta.stride_span());
  if (*meta.storage_offset.TryNumber() != 0) text += " offset " + meta.storage_offset.ToString();
  if (value.requires_grad) text += " requires_grad";
  if (value.view_of >= 0) text += " on the storage of " + NameOf(graph, static_cast<size_t>(value.view_of));
  if (!value.constant) return text;
  List elements;
  elements.items = *value.constant;
  return text + " value " + ToString(Value(elements));
}

// With the hints of the symbols of `env`, if any, in their place.
std::string ResolveText(const Graph& graph, const std::string& spec, ShapeEnv* env) {
  DiagnosticSink sink;
  auto values = ResolveInputs(graph, spec, spec.empty() ? "" : "spec.json", sink, env);
  EXPECT_EQ(values.has_value(), sink.diagnostics().empty());
  if (!values) return DiagnosticsText(sink);
  if (env) SpecializeToHints(*values, *env);
  std::string text;
  for (size_t i = 0; i < values->size(); ++i) text += NameOf(graph, i) + ": " + ValueText((*values)[i], graph) + "\n";
  return text;
}

}  // namespace

Graph ReadInputGraph(const std::string& name) {
  DiagnosticSink sink;
  std::optional<Graph> graph = ReadGraph("testdata/inputs/" + name + ".json", sink);
  EXPECT_TRUE(graph) << DiagnosticsText(sink);
  return std::move(*graph);
}

std::string Spec(const std::string& inputs) { return R"({"format": "fakeprop.inputs/1", "inputs": )" + inputs + "}"; }

std::string Resolve(const Graph& graph, const std::string& spec) { return ResolveText(graph, spec, nullptr); }

std::string ResolveAtHints(const Graph& graph, const std::string& spec) {
  ShapeEnv env;
  return ResolveText(graph, spec, &env);
}

std::string Resolve(const Graph& graph, const std::string& spec, std::string_view names) {
  std::istringstream lines(Resolve(graph, spec));
  std::string kept, line;
  while (std::getline(lines, line)) {
    std::string name = " " + line.substr(0, line.find(':')) + " ";
    if (line.starts_with("FP") || (" " + std::string(names) + " ").find(name) != std::string::npos) kept += line + "\n";
  }
  return kept;
}

}  // namespace fakeprop::testing
