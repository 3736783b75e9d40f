// Operands and results of rules for compressed rows and columns.
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// The argument `self`.
Tensor& Self(const Call& call);
// "expects a CSR tensor, but got ...": an error of class TypeError.
[[noreturn]] void FailLayout(const Call& call, const char* wanted, const TensorMeta& got);

// Like `like`: the same places with new values, or this number of other places.
Output& ReturnAt(Call& call, const Tensor& like, ScalarType dtype);
Output& ReturnOther(Call& call, const Tensor& like, ScalarType dtype, Dim nnz);

// The sizes of a block. Empty if the layout has no blocks.
Dims BlockOf(const Tensor& t);
// The two compressed dimensions, and how many of their elements may be specified.
DimSpan MatrixOf(const Tensor& t);
Dim UnknownNnzOf(Call& call, const Tensor& t);

// Rule: an elementwise function of `self`.
void OfEach(Call& call);

}  // namespace fakeprop::rules
