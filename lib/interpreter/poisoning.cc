#include "lib/interpreter/poisoning.h"

#include "lib/meta/value_visit.h"
#include "lib/rules/rule_table.h"

namespace fakeprop {
namespace {

// Returns true if a node reads all tensors of its list arguments. Python's getitem takes only one of them, and
// TorchScript's own operations only move values. For these the result is checked instead.
bool ReadsItems(const Graph& graph, int32_t index, const ResolvedNode& resolved) {
  return resolved.schema || (graph.kind != kTorchScriptKind && graph.nodes[index].target != "_operator.getitem");
}

// Operators of other libraries may change metadata, and nothing is known of them. So does t_.
bool IsUnknownAfter(const Schema& schema, const Tensor& written) {
  if (!schema.name.starts_with("aten::") || schema.Has(kTagInplaceView)) return true;
  if (FindFacts(schema).after_failure == AfterFailure::kUnknown) return true;
  return schema.IsOut() && !Known(Gt(Numel(written.meta.size_span()), 0));
}

}  // namespace

int32_t FailedDependency(const Frame& frame, int32_t index) {
  if (frame.first_failure < 0 && frame.poisoned.empty()) return -1;
  int32_t cause = -1;
  auto add = [&](int32_t other) { cause = cause >= 0 ? cause : other; };
  auto add_tensor = [&](const Tensor& t) { add(PoisonedBy(frame, &t)); };
  const bool reads_items = ReadsItems(frame.graph, index, frame.resolved[index]);
  for (const Argument& argument : frame.graph.nodes[index].arguments)
    ForEachNode(argument.value, [&](NodeRef ref) {
      add(frame.failed_by[ref.index]);
      const Value& value = frame.values[ref.index];
      if (reads_items || value.TryTensor()) ForEachTensor(value, add_tensor);
    });
  return cause;
}

int32_t PoisonedBy(const Frame& frame, const Tensor* tensor) {
  const auto it = frame.poisoned.find(tensor);
  return it == frame.poisoned.end() ? -1 : it->second;
}

void Poison(Frame& frame, int32_t index) {
  const ResolvedNode& resolved = frame.resolved[index];
  if (!resolved.schema) return;
  // The first tensors of a list may have been written to: their elements are no longer known. Autograd counts no write
  // that failed.
  auto poison = [&](const Tensor& t) {
    if (IsUnknownAfter(*resolved.schema, t)) frame.poisoned.emplace(&t, frame.failed_by[index]);
    else if (resolved.schema->returns.empty() && !t.RequiresGrad()) ++t.storage->version;
  };
  for (size_t i = 0; i < resolved.arguments.size() && i < resolved.schema->arguments.size(); ++i)
    if (const GraphValue* written = resolved.arguments[i].written; written && resolved.schema->arguments[i].is_write)
      ForEachNode(*written, [&](NodeRef ref) { ForEachTensor(frame.values[ref.index], poison); });
}

void PoisonCaller(Frame& caller, int32_t index, const Frame& subgraph) {
  for (const auto& [tensor, cause] : subgraph.poisoned) caller.poisoned.emplace(tensor, index);
}

}  // namespace fakeprop
