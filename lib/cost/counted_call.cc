#include "lib/cost/counted_call.h"

#include <algorithm>

#include "lib/meta/value_visit.h"

namespace fakeprop {
namespace {

void AddTensors(const Value& value, std::vector<const Tensor*>& tensors) {
  ForEachTensor(value, [&](const Tensor& t) {
    if (std::find(tensors.begin(), tensors.end(), &t) == tensors.end()) tensors.push_back(&t);
  });
}

}  // namespace

Value NodeValues::Fill(const GraphValue& argument) const {
  return fakeprop::Fill(argument,
      Overloaded{[&](NodeRef ref) { return ResultOf(ref.index); }, [](const InlineSize&) { return Value(); }});
}

CountedCall::CountedCall(const Node& node, const Schema& schema, const Value& result, const NodeValues& values)
    : schema_(schema), result_(result) {
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    const Argument& argument = node.arguments[i];
    std::string_view name = argument.name;
    if (name.empty() && i < schema.arguments.size()) name = schema.arguments[i].name;
    arguments_.emplace_back(name, values.Fill(argument.value));
    AddTensors(arguments_.back().second, tensors_);
  }
  AddTensors(result, results_);
}

const Value* CountedCall::Find(std::string_view argument) const {
  for (const auto& [name, value] : arguments_)
    if (name == argument) return &value;
  const int index = schema_.FindArgument(argument);
  if (index < 0 || !schema_.arguments[index].default_value) return nullptr;
  return &*schema_.arguments[index].default_value;
}

const Tensor* CountedCall::FindTensor(std::string_view argument) const {
  const Value* value = Find(argument);
  return value ? value->TryTensor() : nullptr;
}

bool CountedCall::IsTrue(std::string_view argument) const {
  const Value* value = Find(argument);
  if (!value) return false;
  if (const bool* truth = value->TryGet<bool>()) return *truth;
  const Dim* number = value->TryGet<Dim>();
  return number && number->Hint().value_or(0) != 0;
}

const Tensor* CountedCall::TensorAt(size_t position) const {
  return position < schema_.arguments.size() ? FindTensor(schema_.arguments[position].name) : nullptr;
}

}  // namespace fakeprop
