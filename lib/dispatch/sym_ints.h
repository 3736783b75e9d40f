// Converts symbolic sizes and numbers between rules and LibTorch, with the help of the thread's host.
#pragma once

#include <ATen/core/TensorBody.h>
#include <ATen/core/ivalue.h>
#include <c10/core/SymInt.h>

#include <optional>

#include "lib/meta/value.h"

namespace fakeprop::dispatch {

// Throws an OpError if the size has a symbol that is not the host's.
Dim ToDim(const c10::SymInt& size);
// If the host has no symbols, the number at the hints, with a guard.
c10::SymInt ToSymInt(Dim size);

// A symbolic integer, float or bool as LibTorch's. Nothing for plain numbers, or if the host has no symbols.
std::optional<c10::IValue> BoxSymbol(const Value& number);
// The number of a boxed SymInt, SymFloat or SymBool.
Value ReadSymbol(const c10::IValue& boxed);

// Returns true if a size, a stride, the offset or the number of bytes in the storage is a symbol.
bool HasSymbols(const at::Tensor& tensor);
// The bytes of the storage at the hints; 0 if they depend on data.
int64_t HintedBytes(const c10::StorageImpl& storage);

}  // namespace fakeprop::dispatch
