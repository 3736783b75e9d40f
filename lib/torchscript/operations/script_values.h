// Values of TorchScript: shared values, unknown values, and reading arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/higher_order/higher_order.h"

namespace fakeprop {

// The current content of a list, tuple or dict, shared or not.
const Value& Deref(const Value& value);
// Makes a shared list or dict, which can change.
Value Share(Value value);
// The value with all lists and dicts, including itself, made shared. Tuples stay.
Value Shared(const Value& value);

// A number or string that depends on data. `type`: "int", "bool" ...
Value UnknownOf(std::string type);
// The same, but an integer is a new unbacked symbol if the run makes such symbols: sizes can come from it.
Value NumberOfData(const std::string& type);
bool IsUnknown(const Value& value);
// The type of an unknown value.
const std::string& UnknownType(const Value& value);

// The value of a variable after code ended early. Any value may take its place.
Value UninitializedValue();
bool IsUninitialized(const Value& value);

// The value of one of c10's enums for TorchScript's int. The enum must end with NumOptions. `what` is its name in
// messages: "dtype".
template <typename Enum>
Enum EnumOf(int64_t number, const char* what) {
  if (number < 0 || number >= static_cast<int64_t>(Enum::NumOptions))
    Fail(ErrorClass::kValueError, std::to_string(number) + " is no " + what);
  return static_cast<Enum>(number);
}

// Returns true if two values are equal: tensors are compared by their metadata, numbers and strings by value.
bool SameMetadata(const Value& a, const Value& b);
// Returns true if TorchScript's == does. Tensors are compared by identity. Throws an OpError of class
// DataDependentGuard if symbols without a hint decide.
bool SameValue(const Value& a, const Value& b);

// A bool, an integer or a float as a float; nothing for other values. A symbol becomes its hint's value, with a guard.
std::optional<double> TryReal(const Value& value);

// Arguments of a call. Throw an OpError of class TypeError for another type, and of class DataDependentOutput for an
// unknown value.
std::vector<Value>& ItemsAt(HigherOrderCall& call, size_t i);  // of a shared list
const std::vector<Value>& ListAt(HigherOrderCall& call, size_t i);
Dict& DictAt(HigherOrderCall& call, size_t i);
int64_t IntAt(HigherOrderCall& call, size_t i);
std::optional<int64_t> OptionalIntAt(HigherOrderCall& call, size_t i);
const std::string& StringAt(HigherOrderCall& call, size_t i);
Tensor& TensorAt(HigherOrderCall& call, size_t i);

}  // namespace fakeprop
