// Recurrent networks: whole layers over padded or packed input, and single cells.
// Source: aten/src/ATen/native/RNN.cpp (torch 2.13). Layer results are row-major in [sequence, batch, feature].
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/data_dependent_results.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

constexpr int kLstmGates = 4;
constexpr int kGruGates = 3;
constexpr int kPlainGates = 1;

// The function that makes gates of sums. Sigmoid writes in place, which integers do not allow; tanh makes integers
// floating; relu leaves the dtype as it is.
enum class Squash { kSigmoid, kTanh, kRelu };

template <Squash S>
ScalarType SquashedDtype(const Call& call, ScalarType dtype) {
  if (dtype == ScalarType::Bool && call.OnCpu()) FailDtype(call, "computes no products of bool");
  if (IsFloatOrComplex(dtype) || S == Squash::kRelu) return dtype;
  if (S == Squash::kTanh) return call.state().default_dtype;
  FailDtype(call, {"computes its gates in place, which tensors of {} cannot hold", dtype});
}

void RequireEqual(const Call& call, Dim got, Dim want, const char* what) {
  RequireShape(call, Eq(got, want), {"expects {} of {}, but it is {}", what, want, got});
}

constexpr const char* kWeightText = "expects weights of 2 dimensions";

// Weights of each layer and direction: input-hidden, hidden-hidden, two biases, a projection.
struct Weights {
  Operands all;
  size_t per_direction = 0;
};

Weights CheckWeights(const Call& call, Operands all, bool has_biases, int64_t directions, bool projects) {
  Weights w{std::move(all), size_t{has_biases ? 4u : 2u} + (projects ? 1u : 0u)};
  const size_t count = static_cast<size_t>(directions) * w.per_direction;
  RequireValue(call, w.all.size() == count,
      {"expects {} weights for its layers and directions, but got {}", count, w.all.size()});
  return w;
}

// A row of the weight for each gate and element of the cell; gates of one element broadcast.
void CheckGates(const Call& call, Dim rows, Dim cell, int gates) {
  const bool fits = Expect(Eq(rows, cell * gates)) || (gates > kPlainGates && Expect(Eq(rows, gates)));
  RequireShape(call, fits, {"expects a weight of {} gates for a hidden size of {}, not of {} rows", gates, cell, rows});
}

// An lstm may project its cell to the hidden size.
void CheckProjection(const Call& call, const Operand& projection, Dim cell, Dim hidden_out) {
  const auto [out, in] = projection.Sizes<2>(kWeightText);
  RequireEqual(call, in, cell, "a projection of the cell");
  RequireEqual(call, out, hidden_out, "a projection to the hidden size");
}

// One layer's arithmetic: features in, gates of `cell` elements, `hidden_out` features out.
void CheckLayer(const Call& call, const Weights& w, size_t first, Dim features, Dim cell, Dim hidden_out, int gates) {
  const auto [rows, in] = w.all[first].Sizes<2>(kWeightText);
  const auto [recurrent_rows, recurrent_in] = w.all[first + 1].Sizes<2>(kWeightText);
  RequireEqual(call, in, features, "a weight for its input's features");
  RequireEqual(call, recurrent_rows, rows, "as many gates in both weights");
  RequireEqual(call, recurrent_in, hidden_out, "a recurrent weight for the hidden size");
  CheckGates(call, rows, cell, gates);
  if (w.per_direction % 2 == 1) CheckProjection(call, w.all[first + w.per_direction - 1], cell, hidden_out);
}

// A bias has a number for each gate, or one for all.
void RequireBias(const Operand& bias, Dim gates) {
  const Dim row[] = {1, gates};
  bias.BroadcastsTo({row, 2}, {"expects a bias of {} gates, but got {}", gates});
}

struct LayerArguments {
  Operands hidden;  // h, and c of an lstm
  Operands weights;
  bool has_biases;
  int64_t layers;
  bool bidirectional;
  int gates;
};

LayerArguments LayersOf(const Call& call, int gates) {
  const Operands hidden = gates == kLstmGates ? call.ListIn("hx", 2, "expects two hidden states") : call.ListIn("hx");
  return {hidden, call.ListIn("params"), call.Bool("has_biases"), call.Int("num_layers"), call.Bool("bidirectional"),
      gates};
}

