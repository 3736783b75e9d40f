// Sizes and numbers that depend on data: symbols without a hint if the run makes such symbols, else an error. Source:
// torch/_subclasses/fake_impls.py (torch 2.13).
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// Returns true if numbers that depend on data may become symbols: not with --no-symbolic.
bool MakesUnbacked();

// A new size in [0, most]; nothing for no bound. Throws an OpError of class DynamicOutputShape unless MakesUnbacked().
Dim UnbackedSize(Call& call, std::optional<int64_t> most = std::nullopt);

// The size that answers the question about `of`. If the data has not changed, it is the same as before.
Dim UnbackedSize(Call& call, Tensor& of, Asked asked, std::optional<int64_t> most);

// For a call that a generated out= form makes, where data decides the sizes of the results: returns results of the out
// tensors' sizes and of these dtypes, and true. In FakeTensorMode a fallback kernel computes them of zeros, and its out
// tensors stay as they were given. Source: run_fallback_kernel in torch/_subclasses/fake_tensor.py.
bool ReturnSizesOfOuts(Call& call, std::initializer_list<ScalarType> dtypes);

// The number of elements, or the greatest that the symbols' ranges allow. Nothing if there is no bound.
std::optional<int64_t> MostElements(Dim numel);

// How many elements a mask selects. Nothing if its data is not known.
std::optional<Dim> KnownSelection(const Tensor& mask);

// The rows of the mask's nonzero(): a symbol if its data is not known.
Dim SelectedByMask(Call& call, Tensor& mask);

// The number in a tensor of one element, as item() returns it. If the data has not changed, it is the same as before.
// Throws an OpError of class DataDependentOutput unless MakesUnbacked().
Value UnbackedNumber(Call& call, Tensor& of);

// Relies on the condition. Throws an OpError if it is known to be false; for a condition over symbols, the message says
// what it contradicts.
void RequireTrue(Cond condition, ErrorClass error, const std::string& message);

// A new integer of which only the bounds are known, such as an offset in memory.
Dim UnbackedInteger(int64_t min = INT64_MIN, int64_t max = INT64_MAX);

}  // namespace fakeprop::rules
