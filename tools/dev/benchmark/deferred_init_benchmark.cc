// Costs of deferred initialisation: for each operator, for a model of seventy billion parameters, for a slice.
#include <sys/resource.h>

#include <ctime>
#include <iostream>

#include "examples/llama.h"
#include "fakeprop/deferred_init.h"

namespace {

// Time of the processor, which other programs on the machine do not change.
struct Clock {
  static std::clock_t now() { return std::clock(); }
};
double SecondsSince(std::clock_t start) { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; }

int64_t PeakMegabytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

void Chain(const torch::Tensor& t, int count) {
  for (int i = 0; i < count; ++i) t.add_(1);
}

void MeasureOperators() {
  constexpr int kCount = 100000;
  const torch::NoGradGuard no_grad;
  const torch::Tensor real = torch::zeros({4});
  auto start = Clock::now();
  Chain(real, kCount);
  const double eager = SecondsSince(start);
  torch::Tensor deferred;
  start = Clock::now();
  fakeprop::DeferredInit([&] {
    Chain(deferred = torch::zeros({4}), kCount);
    return 0;
  });
  const double recorded = SecondsSince(start);
  start = Clock::now();
  fakeprop::MaterializeTensor(deferred);
  const double replayed = SecondsSince(start);
  start = Clock::now();
  fakeprop::DeferredInit([&] {
    for (int i = 0; i < kCount; ++i) deferred = torch::empty({4}).uniform_();
    return 0;
  });
  const double random = SecondsSince(start);
  std::cout << "add_ of 4 elements: eager " << 1e6 * eager / kCount << " us, recorded " << 1e6 * recorded / kCount
            << " us, replayed " << 1e6 * replayed / kCount << " us; empty and uniform_: recorded "
            << 1e6 * random / kCount / 2 << " us each\n";
}

void MeasureSeventyBillion() {
  const int64_t before = PeakMegabytes();
  torch::manual_seed(0);
  auto start = Clock::now();
  Llama net = fakeprop::DeferredInit([] { return Llama(kSeventyBillion); });
  std::cout << "seventy billion parameters: recorded in " << SecondsSince(start) << " s, " << PeakMegabytes() - before
            << " MB\n";
  start = Clock::now();
  fakeprop::MaterializeSlice(net->layers[70]->as<LlamaLayerImpl>()->q->weight, {0, 0, 8});
  std::cout << "first slice of layer 70: " << SecondsSince(start) << " s\n";
  start = Clock::now();
  fakeprop::MaterializeTensor(net->layers[71]->as<LlamaLayerImpl>()->k->weight);
  std::cout << "k of layer 71 (8 million numbers): " << SecondsSince(start) << " s\n";
}

void MeasureSlice() {
  torch::manual_seed(0);
  const int64_t before = PeakMegabytes();
  torch::nn::Embedding net = fakeprop::DeferredInit([] { return torch::nn::Embedding(1 << 18, 1 << 12); });
  const auto start = Clock::now();
  const torch::Tensor part = fakeprop::MaterializeSlice(net->weight, {0, 3 << 15, 1 << 15});
  std::cout << "an eighth of an embedding of 4 GB: " << SecondsSince(start) << " s, peak of the process "
            << PeakMegabytes() << " MB, " << before << " MB of them before\n";
}

}  // namespace

int main() {
  torch::set_num_threads(1);
  MeasureSlice();
  MeasureSeventyBillion();
  MeasureOperators();
  return 0;
}
