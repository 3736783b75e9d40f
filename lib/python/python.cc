#include "lib/python/python.h"

#include "lib/base/check.h"
#include "lib/meta/dtype.h"
#include "lib/schema/schema_table.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

Tensor* FirstTensor(const List& list) {
  for (const Value& item : list.items)
    if (Tensor* t = item.TryTensor()) return t;
  return nullptr;
}

}  // namespace

void FailArguments(std::string_view function, const std::string& why) {
  Fail(ErrorClass::kTypeError, std::string(function) + " " + why);
}

Value Python::Call(std::string_view function, PythonArguments&& arguments) {
  const PythonFunction* found = FindPythonFunction(function);
  if (!found) throw InternalError("no Python function " + std::string(function));
  return found->Run(*this, std::move(arguments));
}

Value Python::CallMethod(std::string_view method, std::vector<Value> arguments) {
  const PythonFunction* found = FindPythonMethod(method);
  if (!found) throw InternalError("no method " + std::string(method));
  return found->Run(*this, {std::move(arguments), {}});
}

Value Python::Operator(std::string_view full_name, std::vector<Value> arguments) {
  const Schema* schema = FindSchema(full_name);
  if (!schema) throw InternalError("no operator " + std::string(full_name));
  std::vector<const Value*> bound;
  for (size_t i = 0; i < schema->arguments.size(); ++i) {
    if (i < arguments.size()) bound.push_back(&arguments[i]);
    else if (schema->arguments[i].default_value) bound.push_back(&*schema->arguments[i].default_value);
    else throw InternalError("too few arguments for " + std::string(full_name));
  }
  return CallSchema(*schema, bound);
}

Value Python::CallSchema(const Schema& schema, std::span<const Value* const> arguments) {
  Value result = host_.CallOperator(schema, arguments);
  if (const List* list = result.TryList(); list && schema.returns.size() > 1) {
    if (const Tensor* first = FirstTensor(*list)) memory_.named_results[first] = &schema;
  }
  return result;
}

Value Python::Item(Tensor& tensor) {
  if (!Expect(Eq(Numel(tensor.meta.size_span()), 1)))
    Fail(ErrorClass::kShapeMismatch, "only a tensor with one element is a number, not " + ToString(tensor.meta),
        {&tensor});
  return Operator("aten::item", {Value(&tensor)});
}

void Python::CountModule() {
  constexpr int64_t kMost = 50'000;
  if (++memory_.modules_run > kMost)
    Fail(ErrorClass::kOverflow, "the graph runs more than " + std::to_string(kMost) + " modules");
}

Tensor* Python::ModuleTensor(const std::string& path) {
  if (Tensor* t = host_.FindAttribute(path)) return t;
  auto it = memory_.module_tensors.find(path);
  return it == memory_.module_tensors.end() ? nullptr : it->second;
}

Tensor* Python::MakeModuleTensor(const std::string& path, TensorMeta meta, bool is_parameter) {
  ObjectTable& objects = host_.objects();
  Storage* storage = objects.NewStorage(StorageNbytes(meta), meta.device);
  const bool requires_grad = is_parameter && IsFloatOrComplex(meta.dtype);
  Tensor* t = objects.NewTensor(std::move(meta), storage);
  t->own_requires_grad = requires_grad;
  return memory_.module_tensors[path] = t;
}

void Python::RestoreState() {
  if (memory_.saved.empty()) Fail(ErrorClass::kValueError, "a region is left that was never entered");
  host_.state() = memory_.saved.back();
  memory_.saved.pop_back();
}

namespace {

// Decides, with a guard on record.
bool IsTrue(Symbolic value) {
  if (value.expression->type == SymType::kBool) return Guard(Cond::Of(value.expression));
  return value.expression->env->Specialize(value.expression).Truth();
}

}  // namespace

bool Python::Truth(const Value& value) {
  if (value.IsNone()) return false;
  if (auto b = value.TryGet<bool>()) return *b;
  if (auto i = value.TryGet<Dim>()) return Guard(Ne(*i, 0));
  if (auto d = value.TryGet<double>()) return *d != 0;
  if (value.Is<Symbolic>()) return IsTrue(value.Get<Symbolic>());
  if (auto s = value.TryGet<std::string>()) return !s->empty();
  if (const List* list = value.TryList()) return !list->items.empty();
  if (const Dict* dict = value.TryGet<Dict>()) return !dict->items.empty();
  if (Tensor* t = value.TryTensor()) return Truth(Item(*t));
  return true;
}

const Value* Python::NamedResult(const List& results, std::string_view name) const {
  auto it = memory_.named_results.find(FirstTensor(results));
  if (it == memory_.named_results.end()) return nullptr;
  const std::vector<SchemaReturn>& returns = it->second->returns;
  for (size_t i = 0; i < returns.size() && i < results.items.size(); ++i)
    if (returns[i].name == name) return &results.items[i];
  return nullptr;
}

}  // namespace fakeprop
