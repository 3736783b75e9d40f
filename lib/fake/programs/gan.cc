// Images out of noise.
#include <cmath>
#include <memory>
#include <sstream>

#include "lib/fake/programs/programs.h"

namespace fakeprop::programs {
namespace {

namespace nn = torch::nn;
namespace F = torch::nn::functional;
using torch::Tensor;

constexpr int64_t kNoise = 24, kClasses = 5, kSize = 32;

// A convolution whose weight is divided by its largest singular value, which power iteration finds.
struct SpectralConvImpl : nn::Module {
  SpectralConvImpl(int64_t in, int64_t out, int64_t kernel, int64_t step)
      : stride(step),
        padding(kernel / 2),
        weight(register_parameter("weight", torch::empty({out, in, kernel, kernel}))),
        bias(register_parameter("bias", torch::zeros({out}))),
        u(register_buffer("u", F::normalize(torch::randn({out}), F::NormalizeFuncOptions().dim(0)))) {
    nn::init::xavier_uniform_(weight);
  }

  Tensor forward(const Tensor& x) { return torch::conv2d(x, Normalised(), bias, stride, padding); }

  const int64_t stride, padding;
  Tensor weight, bias, u;

 private:
  Tensor Normalised() {
    const Tensor matrix = weight.flatten(1);
    Tensor v;
    {
      const torch::NoGradGuard no_grad;
      v = F::normalize(torch::mv(matrix.t(), u), F::NormalizeFuncOptions().dim(0));
      if (is_training()) u.copy_(F::normalize(torch::mv(matrix, v), F::NormalizeFuncOptions().dim(0)));
    }
    const Tensor sigma = torch::dot(u.clone(), torch::mv(matrix, v));
    return weight / sigma;
  }
};
TORCH_MODULE(SpectralConv);

// Scales and shifts channels as the class says.
struct ConditionalNormImpl : nn::Module {
  explicit ConditionalNormImpl(int64_t channels)
      : norm(register_module("norm", nn::BatchNorm2d(nn::BatchNorm2dOptions(channels).affine(false)))),
        scales(register_module("scales", nn::Embedding(kClasses, channels))),
        shifts(register_module("shifts", nn::Embedding(kClasses, channels))) {
    nn::init::ones_(scales->weight);
    nn::init::zeros_(shifts->weight);
  }

  Tensor forward(const Tensor& x, const Tensor& labels) {
    const Tensor scale = scales(labels).unsqueeze(2).unsqueeze(3), shift = shifts(labels).unsqueeze(2).unsqueeze(3);
    return torch::addcmul(shift, norm(x), scale);
  }

  nn::BatchNorm2d norm;
  nn::Embedding scales, shifts;
};
TORCH_MODULE(ConditionalNorm);

struct GeneratorBlockImpl : nn::Module {
  GeneratorBlockImpl(int64_t in, int64_t out)
      : norm(register_module("norm", ConditionalNorm(in))),
        up(register_module(
            "up", nn::ConvTranspose2d(nn::ConvTranspose2dOptions(in, out, 4).stride(2).padding(1).bias(false)))),
        skip(register_module("skip", nn::Conv2d(in, out, 1))) {}

  Tensor forward(const Tensor& x, const Tensor& labels) {
    const Tensor doubled = F::interpolate(
        skip(x), F::InterpolateFuncOptions().scale_factor(std::vector<double>{2, 2}).mode(torch::kNearest));
    return doubled + up(F::leaky_relu(norm(x, labels), F::LeakyReLUFuncOptions().negative_slope(0.2)));
  }

  ConditionalNorm norm;
  nn::ConvTranspose2d up;
  nn::Conv2d skip;
};
TORCH_MODULE(GeneratorBlock);

struct GeneratorImpl : nn::Module {
  explicit GeneratorImpl(int64_t width)
      : start(register_module("start", nn::Linear(kNoise, width * 4 * 4 * 4))),
        last(register_module("last", nn::Conv2d(nn::Conv2dOptions(width / 2, 3, 3).padding(1)))) {
    for (const int64_t in : {4 * width, 2 * width, width})
      blocks.push_back(register_module("block" + std::to_string(blocks.size()), GeneratorBlock(in, in / 2)));
  }

  Tensor forward(const Tensor& noise, const Tensor& labels) {
    Tensor x = start(noise).view({noise.size(0), -1, 4, 4});
    for (GeneratorBlock& block : blocks) x = block(x, labels);
    return torch::tanh(last(torch::relu(x)));
  }

  nn::Linear start;
  nn::Conv2d last;
  std::vector<GeneratorBlock> blocks;
};
TORCH_MODULE(Generator);

// How real an image of a class looks, with the projection of the class.
struct DiscriminatorImpl : nn::Module {
  explicit DiscriminatorImpl(int64_t width)
      : linear(register_module("linear", nn::Linear(4 * width, 1))),
        classes(register_module("classes", nn::Embedding(kClasses, 4 * width))) {
    int64_t in = 3;
    for (const int64_t out : {width, 2 * width, 4 * width}) {
      convs.push_back(register_module("conv" + std::to_string(convs.size()), SpectralConv(in, out, 3, 2)));
      in = out;
    }
  }

