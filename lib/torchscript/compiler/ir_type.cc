// Source: ATen/core/type.cpp and jit_type.h (torch 2.15).
#include "lib/torchscript/compiler/ir_type.h"

#include <algorithm>

#include "lib/torchscript/compiler/decline.h"

namespace fakeprop::script {
namespace {

constexpr size_t kMostParts = 10'000;
constexpr size_t kMostNodes = 1'000'000;
constexpr std::string_view kCustomClasses = "__torch__.torch.classes.";

// Packed weights; the other classes that LibTorch may have are left to it.
constexpr std::string_view kKnownCustomClasses[] = {"quantized.LinearPackedParamsBase",
    "quantized.Conv2dPackedParamsBase", "quantized.Conv3dPackedParamsBase", "quantized.EmbeddingPackedParamsBase",
    "rnn.CellParamsBase", "sparse.LinearPackedParamsBase"};

// In the order of TypeCase.
constexpr std::string_view kBasicNames[] = {"Tensor", "int", "float", "complex", "bool", "number", "str", "Device",
    "NoneType", "Any", "Generator", "Stream", "Storage", "AnyEnumType", "list", "tuple", "AnyClassType"};

std::string NameOf(TypeCase kind, const std::vector<TypeRef>& of) {
  std::string name = kind == TypeCase::kOptional ? "Optional["
                     : kind == TypeCase::kList   ? "List["
                     : kind == TypeCase::kDict   ? "Dict["
                     : kind == TypeCase::kTuple  ? "Tuple["
                                                 : "Future[";
  if (of.empty()) return name + "()]";
  for (size_t i = 0; i < of.size(); ++i) name += (i > 0 ? ", " : "") + of[i]->name;
  return name + "]";
}

bool AreSubtypes(TypeRef tuple, TypeRef of) {
  if (of->Is(TypeCase::kNamedTuple) && tuple->fields != of->fields) return false;
  return std::equal(tuple->of.begin(), tuple->of.end(), of->of.begin(), of->of.end(), IsSubtype);
}

}  // namespace

TypeTable::TypeTable() {
  for (size_t i = 0; i < std::size(kBasicNames); ++i)
    basic_.push_back(std::make_unique<IrType>(IrType{static_cast<TypeCase>(i), std::string(kBasicNames[i])}));
}

void TypeTable::CountNode() {
  if (++nodes_ > kMostNodes)
    Decline("code of more than " + std::to_string(kMostNodes) + " nodes when calls are inlined");
}

TypeRef TypeTable::FindBasic(std::string_view name) const {
  for (const auto& type : basic_)
    if (type->name == name && !type->Is(TypeCase::kAnyEnum)) return type.get();
  return name == "None" ? Basic(TypeCase::kNone) : nullptr;
}

TypeRef TypeTable::Optional(TypeRef of) {
  if (of->Is(TypeCase::kOptional)) return of;
  return Compound(TypeCase::kOptional, {of});
}

TypeRef TypeTable::Compound(TypeCase kind, std::vector<TypeRef> of) {
  size_t size = 1;
  for (TypeRef part : of) size += part->size;
  if (size > kMostParts) Decline("a type of more than " + std::to_string(kMostParts) + " parts");
  auto& type = compounds_[{kind, of}];
  if (!type) {
    std::string name = NameOf(kind, of);
    type = std::make_unique<IrType>(IrType{kind, std::move(name), std::move(of)});
    type->size = size;
  }
  return type.get();
}

TypeRef TypeTable::NamedTuple(const std::string& name, std::vector<std::string> fields, std::vector<TypeRef> of) {
  std::vector<std::string> words = fields;
  words.push_back(name);
  auto [it, is_new] = named_tuples_.try_emplace({std::move(words), of}, nullptr);
  if (!is_new) return it->second;
  IrType* type = Add(TypeCase::kNamedTuple, name.empty() ? NameOf(TypeCase::kTuple, of) : name);
  for (TypeRef part : of) type->size += part->size;
  type->fields = std::move(fields);
  type->of = std::move(of);
  return it->second = type;
}

TypeRef TypeTable::Variable(std::string_view name) {
  auto it = variables_.find(name);
  if (it != variables_.end()) return it->second;
  return variables_.emplace(name, Add(TypeCase::kVariable, std::string(name))).first->second;
}

TypeRef TypeTable::FindCustomClass(std::string_view path) {
  if (!path.starts_with(kCustomClasses)) return nullptr;
  const std::string_view name = path.substr(kCustomClasses.size());
  if (std::find(std::begin(kKnownCustomClasses), std::end(kKnownCustomClasses), name) == std::end(kKnownCustomClasses))
    return nullptr;
  TypeRef& type = variables_.try_emplace(std::string(path), nullptr).first->second;
  if (!type) type = Add(TypeCase::kClass, std::string(path));
  return type;
}

TypeRef TypeTable::Function(ScriptFunction* function, std::string name) {
  auto [it, is_new] = functions_.try_emplace(function, nullptr);
  if (is_new) {
    IrType* type = Add(TypeCase::kFunction, std::move(name));
    type->function = function;
    it->second = type;
  }
  return it->second;
}

IrType* TypeTable::Add(TypeCase kind, std::string name) {
  return named_.emplace_back(std::make_unique<IrType>(IrType{kind, std::move(name)})).get();
}

bool IsSubtype(TypeRef type, TypeRef of) {
  if (type == of || of->Is(TypeCase::kAny)) return true;
  if (of->Is(TypeCase::kOptional)) {
    if (type->Is(TypeCase::kOptional)) return IsSubtype(type->element(), of->element());
    return type->Is(TypeCase::kNone) || IsSubtype(type, of->element());
  }
  switch (of->kind) {
    case TypeCase::kNumber:
      return type->Is(TypeCase::kInt) || type->Is(TypeCase::kFloat) || type->Is(TypeCase::kComplex);
    case TypeCase::kAnyList: return type->Is(TypeCase::kList);
    case TypeCase::kAnyTuple: return type->IsTuple();
    case TypeCase::kAnyEnum: return type->Is(TypeCase::kEnum);
    case TypeCase::kAnyClass: return type->Is(TypeCase::kClass);
    case TypeCase::kTuple:
    case TypeCase::kNamedTuple: return type->IsTuple() && AreSubtypes(type, of);
    case TypeCase::kFuture: return type->Is(TypeCase::kFuture) && IsSubtype(type->element(), of->element());
    case TypeCase::kInterface:
      if (type->Is(TypeCase::kClass)) Decline("a class as the interface `" + of->name + "`");
      return false;
    default: return false;
  }
}

TypeRef Unify(TypeRef a, TypeRef b, TypeTable& types) {
  if (IsSubtype(a, b)) return b;
  if (IsSubtype(b, a)) return a;
  if (a->Is(TypeCase::kNone)) return types.Optional(b);
  if (b->Is(TypeCase::kNone)) return types.Optional(a);
  if (a->Is(TypeCase::kOptional) || b->Is(TypeCase::kOptional)) {
    const TypeRef element =
        Unify(a->Is(TypeCase::kOptional) ? a->element() : a, b->Is(TypeCase::kOptional) ? b->element() : b, types);
    return element ? types.Optional(element) : nullptr;
  }
  if (!a->IsTuple() || !b->IsTuple() || a->of.size() != b->of.size()) return nullptr;
  std::vector<TypeRef> elements;
  for (size_t i = 0; i < a->of.size(); ++i) {
    elements.push_back(Unify(a->of[i], b->of[i], types));
    if (!elements.back()) return nullptr;
  }
  return types.Tuple(std::move(elements));
}

bool IsMutable(TypeRef type) {
  switch (type->kind) {
    case TypeCase::kTensor:
    case TypeCase::kAny:
    case TypeCase::kAnyList:
    case TypeCase::kAnyTuple:
    case TypeCase::kAnyClass:
    case TypeCase::kList:
    case TypeCase::kDict:
    case TypeCase::kClass:
    case TypeCase::kInterface:
    case TypeCase::kStorage:
    case TypeCase::kGenerator: return true;
    case TypeCase::kOptional:
    case TypeCase::kFuture:
    case TypeCase::kTuple:
    case TypeCase::kNamedTuple: return std::any_of(type->of.begin(), type->of.end(), IsMutable);
    default: return false;
  }
}

}  // namespace fakeprop::script
