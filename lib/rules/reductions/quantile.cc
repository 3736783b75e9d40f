// Quantiles along a dimension.
// Source: quantile_checks, quantile_output_shape, quantile_compute in aten/src/ATen/native/Sorting.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

// Ranks are computed in double, which tells this many apart.
constexpr int64_t kMostElements = 1 << 24;

void RequireInterpolation(const Call& call) {
  const std::string_view name = call.String("interpolation");
  for (std::string_view known : {"linear", "lower", "higher", "midpoint", "nearest"})
    if (name == known) return;
  FailValue(call, {"interpolates by linear, lower, higher, midpoint or nearest, not by {}", name});
}

void CheckInput(const Call& call, const Operand& self, Dim reduced) {
  self.Takes(kFloat32Or64, "takes tensors of float32 or float64, not {}");
  self.Require(Ne(self.Numel(), 0), "takes a tensor with elements, not one of {}");
  RequireShape(
      call, Le(reduced, kMostElements), {"takes at most {} elements to choose from, not {}", kMostElements, reduced});
}

// One quantile for each dimension that is left and each element of q (`count`; none where q is a number). The elements
// of q are next to each other in memory, and their dimension is the result's first.
TensorMeta Quantiles(const Call& call, std::optional<Dim> count) {
  const Operand self = call.In("self");
  const bool keepdim = call.Bool("keepdim"), along_dim = call.Has("dim");
  const int64_t dim = along_dim ? call.WrappedDim("dim", self) : 0;
  CheckInput(call, self, along_dim ? SizeAt(self, dim) : self.Numel());
  Dims left;
  if (along_dim && self->rank() > 0) left = ReducedSizes(self->size_span(), dim, keepdim);
  else if (keepdim) left.assign(self->rank(), Dim(1));
  if (!count) return NewMeta(call, left, self->dtype);
  left.push_back(*count);
  TensorMeta out = NewMeta(call, left, self->dtype);
  out.sizes.insert(out.sizes.begin(), out.sizes.pop_back_val());
  out.strides.insert(out.strides.begin(), out.strides.pop_back_val());
  return out;
}

// Linear interpolation weighs the neighbours by q. Other kinds take elements of self, and autograd follows self alone.
void ReturnQuantiles(Call& call, TensorMeta meta) {
  const bool is_linear = call.String("interpolation") == "linear";
  Output& out = call.ReturnNew(std::move(meta));
  if (!is_linear) out.requires_grad = call.state().grad_enabled && call.In("self").tensor().RequiresGrad();
}

void Quantile(Call& call) {
  RequireInterpolation(call);
  const Operand q = call.In("q").RankAtMost(1, "takes a number or a vector as `q`, not {}");
  call.In("self").SameDtypeAs(q);
  ReturnQuantiles(call, Quantiles(call, q->rank() ? std::optional(q->sizes[0]) : std::nullopt));
}

void QuantileOfNumber(Call& call) {
  RequireInterpolation(call);
  const double q = call.Float("q");
  RequireValue(call, q >= 0 && q <= 1, {"takes `q` from 0 to 1, not {}", call.Arg("q")});
  ReturnQuantiles(call, Quantiles(call, std::nullopt));
}

constexpr RuleRow kRows[] = {
    {"aten::quantile", Quantile, Devices::kSame | OutStrides::kContiguous},
    {"aten::quantile.scalar", QuantileOfNumber, OutStrides::kContiguous},
    {"aten::nanquantile", Quantile, Devices::kSame | OutStrides::kContiguous},
    {"aten::nanquantile.scalar", QuantileOfNumber, OutStrides::kContiguous},
};

}  // namespace

RuleRows QuantileRules() { return kRows; }

}  // namespace fakeprop::rules
