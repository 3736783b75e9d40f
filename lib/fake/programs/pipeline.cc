// A model that does not fit on one card.
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <deque>
#include <memory>
#include <sstream>

#include "lib/fake/programs/programs.h"

namespace fakeprop::programs {
namespace {

namespace nn = torch::nn;
using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Options {
  int64_t words = 50, width = 32, heads = 4, layers = 4, steps = 10;
};

// Scales by the root of the mean square.
struct RmsNormImpl : nn::Module {
  explicit RmsNormImpl(int64_t width) : weight(register_parameter("weight", torch::ones({width}))) {}

  Tensor forward(const Tensor& x) { return x * torch::rsqrt(x.pow(2).mean(-1, /*keepdim=*/true) + 1e-6) * weight; }

  Tensor weight;
};
TORCH_MODULE(RmsNorm);

struct BlockImpl : nn::Module {
  explicit BlockImpl(const Options& o)
      : heads(o.heads),
        norm1(register_module("norm1", RmsNorm(o.width))),
        norm2(register_module("norm2", RmsNorm(o.width))),
        qkv(register_module("qkv", nn::Linear(nn::LinearOptions(o.width, 3 * o.width).bias(false)))),
        projection(register_module("projection", nn::Linear(o.width, o.width))),
        gate(register_module("gate", nn::Linear(o.width, 2 * o.width))),
        up(register_module("up", nn::Linear(o.width, 2 * o.width))),
        down(register_module("down", nn::Linear(2 * o.width, o.width))) {}

  Tensor forward(const Tensor& x) {
    const Tensor attended = x + Attend(norm1(x));
    const Tensor normed = norm2(attended);
    return attended + down(torch::silu(gate(normed)) * up(normed));
  }

  const int64_t heads;
  RmsNorm norm1, norm2;
  nn::Linear qkv, projection, gate, up, down;

 private:
  Tensor Attend(const Tensor& x) {
    const auto parts = qkv(x).view({x.size(0), x.size(1), 3, heads, -1}).permute({2, 0, 3, 1, 4}).unbind(0);
    const Tensor mixed = torch::scaled_dot_product_attention(parts[0], parts[1], parts[2], {}, 0.0, /*is_causal=*/true);
    return projection(mixed.transpose(1, 2).reshape(x.sizes()));
  }
};
TORCH_MODULE(Block);

// Runs a block again in the backward pass instead of keeping what is inside.
class Checkpoint : public torch::autograd::Function<Checkpoint> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, BlockImpl* block) {
    context->saved_data["block"] = reinterpret_cast<int64_t>(block);
    context->save_for_backward({x});
    const torch::NoGradGuard no_grad;
    return block->forward(x);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    auto* block = reinterpret_cast<BlockImpl*>(context->saved_data["block"].toInt());
    const Tensor x = context->get_saved_variables()[0].detach().requires_grad_();
    const torch::AutoGradMode with_grad(true);
    const Tensor y = block->forward(x);
    std::vector<Tensor> inputs{x};
    for (const Tensor& p : block->parameters()) inputs.push_back(p);
    const auto found = torch::autograd::grad({y}, inputs, gradients);
    for (size_t i = 1; i < inputs.size(); ++i) Accumulate(inputs[i], found[i]);
    return {found[0], Tensor()};
  }

 private:
  static void Accumulate(const Tensor& parameter, const Tensor& gradient) {
    Tensor& sum = parameter.mutable_grad();
    sum = sum.defined() ? sum + gradient : gradient;
  }
};

// The first half: words to vectors.
struct FrontImpl : nn::Module {
  explicit FrontImpl(const Options& o)
      : words(register_module("words", nn::Embedding(o.words, o.width))),
        places(register_module("places", nn::Embedding(o.steps, o.width))) {
    for (int64_t i = 0; i < o.layers / 2; ++i) blocks.push_back(register_module("block" + std::to_string(i), Block(o)));
  }

  Tensor forward(const Tensor& tokens) {
    const Tensor steps = torch::arange(tokens.size(1), tokens.options());
    Tensor x = words(tokens) + places(steps);
    for (Block& block : blocks) x = block(x);
    return x;
  }

