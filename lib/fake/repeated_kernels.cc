// Which composites are served by earlier calls (repeated_composites.h).
#include <ATen/core/boxing/impl/boxing.h>
#include <ATen/ops/batch_norm_compositeimplicitautograd_dispatch.h>
#include <ATen/ops/batch_norm_ops.h>
#include <ATen/ops/conv1d_compositeimplicitautograd_dispatch.h>
#include <ATen/ops/conv1d_ops.h>
#include <ATen/ops/conv2d_compositeimplicitautograd_dispatch.h>
#include <ATen/ops/conv2d_ops.h>
#include <ATen/ops/conv3d_compositeimplicitautograd_dispatch.h>
#include <ATen/ops/conv3d_ops.h>
#include <ATen/ops/conv_transpose1d_compositeimplicitautograd_dispatch.h>
#include <ATen/ops/conv_transpose1d_ops.h>
#include <ATen/ops/conv_transpose2d_compositeimplicitautograd_dispatch.h>
#include <ATen/ops/conv_transpose2d_ops.h>
#include <ATen/ops/conv_transpose3d_compositeimplicitautograd_dispatch.h>
#include <ATen/ops/conv_transpose3d_ops.h>
#include <ATen/ops/group_norm_compositeimplicitautograd_dispatch.h>
#include <ATen/ops/group_norm_ops.h>
#include <ATen/ops/layer_norm_compositeimplicitautograd_dispatch.h>
#include <ATen/ops/layer_norm_ops.h>
#include <ATen/ops/linear_compositeimplicitautograd_dispatch.h>
#include <ATen/ops/linear_ops.h>
#include <ATen/ops/max_pool2d_compositeimplicitautograd_dispatch.h>
#include <ATen/ops/max_pool2d_ops.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>

#include <algorithm>
#include <vector>

#include "lib/fake/repeated_composites.h"

