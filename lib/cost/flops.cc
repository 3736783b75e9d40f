#include "lib/cost/flops.h"

#include <unordered_map>

#include "lib/cost/flop_formulas.h"
#include "lib/meta/dtype.h"
#include "lib/rules/rule_table.h"
#include "lib/schema/functional_name.h"

namespace fakeprop {
namespace {

// Work for each element of the first operand, or of the first result.
enum class Per { kOperand, kResult };
struct ElementRow {
  std::string_view op;
  Per per;
  int flops;
  int with_weight = 0;  // more if there is an argument `weight` (scale and shift)
};

// docs/cost.md explains the numbers.
constexpr ElementRow kElements[] = {
    // Reductions: one operation for each element.
    {"aten::sum", Per::kOperand, 1},
    {"aten::mean", Per::kOperand, 1},
    {"aten::prod", Per::kOperand, 1},
    {"aten::amax", Per::kOperand, 1},
    {"aten::amin", Per::kOperand, 1},
    {"aten::aminmax", Per::kOperand, 2},
    {"aten::max", Per::kOperand, 1},
    {"aten::min", Per::kOperand, 1},
    {"aten::argmax", Per::kOperand, 1},
    {"aten::argmin", Per::kOperand, 1},
    {"aten::any", Per::kOperand, 1},
    {"aten::all", Per::kOperand, 1},
    {"aten::nansum", Per::kOperand, 2},
    {"aten::logsumexp", Per::kOperand, 4},
    {"aten::norm", Per::kOperand, 2},
    {"aten::linalg_vector_norm", Per::kOperand, 2},
    {"aten::var", Per::kOperand, 4},
    {"aten::std", Per::kOperand, 4},
    {"aten::var_mean", Per::kOperand, 4},
    {"aten::std_mean", Per::kOperand, 4},
    {"aten::adaptive_avg_pool1d", Per::kOperand, 1},
    {"aten::adaptive_avg_pool2d", Per::kOperand, 1},
    {"aten::_adaptive_avg_pool2d", Per::kOperand, 1},
    {"aten::adaptive_avg_pool3d", Per::kOperand, 1},
    {"aten::_adaptive_avg_pool3d", Per::kOperand, 1},
    {"aten::adaptive_max_pool2d", Per::kOperand, 1},
    {"aten::cumsum", Per::kOperand, 1},
    {"aten::cumprod", Per::kOperand, 1},
    {"aten::logcumsumexp", Per::kOperand, 3},
    {"aten::diff", Per::kResult, 1},
    {"aten::trace", Per::kResult, 1},
    // Softmax: maximum, difference, exponential, sum, quotient.
    {"aten::softmax", Per::kOperand, 5},
    {"aten::_softmax", Per::kOperand, 5},
    {"aten::_safe_softmax", Per::kOperand, 5},
    {"aten::log_softmax", Per::kOperand, 5},
    {"aten::_log_softmax", Per::kOperand, 5},
    {"aten::_softmax_backward_data", Per::kOperand, 4},
    {"aten::_log_softmax_backward_data", Per::kOperand, 4},
    // Normalisation: mean 1, variance 3, normalised 2; scale and shift 2.
    {"aten::layer_norm", Per::kOperand, 6, 2},
    {"aten::native_layer_norm", Per::kOperand, 6, 2},
    {"aten::group_norm", Per::kOperand, 6, 2},
    {"aten::native_group_norm", Per::kOperand, 6, 2},
    {"aten::instance_norm", Per::kOperand, 6, 2},
    {"aten::native_batch_norm", Per::kOperand, 6, 2},
    {"aten::_native_batch_norm_legit", Per::kOperand, 6, 2},
    {"aten::_native_batch_norm_legit_functional", Per::kOperand, 6, 2},
    {"aten::_native_batch_norm_legit_no_training", Per::kOperand, 2, 2},
    {"aten::_batch_norm_with_update", Per::kOperand, 6, 2},
    {"aten::rms_norm", Per::kOperand, 3, 1},
    {"aten::_fused_rms_norm", Per::kOperand, 3, 1},
    {"aten::native_layer_norm_backward", Per::kOperand, 9, 4},
    {"aten::native_group_norm_backward", Per::kOperand, 9, 4},
    {"aten::native_batch_norm_backward", Per::kOperand, 9, 4},
    // Several operations for each element.
    {"aten::__and__", Per::kResult, 1},
    {"aten::__or__", Per::kResult, 1},
    {"aten::__xor__", Per::kResult, 1},
    {"aten::__lshift__", Per::kResult, 1},
    {"aten::__rshift__", Per::kResult, 1},
    {"aten::addcmul", Per::kResult, 3},
    {"aten::addcdiv", Per::kResult, 3},
    {"aten::lerp", Per::kResult, 3},
    {"aten::dropout", Per::kOperand, 2},
    {"aten::native_dropout", Per::kOperand, 2},
    {"aten::native_dropout_backward", Per::kOperand, 2},
    {"aten::feature_dropout", Per::kOperand, 2},
    {"aten::glu", Per::kResult, 2},
    {"aten::outer", Per::kResult, 1},
    {"aten::ger", Per::kResult, 1},
    {"aten::addr", Per::kResult, 3},
    {"aten::cross", Per::kResult, 3},
    {"aten::linalg_cross", Per::kResult, 3},
    {"aten::cosine_similarity", Per::kOperand, 6},
    {"aten::normalize", Per::kOperand, 3},
    {"aten::cdist", Per::kResult, 3},
    {"aten::_weight_norm", Per::kResult, 4},
    {"aten::_weight_norm_interface", Per::kResult, 4},
    {"aten::linspace", Per::kResult, 2},
    {"aten::logspace", Per::kResult, 3},
    // Sums into places.
    {"aten::index_add", Per::kResult, 1},
    {"aten::scatter_add", Per::kOperand, 1},
    {"aten::scatter_reduce", Per::kOperand, 1},
    {"aten::embedding_dense_backward", Per::kOperand, 1},
    {"aten::select_backward", Per::kOperand, 0},
    {"aten::slice_backward", Per::kOperand, 0},
    {"aten::unfold_backward", Per::kOperand, 1},
    {"aten::im2col", Per::kResult, 0},
    {"aten::col2im", Per::kOperand, 1},
    {"aten::avg_pool2d_backward", Per::kResult, 1},
    {"aten::_adaptive_avg_pool2d_backward", Per::kResult, 1},
    {"aten::max_pool2d_with_indices_backward", Per::kOperand, 1},
    {"aten::upsample_nearest2d_backward", Per::kOperand, 1},
    {"aten::upsample_bilinear2d_backward", Per::kOperand, 9},
    // Losses.
    {"aten::cross_entropy_loss", Per::kOperand, 5},
    {"aten::nll_loss", Per::kResult, 1},
    {"aten::nll_loss_forward", Per::kResult, 1},
    {"aten::nll_loss_nd", Per::kResult, 1},
    {"aten::nll_loss2d_forward", Per::kResult, 1},
    {"aten::nll_loss_backward", Per::kResult, 1},
    {"aten::nll_loss2d_backward", Per::kResult, 1},
    {"aten::mse_loss", Per::kOperand, 3},
    {"aten::mse_loss_backward", Per::kOperand, 3},
    {"aten::l1_loss", Per::kOperand, 3},
    {"aten::smooth_l1_loss", Per::kOperand, 4},
    {"aten::huber_loss", Per::kOperand, 4},
    {"aten::binary_cross_entropy", Per::kOperand, 6},
    {"aten::binary_cross_entropy_with_logits", Per::kOperand, 7},
    {"aten::kl_div", Per::kOperand, 4},
};

// Operators that only make, copy or move elements.
constexpr std::string_view kMoves[] = {"aten::clone", "aten::copy", "aten::contiguous", "aten::reshape", "aten::to",
    "aten::_to_copy", "aten::type_as", "aten::cat", "aten::concat", "aten::concatenate", "aten::stack", "aten::hstack",
    "aten::vstack", "aten::dstack", "aten::column_stack", "aten::index_select", "aten::index", "aten::_unsafe_index",
    "aten::index_put", "aten::_unsafe_index_put", "aten::index_copy", "aten::index_fill", "aten::gather",
    "aten::scatter", "aten::slice_scatter", "aten::select_scatter", "aten::diagonal_scatter",
    "aten::as_strided_scatter", "aten::take", "aten::take_along_dim", "aten::embedding", "aten::pad",
    "aten::constant_pad_nd", "aten::reflection_pad1d", "aten::reflection_pad2d", "aten::reflection_pad3d",
    "aten::replication_pad1d", "aten::replication_pad2d", "aten::replication_pad3d", "aten::repeat", "aten::tile",
    "aten::repeat_interleave", "aten::roll", "aten::flip", "aten::fliplr", "aten::flipud", "aten::rot90", "aten::tril",
    "aten::triu", "aten::tril_indices", "aten::triu_indices", "aten::lift_fresh", "aten::lift_fresh_copy", "aten::lift",
    "aten::detach", "aten::alias", "aten::empty", "aten::empty_like", "aten::empty_strided", "aten::empty_permuted",
    "aten::new_empty", "aten::new_empty_strided", "aten::zeros", "aten::zeros_like", "aten::new_zeros", "aten::ones",
    "aten::ones_like", "aten::new_ones", "aten::full", "aten::full_like", "aten::new_full", "aten::fill", "aten::zero",
    "aten::arange", "aten::range", "aten::eye", "aten::scalar_tensor", "aten::tensor", "aten::one_hot",
    "aten::meshgrid", "aten::broadcast_tensors", "aten::pixel_shuffle", "aten::pixel_unshuffle",
    "aten::channel_shuffle", "aten::unfold_copy", "aten::block_diag", "aten::diag", "aten::diag_embed",
    "aten::upsample_nearest1d", "aten::upsample_nearest2d", "aten::upsample_nearest3d",
    "aten::_upsample_nearest_exact1d", "aten::_upsample_nearest_exact2d", "aten::_upsample_nearest_exact3d",
    "aten::where", "aten::masked_fill", "aten::resize", "aten::set", "aten::item", "aten::_local_scalar_dense",
    "aten::_assert_async", "aten::_assert_scalar", "aten::sym_constrain_range", "aten::sym_constrain_range_for_size",
    "aten::pin_memory", "aten::len", "aten::Int", "aten::view_as_real_copy", "aten::squeeze", "aten::unsqueeze",
    "aten::resolve_conj", "aten::resolve_neg", "aten::rand", "aten::randn", "aten::rand_like", "aten::randn_like",
    "aten::randint", "aten::randint_like", "aten::randperm", "aten::bernoulli", "aten::normal", "aten::uniform",
    "aten::multinomial", "aten::identity"};

struct Formula {
  FlopFormula formula = nullptr;
  const ElementRow* element = nullptr;
  bool moves = false;
  bool in_flop_counter = false;
};

const std::unordered_map<std::string_view, Formula>& Formulas() {
  static const auto* formulas = [] {
    auto* all = new std::unordered_map<std::string_view, Formula>;
    for (const FlopRow& row : FlopFormulas()) (*all)[row.op] = {row.formula, nullptr, false, row.in_flop_counter};
    for (const ElementRow& row : kElements) (*all)[row.op].element = &row;
    for (std::string_view op : kMoves) (*all)[op].moves = true;
    return all;
  }();
  return *formulas;
}

Dim ElementsOf(const Tensor& t) { return Numel(t.meta.size_span()); }

std::optional<Dim> PerElement(const ElementRow& row, const CountedCall& call) {
  const Tensor* of = row.per == Per::kOperand ? call.TensorAt(0) : call.results().empty() ? nullptr : call.results()[0];
  if (!of) return std::nullopt;
  const bool has_weight = row.with_weight && call.FindTensor("weight");
  return ElementsOf(*of) * Dim(row.flops + (has_weight ? row.with_weight : 0));
}

bool HasFloats(const CountedCall& call) {
  for (const auto* tensors : {&call.tensors(), &call.results()})
    for (const Tensor* t : *tensors)
      if (IsFloatOrComplex(t->meta.dtype)) return true;
  return false;
}

// Returns true if each result is an argument or a view of one, and nothing is written.
bool OnlyMakesViews(const CountedCall& call) {
  for (const SchemaArgument& argument : call.schema().arguments)
    if (argument.is_write) return call.schema().Has(kTagInplaceView);
  for (const Tensor* result : call.results()) {
    bool is_shared = false;
    for (const Tensor* t : call.tensors()) is_shared = is_shared || t->storage == result->storage;
    if (!is_shared) return false;
  }
  return !call.results().empty() || call.tensors().empty();
}

}  // namespace

bool IsInFlopCounter(std::string_view operator_name) {
  const auto row = Formulas().find(operator_name);
  return row != Formulas().end() && row->second.in_flop_counter;
}

std::optional<Dim> CountFlops(const CountedCall& call) {
  const auto row = Formulas().find(FunctionalName(call.schema().name));
  const Formula formula = row == Formulas().end() ? Formula() : row->second;
  if (formula.formula) return formula.formula(call);
  const bool asks_metadata = FindFacts(call.schema()).reads == Reads::kMetadata;
  if (formula.moves || asks_metadata || OnlyMakesViews(call)) return Dim(0);
  // Integers and bools are no floating-point work.
  if (!HasFloats(call) && (formula.element || call.schema().Has(kTagPointwise))) return Dim(0);
  if (formula.element) return PerElement(*formula.element, call);
  if (!call.schema().Has(kTagPointwise) || call.results().empty()) return std::nullopt;
  Dim flops = 0;
  for (const Tensor* result : call.results()) flops += ElementsOf(*result);
  return flops;
}

}  // namespace fakeprop
