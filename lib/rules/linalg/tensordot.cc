// Products of tensors summed over pairs of dimensions.
// Source: aten/src/ATen/native/Linear.cpp (tensordot), LinearAlgebra.cpp (inner); torch 2.13.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/families.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/matmul_metas.h"

namespace fakeprop::rules {
namespace {

// The dimensions of t that are not contracted.
Dims FreeSizes(const TensorMeta& t, std::span<const int64_t> contracted) {
  const std::vector<bool> mask =
      contracted.empty() ? std::vector<bool>(t.rank(), false) : DimMask(contracted, t.rank());
  Dims sizes;
  for (int64_t d = 0; d < t.rank(); ++d)
    if (!mask[d]) sizes.push_back(t.sizes[d]);
  return sizes;
}

// Whether both operands, all of which is contracted, are vectors in the same order of memory. One is summed first along
// the dimensions in which the other has size 1.
bool AreAlikeVectors(TensorMeta a, TensorMeta b, std::span<const int64_t> dims_a, std::span<const int64_t> dims_b) {
  const auto is_one = [](const TensorMeta& t, int64_t dim) { return Known(Eq(SizeAt(t, WrapDim(dim, t.rank())), 1)); };
  bool sums_a = false, sums_b = false;
  for (size_t i = 0; i < dims_a.size(); ++i) {
    if (is_one(b, dims_b[i])) sums_a = true;
    else if (is_one(a, dims_a[i])) sums_b = true;
  }
  if (sums_a) a.strides = ContiguousStrides(a.sizes);
  if (sums_b) b.strides = ContiguousStrides(b.sizes);
  bool alike = IsNonOverlappingAndDense(a) && IsNonOverlappingAndDense(b);
  for (size_t i = 0; i < dims_a.size(); ++i)
    alike = alike && (is_one(a, dims_a[i]) || is_one(b, dims_b[i]) ||
                         Known(Eq(a.strides[WrapDim(dims_a[i], a.rank())], b.strides[WrapDim(dims_b[i], b.rank())])));
  return alike;
}

// The cpu has the dot product of vectors and the product of matrices for the same dtypes; products of vectors that lie
// otherwise in memory are computed elementwise. Source: at::native::tensordot.
void RequireContractionKernel(const Call& call, const TensorMeta& result, const TensorMeta& a, const TensorMeta& b,
    std::span<const int64_t> dims_a, std::span<const int64_t> dims_b) {
  constexpr Dtypes kRefused = kBarebonesUnsignedDtypes | ScalarType::Bool | ScalarType::ComplexHalf;
  if (!call.OnCpu() || !kRefused.Has(a.dtype)) return;
  const bool is_number = Known(Eq(Numel(result.size_span()), 1));
  const bool goes_elementwise = is_number && a.dtype == ScalarType::Bool && !AreAlikeVectors(a, b, dims_a, dims_b);
  if (goes_elementwise || (!is_number && (IsKnownEmpty(a) || IsKnownEmpty(b)))) return;
  RequireCompiled(call, is_number ? "dot" : "addmm_impl_cpu_", a.dtype, kRefused);
}

// Rows times columns of the reshaped operands; contracted dimensions of size 1 broadcast.
TensorMeta Contract(const Call& call, const TensorMeta& a, const TensorMeta& b, std::span<const int64_t> dims_a,
    std::span<const int64_t> dims_b) {
  RequireValue(dims_a.size() == dims_b.size(),
      {"both dimension lists should have same length, not {} and {}", dims_a.size(), dims_b.size()});
  RequireSameDtype(a, b, "tensordot");
  Dims sizes = FreeSizes(a, dims_a);
  const Dims free_b = FreeSizes(b, dims_b);
  for (size_t i = 0; i < dims_a.size(); ++i) {
    const Dim x = a.sizes[WrapDim(dims_a[i], a.rank())], y = b.sizes[WrapDim(dims_b[i], b.rank())];
    if (GuardOrFalse(Eq(x, 1)) || GuardOrFalse(Eq(y, 1)) || Expect(Eq(x, y))) continue;
    FailShape({"contracted dimensions need to match, but first has size {} in dim {} and second has size {} in dim {}",
        x, dims_a[i], y, dims_b[i]});
  }
  sizes.append(free_b.begin(), free_b.end());
  TensorMeta product = ContiguousMeta(sizes, a.dtype, a.device);
  RequireContractionKernel(call, product, a, b, dims_a, dims_b);
  return product;
}

void Tensordot(Call& call) {
  const std::vector<int64_t> dims_a = call.Ints("dims_self"), dims_b = call.Ints("dims_other");
  const Operand a = call.In("self"), b = call.In("other");
  if ((!dims_a.empty() && a->rank() == 0) || (!dims_b.empty() && b->rank() == 0))
    FailIndex("tensordot: a 0-dim tensor has no dimension to contract");
  call.ReturnNew(Contract(call, a, b, dims_a, dims_b));
}

void Inner(Call& call) {
  const Operand a = call.In("self"), b = call.In("other");
  if (a->rank() == 0 || b->rank() == 0) return Pointwise<Promotion::kDefault, "self", "other">(call);
  RequireShape(Eq(a->sizes.back(), b->sizes.back()),
      {"inner() the last dimension must match on both input tensors but got shapes {} and {}", a->sizes, b->sizes});
  static constexpr int64_t kLast[] = {-1};
  call.ReturnNew(Contract(call, a, b, kLast, kLast));
}

// Products of sums are computed in the out tensor, those by a number elementwise (at::native::inner_out).
OutDtype OutDtypeOfInner(const Call& out_form) {
  const bool sums = out_form.In("self")->rank() > 0 && out_form.In("other")->rank() > 0;
  return sums ? OutDtype::kExact : OutDtype::kCast;
}

ReadsWritten ReadsWrittenOfInner(const Call& form) {
  return OutDtypeOfInner(form) == OutDtype::kCast ? ReadsWritten::kItself : ReadsWritten::kAll;
}

constexpr RuleRow kRows[] = {
    {"aten::tensordot", InOrder<Tensordot, EndInView>},
    {"aten::inner", Inner, OperatorFacts(OutDtypeOfInner) | ReadsWrittenOfInner},
};

}  // namespace

RuleRows TensordotRules() { return kRows; }

}  // namespace fakeprop::rules
