// Short programs of language and speech.
#include <torch/torch.h>

#include <cmath>
#include <optional>

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

// ---- a decoder with a cache of keys and values, and rotary positions

using Cache = std::optional<std::pair<Tensor, Tensor>>;

struct BlockImpl : nn::Module {
  static constexpr int64_t kHeads = 4;
  explicit BlockImpl(int64_t width)
      : first_norm(register_module("first_norm", nn::LayerNorm(nn::LayerNormOptions({width})))),
        second_norm(register_module("second_norm", nn::LayerNorm(nn::LayerNormOptions({width})))),
        project(register_module("project", nn::Linear(nn::LinearOptions(width, 3 * width).bias(false)))),
        out(register_module("out", nn::Linear(width, width))),
        up(register_module("up", nn::Linear(width, 4 * width))),
        down(register_module("down", nn::Linear(4 * width, width))) {}

  static Tensor Rotate(const Tensor& x, const Tensor& phases) {
    const Tensor pairs = torch::view_as_complex(x.reshape({x.size(0), x.size(1), x.size(2), -1, 2}));
    return torch::view_as_real(pairs * phases).flatten(3).type_as(x);
  }

  Tensor forward(Tensor x, const Tensor& phases, Cache& cache) {
    const int64_t batch = x.size(0), length = x.size(1), width = x.size(2);
    const Tensor parts =
        project(first_norm(x)).view({batch, length, 3, kHeads, width / kHeads}).permute({2, 0, 3, 1, 4});
    const Tensor query = Rotate(parts[0], phases);
    Tensor key = Rotate(parts[1], phases), value = parts[2];
    if (cache) {
      key = torch::cat({cache->first, key}, 2);
      value = torch::cat({cache->second, value}, 2);
    }
    cache = std::pair(key, value);
    const Tensor seen = torch::scaled_dot_product_attention(query, key, value, {}, 0.0, /*is_causal=*/length > 1);
    x = x + out(seen.transpose(1, 2).contiguous().view({batch, length, width}));
    return x + down(F::gelu(up(second_norm(x)), F::GELUFuncOptions().approximate("tanh")));
  }

  nn::LayerNorm first_norm, second_norm;
  nn::Linear project, out, up, down;
};
TORCH_MODULE(Block);

// One of the 10 likeliest tokens that make up 90%.
Tensor Sample(Tensor logits) {
  const Tensor lowest = std::get<0>(logits.topk(10)).index({Slice(), Slice(-1, None)});
  logits = logits.masked_fill(logits < lowest, -INFINITY);
  const auto [sorted, order] = logits.sort(-1, true);
  Tensor removed = sorted.softmax(-1).cumsum(-1) > 0.9;
  removed.index_put_({Ellipsis, Slice(1, None)}, removed.index({Ellipsis, Slice(None, -1)}).clone());
  removed.index_put_({Ellipsis, 0}, false);
  return torch::multinomial(logits.masked_fill(removed.scatter(1, order, removed), -INFINITY).softmax(-1), 1);
}

void Generate(Device device, Trace& trace) {
  constexpr int64_t kWords = 50, kWidth = 32;
  const torch::NoGradGuard no_grad;
  nn::Embedding words(kWords, kWidth);
  nn::Linear head(nn::LinearOptions(kWidth, kWords).bias(false));
  std::vector<Block> blocks = {Block(kWidth), Block(kWidth)};
  MoveAll({words.ptr(), head.ptr(), blocks[0].ptr(), blocks[1].ptr()}, device);
  head->weight = words->weight;
  const int64_t half = kWidth / BlockImpl::kHeads;
  const Tensor rates = 1.0 / torch::pow(10000.0, torch::arange(0, half, 2, On(device).dtype(torch::kFloat)) / half);
  const Tensor angles = torch::outer(torch::arange(64, On(device)), rates);
  const Tensor phases = torch::polar(torch::ones_like(angles), angles);
  std::vector<Cache> caches(blocks.size());
  Tensor ids = torch::randint(kWords, {2, 5}, Longs(device)), latest = ids;
  Tensor done = torch::zeros({2}, Bools(device));
  for (int64_t step = 0, position = 0; step < 4; ++step) {
    Tensor x = words(latest);
    for (size_t i = 0; i < blocks.size(); ++i)
      x = blocks[i](x, phases.slice(0, position, position + latest.size(1)), caches[i]);
    position += latest.size(1);
    Tensor next = Sample(head(x.select(1, -1)) / 0.8);
    next = torch::where(done.unsqueeze(1), torch::full_like(next, 0), next);
    done = done | (next.squeeze(1) == 0);
    ids = torch::cat({ids, next}, 1);
    latest = next;
    trace.Note("ids", ids);
  }
  trace.Note("keys", caches[1]->first);
  trace.Note("done", done);
}

