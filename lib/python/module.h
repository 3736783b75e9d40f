// Modules of torch.nn. A module is made from its class and the arguments of the constructor. Its tensors come from the
// file, or are made.
#pragma once

#include <string>

#include "lib/graph/graph.h"
#include "lib/python/registry.h"

namespace fakeprop {

class ModuleInstance;

struct ModuleRow {
  std::string_view constructor;  // "Linear(in_features, out_features, bias=True, device=None, dtype=None)"
  std::string_view forward;      // "input"
  // The computation of the module: an expression over the arguments of constructor and forward and the module's
  // tensors, or code.
  std::string_view body = {};
  void (*tensors)(ModuleInstance& module) = nullptr;  // adds the module's tensors to the names
  Value (*native)(ModuleInstance& module) = nullptr;
};

std::span<const ModuleRow> PlainModules();               // modules_plain.cc: without tensors of their own
std::span<const ModuleRow> LayerModules();               // modules_layers.cc
std::span<const ModuleRow> RecurrentModules();           // modules_recurrent.cc
std::span<const ModuleRow> TransformerModules();         // modules_transformer.cc
std::span<const ModuleRow> LinearCrossEntropyModules();  // linear_cross_entropy.cc
std::span<const ModuleRow> LazyModules();                // modules_lazy.cc

class ModuleClass;

// Finds a class by its path ("torch.nn.modules.conv.Conv2d", "torch.nn.Conv2d"). Null if it is not known.
const ModuleClass* FindModuleClass(std::string_view class_name);
// The class of a module, or the nearest of its bases that is known.
const ModuleClass* FindModuleClass(const Module& module);

// One module while it runs.
class ModuleInstance {
 public:
  ModuleInstance(Python& python, std::string path, bool training)
      : python_(python), path_(std::move(path)), training_(training) {}

  Python& python() { return python_; }
  bool training() const { return training_; }
  // The arguments of constructor and forward, and the tensors that were added.
  Bindings& names() { return names_; }
  const Value& operator[](std::string_view name) const { return names_[name]; }

  // Adds the module's parameter or buffer of this name: the file's, else a new one with these sizes and the
  // constructor's dtype and device.
  void Parameter(std::string_view name, const Dims& sizes);
  void Buffer(std::string_view name, const Dims& sizes, std::optional<ScalarType> dtype = std::nullopt);
  // Adds the file's tensor of this name, or None if there is none.
  void FileTensor(std::string_view name);
  void SetNone(std::string_view name) { names_.Set(name, Value()); }

  // Runs the same module as one of another class.
  Value RunSame(std::string_view class_name, const Dict& arguments, PythonArguments&& inputs);
  // Runs a submodule of this class.
  Value RunChild(std::string_view name, std::string_view class_name, const Dict& arguments, PythonArguments&& inputs);
  // The same for a module that is an argument of the constructor: {"class", "bases", "arguments", "training"}.
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
