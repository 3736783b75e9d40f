// Values of TorchScript: what is shared, what is unknown, and reading arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/higher_order/higher_order.h"

namespace fakeprop {

// A list, tuple or dict as it is now, whoever holds it.
const Value& Deref(const Value& value);
// A list or dict that can change from now on, and what it holds.
Value Share(Value value);
// The value with each of its lists and dicts, itself included, as one that can change; tuples stay.
Value Shared(const Value& value);

// A number or string that depends on data. `type`: "int", "bool" ...
Value UnknownOf(std::string type);
bool IsUnknown(const Value& value);
// Its type.
const std::string& UnknownType(const Value& value);

// What code that ended early leaves; any value can stand in its place.
Value UninitializedValue();
bool IsUninitialized(const Value& value);

// The one of c10's enums, which end with NumOptions, that TorchScript has as this int. `what`: "dtype".
template <typename Enum>
Enum EnumOf(int64_t number, const char* what) {
  if (number < 0 || number >= static_cast<int64_t>(Enum::NumOptions))
    Fail(ErrorClass::kValueError, std::to_string(number) + " is no " + what);
  return static_cast<Enum>(number);
}

// Whether two values are the same as far as metadata tells: tensors by their metadata, numbers and strings by value.
bool SameMetadata(const Value& a, const Value& b);
// Equal as TorchScript's == has it; tensors are compared by identity.
bool SameValue(const Value& a, const Value& b);

// Arguments of a call. One of another type is an OpError of class TypeError; what is unknown one of
// DataDependentOutput.
std::vector<Value>& ItemsAt(HigherOrderCall& call, size_t i);  // of a list that can change
const std::vector<Value>& ListAt(HigherOrderCall& call, size_t i);
Dict& DictAt(HigherOrderCall& call, size_t i);
int64_t IntAt(HigherOrderCall& call, size_t i);
std::optional<int64_t> OptionalIntAt(HigherOrderCall& call, size_t i);
const std::string& StringAt(HigherOrderCall& call, size_t i);
Tensor& TensorAt(HigherOrderCall& call, size_t i);

}  // namespace fakeprop