  nn::Embedding words, places;
  std::vector<Block> blocks;
};
TORCH_MODULE(Front);

// The second half: vectors to a loss.
struct BackImpl : nn::Module {
  explicit BackImpl(const Options& o)
      : norm(register_module("norm", RmsNorm(o.width))), head(register_module("head", nn::Linear(o.width, o.words))) {
    for (int64_t i = 0; i < o.layers / 2; ++i) blocks.push_back(register_module("block" + std::to_string(i), Block(o)));
  }

  Tensor forward(Tensor x) {
    for (Block& block : blocks) x = Checkpoint::apply(x, block.get());
    return head(norm(x));
  }

  RmsNorm norm;
  nn::Linear head;
  std::vector<Block> blocks;
};
TORCH_MODULE(Back);

struct Micro {
  Tensor tokens, targets;
};

class Pipeline {
 public:
  Pipeline(const Options& options, torch::Device first, torch::Device second, Trace& trace)
      : first_(first), second_(second), trace_(trace), front_(options), back_(options) {
    front_->to(first_);
    back_->to(second_);
  }

  std::vector<Tensor> parameters() const {
    std::vector<Tensor> all = front_->parameters();
    for (const Tensor& p : back_->parameters()) all.push_back(p);
    return all;
  }

  // One forward, one backward: at most two micro-batches are under way.
  Tensor Step(const std::vector<Micro>& batches) {
    Tensor total = torch::zeros({}, second_);
    std::deque<Tensor> losses;
    for (const Micro& micro : batches) {
      losses.push_back(Forward(micro) / static_cast<double>(batches.size()));
      if (losses.size() < 2) continue;
      Backward(losses, total);
    }
    while (!losses.empty()) Backward(losses, total);
    return total;
  }

  Tensor Generate(Tensor tokens, int64_t count) {
    const torch::NoGradGuard no_grad;
    for (int64_t i = 0; i < count; ++i) {
      const Tensor logits = back_(front_(tokens.to(first_)).to(second_)).select(1, -1);
      const Tensor next = torch::multinomial((logits / 0.8).softmax(1), 1);
      tokens = torch::cat({tokens, next.to(tokens.device())}, 1);
    }
    return tokens;
  }

  // The mean over all words, for texts that the model has not seen.
  Tensor Perplexity(const std::vector<Micro>& batches) {
    const torch::NoGradGuard no_grad;
    std::vector<Tensor> losses;
    for (const Micro& micro : batches) losses.push_back(Forward(micro));
    return torch::stack(losses).mean().exp();
  }

  // A file for each card.
  void Save(std::stringstream& front, std::stringstream& back) const {
    torch::save(front_, front);
    torch::save(back_, back);
  }
  void Load(std::stringstream& front, std::stringstream& back) {
    torch::load(front_, front, first_);
    torch::load(back_, back, second_);
  }

  void Note() const {
    trace_.NoteModule("front", *front_);
    trace_.NoteModule("back", *back_);
  }

 private:
  Tensor Forward(const Micro& micro) {
    const Tensor hidden = trace_.Note("hidden", front_(micro.tokens.to(first_)));
    const Tensor moved = hidden.to(second_, /*non_blocking=*/true);
    const Tensor logits = trace_.Note("logits", back_(moved));
    return torch::cross_entropy_loss(logits.flatten(0, 1), micro.targets.to(second_).flatten());
  }

  static void Backward(std::deque<Tensor>& losses, Tensor& total) {
    losses.front().backward();
    total += losses.front().detach();
    losses.pop_front();
  }

  const torch::Device first_, second_;
  Trace& trace_;
  Front front_;
  Back back_;
};

// Weights in 32 bits, and their average over time on the first card.
class Average {
 public:
  Average(const std::vector<Tensor>& parameters, torch::Device device) {
    for (const Tensor& p : parameters) averages_.push_back(p.detach().to(device, torch::kFloat, false, /*copy=*/true));
  }

  void Update(const std::vector<Tensor>& parameters, double decay) {
    const torch::NoGradGuard no_grad;
    for (size_t i = 0; i < parameters.size(); ++i)
      averages_[i].lerp_(parameters[i].to(averages_[i].device()), 1 - decay);
  }

