// Found by `_is_view()` of the results of all operators in eager (torch 2.13).
#include "lib/interpreter/own_views.h"

#include <algorithm>
#include <cmath>

#include "lib/rules/core/shapes.h"

namespace fakeprop {
namespace {

using Arguments = std::span<const Value* const>;

bool IsTrue(const Schema& schema, Arguments arguments, std::string_view name) {
  const int i = schema.FindArgument(name);
  const bool* value = i < 0 ? nullptr : arguments[i]->TryGet<bool>();
  return value && *value;
}

// A periodic window, as it is by default, is the greater part of a longer one.
bool IsPeriodic(const Schema& schema, Arguments arguments, const Tensor& window) {
  const bool is_periodic = schema.FindArgument("periodic") < 0 || IsTrue(schema, arguments, "periodic");
  return is_periodic && Known(Gt(Numel(window.meta.size_span()), 1));
}

// A result without a batch has one dimension less than the weight.
bool HasNoBatch(const Schema&, Arguments arguments, const Tensor& result) {
  const Tensor* weight = arguments[1]->TryTensor();
  return weight && result.meta.rank() < weight->meta.rank();
}

bool IsOfReal(const Schema&, Arguments arguments, const Tensor&) {
  const Tensor* self = arguments[0]->TryTensor();
  return self && !IsComplex(self->meta.dtype);
}

bool IsAlongDim(const Schema&, Arguments arguments, const Tensor&) {
  const Dim* dim = arguments[2]->TryGet<Dim>();
  return dim && Known(Ne(*dim, -1));
}

bool KeepsDim(const Schema& schema, Arguments arguments, const Tensor&) { return IsTrue(schema, arguments, "keepdim"); }
bool IsByNumber(const Schema& schema, Arguments, const Tensor&) { return schema.overload == "self_int"; }
bool IsRecordedResult(const Schema&, Arguments, const Tensor& result) { return result.own_requires_grad; }

// Norms by singular values: of order 2 and -2, which is what linalg_cond takes for no order, and the nuclear norm.
bool IsSpectral(const Schema& schema, Arguments arguments, std::string_view name) {
  const Value& order = *arguments[schema.FindArgument(name)];
  if (const std::string* text = order.TryGet<std::string>()) return *text == "nuc";
  if (const Dim* number = order.TryGet<Dim>()) return number->TryNumber() == 2 || number->TryNumber() == -2;
  const double* number = order.TryGet<double>();
  return number && std::abs(*number) == 2;
}

bool IsRatio(const Schema& schema, Arguments arguments, const Tensor&) {
  const Value& order = *arguments[schema.FindArgument("p")];
  return order.IsNone() || (!order.Is<std::string>() && IsSpectral(schema, arguments, "p"));
}

bool KeepsDimOfSpectral(const Schema& schema, Arguments arguments, const Tensor&) {
  return IsTrue(schema, arguments, "keepdim") && IsSpectral(schema, arguments, "ord");
}

// One dimension is a vector's.
bool KeepsDimOfMatrix(const Schema& schema, Arguments arguments, const Tensor& result) {
  const List* dims = arguments[schema.FindArgument("dim")]->TryList();
  const bool is_matrix = dims ? dims->items.size() == 2 : result.meta.rank() == 2;
  return is_matrix && KeepsDimOfSpectral(schema, arguments, result);
}

bool IsAlways(const Schema&, Arguments, const Tensor&) { return true; }

struct Row {
  std::string_view op;
  EndsInView when = IsAlways;
};

constexpr Row kRows[] = {
    {"aten::adaptive_avg_pool1d"},
    {"aten::adaptive_max_pool1d"},
    {"aten::avg_pool1d"},
    {"aten::bartlett_window", IsPeriodic},
    {"aten::blackman_window", IsPeriodic},
    {"aten::conv1d", HasNoBatch},
    {"aten::conv2d", HasNoBatch},
    {"aten::conv3d", HasNoBatch},
    {"aten::conv_transpose1d", HasNoBatch},
    {"aten::conv_transpose2d", HasNoBatch},
    {"aten::conv_transpose3d", HasNoBatch},
    {"aten::fft_ifft", IsOfReal},
    {"aten::fft_ihfft"},
    {"aten::hamming_window", IsPeriodic},
    {"aten::hann_window", IsPeriodic},
    {"aten::instance_norm"},
    {"aten::kaiser_window", IsPeriodic},
    {"aten::linalg_cond", IsRatio},
    {"aten::linalg_matrix_norm", KeepsDimOfSpectral},
    {"aten::linalg_multi_dot"},
    {"aten::linalg_norm", KeepsDimOfMatrix},
    {"aten::linalg_tensorinv"},
    {"aten::max_pool1d", IsRecordedResult},
    {"aten::max_pool1d_with_indices"},
    {"aten::norm_except_dim", IsAlongDim},
    {"aten::nuclear_norm", KeepsDim},
    {"aten::ravel"},
    {"aten::repeat_interleave", IsByNumber},
    {"aten::tensordot"},
};
static_assert(std::ranges::is_sorted(kRows, {}, &Row::op));

}  // namespace

EndsInView FindEndsInView(const Schema& schema) {
  const auto row = std::ranges::lower_bound(kRows, schema.name, {}, &Row::op);
  return row == std::end(kRows) || row->op != schema.name ? nullptr : row->when;
}

}  // namespace fakeprop
