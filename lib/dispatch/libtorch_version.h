// The version of the LibTorch that is linked.
#pragma once

#include <torch/headeronly/version.h>

namespace fakeprop::dispatch {

inline constexpr int kLibTorch = TORCH_VERSION_MINOR;

}  // namespace fakeprop::dispatch
