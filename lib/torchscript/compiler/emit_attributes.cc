// Attributes of values, modules, classes and namespaces. Source: torch/csrc/jit/frontend/sugared_value.cpp and
// torch/csrc/jit/serialization/import_source.cpp (torch 2.15).
#include <algorithm>
#include <charconv>

#include "lib/torchscript/compiler/decline.h"
#include "lib/torchscript/compiler/emitter.h"

namespace fakeprop::script {
namespace {

// Of tensors, which operators of this name give.
constexpr std::string_view kTensorProperties[] = {"dtype", "device", "grad", "data", "shape", "is_cuda", "is_cpu",
    "is_sparse", "is_quantized", "is_meta", "is_nested", "requires_grad", "layout", "ndim", "name", "itemsize",
    "nbytes"};

}  // namespace

Meaning Emitter::Attribute(const Meaning& of, const std::string& name, CodePlace place) {
  switch (of.kind) {
    case MeaningKind::kValue: return AttributeOfValue(of.value, name, place);
    case MeaningKind::kNamespace:
      if (name == "autograd") Decline("`autograd`", place);
      return Meaning::Named(MeaningKind::kOperator, of.name + "::" + name);
    case MeaningKind::kOps: return Meaning::Named(MeaningKind::kNamespace, name);
    case MeaningKind::kConstants: return ConstantNumbered(name, place);
    case MeaningKind::kPath: return AttributeOfPath(of.name + "." + name, place);
    case MeaningKind::kEnum: return EnumValue(of.type, name, place);
    case MeaningKind::kClass:
      if (name == "__new__") return Meaning::Named(MeaningKind::kForm, "__new__");
      break;
    default: break;
  }
  Decline("the attribute `" + name + "` of something that is no value", place);
}

Meaning Emitter::AttributeOfPath(const std::string& path, CodePlace place) {
  if (const TypeRef type = program_.FindType(path)) {
    Meaning out;
    out.type = type;
    switch (type->kind) {
      case TypeCase::kClass: out.kind = MeaningKind::kClass; return out;
      case TypeCase::kNamedTuple: out.kind = MeaningKind::kNamedTuple; return out;
      case TypeCase::kEnum: out.kind = MeaningKind::kEnum; return out;
      default: Decline("the interface `" + path + "` as a value", place);
    }
  }
  Meaning out = Meaning::Named(MeaningKind::kPath, path);
  if (ScriptFunction* function = program_.FindFunction(path)) {
    out.kind = MeaningKind::kFunction;
    out.function = function;
  }
  return out;
}

// "c12": the number of a tensor or object in the archive's table.
Meaning Emitter::ConstantNumbered(const std::string& name, CodePlace place) {
  const std::vector<std::string>& constants = program_.source().constants;
  int32_t number = -1;
  const auto result =
      std::from_chars(name.data() + std::min<size_t>(1, name.size()), name.data() + name.size(), number);
  if (result.ptr != name.data() + name.size() || number < 0 || static_cast<size_t>(number) >= constants.size())
    Decline("the constant `" + name + "`, which the archive does not have", place);
  const std::string& cls = constants[static_cast<size_t>(number)];
  const TypeRef type = cls.empty() ? Basic(TypeCase::kTensor) : program_.FindType(cls);
  if (!type) Decline("a constant of the class `" + cls + "`", place);
  IrValue* value = graph_.InsertConstant({}, type, place);
  value->node->constant.archive_number = number;
  return Meaning::Of(value);
}

Meaning Emitter::EnumValue(TypeRef type, const std::string& name, CodePlace place) {
  for (const auto& [known, value] : type->cls->enum_values)
    if (known == name) return Meaning::Of(graph_.InsertConstant(Opaque{type->name, ToString(value)}, type, place));
  Decline("`" + name + "`, which the enum `" + type->name + "` does not have", place);
}

Meaning Emitter::AttributeOfValue(IrValue* value, const std::string& name, CodePlace place) {
  const TypeRef type = value->type;
  if (type->Is(TypeCase::kTensor) &&
      std::find(std::begin(kTensorProperties), std::end(kTensorProperties), name) != std::end(kTensorProperties))
    return Meaning::Of(matcher_.Call("prim::" + name, {}, {{value, ""}}));
  if (type->Is(TypeCase::kTensor) && name == "tolist") return Meaning::Named(MeaningKind::kForm, name);
  const auto field = std::find(type->fields.begin(), type->fields.end(), name);
  if (field != type->fields.end()) {
    const size_t at = static_cast<size_t>(field - type->fields.begin());
    IrValue* index = Constant(static_cast<int64_t>(at), TypeCase::kInt);
    return Meaning::Of(graph_.InsertOp("prim::TupleIndex", {value, index}, type->of[at]));
  }
  if (type->Is(TypeCase::kEnum) && name == "name")
    return Meaning::Of(graph_.InsertOp("prim::EnumName", {value}, Basic(TypeCase::kString)));
  if (type->Is(TypeCase::kEnum) && name == "value") {
    const TypeRef inner = TypeOfConstant(type->cls->enum_values[0].second, program_.types());
    return Meaning::Of(graph_.InsertOp("prim::EnumValue", {value}, inner));
  }
  Meaning method = Meaning::Named(MeaningKind::kMethod, name);
  method.value = value;
  if (type->cls && (type->cls->methods.contains(name) || type->cls->interface_methods.contains(name))) return method;
  const TypeRef attribute = type->Is(TypeCase::kClass) && type->cls ? type->cls->FindAttribute(name) : nullptr;
  if (!attribute) Decline("the attribute `" + name + "` of a value of type `" + type->name + "`", place);
  IrValue* out = graph_.InsertOp("prim::GetAttr", {value}, attribute);
  out->node->name = name;
  const bool is_number = !name.empty() && name[0] >= '0' && name[0] <= '9';
  SetName(*out, is_number ? "_" + name : name);
  return Meaning::Of(out);
}

void Emitter::SetAttribute(const Meaning& of, const std::string& name, IrValue* value, CodePlace place) {
  IrValue* object = ValueOf(of, place);
  const TypeRef type =
      object->type->Is(TypeCase::kClass) && object->type->cls ? object->type->cls->FindAttribute(name) : nullptr;
  if (!type || !IsSubtype(value->type, type)) Decline("a change of the attribute `" + name + "`", place);
  graph_.Insert(graph_.Create("prim::SetAttr", {object, value}, {}))->name = name;
}

}  // namespace fakeprop::script
