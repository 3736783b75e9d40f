#include "lib/torchscript/operations/script.h"

#include <string>
#include <unordered_map>

#include "lib/autocast/autocast.h"
#include "lib/meta/value_visit.h"
#include "lib/schema/schema_table.h"
#include "lib/torchscript/operations/script_autocast.h"
#include "lib/torchscript/operations/script_fold.h"
#include "lib/torchscript/operations/script_operations.h"
#include "lib/torchscript/operations/script_tables.h"
#include "lib/torchscript/operations/script_values.h"

namespace fakeprop {
namespace {

using Handlers = std::unordered_map<std::string_view, HigherOrder>;

Handlers CollectHandlers() {
  Handlers handlers;
  for (auto rows : {ScriptControlRows(), ScriptContainerRows(), ScriptContextRows(), ScriptStringRows(),
           ScriptStructureRows(), ScriptTensorRows(), ScriptTypeRows()})
    for (const HigherOrderRow& row : rows) handlers.emplace(row.name, row.handler);
  return handlers;
}

// ---- arguments

// TorchScript has ints where an operator takes a dtype, layout or memory format.
Value Converted(const Value& value, const Type& type) {
  const Dim* code = value.TryGet<Dim>();
  if (!code || type.is_list) return value;
  const int64_t number = code->Specialize();
  if (type.kind == TypeKind::kDtype) return EnumOf<ScalarType>(number, "dtype");
  if (type.kind == TypeKind::kLayout) return EnumOf<Layout>(number, "layout");
  return type.kind == TypeKind::kMemoryFormat ? Value(EnumOf<MemoryFormat>(number, "memory format")) : value;
}

bool GivesNumbers(const Schema& schema) {
  for (const SchemaReturn& r : schema.returns)
    if (r.type.kind == TypeKind::kTensor || r.type.is_list) return false;
  return !schema.returns.empty();
}

std::string NumberType(const Schema& schema) {
  switch (schema.returns[0].type.kind) {
    case TypeKind::kInt:
    case TypeKind::kSymInt: return "int";
    case TypeKind::kFloat: return "float";
    case TypeKind::kBool: return "bool";
    case TypeKind::kString: return "str";
    default: return "number";
  }
}

// A number stands in for one that depends on data, where its value changes no metadata: factors, fill values,
// probabilities. A size or dimension does.
Value StandIn(const Value& unknown, const SchemaArgument& argument) {
  const bool is_free =
      !argument.type.is_list && (argument.type.kind == TypeKind::kScalar || argument.type.kind == TypeKind::kFloat);
  if (!is_free)
    Fail(ErrorClass::kDataDependentOutput, "the argument `" + std::string(argument.name) + "` depends on data");
  const std::string& type = UnknownType(unknown);
  if (type == "int") return 1;
  return type == "bool" ? Value(true) : Value(1.0);
}

Value RunWith(HigherOrderCall& call, const Schema& schema, const std::vector<const Value*>& arguments) {
  try {
    const std::optional<double> number = FoldedNumber(schema, arguments);
    Value result = IsAutocastOn(call.state()) ? CallUnderScriptAutocast(call, schema, arguments)
                                              : call.host().operators().CallOperator(schema, arguments);
    KeepKnown(schema, arguments, number, result);
    return Shared(result);  // lists of results can change as any list
  } catch (const OpError& error) {
    if (error.error_class() != ErrorClass::kDataDependentOutput || !GivesNumbers(schema)) throw;
    return UnknownOf(NumberType(schema));
  }
}

}  // namespace

HigherOrder FindScriptHandler(std::string_view op) {
  static const Handlers handlers = CollectHandlers();
  if (auto it = handlers.find(op); it != handlers.end()) return it->second;
  const std::string any = std::string(op.substr(0, op.find('.'))) + "*";
  auto it = handlers.find(any);
  return it == handlers.end() ? nullptr : it->second;
}

bool IsScriptOperation(std::string_view op) { return FindScriptHandler(op) != nullptr; }

Value RunScriptOperator(HigherOrderCall& call) {
  const Schema& schema = *FindSchema(OperatorName(call.node().target));
  if (call.size() != schema.arguments.size())
    Fail(ErrorClass::kTypeError, std::string(schema.full_name) + " takes " + std::to_string(schema.arguments.size()) +
                                     " arguments, the code has " + std::to_string(call.size()));
  std::vector<Value> values;
  values.reserve(call.size());
  for (size_t i = 0; i < call.size(); ++i) {
    const Value& given = Deref(call.Positional()[i]);
    const bool is_unknown = AnyValue(given, IsUnknown);
    if (is_unknown && GivesNumbers(schema)) return UnknownOf(NumberType(schema));
    values.push_back(is_unknown ? StandIn(given, schema.arguments[i]) : Converted(given, schema.arguments[i].type));
  }
  std::vector<const Value*> arguments;
  for (const Value& value : values) arguments.push_back(&value);
  return RunWith(call, schema, arguments);
}

}  // namespace fakeprop
