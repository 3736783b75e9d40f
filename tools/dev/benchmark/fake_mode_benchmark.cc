// Times operators on bare meta tensors and on the fake tensors of a mode: fake_mode_benchmark prints microseconds a
// call, as lines of JSON. fake_mode_benchmark.py makes a table of them. Arguments: the operators, else all.
#include <torch/torch.h>

#include <cstdio>
#include <ctime>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "fakeprop/fake_tensor_mode.h"
#include "fakeprop/shape_symbols.h"

namespace {

using fakeprop::FakeModeGuard;
using fakeprop::FakeTensorMode;

// Time of the processor, which other programs on the machine do not change much. The fastest of several runs.
double MicrosecondsPerCall(const std::function<void()>& call) {
  constexpr int kRuns = 7, kCalls = 4000;
  for (int i = 0; i < 100; ++i) call();
  double best = 1e30;
  for (int run = 0; run < kRuns; ++run) {
    const std::clock_t start = std::clock();
    for (int i = 0; i < kCalls; ++i) call();
    best = std::min(best, 1e6 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / kCalls);
  }
  return best;
}

// What the calls take, on one device.
struct Inputs {
  explicit Inputs(torch::Device d)
      : device(d),
        square(torch::empty({4, 4}, d)),
        weight(torch::empty({4, 4}, d)),
        bias(torch::empty({4}, d)),
        image(torch::empty({2, 3, 8, 8}, d)),
        filters(torch::empty({4, 3, 3, 3}, d)),
        channels(torch::empty({3}, d)),
        heads(torch::empty({2, 4, 16, 8}, d)),
        indices(torch::empty({6}, torch::device(d).dtype(torch::kLong))),
        table(torch::empty({10, 4}, d)) {}

  const torch::Device device;
  torch::Tensor square, weight, bias, image, filters, channels, heads, indices, table;
};

struct Operator {
  const char* name;
  void (*call)(const Inputs& in);
};
const Operator kOperators[] = {
    {"empty",
        [](const Inputs& in) {
          torch::empty({4, 4}, in.device);
        }},
    {"add", [](const Inputs& in) { in.square.add(in.square); }},
    {"add.number", [](const Inputs& in) { in.square.add(1.5); }},
    {"add_", [](const Inputs& in) { in.square.add_(in.square); }},
    {"relu", [](const Inputs& in) { in.square.relu(); }},
    {"view", [](const Inputs& in) { in.square.view({16}); }},
    {"t", [](const Inputs& in) { in.square.t(); }},
    {"slice", [](const Inputs& in) { in.square.slice(0, 0, 2); }},
    {"matmul", [](const Inputs& in) { in.square.matmul(in.square); }},
    {"linear", [](const Inputs& in) { torch::linear(in.square, in.weight, in.bias); }},
    {"cat",
        [](const Inputs& in) {
          torch::cat({in.square, in.square});
        }},
    {"sum", [](const Inputs& in) { in.square.sum(); }},
    {"softmax", [](const Inputs& in) { in.square.softmax(1); }},
    {"layer_norm", [](const Inputs& in) { torch::layer_norm(in.square, {4}, in.bias, in.bias); }},
    {"conv2d", [](const Inputs& in) { torch::conv2d(in.image, in.filters); }},
    {"batch_norm",
        [](const Inputs& in) {
          torch::batch_norm(in.image, in.channels, in.channels, in.channels, in.channels, true, 0.1, 1e-5, false);
        }},
    {"max_pool2d", [](const Inputs& in) { torch::max_pool2d(in.image, 2); }},
    {"embedding", [](const Inputs& in) { torch::embedding(in.table, in.indices); }},
    {"index_select", [](const Inputs& in) { in.table.index_select(0, in.indices); }},
    {"scaled_dot_product_attention",
        [](const Inputs& in) { torch::scaled_dot_product_attention(in.heads, in.heads, in.heads); }},
    {"quantile", [](const Inputs& in) { in.square.quantile(0.5); }},
    {"one_hot", [](const Inputs& in) { torch::one_hot(in.indices, 10); }},
};

class Report {
 public:
  explicit Report(std::set<std::string> names) : names_(std::move(names)) {}

  // A line for each operator. The time on meta tensors is left out if they do not serve it.
  void Run(const std::string& state, const Inputs& fake, const Inputs& meta) {
    for (const Operator& op : kOperators) {
      if (!names_.empty() && !names_.contains(op.name)) continue;
      const double fake_us = TryTime(op, fake);
      if (fake_us < 0) continue;
      const fakeprop::UnsetFakeTemporarily bare;
      const double meta_us = TryTime(op, meta);
      std::printf(R"({"state": "%s", "operator": "%s", "fake_us": %.3f)", state.c_str(), op.name, fake_us);
      if (meta_us >= 0) std::printf(R"(, "meta_us": %.3f)", meta_us);
      std::printf("}\n");
    }
  }

 private:
  static double TryTime(const Operator& op, const Inputs& in) {
    try {
      return MicrosecondsPerCall([&] { op.call(in); });
    } catch (const c10::Error&) {
      return -1;
    }
  }

  const std::set<std::string> names_;
};

void RequireGrad(Inputs& in) {
  for (torch::Tensor* t : {&in.square, &in.weight, &in.bias, &in.image, &in.filters, &in.heads, &in.table})
    *t = t->detach().requires_grad_().mul(1);
}

void RunSymbolic(Report& report, const Inputs& meta) {
  const FakeTensorMode mode({.shape_env = fakeprop::NewShapeEnv()});
  Inputs fake(torch::kCPU);
  for (torch::Tensor* t :
      {&fake.square, &fake.weight, &fake.bias, &fake.image, &fake.heads, &fake.indices, &fake.table})
    *t = mode.FromRealTensor(*t);
  fake.filters = mode.FromRealTensor(fake.filters, {.static_shapes = true});
  fake.channels = mode.FromRealTensor(fake.channels, {.static_shapes = true});
  const FakeModeGuard on(mode);
  report.Run("symbolic", fake, meta);
}

}  // namespace

int main(int argc, char** argv) {
  torch::set_num_threads(1);
  Report report({argv + 1, argv + argc});
  Inputs meta(torch::kMeta);
  {
    const torch::NoGradGuard no_grad;
    for (const char* device : {"cpu", "cuda"}) {
      const FakeTensorMode mode;
      const FakeModeGuard on(mode);
      const Inputs fake{torch::Device(device)};
      report.Run(device, fake, meta);
    }
    RunSymbolic(report, meta);
  }
  RequireGrad(meta);
  const FakeTensorMode mode;
  const FakeModeGuard on(mode);
  Inputs fake(torch::kCPU);
  RequireGrad(fake);
  report.Run("gradients", fake, meta);
  return 0;
}
