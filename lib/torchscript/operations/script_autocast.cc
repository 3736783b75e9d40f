#include "lib/torchscript/operations/script_autocast.h"

#include <algorithm>
#include <deque>

#include "lib/rules/core/results.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

enum class Cast { kNone, kReduced, kFull, kFullOnCuda, kBanned };

// Operators by name, whatever their overload.
constexpr std::string_view kReduced[] = {"_convolution", "_convolution_nogroup", "conv1d", "conv2d", "conv3d",
    "conv_tbc", "conv_transpose1d", "convolution", "cudnn_convolution", "cudnn_convolution_transpose", "prelu", "addmm",
    "addmv", "addr", "matmul", "mm", "mv", "linear", "addbmm", "baddbmm", "bmm", "chain_matmul",
    "_thnn_fused_lstm_cell", "_thnn_fused_gru_cell", "lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell"};
constexpr std::string_view kFull[] = {"native_layer_norm", "acos", "asin", "cosh", "erfinv", "exp", "expm1", "log",
    "log10", "log2", "log1p", "reciprocal", "rsqrt", "sinh", "tan", "pow", "softplus", "gelu", "layer_norm",
    "group_norm", "frobenius_norm", "nuclear_norm", "cosine_similarity", "cosine_embedding_loss", "nll_loss",
    "nll_loss2d", "hinge_embedding_loss", "kl_div", "l1_loss", "smooth_l1_loss", "mse_loss", "margin_ranking_loss",
    "multilabel_margin_loss", "soft_margin_loss", "triplet_margin_loss", "multi_margin_loss",
    "binary_cross_entropy_with_logits", "dist", "pdist", "cdist", "renorm", "logsumexp"};
constexpr std::string_view kFullWithoutDtype[] = {"prod", "log_softmax", "cumprod", "cumsum", "sum"};
// To the widest dtype, for which the pass takes float32 where it does not know the tensors' dtypes, as here.
constexpr std::string_view kWidest[] = {"addcdiv", "addcmul", "atan2", "bilinear", "cat", "_cat", "cross", "dot",
    "equal", "index_put", "stack", "tensordot", "add", "sub", "mul", "div"};

Cast CastFor(const Schema& schema, const std::vector<const Value*>& arguments) {
  if (!schema.name.starts_with("aten::")) return Cast::kNone;
  const std::string_view name = schema.name.substr(6);
  const auto in = [&](const auto& names) { return std::ranges::find(names, name) != std::end(names); };
  if (name == "binary_cross_entropy") return Cast::kBanned;
  if (schema.Writes()) return Cast::kNone;
  if (in(kReduced)) return Cast::kReduced;
  if (in(kFull) || in(kWidest)) return Cast::kFull;
  if (const int dtype = schema.FindArgument("dtype"); dtype >= 0 && !arguments[dtype]->IsNone()) return Cast::kNone;
  if (name == "softmax") return Cast::kFullOnCuda;
  return in(kFullWithoutDtype) ? Cast::kFull : Cast::kNone;
}

const ExecutionState::Autocast& AutocastOf(const ExecutionState& state, const Tensor& t) {
  static const ExecutionState::Autocast kOff;
  return t.meta.device.is_cpu() ? state.cpu_autocast : t.meta.device.is_cuda() ? state.cuda_autocast : kOff;
}

// What a tensor is cast to, if it is. Source: _autocast_to_reduced_precision and _autocast_to_full_precision in
// aten/src/ATen/native/TensorConversions.cpp.
std::optional<ScalarType> TargetOf(const ExecutionState& state, const Tensor& t, Cast cast) {
  const ExecutionState::Autocast& autocast = AutocastOf(state, t);
  const bool is_reduced = IsHalf(t.meta.dtype);
  if (!autocast.enabled) return std::nullopt;
  if (cast == Cast::kReduced && t.meta.dtype == ScalarType::Float) return autocast.dtype;
  const bool is_full = cast == Cast::kFull || (cast == Cast::kFullOnCuda && t.meta.device.is_cuda());
  return is_full && is_reduced ? std::optional(ScalarType::Float) : std::nullopt;
}

Value CastTo(OperatorHost& host, const Value& tensor, ScalarType dtype) {
  static const Schema& schema = *FindSchema("aten::to.dtype");
  const Value target(dtype), no(false), none;
  const Value* arguments[] = {&tensor, &target, &no, &no, &none};
  return host.CallOperator(schema, arguments);
}

// Nothing is cast beneath.
class WithoutAutocast {
 public:
  explicit WithoutAutocast(ExecutionState& state) : state_(state), saved_(state) {
    state_.cpu_autocast.enabled = state_.cuda_autocast.enabled = false;
  }
  ~WithoutAutocast() {
    state_.cpu_autocast = saved_.cpu_autocast;
    state_.cuda_autocast = saved_.cuda_autocast;
  }
  const ExecutionState& before() const { return saved_; }

 private:
  ExecutionState& state_;
  const ExecutionState saved_;
};

}  // namespace

Value CallUnderScriptAutocast(HigherOrderCall& call, const Schema& schema, std::vector<const Value*> arguments) {
  OperatorHost& host = call.host().operators();
  const Cast cast = CastFor(schema, arguments);
  if (cast == Cast::kBanned)
    Fail(ErrorClass::kUnsupportedOperator, "TorchScript refuses binary_cross_entropy under autocast");
  const WithoutAutocast without(call.state());
  std::deque<Value> casts;
  for (const Value*& argument : arguments) {
    const Tensor* t = argument->TryTensor();
    const auto target = t ? TargetOf(without.before(), *t, cast) : std::nullopt;
    if (target) argument = &casts.emplace_back(CastTo(host, *argument, *target));
  }
  return host.CallOperator(schema, arguments);
}

}  // namespace fakeprop
