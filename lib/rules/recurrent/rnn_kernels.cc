// Recurrent layers of cuDNN, MIOpen, oneDNN and Metal, and the kernels of single cells.
// Source: _cudnn_rnn, miopen_rnn, mkldnn_rnn_layer(_backward), rnn_cell_checkSizes and checkLSTMBackwardSizes in
// torch/_meta_registrations.py; in aten/src/ATen/native, cuda/RNN.cu, cudnn/RNN.cpp, miopen/RNN_miopen.cpp and
// mps/operations/RnnOps.mm (torch 2.13). As in Python, buffers whose sizes the library decides are empty.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

constexpr int64_t kGruMode = 3;

void ReturnEmpty(Call& call, ScalarType dtype) { ReturnContiguous(call, Dims{0}, dtype); }

// An optional state's new value, or a placeholder of the default dtype.
void ReturnState(Call& call, const Operand& state, const Dims& sizes) {
  if (!state) return ReturnEmpty(call, call.state().default_dtype);
  ReturnContiguous(call, sizes, state->dtype);
}

// (output, hy, cy, reserve). The caller adds the buffer of weights.
void ReturnLayers(Call& call, Dim projected) {
  const Operand input = call.In("input");
  const Dims batch_sizes = call.DimList("batch_sizes");
  const bool packed = !batch_sizes.empty(), batch_first = call.Bool("batch_first");
  input.Rank(packed ? 2 : 3);
  const Dim hidden = call.DimArg("hidden_size"), features = Guard(Ne(projected, 0)) ? projected : hidden;
  const Dim directions = call.Bool("bidirectional") ? 2 : 1;
  const Dim batch = packed ? batch_sizes[0] : input->sizes[batch_first ? 0 : 1];
  ReturnContiguous(call, WithSize(input->sizes, -1, features * directions), input->dtype);
  const Dim states = directions * call.Int("num_layers");
  ReturnContiguous(call, Dims{states, batch, features}, call.In("hx")->dtype);
  ReturnState(call, call.OptionalIn("cx"), Dims{states, batch, hidden});
  ReturnEmpty(call, ScalarType::Byte);
}

void CudnnLayers(Call& call) {
  ReturnLayers(call, call.DimArg("proj_size"));
  const Operand buffer = call.OptionalIn("weight_buf");
  if (!buffer) return call.ReturnNone();
  call.ReturnArgument(buffer.tensor());
}

// All weights are copied into one buffer.
void MiopenLayers(Call& call) {
  ReturnLayers(call, Dim(0));
  Dim numel = 0;
  for (const Operand& weight : call.ListIn("weight")) numel += weight.Numel();
  ReturnContiguous(call, Dims{numel}, call.In("input")->dtype);
}

void ReturnNothing(Call& call, int count) {
  for (int i = 0; i < count; ++i) call.ReturnNone();
}

void ReturnNoneList(Call& call, size_t count) { ReturnList(call, std::vector<Output>(count)); }

std::vector<TensorMeta> ContiguousLike(const Call& call, const Operands& tensors) {
  std::vector<TensorMeta> metas;
  for (const Operand& t : tensors) metas.push_back(NewMeta(call, t->size_span(), t->dtype));
  return metas;
}

// -> gradients of the input, of both states, and of the weights. cuDNN's gradients of weights are parts of one buffer;
// here each has its own memory.
void LayersBackward(Call& call) {
  const Operands weights = call.ListIn("weight");
  if (call.Given({"grad_output", "grad_hy", "grad_cy"}).empty()) {
    ReturnNothing(call, 3);
    return ReturnNoneList(call, weights.size());
  }
  RequireValue(call, call.Bool("train"), "runs in training mode alone");
  const bool packed = !call.DimList("batch_sizes").empty(), batch_first = call.Bool("batch_first") && !packed;
  const Operand input = call.In("input").Rank(packed ? 2 : 3), hx = call.In("hx").Rank(3);
  TensorMeta grad = NewMeta(call, batch_first ? Transposed(*input, 0, 1).sizes : input->sizes, input->dtype);
  call.ReturnNew(batch_first ? Transposed(std::move(grad), 0, 1) : std::move(grad));
  ReturnContiguous(call, hx);
  const Operand cx = call.OptionalIn("cx");
  cx ? void(ReturnContiguous(call, cx)) : call.ReturnNone();
  call.ReturnNewList(call.Bools("output_mask")[3] ? ContiguousLike(call, weights) : std::vector<TensorMeta>());
}

