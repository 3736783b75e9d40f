#include "lib/lint/annotated_values.h"

#include "lib/error/error.h"
#include "lib/lint/json_compare.h"
#include "lib/meta/device_name.h"
#include "lib/meta/dtype.h"
#include "lib/symbolic/build.h"

namespace fakeprop {
namespace {

std::optional<Dim> ReadDim(JsonValue json, ShapeEnv& env) {
  if (json.kind() == JsonKind::kInteger) return Dim(json.AsInt());
  if (json.kind() != JsonKind::kString) return std::nullopt;
  const Sym node = ParseSym(json.AsString(), env);
  if (!node || node->type != SymType::kInt) return std::nullopt;
  return node->IsInteger() ? Dim(node->integer) : Dim::Of(node);
}

bool ReadDims(JsonValue json, ShapeEnv& env, Dims& dims) {
  for (JsonValue item : json.AsArray()) {
    const std::optional<Dim> dim = ReadDim(item, env);
    if (!dim) return false;
    dims.push_back(*dim);
  }
  return true;
}

std::optional<InputValue> ReadTensor(JsonValue value, ShapeEnv& env) {
  InputValue input;
  input.is_tensor = true;
  if (!ReadDims(value.Get("shape"), env, input.meta.sizes) || !ReadDims(value.Get("stride"), env, input.meta.strides))
    return std::nullopt;
  const auto offset = ReadDim(value.Get("storage_offset"), env);
  const auto dtype = DtypeFromName(value.Get("dtype").AsString());
  const auto device = DeviceFromName(std::string(value.Get("device").AsString()));
  if (!offset || !dtype || !device) return std::nullopt;
  input.meta.storage_offset = *offset;
  input.meta.dtype = *dtype;
  input.meta.device = *device;
  return input;
}

std::optional<Value> ReadNumber(JsonValue value, ShapeEnv& env) {
  switch (value.kind()) {
    case JsonKind::kInteger: return Value(Dim(value.AsInt()));
    case JsonKind::kBool: return Value(value.AsBool());
    case JsonKind::kNull: return Value();
    case JsonKind::kObject: break;
    default: return std::nullopt;
  }
  const std::optional<JsonValue> type = value.Find("type"), expression = value.Find("expr");
  if (!type || !expression || type->kind() != JsonKind::kString || type->AsString() != "symint") return std::nullopt;
  const std::optional<Dim> size = ReadDim(*expression, env);
  return size ? std::optional(Value(*size)) : std::nullopt;
}

std::optional<int64_t> TryInteger(JsonValue object, std::string_view field) {
  const std::optional<JsonValue> value = object.Find(field);
  return value && value->kind() == JsonKind::kInteger ? std::optional(value->AsInt()) : std::nullopt;
}

void DeclareSymbol(JsonValue symbol, ShapeEnv& env) {
  if (symbol.kind() != JsonKind::kObject) return;
  const Range range{
      TryInteger(symbol, "min").value_or(Range::kNoLow), TryInteger(symbol, "max").value_or(Range::kNoHigh)};
  env.KeepName(env.NewSymbol(std::string(symbol.key()), range, TryInteger(symbol, "hint"), ""));
}

void AssumeGuard(JsonValue guard, ShapeEnv& env) {
  const std::optional<JsonValue> text = guard.kind() == JsonKind::kObject ? guard.Find("expr") : std::nullopt;
  const Sym condition = text && text->kind() == JsonKind::kString ? ParseSym(text->AsString(), env) : nullptr;
  if (condition && condition->type == SymType::kBool) env.Assume(condition);
}

}  // namespace

std::shared_ptr<ShapeEnv> ReadAnnotatedSymbols(JsonValue annotations) {
  auto env = std::make_shared<ShapeEnv>();
  try {
    if (const auto symbols = annotations.Find("symbols"); symbols && symbols->kind() == JsonKind::kObject)
      for (JsonValue symbol : *symbols) DeclareSymbol(symbol, *env);
    if (const auto guards = annotations.Find("guards"); guards && guards->kind() == JsonKind::kArray)
      for (JsonValue guard : *guards) AssumeGuard(guard, *env);
  } catch (const OpError&) {  // ranges or guards that contradict each other: another program's, or written by hand
  }
  return env;
}

std::optional<InputValue> ReadAnnotatedValue(JsonValue value, ShapeEnv& env) {
  try {
    if (IsTensor(value)) return ReadTensor(value, env);
    const std::optional<Value> number = ReadNumber(value, env);
    if (!number) return std::nullopt;
    InputValue input;
    input.value = *number;
    return input;
  } catch (const OpError&) {  // an expression that divides by zero
    return std::nullopt;
  }
}

}  // namespace fakeprop
