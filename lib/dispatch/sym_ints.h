// Symbolic sizes and numbers between rules and LibTorch, by way of the thread's host.
#pragma once

#include <ATen/core/TensorBody.h>
#include <ATen/core/ivalue.h>
#include <c10/core/SymInt.h>

#include <optional>

#include "lib/meta/value.h"

namespace fakeprop::dispatch {

// A symbol that is none of the host's is an OpError.
Dim ToDim(const c10::SymInt& size);
// Where the host has no symbols, the number at the hints, with a guard.
c10::SymInt ToSymInt(Dim size);

// A symbolic integer, float or bool as LibTorch's; nothing for plain numbers, and where the host has no symbols.
std::optional<c10::IValue> BoxSymbol(const Value& number);
// The number of a boxed SymInt, SymFloat or SymBool.
Value ReadSymbol(const c10::IValue& boxed);

// Whether a size, stride, offset or the storage of the tensor is a symbol.
bool HasSymbols(const at::Tensor& tensor);
// The storage's bytes: at the hints, 0 where data decides.
int64_t HintedBytes(const c10::Storage& storage);

}  // namespace fakeprop::dispatch
