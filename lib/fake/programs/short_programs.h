// What short programs share.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <vector>

namespace fakeprop::programs {

inline torch::TensorOptions On(torch::Device device) { return torch::device(device); }
inline torch::TensorOptions Longs(torch::Device device) { return torch::device(device).dtype(torch::kLong); }
inline torch::TensorOptions Bools(torch::Device device) { return torch::device(device).dtype(torch::kBool); }

using Modules = std::vector<std::shared_ptr<torch::nn::Module>>;

// Moves them to the device, and returns their parameters.
inline std::vector<torch::Tensor> MoveAll(const Modules& modules, torch::Device device) {
  std::vector<torch::Tensor> parameters;
  for (const auto& module : modules) {
    module->to(device);
    for (const torch::Tensor& p : module->parameters()) parameters.push_back(p);
  }
  return parameters;
}

}  // namespace fakeprop::programs