// ---- Metal

// -> (output, hy, cy, gates, cells, outputs of all layers but the last). Source: _lstm_mps (mps/operations/RnnOps.mm);
// of one layer, the last result is a placeholder.
void MetalLstm(Call& call) {
  const Operand input = call.In("input").Rank(3);
  const Operands states = call.ListIn("hx");
  RequireShape(call, states.size() == 2, {"takes two states, not {}", states.size()});
  states.Rank(3);
  states[1].Size(2, states[0]->sizes[2], "takes states of one size, because Metal has no projections, but got {}");
  const Dim features = states[0]->sizes[2] * (call.Bool("bidirectional") ? 2 : 1), layers = call.Int("num_layers");
  const bool batch_first = call.Bool("batch_first");
  const Dim steps = input->sizes[batch_first ? 1 : 0], batch = input->sizes[batch_first ? 0 : 1];
  ReturnContiguous(call, WithSize(input->sizes, -1, features), input->dtype);
  for (const Operand& state : states) ReturnLike(call, state, input->dtype);
  for (const Dim width : {features * 4, features})
    ReturnContiguous(call, Dims{layers, steps, batch, width}, input->dtype);
  const bool has_inner = Guard(Gt(layers, 1));
  ReturnContiguous(call, has_inner ? Dims{layers - 1, steps, batch, features} : Dims{1}, input->dtype);
}

// -> gradients of the input, of the states and of the weights. Gradients that are not given are zeros. Source:
// lstm_mps_backward (mps/operations/RnnOps.mm).
void MetalLstmBackward(Call& call) {
  const Operands states = call.ListIn("hx"), weights = call.ListIn("params");
  const Operand input = call.In("input").Rank(3);
  ReturnLike(call, input);
  for (const Operands& list : {states, weights}) call.ReturnNewList(ContiguousLike(call, list));
}

// ---- oneDNN

// One direction of one layer: (output, hy, cy, workspace)
void MkldnnLayer(Call& call) {
  const Operand input = call.In("input").Rank(3);
  ReturnContiguous(call, WithSize(input->sizes, -1, call.DimArg("hidden_size")), input->dtype);
  for (const Operand& state : {call.In("hx_"), call.In("cx_")}) ReturnContiguous(call, state);
  ReturnEmpty(call, ScalarType::Byte);
}

// Gradients of the input, of both weights, of the biases and of the states.
void MkldnnLayerBackward(Call& call) {
  auto give = [&](const TensorMeta& like) { ReturnContiguous(call, like.size_span(), ScalarType::Float); };
  for (ArgumentName name : ArgumentNames{"input", "weight1", "weight2"}) give(call.In(name));
  // The gradient of each bias has four gates for a gru. Calls without biases have weights in their place.
  const Operand weight = call.In("weight3");
  weight.RankAtLeast(1);
  TensorMeta bias = *weight;
  bias.sizes = {call.Int("mode") == kGruMode ? call.DimArg("hidden_size") * 4 : bias.sizes[0]};
  give(bias);
  give(bias);
  for (ArgumentName name : ArgumentNames{"hx_", "cx_tmp"}) give(call.In(name));
}

// ---- fused cells

void RequireNumel(const Operand& t, Dim numel) { t.NumelIs(numel); }

