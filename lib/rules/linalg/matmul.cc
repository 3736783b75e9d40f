// Products of matrices and vectors.
// Source: torch/_meta_registrations.py, torch/_decomp/decompositions.py, aten/src/ATen/native/LinearAlgebra.cpp (2.13).
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/families.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/matmul_metas.h"
#include "lib/rules/support/memory_overlap.h"
#include "lib/rules/support/required_arguments.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

using Product = TensorMeta (*)(const TensorMeta&, const TensorMeta&);

template <Product P>
TensorMeta ProductOfOperands(const Operand& a, const Operand& b) {
  if constexpr (P == MatrixProduct)
    for (const Operand* t : {&a, &b}) RequireMatrix(*t);
  return P(a, b);
}

// Rule: the product of two arguments.
template <Product P, ArgumentName A, ArgumentName B>
void ProductOf(Call& call) {
  call.ReturnNew(ProductOfOperands<P>(call.In(A), call.In(B)));
}

// The dtype that mm.dtype and the like return: the operands' dtype, or float32 for operands of half precision.
ScalarType RequireOutDtype(ScalarType operands, ScalarType out) {
  if (out == operands || (IsHalf(operands) && out == ScalarType::Float)) return out;
  FailDtype({"out_dtype must be the operands' dtype {}, or float32 for half precision, not {}", operands, out});
}

template <Product P>
void ProductInDtype(Call& call) {
  TensorMeta out = P(call.In("self"), call.In("mat2"));
  out.dtype = RequireOutDtype(out.dtype, RequiredDtype(call, "out_dtype"));
  call.ReturnNew(std::move(out));
}

// The addend of addmm and the like broadcasts to the product; it does not change the product's shape.
void RequireAddend(const TensorMeta& addend, const TensorMeta& product) {
  if (CanExpandTo(addend.size_span(), product.size_span())) return;
  FailAddend("the addend", addend, product);
}

// Rule: the product of two arguments, added to `self`.
template <Product P, ArgumentName A, ArgumentName B>
void AddProduct(Call& call) {
  TensorMeta product = ProductOfOperands<P>(call.In(A), call.In(B));
  const Operand addend = call.In("self");
  RequireAddend(addend, product);
  // The cpu's kernel looks at the second of two batches only where it multiplies. Source: meta_baddbmm.
  constexpr bool kOfBatches = P == BatchProduct;
  if (kOfBatches) RequireSameDtype(addend, call.In(A), call.schema().name);
  if (!kOfBatches || !call.OnCpu()) RequireSameDtype(addend, product, call.schema().name);
  call.ReturnNew(std::move(product));
}

// Where there is nothing to multiply, the cpu's kernels scale the addend in place: beta has to fit its dtype.
// Source: addmm_impl_cpu_, bmm_out_or_baddbmm_ in aten/src/ATen/native/LinearAlgebra.cpp.
template <ArgumentName A>
void RequireScalableAddend(Call& call) {
  const TensorMeta& result = call.effects().outputs[0].meta;
  const double* beta = call.Arg("beta").TryGet<double>();
  const bool scales = call.OnCpu() && beta && *beta != 0 && GuardOrFalse(Eq(call.In(A)->sizes.back(), 0));
  if (!scales || IsKnownEmpty(result) || IsFloatOrComplex(result.dtype)) return;
  FailDtype(call, {"scales its addend by {}: result type Float can't be cast to the desired output type {}",
                      call.Arg("beta"), TorchName(result.dtype)});
}

template <Product P, ArgumentName A, ArgumentName B>
void AddProductInDtype(Call& call) {
  TensorMeta product = ProductOfOperands<P>(call.In(A), call.In(B));
  RequireAddend(call.In("self"), product);
  product.dtype = RequireOutDtype(product.dtype, RequiredDtype(call, "out_dtype"));
  call.ReturnNew(std::move(product));
}

bool ScalesAddend(const Call& call) {
  return call.Number("beta").Is<std::complex<double>>() || call.Float("beta") != 0;
}

// The out= form copies the addend into the out tensor first, unless it does not count.
// Source: addmm_impl_cpu_, addmv_out_cpu, bmm_out_or_baddbmm_, addbmm_impl_.
ReadsWritten ReadsWrittenOfSum(const Call& form) {
  return ScalesAddend(form) ? ReadsWritten::kSelfAsItself : ReadsWritten::kAll;
}
constexpr OperatorFacts kCopiesAddend = OperatorFacts(ReadsWrittenOfSum) | Compares::kExpandedSelf;

