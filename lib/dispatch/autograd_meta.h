// What autograd would have recorded of a tensor, without the calls that it would have recorded.
#pragma once

#include <ATen/core/TensorBody.h>

#include "lib/meta/objects.h"

namespace fakeprop::dispatch {

// Makes `tensor`, which shares `base`'s storage and is unknown to autograd, a differentiable view of it.
void FollowBase(const at::Tensor& tensor, const at::Tensor& base, ViewOrigin origin);

// Makes `tensor` the result of something recorded. A backward pass that gets there is an error with this message.
void SetHistory(const at::Tensor& tensor, const std::string& message);

}  // namespace fakeprop::dispatch