// `gates` of each feature of the hidden state.
void RequireCell(const Call& call, const Operand& hidden, int64_t gates) {
  const Operand input = call.In("input_gates").Rank(2);
  input.SameSizesAs(call.In("hidden_gates"));
  hidden.Rank(2);
  if (const Operand bias = call.OptionalIn("input_bias")) {
    RequireValue(call, call.Has("hidden_bias"), "needs both biases or none");
    RequireNumel(bias.Rank(1), input->sizes[1]);
    bias.SameSizesAs(call.In("hidden_bias"));
  }
  RequireNumel(hidden, FloorDiv(input->sizes[0] * input->sizes[1], gates));
}

// -> (hy, cy, workspace)
void FusedLstmCell(Call& call) {
  const Operand cx = call.In("cx"), gates = call.In("input_gates");
  RequireCell(call, cx, 4);
  for (const Operand& t : {cx, cx, gates}) ReturnContiguous(call, t);
}

// -> (hy, workspace)
void FusedGruCell(Call& call) {
  const Operand hx = call.In("hx");
  RequireCell(call, hx, 3);
  ReturnContiguous(call, hx);
  ReturnContiguous(call, Dims{hx->sizes[0], hx->sizes[1] * 5}, hx->dtype);
}

// -> (grad_gates, grad_cx, grad_bias)
void FusedLstmCellBackward(Call& call) {
  const Operand grad_hy = call.OptionalIn("grad_hy"), grad_cy = call.OptionalIn("grad_cy");
  if (!grad_hy && !grad_cy) return ReturnNothing(call, 3);
  const Operand grad = (grad_hy ? grad_hy : grad_cy).Rank(2);
  for (const Operand& t : call.Given({"grad_cy", "cx", "cy"})) grad.SameSizesAs(t);
  const Operand workspace = call.In("workspace").Rank(2), cx = call.In("cx");
  RequireNumel(workspace, grad.Numel() * 4);
  for (const Operand& t : {workspace, cx}) ReturnContiguous(call, t);
  if (!call.Bool("has_bias")) return call.ReturnNone();
  ReturnContiguous(call, Dims{workspace->sizes[1]}, workspace->dtype);
}

// -> (grad_input_gates, grad_hidden_gates, grad_hx, grad_input_bias, grad_hidden_bias)
// Source: _thnn_fused_gru_cell_backward_cuda (aten/src/ATen/native/cuda/RNN.cu).
void FusedGruCellBackward(Call& call) {
  const Operand grad = call.In("grad_hy").Rank(2), workspace = call.In("workspace").Rank(2);
  RequireNumel(workspace, grad.Numel() * 5);
  const Dims gates{workspace->sizes[0], FloorDiv(workspace->sizes[1], 5) * 3};
  for (int i = 0; i < 2; ++i) ReturnContiguous(call, gates, workspace->dtype);
  ReturnContiguous(call, grad);
  for (int i = 0; i < 2; ++i) {
    call.Bool("has_bias") ? void(ReturnContiguous(call, Dims{gates[1]}, workspace->dtype)) : call.ReturnNone();
  }
}

constexpr RuleRow kRows[] = {
    {"aten::_cudnn_rnn", CudnnLayers},
    {"aten::_cudnn_rnn_backward", LayersBackward},
    {"aten::miopen_rnn", MiopenLayers},
    {"aten::miopen_rnn_backward", LayersBackward},
    {"aten::_lstm_mps", MetalLstm},
    {"aten::lstm_mps_backward", MetalLstmBackward},
    {"aten::mkldnn_rnn_layer", MkldnnLayer},
    {"aten::mkldnn_rnn_layer_backward", MkldnnLayerBackward},
    {"aten::_thnn_fused_lstm_cell", FusedLstmCell},
    {"aten::_thnn_fused_lstm_cell_backward_impl", FusedLstmCellBackward},
    {"aten::_thnn_fused_gru_cell", FusedGruCell},
    {"aten::_thnn_fused_gru_cell_backward", FusedGruCellBackward},
};

}  // namespace

RuleRows RnnKernelsRules() { return kRows; }

}  // namespace fakeprop::rules
