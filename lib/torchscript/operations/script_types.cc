// Questions about types, and enums. An enum's value is an Opaque with its class and the text of its value.
// Source: prim::isinstance in torch/csrc/jit/runtime/interpreter.cpp, EnumType in ATen/core/enum_type.h (torch 2.13).
#include <algorithm>

#include "lib/torchscript/operations/script_tables.h"
#include "lib/torchscript/operations/script_values.h"

namespace fakeprop {
namespace {

bool HasType(const Value& given, std::string_view type);

// "int, List[Tensor]" at its outermost commas.
std::vector<std::string_view> Parts(std::string_view text) {
  std::vector<std::string_view> parts;
  int level = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++level;
    if (i < text.size() && text[i] == ']') --level;
    if (i < text.size() && (text[i] != ',' || level > 0)) continue;
    std::string_view part = text.substr(start, i - start);
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    if (!part.empty()) parts.push_back(part);
    start = i + 1;
  }
  return parts;
}

bool IsTupleOf(const List& list, const std::vector<std::string_view>& types) {
  return list.is_tuple && list.items.size() == types.size() &&
         std::equal(list.items.begin(), list.items.end(), types.begin(), HasType);
}

// "List[int]": an empty list is one of anything, as only its code tells what it is of.
bool HasGenericType(const Value& value, std::string_view name, const std::vector<std::string_view>& of) {
  const List* list = value.TryList();
  const auto is_first = [&](const Value& item) { return HasType(item, of[0]); };
  if (name == "Optional") return value.IsNone() || HasType(value, of.at(0));
  if (name == "Union") return std::ranges::any_of(of, [&](std::string_view type) { return HasType(value, type); });
  if (name == "List") return list && !list->is_tuple && std::ranges::all_of(list->items, is_first);
  if (name == "Tuple") return list && IsTupleOf(*list, of);
  if (name == "Dict" && value.Is<Dict>())
    return std::ranges::all_of(value.Get<Dict>().items,
        [&](const auto& item) { return is_first(item.first) && HasType(item.second, of.at(1)); });
  return false;
}

bool HasPlainType(const Value& given, std::string_view type) {
  const Value& value = Deref(given);
  const bool is_unknown = IsUnknown(value);
  const auto unknown = [&](std::string_view name) { return is_unknown && UnknownType(value) == name; };
  if (type == "Tensor") return value.TryTensor() != nullptr;
  if (type == "int") return value.Is<Dim>() || unknown("int");
  if (type == "float") return value.Is<double>() || value.IsSymbolicFloat() || unknown("float");
  if (type == "bool") return value.Is<bool>() || value.IsSymbolicBool() || unknown("bool");
  if (type == "str") return value.Is<std::string>() || unknown("str");
  if (type == "complex") return value.Is<std::complex<double>>();
  if (type == "number") return value.IsNumber() || is_unknown;
  if (type == "NoneType") return value.IsNone();
  if (type == "Device") return value.Is<Device>();
  if (type == "list") return value.TryList() && !value.TryList()->is_tuple;
  if (type == "tuple") return value.TryList() && value.TryList()->is_tuple;
  if (type == "Any") return true;
  if (const SharedValue* object = given.TryGet<SharedValue>(); object && !object->class_name.empty())
    return object->class_name == type;
  if (const Opaque* opaque = value.TryGet<Opaque>()) return opaque->class_name == type;
  // A named tuple has no name here.
  return type.starts_with("__torch__") && value.TryList() && value.TryList()->is_tuple;
}

bool HasType(const Value& given, std::string_view type) {
  const size_t open = type.find('[');
  if (open == std::string_view::npos || !type.ends_with(']')) return HasPlainType(given, type);
  return HasGenericType(Deref(given), type.substr(0, open), Parts(type.substr(open + 1, type.size() - open - 2)));
}

// isinstance(value, types)
Value IsInstance(HigherOrderCall& call) {
  const std::vector<Value>& types = ListAt(call, 1);
  return std::ranges::any_of(
      types, [&](const Value& type) { return HasType(call.At(0, "a value"), type.Get<std::string>()); });
}

// EnumName(value, names by the values' texts), and EnumValue likewise.
Value OfEnum(HigherOrderCall& call) {
  const Opaque* value = call.At(0, "an enum").TryGet<Opaque>();
  const Dict* table = call.At(1, "a table").TryGet<Dict>();
  for (const auto& [text, given] : table->items)
    if (value && text.Get<std::string>() == value->name) return given;
  Fail(ErrorClass::kTypeError, ToString(call.At(0, "")) + " is no value of the enum");
}

bool SameEnums(HigherOrderCall& call) {
  const Opaque *a = call.At(0, "an enum").TryGet<Opaque>(), *b = call.At(1, "an enum").TryGet<Opaque>();
  return a && b && a->class_name == b->class_name && a->name == b->name;
}

Value Equal(HigherOrderCall& call) { return SameEnums(call); }
Value NotEqual(HigherOrderCall& call) { return !SameEnums(call); }

constexpr HigherOrderRow kRows[] = {
    {"prim::isinstance", IsInstance},
    {"prim::EnumName", OfEnum},
    {"prim::EnumValue", OfEnum},
    {"aten::eq.enum", Equal},
    {"aten::ne.enum", NotEqual},
};

}  // namespace

std::span<const HigherOrderRow> ScriptTypeRows() { return kRows; }

}  // namespace fakeprop
