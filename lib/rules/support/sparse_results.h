// Results of sparse layouts, and questions about operands of them. Source: aten/src/ATen/SparseTensorImpl.h,
// SparseCsrTensorImpl.h (torch 2.15).
#pragma once

#include <functional>

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// What the tensor consists of. It has to be of a sparse layout.
const SparseParts& PartsOf(const Tensor& t);
bool IsCoo(const TensorMeta& t);
bool IsCompressed(const TensorMeta& t);
// Compressed by rows (CSR, BSR) or by columns (CSC, BSC); in blocks (BSR, BSC) or element by element.
bool IsByRow(Layout layout);
bool IsInBlocks(Layout layout);

// The number of dimensions that indices address, that follow in the values, and that come before a compressed matrix.
int64_t SparseDim(const Tensor& t);
int64_t DenseDim(const Tensor& t);
int64_t BatchDim(const Tensor& t);
// The number of elements, or of blocks, that are specified.
Dim Nnz(const Tensor& t);

// Returns true if to() has to copy `self`: to another dtype or device, or always.
bool ConvertsSelf(const Call& call);

// ---- parts of a result
Output NewPart(Dims sizes, ScalarType dtype, Device device);
// The same data as that of `source`.
Output SharedPart(Tensor& source, TensorMeta meta);
Output SharedPart(Tensor& source);

// A tensor of this layout, dtype and device.
TensorMeta MetaOfLayout(Dims sizes, ScalarType dtype, Device device, Layout layout);

// The target gets the sizes and the parts of `result`.
void GiveParts(Call& call, Tensor& target, Output result);
// The same of the one result of `make`. Returns the target.
void ReplaceParts(Call& call, Tensor& target, const std::function<void(Call&)>& make);
// The same for in-place forms; functional forms return what `make` makes.
void ReturnRemade(Call& call, Tensor& self, const std::function<void(Call&)>& make);

// ---- COO results
struct CooResult {
  Dims sizes;
  ScalarType dtype;
  int64_t sparse_dim;
  Dim nnz;
  bool is_coalesced = false;
};
// Its parts, as Output::items has them. All are new.
std::vector<Output> NewParts(const CooResult& result, Device device);
Output& ReturnCoo(Call& call, const CooResult& result);
// Of given parts.
Output& ReturnCoo(Call& call, TensorMeta meta, Output indices, Output values, bool is_coalesced);
// A number of elements that depends on data: at most that of the sparse dimensions.
Dim UnknownNnz(Call& call, DimSpan sparse_sizes);
// That of the tensor after coalesce().
Dim CoalescedNnz(Call& call, const Tensor& t);

// ---- compressed results
struct CompressedResult {
  Dims sizes;
  ScalarType dtype;
  Layout layout;
  Dim nnz;
  int64_t dense_dim = 0;
  Dims block;  // empty unless the layout is one of blocks
  ScalarType index_dtype = ScalarType::Long;
};
std::vector<Output> NewParts(const CompressedResult& result, Device device);
Output& ReturnCompressed(Call& call, const CompressedResult& result);
Output& ReturnCompressed(Call& call, TensorMeta meta, Output indices, Output plain, Output values);
// The size of compressed indices: one more than the rows, columns or blocks that they bound.
Dim BoundsSize(DimSpan sizes, Layout layout, int64_t batch_dim, DimSpan block);

}  // namespace fakeprop::rules
