// Short programs of images and of generative models.
#include <torch/torch.h>

#include <cmath>

#include "lib/fake/programs/same_on_fakes.h"
#include "lib/fake/programs/short_programs.h"

namespace fakeprop::programs {
namespace {

namespace nn = torch::nn;
namespace F = torch::nn::functional;
using torch::Device;
using torch::Tensor;
using torch::indexing::Ellipsis;
using torch::indexing::None;
using torch::indexing::Slice;

// ---- diffusion

struct ResidualImpl : nn::Module {
  ResidualImpl(int64_t in, int64_t out)
      : first_norm(register_module("first_norm", nn::GroupNorm(4, in))),
        second_norm(register_module("second_norm", nn::GroupNorm(4, out))),
        first(register_module("first", nn::Conv2d(nn::Conv2dOptions(in, out, 3).padding(1)))),
        second(register_module("second", nn::Conv2d(nn::Conv2dOptions(out, out, 3).padding(1)))),
        skip(register_module("skip", nn::Conv2d(nn::Conv2dOptions(in, out, 1)))),
        of_time(register_module("of_time", nn::Linear(16, out))) {}

  Tensor forward(const Tensor& x, const Tensor& time) {
    Tensor h = first(F::silu(first_norm(x)));
    h = h + of_time(F::silu(time)).index({Slice(), Slice(), None, None});
    h = F::dropout(F::silu(second_norm(h)), F::DropoutFuncOptions().p(0.1).training(is_training()));
    return second(h) + skip(x);
  }

  nn::GroupNorm first_norm, second_norm;
  nn::Conv2d first, second, skip;
  nn::Linear of_time;
};
TORCH_MODULE(Residual);

struct DenoiserImpl : nn::Module {
  DenoiserImpl()
      : in(register_module("in", nn::Conv2d(nn::Conv2dOptions(3, 8, 3).padding(1)))),
        down(register_module("down", nn::Conv2d(nn::Conv2dOptions(8, 8, 3).stride(2).padding(1)))),
        out(register_module("out", nn::Conv2d(nn::Conv2dOptions(8, 3, 3).padding(1)))),
        outer(register_module("outer", Residual(8, 8))),
        inner(register_module("inner", Residual(8, 16))),
        joined(register_module("joined", Residual(16, 8))),
        up(register_module("up", nn::ConvTranspose2d(nn::ConvTranspose2dOptions(16, 8, 2).stride(2)))) {}

  Tensor forward(const Tensor& x, const Tensor& time) {
    const Tensor rates = torch::exp(torch::arange(8, On(x.device())) * (-std::log(10000.0) / 7));
    const Tensor angles = time.to(torch::kFloat).unsqueeze(1) * rates.unsqueeze(0);
    const Tensor embedded = torch::cat({angles.sin(), angles.cos()}, 1);
    const Tensor h = outer(in(x), embedded);
    return out(joined(torch::cat({up(inner(down(h), embedded)), h}, 1), embedded));
  }