// Checks all layers and gives the features of the output.
Dim CheckLayers(const Call& call, const LayerArguments& a, Dim features, Dim batch) {
  const int64_t directions = a.bidirectional ? 2 : 1;
  for (const Operand& h : a.hidden) {
    const auto [states, states_batch, size] = h.Sizes<3>("expects hidden states of 3 dimensions, not {}");
    RequireEqual(call, states, a.layers * directions, "hidden states for its layers and directions");
    RequireEqual(call, states_batch, batch, "hidden states for a batch");
  }
  const Dim hidden_out = a.hidden[0]->sizes[2], cell = a.hidden.back()->sizes[2];
  // An lstm whose two states differ in size projects the one that it hands on.
  const bool projects = a.hidden.size() == 2 && !GuardOrFalse(Eq(hidden_out, cell));
  const Weights w = CheckWeights(call, a.weights, a.has_biases, a.layers * directions, projects);
  for (int64_t layer = 0; layer < a.layers; ++layer) {
    for (int64_t d = 0; d < directions; ++d) {
      const size_t first = (layer * directions + d) * w.per_direction;
      CheckLayer(call, w, first, features, cell, hidden_out, a.gates);
      for (size_t i = 2; a.has_biases && i < 4; ++i) RequireBias(w.all[first + i], w.all[first]->sizes[0]);
    }
    features = hidden_out * directions;
  }
  return features;
}

template <Squash S>
void ReturnHidden(Call& call, const Operands& hidden) {
  for (const Operand& h : hidden) ReturnContiguous(call, h, SquashedDtype<S>(call, h->dtype));
}

// The CPU's products take one dtype.
void RequireOneDtype(const Call& call, const TensorMeta& input, const LayerArguments& a) {
  if (!input.device.is_cpu()) return;
  for (const Operands* operands : {&a.hidden, &a.weights})
    for (const Operand& t : *operands)
      if (t->dtype != input.dtype)
        FailAs(call, ErrorClass::kDtypeMismatch, {"takes tensors of one dtype, but found {} and {}", input, *t},
            {&t.tensor()});
}

// tanh makes integers floating. No product takes that result and integer weights, in a second step or layer.
template <Squash S>
void RequireOneStep(const Call& call, ScalarType dtype, const LayerArguments& a, Dim length) {
  if (S != Squash::kTanh || IsFloatOrComplex(dtype)) return;
  if (a.layers > 1 || (call.OnCpu() && Guard(Gt(length, 1))))
    FailDtype(call, {"mixes float32 states with weights of {} from its second product on", dtype});
}

template <int Gates, Squash S>
void PaddedLayers(Call& call) {
  const Operand input = call.In("input").Rank(3, "expects an input of 3 dimensions, not {}");
  const bool batch_first = call.Bool("batch_first");
  const Dim batch = input->sizes[batch_first ? 0 : 1], length = input->sizes[batch_first ? 1 : 0];
  const LayerArguments a = LayersOf(call, Gates);
  RequireOneDtype(call, input, a);
  RequireOneStep<S>(call, input->dtype, a, length);
  const Dim features = CheckLayers(call, a, input->sizes[2], batch);
  TensorMeta output = NewMeta(call, Dims{length, batch, features}, SquashedDtype<S>(call, input->dtype));
  call.ReturnNew(batch_first ? Transposed(std::move(output), 0, 1) : std::move(output));
  ReturnHidden<S>(call, a.hidden);
}

// All steps stand in one dimension.
template <int Gates, Squash S>
void PackedLayers(Call& call) {
  const Operand data = call.In("data").Rank(2, "expects packed data of 2 dimensions, not {}");
  const LayerArguments a = LayersOf(call, Gates);
  const Dim batch = a.hidden[0].Rank(3, "expects hidden states of 3 dimensions")->sizes[1];
  RequireOneDtype(call, data, a);
  const Dim features = CheckLayers(call, a, data->sizes[1], batch);
  ReturnContiguous(call, Dims{data->sizes[0], features}, SquashedDtype<S>(call, data->dtype));
  ReturnHidden<S>(call, a.hidden);
}

// ---- cells: one step of a batch

// check_rnn_cell_forward_input and _hidden: features and hidden size stand in dimension 1.
void CheckCellOperand(const Call& call, const TensorMeta& t, Dim want, const char* what) {
  RequireIndex(call, t.rank() >= 2, {"takes {} of 2 dimensions, not {}", what, t.sizes});
  for (Dim size : {t.sizes[1], t.sizes.back()})
    RequireShape(call, Eq(size, want), {"expects {} with features of {}, but it is {}", what, want, size});
}

