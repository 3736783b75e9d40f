// Covariance and correlation of rows of observations, and least squares.
// Source: cov and corrcoef in aten/src/ATen/native/Correlation.cpp, linalg_lstsq in BatchLinearAlgebra.cpp
// (torch 2.13). LibTorch's composites look at the values of the weights. The shapes do not depend on them.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/matrix_metas.h"

namespace fakeprop::rules {
namespace {

// A row for each variable, a column for each observation. A vector is one variable.
Dim Observations(const TensorMeta& t) { return t.rank() == 0 ? Dim(1) : t.sizes.back(); }
Dim Variables(const TensorMeta& t) { return t.rank() == 2 ? t.sizes[0] : Dim(1); }

constexpr DtypeClass kFrequencyWeights{kInteger.dtypes, "takes `fweights` of integers, not {}"};
constexpr DtypeClass kAnalyticWeights{kFloatDtypes, "takes `aweights` of floating-point numbers, not {}"};

// One weight for each of the observations.
void CheckWeights(const Operand& weights, const DtypeClass& dtypes, Dim observations) {
  const std::string name = weights.QuotedName();
  weights.RankAtMost(1, {"takes {} of one dimension or fewer, not {}", name}).Takes(dtypes);
  weights.NumelIs(observations, {"takes a weight for each of {} observations in {}, not {}", observations, name});
}

// A number for each pair of variables. Integers are computed in the default dtype.
void ReturnSquare(Call& call, const Operand& t, ScalarType promoted) {
  t.RankAtMost(2, "takes two or fewer dimensions, not {}").Takes(kNotBool, "does not take bool");
  const Dim n = Variables(t);
  const bool is_number = t->rank() < 2 || GuardOrFalse(Eq(n, 1));  // squeezed
  const ScalarType dtype = IsFloatOrComplex(promoted) ? promoted : call.state().default_dtype;
  ReturnContiguous(call, is_number ? Dims{} : Dims{n, n}, dtype);
}

void Covariance(Call& call) {
  const Operand t = call.In("self");
  CheckWeights(call.OptionalIn("fweights"), kFrequencyWeights, Observations(t));
  const Operand aweights = call.OptionalIn("aweights");
  CheckWeights(aweights, kAnalyticWeights, Observations(t));
  ReturnSquare(call, t, aweights ? PromoteTypes(t->dtype, aweights->dtype) : t->dtype);
}

void Correlation(Call& call) {
  const Operand t = call.In("self");
  ReturnSquare(call, t, t->dtype);
}

// ---- least squares

enum class Driver { kGels, kGelsy, kGelsd, kGelss };

Driver DriverOf(const Call& call) {
  const std::string_view name = call.OptionalString("driver").value_or("gelsy");
  if (name == "gels") return Driver::kGels;
  if (name == "gelsy") return Driver::kGelsy;
  if (name == "gelsd") return Driver::kGelsd;
  if (name == "gelss") return Driver::kGelss;
  FailValue(call, {"takes one of the drivers gels, gelsy, gelsd, gelss, not {}", name});
}

struct Problem {
  Dims batch;
  Dim rows, columns, right;  // right-hand sides
  bool is_vectors;
};

Problem ProblemOf(const Call& call) {
  const Operand a = call.In("self"), b = call.In("b");
  b.Require(a->rank() >= 2 && b->rank() >= 1, {"takes a matrix and a right-hand side, not {} and {}", a->sizes});
  a.Takes(kLapackDtypes).SameDtypeAs(b);
  a.Require(a->rank() >= b->rank() && a->rank() - b->rank() <= 1,
      {"takes a right-hand side of as many dimensions as the input or one less, not {} for {}", b->sizes});
  const bool is_vectors = IsVector(a, b);
  if (!is_vectors) b.RankAtLeast(2, "takes a right-hand side of 2 dimensions");
  Dims b_sizes = b->sizes;
  if (is_vectors) b_sizes.push_back(1);
  b.Require(Eq(Rows(a), b_sizes[b_sizes.size() - 2]), {"takes as many rows in both, but got {} and {}", a->sizes});
  // b's batch is as many dimensions as a's, even if b has one dimension less. Then the last one is its rows.
  const DimSpan b_batch = b->size_span().subspan(0, a->rank() - 2);
  return {BroadcastSizes(BatchSizes(a), b_batch), Rows(a), Columns(a), b_sizes.back(), is_vectors};
}

// The solution is the first rows of a larger matrix, which has room for the right-hand side as well.
void ReturnSolution(Call& call, const TensorMeta& a, const Problem& p) {
  TensorMeta t = ColumnMajor(Batched(p.batch, {Max(p.rows, p.columns), p.right}), a.dtype, a.device);
  t.sizes[t.rank() - 2] = p.columns;
  if (p.is_vectors) {
    t.sizes.pop_back();
    t.strides.pop_back();
  }
  call.ReturnNew(std::move(t));
}

// With some drivers the shape of the residuals depends on the ranks of the matrices.
void LeastSquares(Call& call) {
  const Driver driver = DriverOf(call);
  const Problem p = ProblemOf(call);
  const bool is_tall = Guard(Gt(p.rows, p.columns));
  const bool finds_rank = driver == Driver::kGelsd || driver == Driver::kGelss;
  if (is_tall && finds_rank) return DynamicShape(call);
  const Operand a = call.In("self");
  const ScalarType real = ToRealDtype(a->dtype);
  ReturnSolution(call, a, p);
  ReturnContiguous(call, is_tall && driver == Driver::kGels ? Batched(p.batch, {p.right}) : Dims{0}, real);
  // Ranks and singular values have the batch of the matrices, without that of the right-hand sides.
  const Dims matrices = Batched(a, {});
  ReturnContiguous(call, driver == Driver::kGels ? Dims{0} : matrices, ScalarType::Long);
  ReturnContiguous(call, finds_rank ? Batched(matrices, {Min(p.rows, p.columns)}) : Dims{0}, real);
}

constexpr RuleRow kRows[] = {
    {"aten::cov", InOrder<RequireDifferentiable<"self">, DecidedOnCpu<Covariance, DataDependent>>},
    {"aten::corrcoef", InOrder<RequireDifferentiable<"self">, DecidedOnCpu<Correlation, DataDependent>>},
    {"aten::linalg_lstsq", DecidedOnCpu<LeastSquares, DynamicShape>},
};

}  // namespace

RuleRows StatisticsRules() { return kRows; }

}  // namespace fakeprop::rules
