// A layer on a GPU that is not there.
#include <torch/torch.h>

#include <iostream>

#include "fakeprop/fake_tensor_mode.h"

int main() {
  const fakeprop::FakeTensorMode mode;
  const fakeprop::FakeModeGuard on(mode);
  torch::nn::Linear layer(4096, 1024);
  layer->to(torch::kCUDA);
  const at::Tensor y = layer->forward(torch::rand({64, 4096}, torch::kCUDA));
  std::cout << y.sizes() << " on " << y.device() << "\n";
}
