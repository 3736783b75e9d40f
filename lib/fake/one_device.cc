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
    "aten::_convolution",
    "aten::_convolution_mode",
    "aten::_embedding_bag",
    "aten::batch_norm_backward",
    "aten::conv1d",
    "aten::conv2d",
    "aten::conv3d",
    "aten::conv_transpose1d",
    "aten::conv_transpose2d",
    "aten::conv_transpose3d",
    "aten::convolution",
    "aten::convolution_backward",
    "aten::native_batch_norm_backward",
    "aten::native_dropout_backward",
    "aten::native_layer_norm_backward",
    "aten::nll_loss2d_backward",
    "aten::nll_loss_backward",
    "aten::rrelu_with_noise_backward",
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