namespace fakeprop::fake {
namespace {

using c10::DispatchKey;
using c10::DispatchKeySet;
using c10::OperatorHandle;

constexpr const char* kRepeated[] = {
    "aten::_batch_norm_impl_index",
    "aten::_convolution_double_backward",
    "aten::_scaled_dot_product_attention_math",
    "aten::adaptive_avg_pool1d",
    "aten::adaptive_avg_pool2d",
    "aten::adaptive_avg_pool3d",
    "aten::argsort.stable_out",
    "aten::avg_pool1d",
    "aten::bilinear",
    "aten::chain_matmul",
    "aten::conv1d.padding",
    "aten::conv2d.padding",
    "aten::conv3d.padding",
    "aten::cosine_embedding_loss",
    "aten::cosine_similarity",
    "aten::cross",
    "aten::cummaxmin_backward",
    "aten::det",
    "aten::diff",
    "aten::einsum",
    "aten::embedding_bag",
    "aten::embedding_bag.padding_idx",
    "aten::fft_fft",
    "aten::fft_fft.out",
    "aten::fft_fft2",
    "aten::fft_fft2.out",
    "aten::fft_fftn",
    "aten::fft_fftn.out",
    "aten::fft_hfft",
    "aten::fft_hfft.out",
    "aten::fft_hfft2",
    "aten::fft_hfft2.out",
    "aten::fft_hfftn",
    "aten::fft_hfftn.out",
    "aten::fft_ifft",
    "aten::fft_ifft.out",
    "aten::fft_ifft2",
    "aten::fft_ifft2.out",
    "aten::fft_ifftn",
    "aten::fft_ifftn.out",
    "aten::fft_ihfft",
    "aten::fft_ihfft.out",
    "aten::fft_ihfft2",
    "aten::fft_ihfft2.out",
    "aten::fft_ihfftn",
    "aten::fft_ihfftn.out",
    "aten::fft_irfft",
    "aten::fft_irfft.out",
    "aten::fft_irfft2",
    "aten::fft_irfft2.out",
    "aten::fft_irfftn",
    "aten::fft_irfftn.out",
    "aten::fft_rfft",
    "aten::fft_rfft.out",
    "aten::fft_rfft2",
    "aten::fft_rfft2.out",
    "aten::fft_rfftn",
    "aten::fft_rfftn.out",
    "aten::frobenius_norm.dim",
    "aten::gather_backward",
    "aten::gru.data",
    "aten::gru.input",
    "aten::gru_cell",
    "aten::hinge_embedding_loss",
    "aten::histogramdd",
    "aten::histogramdd.TensorList_bins",
    "aten::histogramdd.int_bins",
    "aten::instance_norm",
    "aten::inverse",
    "aten::inverse.out",
    "aten::isclose",
    "aten::isfinite",
    "aten::kl_div",
    "aten::kron",
    "aten::l1_loss",
    "aten::linalg_cholesky",
    "aten::linalg_cholesky.out",
    "aten::linalg_cond",
    "aten::linalg_cond.out",
    "aten::linalg_cond.p_str",
    "aten::linalg_cond.p_str_out",
    "aten::linalg_det",
    "aten::linalg_det.out",
    "aten::linalg_eigh",
    "aten::linalg_eigh.eigvals",
    "aten::linalg_eigvalsh",
    "aten::linalg_eigvalsh.out",
    "aten::linalg_inv",
    "aten::linalg_inv.out",
    "aten::linalg_ldl_factor",
    "aten::linalg_ldl_factor.out",
    "aten::linalg_lu_factor",
    "aten::linalg_lu_factor.out",
    "aten::linalg_matrix_norm",
    "aten::linalg_matrix_norm.out",
    "aten::linalg_matrix_norm.str_ord",
    "aten::linalg_matrix_norm.str_ord_out",
    "aten::linalg_matrix_power",
    "aten::linalg_matrix_power.out",
    "aten::linalg_matrix_rank",
    "aten::linalg_matrix_rank.atol_rtol_float",
    "aten::linalg_matrix_rank.atol_rtol_float_out",
    "aten::linalg_matrix_rank.atol_rtol_tensor",
    "aten::linalg_matrix_rank.atol_rtol_tensor_out",
    "aten::linalg_matrix_rank.out",
    "aten::linalg_matrix_rank.out_tol_tensor",
    "aten::linalg_matrix_rank.tol_tensor",
    "aten::linalg_multi_dot",
    "aten::linalg_multi_dot.out",
    "aten::linalg_norm",
    "aten::linalg_norm.ord_str",
    "aten::linalg_norm.ord_str_out",
    "aten::linalg_norm.out",
    "aten::linalg_pinv",
    "aten::linalg_pinv.atol_rtol_float",
    "aten::linalg_pinv.atol_rtol_float_out",
    "aten::linalg_pinv.out",
    "aten::linalg_slogdet",
    "aten::linalg_slogdet.out",
    "aten::linalg_solve",
    "aten::linalg_solve.out",
    "aten::linalg_solve_ex",
    "aten::linalg_solve_ex.out",
    "aten::linalg_svd",
    "aten::linalg_svdvals",
    "aten::linalg_svdvals.out",
    "aten::linalg_tensorsolve",
    "aten::linalg_tensorsolve.out",
    "aten::log_sigmoid.out",
    "aten::log_softmax.int",
    "aten::logdet",
    "aten::lstm.data",
    "aten::lstm.input",
    "aten::lstm_cell",
    "aten::lu_solve",
    "aten::margin_ranking_loss",
    "aten::matrix_exp_backward",
    "aten::matrix_power",
    "aten::matrix_power.out",
    "aten::max_pool1d",
    "aten::max_pool3d",
    "aten::msort",
    "aten::msort.out",
    "aten::multilabel_margin_loss",
    "aten::multilabel_margin_loss.out",
    "aten::nanmean",
    "aten::nll_loss",
    "aten::nll_loss.out",
    "aten::nll_loss2d.out",
    "aten::nll_loss_nd",
    "aten::nuclear_norm",
    "aten::nuclear_norm.dim",
    "aten::pad",
    "aten::pinverse",
    "aten::poisson_nll_loss",
    "aten::prelu",
    "aten::repeat_interleave.self_Tensor",
    "aten::rms_norm",
    "aten::rnn_relu.data",
    "aten::rnn_relu.input",
    "aten::rnn_relu_cell",
    "aten::rnn_tanh.data",
    "aten::rnn_tanh.input",
    "aten::rnn_tanh_cell",
    "aten::slogdet",
    "aten::slogdet.out",
    "aten::softmax.int",
    "aten::stft",
    "aten::stft.center",
    "aten::sum_to_size",
    "aten::svd",
    "aten::tensordot",
    "aten::tensordot.out",
    "aten::triplet_margin_loss",
    "aten::upsample_bicubic2d.vec",
    "aten::upsample_bilinear2d.vec",
    "aten::upsample_linear1d.vec",
    "aten::upsample_nearest1d.vec",
    "aten::upsample_nearest2d.vec",
    "aten::upsample_nearest3d.vec",
    "aten::upsample_trilinear3d.vec",
    "aten::vander",
};

// LibTorch has kernels of these for some devices, and runs them by parts on the others.
constexpr const char* kRepeatedWithoutKernel[] = {"aten::silu_backward"};

void RunByParts(const OperatorHandle& op, torch::jit::Stack& stack) {
  op.callBoxedForDispatchKey(DispatchKey::CompositeImplicitAutograd, stack);
}

void RunBoxed(const OperatorHandle& op, DispatchKeySet, torch::jit::Stack* stack) {
  ServeRepeated(op, *stack, [&] { RunByParts(op, *stack); });
}

// The kernel of a composite whose calls are few and cheap parts: only a call that may be served by an earlier one is
// boxed.
template <typename Op, typename Function>
class Typed;

template <typename Op, typename Result, typename... Arguments>
class Typed<Op, Result(Arguments...)> {
 public:
  using ByParts = Result (*)(Arguments...);