TEST(Language, GeneratesWithACache) { ExpectSameOnFakes(Generate); }

// ---- others

void TrainMasked(Device device, Trace& trace) {
  nn::Embedding words(30, 16), positions(12, 16);
  const auto layer = nn::TransformerEncoderLayer(
      nn::TransformerEncoderLayerOptions(16, 4).dim_feedforward(32).activation(torch::kGELU));
  nn::TransformerEncoder encoder(nn::TransformerEncoderOptions(layer, 2));
  nn::Linear head(16, 30);
  auto parameters = MoveAll({words.ptr(), positions.ptr(), encoder.ptr(), head.ptr()}, device);
  const Tensor mask_token = torch::zeros({16}, On(device)).requires_grad_();
  parameters.push_back(mask_token);
  torch::optim::AdamW optimizer(parameters, 1e-3);
  for (int i = 0; i < 2; ++i) {
    const Tensor ids = torch::randint(30, {3, 12}, Longs(device));
    const Tensor masked = torch::rand({3, 12}, On(device)) < 0.15;
    const Tensor x = words(ids).index_put({masked}, mask_token) + positions(torch::arange(12, Longs(device)));
    const Tensor padding = torch::zeros({3, 12}, Bools(device));
    const Tensor hidden = encoder(x.transpose(0, 1), Tensor(), padding).transpose(0, 1);
    const Tensor labels = ids.masked_fill(masked.logical_not(), -100);
    const Tensor loss = F::cross_entropy(head(hidden).flatten(0, 1), labels.flatten());
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    trace.Note("loss", loss);
    trace.Note("mask token", mask_token.grad());
  }
  trace.NoteModule("encoder", *encoder);
}

TEST(Language, MaskedWords) { ExpectSameOnFakes(TrainMasked); }

void TranslateWithMasks(Device device, Trace& trace) {
  nn::Transformer transformer(nn::TransformerOptions(16, 2, 1, 1).dim_feedforward(32).dropout(0.1));
  transformer->to(device);
  const Tensor source = torch::randn({5, 2, 16}, On(device)), target = torch::randn({4, 2, 16}, On(device));
  const Tensor causal = nn::TransformerImpl::generate_square_subsequent_mask(4).to(device);
  Tensor padding = torch::zeros({2, 5}, Bools(device));
  padding.index_put_({0, Slice(3, None)}, true);
  const Tensor y = transformer->forward(source, target, {}, causal, {}, padding, {}, padding);
  y.mean().backward();
  trace.Note("y", y);
  trace.NoteModule("transformer", *transformer);
  nn::MultiheadAttention attention(
      nn::MultiheadAttentionOptions(16, 4).add_bias_kv(true).add_zero_attn(true).dropout(0.1));
  attention->to(device);
  const auto [out, weights] = attention(target, source, source, padding, true, Tensor());
  trace.Note("out", out);
  trace.Note("weights", weights);
}

TEST(Language, MasksOfTransformers) { ExpectSameOnFakes(TranslateWithMasks, {.allow_non_fake_inputs = true}); }

void SearchBeams(Device device, Trace& trace) {
  constexpr int64_t kWords = 11, kBeams = 3;
  const torch::NoGradGuard no_grad;
  nn::GRUCell cell(8, 8);
  nn::Embedding words(kWords, 8);
  nn::Linear head(8, kWords);
  MoveAll({cell.ptr(), words.ptr(), head.ptr()}, device);
  Tensor hidden = torch::zeros({2 * kBeams, 8}, On(device)), token = torch::zeros({2 * kBeams}, Longs(device));
  Tensor scores = torch::full({2, kBeams}, -1e9, On(device)), sequences = torch::zeros({2 * kBeams, 0}, Longs(device));
  scores.select(1, 0).fill_(0);
  for (int step = 0; step < 3; ++step) {
    hidden = cell(words(token), hidden);
    const Tensor all = F::log_softmax(head(hidden), 1).view({2, kBeams, kWords}) + scores.unsqueeze(2);
    const auto [best, index] = all.view({2, kBeams * kWords}).topk(kBeams, 1);
    scores = best;
    const Tensor first = (torch::arange(2, Longs(device)) * kBeams).unsqueeze(1);
    const Tensor from = (index.floor_divide(kWords) + first).view(-1);
    token = index.remainder(kWords).view(-1);
    hidden = hidden.index_select(0, from);
    sequences = torch::cat({sequences.index_select(0, from), token.unsqueeze(1)}, 1);
  }
  trace.Note("sequences", sequences.view({2, kBeams, -1}));
  trace.Note("scores", scores / std::pow(5.0, 0.6));
}

TEST(Language, SearchesBeams) { ExpectSameOnFakes(SearchBeams); }

