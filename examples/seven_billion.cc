// A transformer of seven billion parameters: built, run forward and backward, on a machine that could not hold it.
#include <sys/resource.h>
#include <torch/torch.h>

#include <chrono>
#include <iostream>

#include "fakeprop/fake_tensor_mode.h"

namespace {

constexpr int64_t kWidth = 4096, kHeads = 32, kHidden = 11008, kLayers = 32, kWords = 32000;

struct LayerImpl : torch::nn::Module {
  LayerImpl() {
    const auto plain = [](int64_t in, int64_t out) {
      return torch::nn::Linear(torch::nn::LinearOptions(in, out).bias(false));
    };
    qkv = register_module("qkv", plain(kWidth, 3 * kWidth));
    out = register_module("out", plain(kWidth, kWidth));
    gate = register_module("gate", plain(kWidth, kHidden));
    up = register_module("up", plain(kWidth, kHidden));
    down = register_module("down", plain(kHidden, kWidth));
    norm1 = register_module("norm1", torch::nn::LayerNorm(torch::nn::LayerNormOptions({kWidth})));
    norm2 = register_module("norm2", torch::nn::LayerNorm(torch::nn::LayerNormOptions({kWidth})));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    const int64_t batch = x.size(0), length = x.size(1);
    const auto parts =
        qkv(norm1(x)).view({batch, length, 3, kHeads, kWidth / kHeads}).permute({2, 0, 3, 1, 4}).unbind(0);
    const torch::Tensor attended = torch::scaled_dot_product_attention(parts[0], parts[1], parts[2], {}, 0.0, true);
    const torch::Tensor y = x + out(attended.transpose(1, 2).reshape({batch, length, kWidth}));
    const torch::Tensor z = norm2(y);
    return y + down(torch::silu(gate(z)) * up(z));
  }

  torch::nn::Linear qkv{nullptr}, out{nullptr}, gate{nullptr}, up{nullptr}, down{nullptr};
  torch::nn::LayerNorm norm1{nullptr}, norm2{nullptr};
};
TORCH_MODULE(Layer);

}  // namespace

int main(int argc, char** argv) {
  const auto start = std::chrono::steady_clock::now();
  const torch::Device device(argc > 1 ? argv[1] : "cuda:0");
  const fakeprop::FakeTensorMode mode;
  const fakeprop::FakeModeGuard on(mode);
  torch::nn::Embedding words(kWords, kWidth);
  torch::nn::ModuleList layers;
  for (int64_t i = 0; i < kLayers; ++i) layers->push_back(Layer());
  torch::nn::Linear head(torch::nn::LinearOptions(kWidth, kWords).bias(false));
  words->to(device);
  layers->to(device);
  head->to(device);

  torch::Tensor x = words(torch::zeros({4, 2048}, torch::device(device).dtype(torch::kLong)));
  for (const auto& layer : *layers) x = layer->as<LayerImpl>()->forward(x);
  const torch::Tensor logits = head(x);
  torch::nn::functional::cross_entropy(
      logits.flatten(0, 1), torch::zeros({4 * 2048}, torch::device(device).dtype(torch::kLong)))
      .backward();

  int64_t parameters = 0, with_grad = 0;
  for (const torch::nn::Module* module : {static_cast<torch::nn::Module*>(words.get()),
           static_cast<torch::nn::Module*>(layers.get()), static_cast<torch::nn::Module*>(head.get())}) {
    for (const torch::Tensor& p : module->parameters()) {
      parameters += p.numel();
      with_grad += p.grad().defined() && p.grad().sizes() == p.sizes() ? p.numel() : 0;
    }
  }
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::cout << parameters / 1e9 << " billion parameters, " << with_grad / 1e9 << " billion with a gradient; logits "
            << logits.sizes() << " on " << logits.device() << "\n"
            << seconds << " s, " << usage.ru_maxrss / 1024 << " MB\n";
  return with_grad == parameters ? 0 : 1;
}
