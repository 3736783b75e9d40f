// What out= and in-place forms do to tensors of the sparse layouts.
#pragma once

#include "lib/rules/core/call.h"
#include "lib/rules/layout_rows.h"

namespace fakeprop::rules {

// Requires that a tensor in coordinates that has elements is not resized to fewer or other dimensions.
// Source: SparseTensorImpl::_resize_ (aten/src/ATen/SparseTensorImpl.h, torch 2.15).
void RequireNotShrunk(const Call& call, const Tensor& t, DimSpan sizes, int64_t sparse_dim);

// Writes the result of an out= form to `out`, which has its layout. `out` keeps its dtypes.
void WriteSparse(Call& call, LayoutOut kernel, const Output& result, Tensor& out);

// Rule of the out= forms of _to_sparse and its siblings with a sparse out tensor. Their rows are for strided ones.
void WriteConverted(Call& call);

}  // namespace fakeprop::rules