  const std::vector<Tensor>& averages() const { return averages_; }

 private:
  std::vector<Tensor> averages_;
};

// Gradients of two cards have one norm.
Tensor ClipTogether(const std::vector<Tensor>& parameters, double limit, torch::Device device) {
  std::vector<Tensor> norms;
  for (const Tensor& p : parameters)
    if (p.grad().defined()) norms.push_back(p.grad().norm().to(device));
  const Tensor norm = torch::stack(norms).norm();
  const Tensor factor = (limit / (norm + 1e-6)).clamp_max(1);
  for (const Tensor& p : parameters)
    if (p.grad().defined()) p.grad().mul_(factor.to(p.grad().device()));
  return norm;
}

// Words of one long text, in windows that overlap.
class Windows : public torch::data::datasets::Dataset<Windows> {
 public:
  Windows(Tensor text, int64_t steps) : text_(std::move(text)), steps_(steps) {}

  torch::data::Example<> get(size_t i) override {
    const auto from = static_cast<int64_t>(i) * steps_ / 2;
    return {text_.slice(0, from, from + steps_), text_.slice(0, from + 1, from + steps_ + 1)};
  }
  std::optional<size_t> size() const override { return (text_.size(0) - 1 - steps_) / (steps_ / 2) + 1; }

 private:
  const Tensor text_;
  const int64_t steps_;
};

std::vector<Micro> TestBatches(const Options& options) {
  const Tensor text = torch::randint(options.words, {61}, torch::kLong);
  auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      Windows(text, options.steps).map(torch::data::transforms::Stack<>()),
      torch::data::DataLoaderOptions(4).drop_last(true));
  std::vector<Micro> batches;
  for (const auto& batch : *loader) batches.push_back({batch.data, batch.target});
  return batches;
}

// Matrices decay, all else does not.
std::vector<torch::optim::OptimizerParamGroup> Groups(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> decaying, others;
  for (const Tensor& p : parameters) (p.dim() > 1 ? decaying : others).push_back(p);
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.emplace_back(
      decaying, std::make_unique<torch::optim::AdamWOptions>(torch::optim::AdamWOptions(1e-3).weight_decay(0.1)));
  groups.emplace_back(
      others, std::make_unique<torch::optim::AdamWOptions>(torch::optim::AdamWOptions(1e-3).weight_decay(0)));
  return groups;
}

double RateAt(int step) { return 1e-3 * std::min((step + 1) / 2.0, std::sqrt(2.0 / (step + 1))); }

std::vector<Micro> NextBatches(const Options& options, int64_t count, int64_t size) {
  const Tensor tokens = torch::randint(options.words, {count * size, options.steps + 1}, torch::kLong);
  std::vector<Micro> batches;
  for (const Tensor& micro : tokens.chunk(count))
    batches.push_back({micro.slice(1, 0, options.steps), micro.slice(1, 1)});
  return batches;
}

}  // namespace

void TrainPipeline(torch::Device first, torch::Device second, Trace& trace) {
  const Options options;
  Pipeline pipeline(options, first, second, trace);
  torch::optim::AdamW optimizer(Groups(pipeline.parameters()));
  Average average(pipeline.parameters(), first);
  for (int step = 0; step < 2; ++step) {
    optimizer.zero_grad();
    for (auto& group : optimizer.param_groups()) group.options().set_lr(RateAt(step));
    trace.Note("loss", pipeline.Step(NextBatches(options, 3, 2)));
    trace.Note("norm", ClipTogether(pipeline.parameters(), 1.0, first));
    optimizer.step();
    average.Update(pipeline.parameters(), 0.99);
  }
  pipeline.Note();
  std::stringstream front, back;
  pipeline.Save(front, back);
  Pipeline loaded(options, first, second, trace);
  loaded.Load(front, back);
  trace.Note("perplexity", loaded.Perplexity(TestBatches(options)));
  loaded.Note();
  for (const Tensor& a : average.averages()) trace.Note("average", a);
  trace.Note("generated", pipeline.Generate(torch::randint(options.words, {2, 3}, torch::kLong), 4));
}

}  // namespace fakeprop::programs
