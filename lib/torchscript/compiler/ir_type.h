// Types of TorchScript's values, and their order.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fakeprop::script {

struct ScriptClass;
struct ScriptFunction;

enum class TypeCase {
  kTensor,
  kInt,
  kFloat,
  kComplex,
  kBool,
  kNumber,
  kString,
  kDevice,
  kNone,
  kAny,
  kGenerator,
  kStream,
  kStorage,
  kAnyEnum,
  kAnyList,
  kAnyTuple,
  kAnyClass,
  // Of other types.
  kOptional,
  kList,
  kDict,
  kTuple,
  kFuture,
  // By name.
  kVariable,  // of a schema: "t"
  kNamedTuple,
  kClass,
  kInterface,
  kEnum,
  kFunction,
};

// Equal types are one object.
struct IrType {
  TypeCase kind;
  std::string name;  // as torch writes it in annotations
  std::vector<const IrType*> of;
  std::vector<std::string> fields;     // of a named tuple
  ScriptClass* cls = nullptr;          // of classes, interfaces and enums; null for LibTorch's own classes
  ScriptFunction* function = nullptr;  // of a function
  size_t size = 1;                     // with all that it consists of

  bool Is(TypeCase other) const { return kind == other; }
  bool IsTuple() const { return kind == TypeCase::kTuple || kind == TypeCase::kNamedTuple; }
  const IrType* element() const { return of[0]; }
};

using TypeRef = const IrType*;

class TypeTable {
 public:
  TypeTable();

  // Counts a node of a graph with these types. Declines if all graphs together have more than any model needs.
  void CountNode();

  TypeRef Basic(TypeCase kind) const { return basic_[static_cast<size_t>(kind)].get(); }
  // "Tensor", "int" ...; null for any other name.
  TypeRef FindBasic(std::string_view name) const;
  TypeRef Optional(TypeRef of);
  TypeRef List(TypeRef of) { return Compound(TypeCase::kList, {of}); }
  TypeRef Dict(TypeRef key, TypeRef value) { return Compound(TypeCase::kDict, {key, value}); }
  TypeRef Tuple(std::vector<TypeRef> of) { return Compound(TypeCase::kTuple, std::move(of)); }
  TypeRef Future(TypeRef of) { return Compound(TypeCase::kFuture, {of}); }
  // One without a name is written as other tuples are.
  TypeRef NamedTuple(const std::string& name, std::vector<std::string> fields, std::vector<TypeRef> of);
  TypeRef Variable(std::string_view name);
  // One of LibTorch's own classes: "__torch__.torch.classes.quantized.LinearPackedParamsBase". Null if there is none of
  // this name.
  TypeRef FindCustomClass(std::string_view path);
  TypeRef Function(ScriptFunction* function, std::string name);
  // A new type by name.
  IrType* Add(TypeCase kind, std::string name);

 private:
  TypeRef Compound(TypeCase kind, std::vector<TypeRef> of);

  size_t nodes_ = 0;
  std::vector<std::unique_ptr<IrType>> basic_;
  std::vector<std::unique_ptr<IrType>> named_;
  std::map<std::pair<TypeCase, std::vector<TypeRef>>, std::unique_ptr<IrType>> compounds_;
  std::map<std::pair<std::vector<std::string>, std::vector<TypeRef>>, TypeRef> named_tuples_;
  std::map<std::string, TypeRef, std::less<>> variables_;
  std::map<ScriptFunction*, TypeRef> functions_;
};

// Whether a value of one type can stand where the other is wanted.
bool IsSubtype(TypeRef type, TypeRef of);
// The least type that has both; null if there is none but a union.
TypeRef Unify(TypeRef a, TypeRef b, TypeTable& types);
// Whether values of this type have contents that can change.
bool IsMutable(TypeRef type);

}  // namespace fakeprop::script
