// Found by sweep_test with torch 2.13; most of these calls end a Python process.
#include "lib/dispatch/refused_calls.h"

#include <algorithm>
#include <span>

namespace fakeprop::dispatch {
namespace {

// Inner operators of other implementations, which graphs should not call. Their callers have to pass the right
// arguments.
constexpr std::string_view kInternals[] = {
    "aten::_add_batch_dim",
    "aten::_nnpack_spatial_convolution",
    "aten::_nnpack_spatial_convolution.out",
    "aten::_remove_batch_dim",
    "aten::quantized_lstm_cell",
};

// Effects outside of the process: a graph that is only inspected must not make files or write to standard output.
constexpr std::string_view kEffects[] = {"aten::_print", "aten::from_file", "aten::from_file.out"};

// Written for XLA tensors. Neither eager nor FakeTensorMode has a kernel of its own.
constexpr std::string_view kWithoutKernel[] = {
    "aten::_resize_output", "aten::_resize_output.out", "aten::_resize_output_"};

bool IsAmong(std::string_view op, std::span<const std::string_view> ops) {
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

struct MinimalRank {
  std::string_view op;
  int argument;
  int64_t rank;
};
constexpr MinimalRank kMinimalRanks[] = {
    {"aten::reflection_pad1d_backward", 0, 2},
    {"aten::reflection_pad1d_backward", 1, 2},
    {"aten::reflection_pad1d_backward.grad_input", 0, 2},
    {"aten::reflection_pad1d_backward.grad_input", 1, 2},
};

// Demands the number of gates that the kernel splits.
void RequireGates(const Call& call, int argument, int64_t gates) {
  const Tensor* t = call.OptionalTensor(argument);
  if (t && t->meta.rank() >= 2 && Guard(Eq(Mod(t->meta.sizes[1], gates), 0)) && Guard(Gt(t->meta.sizes[1], 0))) return;
  Fail(ErrorClass::kShapeMismatch, std::string(call.schema().full_name) + " takes `" +
                                       std::string(call.schema().arguments[argument].name) + "` with " +
                                       std::to_string(gates) + " gates in dimension 1");
}

void RequireLength(const Call& call, int argument, int64_t least, int64_t most) {
  const auto length = static_cast<int64_t>(call.DimList(argument).size());
  if (length >= least && length <= most) return;
  Fail(ErrorClass::kShapeMismatch, std::string(call.schema().full_name) + " takes `" +
                                       std::string(call.schema().arguments[argument].name) +
                                       "` of another length than " + std::to_string(length));
}

// Demands a number of batch dimensions from 0 to `rank`.
void RequireBatchDims(const Call& call, int64_t dims, int64_t rank) {
  if (dims >= 0 && dims <= rank) return;
  Fail(ErrorClass::kValueError, std::string(call.schema().full_name) + " takes 0 to " + std::to_string(rank) +
                                    " batch dimensions, not " + std::to_string(dims));
}

void RequireBatchDims(const Call& call) {
  const int64_t dims = call.Int(2);
  if (dims >= 0 && dims <= call.Meta(0).rank() && dims <= call.Meta(1).rank()) return;
  Fail(ErrorClass::kIndexOutOfRange, std::string(call.schema().full_name) +
                                         " takes as many batch dimensions as its tensors "
                                         "have, not " +
                                         std::to_string(dims));
}

}  // namespace

void RefuseCalls(const Call& call) {
  const std::string_view op = call.schema().full_name;
  if (IsAmong(op, kInternals))
    Fail(ErrorClass::kUnsupportedOperator, std::string(op) + " is internal to LibTorch and not served");
  if (IsAmong(op, kWithoutKernel))
    Fail(ErrorClass::kDeviceMismatch, std::string(op) + " has no kernel for tensors with data, on any device");
  if (IsAmong(op, kEffects))
    Fail(ErrorClass::kUnsupportedOperator, std::string(op) + " does more than compute and is not run");
  for (const MinimalRank& minimal : kMinimalRanks) {
    if (minimal.op == op && call.Meta(minimal.argument).rank() < minimal.rank)
      Fail(ErrorClass::kShapeMismatch,
          std::string(op) + " takes tensors of at least " + std::to_string(minimal.rank) + " dimensions");
  }
  if ((op == "aten::_stack" || op == "aten::_stack.out") && call.Tensors(0).empty())
    Fail(ErrorClass::kValueError, std::string(op) + " takes a non-empty list of tensors");
  if (op == "aten::_fused_rms_norm_backward") RequireLength(call, 2, 1, call.Meta(1).rank());
  if (op == "aten::_thnn_differentiable_lstm_cell_backward") RequireGates(call, 2, 4);
  if (op == "aten::_thnn_differentiable_gru_cell_backward") {
    RequireGates(call, 1, 3);
    RequireGates(call, 2, 3);
  }
  if (op.starts_with("aten::reflection_pad1d_backward")) RequireLength(call, 2, 2, 2);
  if (op.starts_with("aten::_new_zeros_with_same_feature_meta")) RequireBatchDims(call);
  if (op.starts_with("aten::_new_zeros_with_same_feature_meta"))
    RequireBatchDims(call, call.Int(2), call.Meta(0).rank());
}

}  // namespace fakeprop::dispatch