// Writes the result to `self`, whose elements may share memory.
void WriteSum(Call& call) {
  const Dims sizes = TakeResult(call).sizes;
  const Operand self = call.In("self").Sizes(sizes);
  call.Write(self.tensor());
  call.ReturnArgument(self.tensor());
}

// Source: TORCH_META_FUNC(baddbmm), common_checks.
void BaddbmmInplace(Call& call) {
  AddProduct<BatchProduct, "batch1", "batch2">(call);
  call.In("self").Takes(call.effects().outputs[0].meta.dtype);
  RequireScalableAddend<"batch1">(call);
  WriteSum(call);
}

// Where there is nothing to multiply, the cpu's kernel scales `self` into the result, which takes its sizes and keeps
// its storage; by 0 it makes zeros. Source: addmv_out in aten/src/ATen/native/Blas.cpp.
void Addmv(Call& call) {
  AddProduct<MatrixVectorProduct, "mat", "vec">(call);
  const Operand self = call.In("self");
  if (!call.OnCpu() || !IsKnownEmpty(call.In("mat")) || !ScalesAddend(call)) return;
  Output& result = call.effects().outputs[0];
  const TensorMeta scaled = ContiguousMeta(self->sizes, result.meta.dtype, result.meta.device);
  result.nbytes = Max(StorageNbytes(result.meta), StorageNbytes(scaled));
  result.meta = scaled;
}

void AddmvInplace(Call& call) {
  AddProduct<MatrixVectorProduct, "mat", "vec">(call);
  if (IsKnownEmpty(call.In("vec"))) RequireUnshared(call, call.In("self"));
  WriteSum(call);
}

// The sum of a batch of products.
TensorMeta SummedBatchProduct(const TensorMeta& a, const TensorMeta& b) {
  const TensorMeta product = BatchProduct(a, b);
  return ContiguousMeta(product.size_span().subspan(1), product.dtype, product.device);
}

// `result` is filled with `self`, and each product is added to it. Without products, it is scaled by beta.
// Source: at::native::addbmm_impl_.
void RequireSum(const Call& call, const TensorMeta& result) {
  const Operand batch1 = call.In("batch1"), batch2 = call.In("batch2");
  const Value& beta = call.Number("beta");
  if (!call.OnCpu() || !Known(Eq(batch1->sizes[0], 0))) {
    for (const Operand& t : {batch1, batch2}) RequireSameDtype(result, t, call.schema().name);
  } else if (beta.Is<bool>() || call.Float("beta") == 0) {
    return;  // zeros
  } else if (IsIntegral(result.dtype) && (beta.Is<double>() || result.dtype == ScalarType::Bool)) {
    FailDtype(call, {"scales {} by {}: result type can't be cast to the desired output type {}", result.dtype, beta,
                        TorchName(result.dtype)});
  }
}

TensorMeta SumOfProducts(const Call& call) {
  const ScalarType dtype = call.In("self")->dtype;
  const TensorMeta product =
      SummedBatchProduct(WithDtype(call.In("batch1"), dtype), WithDtype(call.In("batch2"), dtype));
  RequireAddend(call.In("self"), product);
  return product;
}

void Addbmm(Call& call) {
  TensorMeta sum = SumOfProducts(call);
  RequireSum(call, sum);
  call.ReturnNew(std::move(sum));
}

// The sum is computed in the out tensor, into which `self` is copied first.
void AddbmmOut(Call& call) {
  const TensorMeta sum = SumOfProducts(call);
  const Operand out = call.In("out").SameDeviceAs(call.In("self"));
  RequireNothingRecorded(call);
  RequireSum(call, out);
  WriteUnshared(call, out, sum.sizes, ReadsWrittenOfSum(call) | Compares::kExpandedSelf);
}

TensorMeta IntegerProduct(const TensorMeta& a, const TensorMeta& b) {
  const bool bytes = a.dtype == ScalarType::Char || a.dtype == ScalarType::Byte;
  RequireDtype(
      bytes && b.dtype == ScalarType::Char, {"_int_mm takes int8 or uint8 by int8, not {} by {}", a.dtype, b.dtype});
  return WithDtype(MatrixProduct(WithDtype(a, b.dtype), b), ScalarType::Int);
}

