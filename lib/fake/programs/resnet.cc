// Image classification with mixed precision.
#include <ATen/autocast_mode.h>

#include <cmath>
#include <memory>
#include <sstream>

#include "lib/fake/programs/programs.h"

namespace fakeprop::programs {
namespace {

namespace nn = torch::nn;
using torch::Tensor;

nn::Conv2d Conv(int64_t in, int64_t out, int64_t kernel, int64_t stride = 1) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

// Weighs channels by what is in them.
struct SqueezeExcitationImpl : nn::Module {
  explicit SqueezeExcitationImpl(int64_t channels, int64_t reduction = 4)
      : down(register_module("down", nn::Linear(channels, channels / reduction))),
        up(register_module("up", nn::Linear(channels / reduction, channels))) {}

  Tensor forward(const Tensor& x) {
    Tensor w = torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1);
    w = torch::sigmoid(up(torch::relu(down(w))));
    return x * w.view({x.size(0), x.size(1), 1, 1});
  }

  nn::Linear down, up;
};
TORCH_MODULE(SqueezeExcitation);

struct BottleneckImpl : nn::Module {
  BottleneckImpl(int64_t in, int64_t width, int64_t stride)
      : conv1(register_module("conv1", Conv(in, width, 1))),
        conv2(register_module("conv2", Conv(width, width, 3, stride))),
        conv3(register_module("conv3", Conv(width, width * kExpansion, 1))),
        bn1(register_module("bn1", nn::BatchNorm2d(width))),
        bn2(register_module("bn2", nn::BatchNorm2d(width))),
        bn3(register_module("bn3", nn::BatchNorm2d(width * kExpansion))),
        se(register_module("se", SqueezeExcitation(width * kExpansion))) {
    if (stride != 1 || in != width * kExpansion)
      shortcut = register_module(
          "shortcut", nn::Sequential(Conv(in, width * kExpansion, 1, stride), nn::BatchNorm2d(width * kExpansion)));
  }

  Tensor forward(const Tensor& x) {
    Tensor out = torch::relu(bn1(conv1(x)));
    out = torch::relu(bn2(conv2(out)));
    out = se(bn3(conv3(out)));
    out += shortcut.is_empty() ? x : shortcut->forward(x);
    return torch::relu_(out);
  }

  static constexpr int64_t kExpansion = 4;
  nn::Conv2d conv1, conv2, conv3;
  nn::BatchNorm2d bn1, bn2, bn3;
  SqueezeExcitation se;
  nn::Sequential shortcut{nullptr};
};
TORCH_MODULE(Bottleneck);

struct ResNetImpl : nn::Module {
  ResNetImpl(const std::vector<int64_t>& depths, int64_t width, int64_t classes) {
    stem = register_module("stem", nn::Sequential(Conv(3, width, 7, 2), nn::BatchNorm2d(width), nn::ReLU(),
                                       nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).padding(1))));
    int64_t in = width;
    for (size_t stage = 0; stage < depths.size(); ++stage) {
      nn::Sequential blocks;
      for (int64_t i = 0; i < depths[stage]; ++i) {
        const int64_t out = width << stage;
        blocks->push_back(Bottleneck(in, out, i == 0 && stage > 0 ? 2 : 1));
        in = out * BottleneckImpl::kExpansion;
      }
      stages.push_back(register_module("stage" + std::to_string(stage), blocks));
    }
    head = register_module("head", nn::Linear(in, classes));
    dropout = register_module("dropout", nn::Dropout(0.1));
    Initialise();
  }

  std::vector<Tensor> Features(const Tensor& images) {
    std::vector<Tensor> features{stem->forward(images)};
    for (nn::Sequential& stage : stages) features.push_back(stage->forward(features.back()));
    return features;
  }

  Tensor forward(const Tensor& images) {
    const Tensor last = Features(images).back();
    return head(dropout(torch::adaptive_avg_pool2d(last, {1, 1}).flatten(1)));
  }

  nn::Sequential stem{nullptr};
  std::vector<nn::Sequential> stages;
  nn::Linear head{nullptr};
  nn::Dropout dropout{nullptr};

 private:
  void Initialise() {
    const torch::NoGradGuard no_grad;
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* conv = module->as<nn::Conv2d>())
        nn::init::kaiming_normal_(conv->weight, 0, torch::kFanOut, torch::kReLU);
      if (auto* bn = module->as<nn::BatchNorm2d>()) nn::init::constant_(bn->weight, 1);
    }
    nn::init::zeros_(head->bias);
  }
};
TORCH_MODULE(ResNet);

// As torch.amp.GradScaler, which LibTorch has not.
class GradScaler {
 public:
  explicit GradScaler(torch::Device device, double scale = 65536)
      : scale_(torch::full({}, scale, torch::device(device).dtype(torch::kFloat))),
        growth_(torch::zeros({}, torch::device(device).dtype(torch::kInt))),
        found_inf_(torch::zeros({}, torch::device(device).dtype(torch::kFloat))) {}

  Tensor Scale(const Tensor& loss) const { return loss * scale_; }

