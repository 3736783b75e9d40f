// Translation with recurrent networks.
#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>

#include "lib/fake/programs/programs.h"

namespace fakeprop::programs {
namespace {

namespace nn = torch::nn;
namespace rnn = torch::nn::utils::rnn;
using torch::Tensor;

constexpr int64_t kPad = 0, kStart = 1, kEnd = 2, kWords = 40;

struct Options {
  int64_t embedded = 12, hidden = 16, layers = 2;
  double dropout = 0.1;
};

// Sentences of falling length, as a data loader sorts them.
struct Batch {
  Tensor source;   // [steps, batch]
  Tensor lengths;  // [batch], on the cpu
  Tensor target;   // [steps, batch], from kStart to kEnd
};

Batch NextBatch(const std::vector<int64_t>& lengths, int64_t target_steps, torch::Device device) {
  std::vector<Tensor> sentences;
  for (const int64_t length : lengths) sentences.push_back(torch::randint(3, kWords, {length}, torch::kLong));
  const auto batch = static_cast<int64_t>(lengths.size());
  const Tensor words = torch::randint(3, kWords, {target_steps - 2, batch}, torch::kLong);
  const Tensor start = torch::full({1, batch}, kStart, torch::kLong), end = torch::full({1, batch}, kEnd, torch::kLong);
  return {rnn::pad_sequence(sentences, /*batch_first=*/false, kPad).to(device), torch::tensor(lengths),
      torch::cat({start, words, end}).to(device)};
}

struct Encoded {
  Tensor outputs;  // [steps, batch, 2 * hidden]
  Tensor state;    // [layers, batch, hidden]
  Tensor mask;     // [batch, steps], true at words
};

struct EncoderImpl : nn::Module {
  explicit EncoderImpl(const Options& o)
      : options(o),
        embedding(
            register_module("embedding", nn::Embedding(nn::EmbeddingOptions(kWords, o.embedded).padding_idx(kPad)))),
        gru(register_module("gru",
            nn::GRU(nn::GRUOptions(o.embedded, o.hidden).num_layers(o.layers).bidirectional(true).dropout(o.dropout)))),
        bridge(register_module("bridge", nn::Linear(2 * o.hidden, o.hidden))) {}

  Encoded forward(const Tensor& source, const Tensor& lengths) {
    const Tensor embedded = torch::dropout(embedding(source), options.dropout, is_training());
    const auto packed = rnn::pack_padded_sequence(embedded, lengths);
    const auto [packed_outputs, states] = gru->forward_with_packed_input(packed);
    const auto [outputs, output_lengths] = rnn::pad_packed_sequence(packed_outputs);
    const Tensor both = states.view({options.layers, 2, -1, options.hidden});
    const Tensor state = torch::tanh(bridge(torch::cat({both.select(1, 0), both.select(1, 1)}, 2)));
    return {outputs, state, source.ne(kPad).t()};
  }

  const Options options;
  nn::Embedding embedding;
  nn::GRU gru;
  nn::Linear bridge;
};
TORCH_MODULE(Encoder);

// Additive attention.
struct AttentionImpl : nn::Module {
  explicit AttentionImpl(int64_t hidden)
      : query(register_module("query", nn::Linear(hidden, hidden))),
        key(register_module("key", nn::Linear(2 * hidden, hidden))),
        energy(register_module("energy", nn::Linear(nn::LinearOptions(hidden, 1).bias(false)))) {}

  // -> ([batch, 2 * hidden], [batch, steps])
  std::pair<Tensor, Tensor> forward(const Tensor& state, const Encoded& encoded) {
    const Tensor keys = key(encoded.outputs).transpose(0, 1);
    Tensor scores = energy(torch::tanh(query(state).unsqueeze(1) + keys)).squeeze(2);
    scores = scores.masked_fill(encoded.mask.logical_not(), -1e9);
    const Tensor weights = scores.softmax(1);
    return {torch::bmm(weights.unsqueeze(1), encoded.outputs.transpose(0, 1)).squeeze(1), weights};
  }

  nn::Linear query, key, energy;
};
TORCH_MODULE(Attention);

struct DecoderImpl : nn::Module {
  explicit DecoderImpl(const Options& o)
      : embedding(register_module("embedding", nn::Embedding(kWords, o.embedded))),
        attention(register_module("attention", Attention(o.hidden))),
        output(register_module("output", nn::Linear(3 * o.hidden, kWords))) {
    for (int64_t layer = 0; layer < o.layers; ++layer) {
      const int64_t in = layer == 0 ? o.embedded + 2 * o.hidden : o.hidden;
      cells.push_back(register_module("cell" + std::to_string(layer), nn::GRUCell(in, o.hidden)));
    }
  }

  // One word for each sentence. -> [batch, kWords]
  Tensor Step(const Tensor& words, std::vector<Tensor>& states, const Encoded& encoded) {
    const auto [context, weights] = attention(states.back(), encoded);
    Tensor x = torch::cat({embedding(words), context}, 1);
    for (size_t layer = 0; layer < cells.size(); ++layer) x = states[layer] = cells[layer](x, states[layer]);
    return output(torch::cat({x, context}, 1));
  }

