// Runs the calls of Python functions, methods and modules in graphs of torch.fx. Each call becomes calls of operators.
#pragma once

#include <map>
#include <string_view>

#include "lib/graph/graph.h"
#include "lib/python/operator_host.h"
#include "lib/python/python_arguments.h"

namespace fakeprop {

class Python;

// A function that a graph can call.
class PythonFunction {
 public:
  virtual ~PythonFunction() = default;
  virtual Value Run(Python& python, PythonArguments&& arguments) const = 0;
};

// Finds a function by the dotted path of a call_function ("torch.add", "torch.nn.functional.relu", "_operator.add").
// Null if it is not known. The pointer stays valid. Thread-safe.
const PythonFunction* FindPythonFunction(std::string_view path);
// Finds a method of torch.Tensor, or of another type of value, by its name.
const PythonFunction* FindPythonMethod(std::string_view name);

// The memory of Python's functions from one node of a run to the next.
struct PythonMemory {
  std::vector<ExecutionState> saved;  // the states before the regions that were entered
  int64_t modules_run = 0;
  std::map<std::string, Tensor*> module_tensors;
  std::map<const Tensor*, const Schema*> named_results;  // by the first tensor of the results
};

// Python for one node.
class Python {
 public:
  Python(OperatorHost& host, PythonMemory& memory) : host_(host), memory_(memory) {}

  // Calls a function of our tables. Throws an InternalError if it does not exist. `function` is a path, or a short form
  // of the tables: "aten.relu", "F.relu", or the name of a helper.
  Value Call(std::string_view function, PythonArguments&& arguments);
  Value Call(std::string_view function, std::vector<Value> positional) {
    return Call(function, PythonArguments{std::move(positional), {}});
  }
  Value CallMethod(std::string_view method, std::vector<Value> arguments);

  // Calls one overload ("aten::add.Tensor") with arguments by position. The other arguments have their defaults.
  Value Operator(std::string_view full_name, std::vector<Value> arguments);
  Value CallSchema(const Schema& schema, std::span<const Value* const> arguments);

  // The truth of a value. That of a tensor depends on data, unless its only element is known.
  bool Truth(const Value& value);
  // The only element of a tensor as a number.
  Value Item(Tensor& tensor);

  // A field of the results of an operator with named results ("values" of torch.max). Null if there is none.
  const Value* NamedResult(const List& results, std::string_view name) const;

  // A module's parameter or buffer: the file's, or one that was made for it. Null if there is neither.
  Tensor* ModuleTensor(const std::string& path);
  Tensor* MakeModuleTensor(const std::string& path, TensorMeta meta, bool is_parameter);

  // The module whose rule runs (op_rules.h); `self` stands for it. Null if no such rule runs.
  const Module* self() const { return self_; }
  void SetSelf(const Module* module) { self_ = module; }

  // Counts a module that runs. Throws OpError if they are more than in any real model.
  void CountModule();

  // For regions that a graph enters and leaves by calls.
  void SaveState() { memory_.saved.push_back(host_.state()); }
  void RestoreState();

  OperatorHost& host() { return host_; }

 private:
  OperatorHost& host_;
  PythonMemory& memory_;
  const Module* self_ = nullptr;
};

// Fails with a type error that names the function.
[[noreturn]] void FailArguments(std::string_view function, const std::string& why);

}  // namespace fakeprop
