// A language model that does not know how many sentences of what length it gets.
#include <cmath>
#include <memory>
#include <sstream>

#include "lib/fake/programs/programs.h"

namespace fakeprop::programs {
namespace {

namespace nn = torch::nn;
using torch::Tensor;

struct Options {
  int64_t words = 60, width = 32, heads = 4, layers = 2, longest = 64;
  double dropout = 0.1;
};

// Turns pairs of channels by an angle that grows with the place.
class Rotation {
 public:
  Rotation(int64_t channels, const Tensor& places) {
    const Tensor rates =
        torch::pow(10000.0, -torch::arange(0, channels, 2, places.device()).to(torch::kFloat) / channels);
    const Tensor angles = torch::outer(places.to(torch::kFloat), rates);
    cos_ = torch::cat({angles, angles}, -1).cos();
    sin_ = torch::cat({angles, angles}, -1).sin();
  }

  Tensor operator()(const Tensor& x) const {
    const auto halves = x.chunk(2, -1);
    return x * cos_ + torch::cat({-halves[1], halves[0]}, -1) * sin_;
  }

 private:
  Tensor cos_, sin_;
};

struct AttentionImpl : nn::Module {
  explicit AttentionImpl(const Options& o)
      : options(o),
        query(register_module("query", nn::Linear(o.width, o.width))),
        key(register_module("key", nn::Linear(o.width, o.width / 2))),
        value(register_module("value", nn::Linear(o.width, o.width / 2))),
        output(register_module("output", nn::Linear(o.width, o.width))) {}

  // Two queries share a key.
  Tensor forward(const Tensor& x, const Tensor& mask, const Rotation& rotation) {
    const int64_t channels = options.width / options.heads;
    const Tensor q = rotation(Split(query(x), options.heads)), k = rotation(Split(key(x), options.heads / 2));
    const Tensor keys = k.repeat_interleave(2, 1), values = Split(value(x), options.heads / 2).repeat_interleave(2, 1);
    Tensor scores = torch::matmul(q, keys.transpose(-2, -1)) / std::sqrt(static_cast<double>(channels));
    scores = scores.masked_fill(mask.logical_not(), -INFINITY);
    const Tensor weights = torch::dropout(scores.softmax(-1), options.dropout, is_training());
    return output(torch::matmul(weights, values).transpose(1, 2).flatten(2));
  }

  const Options options;
  nn::Linear query, key, value, output;

 private:
  static Tensor Split(const Tensor& x, int64_t heads) { return x.unflatten(-1, {heads, -1}).transpose(1, 2); }
};
TORCH_MODULE(Attention);

// A mixture of experts of which each word takes the weighted best one, computed densely.
struct ExpertsImpl : nn::Module {
  ExpertsImpl(const Options& o, int64_t count)
      : router(register_module("router", nn::Linear(o.width, count))),
        up(register_parameter("up", torch::empty({count, o.width, 2 * o.width}))),
        down(register_parameter("down", torch::empty({count, 2 * o.width, o.width}))) {
    nn::init::normal_(up, 0, 0.02);
    nn::init::normal_(down, 0, 0.02);
  }

  Tensor forward(const Tensor& x) {
    const Tensor chances = router(x).softmax(-1);
    const auto [best, which] = chances.topk(1, -1);
    const Tensor gates = torch::zeros_like(chances).scatter(-1, which, best);
    const Tensor hidden = torch::gelu(torch::einsum("btc,ech->bteh", {x, up}));
    const Tensor outputs = torch::einsum("bteh,ehc->btec", {hidden, down});
    balance = Balance(chances, gates);
    return (outputs * gates.unsqueeze(-1)).sum(2);
  }

  nn::Linear router;
  Tensor up, down;
  Tensor balance;  // of the last call: small if all experts get as many words

 private:
  static Tensor Balance(const Tensor& chances, const Tensor& gates) {
    const Tensor share = gates.gt(0).to(chances.scalar_type()).mean({0, 1});
    return (share * chances.mean({0, 1})).sum();
  }
};
TORCH_MODULE(Experts);

struct LayerImpl : nn::Module {
  explicit LayerImpl(const Options& o)
      : norm1(register_module("norm1", nn::LayerNorm(nn::LayerNormOptions({o.width})))),
        norm2(register_module("norm2", nn::LayerNorm(nn::LayerNormOptions({o.width})))),
        attention(register_module("attention", Attention(o))),
        experts(register_module("experts", Experts(o, 3))),
        dropout(register_module("dropout", nn::Dropout(o.dropout))) {}