  static void Register(ByParts parts) {
    by_parts = parts;
    RegisterAboveAutograd(Operator(), c10::KernelFunction::makeFromUnboxedRuntimeFunction(&Run));
  }

 private:
  static const OperatorHandle& Operator() {
    static const OperatorHandle op = c10::Dispatcher::singleton().findSchemaOrThrow(Op::name, Op::overload_name);
    return op;
  }

  static Result Run(DispatchKeySet, Arguments... arguments) {
    CallState state;
    (state.Look(arguments), ...);
    if (!state.MayRepeat()) return by_parts(arguments...);
    const OperatorHandle& op = Operator();
    torch::jit::Stack stack = c10::impl::boxArgs<Arguments...>(arguments...);
    RepeatedComposite call(op, stack);
    if (!call.ServeAgain()) call.Run([&] { RunByParts(op, stack); });
    return std::move(stack.back()).toTensor();
  }

  static inline ByParts by_parts = nullptr;
};

template <typename Op>
void RegisterTyped(typename Op::schema* by_parts) {
  Typed<Op, typename Op::schema>::Register(by_parts);
}

void RegisterWithoutKernel(const OperatorHandle& op, c10::KernelFunction kernel) {
  for (const DispatchKey key : {DispatchKey::AutogradCUDA, DispatchKey::AutogradHPU, DispatchKey::AutogradMPS,
           DispatchKey::AutogradMTIA, DispatchKey::AutogradXPU, DispatchKey::AutogradPrivateUse1}) {
    const DispatchKeySet backends = c10::getBackendKeySetFromAutograd(key);
    if (std::none_of(backends.begin(), backends.end(), [&](DispatchKey b) { return op.hasKernelForDispatchKey(b); }))
      Register(op, key, kernel);
  }
}

}  // namespace

void RegisterRepeatedComposites() {
  for (const char* name : kRepeated)
    if (const auto op = c10::Dispatcher::singleton().findSchema(torch::jit::parseName(name)))
      RegisterAboveAutograd(*op, c10::KernelFunction::makeFromBoxedFunction<&RunBoxed>());
  for (const char* name : kRepeatedWithoutKernel)
    if (const auto op = c10::Dispatcher::singleton().findSchema(torch::jit::parseName(name)))
      RegisterWithoutKernel(*op, c10::KernelFunction::makeFromBoxedFunction<&RunBoxed>());
  namespace parts = at::compositeimplicitautograd;
  RegisterTyped<at::_ops::conv1d>(&parts::conv1d_symint);
  RegisterTyped<at::_ops::conv2d>(&parts::conv2d_symint);
  RegisterTyped<at::_ops::conv3d>(&parts::conv3d_symint);
  RegisterTyped<at::_ops::conv_transpose1d>(&parts::conv_transpose1d_symint);
  RegisterTyped<at::_ops::conv_transpose2d_input>(&parts::conv_transpose2d_symint);
  RegisterTyped<at::_ops::conv_transpose3d_input>(&parts::conv_transpose3d_symint);
  RegisterTyped<at::_ops::layer_norm>(&parts::layer_norm_symint);
  RegisterTyped<at::_ops::batch_norm>(&parts::batch_norm);
  RegisterTyped<at::_ops::group_norm>(&parts::group_norm);
  RegisterTyped<at::_ops::linear>(&parts::linear);
  RegisterTyped<at::_ops::max_pool2d>(&parts::max_pool2d);
}

void RegisterAboveAutograd(const OperatorHandle& op, c10::KernelFunction kernel) {
  if (!op.hasKernelForDispatchKey(DispatchKey::CompositeImplicitAutograd)) return;
  // Registered for each key, because a composite kernel comes before one of the alias Autograd. No fake is nested.
  for (const DispatchKey key : c10::getRuntimeDispatchKeySet(DispatchKey::Autograd))
    if (key != DispatchKey::AutogradNestedTensor) Register(op, key, kernel);
}

void Register(const OperatorHandle& op, DispatchKey key, c10::KernelFunction kernel) {
  // Kept until the process ends, as the fallback is.
  static auto* const registrations = new std::vector<c10::RegistrationHandleRAII>;
  registrations->push_back(
      c10::Dispatcher::singleton().registerImpl(op.operator_name(), key, std::move(kernel), std::nullopt,
          /*inferred_function_schema=*/nullptr, "fakeprop"));
}

}  // namespace fakeprop::fake
