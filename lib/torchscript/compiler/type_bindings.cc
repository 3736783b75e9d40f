// Source: matchTypeVariables and tryEvalTypeVariables in ATen/core/type.cpp (torch 2.15).
#include "lib/torchscript/compiler/schema_matching.h"

namespace fakeprop::script {
namespace {

bool HasVariables(TypeRef type) {
  if (type->Is(TypeCase::kVariable)) return true;
  for (TypeRef part : type->of)
    if (HasVariables(part)) return true;
  return false;
}

bool BindVariable(TypeRef formal, TypeRef actual, TypeBindings& bindings, TypeTable& types) {
  auto [it, is_new] = bindings.emplace(formal->name, actual);
  if (is_new || it->second == actual) return true;
  const TypeRef unified = Unify(it->second, actual, types);
  if (!unified) return false;
  it->second = unified;
  return true;
}

bool BindParts(TypeRef formal, TypeRef actual, TypeBindings& bindings, TypeTable& types) {
  if (formal->of.size() != actual->of.size()) return false;
  for (size_t i = 0; i < formal->of.size(); ++i)
    if (!BindTypes(formal->of[i], actual->of[i], bindings, types)) return false;
  return true;
}

}  // namespace

bool BindTypes(TypeRef formal, TypeRef actual, TypeBindings& bindings, TypeTable& types) {
  if (!HasVariables(formal)) return true;
  switch (formal->kind) {
    case TypeCase::kVariable: return BindVariable(formal, actual, bindings, types);
    case TypeCase::kList:
      if (actual->IsTuple()) {
        TypeRef element = actual->of.empty() ? nullptr : actual->of[0];
        for (TypeRef part : actual->of) element = element ? Unify(element, part, types) : nullptr;
        return element && BindTypes(formal->element(), element, bindings, types);
      }
      return actual->Is(TypeCase::kList) && BindParts(formal, actual, bindings, types);
    case TypeCase::kTuple: return actual->IsTuple() && BindParts(formal, actual, bindings, types);
    case TypeCase::kDict:
    case TypeCase::kFuture: return actual->kind == formal->kind && BindParts(formal, actual, bindings, types);
    case TypeCase::kOptional:
      if (actual->Is(TypeCase::kOptional)) return BindParts(formal, actual, bindings, types);
      // A None says nothing of the element.
      return actual->Is(TypeCase::kNone) || BindTypes(formal->element(), actual, bindings, types);
    default: return false;
  }
}

TypeRef ResolveType(TypeRef formal, const TypeBindings& bindings, TypeTable& types) {
  if (!HasVariables(formal)) return formal;
  if (formal->Is(TypeCase::kVariable)) {
    auto it = bindings.find(formal->name);
    return it == bindings.end() ? nullptr : it->second;
  }
  std::vector<TypeRef> parts;
  for (TypeRef part : formal->of) {
    parts.push_back(ResolveType(part, bindings, types));
    if (!parts.back()) return nullptr;
  }
  switch (formal->kind) {
    case TypeCase::kList: return types.List(parts[0]);
    case TypeCase::kDict: return types.Dict(parts[0], parts[1]);
    case TypeCase::kOptional: return types.Optional(parts[0]);
    case TypeCase::kFuture: return types.Future(parts[0]);
    default: return types.Tuple(std::move(parts));
  }
}

// Source: Node::matches in torch/csrc/jit/ir/ir.cpp.
bool IsSchemaOf(const OpSchema& schema, const IrNode& node, TypeTable& types) {
  const size_t count = schema.arguments.size();
  if (!IsTried(schema) || !schema.is_known || node.inputs.size() < count) return false;
  if (node.inputs.size() != count && !schema.takes_any_number) return false;
  TypeBindings bindings;
  for (size_t i = 0; i < count; ++i) {
    const TypeRef formal = schema.arguments[i].type, actual = node.inputs[i]->type;
    if (!BindTypes(formal, actual, bindings, types)) return false;
    // A None for an optional of a variable leaves the variable open.
    const TypeRef resolved = ResolveType(formal, bindings, types);
    if (!IsSubtype(actual, resolved ? resolved : formal)) return false;
  }
  return true;
}

bool IsTried(const OpSchema& schema) {
  if (schema.name == "aten::view") return schema.overload != "dtype";
  return !((schema.name == "aten::max" || schema.name == "aten::min") && schema.overload == "unary_out");
}

}  // namespace fakeprop::script