// The two halves of the gates, added up: [batch, gates * hidden].
Dims GateSizes(const Call& call, const TensorMeta& input, const TensorMeta& hidden) {
  const auto projected = [&](const TensorMeta& t, ArgumentName weight) {
    return WithSize(t.sizes, -1, call.In(weight)->sizes[0]);
  };
  return BroadcastSizes(projected(input, "w_ih"), projected(hidden, "w_hh"));
}

// The CPU's products take one dtype.
void RequireProductDtype(const Call& call, const Operand& a, const Operand& b, const char* what) {
  if (call.OnCpu() && a && a->dtype != b->dtype)
    FailDtype(call, {"takes {} of one dtype, not {} and {}", what, a->dtype, b->dtype});
}

void RequireCellDtypes(const Call& call, const Operand& hidden) {
  const Operand w_ih = call.In("w_ih"), w_hh = call.In("w_hh");
  RequireProductDtype(call, call.In("input"), w_ih, "input and w_ih");
  RequireProductDtype(call, hidden, w_hh, "hidden state and w_hh");
  RequireProductDtype(call, call.OptionalIn("b_ih"), w_ih, "bias and weight");
  RequireProductDtype(call, call.OptionalIn("b_hh"), w_hh, "bias and weight");
}

template <int Gates, Squash S>
void Cell(Call& call) {
  const Operand input = call.In("input");
  const Operands hidden = call.ListIn("hx", Gates == kLstmGates ? 2 : 1, "expects two hidden states");
  const Operand w_ih = call.In("w_ih").Rank(2, kWeightText), w_hh = call.In("w_hh").Rank(2, kWeightText);
  CheckCellOperand(call, input, w_ih->sizes[1], "an input");
  for (const Operand& h : hidden) {
    CheckCellOperand(call, h, w_hh->sizes[1], "a hidden state");
    RequireEqual(call, h->sizes[0], input->sizes[0], "a hidden state for a batch");
  }
  const Operand h = hidden[0];
  RequireCellDtypes(call, h);
  // The old cell state of an lstm is multiplied with its gates.
  const ScalarType dtype =
      PromoteTypes(SquashedDtype<S>(call, PromoteTypes(input->dtype, h->dtype)), hidden.back()->dtype);
  const Dims gates = GateSizes(call, input, h);
  RequireEqual(call, gates.back(), h->sizes.back() * Gates, "a weight with gates");
  for (const Operand& bias : call.Given({"b_ih", "b_hh"})) RequireBias(bias, gates.back());
  // A gru's last step is elementwise and begins with the old state, whose layout it keeps.
  // cuda's fused kernel does not.
  if (Gates == kGruGates && !h->device.is_cuda()) return void(ReturnLike(call, h, dtype));
  for (size_t i = 0; i < hidden.size(); ++i) ReturnContiguous(call, WithSize(gates, -1, h->sizes.back()), dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::lstm.input", PaddedLayers<kLstmGates, Squash::kSigmoid>, Devices::kSame},
    {"aten::gru.input", PaddedLayers<kGruGates, Squash::kSigmoid>, Devices::kSame},
    {"aten::rnn_tanh.input", PaddedLayers<kPlainGates, Squash::kTanh>, Devices::kSame},
    {"aten::rnn_relu.input", PaddedLayers<kPlainGates, Squash::kRelu>, Devices::kSame},
    {"aten::lstm.data", PackedLayers<kLstmGates, Squash::kSigmoid>, Devices::kAny},  // batch_sizes stays on cpu
    {"aten::gru.data", PackedLayers<kGruGates, Squash::kSigmoid>, Devices::kAny},
    {"aten::rnn_tanh.data", PackedLayers<kPlainGates, Squash::kTanh>, Devices::kAny},
    {"aten::rnn_relu.data", PackedLayers<kPlainGates, Squash::kRelu>, Devices::kAny},
    {"aten::lstm_cell", Cell<kLstmGates, Squash::kSigmoid>},
    {"aten::gru_cell", Cell<kGruGates, Squash::kSigmoid>},
    {"aten::rnn_tanh_cell", Cell<kPlainGates, Squash::kTanh>},
    {"aten::rnn_relu_cell", Cell<kPlainGates, Squash::kRelu>},
};

}  // namespace

RuleRows RnnRules() { return kRows; }

}  // namespace fakeprop::rules
