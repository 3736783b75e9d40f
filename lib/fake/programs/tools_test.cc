// Short programs around models: modules, optimisers, loaders, formulas of their own, threads, files, traces.
#include <torch/csrc/autograd/forward_grad.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/script.h>
#include <torch/torch.h>

#include <map>
#include <sstream>
#include <thread>

#include "lib/fake/programs/same_on_fakes.h"
#include "lib/fake/programs/short_programs.h"

namespace fakeprop::programs {
namespace {

namespace nn = torch::nn;
namespace F = torch::nn::functional;
using torch::Device;
using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// ---- formulas

// Keeps the input alone, and runs the module again in the backward pass.
struct Checkpoint : torch::autograd::Function<Checkpoint> {
  static Tensor forward(AutogradContext* context, const Tensor& x, nn::Sequential* net) {
    const torch::NoGradGuard no_grad;
    context->save_for_backward({x});
    context->saved_data["net"] = reinterpret_cast<int64_t>(net);
    return (*net)->forward(x);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const Tensor x = context->get_saved_variables()[0].detach().requires_grad_();
    auto* net = reinterpret_cast<nn::Sequential*>(context->saved_data["net"].toInt());
    const torch::AutoGradMode on(true);
    torch::autograd::backward({(*net)->forward(x)}, {grads[0]});
    return {x.grad(), Tensor()};
  }
};

void RunCheckpointed(Device device, Trace& trace) {
  nn::Sequential net(nn::Linear(4, 8), nn::GELU(), nn::Linear(8, 4));
  net->to(device);
  const Tensor x = torch::randn({2, 4}, On(device)).requires_grad_();
  Checkpoint::apply(x, &net).sum().backward();
  trace.Note("x", x.grad());
  trace.NoteModule("net", *net);
}

TEST(Tools, Checkpoints) { ExpectSameOnFakes(RunCheckpointed); }

// A fixed point, whose gradient is one as well.
struct FixedPoint : torch::autograd::Function<FixedPoint> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight) {
    Tensor z = torch::zeros_like(x);
    for (int i = 0; i < 4; ++i) z = torch::tanh(z.mm(weight) + x);
    context->save_for_backward({z, x, weight});
    return z;
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto saved = context->get_saved_variables();
    const torch::AutoGradMode on(true);
    const Tensor z = saved[0].detach().requires_grad_(), x = saved[1].detach().requires_grad_();
    const Tensor weight = saved[2].detach().requires_grad_(), f = torch::tanh(z.mm(weight) + x);
    Tensor u = grads[0];
    for (int i = 0; i < 3; ++i) u = grads[0] + torch::autograd::grad({f}, {z}, {u}, true)[0];
    return torch::autograd::grad({f}, {x, weight}, {u});
  }
};

void FindFixedPoint(Device device, Trace& trace) {
  const Tensor x = torch::randn({2, 4}, On(device)).requires_grad_();
  const Tensor weight = torch::randn({4, 4}, On(device)).mul_(0.1).requires_grad_();
  FixedPoint::apply(x, weight).norm().backward();
  trace.Note("x", x.grad());
  trace.Note("weight", weight.grad());
}

TEST(Tools, FixedPoints) { ExpectSameOnFakes(FindFixedPoint); }

struct Threshold : torch::autograd::Function<Threshold> {
  static Tensor forward(AutogradContext* context, const Tensor& x, double threshold) {
    context->save_for_backward({x});
    return (x > threshold).to(x.scalar_type());
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const Tensor near = context->get_saved_variables()[0].abs() < 1;
    return {grads[0] * near.to(grads[0].scalar_type()), Tensor()};
  }
};

