// Products of matrices and vectors.
// Source: torch/_meta_registrations.py, torch/_decomp/decompositions.py, aten/src/ATen/native/LinearAlgebra.cpp (2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/matmul_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

using Product = TensorMeta (*)(const TensorMeta&, const TensorMeta&);

// Rule: a product of the first two arguments.
template <Product P>
void ProductOf(Call& call) {
  call.ReturnNew(P(call.Meta(0), call.Meta(1)));
}

// What mm.dtype and its kin may compute in: the operands' dtype, or float32 from half precision.
ScalarType RequireOutDtype(ScalarType operands, ScalarType out) {
  if (out == operands || (IsHalf(operands) && out == ScalarType::Float)) return out;
  Fail(ErrorClass::kDtypeMismatch, "out_dtype must be the operands' dtype " + std::string(DtypeName(operands)) +
                                       ", or float32 for half precision, not " + std::string(DtypeName(out)));
}

template <Product P>
void ProductInDtype(Call& call) {
  TensorMeta out = P(call.Meta(0), call.Meta(1));
  out.dtype = RequireOutDtype(out.dtype, *call.OptionalDtype(2));
  call.ReturnNew(std::move(out));
}

// The addend of addmm and its kin takes part by broadcasting only.
void RequireAddend(const TensorMeta& addend, const TensorMeta& product) {
  if (CanExpandTo(addend.size_span(), product.size_span())) return;
  Fail(ErrorClass::kShapeMismatch,
      Format("the addend of shape {} does not expand to the product's shape {}", addend.sizes, product.sizes));
}

// Rule: the product of arguments 1 and 2, added to argument 0.
template <Product P>
void AddProduct(Call& call) {
  TensorMeta product = P(call.Meta(1), call.Meta(2));
  RequireAddend(call.Meta(0), product);
  RequireSameDtype(call.Meta(0), product, call.schema().name);
  call.ReturnNew(std::move(product));
}

template <Product P>
void AddProductInDtype(Call& call) {
  TensorMeta product = P(call.Meta(1), call.Meta(2));
  RequireAddend(call.Meta(0), product);
  product.dtype = RequireOutDtype(product.dtype, *call.OptionalDtype(3));
  call.ReturnNew(std::move(product));
}

// The sum over the batch of its products.
TensorMeta SummedBatchProduct(const TensorMeta& a, const TensorMeta& b) {
  const TensorMeta product = BatchProduct(a, b);
  return ContiguousMeta(product.size_span().subspan(1), product.dtype, product.device);
}

TensorMeta IntegerProduct(const TensorMeta& a, const TensorMeta& b) {
  const bool bytes = a.dtype == ScalarType::Char || a.dtype == ScalarType::Byte;
  if (!bytes || b.dtype != ScalarType::Char) {
    Fail(ErrorClass::kDtypeMismatch, "_int_mm takes int8 or uint8 by int8, not " + std::string(DtypeName(a.dtype)) +
                                         " by " + std::string(DtypeName(b.dtype)));
  }
  return WithDtype(MatrixProduct(WithDtype(a, b.dtype), b), ScalarType::Int);
}

// Each element of a vector with each of another: an elementwise product of a column and a row.
TensorMeta OuterMeta(const Call& call, int first) {
  const TensorMeta& a = call.Meta(first);
  const TensorMeta& b = call.Meta(first + 1);
  RequireRank(a, 1, "the first vector");
  RequireRank(b, 1, "the second vector");
  return ContiguousMeta(Dims{a.sizes[0], b.sizes[0]}, PromotedDtype(call, {first, first + 1}), call.device());
}

void Outer(Call& call) { call.ReturnNew(OuterMeta(call, 0)); }

// Factors of integers are integers, of real numbers real. Source: at::native::addr.
void RequireFactor(const Call& call, ScalarType dtype, ArgumentName name) {
  const Value& factor = call.Number(name);
  const bool is_complex = factor.Is<std::complex<double>>();
  if (IsIntegral(dtype) ? is_complex || factor.Is<double>() : is_complex && !IsComplex(dtype))
    FailDtype(call,
        "computes in " + std::string(DtypeName(dtype)) + ", which a factor of " + ToString(factor) + " does not fit");
}