// Each element of a vector with each of another: an elementwise product of a column and a row.
TensorMeta OuterMeta(const Call& call, ArgumentName first, ArgumentName second) {
  const Operand a = call.In(first), b = call.In(second);
  for (const Operand* t : {&a, &b})
    if ((*t)->rank() != 1)
      t->Rank(1, {"takes vectors: expected 1-D argument {}, but got {}-D of shape {}", TorchName(*t), (*t)->rank()});
  return ContiguousMeta(Dims{a->sizes[0], b->sizes[0]}, PromotedDtype(call, {first, second}), call.device());
}

void Outer(Call& call) { call.ReturnNew(OuterMeta(call, "self", "vec2")); }

// Integers are multiplied by integers only, real numbers by real numbers only. Source: at::native::addr.
void RequireFactor(const Call& call, ScalarType dtype, ArgumentName name) {
  const Value& factor = call.Number(name);
  const bool is_complex = factor.Is<std::complex<double>>();
  if (IsIntegral(dtype) ? is_complex || factor.Is<double>() : is_complex && !IsComplex(dtype))
    FailDtype(call, {"computes in {}, which a factor of {} does not fit", dtype, factor});
}

void Addr(Call& call) {
  const Operand self = call.In("self"), column = call.In("vec1"), row = call.In("vec2");
  // The addend is expanded first, so a 0-dim addend promotes like any other.
  const ScalarType dtype = PromoteTypes(self->dtype, PromoteTypes(column->dtype, row->dtype));
  for (ArgumentName name : ArgumentNames{"beta", "alpha"}) RequireFactor(call, dtype, name);
  const TensorMeta product = OuterMeta(call, "vec1", "vec2");
  RequireAddend(self, product);
  const TensorMeta addend = BroadcastTo(self, product.size_span());
  const TensorMeta columns = Unsqueezed(column, 1);
  const TensorMeta* operands[] = {&addend, &columns, &*row};
  call.ReturnNew(ElementwiseMeta(operands, dtype, call.device()));
}

void LinearRule(Call& call) {
  const Operand bias = call.OptionalIn("bias");
  call.ReturnNew(Linear(call.In("input"), call.In("weight"), bias.TryMeta()));
}

// The cpu multiplies no matrices of bool, nor of half complex numbers. Nothing is multiplied if a factor is empty.
void RequireProductKernel(const Call& call, const Operands& factors) {
  constexpr DtypeClass kMultiplied{~Dtypes({ScalarType::Bool, ScalarType::ComplexHalf}),
      "multiplies no matrices of {} on the cpu: \"addmm_impl_cpu_\" not implemented for it"};
  const bool is_empty = std::ranges::any_of(factors, [](const Operand& t) { return IsKnownEmpty(t); });
  if (call.OnCpu() && !is_empty) RequireDtype(call, factors[0]->dtype, kMultiplied);
}

void ChainMatmul(Call& call) {
  const Operands matrices = call.ListIn("matrices");
  if (matrices.empty()) FailValue("chain_matmul takes at least one matrix");
  for (const Operand& t : matrices) RequireRank(t, 2, "a matrix of chain_matmul");
  if (matrices.size() == 1) {
    call.ReturnNew(EmptyLike(matrices[0]));
    return;
  }
  TensorMeta product = matrices[0];
  for (size_t i = 1; i < matrices.size(); ++i) product = MatrixProduct(product, matrices[i]);
  RequireProductKernel(call, matrices);
  call.ReturnNew(std::move(product));
}

// The product of one matrix is a copy of it, which casts, and which autograd records.
void ChainMatmulOut(Call& call) {
  ChainMatmul(call);
  const TensorMeta product = TakeResult(call);
  const Operand out = call.In("out");
  const bool multiplies = call.Tensors("matrices").size() > 1;
  if (multiplies) {
    RequireNothingRecorded(call);
    out.Takes(product.dtype, {"computes {}, which {tensor} does not hold", product.dtype});
  }
  WriteUnshared(call, out, product.sizes, multiplies ? ReadsWritten::kAll : ReadsWritten::kItself);
}

// The first and the last factor may be vectors. Source: at::native::multi_dot_impl.
void MultiDot(Call& call) {
  const Operands factors = call.ListIn("tensors");
  RequireValue(factors.size() >= 2, {"linalg.multi_dot takes at least 2 tensors, not {}", factors.size()});
  TensorMeta product = factors[0];
  for (size_t i = 0; i < factors.size(); ++i) {
    const bool outermost = i == 0 || i + 1 == factors.size();
    if (!outermost || factors[i]->rank() != 1) RequireRank(factors[i], 2, Format("factor {} of linalg.multi_dot", i));
    if (i > 0) product = Matmul(product, factors[i]);
  }
  RequireProductKernel(call, factors);
  call.ReturnNew(std::move(product));
}

