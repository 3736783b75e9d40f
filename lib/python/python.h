// Python as graphs of torch.fx need it: calls of functions, methods and modules, each in the end a number of operators.
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

// By the dotted path of a call_function ("torch.add", "torch.nn.functional.relu", "_operator.add"); null if it is
// not known. The pointer stays valid. Thread-safe.
const PythonFunction* FindPythonFunction(std::string_view path);
// A method of torch.Tensor or of the other values that a graph can hold, by its name.
const PythonFunction* FindPythonMethod(std::string_view name);

// What Python's functions remember from one node of a run to the next.
struct PythonMemory {
  std::vector<ExecutionState> saved;  // of the regions that are entered
  int64_t modules_run = 0;
  std::map<std::string, Tensor*> module_tensors;
  std::map<const Tensor*, const Schema*> named_results;  // by the first tensor among them
};

// Python for one node.
class Python {
 public:
  Python(OperatorHost& host, PythonMemory& memory) : host_(host), memory_(memory) {}

  // A function that the tables here name; one that is not there is an InternalError. `function` is a path, or one of
  // the short forms of the tables: "aten.relu", "F.relu", or a helper's name.
  Value Call(std::string_view function, PythonArguments&& arguments);
  Value Call(std::string_view function, std::vector<Value> positional) {
    return Call(function, PythonArguments{std::move(positional), {}});
  }
  Value CallMethod(std::string_view method, std::vector<Value> arguments);

  // One overload ("aten::add.Tensor") with arguments by position, defaults for the rest.
  Value Operator(std::string_view full_name, std::vector<Value> arguments);
  Value CallSchema(const Schema& schema, std::span<const Value* const> arguments);

  // The truth of a value; of a tensor it depends on data unless its only element is known.
  bool Truth(const Value& value);
  // A tensor's only element as a number.
  Value Item(Tensor& tensor);

  // A field of what an operator with several named results returned ("values" of torch.max); null if there is none.
  const Value* NamedResult(const List& results, std::string_view name) const;

  // A module's parameter or buffer: the file's, or one that was made for it; null if there is neither.
  Tensor* ModuleTensor(const std::string& path);
  Tensor* MakeModuleTensor(const std::string& path, TensorMeta meta, bool is_parameter);

  // The module whose rule runs (op_rules.h), which `self` stands for; null if none does.
  const Module* self() const { return self_; }
  void SetSelf(const Module* module) { self_ = module; }

  // Throws OpError if the modules of a graph hold each other more often than any model's do.
  void CountModule();

  // Regions that a graph enters and leaves by calls.
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