void Addr(Call& call) {
  // The addend is expanded first, so a 0-dim one counts as all do.
  const ScalarType dtype = PromoteTypes(call.Meta(0).dtype, PromoteTypes(call.Meta(1).dtype, call.Meta(2).dtype));
  for (ArgumentName name : ArgumentNames{"beta", "alpha"}) RequireFactor(call, dtype, name);
  const TensorMeta product = OuterMeta(call, 1);
  RequireAddend(call.Meta(0), product);
  const TensorMeta addend = BroadcastTo(call.Meta(0), product.size_span());
  const TensorMeta column = Unsqueezed(call.Meta(1), 1);
  const TensorMeta* operands[] = {&addend, &column, &call.Meta(2)};
  call.ReturnNew(ElementwiseMeta(operands, dtype, call.device()));
}

void LinearRule(Call& call) {
  const Tensor* bias = call.OptionalTensor(2);
  call.ReturnNew(Linear(call.Meta(0), call.Meta(1), bias ? &bias->meta : nullptr));
}

// The dimensions of t that are not contracted.
Dims FreeSizes(const TensorMeta& t, std::span<const int64_t> contracted) {
  const std::vector<bool> mask =
      contracted.empty() ? std::vector<bool>(t.rank(), false) : DimMask(contracted, t.rank());
  Dims sizes;
  for (int64_t d = 0; d < t.rank(); ++d)
    if (!mask[d]) sizes.push_back(t.sizes[d]);
  return sizes;
}

// Rows times columns of the reshaped operands; contracted dimensions of size 1 broadcast.
TensorMeta Contract(
    const TensorMeta& a, const TensorMeta& b, std::span<const int64_t> dims_a, std::span<const int64_t> dims_b) {
  if (dims_a.size() != dims_b.size())
    Fail(ErrorClass::kValueError, "both lists of dimensions to contract should have one length, not " +
                                      std::to_string(dims_a.size()) + " and " + std::to_string(dims_b.size()));
  RequireSameDtype(a, b, "tensordot");
  Dims sizes = FreeSizes(a, dims_a);
  const Dims free_b = FreeSizes(b, dims_b);
  for (size_t i = 0; i < dims_a.size(); ++i) {
    const Dim x = a.sizes[WrapDim(dims_a[i], a.rank())], y = b.sizes[WrapDim(dims_b[i], b.rank())];
    if (GuardOrFalse(Eq(x, 1)) || GuardOrFalse(Eq(y, 1)) || Expect(Eq(x, y))) continue;
    Fail(ErrorClass::kShapeMismatch,
        Format("contracted dimensions need to match, but the first of shape {} has size {} and the second of shape {} "
               "has size {}",
            a.sizes, x, b.sizes, y));
  }
  sizes.append(free_b.begin(), free_b.end());
  return ContiguousMeta(sizes, a.dtype, a.device);
}

void Tensordot(Call& call) {
  const std::vector<int64_t> dims_a = call.Ints(2), dims_b = call.Ints(3);
  if ((!dims_a.empty() && call.Meta(0).rank() == 0) || (!dims_b.empty() && call.Meta(1).rank() == 0))
    Fail(ErrorClass::kIndexOutOfRange, "tensordot: a 0-dim tensor has no dimension to contract");
  call.ReturnNew(Contract(call.Meta(0), call.Meta(1), dims_a, dims_b));
}

void Inner(Call& call) {
  const TensorMeta &a = call.Meta(0), &b = call.Meta(1);
  if (a.rank() == 0 || b.rank() == 0) return Pointwise<Promotion::kDefault, 0, 1>(call);
  if (!Expect(Eq(a.sizes.back(), b.sizes.back())))
    Fail(ErrorClass::kShapeMismatch, Format("inner: the last dimensions of {} and {} must match", a.sizes, b.sizes));
  static constexpr int64_t kLast[] = {-1};
  call.ReturnNew(Contract(a, b, kLast, kLast));
}

void ChainMatmul(Call& call) {
  const std::vector<Tensor*> matrices = call.Tensors(0);
  if (matrices.empty()) Fail(ErrorClass::kValueError, "chain_matmul takes at least one matrix");
  for (const Tensor* t : matrices) RequireRank(t->meta, 2, "a matrix of chain_matmul");
  if (matrices.size() == 1) {
    call.ReturnNew(EmptyLike(matrices[0]->meta));
    return;
  }
  TensorMeta product = matrices[0]->meta;
  for (size_t i = 1; i < matrices.size(); ++i) product = MatrixProduct(product, matrices[i]->meta);
  call.ReturnNew(std::move(product));
}

