#include "lib/python/op_rules.h"

#include <functional>

#include "lib/meta/value_visit.h"
#include "lib/python/module.h"
#include "lib/rules/core/call.h"

namespace fakeprop {
namespace {

// A fake implementation runs below autograd and autocast.
class BelowAutograd {
 public:
  explicit BelowAutograd(ExecutionState& state) : state_(state), saved_(state) {
    state_.grad_enabled = false;
    state_.cpu_autocast.enabled = state_.cuda_autocast.enabled = false;
  }
  ~BelowAutograd() { state_ = saved_; }

 private:
  ExecutionState& state_;
  ExecutionState saved_;
};

// While a module's rule runs, `self` is that module.
class SelfScope {
 public:
  SelfScope(Python& python, const Module& module) : python_(python) { python_.SetSelf(&module); }
  ~SelfScope() { python_.SetSelf(nullptr); }

 private:
  Python& python_;
};

void Assign(Python& python, const RuleBody::Statement& statement, Value value, Bindings& names) {
  if (statement.names.size() == 1) return names.Set(statement.names[0], std::move(value));
  const Value list = python.Call("builtins.list", {value});
  const std::vector<Value>& items = list.TryList()->items;
  if (items.size() != statement.names.size())
    Fail(ErrorClass::kValueError,
        std::to_string(items.size()) + " values do not fit " + std::to_string(statement.names.size()) + " names");
  for (size_t i = 0; i < items.size(); ++i) names.Set(statement.names[i], items[i]);
}

// States one call's results from what the body returned.
class Results {
 public:
  explicit Results(Call& call) : call_(call) {}

  void State(const Value& returned) {
    const std::vector<SchemaReturn>& returns = call_.schema().returns;
    if (returns.empty() && !returned.IsNone()) FailRule("returns " + ToString(returned) + ", but its schema no result");
    const List* several = returns.size() > 1 ? returned.TryList() : nullptr;
    if (returns.size() > 1 && (!several || several->items.size() != returns.size()))
      FailRule("returns " + ToString(returned) + ", but its schema " + std::to_string(returns.size()) + " results");
    for (size_t i = 0; i < returns.size(); ++i) {
      const Value& value = several ? several->items[i] : returned;
      call_.effects().outputs.push_back(OutputOf(value, returns[i], "result " + std::to_string(i)));
    }
    for (size_t i = 0; i < call_.size(); ++i) {
      if (!call_.schema().arguments[i].is_write) continue;
      for (Tensor* t : TensorsOf(call_.Arg(static_cast<int>(i)))) call_.Write(*t);
    }
  }

 private:
  [[noreturn]] static void FailRule(const std::string& why) { Fail(ErrorClass::kTypeError, "it " + why); }

  Output OutputOf(const Value& value, const SchemaReturn& declared, const std::string& name) {
    if (declared.type.is_list && !value.IsNone()) return ListOf(value, declared, name);
    if (Tensor* t = value.TryTensor()) {
      if (declared.type.kind != TypeKind::kTensor) FailType(value, declared, name);
      return TensorOf(*t, declared, name);
    }
    if (!Fits(value, declared.type)) FailType(value, declared, name);
    Output output;
    output.value = value;
    return output;
  }

  Output ListOf(const Value& value, const SchemaReturn& declared, const std::string& name) {
    const List* list = value.TryList();
    if (!list) FailType(value, declared, name);
    SchemaReturn item = declared;
    item.type.is_list = false;
    item.type.is_optional = declared.type.is_element_optional;
    Output output;
    output.kind = Output::Kind::kList;
    for (size_t i = 0; i < list->items.size(); ++i)
      output.items.push_back(OutputOf(list->items[i], item, name + "[" + std::to_string(i) + "]"));
    return output;
  }

  Output TensorOf(Tensor& t, const SchemaReturn& declared, const std::string& name) {
    Output output;
    output.meta = t.meta;
    const auto [source, argument] = SourceOf(t);
    const bool is_aliased = source && !declared.alias_set.empty() && argument->alias_set == declared.alias_set;
    if (source && !is_aliased)
      FailRule("returns as " + name + " what shares storage with `" + std::string(argument->name) +
               "`, but its schema marks no such alias: write Tensor(a) at both");
    if (!source && !declared.alias_set.empty())
      FailRule("returns a new tensor as " + name + ", which its schema marks as an alias");
    if (declared.is_write && source != &t)
      FailRule("returns as " + name + " another tensor than the argument that it writes to");
    if (!source) {
      for (const Storage* taken : new_storages_)
        if (taken == t.storage) FailRule("returns two tensors on one storage");
      new_storages_.push_back(t.storage);
      output.kind = Output::Kind::kNew;
      return output;
    }
    output.kind = source == &t ? Output::Kind::kArgument : Output::Kind::kView;
    output.source = source;
    return output;
  }

