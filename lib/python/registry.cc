#include "lib/python/registry.h"

#include <mutex>
#include <unordered_map>

#include "lib/python/builtins.h"
#include "lib/python/overloads.h"
#include "lib/python/python_expression.h"

namespace fakeprop {
namespace {

class TableFunction : public PythonFunction {
 public:
  explicit TableFunction(const FunctionRow& row) : signature_(row.signature), native_(row.native) {
    if (!native_) body_ = ParseTableExpression(row.body);
  }

  Value Run(Python& python, PythonArguments&& arguments) const override {
    const Bindings bound = signature_.Bind(std::move(arguments));
    return native_ ? native_(python, bound) : body_->Evaluate(python, bound);
  }

 private:
  Signature signature_;
  NativeFunction native_;
  std::unique_ptr<PythonExpression> body_;
};

// A function of numbers alone (math.floor, torch.sym_max).
class NumberFunction : public PythonFunction {
 public:
  explicit NumberFunction(Builtin function) : function_(function) {}

  Value Run(Python& python, PythonArguments&& arguments) const override {
    std::vector<const Value*> values;
    for (Value& value : arguments.positional) {
      if (Tensor* t = value.TryTensor()) value = python.Item(*t);
      values.push_back(&value);
    }
    for (const auto& [name, value] : arguments.keywords) values.push_back(&value);
    return function_(values);
  }

 private:
  Builtin function_;
};

// `__radd__` of Python's data model: the operator with its operands in turn.
class ReflectedFunction : public PythonFunction {
 public:
  explicit ReflectedFunction(const FunctionRow& row) : function_(row) {}

  Value Run(Python& python, PythonArguments&& arguments) const override {
    std::swap(arguments.positional.at(0), arguments.positional.at(1));
    return function_.Run(python, std::move(arguments));
  }

 private:
  TableFunction function_;
};

// The operator beneath a method such as `__add__`: "add"; empty for other names.
std::string_view SpecialName(std::string_view method) {
  if (method.size() < 5 || !method.starts_with("__") || !method.ends_with("__")) return {};
  method = method.substr(2, method.size() - 4);
  if (method == "div") return "truediv";
  if (method == "rdiv") return "rtruediv";
  if (method == "idiv") return "itruediv";
  return method == "nonzero" ? "bool" : method;
}

// Where operators of ATen can be called from, and what their names begin with there.
struct Namespace {
  std::string_view path;
  std::string_view prefix;
};
constexpr Namespace kNamespaces[] = {
    {"torch._C._VariableFunctions.", ""},
    {"torch._VF.", ""},
    {"torch._C._nn.", ""},
    {"torch._C._special.", ""},
    {"torch._C._fft.", ""},
    {"torch._C._linalg.", ""},
    {"torch.nn.functional.", ""},
    {"torch.special.", "special_"},
    {"torch.fft.", "fft_"},
    {"torch.linalg.", "linalg_"},
    {"torch._C._sparse.", ""},
    {"torch.", ""},
    {"aten.", ""},
};

// Other paths of the same functions.
std::string Canonical(std::string_view path) {
  struct Prefix {
    std::string_view from;
    std::string_view to;
  };
  static constexpr Prefix kPrefixes[] = {
      {"operator.", "_operator."},
      {"torch.functional.", "torch."},
      {"F.", "torch.nn.functional."},
      {"torch._C.TensorBase.", "torch.Tensor."},
      {"torch._C._TensorBase.", "torch.Tensor."},
      {"torch._tensor.Tensor.", "torch.Tensor."},
  };
  for (const Prefix& p : kPrefixes)
    if (path.starts_with(p.from)) return std::string(p.to) + std::string(path.substr(p.from.size()));
  return std::string(path);
}

std::unique_ptr<PythonFunction> FindOperator(std::string_view path, CallForm form) {
  if (path.starts_with("torch.ops.")) {
    const std::string_view rest = path.substr(10);
    const size_t dot = rest.find('.');
    if (dot == std::string_view::npos || rest.find('.', dot + 1) != std::string_view::npos) return nullptr;
    return MakeOverloads(std::string(rest.substr(0, dot)) + "::" + std::string(rest.substr(dot + 1)), form);
  }
  for (const Namespace& ns : kNamespaces) {
    if (!path.starts_with(ns.path)) continue;
    const std::string_view name = path.substr(ns.path.size());
    if (name.find('.') != std::string_view::npos) continue;
    if (auto function = MakeOverloads("aten::" + std::string(ns.prefix) + std::string(name), form)) return function;
  }
  return nullptr;
}

class Registry {
 public:
  static Registry& Get() {
    static Registry registry;
    return registry;
  }

  const PythonFunction* Find(std::string_view path) {
    const std::lock_guard lock(mutex_);
    auto it = found_.find(std::string(path));
    if (it == found_.end()) it = found_.emplace(std::string(path), Make(path)).first;
    return it->second.get();
  }

 private:
  Registry() {
    for (const FunctionTable& table : {TorchFunctions(), FunctionalActivations(), FunctionalLayers(),
             FunctionalLosses(), FunctionalPooling(), FunctionalAttention(), Operators(), BuiltinFunctions(),
             TensorMethods(), Helpers(), TorchComposites(), MathFunctions(), LinearCrossEntropyFunctions()}) {
      for (const FunctionRow& row : table.rows) {
        const std::string_view name = row.signature.substr(0, row.signature.find('('));
        const bool is_new = rows_.emplace(std::string(table.prefix) + std::string(name), &row).second;
        if (!is_new) throw InternalError("two rows for the Python function " + std::string(name));
      }
    }
  }

  std::unique_ptr<PythonFunction> Make(std::string_view given) {
    const std::string path = Canonical(given);
    for (const std::string& spelling : {path, "builtins." + path})
      if (auto it = rows_.find(spelling); it != rows_.end()) return MakeFunction(*it->second);
    if (const Builtin builtin = FindBuiltin(path)) return std::make_unique<NumberFunction>(builtin);
    if (path.starts_with("torch.Tensor.")) {
      if (auto special = MakeSpecialMethod(SpecialName(std::string_view(path).substr(13)))) return special;
      return MakeOverloads("aten::" + path.substr(13), CallForm::kMethod);
    }
    return FindOperator(path, CallForm::kFunction);
  }

  const FunctionRow* FindRow(const std::string& path) const {
    auto it = rows_.find(path);
    return it == rows_.end() ? nullptr : it->second;
  }

  std::unique_ptr<PythonFunction> MakeSpecialMethod(std::string_view name) const {
    if (name.empty()) return nullptr;
    for (const char* place : {"_operator.", "builtins."})
      for (const char* ending : {"", "_"})
        if (const FunctionRow* row = FindRow(place + std::string(name) + ending)) return MakeFunction(*row);
    const FunctionRow* row = name[0] == 'r' ? FindRow("_operator." + std::string(name.substr(1))) : nullptr;
    return row ? std::make_unique<ReflectedFunction>(*row) : nullptr;
  }

  std::unordered_map<std::string, const FunctionRow*> rows_;
  std::unordered_map<std::string, std::unique_ptr<PythonFunction>> found_;
  std::mutex mutex_;
};

}  // namespace

std::unique_ptr<PythonFunction> MakeFunction(const FunctionRow& row) { return std::make_unique<TableFunction>(row); }

const PythonFunction* FindPythonFunction(std::string_view path) { return Registry::Get().Find(path); }

const PythonFunction* FindPythonMethod(std::string_view name) {
  return Registry::Get().Find("torch.Tensor." + std::string(name));
}

}  // namespace fakeprop
