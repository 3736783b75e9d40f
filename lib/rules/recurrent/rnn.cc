// Recurrent networks: whole layers over padded or packed input, and single cells.
// Source: aten/src/ATen/native/RNN.cpp (torch 2.13). Layer results are row-major in [sequence, batch, feature].
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/unbacked_results.h"

namespace fakeprop::rules {
namespace {

constexpr int kLstmGates = 4;
constexpr int kGruGates = 3;
constexpr int kPlainGates = 1;

// What makes gates of sums: a sigmoid written in place, which integers do not take; a tanh, which makes them floating;
// or a relu, which leaves them as they are.
enum class Squash { kSigmoid, kTanh, kRelu };

template <Squash S>
ScalarType SquashedDtype(const Call& call, ScalarType dtype) {
  if (dtype == ScalarType::Bool && call.device().is_cpu()) FailDtype(call, "computes no products of bool");
  if (IsFloatOrComplex(dtype) || S == Squash::kRelu) return dtype;
  if (S == Squash::kTanh) return call.state().default_dtype;
  FailDtype(call, "computes its gates in place, which tensors of " + std::string(DtypeName(dtype)) + " cannot hold");
}

void RequireEqual(const Call& call, Dim got, Dim want, std::string_view what) {
  if (Expect(Eq(got, want))) return;
  FailShape(
      call, std::string("expects ") + std::string(what) + " of " + want.ToString() + ", but it is " + got.ToString());
}

// Weights of each layer and direction: input-hidden, hidden-hidden, two biases, a projection.
struct Weights {
  std::vector<Tensor*> all;
  size_t per_direction = 0;
};

Weights CheckWeights(const Call& call, std::vector<Tensor*> all, bool has_biases, int64_t directions, bool projects) {
  Weights w{std::move(all), size_t{has_biases ? 4u : 2u} + (projects ? 1u : 0u)};
  const size_t count = static_cast<size_t>(directions);
  if (w.all.size() != count * w.per_direction) {
    FailValue(call, "expects " + std::to_string(count * w.per_direction) +
                        " weights for its layers and directions, but got " + std::to_string(w.all.size()));
  }
  for (const Tensor* t : w.all)
    if (!t) FailValue(call, "has a missing weight");
  return w;
}

// A row of the weight for each gate and element of the cell; gates of one element broadcast.
void CheckGates(const Call& call, Dim rows, Dim cell, int gates) {
  if (Expect(Eq(rows, cell * gates)) || (gates > kPlainGates && Expect(Eq(rows, gates)))) return;
  FailShape(call, "expects a weight of " + std::to_string(gates) + " gates for a hidden size of " + cell.ToString() +
                      ", not of " + rows.ToString() + " rows");
}

// What an lstm makes of its cell before it hands it on.
void CheckProjection(const Call& call, const TensorMeta& projection, Dim cell, Dim hidden_out) {
  if (projection.rank() != 2) FailShape(call, "expects weights of 2 dimensions");
  RequireEqual(call, projection.sizes[1], cell, "a projection of the cell");
  RequireEqual(call, projection.sizes[0], hidden_out, "a projection to the hidden size");
}

// One layer's arithmetic: features in, gates of `cell` elements, `hidden_out` features out.
void CheckLayer(const Call& call, const Weights& w, size_t first, Dim features, Dim cell, Dim hidden_out, int gates) {
  const TensorMeta &input = w.all[first]->meta, &recurrent = w.all[first + 1]->meta;
  if (input.rank() != 2 || recurrent.rank() != 2) FailShape(call, "expects weights of 2 dimensions");
  RequireEqual(call, input.sizes[1], features, "a weight for its input's features");
  RequireEqual(call, recurrent.sizes[0], input.sizes[0], "as many gates in both weights");
  RequireEqual(call, recurrent.sizes[1], hidden_out, "a recurrent weight for the hidden size");
  CheckGates(call, input.sizes[0], cell, gates);
  if (w.per_direction % 2 == 1) CheckProjection(call, w.all[first + w.per_direction - 1]->meta, cell, hidden_out);
}

// What a linear map adds: a number for each gate, or one for all.
void RequireBias(const Call& call, const Tensor& bias, Dim gates) {
  const Dim row[] = {1, gates};
  if (!CanExpandTo(bias.meta.size_span(), {row, 2}))
    FailShape(call, "expects a bias of " + gates.ToString() + " gates, but got " + ToString(bias.meta.size_span()));
}

struct LayerArguments {
  std::vector<Tensor*> hidden;  // h, and c of an lstm
  std::vector<Tensor*> weights;
  bool has_biases;
  int64_t layers;
  bool bidirectional;
  int gates;
};

// Checks all layers and gives the features of the output.
Dim CheckLayers(const Call& call, const LayerArguments& a, Dim features, Dim batch) {
  const int64_t directions = a.bidirectional ? 2 : 1;
  for (const Tensor* h : a.hidden) {
    if (h->meta.rank() != 3)
      FailShape(call, "expects hidden states of 3 dimensions, not " + ToString(h->meta.size_span()));
    RequireEqual(call, h->meta.sizes[0], a.layers * directions, "hidden states for its layers and directions");
    RequireEqual(call, h->meta.sizes[1], batch, "hidden states for a batch");
  }
  // An lstm whose two states differ in size projects the one that it hands on.
  const bool projects =
      a.hidden.size() == 2 && !GuardOrFalse(Eq(a.hidden[0]->meta.sizes[2], a.hidden[1]->meta.sizes[2]));
  const Weights w = CheckWeights(call, a.weights, a.has_biases, a.layers * directions, projects);
  const Dim hidden_out = a.hidden[0]->meta.sizes[2], cell = a.hidden.back()->meta.sizes[2];
  for (int64_t layer = 0; layer < a.layers; ++layer) {
    for (int64_t d = 0; d < directions; ++d) {
      const size_t first = (layer * directions + d) * w.per_direction;
      CheckLayer(call, w, first, features, cell, hidden_out, a.gates);
      for (size_t i = 2; a.has_biases && i < 4; ++i) RequireBias(call, *w.all[first + i], w.all[first]->meta.sizes[0]);
    }
    features = hidden_out * directions;
  }
  return features;
}

template <Squash S>
void ReturnHidden(Call& call, const std::vector<Tensor*>& hidden) {
  for (const Tensor* h : hidden) ReturnContiguous(call, h->meta.size_span(), SquashedDtype<S>(call, h->meta.dtype));
}

// The CPU's products take one dtype.
void RequireOneDtype(const Call& call, const TensorMeta& input, const LayerArguments& a) {
  if (!input.device.is_cpu()) return;
  for (const std::vector<Tensor*>* tensors : {&a.hidden, &a.weights})
    for (const Tensor* t : *tensors)
      if (t->meta.dtype != input.dtype)
        Fail(ErrorClass::kDtypeMismatch,
            std::string(call.schema().full_name) + " takes tensors of one dtype, but found " + ToString(input) +
                " and " + ToString(t->meta),
            {t});
}

// What a tanh makes of integers is floating: no product takes it and the weights in a second step or layer.
template <Squash S>
void RequireOneStep(const Call& call, ScalarType dtype, const LayerArguments& a, Dim length) {
  if (S != Squash::kTanh || IsFloatOrComplex(dtype)) return;
  if (a.layers > 1 || (call.device().is_cpu() && Guard(Gt(length, 1))))
    FailDtype(
        call, "mixes float32 states with weights of " + std::string(DtypeName(dtype)) + " from its second product on");
}

// (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
template <int Gates, Squash S>
void PaddedLayers(Call& call) {
  const TensorMeta& input = call.Meta(0);
  if (input.rank() != 3) FailShape(call, "expects an input of 3 dimensions, not " + ToString(input.size_span()));
  const bool batch_first = call.Bool(8);
  const Dim batch = input.sizes[batch_first ? 0 : 1], length = input.sizes[batch_first ? 1 : 0];
  LayerArguments a{call.Tensors(1), call.Tensors(2), call.Bool(3), call.Int(4), call.Bool(7), Gates};
  if (Gates == kLstmGates && a.hidden.size() != 2) FailValue(call, "expects two hidden states");
  RequireOneDtype(call, input, a);
  RequireOneStep<S>(call, input.dtype, a, length);
  const Dim features = CheckLayers(call, a, input.sizes[2], batch);
  TensorMeta output = NewMeta(call, Dims{length, batch, features}, SquashedDtype<S>(call, input.dtype));
  if (batch_first) {
    std::swap(output.sizes[0], output.sizes[1]);
    std::swap(output.strides[0], output.strides[1]);
  }
  call.ReturnNew(std::move(output));
  ReturnHidden<S>(call, a.hidden);
}

// (data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional): all steps in one dimension
template <int Gates, Squash S>
void PackedLayers(Call& call) {
  const TensorMeta& data = call.Meta(0);
  if (data.rank() != 2) FailShape(call, "expects packed data of 2 dimensions, not " + ToString(data.size_span()));
  LayerArguments a{call.Tensors(2), call.Tensors(3), call.Bool(4), call.Int(5), call.Bool(8), Gates};
  if (Gates == kLstmGates && a.hidden.size() != 2) FailValue(call, "expects two hidden states");
  if (a.hidden[0]->meta.rank() != 3) FailShape(call, "expects hidden states of 3 dimensions");
  RequireOneDtype(call, data, a);
  const Dim features = CheckLayers(call, a, data.sizes[1], a.hidden[0]->meta.sizes[1]);
  ReturnContiguous(call, Dims{data.sizes[0], features}, SquashedDtype<S>(call, data.dtype));
  ReturnHidden<S>(call, a.hidden);
}

// check_rnn_cell_forward_input and _hidden: features and hidden size stand in dimension 1.
void CheckCellOperand(const Call& call, const TensorMeta& t, Dim want, std::string_view what) {
  if (t.rank() < 2)
    Fail(ErrorClass::kIndexOutOfRange, std::string(call.schema().full_name) + " takes " + std::string(what) +
                                           " of 2 dimensions, not " + ToString(t.size_span()));
  RequireEqual(call, t.sizes[1], want, std::string(what) + " with features");
  RequireEqual(call, t.sizes.back(), want, std::string(what) + " with features");
}

// The two halves of the gates, added up: [batch, gates * hidden].
Dims GateSizes(const Call& call, const TensorMeta& input, const TensorMeta& hidden) {
  auto projected = [&](const TensorMeta& t, int weight) {
    Dims sizes = t.sizes;
    sizes.back() = call.Meta(weight).sizes[0];
    return sizes;
  };
  const Dims of_input = projected(input, 2), of_hidden = projected(hidden, 3);
  return BroadcastSizes(of_input, of_hidden);
}

// The CPU's products take one dtype.
void RequireSameDtype(const Call& call, const TensorMeta& a, const TensorMeta& b, std::string_view what) {
  if (call.device().is_cpu() && a.dtype != b.dtype)
    FailDtype(call, "takes " + std::string(what) + " of one dtype, not " + std::string(DtypeName(a.dtype)) + " and " +
                        std::string(DtypeName(b.dtype)));
}

// Of (input, hx, w_ih, w_hh, b_ih, b_hh).
void RequireCellDtypes(const Call& call, const TensorMeta& hidden) {
  RequireSameDtype(call, call.Meta(0), call.Meta(2), "input and w_ih");
  RequireSameDtype(call, hidden, call.Meta(3), "hidden state and w_hh");
  for (int i : {4, 5})
    if (const Tensor* bias = call.OptionalTensor(i))
      RequireSameDtype(call, bias->meta, call.Meta(i - 2), "bias and weight");
}

// (input, hx, w_ih, w_hh, b_ih, b_hh): one step of a batch
template <int Gates, Squash S>
void Cell(Call& call) {
  const TensorMeta &input = call.Meta(0), &w_ih = call.Meta(2), &w_hh = call.Meta(3);
  const std::vector<Tensor*> hidden = call.Tensors(1);
  if (hidden.size() != (Gates == kLstmGates ? 2u : 1u)) FailValue(call, "expects two hidden states");
  if (w_ih.rank() != 2 || w_hh.rank() != 2) FailShape(call, "expects weights of 2 dimensions");
  CheckCellOperand(call, input, w_ih.sizes[1], "an input");
  for (const Tensor* h : hidden) {
    CheckCellOperand(call, h->meta, w_hh.sizes[1], "a hidden state");
    RequireEqual(call, h->meta.sizes[0], input.sizes[0], "a hidden state for a batch");
  }
  const TensorMeta& h = hidden[0]->meta;
  RequireCellDtypes(call, h);
  // The old cell state of an lstm is multiplied with its gates.
  const ScalarType dtype =
      PromoteTypes(SquashedDtype<S>(call, PromoteTypes(input.dtype, h.dtype)), hidden.back()->meta.dtype);
  const Dims gates = GateSizes(call, input, h);
  RequireEqual(call, gates.back(), h.sizes.back() * Gates, "a weight with gates");
  for (int i : {4, 5})
    if (const Tensor* bias = call.OptionalTensor(i)) RequireBias(call, *bias, gates.back());
  // A gru's last step is arithmetic that begins with the old state, and so takes its layout.
  if (Gates == kGruGates) return void(ReturnLike(call, h, dtype));
  Dims sizes = gates;
  sizes.back() = h.sizes.back();
  for (size_t i = 0; i < hidden.size(); ++i) ReturnContiguous(call, sizes, dtype);
}

// (input, lengths, batch_first): how many steps there are in all depends on the lengths
void PackPadded(Call& call) {
  const TensorMeta &input = call.Meta(0), &lengths = call.Meta(1);
  const bool batch_first = call.Bool(2);
  if (lengths.rank() != 1) FailShape(call, "expects lengths of 1 dimension, not " + ToString(lengths.size_span()));
  if (input.rank() < 2)
    FailShape(call, "expects an input of at least 2 dimensions, not " + ToString(input.size_span()));
  RequireEqual(call, lengths.sizes[0], input.sizes[batch_first ? 0 : 1], "lengths for a batch");
  // Eager's results: the steps of all sequences one after another, and on the cpu how many sequences reach each step.
  const Dim steps = input.sizes[batch_first ? 1 : 0];
  Dims sizes(input.sizes.begin() + 2, input.sizes.end());
  sizes.insert(sizes.begin(), UnbackedSize(call, MostElements(steps * lengths.sizes[0])));
  ReturnContiguous(call, sizes, input.dtype);
  call.ReturnNew(
      ContiguousMeta(Dims{UnbackedSize(call, MostElements(steps))}, ScalarType::Long, Device(DeviceType::CPU)));
}

// (grad, input_size, batch_sizes, batch_first): Python would read the batch sizes; eager needs them for the data alone.
void PackPaddedBackward(Call& call) {
  const TensorMeta& batch_sizes = call.Meta(2);
  if (batch_sizes.rank() != 1) FailShape(call, "expects batch sizes of 1 dimension, not " + ToString(batch_sizes));
  if (batch_sizes.dtype != ScalarType::Long) FailDtype(call, "expects int64 batch sizes, not " + ToString(batch_sizes));
  Dims sizes = call.DimList(1);
  const bool batch_first = call.Bool(3);
  if (sizes.size() < 2)
    FailShape(call, "expects input sizes of at least 2 dimensions, not " + ToString(DimSpan(sizes)));
  if (batch_first) std::swap(sizes[0], sizes[1]);
  TensorMeta grad = NewMeta(call, sizes, call.Meta(0).dtype);
  if (batch_first) {
    std::swap(grad.sizes[0], grad.sizes[1]);
    std::swap(grad.strides[0], grad.strides[1]);
  }
  Output& result = call.ReturnNew(std::move(grad));
  if (Known(Eq(batch_sizes.sizes[0], 0))) result.requires_grad = false;  // zeros that nothing is copied into
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
    {"aten::_pack_padded_sequence", PackPadded, Devices::kAny},  // as lengths do
    {"aten::_pack_padded_sequence_backward", PackPaddedBackward, Devices::kAny},
    {"aten::_pad_packed_sequence", DynamicShape, Devices::kAny},
    {"aten::lstm_cell", Cell<kLstmGates, Squash::kSigmoid>},
    {"aten::gru_cell", Cell<kGruGates, Squash::kSigmoid>},
    {"aten::rnn_tanh_cell", Cell<kPlainGates, Squash::kTanh>},
    {"aten::rnn_relu_cell", Cell<kPlainGates, Squash::kRelu>},
};

}  // namespace

RuleRows RnnRules() { return kRows; }

}  // namespace fakeprop::rules