  nn::Embedding embedding;
  Attention attention;
  nn::Linear output;
  std::vector<nn::GRUCell> cells;
};
TORCH_MODULE(Decoder);

struct TranslatorImpl : nn::Module {
  explicit TranslatorImpl(const Options& o)
      : encoder(register_module("encoder", Encoder(o))), decoder(register_module("decoder", Decoder(o))) {}

  // With teacher forcing. -> [steps - 1, batch, kWords]
  Tensor forward(const Batch& batch) {
    const Encoded encoded = encoder(batch.source, batch.lengths);
    std::vector<Tensor> states = encoded.state.unbind(0), logits;
    for (int64_t step = 0; step + 1 < batch.target.size(0); ++step)
      logits.push_back(decoder->Step(batch.target[step], states, encoded));
    return torch::stack(logits);
  }

  // Keeps the best `width` beginnings of each sentence. -> ([batch, steps] of the best one, [batch] its score)
  std::pair<Tensor, Tensor> Search(const Batch& batch, int64_t steps, int64_t width) {
    const Encoded one = encoder(batch.source, batch.lengths);
    const auto wide = [width](const Tensor& t, int64_t dim) { return t.repeat_interleave(width, dim); };
    const Encoded encoded{wide(one.outputs, 1), wide(one.state, 1), wide(one.mask, 0)};
    std::vector<Tensor> states = encoded.state.unbind(0);
    const int64_t count = batch.source.size(1);
    Tensor words = torch::full({count * width, 1}, kStart, batch.source.options());
    Tensor scores = torch::zeros({count, width}, one.outputs.options());
    scores.slice(1, 1).fill_(-INFINITY);  // all beginnings are the same at first
    const Tensor rows = torch::arange(count, batch.source.options()).unsqueeze(1) * width;
    for (int64_t step = 0; step < steps; ++step) {
      const Tensor chances = decoder->Step(words.select(1, -1), states, encoded).log_softmax(1);
      const Tensor all = (scores.unsqueeze(2) + chances.view({count, width, kWords})).flatten(1);
      const auto [best, places] = all.topk(width, 1);
      scores = best;
      const Tensor from = (rows + places.div(kWords, "floor")).flatten();
      for (Tensor& state : states) state = state.index_select(0, from);
      words = torch::cat({words.index_select(0, from), places.remainder(kWords).view({-1, 1})}, 1);
    }
    return {words.view({count, width, -1}).select(1, 0), scores.select(1, 0)};
  }

  // -> [steps, batch]
  Tensor Translate(const Batch& batch, int64_t steps) {
    const Encoded encoded = encoder(batch.source, batch.lengths);
    std::vector<Tensor> states = encoded.state.unbind(0), words;
    Tensor last = torch::full_like(batch.target[0], kStart);
    Tensor done = torch::zeros_like(last, torch::kBool);
    for (int64_t step = 0; step < steps; ++step) {
      last = decoder->Step(last, states, encoded).argmax(1);
      last = torch::where(done, torch::full_like(last, kPad), last);
      done = done.logical_or(last.eq(kEnd));
      words.push_back(last);
    }
    return torch::stack(words);
  }

  Encoder encoder;
  Decoder decoder;
};
TORCH_MODULE(Translator);

// Sentences of similar lengths come together, so that little is padded.
class Buckets {
 public:
  explicit Buckets(std::vector<int64_t> lengths) : lengths_(std::move(lengths)) {}

  std::vector<std::vector<int64_t>> Batches(size_t size, std::mt19937& random) const {
    std::vector<int64_t> sorted = lengths_;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    std::vector<std::vector<int64_t>> batches;
    for (size_t i = 0; i < sorted.size(); i += size)
      batches.emplace_back(sorted.begin() + i, sorted.begin() + std::min(i + size, sorted.size()));
    std::shuffle(batches.begin(), batches.end(), random);
    return batches;
  }

 private:
  const std::vector<int64_t> lengths_;
};

// How many pairs of neighbours in the translation are also in the reference, for each sentence.
Tensor SharedPairs(const Tensor& words, const Tensor& reference) {
  const auto pairs = [](const Tensor& t) { return t.slice(0, 0, -1) * kWords + t.slice(0, 1); };
  const Tensor found = pairs(words).unsqueeze(1).eq(pairs(reference).unsqueeze(0));
  return found.any(1).to(torch::kFloat).mean(0);
}

// The mean over words that are not padding.
Tensor Loss(const Tensor& logits, const Tensor& target) {
  const Tensor losses =
      torch::nll_loss_nd(logits.flatten(0, 1).log_softmax(1), target.flatten(), {}, at::Reduction::None, -100);
  const Tensor counts = target.flatten().ne(kPad).to(losses.scalar_type());
  return (losses * counts).sum() / counts.sum().clamp_min(1);
}

// A language model over packed sentences, trained beside the translator.
struct LanguageModelImpl : nn::Module {
  explicit LanguageModelImpl(const Options& o)
      : embedding(register_module("embedding", nn::Embedding(kWords, o.embedded))),
        lstm(register_module("lstm", nn::LSTM(nn::LSTMOptions(o.embedded, o.hidden).batch_first(true)))),
        output(register_module("output", nn::Linear(o.hidden, kWords))) {}

