// Converts real tensors to fakes. Source: FakeTensorConverter in torch/_subclasses/fake_tensor.py, MetaConverter in
// torch/_subclasses/meta_utils.py (torch 2.13).
#pragma once

#include <optional>

#include "lib/fake/mode_state.h"
#include "lib/meta/tensor_meta.h"

namespace fakeprop::fake {

// The mode's fake of a tensor, on `device` if one is given. The mode remembers it. Its sizes are numbers, unless the
// options say otherwise.
at::Tensor FromReal(ModeState& mode, const at::Tensor& real, std::optional<c10::Device> device = std::nullopt,
    const FromRealOptions& options = {.static_shapes = true});

// A new fake whose value is known if the literal is a small cpu tensor.
at::Tensor FromLiteral(ModeState& mode, const at::Tensor& literal);

}  // namespace fakeprop::fake