// A product of two conjugated vectors is computed of the vectors themselves, and conjugated as a view.
// Source: at::native::dot, vdot.
void MarkConjugated(Call& call, bool is_conj) {
  TensorMeta& out = call.effects().outputs[0].meta;
  out.is_conj = is_conj && IsComplex(out.dtype);
}

void Vecdot(Call& call) {
  const Operand a = call.In("x"), b = call.In("y");
  RequireDtype(IsFloatOrComplex(a->dtype), {"linalg.vecdot takes floating or complex tensors, not {}", a->dtype});
  RequireSameDtype(a, b, "linalg.vecdot");
  if (a->rank() == 1 && b->rank() == 1) {
    call.ReturnNew(DotProduct(a, b));
    return MarkConjugated(call, !a->is_conj && b->is_conj);
  }
  Dims sizes = BroadcastSizes(a->size_span(), b->size_span());
  const int64_t dim = WrapDim(call.Int("dim"), static_cast<int64_t>(sizes.size()));
  if (!sizes.empty()) sizes.erase(sizes.begin() + dim);
  call.ReturnNew(ContiguousMeta(sizes, a->dtype, call.device()));
}

void Dot(Call& call) {
  ProductOf<DotProduct, "self", "tensor">(call);
  MarkConjugated(call, call.In("self")->is_conj && call.In("tensor")->is_conj);
}

void Vdot(Call& call) {
  ProductOf<DotProduct, "self", "other">(call);
  MarkConjugated(call, !call.In("self")->is_conj && call.In("other")->is_conj);
}

// Whether the batch of one operand becomes rows of a single product in the out= form.
// Source: should_fold in aten/src/ATen/native/LinearAlgebra.cpp (torch 2.13).
bool FoldsBatch(const TensorMeta& a, const TensorMeta& b) {
  if (a.rank() == 2 || std::max(a.rank(), b.rank()) < 3 || std::min(a.rank(), b.rank()) > 2) return false;
  const TensorMeta larger = a.rank() >= b.rank() ? a : Transposed(b, -2, -1);
  bool folds = true;
  for (int64_t d = 0; d + 2 < larger.rank(); ++d)
    folds = folds && GuardOrFalse(Eq(larger.strides[d], larger.strides[d + 1] * larger.sizes[d + 1]));
  return folds || IsKnownEmpty(larger);
}

// The out tensor is viewed as one matrix or vector. If that copies, the copy is copied back without its batches.
void RequireFoldableOut(const Call& call, const TensorMeta& self, const TensorMeta& other) {
  if (!call.form() || !call.form()->schema().IsOut() || !FoldsBatch(self, other)) return;
  const TensorMeta &product = call.effects().outputs[0].meta, &out = call.form()->In("out");
  if (!GuardSameOrFalse(out.size_span(), product.size_span()) || HasInternalOverlap(out)) return;
  const bool is_matrix = other.rank() == 2;
  const Dim rows = Numel(product.size_span().first(product.sizes.size() - is_matrix));
  const Dims folded = is_matrix ? Dims{rows, product.sizes.back()} : Dims{rows};
  RequireShape(call, ComputeViewStrides(out, folded) || CanExpandTo(folded, out.size_span()),
      {"copies a product of shape {} to an out tensor of shape {} that cannot be viewed so: the size of tensor a must "
       "match the size of tensor b",
          folded, out.sizes});
}

void MatmulRule(Call& call) {
  ProductOf<Matmul, "self", "other">(call);
  const Operand self = call.In("self"), other = call.In("other");
  // A matrix that requires grad is multiplied by all batches as one matrix, whose kernel compares dtypes.
  if (self->rank() == 2 && self.tensor().RequiresGrad()) RequireSameDtype(self, other, "matmul");
  RequireFoldableOut(call, self, other);
  if (self->rank() != 1 || other->rank() != 1) return;
  // The kernel of vectors is asked for without elements too.
  if (call.OnCpu()) self.Takes(~Dtypes(ScalarType::Bool), "has no kernel for {}: \"dot\" not implemented for 'Bool'");
  MarkConjugated(call, self->is_conj && other->is_conj);
}

// Products of a vector and those of batches look at no overlap.
Overlap OverlapOfMatmul(const Call& out_form) {
  const Operand a = out_form.In("self"), b = out_form.In("other");
  return (a->rank() == b->rank() && a->rank() < 3) || FoldsBatch(a, b) ? Overlap::kRefused : Overlap::kAllowedInOut;
}

