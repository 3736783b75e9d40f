// Tuples, objects, casts and questions about types.
#include "lib/torchscript/operations/script_tables.h"
#include "lib/torchscript/operations/script_values.h"

namespace fakeprop {
namespace {

// ---- making and taking apart

Value MakeTuple(HigherOrderCall& call) {
  const auto all = call.Positional();
  return List{{all.begin(), all.end()}, true};
}

Value MakeList(HigherOrderCall& call) {
  const auto all = call.Positional();
  return Share(List{{all.begin(), all.end()}, false});
}

void Set(Dict& dict, const Value& key, Value value) {
  for (auto& [known, held] : dict.items)
    if (SameValue(known, key)) return void(held = std::move(value));
  dict.items.emplace_back(key, std::move(value));
}

// Keys and values in turn.
Value MakeDict(HigherOrderCall& call) {
  Dict dict;
  for (size_t i = 0; i + 1 < call.size(); i += 2) Set(dict, call.Positional()[i], call.Positional()[i + 1]);
  return Share(std::move(dict));
}

Value UnpackList(HigherOrderCall& call) {
  const std::vector<Value>& items = ListAt(call, 0);
  const size_t expected = call.node().result_names.size();
  if (items.size() != expected)
    Fail(ErrorClass::kValueError,
        "a list of " + std::to_string(items.size()) + " is unpacked into " + std::to_string(expected));
  return expected == 1 ? items[0] : Value(List{items, true});
}

// ---- objects

SharedValue NewObject(std::string class_name) { return {std::make_shared<Value>(Dict()), std::move(class_name)}; }

Value CreateObject(HigherOrderCall& call) { return NewObject(StringAt(call, 0)); }

// Module(class, name, value, ...)
Value MakeModule(HigherOrderCall& call) {
  SharedValue object = NewObject(StringAt(call, 0));
  Dict& fields = *object.to->TryGet<Dict>();
  for (size_t i = 1; i + 1 < call.size(); i += 2)
    fields.items.emplace_back(call.Positional()[i], Shared(call.Positional()[i + 1]));
  return object;
}

Dict& FieldsAt(HigherOrderCall& call, size_t i, const std::string& name) {
  const Value& value = call.At(i, "an object");
  const Opaque* unreadable = value.TryGet<Opaque>();
  if (unreadable && unreadable->class_name == "unreadable")
    Fail(ErrorClass::kUnsupportedOperator, "`" + name + "` cannot be read: " + unreadable->name);
  const SharedValue* object = value.TryGet<SharedValue>();
  if (object && object->to->Is<Dict>() && !object->class_name.empty()) return *object->to->TryGet<Dict>();
  Fail(ErrorClass::kUnsupportedOperator,
      "which object `" + name + "` belongs to is not known before the code runs: it is " + ToString(value));
}

// GetAttr(object, name)
Value GetAttribute(HigherOrderCall& call) {
  const std::string& name = StringAt(call, call.size() - 1);
  for (const auto& [key, value] : FieldsAt(call, 0, name).items)
    if (key.Get<std::string>() == name) return value;
  Fail(ErrorClass::kValueError, "the object has no attribute `" + name + "` yet");
}

// SetAttr(object, value, name)
Value SetAttribute(HigherOrderCall& call) {
  const std::string& name = StringAt(call, call.size() - 1);
  Set(FieldsAt(call, 0, name), Value(name), call.At(1, "a value"));
  return {};
}

// ---- types

Value Same(HigherOrderCall& call) { return call.At(0, "a value"); }

Value Unwrap(HigherOrderCall& call) {
  if (call.At(0, "a value").IsNone()) Fail(ErrorClass::kValueError, "a value is expected where the code has None");
  return call.At(0, "a value");
}

bool IsSame(HigherOrderCall& call) {
  const Value &a = call.At(0, "a value"), &b = call.At(1, "a value");
  if (a.IsNone() || b.IsNone()) return a.IsNone() && b.IsNone();
  if (a.Is<SharedValue>() && b.Is<SharedValue>()) return a.Get<SharedValue>().to == b.Get<SharedValue>().to;
  // Equal values of an enum are one object or two, as the constant or attribute has it that they come from.
  if (a.Is<Opaque>() && b.Is<Opaque>() && SameValue(a, b) && a.Get<Opaque>().class_name.starts_with("__torch__"))
    Fail(ErrorClass::kUnsupportedOperator, "whether two equal values of " + a.Get<Opaque>().class_name +
                                               " are one object is not known here; `==` compares them");
  return SameValue(a, b);
}

Value Is(HigherOrderCall& call) { return IsSame(call); }
Value IsNot(HigherOrderCall& call) { return !IsSame(call); }
// What an arm that ends early leaves of results that nobody then looks at.
Value Uninitialized(HigherOrderCall&) { return UninitializedValue(); }
Value No(HigherOrderCall&) { return false; }

constexpr HigherOrderRow kRows[] = {
    {"prim::TupleConstruct", MakeTuple},
    {"prim::ListConstruct", MakeList},
    {"prim::DictConstruct", MakeDict},
    {"prim::ListUnpack", UnpackList},
    {"prim::CreateObject", CreateObject},
    {"prim::Module", MakeModule},
    {"prim::GetAttr", GetAttribute},
    {"prim::SetAttr", SetAttribute},
    {"aten::has_torch_function*", No},
    {"prim::unchecked_cast", Same},
    {"prim::unchecked_unwrap_optional", Same},
    {"aten::_unwrap_optional*", Unwrap},
    {"aten::__is__*", Is},
    {"aten::__isnot__*", IsNot},
    {"prim::Uninitialized", Uninitialized},
};

}  // namespace

std::span<const HigherOrderRow> ScriptStructureRows() { return kRows; }

}  // namespace fakeprop
