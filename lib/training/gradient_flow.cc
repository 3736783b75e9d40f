#include "lib/training/gradient_flow.h"

#include <algorithm>
#include <iterator>

#include "lib/cost/flops.h"
#include "lib/training/saved_tensors.h"

namespace fakeprop {
namespace {

// Their formulas write the gradient into zeros of the operand's sizes, or concatenate parts.
constexpr std::string_view kPartialViews[] = {"aten::as_strided", "aten::chunk", "aten::diagonal", "aten::narrow",
    "aten::select", "aten::slice", "aten::split", "aten::split_with_sizes", "aten::tensor_split", "aten::unbind",
    "aten::unfold"};

// They copy values, and pass the gradient on.
constexpr std::string_view kPassing[] = {"aten::_to_copy", "aten::_unsafe_view", "aten::add", "aten::cat",
    "aten::clone", "aten::contiguous", "aten::dropout", "aten::flatten", "aten::reshape", "aten::stack", "aten::sub",
    "aten::sum", "aten::to", "aten::type_as"};

// The gradient is a view of the result's, whatever the sizes.
constexpr std::string_view kViewing[] = {"aten::cat", "aten::stack", "aten::sum"};

struct ScratchRow {
  std::string_view op;
  int results;   // tensors of the result's sizes that the formula holds beside its answer
  int operands;  // the same for the first operand's sizes
};
constexpr ScratchRow kScratch[] = {
    {"aten::cross_entropy_loss", 0, 1},  // the gradient of log_softmax
    {"aten::div", 1, 0},
    {"aten::erf", 1, 0},
    {"aten::linalg_vector_norm", 0, 1},
    {"aten::lstm_cell", 8, 0},  // of the gates, and of all of them together
    {"aten::logsumexp", 0, 1},
    {"aten::pow", 1, 0},
    {"aten::rsqrt", 1, 0},
    {"aten::sin", 1, 0},
    {"aten::cos", 1, 0},
    {"aten::std", 0, 1},
    {"aten::var", 0, 1},
};

template <size_t kSize>
bool Has(const std::string_view (&names)[kSize], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
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
bool IsPassedOn(const CountedCall& call, const Tensor& operand, std::string_view name) {
  if (name == "aten::sub" && call.TensorAt(0) != &operand) return false;
  if (name == "aten::dropout" && call.IsTrue("train")) return false;
  return Has(kPassing, name) && operand.meta.dtype == call.results()[0]->meta.dtype;
}

}  // namespace

GradientFlow FlowTo(const CountedCall& call, const Tensor& operand) {
  const std::string_view name = FunctionalName(call.schema());
  if (name == "aten::detach" || call.results().empty()) return GradientFlow::kNone;
  const Tensor& result = *call.results()[0];
  const bool has_sizes = HasSizesOf(operand, result);
  if (IsViewOf(call, operand) && !Has(kPartialViews, name)) return has_sizes ? GradientFlow::kSame : GradientFlow::kNew;
  if (!IsPassedOn(call, operand, name)) return GradientFlow::kNew;
  return has_sizes || Has(kViewing, name) ? GradientFlow::kSame : GradientFlow::kNew;
}

Dim BroadcastScratch(const CountedCall& call, const Tensor& operand) {
  const std::string_view name = FunctionalName(call.schema());
  const bool is_sum_alone = name == "aten::add" || name == "aten::sub";
  if (!call.schema().Has(kTagPointwise) || is_sum_alone || call.results().empty()) return 0;
  return HasSizesOf(operand, *call.results()[0]) ? Dim(0) : DenseBytes(*call.results()[0]);
}

Dim FormulaScratch(const CountedCall& call) {
  const std::string_view name = FunctionalName(call.schema());
  Dim bytes = 0;
  for (const ScratchRow& row : kScratch) {
    if (row.op != name || call.results().empty() || call.tensors().empty()) continue;
    bytes += Dim(row.results) * DenseBytes(*call.results()[0]) + Dim(row.operands) * DenseBytes(*call.tensors()[0]);
  }
  return bytes;
}

}  // namespace fakeprop