// A vector and a matrix are multiplied as two matrices, of which the first has one row.
OutStrides OutStridesOfMatmul(const Call& out_form) {
  const bool has_row = out_form.In("self")->rank() == 1 && out_form.In("other")->rank() == 2;
  return has_row ? OutStrides::kAlwaysContiguous : OutStrides::kOfResult;
}

// The gradients that are asked for. Those of weight and bias are returned together. Kernels exist only for nested
// tensors and mps. Source: linear_backward in torch/_meta_registrations.py (torch 2.13).
void LinearBackward(Call& call) {
  const Operand input = call.In("self"), grad = call.In("grad_output");
  RequireShape(call, input->rank() > 0 && grad->rank() > 0, "does not take 0-dim tensors");
  const std::vector<bool> wanted = call.Bools("output_mask");
  wanted[0] ? void(ReturnContiguous(call, input, grad->dtype)) : call.ReturnNone();
  if (wanted[1] || wanted[2]) {
    ReturnContiguous(call, Dims{grad->sizes.back(), input->sizes.back()}, grad->dtype);
    ReturnContiguous(call, Dims{grad->sizes.back()}, grad->dtype);
  } else {
    call.ReturnNone();
    call.ReturnNone();
  }
}

constexpr RuleRow kRows[] = {
    {"aten::mm", ProductOf<MatrixProduct, "self", "mat2">},
    {"aten::mm.dtype", ProductInDtype<MatrixProduct>},
    {"aten::bmm", ProductOf<BatchProduct, "self", "mat2">, Overlap::kAllowedInOut},
    {"aten::bmm.dtype", ProductInDtype<BatchProduct>, Overlap::kAllowedInOut},
    {"aten::mv", ProductOf<MatrixVectorProduct, "self", "vec">, Overlap::kAllowedInOut},
    {"aten::dot", Dot},
    {"aten::vdot", Vdot},
    {"aten::matmul", MatmulRule, OverlapOfMatmul | OperatorFacts(OutStridesOfMatmul)},
    {"aten::linalg_matmul", MatmulRule, OverlapOfMatmul | OperatorFacts(OutStridesOfMatmul)},
    {"aten::_int_mm", ProductOf<IntegerProduct, "self", "mat2">},
    {"aten::addmm", InOrder<AddProduct<MatrixProduct, "mat1", "mat2">, RequireScalableAddend<"mat1">>,
        kCopiesAddend | MathBits::kConjugatedTaken},
    {"aten::addmm.dtype", AddProductInDtype<MatrixProduct, "mat1", "mat2">},
    {"aten::_addmm_activation", AddProduct<MatrixProduct, "mat1", "mat2">, kCopiesAddend},
    {"aten::addmv", Addmv, kCopiesAddend},
    {"aten::addmv_", AddmvInplace},
    {"aten::addbmm", Addbmm, InplaceSizes::kResizedOnCpu},
    {"aten::addbmm.out", AddbmmOut},
    {"aten::baddbmm", InOrder<AddProduct<BatchProduct, "batch1", "batch2">, RequireScalableAddend<"batch1">>,
        kCopiesAddend | MathBits::kConjugatedTaken},
    {"aten::baddbmm_", BaddbmmInplace},
    {"aten::baddbmm.dtype", AddProductInDtype<BatchProduct, "batch1", "batch2">},
    {"aten::outer", InOrder<RequireDifferentiable<"self">, Outer>,
        OutDtype::kCast | ReadsWritten::kItself | Compares::kViews},
    {"aten::ger", InOrder<RequireDifferentiable<"self">, Outer>,
        OutDtype::kCast | ReadsWritten::kItself | Compares::kViews},
    {"aten::addr", Addr, OutDtype::kCast | ReadsWritten::kItself | Compares::kViewsAndExpandedSelf},
    {"aten::linear", LinearRule},
    {"aten::linear_backward", LinearBackward},
    {"aten::chain_matmul", ChainMatmul},
    {"aten::chain_matmul.out", ChainMatmulOut},
    {"aten::linalg_multi_dot", InOrder<MultiDot, EndInView>, Overlap::kAllowedInOut},
    {"aten::linalg_vecdot", Vecdot, Overlap::kAllowedInOut},
};

}  // namespace

RuleRows MatmulRules() { return kRows; }

}  // namespace fakeprop::rules
