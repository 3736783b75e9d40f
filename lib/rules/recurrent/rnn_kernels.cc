// Recurrent layers of one library each, and the kernels of single cells.
// Source: _cudnn_rnn, miopen_rnn, mkldnn_rnn_layer(_backward), rnn_cell_checkSizes and checkLSTMBackwardSizes in
// torch/_meta_registrations.py; aten/src/ATen/native/cuda/RNN.cu (torch 2.13). Buffers that a library sizes for itself
// are empty, as Python has them.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

constexpr int64_t kGruMode = 3;

void ReturnEmpty(Call& call, ScalarType dtype) { ReturnContiguous(call, Dims{0}, dtype); }

// An optional state's new value, or a placeholder of the default dtype.
void ReturnState(Call& call, const Tensor* state, const Dims& sizes) {
  if (state) {
    ReturnContiguous(call, sizes, state->meta.dtype);
  } else {
    ReturnEmpty(call, call.state().default_dtype);
  }
}

// Where the arguments of a layer stand; those before `mode` differ between the libraries.
struct LayerPositions {
  int hx, mode;
  bool projects;  // an argument proj_size follows hidden_size
};

// input, hx, cx, mode, hidden_size, [proj_size], num_layers, batch_first, dropout, train, bidirectional, batch_sizes:
// (output, hy, cy, reserve), with the buffer of weights to follow
void ReturnLayers(Call& call, const LayerPositions& at) {
  const TensorMeta& input = call.Meta(0);
  const int next = at.mode + (at.projects ? 3 : 2);
  const Dims batch_sizes = call.DimList(next + 5);
  const bool packed = !batch_sizes.empty(), batch_first = call.Bool(next + 1);
  RequireRank(call, 0, packed ? 2 : 3);
  const Dim hidden = call.DimArg(at.mode + 1), projected = at.projects ? call.DimArg(at.mode + 2) : Dim(0);
  const Dim features = Guard(Ne(projected, 0)) ? projected : hidden;
  const Dim directions = call.Bool(next + 4) ? 2 : 1;
  const Dim batch = packed ? batch_sizes[0] : input.sizes[batch_first ? 0 : 1];
  Dims sizes = input.sizes;
  sizes.back() = features * directions;
  ReturnContiguous(call, sizes, input.dtype);
  const Dim states = directions * call.Int(next);
  ReturnContiguous(call, Dims{states, batch, features}, call.Meta(at.hx).dtype);
  ReturnState(call, call.OptionalTensor(at.hx + 1), Dims{states, batch, hidden});
  ReturnEmpty(call, ScalarType::Byte);
}

// (input, weight, weight_stride0, weight_buf, hx, cx, mode, ...)
void CudnnLayers(Call& call) {
  ReturnLayers(call, {4, 6, true});
  if (Tensor* buffer = call.OptionalTensor(3)) {
    call.ReturnArgument(*buffer);
  } else {
    call.ReturnNone();
  }
}

// (input, weight, weight_stride0, hx, cx, mode, ...): all weights are copied into one buffer
void MiopenLayers(Call& call) {
  ReturnLayers(call, {3, 5, false});
  Dim numel = 0;
  for (const Tensor* weight : call.Tensors(1)) numel += Numel(weight->meta.size_span());
  ReturnContiguous(call, Dims{numel}, call.Meta(0).dtype);
}

// (input, weight0, .., weight3, hx, cx, reverse, batch_sizes, mode, hidden_size, num_layers, has_biases, bidirectional,
// batch_first, train) -> (output, hy, cy, workspace): one direction of one layer
void MkldnnLayer(Call& call) {
  RequireRank(call, 0, 3);
  Dims sizes = call.Meta(0).sizes;
  sizes.back() = call.DimArg(10);
  ReturnContiguous(call, sizes, call.Meta(0).dtype);
  for (int i : {5, 6}) ReturnContiguous(call, call.Meta(i).size_span(), call.Meta(i).dtype);
  ReturnEmpty(call, ScalarType::Byte);
}

