// Gives tensors the autograd metadata that recorded calls would have given them.
#pragma once

#include <ATen/core/TensorBody.h>

#include "lib/meta/objects.h"

namespace fakeprop::dispatch {

// Makes `tensor` a differentiable view of `base`. It shares the storage of `base`, and autograd does not know it yet.
void FollowBase(const at::Tensor& tensor, const at::Tensor& base, ViewOrigin origin);

// How this view, which autograd follows, was made.
ViewOrigin OriginOf(const at::Tensor& view);

// Makes `tensor` the result of a recorded operator. A backward pass that reaches it is an error with this message.
void SetHistory(const at::Tensor& tensor, const std::string& message);

}  // namespace fakeprop::dispatch
