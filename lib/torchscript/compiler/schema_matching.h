// Fits the values of a call to what an operator or function takes, as torch does: by converting them where it must.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/torchscript/compiler/ir.h"
#include "lib/torchscript/compiler/op_schema.h"

namespace fakeprop::script {

// An argument of a call; `name` is empty for those by position.
struct CallArgument {
  IrValue* value;
  std::string name;
};

using CallArguments = std::vector<CallArgument>;

struct MatchedCall {
  size_t overload = 0;
  IrValues inputs;
  std::vector<TypeRef> returns;
};

// What the type variables of a schema stand for.
using TypeBindings = std::map<std::string, TypeRef>;

class SchemaMatcher {
 public:
  SchemaMatcher(IrGraph& graph, OperatorTable& operators) : graph_(graph), operators_(operators) {}

  // The first of the schemas that takes the call. Declines if none does.
  MatchedCall Match(const std::vector<const OpSchema*>& schemas, CodePlace place, const CallArguments& arguments,
      const CallArguments& keywords);
  // Calls an operator.
  IrValue* Call(
      std::string_view op, CodePlace place, const CallArguments& arguments, const CallArguments& keywords = {});
  // Converts a value to a type where torch does so by itself; else returns the value as it is.
  IrValue* Convert(CodePlace place, TypeRef to, IrValue* value, bool converts);
  // The elements of a tuple.
  IrValues Unpack(IrValue* tuple);

 private:
  std::optional<MatchedCall> Try(const OpSchema& schema, CodePlace place, const CallArguments& arguments,
      const CallArguments& keywords, bool converts);
  IrValue* TryArgument(
      const OpArgument& argument, CodePlace place, IrValue* value, bool converts, TypeBindings& bindings);
  IrValue* TryList(const OpArgument& argument, CodePlace place, std::span<const CallArgument> items, bool converts,
      TypeBindings& bindings);
  IrValue* ConvertTuple(CodePlace place, TypeRef to, IrValue* value, bool converts);
  IrValue* ConvertNumber(CodePlace place, TypeRef to, IrValue* value);
  IrValue* MakeList(TypeRef element, const IrValues& items);

  IrGraph& graph_;
  OperatorTable& operators_;
};

// Finds what the variables of a formal type stand for. Returns false if the actual type does not fit.
bool BindTypes(TypeRef formal, TypeRef actual, TypeBindings& bindings, TypeTable& types);
// The type with its variables replaced; null if one of them stands for nothing.
TypeRef ResolveType(TypeRef formal, const TypeBindings& bindings, TypeTable& types);
// Whether a node is a call of this overload.
bool IsSchemaOf(const OpSchema& schema, const IrNode& node, TypeTable& types);
// Whether torch tries this overload at all.
bool IsTried(const OpSchema& schema);

}  // namespace fakeprop::script
