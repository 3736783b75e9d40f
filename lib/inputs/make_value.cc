#include "lib/inputs/make_value.h"

#include "lib/inputs/input_codes.h"
#include "lib/inputs/read_value.h"

namespace fakeprop {
namespace {

void CheckOnlyKnown(const Slot& slot) {
  const std::string_view known = slot.HasItems() ? "items" : "value";
  for (JsonValue field : slot.entry->json)
    if (field.key() != known && field.key() != "argument")
      throw SpecError(kSpecMismatch, field,
          Quote(slot.label) + " is no tensor: it has " + (slot.HasItems() ? "`items`" : "a `value`") + " and no " +
              Quote(field.key()));
}

// A list, tuple or dict that refers to the values of its items by their positions.
OpenValue<InputRef> MakeContainer(const Slot& slot) {
  const bool by_key = slot.entry->items_json->kind() == JsonKind::kObject;
  const bool is_tuple = slot.Declared().type == InputType::kTuple;
  std::vector<OpenValue<InputRef>> items;
  for (size_t i = 0; i < slot.items.size(); ++i) {
    if (by_key) items.push_back(KeyOf(slot.entry->items[i].json, slot.Declared()));
    items.push_back(InputRef{slot.items[i]});
  }
  const ContainerKind kind = by_key ? ContainerKind::kDict : is_tuple ? ContainerKind::kTuple : ContainerKind::kList;
  return ContainerOf(kind, std::move(items));
}

std::string DescribeOrigin(const Slot& slot, std::string_view file) {
  std::string qualified = Quote(slot.input->qualified_name);
  switch (slot.input->kind) {
    case InputKind::kParameter: return "parameter " + qualified;
    case InputKind::kBuffer: return "buffer " + qualified;
    case InputKind::kTensorConstant: return "constant " + qualified;
    default: return "input " + Quote(slot.label) + (slot.entry ? " of " + std::string(file) : "");
  }
}

}  // namespace

InputValue ValueMaker::Make(const Slot& slot) {
  InputValue value;
  value.origin = DescribeOrigin(slot, file_);
  if (slot.IsTensor()) {
    tensors_.Make(slot, value);
    return value;
  }
  if (slot.entry) CheckOnlyKnown(slot);
  if (slot.HasItems()) value.value = MakeContainer(slot);
  else value.value = slot.IsNumber() ? MakeNumber(slot) : MakeKnown(slot);
  return value;
}

Value ValueMaker::MakeNumber(const Slot& slot) {
  const InputType type = slot.part.type;
  if (slot.entry && slot.entry->value) {
    const JsonValue value = *slot.entry->value;
    const bool is_symbolic = type == InputType::kInt && value.kind() == JsonKind::kString;
    return is_symbolic ? Value(sizes_.EvaluateGiven({0, value.AsString(), value})) : ReadKnownValue(value, slot.part);
  }
  if (slot.number->integer.expression.empty()) {
    if (type == InputType::kFloat) return slot.number->floating;
    return type == InputType::kBool ? Value(slot.number->boolean) : Value(slot.number->integer.number);
  }
  if (Sym symbolic = sizes_.TryEvaluateSymbolic(slot.number->integer.expression)) return Value::Of(symbolic);
  std::optional<Number> number = sizes_.EvaluateNumber(slot.number->integer.expression, slot, "its value");
  if (!number) return {};
  if (type == InputType::kFloat) return number->real;
  return type == InputType::kBool ? Value(number->real != 0) : Value(number->AsInteger().value_or(0));
}

// If the file declares no type, as in FX JSON, a string that names symbols is a number.
Sym ValueMaker::TrySymbolicText(const InputPart& part, JsonValue value) const {
  const bool may_be_number =
      part.type == InputType::kAny && (part.parts.empty() || part.parts[0].type == InputType::kInt);
  return may_be_number && value.kind() == JsonKind::kString ? sizes_.TryEvaluateSymbolic(value.AsString()) : nullptr;
}

// A constant, an object or a token cannot be changed: the graph was made with it.
Value ValueMaker::MakeKnown(const Slot& slot) {
  if (slot.part.type != InputType::kOther && slot.entry && slot.entry->value) {
    if (Sym symbolic = TrySymbolicText(slot.part, *slot.entry->value)) return Value::Of(symbolic);
    return ReadKnownValue(*slot.entry->value, slot.part);
  }
  if (slot.entry && slot.entry->json.size() > 0)
    throw SpecError(kSpecMismatch, slot.entry->json,
        Quote(slot.label) + " is " + ToString(slot.input->constant) + " in this graph and cannot be changed");
  return slot.input->constant;
}

}  // namespace fakeprop
