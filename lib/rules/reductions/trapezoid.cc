// Integrals by the trapezoidal rule.
// Source: trapezoid, cumulative_trapezoid, do_trapezoid in aten/src/ATen/native/Integration.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/arithmetic_metas.h"
#include "lib/rules/support/reshape_metas.h"
#include "lib/rules/support/slice_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

void RequireNoBool(const Call& call, const TensorMeta& t) {
  if (t.dtype == ScalarType::Bool) FailDtype(call, "does not take bool tensors");
}

int64_t SampledDim(const Call& call) {
  RequireDimensions(call, 1);
  return WrapDim(call.Int(2), call.Meta(0).rank());
}

// All along `dim` but the last, and all but the first: of one shape.
TensorMeta Left(const TensorMeta& t, int64_t dim) { return SlicedMeta(t, dim, 0, -1, 1); }
TensorMeta Right(const TensorMeta& t, int64_t dim) { return SlicedMeta(t, dim, 1, std::nullopt, 1); }

// x as y broadcasts with it: a vector lies along `dim`, what has fewer dimensions than y gets them in front.
TensorMeta Placed(const Call& call, const TensorMeta& x, const TensorMeta& y, int64_t dim) {
  Dims sizes(y.rank(), Dim(1));
  if (x.rank() == 1) {
    if (!Expect(Eq(x.sizes[0], y.sizes[dim])))
      FailShape(
          call, "takes one `x` for each sample, but got " + x.sizes[0].ToString() + " for " + y.sizes[dim].ToString());
    sizes[dim] = x.sizes[0];
  } else if (x.rank() < y.rank()) {
    std::copy(x.sizes.begin(), x.sizes.end(), sizes.end() - x.rank());
  } else {
    return x;
  }
  return ViewedMeta(x, sizes);
}

// (left + right) * dx, of which the integral is half the sum.
TensorMeta Areas(const Call& call, int64_t dim) {
  const TensorMeta& y = call.Meta(0);
  RequireNoBool(call, y);
  RequireNoBool(call, call.Meta(1));
  const TensorMeta x = Placed(call, call.Meta(1), y, dim);
  const TensorMeta dx = Difference(call, Right(x, dim), Left(x, dim));
  return Combined(call, Combined(call, Left(y, dim), Right(y, dim)), dx);
}

// A sum of integers is of int64, and half of it of the default dtype.
ScalarType DtypeOfHalf(const Call& call, ScalarType dtype) {
  return IsIntegral(dtype) ? call.state().default_dtype : dtype;
}

// Without samples the integral is 0, and follows nothing.
bool ReturnsZeros(Call& call, int64_t dim) {
  const TensorMeta& y = call.Meta(0);
  if (!GuardOrFalse(Eq(y.sizes[dim], 0))) return false;
  ReturnContiguous(call, ReducedSizes(y.size_span(), dim, false), y.dtype).requires_grad = false;
  return true;
}

void Trapezoid(Call& call) {
  const int64_t dim = SampledDim(call);
  if (ReturnsZeros(call, dim)) return;
  const TensorMeta areas = Areas(call, dim);
  ReturnContiguous(call, ReducedSizes(areas.size_span(), dim, false), DtypeOfHalf(call, areas.dtype));
}

void RequireRealSpacing(const Call& call) {
  RequireNoBool(call, call.Meta(0));
  const Value& dx = call.Number(1);
  if (!dx.Is<double>() && !dx.Is<Dim>()) FailValue(call, "takes a real number as `dx`, not " + ToString(call.Arg(1)));
}

// (sum(y) - half of both ends) * dx.
void TrapezoidOfSpacing(Call& call) {
  const int64_t dim = SampledDim(call);
  if (ReturnsZeros(call, dim)) return;
  RequireRealSpacing(call);
  const TensorMeta& y = call.Meta(0);
  const TensorMeta sum =
      NewMeta(call, ReducedSizes(y.size_span(), dim, false), IsIntegral(y.dtype) ? ScalarType::Long : y.dtype);
  const TensorMeta first = SelectedMeta(y, dim, 0), last = SelectedMeta(y, dim, -1);
  call.ReturnNew(Difference(call, sum, WithFloat(call, Combined(call, first, last))));
}

void CumulativeTrapezoid(Call& call) {
  const TensorMeta areas = Areas(call, SampledDim(call));
  ReturnContiguous(call, areas.size_span(), DtypeOfHalf(call, areas.dtype));
}

void CumulativeTrapezoidOfSpacing(Call& call) {
  const int64_t dim = SampledDim(call);
  RequireRealSpacing(call);
  ReturnContiguous(call, Left(call.Meta(0), dim).size_span(), DtypeOfHalf(call, call.Meta(0).dtype));
}

constexpr RuleRow kRows[] = {
    {"aten::trapezoid.x", Trapezoid},
    {"aten::trapezoid.dx", TrapezoidOfSpacing},
    {"aten::trapz.x", Trapezoid},
    {"aten::trapz.dx", TrapezoidOfSpacing},
    {"aten::cumulative_trapezoid.x", CumulativeTrapezoid},
    {"aten::cumulative_trapezoid.dx", CumulativeTrapezoidOfSpacing},
};

}  // namespace

RuleRows TrapezoidRules() { return kRows; }

}  // namespace fakeprop::rules
