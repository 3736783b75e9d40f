#include "lib/dispatch/autograd_meta.h"

#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/variable.h>

namespace fakeprop::dispatch {
namespace {

namespace autograd = torch::autograd;

autograd::CreationMeta CreationOf(ViewOrigin origin) {
  switch (origin) {
    case ViewOrigin::kNoGrad: return autograd::CreationMeta::NO_GRAD_MODE;
    case ViewOrigin::kMultiOutput: return autograd::CreationMeta::MULTI_OUTPUT_NODE;
    case ViewOrigin::kPlain: break;
  }
  return autograd::CreationMeta::DEFAULT;
}

}  // namespace

void FollowBase(const at::Tensor& tensor, const at::Tensor& base, ViewOrigin origin) {
  autograd::ViewInfo info(base, /*view_fn=*/nullptr, /*rev_view_fn=*/nullptr);
  autograd::make_variable_differentiable_view(
      tensor, std::move(info), std::nullopt, /*shared_view_info=*/true, CreationOf(origin));
}

ViewOrigin OriginOf(const at::Tensor& view) {
  switch (autograd::impl::get_view_autograd_meta(view)->get_creation_meta()) {
    case autograd::CreationMeta::DEFAULT: return ViewOrigin::kPlain;
    case autograd::CreationMeta::MULTI_OUTPUT_NODE: return ViewOrigin::kMultiOutput;
    default: return ViewOrigin::kNoGrad;
  }
}

void SetHistory(const at::Tensor& tensor, const std::string& message) {
  auto node = c10::make_intrusive<autograd::Error>(message);
  const uint32_t number = node->add_input_metadata(tensor);
  autograd::impl::set_gradient_edge(tensor, {std::move(node), number});
}

}  // namespace fakeprop::dispatch