// (input, weight1, .., weight4, hx, cx, output, hy, cy, grad_output, grad_hy, grad_cy, reverse, mode, hidden_size, ...)
void MkldnnLayerBackward(Call& call) {
  auto give = [&](const TensorMeta& like) -> Output& {
    return ReturnContiguous(call, like.size_span(), ScalarType::Float);
  };
  for (int i : {0, 1, 2}) give(call.Meta(i));
  // Both biases have one gradient; a gru's has a fourth gate. Weights stand in for biases where there are none.
  TensorMeta bias = call.Meta(3);
  if (bias.rank() == 0) FailShape(call, "takes a bias for each gate, not " + ToString(bias));
  bias.sizes = {call.Int(14) == kGruMode ? call.DimArg(15) * 4 : bias.sizes[0]};
  give(bias);
  give(bias).shares_with = 3;
  for (int i : {5, 6}) give(call.Meta(i));
}

void RequireNumel(const Call& call, int argument, Dim numel) {
  if (!HasNumel(call.Meta(argument), numel))
    FailShape(call, "takes a `" + std::string(call.schema().arguments[argument].name) + "` of " + numel.ToString() +
                        " elements, not " + ToString(call.Meta(argument)));
}

// (input_gates, hidden_gates, hidden, input_bias, hidden_bias): `gates` of each hidden feature
void RequireCell(const Call& call, int64_t gates) {
  const TensorMeta& input = call.Meta(0);
  RequireRank(call, 0, 2);
  RequireSameSizes(call, 0, 1);
  RequireRank(call, 2, 2);
  if (call.OptionalTensor(3)) {
    if (call.IsNone(4)) FailValue(call, "needs both biases or none");
    RequireRank(call, 3, 1);
    RequireNumel(call, 3, input.sizes[1]);
    RequireSameSizes(call, 3, 4);
  }
  RequireNumel(call, 2, FloorDiv(input.sizes[0] * input.sizes[1], gates));
}

// -> (hy, cy, workspace)
void FusedLstmCell(Call& call) {
  RequireCell(call, 4);
  const TensorMeta& cx = call.Meta(2);
  ReturnContiguous(call, cx.size_span(), cx.dtype);
  ReturnContiguous(call, cx.size_span(), cx.dtype);
  ReturnContiguous(call, call.Meta(0).size_span(), call.Meta(0).dtype);
}

// -> (hy, workspace)
void FusedGruCell(Call& call) {
  RequireCell(call, 3);
  const TensorMeta& hx = call.Meta(2);
  ReturnContiguous(call, hx.size_span(), hx.dtype);
  ReturnContiguous(call, Dims{hx.sizes[0], hx.sizes[1] * 5}, hx.dtype);
}

// (grad_hy, grad_cy, cx, cy, workspace, has_bias) -> (grad_gates, grad_cx, grad_bias)
void FusedLstmCellBackward(Call& call) {
  if (call.IsNone(0) && call.IsNone(1)) {
    for (int i = 0; i < 3; ++i) call.ReturnNone();
    return;
  }
  const int grad = call.IsNone(0) ? 1 : 0;
  RequireRank(call, grad, 2);
  for (int i : {1, 2, 3})
    if (call.OptionalTensor(i)) RequireSameSizes(call, grad, i);
  RequireRank(call, 4, 2);
  RequireNumel(call, 4, Numel(call.Meta(grad).size_span()) * 4);
  const TensorMeta &cx = call.Meta(2), &workspace = call.Meta(4);
  ReturnContiguous(call, workspace.size_span(), workspace.dtype);
  ReturnContiguous(call, cx.size_span(), cx.dtype);
  if (!call.Bool(5)) return call.ReturnNone();
  ReturnContiguous(call, Dims{workspace.sizes[1]}, workspace.dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::_cudnn_rnn", CudnnLayers},
    {"aten::miopen_rnn", MiopenLayers},
    {"aten::mkldnn_rnn_layer", MkldnnLayer},
    {"aten::mkldnn_rnn_layer_backward", MkldnnLayerBackward},
    {"aten::_thnn_fused_lstm_cell", FusedLstmCell},
    {"aten::_thnn_fused_lstm_cell_backward_impl", FusedLstmCellBackward},
    {"aten::_thnn_fused_gru_cell", FusedGruCell},
};

}  // namespace

RuleRows RnnKernelsRules() { return kRows; }

}  // namespace fakeprop::rules