// The sum over all alignments, cell by cell.
Tensor TransducerLoss(const Tensor& log_probabilities, const Tensor& labels) {
  const int64_t batch = labels.size(0), times = log_probabilities.size(1), symbols = log_probabilities.size(2);
  const Tensor blank = log_probabilities.index({Ellipsis, 0});
  const Tensor index = labels.view({batch, 1, symbols - 1, 1}).expand({-1, times, -1, -1});
  const Tensor emitted = log_probabilities.narrow(2, 0, symbols - 1).gather(3, index).squeeze(3);
  std::vector<std::vector<Tensor>> sums(times, std::vector<Tensor>(symbols));
  sums[0][0] = torch::zeros({batch}, log_probabilities.options());
  for (int64_t t = 0; t < times; ++t) {
    for (int64_t u = t ? 0 : 1; u < symbols; ++u) {
      const auto waited = [&] { return sums[t - 1][u] + blank.index({Slice(), t - 1, u}); };
      const auto spoke = [&] { return sums[t][u - 1] + emitted.index({Slice(), t, u - 1}); };
      sums[t][u] = !u ? waited() : !t ? spoke() : torch::logaddexp(waited(), spoke());
    }
  }
  return -(sums[times - 1][symbols - 1] + blank.index({Slice(), times - 1, symbols - 1})).mean();
}

void TrainTransducer(Device device, Trace& trace) {
  constexpr int64_t kSymbols = 12;
  nn::LSTM encoder(nn::LSTMOptions(20, 16).num_layers(2).bidirectional(true).dropout(0.1).batch_first(true));
  nn::Embedding symbols(kSymbols, 16);
  nn::LSTMCell cell(16, 16);
  nn::Linear of_sound(32, 24), of_text(16, 24), head(24, kSymbols);
  const auto parameters =
      MoveAll({encoder.ptr(), symbols.ptr(), cell.ptr(), of_sound.ptr(), of_text.ptr(), head.ptr()}, device);
  torch::optim::SGD optimizer(parameters, torch::optim::SGDOptions(0.1).momentum(0.9).nesterov(true));
  const Tensor sound = torch::randn({2, 6, 20}, On(device));
  const Tensor labels = torch::randint(1, kSymbols, {2, 3}, Longs(device));
  const Tensor encoded = std::get<0>(encoder(sound));
  std::tuple<Tensor, Tensor> state{torch::zeros({2, 16}, On(device)), torch::zeros({2, 16}, On(device))};
  std::vector<Tensor> outputs;
  Tensor input = torch::zeros({2}, Longs(device));
  for (int64_t u = 0; u <= labels.size(1); ++u) {
    state = cell(symbols(input), state);
    outputs.push_back(std::get<0>(state));
    if (u < labels.size(1)) input = labels.select(1, u);
  }
  const Tensor joint = of_sound(encoded).unsqueeze(2) + of_text(torch::stack(outputs, 1)).unsqueeze(1);
  const Tensor loss = TransducerLoss(F::log_softmax(head(torch::tanh(joint)), -1), labels);
  loss.backward();
  optimizer.step();
  trace.Note("joint", joint);
  for (const Tensor& p : parameters) trace.Note("gradient", p.grad());
}

TEST(Language, Transducer) { ExpectSameOnFakes(TrainTransducer); }

void TransformSound(Device device, Trace& trace) {
  const Tensor x = torch::randn({2, 1600}, On(device)).requires_grad_(), window = torch::hann_window(64, On(device));
  const Tensor spectrum = torch::stft(x, 64, 16, 64, window, true, "reflect", false, true, true);
  const Tensor power = spectrum.abs().pow(2).transpose(1, 2);
  Tensor mel = torch::matmul(power, torch::rand({33, 10}, On(device))).clamp_min(1e-10).log10() * 10;
  mel = (mel - mel.mean(1, true)) / (mel.std(1, true, true) + 1e-5);
  const Tensor back = torch::istft(spectrum, 64, 16, 64, window, true, false, true, 1600);
  (mel.sum() + back.sum()).backward();
  trace.Note("mel", mel);
  trace.Note("gradient", x.grad());
  const Tensor frequencies = torch::fft_rfft(x, 2048);
  trace.Note("convolved", torch::fft_irfft(frequencies * frequencies.conj(), 2048));
  trace.Note("phase", torch::angle(spectrum));
  trace.Note("frames", x.detach().unfold(1, 400, 160) * torch::hamming_window(400, On(device)));
  const Tensor masked = mel.detach().clone();
  masked.narrow(1, 3, 4).fill_(0);
  trace.Note("masked", masked);
}

TEST(Language, Spectra) { ExpectSameOnFakes(TransformSound); }

}  // namespace
}  // namespace fakeprop::programs