  Tensor Features(const Tensor& images) {
    Tensor x = images;
    for (SpectralConv& conv : convs) x = torch::leaky_relu(conv(x), 0.2);
    return x.sum({2, 3});
  }

  Tensor forward(const Tensor& images, const Tensor& labels) {
    const Tensor x = Features(images);
    return linear(x).squeeze(1) + (classes(labels) * x).sum(1);
  }

  nn::Linear linear;
  nn::Embedding classes;
  std::vector<SpectralConv> convs;
};
TORCH_MODULE(Discriminator);

// Differentiable changes of colour and place.
Tensor Augment(const Tensor& images) {
  Tensor x = images + (torch::rand({images.size(0), 1, 1, 1}, images.options()) - 0.5);
  const Tensor mean = x.mean(1, /*keepdim=*/true);
  x = (x - mean) * torch::rand({images.size(0), 1, 1, 1}, images.options()).mul(2) + mean;
  x = F::pad(x, F::PadFuncOptions({4, 4, 4, 4}).mode(torch::kReflect));
  return x.roll({1, -2}, {2, 3}).slice(2, 4, 4 + kSize).slice(3, 4, 4 + kSize);
}

// The norm of the gradient between real and generated images (WGAN-GP).
Tensor GradientPenalty(Discriminator& critic, const Tensor& real, const Tensor& made, const Tensor& labels) {
  const Tensor share = torch::rand({real.size(0), 1, 1, 1}, real.options());
  const Tensor between = torch::lerp(real, made, share).detach().requires_grad_();
  const Tensor score = critic(between, labels);
  const Tensor gradient = torch::autograd::grad({score}, {between}, {torch::ones_like(score)},
      /*retain_graph=*/true, /*create_graph=*/true)[0];
  return (gradient.flatten(1).norm(2, 1) - 1).square().mean();
}

// The square of the gradient at real images (R1), which keeps the critic smooth where it matters.
Tensor SmoothnessPenalty(Discriminator& critic, const Tensor& real, const Tensor& labels) {
  const Tensor images = real.detach().requires_grad_();
  const Tensor gradient = torch::autograd::grad({critic(images, labels).sum()}, {images}, {},
      /*retain_graph=*/true, /*create_graph=*/true)[0];
  return gradient.square().sum({1, 2, 3}).mean();
}

// The Frechet distance between two sets of features, as normal distributions. The root of the product of the
// covariances comes from eigenvalues.
Tensor Distance(const Tensor& a, const Tensor& b) {
  const Tensor means = a.mean(0) - b.mean(0), left = a.t().cov(), right = b.t().cov();
  const auto [values, vectors] = torch::linalg_eigh(left);
  const Tensor root = vectors.matmul(torch::diag(values.clamp_min(0).sqrt())).matmul(vectors.t());
  const Tensor product = root.matmul(right).matmul(root);
  const Tensor trace = torch::linalg_eigvalsh(product).clamp_min(0).sqrt().sum();
  return means.square().sum() + left.trace() + right.trace() - 2 * trace;
}

// A generator with the average of another's weights.
class AveragedGenerator {
 public:
  AveragedGenerator(Generator average, const Generator& of) : generator_(std::move(average)) {
    Update(of, 0);
    for (Tensor& p : generator_->parameters()) p.requires_grad_(false);
  }

  void Update(const Generator& of, double decay) {
    const torch::NoGradGuard no_grad;
    const auto from = of->named_parameters();
    for (auto& p : generator_->named_parameters()) p.value().mul_(decay).add_(from[p.key()], 1 - decay);
    const auto buffers = of->named_buffers();
    for (auto& b : generator_->named_buffers()) b.value().copy_(buffers[b.key()]);
  }

  GeneratorImpl& operator*() { return *generator_; }

 private:
  Generator generator_;
};

class Trainer {
 public:
  Trainer(torch::Device device, Trace& trace) : device_(device), trace_(trace) {
    generator_->to(device);
    critic_->to(device);
    generator_optimizer_ = std::make_unique<torch::optim::Adam>(
        generator_->parameters(), torch::optim::AdamOptions(2e-4).betas({0.0, 0.9}));
    critic_optimizer_ = std::make_unique<torch::optim::AdamW>(
        critic_->parameters(), torch::optim::AdamWOptions(4e-4).betas({0.0, 0.9}));
    Generator average(kWidth);
    average->to(device);
    average_ = std::make_unique<AveragedGenerator>(std::move(average), generator_);
  }

  void Train() {
    for (int step = 0; step < 2; ++step) {
      for (int i = 0; i < 2; ++i) StepCritic();
      StepGenerator();
      average_->Update(generator_, 0.99);
      Decay();
    }
    LoadAgain();
    trace_.NoteModule("generator", *generator_);
    trace_.NoteModule("critic", *critic_);
  }

