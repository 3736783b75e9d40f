// tensor[index] and tensor[index] = value. Source: torch/csrc/autograd/python_variable_indexing.cpp (torch 2.13).
#pragma once

#include "lib/python/python.h"

namespace fakeprop {

Value GetTensorItem(Python& python, Tensor& tensor, const Value& index);
void SetTensorItem(Python& python, Tensor& tensor, const Value& index, const Value& value);

// Items of a list, a tuple or a dict.
Value GetContainerItem(const Value& container, const Value& index);

// A new tensor with known elements, from a number or nested lists of numbers. Without a dtype, the numbers decide it.
Value TensorFromNumbers(Python& python, const Value& numbers, std::optional<ScalarType> dtype, Device device);

}  // namespace fakeprop
