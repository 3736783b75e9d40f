#include "lib/training/saved_tensors.h"

#include <algorithm>
#include <iterator>

#include "lib/meta/value_visit.h"
#include "lib/schema/functional_name.h"
#include "lib/training/saved_composites.h"

namespace fakeprop {
namespace {

struct SavedRow {
  std::string_view op;
  std::string_view saved;  // arguments and results by name; `self?other` is saved only if `other` requires grad
};

constexpr SavedRow kDerivatives[] = {
#include "lib/training/saved_tensors.inc"
};

const SavedRow* FindRow(std::string_view full_name) {
  const auto row = std::lower_bound(std::begin(kDerivatives), std::end(kDerivatives), full_name,
      [](const SavedRow& a, std::string_view name) { return a.op < name; });
  return row != std::end(kDerivatives) && row->op == full_name ? row : nullptr;
}

// The row of an operator; that of `add.Tensor` for `add_.Tensor`.
const SavedRow* FindDerivative(const Schema& schema) {
  if (const SavedRow* row = FindRow(schema.full_name)) return row;
  std::string functional(FunctionalName(schema.name));
  if (!schema.overload.empty()) functional += "." + std::string(schema.overload);
  return FindRow(functional);
}

void AddTensorsOf(const Value& value, SavedTensors& saved) {
  ForEachTensor(value, [&](const Tensor& t) { saved.tensors.push_back(&t); });
}

bool RequiresGrad(const Value& value) {
  return AnyValue(value, [](const Value& inner) {
    const Tensor* t = inner.TryTensor();
    return t && t->RequiresGrad();
  });
}

// "result", "result1", or the name that the schema gives a result.
int ResultIndex(const Schema& schema, std::string_view name) {
  if (name == "result") return 0;
  if (name.starts_with("result") && name.size() == 7) return name[6] - '0';
  for (size_t i = 0; i < schema.returns.size(); ++i)
    if (schema.returns[i].name == name) return static_cast<int>(i);
  return -1;
}

const Value* ResultOf(const CountedCall& call, std::string_view name) {
  const int index = ResultIndex(call.schema(), name);
  if (index < 0) return nullptr;
  if (call.schema().returns.size() == 1) return &call.result();
  const List* items = call.result().TryList();
  return items && index < static_cast<int>(items->items.size()) ? &items->items[index] : nullptr;
}

void AddNamed(const CountedCall& call, std::string_view token, SavedTensors& saved) {
  const size_t question = token.find('?');
  if (question != std::string_view::npos) {
    const Value* other = call.Find(token.substr(question + 1));
    if (!other || !RequiresGrad(*other)) return;
  }
  const std::string_view name = token.substr(0, question);
  const bool is_argument = call.schema().FindArgument(name) >= 0;
  const Value* value = is_argument ? call.Find(name) : ResultOf(call, name);
  if (!value) return;
  // An operator that overwrites an operand saves a copy of it first.
  const Tensor* t = value->TryTensor();
  if (is_argument && t && call.schema().IsInplace() && t == call.TensorAt(0)) saved.hidden.push_back(DenseBytes(*t));
  else AddTensorsOf(*value, saved);
}

void AddAllNamed(const CountedCall& call, std::string_view names, SavedTensors& saved) {
  while (!names.empty()) {
    const size_t end = std::min(names.find(' '), names.size());
    AddNamed(call, names.substr(0, end), saved);
    names.remove_prefix(std::min(end + 1, names.size()));
  }
}

// Returns true if no result has a storage of its own.
bool OnlyMakesViews(const CountedCall& call) {
  return std::all_of(call.results().begin(), call.results().end(), [&](const Tensor* result) {
    return std::any_of(call.tensors().begin(), call.tensors().end(),
        [&](const Tensor* operand) { return operand->storage == result->storage; });
  });
}

}  // namespace

Dim DenseBytes(const Tensor& t) { return Numel(t.meta.size_span()) * ItemSize(t.meta.dtype); }

SavedTensors FindSavedTensors(const CountedCall& call) {
  SavedTensors saved;
  if (const SavedComposite* composite = FindComposite(FunctionalName(call.schema().name))) {
    AddAllNamed(call, composite->saved, saved);
    if (composite->add_hidden) composite->add_hidden(call, saved);
    return saved;
  }
  if (const SavedRow* row = FindDerivative(call.schema())) {
    AddAllNamed(call, row->saved, saved);
    return saved;
  }
  if (OnlyMakesViews(call)) return saved;
  saved.is_approximate = true;
  for (const auto* tensors : {&call.tensors(), &call.results()})
    saved.tensors.insert(saved.tensors.end(), tensors->begin(), tensors->end());
  return saved;
}

}  // namespace fakeprop
