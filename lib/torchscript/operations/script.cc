#include "lib/torchscript/operations/script.h"

#include <string>
#include <unordered_map>

#include "lib/autocast/autocast.h"
#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"
#include "lib/schema/schema_table.h"
#include "lib/symbolic/shape_env.h"
#include "lib/torchscript/operations/script_autocast.h"
#include "lib/torchscript/operations/script_fold.h"
#include "lib/torchscript/operations/script_operations.h"
#include "lib/torchscript/operations/script_tables.h"
#include "lib/torchscript/operations/script_unknown.h"
#include "lib/torchscript/operations/script_values.h"

namespace fakeprop {
namespace {

using Handlers = std::unordered_map<std::string_view, HigherOrder>;

Handlers CollectHandlers() {
  Handlers handlers;
  for (auto rows : {ScriptControlRows(), ScriptContainerRows(), ScriptContextRows(), ScriptStringRows(),
           ScriptStructureRows(), ScriptTensorRows(), ScriptTextRows(), ScriptTypeRows()})
    for (const HigherOrderRow& row : rows) handlers.emplace(row.name, row.handler);
  return handlers;
}

// ---- arguments

// TorchScript has ints where an operator takes a dtype, layout or memory format.
Value Converted(const Value& value, const Type& type) {
  const Dim* code = value.TryGet<Dim>();
  if (!code || type.is_list) return value;
  switch (type.kind) {
    case TypeKind::kDtype: return EnumOf<ScalarType>(code->Specialize(), "dtype");
    case TypeKind::kLayout: return EnumOf<Layout>(code->Specialize(), "layout");
    case TypeKind::kMemoryFormat: return EnumOf<MemoryFormat>(code->Specialize(), "memory format");
    default: return value;
  }
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

// What is known of a number's type: a tensor's dtype tells that of its elements, and a float among the operands makes
// the result one. "number" where it may be several.
std::string TypeOfOperand(const Value& value) {
  if (const Tensor* t = value.TryTensor()) {
    if (t->meta.dtype == ScalarType::Bool) return "bool";
    return IsComplex(t->meta.dtype) ? "number" : IsFloat(t->meta.dtype) ? "float" : "int";
  }
  if (IsUnknown(value)) return UnknownType(value);
  if (value.Is<bool>()) return "bool";
  return value.Is<Dim>() ? "int" : value.Is<double>() ? "float" : "number";
}

std::string TypeOfUnknown(const Schema& schema, std::span<const Value> arguments) {
  const std::string declared = NumberType(schema);
  if (declared != "number" || arguments.empty()) return declared;
  if (schema.name == "aten::item" || schema.name == "aten::ScalarImplicit") return TypeOfOperand(arguments[0]);
  const bool keeps = schema.name == "aten::add" || schema.name == "aten::sub" || schema.name == "aten::mul";
  if (!keeps || arguments.size() != 2) return declared;
  const std::string a = TypeOfOperand(arguments[0]), b = TypeOfOperand(arguments[1]);
  if (a == "number" || b == "number") return declared;
  return a == "float" || b == "float" ? "float" : "int";
}

// Whether numbers of data that the operator gives may be symbols: integers, taken of integers.
bool GivesIntegers(const Schema& schema, std::span<const Value> arguments) {
  const bool has_tensor = !arguments.empty() && arguments[0].TryTensor();
  return TypeOfUnknown(schema, arguments) == "int" && (!has_tensor || TypeOfOperand(arguments[0]) == "int");
}

std::vector<const Value*> PointersTo(const std::vector<Value>& values) {
  std::vector<const Value*> pointers;
  for (const Value& value : values) pointers.push_back(&value);
  return pointers;
}

Value RunPlain(HigherOrderCall& call, const Schema& schema, const std::vector<Value>& values) {
  const std::vector<const Value*> arguments = PointersTo(values);
  return IsAutocastOn(call.state()) ? CallUnderScriptAutocast(call, schema, arguments)
                                    : call.host().operators().CallOperator(schema, arguments);
}

// Floats and bools that depend on data are unknown values and not symbols.
class WithoutSymbols {
 public:
  explicit WithoutSymbols(bool without) : env_(ShapeEnv::Current()), makes_(env_ && env_->makes_unbacked()) {
    if (env_ && without) env_->SetMakesUnbacked(false);
  }
  ~WithoutSymbols() {
    if (env_) env_->SetMakesUnbacked(makes_);
  }
  WithoutSymbols(const WithoutSymbols&) = delete;
  WithoutSymbols& operator=(const WithoutSymbols&) = delete;

 private:
  ShapeEnv* env_;
  bool makes_;
};

bool DependsOnData(const OpError& error) {
  return error.error_class() == ErrorClass::kDataDependentOutput ||
         error.error_class() == ErrorClass::kDataDependentGuard;
}

Value RunWith(HigherOrderCall& call, const Schema& schema, const std::vector<Value>& values) {
  const bool gives_numbers = GivesNumbers(schema);
  try {
    const WithoutSymbols settings(gives_numbers && !GivesIntegers(schema, values));
    const std::vector<const Value*> arguments = PointersTo(values);
    const std::optional<double> number = FoldedNumber(schema, arguments);
    Value result = RunPlain(call, schema, values);
    KeepKnown(schema, arguments, number, result);
    return Shared(result);  // lists of results can change as any list
  } catch (const OpError& error) {
    if (!gives_numbers || !DependsOnData(error)) throw;
    return NumberOfData(TypeOfUnknown(schema, values));
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
  bool has_unknown = false;
  for (size_t i = 0; i < call.size(); ++i) {
    const Value& given = Deref(call.Positional()[i]);
    const bool is_unknown = AnyValue(given, IsUnknown);
    if (is_unknown && !IsUnknown(given) && !GivesNumbers(schema))
      Fail(ErrorClass::kDataDependentOutput,
          "the argument `" + std::string(schema.arguments[i].name) + "` depends on data");
    has_unknown = has_unknown || is_unknown;
    values.push_back(is_unknown ? given : Converted(given, schema.arguments[i].type));
  }
  if (!has_unknown) return RunWith(call, schema, values);
  if (GivesNumbers(schema)) return NumberOfData(TypeOfUnknown(schema, values));
  const RunOnValues run = [&](const std::vector<Value>& with) { return RunPlain(call, schema, with); };
  return Shared(RunWithUnknown(call, schema, std::move(values), run));
}

}  // namespace fakeprop
