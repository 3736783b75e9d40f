// Arithmetic on tensors of compressed rows or columns. Source: aten/src/ATen/native/sparse/SparseCsrTensorMath.cpp,
// SparseBlas.cpp (torch 2.15).
#include <utility>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/layout_rows.h"
#include "lib/rules/other_layouts/compressed_results.h"
#include "lib/rules/other_layouts/sparse_writes.h"
#include "lib/rules/other_layouts/twin_call.h"
#include "lib/rules/support/sparse_results.h"

namespace fakeprop::rules {
namespace {

bool IsSparse(const Operand& t) { return IsCompressed(t); }

void RequireSameLayout(const Call& call, const Operand& a, const Operand& b) {
  if (a->layout != b->layout) FailLayout(call, "tensor of the layout of `self`, not another", b);
}

void Sum(Call& call) {
  const Operand self = call.In("self"), other = call.In("other");
  if (!IsSparse(self) || !IsSparse(other)) return StridedResult(call);
  if (!IsByRow(self->layout)) FailLayout(call, "sparse row compressed", self);
  RequireSameLayout(call, self, other);
  other.SameSizesAs(self).SameDtypeAs(self);
  ReturnOther(call, self.tensor(), self->dtype, UnknownNnzOf(call, self.tensor()));
}

void Product(Call& call) {
  if (!call.TryIn("other")) return OfEach(call);  // a number
  const Operand self = call.In("self"), other = call.In("other");
  const ScalarType dtype = TwinCall(call).Result().dtype;
  if (!IsSparse(self)) return void(ReturnAt(call, other.tensor(), dtype));
  if (!IsSparse(other)) return void(ReturnAt(call, self.tensor(), dtype));
  RequireSameLayout(call, self, other);
  if (!IsByRow(self->layout)) FailLayout(call, "sparse row compressed", self);
  other.SameSizesAs(self);
  ReturnOther(call, self.tensor(), dtype, UnknownNnzOf(call, self.tensor()));
}

// The inputs' rows form one matrix. With a bias and more than two dimensions the kernel computes (W x')' + b.
void Linear(Call& call) {
  StridedResult(call);
  TensorMeta& out = call.effects().outputs[0].meta;
  if (out.rank() < 3 || !call.Has("bias")) return;
  Dim step = 1;
  for (size_t d = out.sizes.size() - 1; d-- > 0;) out.strides[d] = std::exchange(step, step * out.sizes[d]);
  out.strides.back() = step;
}

constexpr std::string_view kProduct = "aten::matmul";

void StridedProduct(Call& call) {
  const TensorMeta result = TwinCall(call, kProduct).Result();
  ReturnContiguous(call, result.size_span(), result.dtype);
}

// Two sparse matrices give one of the first one's layout.
template <ArgumentName kLeft, ArgumentName kRight>
void MatrixProduct(Call& call) {
  const Operand left = call.In(kLeft), right = call.In(kRight);
  if (!IsSparse(left) || !IsSparse(right)) return StridedProduct(call);
  const TensorMeta result = TwinCall(call, kProduct).Result();
  if (IsInBlocks(left->layout) || IsInBlocks(right->layout)) FailLayout(call, "CSR or CSC", left);
  ReturnCompressed(call, {result.sizes, result.dtype, Layout::SparseCsr, UnknownNnz(call, result.size_span()), 0, {},
                             PartsOf(left.tensor()).indices->meta.dtype});
}

constexpr DtypeClass kSampled{kFloat32Or64 | kComplexDtypes, "is not implemented for {tensor}"};

void SampledProduct(Call& call) {
  const Operand self = call.In("self"), a = call.In("mat1"), b = call.In("mat2");
  if (self->layout != Layout::SparseCsr) FailLayout(call, "CSR", self);
  self.Takes(kSampled);
  const size_t last = a->sizes.size() - 1;
  a.RankAtLeast(2);
  b.Rank(a->rank());
  RequireEqual(call, a->sizes[last], b->sizes[last - 1],
      {"multiplies matrices of fitting shapes, not {} and {}", a->sizes, b->sizes});
  self.Rank(a->rank()).Size(a->rank() - 2, a->sizes[last - 1]).Size(a->rank() - 1, b->sizes[last]);
  ReturnAt(call, self.tensor(), self->dtype);
}

// The argument of the largest or smallest element is kept for the gradient alone.
void ReducedProduct(Call& call) {
  const Operand self = call.In(0), other = call.In(1).Rank(2);
  RequireEqual(call, self->sizes[1], other->sizes[0],
      {"multiplies matrices of fitting shapes, not {} and {}", self->sizes, other->sizes});
  const Dims sizes{self->sizes[0], other->sizes[1]};
  ReturnContiguous(call, sizes, self->dtype);
  if (call.schema().returns.size() < 2) return;
  const bool keeps = self.tensor().RequiresGrad() || other.tensor().RequiresGrad();
  const std::string_view reduce = call.String("reduce");
  const bool is_extreme = reduce == "amax" || reduce == "amin";
  ReturnContiguous(call, keeps && is_extreme ? sizes : Dims{0}, ScalarType::Long);
}

// Source: _sparse_mm_reduce_impl_backward_sparse_csr_cpu.
void ReducedProductBackward(Call& call) {
  const std::vector<bool> wanted = call.Bools("output_mask");
  RequireValue(call, wanted.size() == 2, "takes an output_mask of two bools");
  const Operand self = call.In("self"), weight = call.In("weight");
  wanted[0] ? void(ReturnAt(call, self.tensor(), self->dtype)) : call.ReturnNone();
  wanted[1] ? void(ReturnContiguous(call, weight)) : call.ReturnNone();
}

// ---- reductions

// The sum of an integer tensor is int64.
ScalarType ReducedDtype(const Call& call) {
  const ScalarType dtype = TryDtype(call).value_or(Self(call).meta.dtype);
  return IsIntegral(dtype) ? ScalarType::Long : dtype;
}

// One row, one column or one element. Source: reduce_sparse_csr_cpu_template.
void Reduced(Call& call) {
  const Tensor& self = Self(call);
  if (self.meta.layout != Layout::SparseCsr) FailLayout(call, "CSR", self.meta);
  RequireValue(call, call.Bool("keepdim"), "needs keepdim=True: a CSR tensor has two dimensions");
  const std::vector<bool> mask = DimMask(call.Ints("dim"), self.meta.rank());
  const Dims sizes = ReducedSizes(self.meta.size_span(), mask, true);
  const ScalarType dtype = ReducedDtype(call);
  const Dim nnz = mask[0] && mask[1] ? Min(Nnz(self), 1) : UnknownNnz(call, sizes);
  ReturnCompressed(call, {sizes, dtype, Layout::SparseCsr, nnz, 0, {}, PartsOf(self).indices->meta.dtype});
}

void ReducedDims(Call& call) {
  if (call.IsNone("dim") || call.Ints("dim").empty()) return StridedResult(call);
  Reduced(call);
}

// ---- masks, systems of equations

void Mask(Call& call) {
  const Operand self = call.In("self"), mask = call.In("mask");
  mask.Require(GuardSame(self->size_span(), mask->size_span()),
      {"operands have incompatible sizes; self has size {} but mask has size {}", self->sizes});
  if (!mask.tensor().parts) FailLayout(call, "sparse mask, not a strided one; a", mask);
  ReturnAt(call, mask.tensor(), self->dtype);
}

void TriangularSolve(Call& call) {
  StridedResult(call);
  call.effects().outputs[1].meta = ContiguousMeta(Dims{0}, call.In("self")->dtype, call.device());
}

// Of compressed matrices alone the result is one as well.
void SumOfProduct(Call& call) {
  const Operand self = call.In("self");
  if (!IsCompressed(*self)) return StridedResult(call);
  if (!IsCompressed(*call.In("mat1")) || !IsCompressed(*call.In("mat2")))
    FailLayout(call, "strided `self` beside a strided matrix; compressed", self);
  const TensorMeta sum = TwinCall(call).Result();
  ReturnCompressed(call, {sum.sizes, sum.dtype, self->layout, UnknownNnz(call, sum.size_span())});
}

// As addmm of the same arguments.
void SumWithProduct(Call& call) {
  const TensorMeta sum = TwinCall(call, "aten::addmm").Result();
  call.ReturnNew(ContiguousMeta(sum.size_span(), sum.dtype, sum.device));
}

constexpr LayoutRow kRows[] = {
    {"aten::mul.Scalar", OfEach},
    {"aten::add.Tensor", Sum, LayoutOut::kReplacedAtDtype},
    {"aten::mul.Tensor", Product, LayoutOut::kReplaced},
    {"aten::mm", MatrixProduct<"self", "mat2">, LayoutOut::kReplacedAtSize},
    {"aten::matmul", MatrixProduct<"self", "other">},
    {"aten::_sparse_mm", MatrixProduct<"sparse", "dense">},
    {"aten::_sparse_mm.reduce", ReducedProduct},
    {"aten::_sparse_mm_reduce_impl", ReducedProduct},
    {"aten::_sparse_mm_reduce_impl_backward", ReducedProductBackward},
    {"aten::mv", StridedResult},
    {"aten::_sparse_addmm", SumWithProduct},
    {"aten::addmm", SumOfProduct, LayoutOut::kReplacedAtSize},
    {"aten::addmv", StridedResult},
    {"aten::linear", Linear},
    {"aten::sparse_sampled_addmm", SampledProduct, LayoutOut::kReplaced},
    {"aten::sum", StridedResult},
    {"aten::sum.dim_IntList", ReducedDims},
    {"aten::_sparse_csr_sum.dim_dtype", Reduced},
    {"aten::_sparse_csr_prod.dim_dtype", Reduced},
    {"aten::sparse_mask", Mask},
    {"aten::triangular_solve", TriangularSolve},
};

}  // namespace

LayoutRows CompressedMathRows() { return kRows; }

}  // namespace fakeprop::rules