// The first factor may be a row, the last one a column. Source: at::native::multi_dot_impl.
void MultiDot(Call& call) {
  const std::vector<Tensor*> factors = call.Tensors(0);
  if (factors.size() < 2)
    Fail(ErrorClass::kValueError, "linalg.multi_dot takes at least 2 tensors, not " + std::to_string(factors.size()));
  TensorMeta product = factors[0]->meta;
  for (size_t i = 0; i < factors.size(); ++i) {
    const TensorMeta& factor = factors[i]->meta;
    const bool outermost = i == 0 || i + 1 == factors.size();
    if (!outermost || factor.rank() != 1)
      RequireRank(factor, 2, "factor " + std::to_string(i) + " of linalg.multi_dot");
    if (i > 0) product = Matmul(product, factor);
  }
  call.ReturnNew(std::move(product));
}

void Vecdot(Call& call) {
  const TensorMeta &a = call.Meta(0), &b = call.Meta(1);
  if (!IsFloatOrComplex(a.dtype))
    Fail(ErrorClass::kDtypeMismatch,
        "linalg.vecdot takes floating or complex tensors, not " + std::string(DtypeName(a.dtype)));
  RequireSameDtype(a, b, "linalg.vecdot");
  Dims sizes = BroadcastSizes(a.size_span(), b.size_span());
  const int64_t dim = WrapDim(call.Int(2), static_cast<int64_t>(sizes.size()));
  if (!sizes.empty()) sizes.erase(sizes.begin() + dim);
  call.ReturnNew(ContiguousMeta(sizes, a.dtype, call.device()));
}

// The gradients that are asked for; weight's and bias's come together. Source: linear_backward in
// torch/_meta_registrations.py, torch 2.13. Kernels exist for nested tensors and mps.
void LinearBackward(Call& call) {
  const TensorMeta &input = call.Meta(0), &grad = call.Meta(1);
  if (input.rank() == 0 || grad.rank() == 0) FailShape(call, "does not take 0-dim tensors");
  const std::vector<bool> wanted = call.Bools(3);
  wanted[0] ? void(ReturnContiguous(call, input.size_span(), grad.dtype)) : call.ReturnNone();
  if (wanted[1] || wanted[2]) {
    ReturnContiguous(call, Dims{grad.sizes.back(), input.sizes.back()}, grad.dtype);
    ReturnContiguous(call, Dims{grad.sizes.back()}, grad.dtype);
  } else {
    call.ReturnNone();
    call.ReturnNone();
  }
}

constexpr RuleRow kRows[] = {
    {"aten::mm", ProductOf<MatrixProduct>},
    {"aten::mm.dtype", ProductInDtype<MatrixProduct>},
    {"aten::bmm", ProductOf<BatchProduct>},
    {"aten::bmm.dtype", ProductInDtype<BatchProduct>},
    {"aten::mv", ProductOf<MatrixVectorProduct>},
    {"aten::dot", ProductOf<DotProduct>},
    {"aten::vdot", ProductOf<DotProduct>},
    {"aten::matmul", ProductOf<Matmul>},
    {"aten::linalg_matmul", ProductOf<Matmul>},
    {"aten::_int_mm", ProductOf<IntegerProduct>},
    {"aten::addmm", AddProduct<MatrixProduct>},
    {"aten::addmm.dtype", AddProductInDtype<MatrixProduct>},
    {"aten::_addmm_activation", AddProduct<MatrixProduct>},
    {"aten::addmv", AddProduct<MatrixVectorProduct>},
    {"aten::addbmm", AddProduct<SummedBatchProduct>},
    {"aten::baddbmm", AddProduct<BatchProduct>},
    {"aten::baddbmm.dtype", AddProductInDtype<BatchProduct>},
    {"aten::outer", Outer},
    {"aten::ger", Outer},
    {"aten::addr", Addr},
    {"aten::linear", LinearRule},
    {"aten::linear_backward", LinearBackward},
    {"aten::tensordot", Tensordot},
    {"aten::inner", Inner},
    {"aten::chain_matmul", ChainMatmul},
    {"aten::linalg_multi_dot", MultiDot},
    {"aten::linalg_vecdot", Vecdot},
};

}  // namespace

RuleRows MatmulRules() { return kRows; }

}  // namespace fakeprop::rules
