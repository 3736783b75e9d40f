#include "lib/fake/one_device.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "fakeprop/fake_tensor_errors.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/dispatch/torch_types.h"
#include "lib/rules/core/common_device.h"

namespace fakeprop::fake {
namespace {

constexpr std::string_view kOnOneDevice[] = {
    "aten::_amp_foreach_non_finite_check_and_unscale_",
    "aten::_convolution",
    "aten::_convolution_mode",
    "aten::_cummax_helper",
    "aten::_cummin_helper",
    "aten::_embedding_bag",
    "aten::_fused_adagrad_",
    "aten::_fused_adam_",
    "aten::_fused_adamw_",
    "aten::_fused_sdp_choice",
    "aten::_fused_sgd_",
    "aten::_padded_dense_to_jagged_forward",
    "aten::batch_norm_backward",
    "aten::conv1d",
    "aten::conv2d",
    "aten::conv3d",
    "aten::conv_transpose1d",
    "aten::conv_transpose2d",
    "aten::conv_transpose3d",
    "aten::convolution",
    "aten::convolution_backward",
    "aten::equal",
    "aten::native_batch_norm_backward",
    "aten::native_dropout_backward",
    "aten::native_layer_norm_backward",
    "aten::nll_loss2d_backward",
    "aten::nll_loss_backward",
    "aten::rrelu_with_noise_backward",
    "aten::split_with_sizes_copy",
};

}  // namespace

bool IsOnOneDevice(const c10::OperatorHandle& op) {
  return std::binary_search(std::begin(kOnOneDevice), std::end(kOnOneDevice), op.operator_name().name);
}

void RequireOneDevice(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  const std::string& name = op.operator_name().name;
  std::optional<c10::Device> first;
  for (const c10::IValue& argument : torch::jit::last(stack, op.schema().arguments().size())) {
    dispatch::ForEachTensor(argument, [&](const at::Tensor& t) {
      if (t.is_meta()) return;
      if (first && *first != t.device())
        throw FakeTensorDeviceMismatch(name, DeviceMismatchText(name, FromTorch(*first), FromTorch(t.device())));
      first = t.device();
    });
  }
}

}  // namespace fakeprop::fake
