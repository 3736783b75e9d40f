// torch.nn's modules: made of a class and the arguments of its constructor, their tensors from the file or made anew.
#pragma once

#include <string>

#include "lib/graph/graph.h"
#include "lib/python/registry.h"

namespace fakeprop {

class ModuleInstance;

struct ModuleRow {
  std::string_view constructor;  // "Linear(in_features, out_features, bias=True, device=None, dtype=None)"
  std::string_view forward;      // "input"
  // Of what the module computes: an expression over the constructor's and forward's names and its tensors, or code.
  std::string_view body = {};
  void (*tensors)(ModuleInstance& module) = nullptr;  // puts the module's tensors among the names
  Value (*native)(ModuleInstance& module) = nullptr;
};

std::span<const ModuleRow> PlainModules();               // modules_plain.cc: without tensors of their own
std::span<const ModuleRow> LayerModules();               // modules_layers.cc
std::span<const ModuleRow> RecurrentModules();           // modules_recurrent.cc
std::span<const ModuleRow> TransformerModules();         // modules_transformer.cc
std::span<const ModuleRow> LinearCrossEntropyModules();  // linear_cross_entropy.cc
std::span<const ModuleRow> LazyModules();                // modules_lazy.cc

class ModuleClass;

// By the class's path ("torch.nn.modules.conv.Conv2d", "torch.nn.Conv2d"); null if it is not known.
const ModuleClass* FindModuleClass(std::string_view class_name);
// A module's class, or the nearest of its bases that is known.
const ModuleClass* FindModuleClass(const Module& module);

// One module while it runs.
class ModuleInstance {
 public:
  ModuleInstance(Python& python, std::string path, bool training)
      : python_(python), path_(std::move(path)), training_(training) {}

  Python& python() { return python_; }
  bool training() const { return training_; }
  // The constructor's and forward's arguments, and the tensors that were asked for.
  Bindings& names() { return names_; }
  const Value& operator[](std::string_view name) const { return names_[name]; }

  // Makes the name stand for the module's parameter or buffer: the file's, else a new one of these sizes, in the
  // constructor's dtype and on its device.
  void Parameter(std::string_view name, const Dims& sizes);
  void Buffer(std::string_view name, const Dims& sizes, std::optional<ScalarType> dtype = std::nullopt);
  // The file's tensor under a name; None if it has none.
  void FileTensor(std::string_view name);
  void SetNone(std::string_view name) { names_.Set(name, Value()); }

  // The same module as one of another class.
  Value RunSame(std::string_view class_name, const Dict& arguments, PythonArguments&& inputs);
  // A module below this one, as a submodule of that class would be.
  Value RunChild(std::string_view name, std::string_view class_name, const Dict& arguments, PythonArguments&& inputs);
  // The same, of a module that is an argument of the constructor: {"class", "bases", "arguments", "training"}.
  Value RunChild(std::string_view name, const Value& module, PythonArguments&& inputs);

  Value Call(std::string_view function, std::vector<Value> arguments) {
    return python_.Call(function, std::move(arguments));
  }

 private:
  void Take(std::string_view name, const Dims& sizes, std::optional<ScalarType> dtype, bool is_parameter);

  Python& python_;
  std::string path_;
  bool training_;
  Bindings names_;
};

// Runs a module of the graph.
Value RunModule(Python& python, const ModuleClass& module_class, const Module& module, PythonArguments&& inputs);

}  // namespace fakeprop
