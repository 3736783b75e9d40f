// Sizes and numbers that data decides: symbols without a hint where the run has symbols, else an error.
// Source: torch/_subclasses/fake_impls.py (torch 2.13).
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// Whether data may become symbols: a run with --no-symbolic, or of TorchScript, has none.
bool MakesUnbacked();

// A new size within [0, most]; null for no bound. Without symbols an OpError of class DynamicOutputShape.
Dim UnbackedSize(Call& call, std::optional<int64_t> most = std::nullopt);

// The size that answers what `of` was asked: the same as before where the data is the same.
Dim UnbackedSize(Call& call, Tensor& of, Asked asked, std::optional<int64_t> most);

// The number of elements where it is one, else the greatest that the symbols' ranges allow; null for no bound.
std::optional<int64_t> MostElements(Dim numel);

// The number that a tensor of one element holds, as item() gives it: the same as before where the data is the same.
// Without symbols an OpError of class DataDependentOutput.
Value UnbackedNumber(Call& call, Tensor& of);

// Relies on the condition. Where that is known to be wrong an OpError, with what a condition over symbols contradicts.
void RequireTrue(Cond condition, ErrorClass error, const std::string& message);

// A new integer, of which nothing but its bounds is known: where in memory something starts, say.
Dim UnbackedInteger(int64_t min = INT64_MIN, int64_t max = INT64_MAX);

}  // namespace fakeprop::rules