void HookGradients(Device device, Trace& trace) {
  nn::Linear first(4, 4), second(4, 2);
  MoveAll({first.ptr(), second.ptr()}, device);
  const Tensor x = torch::randn({3, 4}, On(device)).requires_grad_(), h = first(x);
  h.retain_grad();
  const auto hook = h.register_hook([&](const Tensor& grad) { return trace.Note("hooked", grad) * 2; });
  first->weight.register_hook([&](const Tensor& grad) { trace.Note("weight", grad); });
  const Tensor loss = second(Threshold::apply(h, 0.5)).sum();
  loss.backward({}, /*retain_graph=*/true);
  h.remove_hook(hook);
  loss.backward();
  trace.Note("h", h.grad());
  const auto slopes = torch::autograd::grad({first(x).sin().sum()}, {x, first->weight}, {}, true, true);
  const Tensor curved = slopes[0].pow(2).sum() + slopes[1].pow(2).sum();
  for (const Tensor& t : torch::autograd::grad({curved}, {x, first->weight})) trace.Note("second", t);
}

TEST(Tools, Hooks) { ExpectSameOnFakes(HookGradients); }

void PushForward(Device device, Trace& trace) {
  namespace forward_ad = torch::autograd::forward_ad;
  const Tensor x = torch::randn({3, 4}, On(device)), direction = torch::randn({3, 4}, On(device));
  const auto level = static_cast<int64_t>(forward_ad::enter_dual_level());
  {
    const Tensor dual = torch::_make_dual(x, direction, level);
    const auto tangent = [&](const Tensor& t) { return std::get<1>(torch::_unpack_dual(t, level)); };
    trace.Note("products", tangent((dual.sin() * dual).matmul(torch::randn({4, 2}, On(device))).softmax(1)));
    trace.Note("norm", tangent(torch::layer_norm(dual, {4})));
    trace.Note("convolution", tangent(torch::conv1d(dual.unsqueeze(1), torch::randn({2, 1, 3}, On(device)))));
  }
  forward_ad::exit_dual_level(static_cast<uint64_t>(level));
}

TEST(Tools, ForwardDerivatives) { ExpectSameOnFakes(PushForward); }

void LearnRates(Device device, Trace& trace) {
  const Tensor rate = torch::tensor(0.1, On(device).dtype(torch::kFloat)).requires_grad_();
  const Tensor start = torch::randn({3, 2}, On(device)).requires_grad_();
  Tensor weight = start;
  for (int i = 0; i < 3; ++i) {
    const Tensor loss = torch::randn({4, 3}, On(device)).mm(weight).pow(2).mean();
    weight = weight - rate * torch::autograd::grad({loss}, {weight}, {}, true, /*create_graph=*/true)[0];
  }
  const Tensor loss = torch::randn({4, 3}, On(device)).mm(weight).abs().mean();
  for (const Tensor& t : torch::autograd::grad({loss}, {rate, start})) trace.Note("gradient", t);
  const Tensor p = torch::randn({4}, On(device)).requires_grad_();
  const Tensor slope = torch::autograd::grad({torch::tanh(p).prod()}, {p}, {}, true, /*create_graph=*/true)[0];
  std::vector<Tensor> rows;
  for (int64_t i = 0; i < 4; ++i) rows.push_back(torch::autograd::grad({slope[i]}, {p}, {}, true)[0]);
  trace.Note("hessian", torch::stack(rows));
}

TEST(Tools, GradientsOfSteps) { ExpectSameOnFakes(LearnRates); }

// ---- modules and optimisers

struct NetImpl : nn::Cloneable<NetImpl> {
  NetImpl() { reset(); }
  void reset() override {
    linear = register_module("linear", nn::Linear(4, 4));
    norm = register_module("norm", nn::BatchNorm1d(4));
    scale = register_parameter("scale", torch::ones({4}));
    offsets = register_buffer("offsets", torch::arange(4));
  }
  Tensor forward(const Tensor& x) { return norm(linear(x)) * scale + offsets; }

  nn::Linear linear{nullptr};
  nn::BatchNorm1d norm{nullptr};
  Tensor scale, offsets;
};
TORCH_MODULE(Net);

