#include "lib/interpreter/annotation_writer.h"

#include <algorithm>

#include "lib/meta/has_integers.h"
#include "lib/schema/schema.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

Annotations NoAnnotations(std::shared_ptr<ShapeEnv> shape_env) {
  Annotations none;
  none.shape_env = shape_env ? std::move(shape_env) : std::make_shared<ShapeEnv>();
  none.objects = std::make_shared<ObjectTable>();
  return none;
}

NodeAnnotation Failed(const Node& node, int diagnostic) {
  NodeAnnotation failed{NodeAnnotation::Kind::kError, &node};
  failed.diagnostic = diagnostic;
  return failed;
}

}  // namespace

AnnotationWriter::AnnotationWriter(std::shared_ptr<ShapeEnv> shape_env)
    : result_(NoAnnotations(std::move(shape_env))), snapshots_(*result_.objects) {}

size_t AnnotationWriter::AddGraph(std::string path, std::string call, size_t nodes) {
  result_.graphs.push_back({std::move(path), {}, std::move(call)});
  result_.graphs.back().nodes.reserve(nodes);
  if (result_.has_calls) {  // most nodes call one operator, most operators have a few arguments
    result_.inner_calls.calls.reserve(result_.inner_calls.calls.size() + nodes);
    result_.inner_calls.arguments.reserve(result_.inner_calls.arguments.size() + 3 * nodes);
  }
  return result_.graphs.size() - 1;
}

void AnnotationWriter::AddValue(
    size_t graph, const Node& node, const Schema* schema, const Value& value, size_t first_symbol) {
  NodeAnnotation annotation{NodeAnnotation::Kind::kValue, &node, schema};
  annotation.value = snapshots_.Take(value);
  annotation.unbacked = FindBindings(*result_.shape_env, first_symbol, value);
  annotation.first_call = first_call_;
  annotation.calls = result_.inner_calls.calls.size() - first_call_;
  if (graph != kNotKept) first_call_ += annotation.calls;
  Add(graph, std::move(annotation));
}

void AnnotationWriter::AddError(size_t graph, const Node& node, Diagnostic diagnostic) {
  result_.diagnostics.push_back(std::move(diagnostic));
  AddReportedError(graph, node, static_cast<int>(errors()) - 1);
}

void AnnotationWriter::AddReportedError(size_t graph, const Node& node, int diagnostic) {
  Add(graph, Failed(node, diagnostic));
}

void AnnotationWriter::AddSkipped(size_t graph, const Node& node, const Node& cause) {
  NodeAnnotation skipped{NodeAnnotation::Kind::kSkipped, &node};
  skipped.cause = &cause;
  Add(graph, std::move(skipped));
}

void AnnotationWriter::AddCall(const Schema& schema, std::span<const Value* const> arguments, const Value& result) {
  const auto has_integers = [](const Value* argument) { return HasIntegers(*argument); };
  if (!HasIntegers(result) && !schema.Writes() && std::none_of(arguments.begin(), arguments.end(), has_integers))
    return;
  auto& [calls, kept] = result_.inner_calls;
  calls.push_back({&schema, kept.size(), snapshots_.TakeUnnumbered(result)});
  for (const Value* argument : arguments) kept.push_back(snapshots_.TakeUnnumbered(*argument));
}

void AnnotationWriter::Add(size_t graph, NodeAnnotation annotation) {
  DropCalls();
  if (graph != kNotKept) result_.graphs[graph].nodes.push_back(std::move(annotation));
}

// Those that no node has got.
void AnnotationWriter::DropCalls() {
  auto& [calls, arguments] = result_.inner_calls;
  if (calls.size() == first_call_) return;
  arguments.resize(calls[first_call_].first_argument);
  calls.resize(first_call_);
}

Annotations AnnotationWriter::Finish() {
  result_.storages = snapshots_.TakeStorages();
  return std::move(result_);
}

}  // namespace fakeprop
