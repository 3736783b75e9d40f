// Covariance and correlation of rows of observations, and least squares.
// Source: cov and corrcoef in aten/src/ATen/native/Correlation.cpp, linalg_lstsq in BatchLinearAlgebra.cpp
// (torch 2.13). The composites of LibTorch look at the weights' values, which the shapes do not depend on.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/matrix_metas.h"

namespace fakeprop::rules {
namespace {

// A row for each variable, a column for each observation; a vector is one variable.
Dim Observations(const TensorMeta& t) { return t.rank() == 0 ? Dim(1) : t.sizes.back(); }
Dim Variables(const TensorMeta& t) { return t.rank() == 2 ? t.sizes[0] : Dim(1); }

void CheckWeights(const Call& call, const Tensor* weights, const TensorMeta& t, bool integral) {
  if (!weights) return;
  const std::string_view name = integral ? "fweights" : "aweights";
  if (weights->meta.rank() > 1)
    FailShape(call,
        "takes `" + std::string(name) + "` of one dimension or fewer, not " + ToString(weights->meta.size_span()));
  const bool fits = integral ? IsIntegral(weights->meta.dtype) && weights->meta.dtype != ScalarType::Bool
                             : IsFloat(weights->meta.dtype);
  if (!fits)
    FailDtype(call, "takes `" + std::string(name) + "` of " + (integral ? "integers" : "floating-point numbers") +
                        ", not " + std::string(DtypeName(weights->meta.dtype)));
  if (!HasNumel(weights->meta, Observations(t)))
    FailShape(call, "takes a weight for each of " + Observations(t).ToString() + " observations in `" +
                        std::string(name) + "`, not " + ToString(weights->meta.size_span()));
}

void ReturnSquare(Call& call, const TensorMeta& t, ScalarType dtype) {
  if (t.rank() > 2) FailShape(call, "takes two or fewer dimensions, not " + ToString(t.size_span()));
  if (t.dtype == ScalarType::Bool) FailDtype(call, "does not take bool");
  const Dim n = Variables(t);
  const bool is_number = t.rank() < 2 || GuardOrFalse(Eq(n, 1));  // squeezed
  ReturnContiguous(call, is_number ? Dims{} : Dims{n, n}, dtype);
}

// cov(self, correction, fweights, aweights)
void Covariance(Call& call) {
  const TensorMeta& t = call.Meta(0);
  CheckWeights(call, call.OptionalTensor(2), t, true);
  CheckWeights(call, call.OptionalTensor(3), t, false);
  ScalarType dtype = t.dtype;
  if (const Tensor* weights = call.OptionalTensor(3)) dtype = PromoteTypes(dtype, weights->meta.dtype);
  ReturnSquare(call, t, IsFloatOrComplex(dtype) ? dtype : call.state().default_dtype);
}

void Correlation(Call& call) {
  const ScalarType dtype = call.Meta(0).dtype;
  ReturnSquare(call, call.Meta(0), IsFloatOrComplex(dtype) ? dtype : call.state().default_dtype);
}

// ---- least squares

enum class Driver { kGels, kGelsy, kGelsd, kGelss };

Driver DriverOf(const Call& call) {
  const std::string_view name = call.IsNone(3) ? "gelsy" : call.String(3);
  if (name == "gels") return Driver::kGels;
  if (name == "gelsy") return Driver::kGelsy;
  if (name == "gelsd") return Driver::kGelsd;
  if (name == "gelss") return Driver::kGelss;
  FailValue(call, "takes one of the drivers gels, gelsy, gelsd, gelss, not " + std::string(name));
}

// Whether `b` is a batch of vectors for `a`, and no matrix.
bool IsVectors(const TensorMeta& a, const TensorMeta& b) {
  if (b.rank() == 1) return true;
  return a.rank() - 1 == b.rank() && GuardSame(a.size_span().subspan(0, a.rank() - 1), b.size_span());
}

struct Problem {
  Dims batch;
  Dim rows, columns, right;  // right-hand sides
  bool is_vectors;
};

Problem ProblemOf(const Call& call) {
  const TensorMeta &a = call.Meta(0), &b = call.Meta(1);
  if (a.rank() < 2 || b.rank() < 1)
    FailShape(call,
        "takes a matrix and a right-hand side, not " + ToString(a.size_span()) + " and " + ToString(b.size_span()));
  RequireLapackDtype(call, a);
  RequireSameDtype(call, 0, 1);
  if (a.rank() < b.rank() || a.rank() - b.rank() > 1)
    FailShape(call, "takes a right-hand side of as many dimensions as the input or one less, not " +
                        ToString(b.size_span()) + " for " + ToString(a.size_span()));
  const bool is_vectors = IsVectors(a, b);
  if (!is_vectors && b.rank() < 2) FailShape(call, "takes a right-hand side of 2 dimensions");
  Dims b_sizes = b.sizes;
  if (is_vectors) b_sizes.push_back(1);
  const DimSpan b_all = b_sizes;
  if (!Expect(Eq(Rows(a), b_all[b_all.size() - 2])))
    FailShape(
        call, "takes as many rows in both, but got " + ToString(a.size_span()) + " and " + ToString(b.size_span()));
  // As many of its first dimensions as `a` has count as its batch, a matrix's own for one of lower rank among them.
  const DimSpan batch = a.size_span().subspan(0, a.rank() - 2), b_batch = b.size_span().subspan(0, a.rank() - 2);
  return {BroadcastSizes(batch, b_batch), Rows(a), Columns(a), b_all.back(), is_vectors};
}

Dims With(Dims batch, std::initializer_list<Dim> tail) {
  batch.append(tail.begin(), tail.end());
  return batch;
}

// The first rows of columns that have room for the right-hand side as well.
void ReturnSolution(Call& call, const Problem& p) {
  const TensorMeta& a = call.Meta(0);
  TensorMeta t = ColumnMajor(With(p.batch, {Max(p.rows, p.columns), p.right}), a.dtype, a.device);
  t.sizes[t.rank() - 2] = p.columns;
  if (p.is_vectors) {
    t.sizes.pop_back();
    t.strides.pop_back();
  }
  call.ReturnNew(std::move(t));
}

// linalg_lstsq(self, b, rcond, *, driver): whether there are residuals may depend on the rank that is found.
void LeastSquares(Call& call) {
  const Driver driver = DriverOf(call);
  const Problem p = ProblemOf(call);
  const bool is_tall = Guard(Gt(p.rows, p.columns));
  const bool finds_rank = driver == Driver::kGelsd || driver == Driver::kGelss;
  if (is_tall && finds_rank) return DynamicShape(call);
  const ScalarType dtype = call.Meta(0).dtype, real = ToRealDtype(dtype);
  ReturnSolution(call, p);
  ReturnContiguous(call, is_tall && driver == Driver::kGels ? With(p.batch, {p.right}) : Dims{0}, real);
  // What is found of the matrices alone has their batch.
  const TensorMeta& a = call.Meta(0);
  const Dims matrices(a.sizes.begin(), a.sizes.end() - 2);
  ReturnContiguous(call, driver == Driver::kGels ? Dims{0} : matrices, ScalarType::Long);
  ReturnContiguous(call, finds_rank ? With(matrices, {Min(p.rows, p.columns)}) : Dims{0}, real);
}

constexpr RuleRow kRows[] = {
    {"aten::cov", DecidedOnCpu<Covariance, DataDependent>},
    {"aten::corrcoef", DecidedOnCpu<Correlation, DataDependent>},
    {"aten::linalg_lstsq", DecidedOnCpu<LeastSquares, DynamicShape>},
};

}  // namespace

RuleRows StatisticsRules() { return kRows; }

}  // namespace fakeprop::rules