  Tensor forward(const Batch& batch) {
    const auto packed = rnn::pack_padded_sequence(
        embedding(batch.source.t()), batch.lengths, /*batch_first=*/true, /*enforce_sorted=*/true);
    const auto [outputs, state] = lstm->forward_with_packed_input(packed);
    return output(outputs.data());
  }

  nn::Embedding embedding;
  nn::LSTM lstm;
  nn::Linear output;
};
TORCH_MODULE(LanguageModel);

class Trainer {
 public:
  Trainer(torch::Device device, Trace& trace) : device_(device), trace_(trace) {
    translator_->to(device);
    language_model_->to(device);
  }

  void Train() {
    torch::optim::Adam optimizer(translator_->parameters(), torch::optim::AdamOptions(1e-3).amsgrad(true));
    torch::optim::StepLR schedule(optimizer, 2, 0.5);
    torch::optim::ReduceLROnPlateauScheduler plateau(optimizer);
    std::mt19937 random(0);
    for (int epoch = 0; epoch < 2; ++epoch) {
      for (const auto& lengths : Buckets({9, 1, 7, 4, 7, 6, 5, 1, 3, 2}).Batches(4, random))
        Step(NextBatch(lengths, 6, device_), optimizer);
      schedule.step();
      plateau.step(Validate());
      SaveIfBest(optimizer, epoch);
    }
    trace_.NoteModule("translator", *translator_);
  }

  // Takes the weights of the best epoch.
  void Restore() {
    torch::load(translator_, best_, device_);
    torch::optim::Adam optimizer(translator_->parameters(), torch::optim::AdamOptions(1e-3).amsgrad(true));
    Step(NextBatch({4, 4}, 5, device_), optimizer);
    trace_.NoteModule("restored", *translator_);
  }

  void TrainLanguageModel() {
    torch::optim::RMSprop optimizer(language_model_->parameters(), torch::optim::RMSpropOptions(1e-3).momentum(0.5));
    const Batch batch = NextBatch({5, 4, 2}, 4, device_);
    const Tensor logits = trace_.Note("language model", language_model_(batch));
    const Tensor next = torch::randint(kWords, {logits.size(0)}, torch::kLong).to(device_);
    torch::cross_entropy_loss(logits, next).backward();
    nn::utils::clip_grad_value_(language_model_->parameters(), 0.5);
    optimizer.step();
    trace_.NoteModule("language model", *language_model_);
  }

  void Evaluate() {
    translator_->eval();
    const torch::NoGradGuard no_grad;
    const Batch batch = NextBatch({5, 3}, 7, device_);
    const Tensor words = trace_.Note("translation", translator_->Translate(batch, 8));
    const Tensor hits = words.slice(0, 0, 6).eq(batch.target.slice(0, 1));
    trace_.Note("accuracy", hits.to(torch::kFloat).mean(0));
    trace_.Note("shared pairs", SharedPairs(words, batch.target.slice(0, 1)));
    const auto [best, scores] = translator_->Search(batch, 5, 3);
    trace_.Note("best translation", best);
    trace_.Note("scores", scores);
  }

 private:
  float Validate() {
    translator_->eval();
    const torch::NoGradGuard no_grad;
    const Batch batch = NextBatch({6, 4, 4}, 6, device_);
    const Tensor loss = trace_.Note("validation loss", Loss(translator_(batch), batch.target.slice(0, 1)));
    translator_->train();
    return loss.item<float>();
  }

  void SaveIfBest(const torch::optim::Optimizer& optimizer, int epoch) {
    if (epoch > 0) return;
    torch::save(translator_, best_);
    torch::save(optimizer, best_optimizer_);
  }

  void Step(const Batch& batch, torch::optim::Optimizer& optimizer) {
    optimizer.zero_grad();
    const Tensor logits = trace_.Note("logits", translator_(batch));
    const Tensor loss = trace_.Note("loss", Loss(logits, batch.target.slice(0, 1)));
    loss.backward();
    nn::utils::clip_grad_norm_(translator_->parameters(), 1.0);
    optimizer.step();
    total_loss_ += loss.item<double>();
  }

  const torch::Device device_;
  Trace& trace_;
  Translator translator_{Options{}};
  LanguageModel language_model_{Options{}};
  std::stringstream best_, best_optimizer_;
  double total_loss_ = 0;
};

}  // namespace

void TrainSeq2Seq(torch::Device device, Trace& trace) {
  Trainer trainer(device, trace);
  trainer.Train();
  trainer.Restore();
  trainer.TrainLanguageModel();
  trainer.Evaluate();
}

}  // namespace fakeprop::programs