  Tensor forward(const Tensor& x, const Tensor& mask, const Rotation& rotation) {
    const Tensor attended = x + dropout(attention(norm1(x), mask, rotation));
    return attended + dropout(experts(norm2(attended)));
  }

  nn::LayerNorm norm1, norm2;
  Attention attention;
  Experts experts;
  nn::Dropout dropout;
};
TORCH_MODULE(Layer);

struct ModelImpl : nn::Module {
  explicit ModelImpl(const Options& o)
      : options(o),
        words(register_module("words", nn::Embedding(o.words, o.width))),
        norm(register_module("norm", nn::LayerNorm(nn::LayerNormOptions({o.width})))) {
    for (int64_t i = 0; i < o.layers; ++i) layers.push_back(register_module("layer" + std::to_string(i), Layer(o)));
    scale = register_parameter("scale", torch::ones({1}));
  }

  // -> [batch, steps, words]. The table of words is also that of the output.
  Tensor forward(const Tensor& tokens, const Tensor& is_word) {
    const Tensor places = is_word.to(torch::kLong).cumsum(1)[0];
    const Rotation rotation(options.width / options.heads, places);
    const Tensor mask = Causal(places).logical_and(is_word.unsqueeze(1).unsqueeze(1));
    Tensor x = words(tokens) * scale;
    for (Layer& layer : layers) x = layer(x, mask, rotation);
    return torch::linear(norm(x), words->weight);
  }

  Tensor Balance() const {
    std::vector<Tensor> all;
    for (const Layer& layer : layers) all.push_back(layer->experts->balance);
    return torch::stack(all).mean();
  }

  const Options options;
  nn::Embedding words;
  nn::LayerNorm norm;
  std::vector<Layer> layers;
  Tensor scale;

 private:
  static Tensor Causal(const Tensor& places) { return places.unsqueeze(1).ge(places.unsqueeze(0)); }
};
TORCH_MODULE(Model);

// Cross entropy over what is not padding, and the square of the normaliser, as large models add it.
Tensor Loss(const Tensor& logits, const Tensor& targets, const Tensor& is_word) {
  const Tensor flat = logits.flatten(0, 1), chosen = targets.flatten();
  const Tensor normaliser = flat.logsumexp(1);
  const Tensor picked = flat.gather(1, chosen.unsqueeze(1)).squeeze(1);
  const Tensor losses = normaliser - picked + 1e-4 * normaliser.square();
  const Tensor weights = is_word.flatten().to(losses.scalar_type());
  return (losses * weights).sum() / weights.sum();
}

// All gradients have one norm, which is at most the limit afterwards. Nothing is read.
Tensor ClipGradients(const std::vector<Tensor>& parameters, double limit) {
  std::vector<Tensor> norms;
  for (const Tensor& p : parameters)
    if (p.grad().defined()) norms.push_back(p.grad().norm());
  const Tensor norm = torch::stack(norms).norm();
  const Tensor factor = (limit / (norm + 1e-6)).clamp_max(1);
  for (const Tensor& p : parameters)
    if (p.grad().defined()) p.grad().mul_(factor);
  return norm;
}

// Rises to one, then falls as a cosine.
double FactorAt(int step, int warm_up, int steps) {
  if (step < warm_up) return (step + 1.0) / warm_up;
  return 0.5 * (1 + std::cos(M_PI * (step - warm_up) / (steps - warm_up)));
}

// Lion: the sign of the momentum.
class Lion {
 public:
  Lion(std::vector<Tensor> parameters, double rate) : parameters_(std::move(parameters)), rate_(rate) {
    for (const Tensor& p : parameters_) momenta_.push_back(torch::zeros_like(p));
  }

  // Only matrices decay.
  void Step(double factor) {
    const torch::NoGradGuard no_grad;
    const double rate = rate_ * factor;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      const Tensor& gradient = parameters_[i].grad();
      if (!gradient.defined()) continue;
      const Tensor update = momenta_[i] * 0.9 + gradient * 0.1;
      if (parameters_[i].dim() > 1) parameters_[i].mul_(1 - rate * 0.01);
      parameters_[i].add_(update.sign(), -rate);
      momenta_[i].lerp_(gradient, 0.01);
    }
  }

  void ZeroGrad() {
    for (Tensor& p : parameters_) p.mutable_grad() = Tensor();
  }

  const std::vector<Tensor>& momenta() const { return momenta_; }

