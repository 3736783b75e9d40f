// Numerical gradients: differences inside, and at both ends.
// Source: pre_check_gradient, gradient_helper, gradient_helper_float in aten/src/ATen/native/ReduceOps.cpp
// (torch 2.13).
#include <algorithm>
#include <span>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/arithmetic_metas.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/join.h"

namespace fakeprop::rules {
namespace {

// What the overloads have in common: the dimensions in the order of the results, and how the ends are computed.
struct Plan {
  std::vector<int64_t> dims;
  int64_t edge_order;
};

Plan PlanOf(const Call& call) {
  Plan plan{{}, call.Int("edge_order")};
  const int64_t rank = call.In("self")->rank();
  if (call.Has("dim")) {
    plan.dims = WrapDims(call.Ints("dim"), rank);
  } else {
    for (int64_t d = 0; d < rank; ++d) plan.dims.push_back(d);
  }
  return plan;
}

void Check(const Call& call, const Plan& plan, std::optional<size_t> spacings) {
  const Operand self = call.In("self").Takes(~Dtypes(ScalarType::Byte), "does not take uint8 tensors");
  if (spacings)
    RequireValue(call, *spacings == plan.dims.size(),
        {"takes a spacing for each dimension, {}, not {}", plan.dims.size(), *spacings});
  RequireValue(
      call, plan.edge_order == 1 || plan.edge_order == 2, {"takes an edge_order of 1 or 2, not {}", plan.edge_order});
  const int64_t least = plan.edge_order + 1;
  for (int64_t d : plan.dims) {
    if (self->rank() == 0) Fail(ErrorClass::kIndexOutOfRange, OpName(call) + " takes no dimension of a 0-dim tensor");
    self.Require(Ge(self->sizes[d], least), {"takes at least {} elements along each dimension, but got {}", least});
  }
}

// A part of t with so many elements along a dimension, wherever it starts.
TensorMeta Part(const TensorMeta& t, int64_t dim, Dim size) {
  TensorMeta part = t;
  part.sizes[dim] = size;
  return part;
}

// ---- spacings that are numbers

ScalarType DtypeOver(const Call& call, ScalarType self, const Value& spacing) {
  const ScalarType number = NumberDtype(spacing, call.state());
  const ScalarType dtype = ApplyPromotion(self, Promotion::kIntToFloat, call.state());
  return IsComplex(number) ? ToComplexDtype(dtype) : dtype;
}

TensorMeta Evenly(const Call& call, int64_t dim, const Value& spacing) {
  const Operand self = call.In("self");
  const auto differences = [&](Dim size) {
    const TensorMeta part = Part(self, dim, size);
    TensorMeta difference = Difference(call, part, part);
    difference.dtype = DtypeOver(call, self->dtype, spacing);
    return difference;
  };
  const TensorMeta end = differences(1);
  return CatMeta(call, {end, differences(self->sizes[dim] - 2), end}, dim);
}

// One number for all dimensions; without one, 1.
void GradientOfNumber(Call& call) {
  const Plan plan = PlanOf(call);
  Check(call, plan, std::nullopt);
  const Value one(1.0);
  std::vector<TensorMeta> metas;
  for (int64_t d : plan.dims) metas.push_back(Evenly(call, d, call.Has("spacing") ? call.Number("spacing") : one));
  call.ReturnNewList(std::move(metas));
}

std::span<const Value> Spacings(const Call& call) {
  const Value& spacing = call.Arg("spacing");
  const List* list = spacing.TryList();
  if (!list || !std::ranges::all_of(list->items, &Value::IsNumber))
    Fail(ErrorClass::kTypeError, Format("argument `spacing` of {} takes Scalar[], not {}", OpName(call), spacing));
  return list->items;
}

// A number for each dimension.
void GradientOfNumbers(Call& call) {
  const Plan plan = PlanOf(call);
  const std::span<const Value> spacing = Spacings(call);
  Check(call, plan, spacing.size());
  std::vector<TensorMeta> metas;
  for (size_t i = 0; i < plan.dims.size(); ++i) metas.push_back(Evenly(call, plan.dims[i], spacing[i]));
  call.ReturnNewList(std::move(metas));
}

// ---- spacings that are coordinates

// A factor for each inner element, computed from steps between coordinates, with its elements along the dimension.
TensorMeta InnerFactor(const Call& call, const TensorMeta& step, int64_t rank, int64_t dim, Dim inner) {
  Dims sizes(rank, Dim(1));
  sizes[dim] = inner;
  return NewMeta(call, sizes, Quotient(call, step, step).dtype);
}

TensorMeta Along(const Call& call, int64_t dim, const Operand& coordinates, int64_t edge_order) {
  const Operand self = call.In("self");
  const auto [count] = coordinates.Sizes<1>("takes vectors of coordinates, not {}");
  RequireShape(call, Ge(count, edge_order + 1), {"takes at least {} coordinates, not {}", edge_order + 1, count});
  coordinates.Takes(kNotBool, "takes no bool coordinates");
  const TensorMeta step = NewMeta(call, {}, coordinates->dtype), edge = Part(self, dim, 1);
  // The counts of coordinates and elements may differ where one of them leaves a single inner element.
  const bool fits = GuardOrFalse(Eq(count, self->sizes[dim]));
  const Dim inner = (fits ? self->sizes[dim] : count) - 2;
  const TensorMeta center =
      Combined(call, InnerFactor(call, step, self->rank(), dim, inner), Part(self, dim, self->sizes[dim] - 2));
  const TensorMeta end = edge_order == 1 ? Quotient(call, Difference(call, edge, edge), step)
                                         : Combined(call, Quotient(call, step, step), edge);
  return CatMeta(call, {end, center, end}, dim);
}

void GradientOfCoordinates(Call& call) {
  const Plan plan = PlanOf(call);
  const Operands coordinates = call.ListIn("spacing");
  Check(call, plan, coordinates.size());
  std::vector<TensorMeta> metas;
  for (size_t i = 0; i < plan.dims.size(); ++i)
    metas.push_back(Along(call, plan.dims[i], coordinates[i], plan.edge_order));
  call.ReturnNewList(std::move(metas));
  // A result depends on the coordinates of its own dimension alone.
  std::vector<Output>& results = call.effects().outputs.back().items;
  for (size_t i = 0; i < results.size(); ++i)
    results[i].requires_grad = call.state().grad_enabled && IsFloatOrComplex(results[i].meta.dtype) &&
                               (call.In("self").tensor().RequiresGrad() || coordinates[i].tensor().RequiresGrad());
}

constexpr RuleRow kRows[] = {
    {"aten::gradient.scalarint", InOrder<RequireDifferentiable<"self">, GradientOfNumber>},
    {"aten::gradient.scalararray", InOrder<RequireDifferentiable<"self">, GradientOfNumber>},
    {"aten::gradient.array", InOrder<RequireDifferentiable<"self">, GradientOfNumber>},
    {"aten::gradient.scalarrayint", InOrder<RequireDifferentiable<"self">, GradientOfNumbers>},
    {"aten::gradient.scalarrayarray", InOrder<RequireDifferentiable<"self">, GradientOfNumbers>},
    {"aten::gradient.tensorarrayint", InOrder<RequireDifferentiable<"self">, GradientOfCoordinates>, Devices::kSame},
    {"aten::gradient.tensorarray", InOrder<RequireDifferentiable<"self">, GradientOfCoordinates>, Devices::kSame},
};

}  // namespace

RuleRows GradientRules() { return kRows; }

}  // namespace fakeprop::rules