  nn::Conv2d in, down, out;
  Residual outer, inner, joined;
  nn::ConvTranspose2d up;
};
TORCH_MODULE(Denoiser);

void Average(const nn::Module& from, const nn::Module& to) {
  const torch::NoGradGuard no_grad;
  const auto now = from.parameters(), averages = to.parameters();
  for (size_t i = 0; i < now.size(); ++i) averages[i].mul_(0.999).add_(now[i], 0.001);
}

void Diffuse(Device device, Trace& trace) {
  Denoiser net, average;
  net->to(device, torch::kFloat);
  average->to(device);
  const Tensor kept = torch::cumprod(1 - torch::linspace(1e-4, 0.02, 100, On(device)), 0);
  torch::optim::AdamW optimizer(net->parameters(), torch::optim::AdamWOptions(2e-4).weight_decay(0.01));
  for (int i = 0; i < 2; ++i) {
    const Tensor x = torch::randn({2, 3, 8, 8}, On(device)).to(torch::MemoryFormat::ChannelsLast);
    const Tensor time = torch::randint(0, 100, {2}, Longs(device)), noise = torch::randn_like(x);
    const Tensor part = kept.gather(0, time).view({-1, 1, 1, 1});
    const Tensor found = net(part.sqrt() * x + (1 - part).sqrt() * noise, time);
    const Tensor weight = torch::minimum(part / (1 - part), torch::full_like(part, 5));
    const Tensor errors = F::mse_loss(found, noise, F::MSELossFuncOptions().reduction(torch::kNone));
    optimizer.zero_grad();
    (weight * errors).mean().backward();
    nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    optimizer.step();
    Average(*net, *average);
    trace.Note("found", found);
  }
  trace.NoteModule("average", *average);
  const torch::NoGradGuard no_grad;
  average->eval();
  Tensor x = torch::randn({2, 3, 8, 8}, On(device));
  for (int64_t step = 99; step >= 0; step -= 33) {
    const Tensor noise = average(x, torch::full({2}, step, Longs(device)));
    const Tensor now = kept[step], before = step >= 33 ? kept[step - 33] : torch::ones({}, On(device));
    const Tensor clean = ((x - (1 - now).sqrt() * noise) / now.sqrt()).clamp(-1, 1);
    x = before.sqrt() * clean + (1 - before).sqrt() * noise;
  }
  trace.Note("image", x.mul(127.5).add(127.5).clamp(0, 255).to(torch::kByte));
}

TEST(Vision, Diffusion) { ExpectSameOnFakes(Diffuse, {.allow_non_fake_inputs = true}); }

// ---- others

// Gradients go straight through the choice of a code.
void Quantize(Device device, Trace& trace) {
  nn::Conv2d encoder(nn::Conv2dOptions(1, 8, 4).stride(2).padding(1));
  nn::ConvTranspose2d decoder(nn::ConvTranspose2dOptions(8, 1, 4).stride(2).padding(1));
  nn::Embedding codes(16, 8);
  MoveAll({encoder.ptr(), decoder.ptr(), codes.ptr()}, device);
  const Tensor z = encoder(torch::randn({2, 1, 8, 8}, On(device)));
  const Tensor flat = z.permute({0, 2, 3, 1}).reshape({-1, 8});
  const Tensor distances = flat.pow(2).sum(1, true) - 2 * flat.mm(codes->weight.t()) + codes->weight.pow(2).sum(1);
  const Tensor nearest = distances.argmin(1);
  const Tensor chosen = codes(nearest).view({2, 4, 4, 8}).permute({0, 3, 1, 2});
  const Tensor commitment = F::mse_loss(chosen, z.detach()) + 0.25 * F::mse_loss(z, chosen.detach());
  const Tensor back = decoder(z + (chosen - z).detach());
  (F::mse_loss(back, torch::randn({2, 1, 8, 8}, On(device))) + commitment).backward();
  trace.NoteModule("codes", *codes);
  trace.NoteModule("encoder", *encoder);
  const Tensor used = F::one_hot(nearest, 16).to(torch::kFloat).mean(0);
  trace.Note("perplexity", torch::exp(-(used * torch::log(used + 1e-10)).sum()));
}

TEST(Vision, VectorQuantisation) { ExpectSameOnFakes(Quantize); }

Tensor Area(const Tensor& boxes) {
  return (boxes.select(-1, 2) - boxes.select(-1, 0)) * (boxes.select(-1, 3) - boxes.select(-1, 1));
}

Tensor Overlaps(const Tensor& a, const Tensor& b) {
  const Tensor top = torch::max(a.unsqueeze(1).slice(2, 0, 2), b.unsqueeze(0).slice(2, 0, 2));
  const Tensor bottom = torch::min(a.unsqueeze(1).slice(2, 2, 4), b.unsqueeze(0).slice(2, 2, 4));
  const Tensor sides = (bottom - top).clamp_min(0), common = sides.select(2, 0) * sides.select(2, 1);
  return common / (Area(a).unsqueeze(1) + Area(b) - common);
}

void Detect(Device device, Trace& trace) {
  const Tensor features = torch::randn({2, 16, 4, 5}, On(device)).requires_grad_();
  nn::Conv2d classes(nn::Conv2dOptions(16, 9 * 3, 1)), boxes(nn::Conv2dOptions(16, 36, 1));
  MoveAll({classes.ptr(), boxes.ptr()}, device);
  const auto grid = torch::meshgrid({torch::arange(4, On(device)) * 8, torch::arange(5, On(device)) * 8}, "ij");
  const Tensor y = grid[0].reshape({-1}), x = grid[1].reshape({-1});
  const Tensor anchors =
      (torch::stack({x, y, x, y}, 1).unsqueeze(1) + torch::randn({1, 9, 4}, On(device))).reshape({-1, 4});
  const Tensor scores = classes(features).permute({0, 2, 3, 1}).reshape({2, -1, 3});
  const Tensor offsets = boxes(features).permute({0, 2, 3, 1}).reshape({2, -1, 4});
  const Tensor truth = torch::rand({3, 4}, On(device));
  const auto [best, index] = Overlaps(anchors, truth).max(1);
  const Tensor positive = best > 0.5, p = scores.sigmoid();
  Tensor target = torch::zeros_like(p);
  target.index_put_({0, Slice(), 0}, positive.to(torch::kFloat));
  const auto entropy = F::BinaryCrossEntropyWithLogitsFuncOptions().reduction(torch::kNone);
  const Tensor focus = torch::pow(1 - (p * target + (1 - p) * (1 - target)), 2);
  const Tensor of_classes =
      (F::binary_cross_entropy_with_logits(scores, target, entropy) * focus).sum() / positive.sum().clamp_min(1);
  const Tensor errors = F::smooth_l1_loss(offsets[0], truth.index({index}), F::SmoothL1LossFuncOptions(torch::kNone));
  (of_classes + (errors * positive.unsqueeze(1)).sum()).backward();
  trace.Note("gradient", features.grad());
  const Tensor best_scores = std::get<1>(p.flatten(1).topk(20, 1)), box = best_scores.div(3, "floor");
  trace.Note("boxes", offsets.gather(1, box.unsqueeze(-1).expand({-1, -1, 4})));
  trace.Note("labels", best_scores.remainder(3));
}

TEST(Vision, Detection) { ExpectSameOnFakes(Detect); }

void Explain(Device device, Trace& trace) {
  nn::Sequential net(nn::Conv2d(3, 4, 3), nn::ReLU(), nn::AdaptiveAvgPool2d(2), nn::Flatten(), nn::Linear(16, 5));
  net->to(device);
  net->eval();
  const Tensor x = torch::rand({2, 3, 8, 8}, On(device)).requires_grad_(), y = net->forward(x);
  std::vector<Tensor> rows;
  for (int64_t c = 0; c < 5; ++c) {
    Tensor one = torch::zeros_like(y);
    one.index_put_({Slice(), c}, 1);
    rows.push_back(torch::autograd::grad({y}, {x}, {one}, /*retain_graph=*/true)[0]);
  }
  trace.Note("jacobian", torch::stack(rows, 1));
  const Tensor maps = net->ptr<nn::Conv2dImpl>(0)->forward(x);
  maps.retain_grad();
  const Tensor pooled = torch::adaptive_avg_pool2d(torch::relu(maps), {2, 2}).flatten(1);
  net->ptr<nn::LinearImpl>(4)->forward(pooled).index({0, 2}).backward();
  trace.Note("activation map", torch::relu((maps.grad().mean({2, 3}, true) * maps).sum(1, true)));
  Tensor integrated = torch::zeros_like(x);
  for (int k = 1; k <= 3; ++k) {
    const Tensor part = (x.detach() * (k / 3.0)).requires_grad_();
    integrated += torch::autograd::grad({net->forward(part).sum()}, {part})[0];
  }
  trace.Note("integrated", integrated / 3);
  const Tensor first = torch::autograd::grad({y.pow(2).sum()}, {x}, {}, true, /*create_graph=*/true)[0];
  trace.Note("second", torch::autograd::grad({first.sum()}, {x})[0]);
}

TEST(Vision, Explanations) { ExpectSameOnFakes(Explain); }

void LookUpCorrelations(Device device, Trace& trace) {
  const Tensor first = torch::randn({1, 4, 6, 8}, On(device)).requires_grad_();
  const Tensor second = torch::randn({1, 4, 6, 8}, On(device));
  std::vector<Tensor> levels{torch::einsum("bchw,bcij->bhwij", {first, second}).div(2.0).view({48, 1, 6, 8})};
  levels.push_back(torch::avg_pool2d(levels.back(), 2));
  const auto grid = torch::meshgrid({torch::arange(6, On(device)), torch::arange(8, On(device))}, "ij");
  const Tensor start = torch::stack({grid[1], grid[0]}, 0).to(torch::kFloat).unsqueeze(0);
  nn::Conv2d update(nn::Conv2dOptions(2 * 9 + 2, 2, 3).padding(1));
  update->to(device);
  const Tensor line = torch::linspace(-1, 1, 3, On(device));
  const auto window = torch::meshgrid({line, line}, "ij");
  Tensor flow = torch::zeros({1, 2, 6, 8}, On(device));
  for (int i = 0; i < 2; ++i) {
    const Tensor centre = (start + flow.detach()).permute({0, 2, 3, 1}).reshape({48, 1, 1, 2});
    std::vector<Tensor> inputs;
    for (size_t level = 0; level < levels.size(); ++level) {
      const auto height = static_cast<float>(levels[level].size(2)), width = static_cast<float>(levels[level].size(3));
      Tensor at = centre / std::pow(2, level) + torch::stack({window[1], window[0]}, -1);
      at = 2 * at / torch::tensor({width - 1, height - 1}, On(device)) - 1;
      const Tensor found = F::grid_sample(levels[level], at, F::GridSampleFuncOptions().align_corners(true));
      inputs.push_back(found.view({1, 6, 8, 9}).permute({0, 3, 1, 2}));
    }
    inputs.push_back(flow);
    flow = flow + update(torch::cat(inputs, 1));
  }
  const Tensor patches = F::unfold(flow * 2, F::UnfoldFuncOptions({3, 3}).padding(1)).view({1, 2, 9, 1, 6, 8});
  const Tensor weights = torch::rand({1, 9, 4, 6, 8}, On(device)).softmax(1).unsqueeze(1);
  const Tensor large = (patches * weights).sum(2).view({1, 2, 2, 2, 6, 8}).permute({0, 1, 4, 2, 5, 3});
  large.reshape({1, 2, 12, 16}).norm(2, 1).mean().backward();
  trace.Note("flow", flow);
  trace.Note("gradient", first.grad());
  trace.NoteModule("update", *update);
}

TEST(Vision, OpticalFlow) { ExpectSameOnFakes(LookUpCorrelations); }

// The penalty on gradients of a critic whose weight has a norm of one.
void PenaliseGradients(Device device, Trace& trace) {
  nn::Linear critic(6, 1);
  critic->to(device);
  const auto unit = [](const Tensor& t) { return F::normalize(t, F::NormalizeFuncOptions().dim(0)); };
  const Tensor weight = critic->weight, u = unit(torch::randn({1}, On(device)));
  Tensor v;
  {
    const torch::NoGradGuard no_grad;
    for (int i = 0; i < 2; ++i) {
      v = unit(torch::mv(weight.t(), u));
      u.copy_(unit(torch::mv(weight, v)));
    }
  }
  const Tensor normal = weight / torch::dot(u, torch::mv(weight, v));
  const Tensor real = torch::randn({4, 6}, On(device)), made = torch::randn({4, 6}, On(device));
  const Tensor part = torch::rand({4, 1}, On(device)), x = (part * real + (1 - part) * made).requires_grad_();
  const Tensor y = F::linear(x, normal, critic->bias);
  const Tensor slope = torch::autograd::grad({y}, {x}, {torch::ones_like(y)}, true, /*create_graph=*/true)[0];
  const Tensor distance = F::linear(made, normal).mean() - F::linear(real, normal).mean();
  (distance + 10 * (slope.norm(2, 1) - 1).pow(2).mean()).backward();
  trace.NoteModule("critic", *critic);
}

TEST(Vision, PenaltyOnGradients) { ExpectSameOnFakes(PenaliseGradients); }

void Prepare(Device device, Trace& trace) {
  const auto floats = [&](std::vector<float> values) { return torch::tensor(values, On(device)).view({3, 1, 1}); };
  const Tensor pixels = torch::randint(256, {2, 3, 20, 24}, On(device).dtype(torch::kByte));
  Tensor x = pixels.to(torch::kFloat).div_(255).sub_(floats({0.5, 0.4, 0.4})).div_(floats({0.2, 0.2, 0.3}));
  x = F::interpolate(x, F::InterpolateFuncOptions()
                            .size(std::vector<int64_t>{16, 16})
                            .mode(torch::kBilinear)
                            .align_corners(false)
                            .antialias(true));
  const Tensor crop = x.index({Ellipsis, Slice(2, 14), Slice(2, 14)});
  trace.Note("flipped", torch::where(torch::rand({2, 1, 1, 1}, On(device)) < 0.5, crop, crop.flip(-1)));
  trace.Note("counts", torch::stack({torch::histc(x.select(1, 0), 8, -3, 3), torch::histc(x.select(1, 1), 8, -3, 3)}));
  trace.Note("tiles", torch::cat({torch::cat({x[0], x[1]}, 2), torch::cat({x[1], x[0]}, 2)}, 1));
  trace.Note("bytes", x.permute({0, 2, 3, 1}).contiguous().mul(255).clamp(0, 255).to(torch::kByte));
  trace.Note("unshuffled", F::pixel_unshuffle(x, F::PixelUnshuffleFuncOptions(4)));
  const Tensor corners = torch::rand({5, 2, 2}, On(device)) * 16;
  const Tensor boxes = torch::cat({std::get<0>(corners.min(1)), std::get<0>(corners.max(1))}, 1);
  const Tensor sorted = boxes.index_select(0, torch::rand({5}, On(device)).argsort(0, true));
  trace.Note("kept", torch::triu(Overlaps(sorted, sorted), 1).amax(0).lt(0.5));
  const Tensor mask = torch::rand({2, 16, 16}, On(device)) > 0.5;
  const Tensor both = (mask & mask.roll(1, 2)).sum({1, 2});
  trace.Note("dice", (2 * both + 1).to(torch::kFloat) / (mask.sum({1, 2}) * 2 + 1));
}

TEST(Vision, PreparationOfImages) { ExpectSameOnFakes(Prepare); }

}  // namespace
}  // namespace fakeprop::programs
