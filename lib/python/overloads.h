// Chooses the overload of an operator for a call in Python. Source: torch/csrc/utils/python_arg_parser.cpp and
// torchgen/packaged/autograd/gen_python_functions.py (torch 2.13).
#pragma once

#include <memory>

#include "lib/python/python.h"

namespace fakeprop {

enum class CallForm { kFunction, kMethod };

// The operator `name` ("aten::add") with all its overloads. Null if there are none.
std::unique_ptr<PythonFunction> MakeOverloads(std::string_view name, CallForm form);

}  // namespace fakeprop
