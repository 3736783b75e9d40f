// Seventy billion parameters: built, looked at, and made real in part, on a machine that could not hold them.
#include <sys/resource.h>

#include <chrono>
#include <iostream>

#include "examples/llama.h"
#include "fakeprop/deferred_init.h"

int main() {
  torch::manual_seed(0);
  const auto start = std::chrono::steady_clock::now();
  Llama net = fakeprop::DeferredInit([] { return Llama(kSeventyBillion); });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  // A look at it: which tensors there are, and what they would hold.
  int64_t parameters = 0;
  size_t bytes = 0;
  for (const torch::Tensor& p : net->parameters()) {
    parameters += p.numel();
    bytes += p.nbytes();
  }
  std::cout << parameters / 1000000 << " million parameters in " << net->parameters().size() << " tensors, "
            << bytes / 1000000000 << " GB; deferred: " << fakeprop::IsDeferred(*net) << "\n";

  // The norm of one layer, with the numbers that it would have in the whole model.
  const auto layer = net->layers[79]->as<LlamaLayerImpl>();
  fakeprop::MaterializeTensor(layer->norm1);
  std::cout << "layers.79.norm1: deferred " << fakeprop::IsDeferred(layer->norm1) << ", sum "
            << layer->norm1.sum().item<double>() << "; the layer: deferred " << fakeprop::IsDeferred(*layer) << "\n";

  // A few rows of a matrix in the middle. No other number is drawn.
  const torch::Tensor rows =
      fakeprop::MaterializeSlice(net->layers[40]->as<LlamaLayerImpl>()->up->weight, {0, 1000, 4});
  std::cout << "four rows of layers.40.up: " << rows.sizes() << ", within the bounds of its initialisation: "
            << (rows.abs().max().item<double>() <= 1 / std::sqrt(8192.0)) << "\n";

  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  std::cerr << "recorded in " << seconds << " s; at most " << usage.ru_maxrss / 1024 << " MB\n";
  return 0;
}
