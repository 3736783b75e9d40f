// What is the largest batch that this network trains with in 24 GiB? Found with fake tensors alone: no GPU, no memory.
//
// What a step holds is counted where it cannot be wrong: every storage that operators make, as long as it lives.
#include <torch/torch.h>

#include <iostream>
#include <memory>

#include "fakeprop/fake_tensor_mode.h"
#include "fakeprop/live_bytes.h"

namespace {

struct BlockImpl : torch::nn::Module {
  BlockImpl(int64_t in, int64_t out, int64_t stride) {
    conv1 = register_module("conv1", Conv(in, out, 3, stride));
    norm1 = register_module("norm1", torch::nn::BatchNorm2d(out));
    conv2 = register_module("conv2", Conv(out, out, 3, 1));
    norm2 = register_module("norm2", torch::nn::BatchNorm2d(out));
    if (stride != 1 || in != out) shortcut = register_module("shortcut", Conv(in, out, 1, stride));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    torch::Tensor y = torch::relu(norm1(conv1(x)));
    y = norm2(conv2(y));
    return torch::relu(y + (shortcut ? shortcut(x) : x));
  }

  static torch::nn::Conv2d Conv(int64_t in, int64_t out, int64_t kernel, int64_t stride) {
    return torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
  }

  torch::nn::Conv2d conv1{nullptr}, conv2{nullptr}, shortcut{nullptr};
  torch::nn::BatchNorm2d norm1{nullptr}, norm2{nullptr};
};
TORCH_MODULE(Block);

// A ResNet-18.
torch::nn::Sequential MakeNet() {
  torch::nn::Sequential net;
  net->push_back(torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 64, 7).stride(2).padding(3).bias(false)));
  net->push_back(torch::nn::BatchNorm2d(64));
  net->push_back(torch::nn::ReLU());
  net->push_back(torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions(3).stride(2).padding(1)));
  int64_t channels = 64;
  for (int64_t width : {64, 128, 256, 512}) {
    net->push_back(Block(channels, width, width == 64 ? 1 : 2));
    net->push_back(Block(width, width, 1));
    channels = width;
  }
  net->push_back(torch::nn::AdaptiveAvgPool2d(1));
  net->push_back(torch::nn::Flatten());
  net->push_back(torch::nn::Linear(512, 1000));
  return net;
}

// The most bytes that a training step of this batch holds at one time on the device.
int64_t PeakBytes(int64_t batch) {
  const fakeprop::FakeTensorMode mode;
  const fakeprop::FakeModeGuard on(mode);
  const torch::Device device(torch::kCUDA, 0);
  torch::nn::Sequential net = MakeNet();
  net->to(device);
  torch::optim::AdamW optimizer(net->parameters());
  for (int step = 0; step < 2; ++step) {  // the second one has the optimizer's state
    const torch::Tensor images = torch::rand({batch, 3, 224, 224}, device);
    const torch::Tensor labels = torch::zeros({batch}, torch::device(device).dtype(torch::kLong));
    optimizer.zero_grad();
    torch::nn::functional::cross_entropy(net->forward(images), labels).backward();
    optimizer.step();
  }
  return fakeprop::PeakBytes(mode, device);
}

}  // namespace

int main() {
  constexpr int64_t kBudget = int64_t{24} << 30;
  int64_t fits = 0, too_large = 1;
  while (PeakBytes(too_large) <= kBudget) fits = std::exchange(too_large, too_large * 2);
  while (too_large - fits > 1) {
    const int64_t middle = (fits + too_large) / 2;
    (PeakBytes(middle) <= kBudget ? fits : too_large) = middle;
  }
  std::cout << "largest batch in 24 GiB: " << fits << " (" << PeakBytes(fits) / 1e9 << " GB; " << fits + 1
            << " would need " << PeakBytes(fits + 1) / 1e9 << " GB)\n";
}
