// Tables of Python's functions. Each row has a signature, and a body as an expression or as code.
#pragma once

#include <span>
#include <string_view>

#include "lib/python/python.h"

namespace fakeprop {

using NativeFunction = Value (*)(Python& python, const Bindings& arguments);

struct FunctionRow {
  std::string_view signature;  // "relu(input, inplace=False)"
  std::string_view body = {};  // "aten.relu_(input) if inplace else aten.relu(input)"; empty if there is code
  NativeFunction native = nullptr;
};

// A table, and the prefix of its functions: "torch.nn.functional." before each name.
struct FunctionTable {
  std::string_view prefix;
  std::span<const FunctionRow> rows;
};

FunctionTable TorchFunctions();   // torch_functions.cc: torch.* written in Python
FunctionTable TorchComposites();  // torch_composites.cc: functions that call several operators, and queries of state
FunctionTable LinearCrossEntropyFunctions();  // linear_cross_entropy.cc: torch.nn.functional
FunctionTable MathFunctions();                // math_functions.cc: math.*
FunctionTable FunctionalActivations();        // functional_activation.cc: torch.nn.functional
FunctionTable FunctionalLayers();             // functional_layers.cc
FunctionTable FunctionalLosses();             // functional_loss.cc
FunctionTable FunctionalPooling();            // functional_pooling.cc
FunctionTable FunctionalAttention();          // functional_attention.cc
FunctionTable Operators();                    // operators.cc: operator.*
FunctionTable BuiltinFunctions();             // builtin_functions.cc: len, getattr ...
FunctionTable TensorMethods();                // methods.cc: methods of torch.Tensor that are not operators
FunctionTable Helpers();                      // helpers.cc: functions that the bodies above call by a bare name

// A row as a function.
std::unique_ptr<PythonFunction> MakeFunction(const FunctionRow& row);

}  // namespace fakeprop