  void Unscale(const torch::optim::Optimizer& optimizer) {
    found_inf_.zero_();
    std::vector<Tensor> gradients;
    for (const auto& group : optimizer.param_groups())
      for (const Tensor& p : group.params())
        if (p.grad().defined()) gradients.push_back(p.grad());
    torch::_amp_foreach_non_finite_check_and_unscale_(gradients, found_inf_, scale_.reciprocal());
  }

  // Returns true if the step was made.
  bool Step(torch::optim::Optimizer& optimizer) {
    const bool overflow = found_inf_.item<float>() > 0;
    if (!overflow) optimizer.step();
    return !overflow;
  }

  void Update() { torch::_amp_update_scale_(scale_, growth_, found_inf_, 2.0, 0.5, 2000); }
  Tensor scale() const { return scale_; }

 private:
  Tensor scale_, growth_, found_inf_;
};

class Autocast {
 public:
  explicit Autocast(torch::DeviceType type) : type_(type), saved_(at::autocast::get_autocast_dtype(type)) {
    at::autocast::set_autocast_dtype(type_, at::kBFloat16);
    at::autocast::set_autocast_enabled(type_, true);
  }
  ~Autocast() {
    at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(type_, false);
    at::autocast::set_autocast_dtype(type_, saved_);
  }
  Autocast(const Autocast&) = delete;

 private:
  const torch::DeviceType type_;
  const at::ScalarType saved_;
};

// Warms up for `warm_up` steps, then falls as a cosine.
class Schedule {
 public:
  Schedule(torch::optim::Optimizer& optimizer, double rate, int warm_up, int steps)
      : optimizer_(optimizer), rate_(rate), warm_up_(warm_up), steps_(steps) {}

  void Step() {
    ++step_;
    const double done = static_cast<double>(step_ - warm_up_) / (steps_ - warm_up_);
    const double factor = step_ < warm_up_ ? static_cast<double>(step_) / warm_up_ : 0.5 * (1 + std::cos(M_PI * done));
    for (auto& group : optimizer_.param_groups()) group.options().set_lr(rate_ * factor);
  }

 private:
  torch::optim::Optimizer& optimizer_;
  const double rate_;
  const int warm_up_, steps_;
  int step_ = 0;
};

struct Batch {
  Tensor images, labels;
};

// Flips and cuts, as a data loader does, then normalises.
Batch NextBatch(int64_t size, int64_t classes, torch::Device device) {
  Tensor images = torch::rand({size, 3, 72, 72});
  images = torch::cat({images.slice(0, 0, size / 2).flip(3), images.slice(0, size / 2)});
  images = images.slice(2, 4, 68).slice(3, 4, 68);
  const Tensor mean = torch::full({1, 3, 1, 1}, 0.45), deviation = torch::full({1, 3, 1, 1}, 0.225);
  images = images.sub(mean).div_(deviation);
  return {images.to(device), torch::randint(classes, {size}).to(device)};
}

// Images of a test set, each made when a data loader asks for it.
class TestImages : public torch::data::datasets::Dataset<TestImages> {
 public:
  TestImages(size_t count, int64_t classes) : count_(count), classes_(classes) {}

  torch::data::Example<> get(size_t i) override {
    return {torch::rand({3, 64, 64}), torch::tensor(static_cast<int64_t>(i) % classes_)};
  }
  std::optional<size_t> size() const override { return count_; }

 private:
  const size_t count_;
  const int64_t classes_;
};

// Mixes pairs of images; gives the labels as probabilities.
Batch MixUp(const Batch& batch, int64_t classes, double lambda) {
  const Tensor labels = torch::one_hot(batch.labels, classes).to(torch::kFloat);
  return {batch.images * lambda + batch.images.flip(0) * (1 - lambda), labels * lambda + labels.flip(0) * (1 - lambda)};
}

Tensor Accuracy(const Tensor& logits, const Tensor& labels, int64_t k) {
  const Tensor best = std::get<1>(logits.topk(k, 1));
  return best.eq(labels.unsqueeze(1)).any(1).to(torch::kFloat).mean();
}

// How often each class was taken for each.
class Confusion {
 public:
  Confusion(int64_t classes, torch::Device device)
      : classes_(classes), counts_(torch::zeros({classes, classes}, torch::device(device).dtype(torch::kLong))) {}

  void Add(const Tensor& logits, const Tensor& labels) {
    const Tensor pairs = labels * classes_ + logits.argmax(1);
    counts_.view(-1).index_add_(0, pairs, torch::ones_like(pairs));
  }

  Tensor counts() const { return counts_; }
  Tensor Recall() const { return counts_.diagonal().to(torch::kFloat) / counts_.sum(1).clamp_min(1); }

 private:
  const int64_t classes_;
  const Tensor counts_;
};

// Weights that follow those of a network slowly.
class AveragedResNet {
 public:
  AveragedResNet(ResNet net, const ResNet& of, torch::Device device) : net_(std::move(net)) {
    net_->to(device);
    for (Tensor& p : net_->parameters()) p.requires_grad_(false);
    Follow(of, 0);
  }

