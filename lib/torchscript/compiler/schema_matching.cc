// Source: torch/csrc/jit/frontend/schema_matching.cpp (torch 2.15).
#include "lib/torchscript/compiler/schema_matching.h"

#include <algorithm>
#include <span>

#include "lib/torchscript/compiler/decline.h"

namespace fakeprop::script {
namespace {

TypeRef WithoutOptional(TypeRef type) { return type->Is(TypeCase::kOptional) ? type->element() : type; }

// Whether one number stands for a list of so many.
bool IsNumberForList(const IrValue& value, const OpArgument& argument) {
  if (!value.type->Is(TypeCase::kInt) && !value.type->Is(TypeCase::kFloat)) return false;
  const TypeRef list = WithoutOptional(argument.type);
  return argument.repeats > 0 && list->Is(TypeCase::kList) && list->element() == value.type;
}

bool IsConvertibleToList(TypeRef type, TypeRef list) {
  if (!list->Is(TypeCase::kList)) return false;
  if (IsSubtype(type, list)) return true;
  return type->IsTuple() &&
         std::all_of(type->of.begin(), type->of.end(), [&](TypeRef t) { return IsSubtype(t, list->element()); });
}

// Whether all further arguments by position can be the items of one list: zeros(2, 3).
bool TakesRestAsList(const OpSchema& schema, size_t index) {
  const OpArgument& argument = schema.arguments[index];
  const bool is_last = index + 1 == schema.arguments.size() || schema.arguments[index + 1].is_keyword_only;
  return is_last && argument.type->Is(TypeCase::kList) && argument.repeats == 0 &&
         !argument.type->element()->Is(TypeCase::kVariable);
}

// The index of the keyword that gives the argument, or -1.
int FindKeyword(const OpSchema& schema, const std::string& name, const CallArguments& keywords) {
  const bool is_aten = schema.name.starts_with("aten::");
  for (size_t i = 0; i < keywords.size(); ++i) {
    const bool is_renamed_self = is_aten && name == "self" && keywords[i].name == "input";
    if (is_renamed_self || keywords[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

IrValue* SchemaMatcher::MakeList(TypeRef element, const IrValues& items) {
  return graph_.InsertOp("prim::ListConstruct", items, graph_.types().List(element));
}

IrValues SchemaMatcher::Unpack(IrValue* tuple) {
  if (tuple->node->Is("prim::TupleConstruct")) return tuple->node->inputs;
  return graph_.Insert(graph_.Create("prim::TupleUnpack", {tuple}, tuple->type->of))->outputs;
}

IrValue* SchemaMatcher::ConvertTuple(CodePlace place, TypeRef to, IrValue* value, bool converts) {
  const TypeRef list = WithoutOptional(to);
  const TypeRef before = value->type;
  if (IsConvertibleToList(before, list)) value = MakeList(list->element(), Unpack(value));
  if (!to->IsTuple() || IsSubtype(before, to) || to->of.size() != before->of.size()) return value;
  const IrValues parts = Unpack(value);
  IrValues converted;
  std::vector<TypeRef> types;
  for (size_t i = 0; i < parts.size(); ++i) {
    converted.push_back(Convert(place, to->of[i], parts[i], converts));
    types.push_back(converted.back()->type);
  }
  return graph_.InsertOp("prim::TupleConstruct", converted, graph_.types().Tuple(std::move(types)));
}

// Tensors, numbers of any kind, and bools, where one kind of number is wanted.
IrValue* SchemaMatcher::ConvertNumber(CodePlace place, TypeRef to, IrValue* value) {
  const auto call = [&](std::string_view op) { return Call(op, place, {{value, ""}}); };
  const TypeRef type = value->type;
  if (type->Is(TypeCase::kTensor)) {
    if (to->Is(TypeCase::kFloat)) return call("aten::FloatImplicit");
    if (to->Is(TypeCase::kComplex)) return call("aten::ComplexImplicit");
    if (to->Is(TypeCase::kInt)) return call("aten::IntImplicit");
    if (to->Is(TypeCase::kNumber)) return call("aten::ScalarImplicit");
  } else if (type->Is(TypeCase::kNumber)) {
    if (to->Is(TypeCase::kFloat)) return call("aten::Float");
    if (to->Is(TypeCase::kComplex)) return call("aten::Complex");
    if (to->Is(TypeCase::kInt)) return call("aten::Int");
  } else if (type->Is(TypeCase::kBool)) {
    if (to->Is(TypeCase::kFloat)) return call("aten::Float");
    if (to->Is(TypeCase::kInt) || to->Is(TypeCase::kNumber)) return call("aten::Int");
  } else if (type->Is(TypeCase::kString) && to->Is(TypeCase::kDevice)) {
    return call("aten::device");
  }
  return value;
}

IrValue* SchemaMatcher::Convert(CodePlace place, TypeRef to, IrValue* value, bool converts) {
  if (to->Is(TypeCase::kOptional) && !value->type->Is(TypeCase::kOptional) && !value->type->Is(TypeCase::kNone))
    return Convert(place, to->element(), value, converts);
  if (value->node->Is("prim::EmptyListLiteral") && to->Is(TypeCase::kList)) value = MakeList(to->element(), {});
  if (value->type->IsTuple()) value = ConvertTuple(place, to, value, converts);
  return converts ? ConvertNumber(place, to, value) : value;
}

IrValue* SchemaMatcher::TryArgument(
    const OpArgument& argument, CodePlace place, IrValue* value, bool converts, TypeBindings& bindings) {
  if (IsNumberForList(*value, argument)) value = MakeList(value->type, IrValues(argument.repeats, value));
  if (!BindTypes(argument.type, value->type, bindings, graph_.types())) return nullptr;
  const TypeRef type = ResolveType(argument.type, bindings, graph_.types());
  if (!type) return nullptr;
  value = Convert(place, type, value, converts);
  return IsSubtype(value->type, type) ? value : nullptr;
}

IrValue* SchemaMatcher::TryList(const OpArgument& argument, CodePlace place, std::span<const CallArgument> items,
    bool converts, TypeBindings& bindings) {
  OpArgument element;
  element.type = argument.type->element();
  IrValues values;
  for (const CallArgument& item : items) {
    values.push_back(TryArgument(element, place, item.value, converts, bindings));
    if (!values.back()) return nullptr;
  }
  return MakeList(element.type, values);
}

std::optional<MatchedCall> SchemaMatcher::Try(const OpSchema& schema, CodePlace place, const CallArguments& arguments,
    const CallArguments& keywords, bool converts) {
  if (!IsTried(schema)) return std::nullopt;
  if (!schema.is_known) Decline("a call of `" + schema.name + "` with the overload `" + schema.overload + "`", place);
  MatchedCall out;
  TypeBindings bindings;
  size_t used = 0, used_keywords = 0;
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    const OpArgument& argument = schema.arguments[i];
    IrValue* value = nullptr;
    if (!argument.is_keyword_only && used < arguments.size()) {
      value = arguments[used].value;
      if (converts && TakesRestAsList(schema, i) && !value->type->Is(TypeCase::kList) &&
          !IsConvertibleToList(value->type, argument.type)) {
        value = TryList(argument, place, std::span(arguments).subspan(used), converts, bindings);
        if (!value) return std::nullopt;
        used = arguments.size();
        out.inputs.push_back(value);
        continue;
      }
      ++used;
    } else if (const int keyword = FindKeyword(schema, argument.name, keywords); keyword >= 0) {
      value = keywords[static_cast<size_t>(keyword)].value;
      ++used_keywords;
    } else if (argument.default_value) {
      const TypeRef type = TypeOfConstant(*argument.default_value, graph_.types());
      value = graph_.InsertConstant(*argument.default_value, type ? type : argument.type);
    } else {
      return std::nullopt;
    }
    value = TryArgument(argument, place, value, converts, bindings);
    if (!value) return std::nullopt;
    out.inputs.push_back(value);
  }
  for (; schema.takes_any_number && used < arguments.size(); ++used) out.inputs.push_back(arguments[used].value);
  if (used < arguments.size() || used_keywords < keywords.size()) return std::nullopt;
  for (TypeRef type : schema.returns) {
    out.returns.push_back(ResolveType(type, bindings, graph_.types()));
    if (!out.returns.back()) Decline("a call of `" + schema.name + "` whose result has no known type", place);
  }
  return out;
}

MatchedCall SchemaMatcher::Match(const std::vector<const OpSchema*>& schemas, CodePlace place,
    const CallArguments& arguments, const CallArguments& keywords) {
  for (const bool converts : {false, true}) {
    if (schemas.size() == 1 && !converts) continue;
    for (size_t i = 0; i < schemas.size(); ++i) {
      if (auto matched = Try(*schemas[i], place, arguments, keywords, converts)) {
        matched->overload = i;
        return *matched;
      }
    }
  }
  Decline("a call of `" + (schemas.empty() ? "" : schemas[0]->name) + "` that fits none of its overloads", place);
}

IrValue* SchemaMatcher::Call(
    std::string_view op, CodePlace place, const CallArguments& arguments, const CallArguments& keywords) {
  const std::vector<OpSchema>& overloads = operators_.Find(op);
  if (overloads.empty()) Decline("the operator `" + std::string(op) + "`", place);
  std::vector<const OpSchema*> schemas;
  for (const OpSchema& overload : overloads) schemas.push_back(&overload);
  const MatchedCall matched = Match(schemas, place, arguments, keywords);
  const OpSchema& schema = overloads[matched.overload];
  if (schema.is_outdated) Decline("`" + schema.name + "` of an archive of an older version", place);
  IrNode* node = graph_.Insert(graph_.Create(operators_.NameOf(op), matched.inputs, matched.returns));
  node->place = place;
  if (node->outputs.size() == 1) return node->output();
  // Several results are a tuple, and results with names one with names. No variable gets the value of no result.
  const bool has_names = std::none_of(
      schema.return_names.begin(), schema.return_names.end(), [](const std::string& name) { return name.empty(); });
  TypeRef type = graph_.types().Tuple(matched.returns);
  if (has_names) type = graph_.types().NamedTuple("", schema.return_names, matched.returns);
  return graph_.InsertOp("prim::TupleConstruct", node->outputs, type);
}

}  // namespace fakeprop::script