  // The argument that is the tensor, else the first whose storage it stands on.
  std::pair<Tensor*, const SchemaArgument*> SourceOf(const Tensor& t) const {
    std::pair<Tensor*, const SchemaArgument*> found{nullptr, nullptr};
    for (size_t i = 0; i < call_.size(); ++i) {
      for (Tensor* given : TensorsOf(call_.Arg(static_cast<int>(i)))) {
        if (given == &t) return {given, &call_.schema().arguments[i]};
        if (given->storage == t.storage && !found.first) found = {given, &call_.schema().arguments[i]};
      }
    }
    return found;
  }

  static bool Fits(const Value& value, const Type& type) {
    switch (type.kind) {
      case TypeKind::kInt:
      case TypeKind::kSymInt: return value.Is<Dim>();
      case TypeKind::kFloat: return value.Is<double>() || value.Is<Dim>();
      case TypeKind::kBool: return value.Is<bool>();
      case TypeKind::kScalar: return value.IsNumber();
      case TypeKind::kString: return value.Is<std::string>();
      default: return type.is_optional && value.IsNone();
    }
  }

  [[noreturn]] static void FailType(const Value& value, const SchemaReturn& declared, const std::string& name) {
    FailRule("returns " + ToString(value) + " as " + name + ", but its schema " + std::string(declared.type.text));
  }

  Call& call_;
  std::vector<const Storage*> new_storages_;
};

}  // namespace

Value RuleBody::Evaluate(Python& python, Bindings& names, int& line) const {
  for (const Statement& statement : statements_) {
    line = statement.line;
    Value value = statement.value->Evaluate(python, names);
    if (statement.kind == Statement::Kind::kReturn) return value;
    if (statement.kind == Statement::Kind::kAssign) Assign(python, statement, std::move(value), names);
  }
  return {};
}

Value RuleBody::Run(Python& python, Bindings names, const std::function<Value(Value)>& use) const {
  int line = 0;
  try {
    return use(Evaluate(python, names, line));
  } catch (const OpError& e) {
    const std::string place = file_ + (line ? ":" + std::to_string(line) : "");
    throw OpError(e.error_class(), "the rule of " + of_ + " at " + place + ": " + e.message(), e.operands());
  }
}

void OpRule::Run(Python& python, Call& call) const {
  Bindings names;
  for (size_t i = 0; i < call.size(); ++i) names.Set(schema_.arguments[i].name, call.Arg(static_cast<int>(i)));
  std::optional<BelowAutograd> region(std::in_place, python.host().state());
  body_.Run(python, std::move(names), [&](const Value& returned) {
    region.reset();
    Results(call).State(returned);
    return Value();
  });
}

Value PythonRule::Run(Python& python, PythonArguments&& arguments) const {
  return body_.Run(python, signature_.Bind(std::move(arguments)), std::identity());
}

Value PythonRule::RunModule(Python& python, const Module& module, PythonArguments&& inputs) const {
  const SelfScope scope(python, module);
  const std::vector<std::string_view> names = signature_.Parameters();
  if (!names.empty() && names[0] == "self")
    inputs.positional.insert(inputs.positional.begin(), Value(Opaque{module.class_name, module.name}));
  return Run(python, std::move(inputs));
}

const OpRule* OpRules::Find(const Schema& schema) const {
  auto it = rules_.find(&schema);
  return it == rules_.end() ? nullptr : it->second.get();
}

const PythonRule* OpRules::Find(std::string_view path) const {
  auto it = python_rules_.find(path);
  return it == python_rules_.end() ? nullptr : it->second.get();
}

const PythonRule* OpRules::Find(const Module& module) const {
  if (python_rules_.empty() || FindModuleClass(module.class_name)) return nullptr;
  if (const PythonRule* rule = Find(std::string_view(module.class_name))) return rule;
  for (const std::string& base : module.bases) {
    if (FindModuleClass(base)) return nullptr;
    if (const PythonRule* rule = Find(std::string_view(base))) return rule;
  }
  return nullptr;
}

}  // namespace fakeprop
