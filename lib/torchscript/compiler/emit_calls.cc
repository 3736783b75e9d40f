// Calls. Source: to_ir::emitApplyExpr and emitApplySpecialForm in torch/csrc/jit/frontend/ir_emitter.cpp, and
// torch/csrc/jit/frontend/sugared_value.cpp (torch 2.15).
#include <algorithm>

#include "lib/torchscript/compiler/decline.h"
#include "lib/torchscript/compiler/emitter.h"

namespace fakeprop::script {

Meaning Emitter::EmitApply(const Syntax& apply, TypeRef hint) {
  const Meaning callee = Emit(apply.of[0]);
  if (callee.kind == MeaningKind::kForm) return EmitForm(callee.name, apply, hint);
  CallArguments arguments, keywords;
  for (size_t i = 1; i < apply.of.size(); ++i)
    if (apply.of[i].kind != SyntaxKind::kKeyword) arguments.push_back({EmitValue(apply.of[i]), ""});
  for (size_t i = 1; i < apply.of.size(); ++i)
    if (apply.of[i].kind == SyntaxKind::kKeyword) keywords.push_back({EmitValue(apply.of[i].of[0]), apply.of[i].text});
  return Call(callee, At(apply.of[0]), arguments, keywords);
}

Meaning Emitter::EmitForm(const std::string& form, const Syntax& apply, TypeRef hint) {
  if (form == "range") return EmitRange(apply);
  if (form == "tolist") return EmitToList(apply, hint);
  if (form == "print") {
    IrValues values;
    for (size_t i = 1; i < apply.of.size(); ++i) values.push_back(EmitValue(apply.of[i]));
    graph_.Insert(graph_.Create("prim::Print", values, {}))->place = At(apply.of[0]);
    return {};
  }
  const size_t count = form == "uninitialized" || form == "__new__" ? 1 : 2;
  if (apply.of.size() != count + 1) Decline("`" + form + "` with this number of arguments", At(apply));
  if (form == "annotate") return EmitAnnotate(apply);
  if (form == "unchecked_cast") return EmitUncheckedCast(apply);
  if (form == "isinstance") return Meaning::Of(EmitIsInstance(apply.of[1], apply.of[2]).value);
  if (form == "uninitialized") {
    IrValue* value = graph_.InsertOp("prim::Uninitialized", {}, program_.ReadType(apply.of[1], *function_.file));
    value->node->place = At(apply);
    return Meaning::Of(value);
  }
  if (form == "__new__") {
    const Meaning cls = Emit(apply.of[1]);
    if (cls.kind != MeaningKind::kClass) Decline("`__new__` of something that is no class", At(apply));
    IrValue* object = graph_.InsertOp("prim::CreateObject", {}, cls.type);
    object->node->place = At(apply);
    return Meaning::Of(object);
  }
  const Meaning object = Emit(apply.of[1]);
  if (apply.of[2].kind != SyntaxKind::kString) Decline("`getattr` of a computed name", At(apply));
  return Attribute(object, apply.of[2].text, At(apply));
}

// Torch compiles the tensor again: what it made to find the attribute is dead code. The node has the number of
// dimensions and of the type.
Meaning Emitter::EmitToList(const Syntax& apply, TypeRef hint) {
  constexpr TypeCase kElements[] = {TypeCase::kInt, TypeCase::kFloat, TypeCase::kBool, TypeCase::kComplex};
  int64_t dims = 0;
  TypeRef element = hint;
  for (; element && element->Is(TypeCase::kList); element = element->element()) ++dims;
  const auto* found = std::find_if(
      std::begin(kElements), std::end(kElements), [&](TypeCase kind) { return element && element->Is(kind); });
  const bool is_plain = apply.of.size() == 1 && apply.of[0].kind == SyntaxKind::kSelect;
  if (!is_plain || found == std::end(kElements)) Decline("`tolist` without a type that says what it gives", At(apply));
  IrValue* tensor = EmitValue(apply.of[0].of[0]);
  IrValue* count = Constant(dims, TypeCase::kInt);
  IrValue* type = Constant(static_cast<int64_t>(found - std::begin(kElements)), TypeCase::kInt);
  return Meaning::Of(graph_.InsertOp("prim::tolist", {tensor, count, type}, hint));
}

Meaning Emitter::EmitAnnotate(const Syntax& apply) {
  const TypeRef type = program_.ReadType(apply.of[1], *function_.file);
  IrValue* value = matcher_.Convert(At(apply), type, EmitValue(apply.of[2], type), true);
  if (!IsSubtype(value->type, type)) Decline("a value of another type than `annotate` says", At(apply));
  // A None keeps in mind of what it is none.
  if (type->Is(TypeCase::kOptional) && value->type->Is(TypeCase::kNone))
    value = graph_.InsertOp("prim::Constant", {}, type);
  return Meaning::Of(value);
}

Meaning Emitter::EmitUncheckedCast(const Syntax& apply) {
  const TypeRef type = program_.ReadType(apply.of[1], *function_.file);
  IrValue* value = EmitValue(apply.of[2]);
  if (value->node->Is("prim::unchecked_cast") && value->type == type) return Meaning::Of(value);
  return Meaning::Of(graph_.InsertOp("prim::unchecked_cast", {value}, type));
}

Meaning Emitter::EmitRange(const Syntax& apply) {
  IrValues values;
  for (size_t i = 1; i < apply.of.size(); ++i) {
    values.push_back(EmitValue(apply.of[i]));
    if (!values.back()->type->Is(TypeCase::kInt)) Decline("a `range` of something that is no int", At(apply));
  }
  if (values.empty() || values.size() > 3) Decline("a `range` with this number of arguments", At(apply));
  Meaning range;
  range.kind = MeaningKind::kRange;
  range.value = values.size() == 1 ? values[0] : values[1];
  if (values.size() == 1) return range;
  range.start = values[0];
  range.step = values.size() == 3 ? values[2] : Constant(1, TypeCase::kInt, At(apply));
  return range;
}

Meaning Emitter::Call(
    const Meaning& callee, CodePlace place, const CallArguments& arguments, const CallArguments& keywords) {
  switch (callee.kind) {
    case MeaningKind::kOperator: return Meaning::Of(matcher_.Call(callee.name, place, arguments, keywords));
    case MeaningKind::kCast: return Cast(callee, place, arguments, keywords);
    case MeaningKind::kFunction: return CallFunction(*callee.function, place, arguments, keywords);
    case MeaningKind::kMethod: return CallMethod(callee.value, callee.name, place, arguments, keywords);
    case MeaningKind::kClass:
    case MeaningKind::kNamedTuple: return Construct(callee.type, place, arguments, keywords);
    default: Decline("a call of something that is no function", place);
  }
}

Meaning Emitter::Cast(
    const Meaning& callee, CodePlace place, const CallArguments& arguments, const CallArguments& keywords) {
  if (arguments.size() == 1 && keywords.empty()) {
    IrValue* zero = Constant(0, TypeCase::kInt);
    IrValue* value = arguments[0].value;
    if (value->type->Is(TypeCase::kClass)) Decline("a cast of an object", place);
    if (IsSubtype(value->type, callee.type)) return Meaning::Of(value);
    const bool has_length =
        value->type->Is(TypeCase::kList) || value->type->Is(TypeCase::kString) || value->type->Is(TypeCase::kDict);
    if (callee.type->Is(TypeCase::kBool) && has_length) {
      IrValue* length = matcher_.Call("aten::len", place, {{value, ""}});
      return Meaning::Of(matcher_.Call("aten::gt", place, {{length, ""}, {zero, ""}}));
    }
  }
  return Meaning::Of(matcher_.Call(callee.name, place, arguments, keywords));
}

Meaning Emitter::CallFunction(
    ScriptFunction& function, CodePlace place, const CallArguments& arguments, const CallArguments& keywords) {
  program_.Define(function, place);
  const MatchedCall matched = matcher_.Match({&function.schema}, place, arguments, keywords);
  IrValue* callee = graph_.InsertOp("prim::Constant", {}, program_.types().Function(&function, function.path));
  callee->node->name = function.name;
  IrValues inputs = {callee};
  inputs.insert(inputs.end(), matched.inputs.begin(), matched.inputs.end());
  IrValue* out = graph_.InsertOp("prim::CallFunction", inputs, matched.returns[0]);
  out->node->place = place;
  return Meaning::Of(out);
}

Meaning Emitter::CallMethod(IrValue* self, const std::string& name, CodePlace place, const CallArguments& arguments,
    const CallArguments& keywords) {
  if (!self->type->cls) Decline("the method `" + name + "` of `" + self->type->name + "`", place);
  ScriptClass& cls = *self->type->cls;
  const OpSchema* schema = nullptr;
  if (auto method = cls.methods.find(name); method != cls.methods.end()) {
    program_.Define(method->second, place);
    schema = &method->second.schema;
  } else if (auto declared = cls.interface_methods.find(name); declared != cls.interface_methods.end()) {
    schema = &declared->second;
  } else {
    Decline("the method `" + name + "` of `" + cls.path + "`", place);
  }
  CallArguments with_self = {{self, ""}};
  with_self.insert(with_self.end(), arguments.begin(), arguments.end());
  const MatchedCall matched = matcher_.Match({schema}, place, with_self, keywords);
  IrValue* out = graph_.InsertOp("prim::CallMethod", matched.inputs, matched.returns[0]);
  out->node->name = name;
  out->node->place = place;
  return Meaning::Of(out);
}

Meaning Emitter::Construct(
    TypeRef type, CodePlace place, const CallArguments& arguments, const CallArguments& keywords) {
  if (type->Is(TypeCase::kClass)) {
    IrValue* object = graph_.InsertOp("prim::CreateObject", {}, type);
    object->node->place = place;
    CallMethod(object, "__init__", place, arguments, keywords);
    return Meaning::Of(object);
  }
  OpSchema schema;
  schema.name = type->name;
  for (size_t i = 0; i < type->of.size(); ++i) {
    OpArgument& field = schema.arguments.emplace_back();
    field.name = type->fields[i];
    field.type = type->of[i];
  }
  const MatchedCall matched = matcher_.Match({&schema}, place, arguments, keywords);
  IrValue* tuple = graph_.InsertOp("prim::TupleConstruct", matched.inputs, type);
  tuple->node->place = place;
  return Meaning::Of(tuple);
}

}  // namespace fakeprop::script
