// Integrals by the trapezoidal rule.
// Source: trapezoid, cumulative_trapezoid, do_trapezoid in aten/src/ATen/native/Integration.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/arithmetic_metas.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/reshape_metas.h"
#include "lib/rules/support/slice_metas.h"

namespace fakeprop::rules {
namespace {

constexpr const char* kNoBools = "does not take bool tensors";

int64_t SampledDim(const Call& call) {
  const Operand y = call.In("y").RankAtLeast(1, "takes a tensor of at least 1 dimensions, but got {}");
  return call.WrappedDim("dim", y);
}

// Left leaves out the last element along `dim`, Right the first. Both have one shape.
TensorMeta Left(const TensorMeta& t, int64_t dim) { return SlicedMeta(t, dim, 0, -1, 1); }
TensorMeta Right(const TensorMeta& t, int64_t dim) { return SlicedMeta(t, dim, 1, std::nullopt, 1); }

// x in a shape that broadcasts with y. A vector lies along `dim`; other shapes get the missing dimensions in front.
TensorMeta Placed(const Call& call, const TensorMeta& x, const TensorMeta& y, int64_t dim) {
  Dims sizes(y.rank(), Dim(1));
  if (x.rank() == 1) {
    RequireShape(call, Eq(x.sizes[0], y.sizes[dim]),
        {"takes one `x` for each sample, but got {} for {}", x.sizes[0], y.sizes[dim]});
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
  const Operand y = call.In("y").Takes(kNotBool, kNoBools);
  const TensorMeta x = Placed(call, call.In("x").Takes(kNotBool, kNoBools), y, dim);
  const TensorMeta dx = Difference(call, Right(x, dim), Left(x, dim));
  return Combined(call, Combined(call, Left(y, dim), Right(y, dim)), dx);
}

// Half a sum of integers has the default dtype.
ScalarType DtypeOfHalf(const Call& call, ScalarType dtype) {
  return ApplyPromotion(dtype, Promotion::kIntToFloat, call.state());
}

// Without samples the integral is 0, and autograd does not follow it.
bool ReturnsZeros(Call& call, int64_t dim) {
  const Operand y = call.In("y");
  if (!GuardOrFalse(Eq(y->sizes[dim], 0))) return false;
  ReturnContiguous(call, ReducedSizes(y->size_span(), dim, false), y->dtype).requires_grad = false;
  return true;
}

void Trapezoid(Call& call) {
  const int64_t dim = SampledDim(call);
  if (ReturnsZeros(call, dim)) return;
  const TensorMeta areas = Areas(call, dim);
  ReturnContiguous(call, ReducedSizes(areas.size_span(), dim, false), DtypeOfHalf(call, areas.dtype));
}

void RequireRealSpacing(const Call& call) {
  call.In("y").Takes(kNotBool, kNoBools);
  const Value& dx = call.Number("dx");
  RequireValue(call, dx.Is<double>() || dx.Is<Dim>(), {"takes a real number as `dx`, not {}", dx});
}

// (sum(y) - half of both ends) * dx.
void TrapezoidOfSpacing(Call& call) {
  const int64_t dim = SampledDim(call);
  if (ReturnsZeros(call, dim)) return;
  RequireRealSpacing(call);
  const Operand y = call.In("y");
  const ScalarType sum_dtype = IsIntegral(y->dtype) ? ScalarType::Long : y->dtype;
  const TensorMeta sum = NewMeta(call, ReducedSizes(y->size_span(), dim, false), sum_dtype);
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
  const Operand y = call.In("y");
  ReturnContiguous(call, Left(y, dim).size_span(), DtypeOfHalf(call, y->dtype));
}

constexpr RuleRow kRows[] = {
    {"aten::trapezoid.x", InOrder<RequireDifferentiable<"y", "x">, Trapezoid>},
    {"aten::trapezoid.dx", InOrder<RequireDifferentiable<"y">, TrapezoidOfSpacing>},
    {"aten::trapz.x", InOrder<RequireDifferentiable<"y", "x">, Trapezoid>},
    {"aten::trapz.dx", InOrder<RequireDifferentiable<"y">, TrapezoidOfSpacing>},
    {"aten::cumulative_trapezoid.x", InOrder<RequireDifferentiable<"y", "x">, CumulativeTrapezoid>},
    {"aten::cumulative_trapezoid.dx", InOrder<RequireDifferentiable<"y">, CumulativeTrapezoidOfSpacing>},
};

}  // namespace

RuleRows TrapezoidRules() { return kRows; }

}  // namespace fakeprop::rules