void CopyModules(Device device, Trace& trace) {
  Net net;
  net->apply([](nn::Module& module) {
    if (auto* linear = module.as<nn::Linear>()) nn::init::xavier_normal_(linear->weight);
  });
  const auto copy = std::dynamic_pointer_cast<NetImpl>(net->clone(device));
  copy->forward(torch::randn({3, 4}, On(device))).sum().backward();
  trace.NoteModule("copy", *copy);
  copy->zero_grad();
  copy->to(torch::kDouble);
  for (Tensor& p : copy->linear->parameters()) p.set_requires_grad(false);
  copy->forward(torch::randn({3, 4}, On(device).dtype(torch::kDouble))).sum().backward();
  const Tensor all = nn::utils::parameters_to_vector(copy->parameters());
  nn::utils::vector_to_parameters(all * 0.5, copy->parameters());
  trace.NoteModule("doubles", *copy);
  const Tensor weight = torch::empty({6, 4}, On(device));
  nn::init::orthogonal_(weight);
  nn::init::kaiming_uniform_(weight, 2.0);
  trace.Note("weight", weight);
}

TEST(Tools, CopiesOfModules) { ExpectSameOnFakes(CopyModules, {.allow_non_fake_inputs = true}); }

struct LionOptions : torch::optim::OptimizerCloneableOptions<LionOptions> {
  double get_lr() const override { return rate; }
  void set_lr(const double to) override { rate = to; }
  double rate = 1e-3;
};

// Steps by the signs of averages.
class Lion : public torch::optim::Optimizer {
 public:
  explicit Lion(std::vector<Tensor> parameters)
      : Optimizer({torch::optim::OptimizerParamGroup(std::move(parameters))}, std::make_unique<LionOptions>()) {}
  using Optimizer::step;
  Tensor step(LossClosure closure) override {
    const torch::NoGradGuard no_grad;
    Tensor loss;
    if (closure) {
      const torch::AutoGradMode on(true);
      loss = closure();
    }
    for (auto& group : param_groups())
      for (const Tensor& p : group.params()) Step(p, group.options().get_lr());
    return loss;
  }

 private:
  void Step(const Tensor& p, double rate) {
    Tensor& average = averages_[p.unsafeGetTensorImpl()];
    if (!average.defined()) average = torch::zeros_like(p);
    p.add_(average.mul(0.9).add(p.grad(), 0.1).sign_(), -rate);
    average.mul_(0.99).add_(p.grad(), 0.01);
  }
  std::map<void*, Tensor> averages_;
};

void StepBySigns(Device device, Trace& trace) {
  nn::Linear net(5, 3);
  net->to(device);
  Lion optimizer(net->parameters());
  for (int i = 0; i < 2; ++i) {
    trace.Note("loss", optimizer.step([&] {
      optimizer.zero_grad();
      Tensor loss = net(torch::randn({2, 5}, On(device))).pow(2).mean();
      loss.backward();
      return loss;
    }));
  }
  trace.NoteModule("net", *net);
}

TEST(Tools, OptimisersOfPrograms) { ExpectSameOnFakes(StepBySigns); }

void AverageModels(Device device, Trace& trace) {
  const auto build = [&] {
    nn::Sequential net(nn::Linear(4, 4), nn::BatchNorm1d(4));
    net->to(device);
    return net;
  };
  nn::Sequential net = build(), average = build(), loaded = build();
  torch::optim::Adam optimizer(net->parameters(), 0.1);
  for (int i = 1; i < 3; ++i) {
    optimizer.zero_grad();
    net->forward(torch::randn({5, 4}, On(device))).pow(2).sum().backward();
    optimizer.step();
    const torch::NoGradGuard no_grad;
    const auto now = net->named_parameters();
    for (auto& p : average->named_parameters()) p.value().lerp_(now[p.key()], 1.0 / i);
  }
  torch::serialize::OutputArchive out;
  average->save(out);
  std::stringstream file;
  out.save_to(file);
  torch::serialize::InputArchive in;
  in.load_from(file, device);
  loaded->load(in);
  trace.NoteModule("loaded", *loaded);
  loaded->parameters()[0].set_data(torch::stack({net->parameters()[0], average->parameters()[0]}).mean(0));
  trace.NoteModule("joined", *loaded);
}