 private:
  std::vector<Tensor> parameters_, momenta_;
  const double rate_;
};

// Weights that follow those of the model slowly.
class Average {
 public:
  explicit Average(const Model& of) {
    for (const Tensor& p : of->parameters()) weights_.push_back(p.detach().clone());
  }

  void Follow(const Model& of, double decay) {
    const torch::NoGradGuard no_grad;
    const std::vector<Tensor> from = of->parameters();
    for (size_t i = 0; i < from.size(); ++i) weights_[i].lerp_(from[i], 1 - decay);
  }

  // Puts them into a model.
  void CopyTo(const Model& model) const {
    const torch::NoGradGuard no_grad;
    const std::vector<Tensor> to = model->parameters();
    for (size_t i = 0; i < to.size(); ++i) to[i].copy_(weights_[i]);
  }

 private:
  std::vector<Tensor> weights_;
};

class Trainer {
 public:
  Trainer(torch::Device device, Trace& trace) : trace_(trace), model_(NewModel(device)) {}

  // Each sentence's words are seen twice: once as they are, once with some of them hidden.
  void Step(const Tensor& tokens, const Tensor& targets, int step) {
    optimizer_.ZeroGrad();
    Backward(tokens, targets);
    const Tensor hidden = torch::rand_like(tokens, torch::kFloat).lt(0.15).logical_and(tokens.ne(0));
    Backward(tokens.masked_fill(hidden, 1), targets);
    trace_.Note("norm", ClipGradients(model_->parameters(), 1.0));
    optimizer_.Step(FactorAt(step, 1, 10));
    average_.Follow(model_, 0.9);
  }

  void Note() const {
    trace_.NoteModule("model", *model_);
    for (const Tensor& m : optimizer_.momenta()) trace_.Note("momentum", m);
  }

  void Evaluate(const Tensor& tokens, const Tensor& targets) {
    average_.CopyTo(model_);
    model_->eval();
    const torch::NoGradGuard no_grad;
    const Tensor logits = model_(tokens, tokens.ne(0));
    trace_.Note("hits", logits.argmax(-1).eq(targets).to(torch::kFloat).mean(1));
    trace_.Note("entropy", -(logits.softmax(-1) * logits.log_softmax(-1)).sum(-1));
    trace_.Note("next", std::get<1>(logits.select(1, -1).topk(5, -1)));
    const Tensor by_place = torch::nll_loss_nd(
        logits.log_softmax(-1).transpose(1, 2), targets, {}, at::Reduction::None, /*ignore_index=*/-100);
    trace_.Note("loss by place", by_place.mean(0));
  }

  // Draws words among the most likely ones.
  void Generate(Tensor tokens, int count) {
    const torch::NoGradGuard no_grad;
    for (int i = 0; i < count; ++i) {
      const Tensor logits = model_(tokens, torch::ones_like(tokens, torch::kBool)).select(1, -1) / 0.7;
      const Tensor least = std::get<0>(logits.topk(10, -1)).slice(1, 9);
      const Tensor chances = logits.masked_fill(logits.lt(least), -INFINITY).softmax(-1);
      tokens = torch::cat({tokens, torch::multinomial(chances, 1)}, 1);
    }
    trace_.Note("generated", tokens);
  }

  void Reload() {
    std::stringstream file;
    torch::save(model_, file);
    Model other(Options{});
    torch::load(other, file, model_->scale.device());
    trace_.NoteModule("loaded", *other);
  }

 private:
  static Model NewModel(torch::Device device) {
    Model model(Options{});
    model->to(device);
    return model;
  }

  void Backward(const Tensor& tokens, const Tensor& targets) {
    const Tensor is_word = tokens.ne(0);
    const Tensor logits = trace_.Note("logits", model_(tokens, is_word));
    const Tensor loss = trace_.Note("loss", Loss(logits, targets, is_word) + 0.01 * model_->Balance());
    trace_.Note("perplexity", loss.detach().exp());
    (loss / 2).backward();
  }

  Trace& trace_;
  Model model_;
  Lion optimizer_{model_->parameters(), 1e-3};
  Average average_{model_};
};

}  // namespace

void TrainTransformer(const Tensor& tokens, const Tensor& targets, Trace& trace) {
  Trainer trainer(tokens.device(), trace);
  for (int step = 0; step < 2; ++step) trainer.Step(tokens, targets, step);
  trainer.Note();
  trainer.Evaluate(tokens, targets);
  trainer.Generate(tokens, 3);
  trainer.Reload();
}

}  // namespace fakeprop::programs
