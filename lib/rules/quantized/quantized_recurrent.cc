// Recurrent layers and cells with packed weights.
// Source: aten/src/ATen/native/RNN.cpp (torch 2.15).
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"
#include "lib/rules/support/packed_items.h"

namespace fakeprop::rules {
namespace {

Operand FloatIn(const Call& call, ArgumentName name) {
  return call.In(name).Takes(ScalarType::Float, "takes float32 tensors, not {tensor}");
}

// Those of an LSTM.
Operands StatesOf(const Call& call) { return call.ListIn("hx", 2, "takes two states, not {}"); }

// ---- cells

void RequireCell(const Call& call, const Operand& input, const Operand& state) {
  input.RankAtLeast(2);
  state.Takes(ScalarType::Float, "takes float32 tensors, not {tensor}").RankAtLeast(2);
  RequireColumns(input, PackedItems(call, "w_ih").Tensor(0));
  RequireColumns(state, PackedItems(call, "w_hh").Tensor(0));
}

void LstmCell(Call& call) {
  const Operands states = StatesOf(call);
  RequireCell(call, FloatIn(call, "input").Rank(2), states[0]);
  for (const Operand& state : states) ReturnContiguous(call, state);
}

// The gates of a GRU are added to its state, which they follow in their layout.
void GruCell(Call& call) {
  const Operand state = call.In("hx");
  RequireCell(call, FloatIn(call, "input").Rank(2), state);
  ReturnLike(call, state);
}

void PlainCell(Call& call) {
  const Operand state = call.In("hx");
  RequireCell(call, FloatIn(call, "input"), state);
  ReturnContiguous(call, state);
}

// ---- layers

int64_t DirectionsOf(const Call& call) { return call.Bool("bidirectional") ? 2 : 1; }

// The cells of all layers and directions, of which the first ones see the input.
void RequireCells(const Call& call, const Operand& input, const Operand& state) {
  const List* cells = call.Arg("params").TryList();
  const int64_t count = call.Int("num_layers") * DirectionsOf(call);
  RequireValue(call, cells && std::ssize(cells->items) == count,
      {"takes {} packed cells, one for each layer and direction", count});
  state.Rank(3).Size(0, count, {"takes a state for each of {} layers and directions, but got shape {}", count});
  const PackedItems first(call, "params", cells->items[0]);
  RequireColumns(input, first.Inner(0).Tensor(0));
  RequireColumns(state, first.Inner(1).Tensor(0));
}

// Steps come first in the computation; with `batch_first` the result is a transposed view of it.
void ReturnSteps(Call& call, const TensorMeta& input, Dim features) {
  TensorMeta out = NewMeta(call, WithSize(input.size_span(), -1, features), ScalarType::Float);
  if (call.Flag("batch_first")) {
    out.strides[1] = out.sizes[0] * features;
    out.strides[0] = features;
  }
  call.ReturnNew(std::move(out));
}

template <int64_t kRank>
void Layers(Call& call, const Operand& state) {
  const Operand input = FloatIn(call, kRank == 3 ? ArgumentName("input") : ArgumentName("data")).Rank(kRank);
  RequireCells(call, input, state);
  ReturnSteps(call, input, state->sizes[2] * DirectionsOf(call));
}

template <int64_t kRank>
void LstmLayers(Call& call) {
  const Operands states = StatesOf(call);
  Layers<kRank>(call, states[0]);
  for (const Operand& state : states) ReturnContiguous(call, state);
}

template <int64_t kRank>
void GruLayers(Call& call) {
  const Operand state = call.In("hx");
  Layers<kRank>(call, state);
  ReturnContiguous(call, state);
}

constexpr RuleRow kRows[] = {
    {"quantized::quantized_lstm_cell_dynamic", LstmCell},
    {"quantized::quantized_gru_cell_dynamic", GruCell},
    {"quantized::quantized_rnn_relu_cell_dynamic", PlainCell},
    {"quantized::quantized_rnn_tanh_cell_dynamic", PlainCell},
    {"aten::quantized_lstm.input", LstmLayers<3>},
    {"aten::quantized_lstm.data", LstmLayers<2>},
    {"aten::quantized_gru.input", GruLayers<3>},
    {"aten::quantized_gru.data", GruLayers<2>},
};

}  // namespace

RuleRows QuantizedRecurrentRules() { return kRows; }

}  // namespace fakeprop::rules
