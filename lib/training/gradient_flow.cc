#include "lib/training/gradient_flow.h"

#include <algorithm>
#include <iterator>

#include "lib/schema/functional_name.h"
#include "lib/training/saved_tensors.h"

namespace fakeprop {
namespace {

// What an operator's formula makes of the gradient of its result.
enum class Formula {
  kComputes,     // a new tensor
  kPartialView,  // writes it into zeros of the operand's sizes, or joins parts, although the result is a view
  kPasses,       // passes it on where the sizes agree, since the operator copies values
  kPassesViews,  // passes it on or views it, whatever the sizes
};

struct GradientRow {
  std::string_view op;  // all overloads, and in-place forms
  Formula formula;
  // Tensors that the formula holds beside its answer: of the result's sizes, and of the first operand's.
  int of_result = 0;
  int of_operand = 0;
};
constexpr GradientRow kRows[] = {
    {"aten::as_strided", Formula::kPartialView},
    {"aten::chunk", Formula::kPartialView},
    {"aten::diagonal", Formula::kPartialView},
    {"aten::narrow", Formula::kPartialView},
    {"aten::select", Formula::kPartialView},
    {"aten::slice", Formula::kPartialView},
    {"aten::split", Formula::kPartialView},
    {"aten::split_with_sizes", Formula::kPartialView},
    {"aten::tensor_split", Formula::kPartialView},
    {"aten::unbind", Formula::kPartialView},
    {"aten::unfold", Formula::kPartialView},

    {"aten::_to_copy", Formula::kPasses},
    {"aten::_unsafe_view", Formula::kPasses},
    {"aten::add", Formula::kPasses},
    {"aten::clone", Formula::kPasses},
    {"aten::contiguous", Formula::kPasses},
    {"aten::dropout", Formula::kPasses},
    {"aten::flatten", Formula::kPasses},
    {"aten::reshape", Formula::kPasses},
    {"aten::sub", Formula::kPasses},
    {"aten::to", Formula::kPasses},
    {"aten::type_as", Formula::kPasses},
    {"aten::cat", Formula::kPassesViews},
    {"aten::stack", Formula::kPassesViews},
    {"aten::sum", Formula::kPassesViews},

    {"aten::cos", Formula::kComputes, 1},
    {"aten::cross_entropy_loss", Formula::kComputes, 0, 1},  // the gradient of log_softmax
    {"aten::div", Formula::kComputes, 1},
    {"aten::erf", Formula::kComputes, 1},
    {"aten::linalg_vector_norm", Formula::kComputes, 0, 1},
    {"aten::logsumexp", Formula::kComputes, 0, 1},
    {"aten::lstm_cell", Formula::kComputes, 8},  // of the gates, and of all of them together
    {"aten::pow", Formula::kComputes, 1},
    {"aten::rsqrt", Formula::kComputes, 1},
    {"aten::sin", Formula::kComputes, 1},
    {"aten::std", Formula::kComputes, 0, 1},
    {"aten::var", Formula::kComputes, 0, 1},
};

GradientRow RowOf(std::string_view name) {
  const auto row = std::ranges::find(kRows, name, &GradientRow::op);
  return row == std::end(kRows) ? GradientRow{name, Formula::kComputes} : *row;
}

bool HasSizesOf(const Tensor& a, const Tensor& b) {
  return Numel(a.meta.size_span()).Hint() == Numel(b.meta.size_span()).Hint();
}

// The result is on the operand's storage, and the operator has not written it.
bool IsViewOf(const CountedCall& call, const Tensor& operand) {
  if (call.schema().IsInplace()) return false;
  return std::any_of(call.results().begin(), call.results().end(),
      [&](const Tensor* result) { return result->storage == operand.storage; });
}

// sub's second operand gets the negative.
bool IsPassedOn(const CountedCall& call, const Tensor& operand, const GradientRow& row) {
  if (row.op == "aten::sub" && call.TensorAt(0) != &operand) return false;
  if (row.op == "aten::dropout" && call.IsTrue("train")) return false;
  const bool passes = row.formula == Formula::kPasses || row.formula == Formula::kPassesViews;
  return passes && operand.meta.dtype == call.results()[0]->meta.dtype;
}

}  // namespace

GradientFlow FlowTo(const CountedCall& call, const Tensor& operand) {
  const GradientRow row = RowOf(FunctionalName(call.schema().name));
  if (row.op == "aten::detach" || call.results().empty()) return GradientFlow::kNone;
  const bool is_whole_view = IsViewOf(call, operand) && row.formula != Formula::kPartialView;
  if (!is_whole_view && !IsPassedOn(call, operand, row)) return GradientFlow::kNew;
  const bool fits = HasSizesOf(operand, *call.results()[0]) || (!is_whole_view && row.formula == Formula::kPassesViews);
  return fits ? GradientFlow::kSame : GradientFlow::kNew;
}

Dim BroadcastScratch(const CountedCall& call, const Tensor& operand) {
  const std::string_view name = FunctionalName(call.schema().name);
  const bool is_sum_alone = name == "aten::add" || name == "aten::sub";
  if (!call.schema().Has(kTagPointwise) || is_sum_alone || call.results().empty()) return 0;
  return HasSizesOf(operand, *call.results()[0]) ? Dim(0) : DenseBytes(*call.results()[0]);
}

Dim FormulaScratch(const CountedCall& call) {
  if (call.results().empty() || call.tensors().empty()) return 0;
  const GradientRow row = RowOf(FunctionalName(call.schema().name));
  Dim bytes = 0;
  if (row.of_result) bytes += Dim(row.of_result) * DenseBytes(*call.results()[0]);
  if (row.of_operand) bytes += Dim(row.of_operand) * DenseBytes(*call.tensors()[0]);
  return bytes;
}

}  // namespace fakeprop