  void Follow(const ResNet& of, double decay) {
    const torch::NoGradGuard no_grad;
    const auto from = of->named_parameters();
    for (auto& p : net_->named_parameters()) p.value().lerp_(from[p.key()], 1 - decay);
    const auto buffers = of->named_buffers();
    for (auto& b : net_->named_buffers()) b.value().copy_(buffers[b.key()]);
  }

  ResNetImpl& operator*() { return *net_; }

 private:
  ResNet net_;
};

class Trainer {
 public:
  Trainer(torch::Device device, Trace& trace)
      : device_(device), trace_(trace), optimizer_(Groups(), torch::optim::SGDOptions(0.1).momentum(0.9)) {}

  void Train() {
    net_->train();
    for (int step = 0; step < kSteps; ++step) {
      Step(NextBatch(kBatch, kClasses, device_));
      average_.Follow(net_, 0.9);
    }
    trace_.NoteModule("net", *net_);
    trace_.NoteModule("average", *average_);
    trace_.Note("scale", scaler_.scale());
  }

  // Writes a checkpoint, and goes on with the weights of it.
  void Resume() {
    std::stringstream weights, state;
    torch::save(net_, weights);
    torch::save(optimizer_, state);
    for (Tensor& p : net_->parameters()) p.mutable_grad() = Tensor();
    torch::load(net_, weights, device_);
    Step(NextBatch(kBatch, kClasses, device_));
    trace_.NoteModule("resumed", *net_);
  }

  void Test() {
    (*average_).eval();
    const torch::NoGradGuard no_grad;
    Confusion confusion(kClasses, device_);
    auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
        TestImages(10, kClasses)
            .map(torch::data::transforms::Normalize<>(0.45, 0.225))
            .map(torch::data::transforms::Stack<>()),
        kBatch);
    for (const auto& batch : *loader) {
      const Tensor logits = trace_.Note("test logits", (*average_).forward(batch.data.to(device_)));
      confusion.Add(logits, batch.target.to(device_));
    }
    trace_.Note("confusion", confusion.counts());
    trace_.Note("recall", confusion.Recall());
  }

  void Evaluate() {
    net_->eval();
    const torch::NoGradGuard no_grad;
    const Batch batch = NextBatch(kBatch + 2, kClasses, device_);
    const std::vector<Tensor> features = net_->Features(batch.images);
    for (size_t i = 0; i < features.size(); ++i) trace_.Note("feature " + std::to_string(i), features[i]);
    const Tensor logits = trace_.Note("logits", net_(batch.images));
    trace_.Note("top1", Accuracy(logits, batch.labels, 1));
    trace_.Note("top5", Accuracy(logits, batch.labels, 5));
  }

 private:
  static ResNet NewNet() { return ResNet(std::vector<int64_t>{1, 2, 1}, 8, kClasses); }

  // Norms and biases do not decay.
  std::vector<torch::optim::OptimizerParamGroup> Groups() {
    net_->to(device_);
    std::vector<Tensor> decaying, others;
    for (const Tensor& p : net_->parameters()) (p.dim() > 1 ? decaying : others).push_back(p);
    std::vector<torch::optim::OptimizerParamGroup> groups{{decaying}, {others}};
    groups[0].set_options(std::make_unique<torch::optim::SGDOptions>(0.1));
    groups[1].set_options(std::make_unique<torch::optim::SGDOptions>(0.1));
    static_cast<torch::optim::SGDOptions&>(groups[0].options()).momentum(0.9).weight_decay(1e-4).nesterov(true);
    static_cast<torch::optim::SGDOptions&>(groups[1].options()).momentum(0.9);
    return groups;
  }

  void Step(const Batch& batch) {
    optimizer_.zero_grad();
    Tensor loss;
    {
      const Autocast autocast(device_.type());
      const Batch mixed = MixUp(batch, kClasses, 0.8);
      const Tensor logits = trace_.Note("training logits", net_(mixed.images));
      loss = trace_.Note("loss", torch::cross_entropy_loss(logits, mixed.labels, {}, at::Reduction::Mean, -100, 0.1));
    }
    scaler_.Scale(loss).backward();
    scaler_.Unscale(optimizer_);
    const double norm = nn::utils::clip_grad_norm_(net_->parameters(), 1.0);
    if (scaler_.Step(optimizer_)) ++steps_made_;
    scaler_.Update();
    schedule_.Step();
    last_norm_ = norm;
    last_loss_ = loss.item<float>();
  }

  static constexpr int kSteps = 3;
  static constexpr int64_t kBatch = 4, kClasses = 10;

  const torch::Device device_;
  Trace& trace_;
  ResNet net_{NewNet()};
  torch::optim::SGD optimizer_;
  GradScaler scaler_{device_};
  Schedule schedule_{optimizer_, 0.1, 2, 10};
  AveragedResNet average_{NewNet(), net_, device_};
  int steps_made_ = 0;
  double last_norm_ = 0, last_loss_ = 0;
};

}  // namespace

void TrainResNet(torch::Device device, Trace& trace) {
  Trainer trainer(device, trace);
  trainer.Train();
  trainer.Resume();
  trainer.Evaluate();
  trainer.Test();
}

}  // namespace fakeprop::programs
