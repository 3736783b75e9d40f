#include "fakeprop/c_api.h"

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fakeprop/propagate.h"
#include "lib/api/c_handles.h"
#include "lib/api/handles.h"
#include "lib/base/version.h"

namespace fakeprop {
namespace {

std::string TextOf(const char* text) { return text ? text : ""; }

std::string Lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

fakeprop_graph* Read(const char* bytes, size_t size, const char* name, DiagnosticSink& sink) {
  std::optional<LoadedGraph> graph = ReadGraphFromMemory(std::string(bytes, size), TextOf(name), sink);
  return graph ? new fakeprop_graph{std::move(*graph)} : nullptr;
}

// Nothing if the options name rules that are malformed.
std::optional<PropagateOptions> OptionsFrom(
    const LoadedGraph& graph, const fakeprop_options& options, DiagnosticSink& sink) {
  PropagateOptions run{.keep_going = options.keep_going != 0, .use_libtorch = options.use_libtorch != 0};
  if (options.no_grad) run.grad_enabled = false;
  if (!options.op_rules) return run;
  run.op_rules = ReadOpRules(options.op_rules, "the rules for " + graph.source(), sink);
  return run.op_rules ? std::optional(run) : std::nullopt;
}

std::optional<AnnotatedGraph> Annotate(
    const LoadedGraph& graph, const fakeprop_options& options, DiagnosticSink& sink) {
  const std::optional<PropagateOptions> run = OptionsFrom(graph, options, sink);
  const std::optional<Inputs> inputs =
      run ? ResolveInputs(graph, sink, {.spec = TextOf(options.inputs), .symbolic = !options.concrete}) : std::nullopt;
  if (!inputs) return std::nullopt;
  return Propagate(graph, *inputs, *run);
}

}  // namespace

fakeprop_annotations* KeepForC(AnnotatedGraph annotated, DiagnosticSink& sink) {
  for (const Diagnostic& error : annotated.errors()) sink.Add(error);
  auto kept = std::make_unique<fakeprop_annotations>(fakeprop_annotations{std::move(annotated), {}, {}});
  kept->plain = ReadPlainValues(api::Access::StateOf(kept->annotated)->annotations);
  if (!kept->plain) return kept.release();
  kept->names = Lines(kept->plain->names), kept->expressions = Lines(kept->plain->expressions);
  const std::string& symbols = kept->plain->symbols;
  kept->values = {kept->plain->numbers.data(), kept->plain->numbers.size(), kept->names.c_str(),
      kept->expressions.c_str(), symbols.empty() ? nullptr : symbols.c_str()};
  return kept.release();
}

}  // namespace fakeprop

int fakeprop_c_api_version(void) { return FAKEPROP_C_API_VERSION; }
const char* fakeprop_version(void) { return fakeprop::kVersion; }
void fakeprop_free_text(char* text) { std::free(text); }
void fakeprop_free_graph(fakeprop_graph* graph) { delete graph; }

fakeprop_graph* fakeprop_read_graph(const char* bytes, size_t size, const char* name, char** said) {
  return fakeprop::Say(said, [&](fakeprop::DiagnosticSink& sink) { return fakeprop::Read(bytes, size, name, sink); });
}

char* fakeprop_input_spec(const fakeprop_graph* graph) {
  return fakeprop::Guarded([&] { return fakeprop::CopyText(graph->graph.InputSpec()); });
}

char* fakeprop_propagate(const fakeprop_graph* graph, const fakeprop_options* options, char** said) {
  return fakeprop::Say(said, [&](fakeprop::DiagnosticSink& sink) {
    const auto annotated = fakeprop::Annotate(graph->graph, options ? *options : fakeprop_options{}, sink);
    if (!annotated) return static_cast<char*>(nullptr);
    for (const fakeprop::Diagnostic& error : annotated->errors()) sink.Add(error);
    return fakeprop::CopyText(annotated->ToJson());
  });
}

fakeprop_annotations* fakeprop_annotate(const fakeprop_graph* graph, const fakeprop_options* options, char** said) {
  return fakeprop::Say(said, [&](fakeprop::DiagnosticSink& sink) {
    auto annotated = fakeprop::Annotate(graph->graph, options ? *options : fakeprop_options{}, sink);
    return annotated ? fakeprop::KeepForC(std::move(*annotated), sink) : nullptr;
  });
}

void fakeprop_free_annotations(fakeprop_annotations* annotations) { delete annotations; }

char* fakeprop_annotations_json(const fakeprop_annotations* annotations) {
  return fakeprop::Guarded([&] { return fakeprop::CopyText(annotations->annotated.ToJson()); });
}

const fakeprop_values* fakeprop_annotations_values(const fakeprop_annotations* annotations) {
  return annotations->plain ? &annotations->values : nullptr;
}