  // The critic's features of real and of generated images, and how far they are apart.
  void Compare() {
    critic_->eval();
    const torch::NoGradGuard no_grad;
    std::vector<Tensor> real, made;
    for (int i = 0; i < 3; ++i) {
      real.push_back(critic_->Features(RealImages()));
      made.push_back(critic_->Features((**average_).forward(Noise(kBatch), Labels())));
    }
    const Tensor features = trace_.Note("features", torch::cat(real));
    trace_.Note("distance", Distance(features, torch::cat(made)));
    trace_.Note("diversity", torch::cdist(torch::cat(made), torch::cat(made)).mean());
    const Tensor path = torch::linspace(0, 1, 4, device_).view({-1, 1});
    const Tensor between = torch::lerp(Noise(1).expand({4, -1}), Noise(1).expand({4, -1}), path);
    trace_.Note("between", (**average_).forward(between, torch::zeros({4}, Longs())));
  }

  void Sample() {
    const torch::NoGradGuard no_grad;
    (**average_).eval();
    const Tensor images =
        trace_.Note("samples", (**average_).forward(Noise(kClasses), torch::arange(kClasses, Longs())));
    const Tensor row = trace_.Note("row", torch::cat(images.unbind(0), 2));
    trace_.Note("bytes", ((row + 1) * 127.5).clamp(0, 255).to(torch::kByte).permute({1, 2, 0}).contiguous());
  }

 private:
  torch::TensorOptions Longs() const { return torch::device(device_).dtype(torch::kLong); }
  Tensor Noise(int64_t count) const { return torch::randn({count, kNoise}, device_); }
  Tensor Labels() const { return torch::randint(kClasses, {kBatch}, Longs()); }
  Tensor RealImages() const { return torch::rand({kBatch, 3, kSize, kSize}).to(device_) * 2 - 1; }

  // Both learn slower from step to step.
  void Decay() {
    for (auto& group : generator_optimizer_->param_groups()) group.options().set_lr(group.options().get_lr() * 0.99);
    for (auto& group : critic_optimizer_->param_groups()) group.options().set_lr(group.options().get_lr() * 0.99);
  }

  // Writes everything to one archive, as a checkpoint, and reads it.
  void LoadAgain() {
    torch::serialize::OutputArchive all, generator, critic, optimizer;
    generator_->save(generator);
    critic_->save(critic);
    critic_optimizer_->save(optimizer);
    all.write("generator", generator);
    all.write("critic", critic);
    all.write("optimizer", optimizer);
    all.write("noise", Noise(2));
    std::stringstream file;
    all.save_to(file);
    torch::serialize::InputArchive read, part;
    read.load_from(file, device_);
    read.read("generator", part);
    generator_->load(part);
    read.read("critic", part);
    critic_->load(part);
    Tensor noise;
    read.read("noise", noise);
    trace_.Note("noise", noise);
  }

  void StepCritic() {
    const Tensor labels = Labels(), real = RealImages();
    const Tensor made = generator_(Noise(kBatch), labels).detach();
    critic_optimizer_->zero_grad();
    const Tensor on_real = critic_(Augment(real), labels), on_made = critic_(Augment(made), labels);
    const Tensor hinge = torch::relu(1 - on_real).mean() + torch::relu(1 + on_made).mean();
    const Tensor penalty = trace_.Note("penalty", GradientPenalty(critic_, real, made, labels));
    const Tensor smooth = trace_.Note("smoothness", SmoothnessPenalty(critic_, real, labels));
    const Tensor loss = trace_.Note("critic loss", hinge + 10 * penalty + 0.5 * smooth);
    loss.backward();
    critic_optimizer_->step();
  }

  void StepGenerator() {
    SetRequiresGrad(*critic_, false);
    generator_optimizer_->zero_grad();
    const Tensor labels = Labels();
    const Tensor made = trace_.Note("images", generator_(Noise(kBatch), labels));
    const Tensor loss = trace_.Note("generator loss", -critic_(Augment(made), labels).mean());
    loss.backward();
    generator_optimizer_->step();
    SetRequiresGrad(*critic_, true);
  }

  static void SetRequiresGrad(nn::Module& module, bool required) {
    for (Tensor& p : module.parameters()) p.requires_grad_(required);
  }

  static constexpr int64_t kBatch = 3, kWidth = 8;
  const torch::Device device_;
  Trace& trace_;
  Generator generator_{kWidth};
  Discriminator critic_{kWidth};
  std::unique_ptr<torch::optim::Optimizer> generator_optimizer_, critic_optimizer_;
  std::unique_ptr<AveragedGenerator> average_;
};

}  // namespace

void TrainGan(torch::Device device, Trace& trace) {
  Trainer trainer(device, trace);
  trainer.Train();
  trainer.Sample();
  trainer.Compare();
}

}  // namespace fakeprop::programs