TEST(Tools, AveragesAndArchives) { ExpectSameOnFakes(AverageModels); }

// ---- around them

struct Waves : torch::data::datasets::Dataset<Waves> {
  torch::data::Example<> get(size_t i) override {
    const auto row = static_cast<int64_t>(i);
    return {x[row].clone(), y[row]};
  }
  std::optional<size_t> size() const override { return x.size(0); }
  Tensor x = torch::randn({20, 8}), y = torch::randint(3, {20}, torch::kLong);
};

void LoadInThreads(Device device, Trace& trace) {
  using Example = torch::data::Example<>;
  const auto jitter = [](const Example& e) { return Example(e.data * 2 + torch::randn_like(e.data), e.target); };
  auto waves = Waves().map(torch::data::transforms::Lambda<Example>(jitter)).map(torch::data::transforms::Stack<>());
  const auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      std::move(waves), torch::data::DataLoaderOptions().batch_size(5).workers(2).enforce_ordering(true));
  nn::Linear net(8, 3);
  net->to(device);
  for (const Example& batch : *loader) {
    const Tensor loss = F::cross_entropy(net(batch.data.to(device)), batch.target.to(device));
    loss.backward();
    trace.Note("loss", loss);
    trace.Note("data", batch.data);
  }
}

TEST(Tools, LoadersWithThreads) { ExpectSameOnFakes(LoadInThreads, {.allow_non_fake_inputs = true}); }

void DeriveInThreads(Device device, Trace& trace) {
  nn::Linear net(4, 2);
  net->to(device);
  const Tensor x = torch::randn({3, 4}, On(device));
  std::vector<Tensor> gradients(3);
  std::vector<std::thread> threads;
  for (Tensor& gradient : gradients) {
    threads.emplace_back([&] {
      const Tensor weight = net->weight.detach().requires_grad_();
      gradient = torch::autograd::grad({x.mm(weight.t()).sum()}, {weight})[0];
    });
  }
  for (std::thread& thread : threads) thread.join();
  trace.Note("mean", torch::stack(gradients).mean(0));
}

TEST(Tools, Threads) { ExpectSameOnFakes(DeriveInThreads); }

void ReadBlobs(Device device, Trace& trace) {
  std::vector<float> pixels(12, 1);
  std::vector<int64_t> labels{1, 0, 1};
  nn::Linear net(4, 2);
  net->to(device);
  const Tensor x = torch::from_blob(pixels.data(), {3, 4}).clone().to(device);
  F::cross_entropy(net(x), torch::from_blob(labels.data(), {3}, torch::kLong).to(device)).backward();
  trace.NoteModule("net", *net);
  const Tensor image = torch::from_blob(pixels.data(), {1, 2, 2, 3}).permute({0, 3, 1, 2});
  trace.Note("image", image.to(device, torch::kHalf).contiguous().sub_(0.5).div_(0.25));
}

TEST(Tools, DataOfThePrograms) { ExpectSameOnFakes(ReadBlobs, {.allow_non_fake_inputs = true}); }

void TraceAndRun(Device device, Trace& trace) {
  const torch::NoGradGuard no_grad;
  nn::Linear net(4, 2);
  net->to(device);
  for (Tensor& p : net->parameters()) p.set_requires_grad(false);
  const auto [state, results] = torch::jit::tracer::trace(
      {torch::randn({3, 4}, On(device))},
      [&](torch::jit::Stack inputs) { return torch::jit::Stack{torch::relu(net(inputs[0].toTensor()))}; },
      [](const torch::autograd::Variable&) { return ""; });
  torch::jit::GraphFunction traced("traced", state->graph, nullptr);
  torch::jit::Stack stack{torch::randn({5, 4}, On(device))};
  traced.run(stack);
  trace.Note("out", stack[0].toTensor());
}

TEST(Tools, Traces) { ExpectSameOnFakes(TraceAndRun); }

}  // namespace
}  // namespace fakeprop::programs
