#include "lib/interpreter/annotation_writer.h"

#include <algorithm>

#include "lib/meta/value_visit.h"
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

bool HasIntegers(const Value& value) {
  return AnyTensor(value, [](const Tensor& tensor) { return IsIntegral(tensor.meta.dtype); });
}

}  // namespace

AnnotationWriter::AnnotationWriter(std::shared_ptr<ShapeEnv> shape_env)
    : result_(NoAnnotations(std::move(shape_env))), snapshots_(*result_.objects) {}

size_t AnnotationWriter::AddGraph(std::string path, std::string call, size_t nodes) {
  result_.graphs.push_back({std::move(path), {}, std::move(call)});
  result_.graphs.back().nodes.reserve(nodes);
  return result_.graphs.size() - 1;
}

void AnnotationWriter::AddValue(size_t graph, const Node& node, const Value& value, size_t first_symbol) {
  NodeAnnotation annotation{NodeAnnotation::Kind::kValue, &node};
  annotation.value = snapshots_.Take(value);
  annotation.unbacked = FindBindings(*result_.shape_env, first_symbol, value);
  annotation.calls = std::move(calls_);
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
  InnerCall& call = calls_.emplace_back(InnerCall{&schema, {}, snapshots_.TakeUnnumbered(result)});
  call.arguments.reserve(arguments.size());
  for (const Value* argument : arguments) call.arguments.push_back(snapshots_.TakeUnnumbered(*argument));
}

void AnnotationWriter::Add(size_t graph, NodeAnnotation annotation) {
  calls_.clear();
  if (graph != kNotKept) result_.graphs[graph].nodes.push_back(std::move(annotation));
}

Annotations AnnotationWriter::Finish() {
  result_.storages = snapshots_.TakeStorages();
  return std::move(result_);
}

}  // namespace fakeprop
