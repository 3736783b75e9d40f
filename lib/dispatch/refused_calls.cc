// Found by sweep_test with torch 2.13; most of these calls end a Python process.
#include "lib/dispatch/refused_calls.h"

#include <algorithm>

#include "lib/rules/core/results.h"

namespace fakeprop::dispatch {
namespace {

// Operators of other implementations. Their callers have to pass the right arguments, and graphs should not call them.
void RefuseInternal(const Call& call) {
  Fail(ErrorClass::kUnsupportedOperator, OpName(call) + " is internal to LibTorch and not served");
}

// Effects outside of the process: a graph that is only inspected must not make files or write to standard output.
void RefuseEffect(const Call& call) {
  Fail(ErrorClass::kUnsupportedOperator, OpName(call) + " does more than compute and is not run");
}

// Written for XLA tensors. Neither eager nor FakeTensorMode has a kernel of its own.
void RefuseWithoutKernel(const Call& call) {
  Fail(ErrorClass::kDeviceMismatch, OpName(call) + " has no kernel for tensors with data, on any device");
}

void RequireTensors(const Call& call) {
  RequireValue(call, !call.Tensors("tensors").empty(), "takes a non-empty list of tensors");
}

// Demands the number of gates that the kernel splits.
void RequireGates(const Call& call, ArgumentName name, int64_t gates) {
  const Operand t = call.OptionalIn(name);
  const bool holds = t && t->rank() >= 2 && Guard(Eq(Mod(t->sizes[1], gates), 0)) && Guard(Gt(t->sizes[1], 0));
  RequireShape(call, holds, {"takes {} with {} gates in dimension 1", t.QuotedName(), gates});
}

void RequireLstmGates(const Call& call) { RequireGates(call, "input_gates", 4); }

void RequireGruGates(const Call& call) {
  RequireGates(call, "input_gates", 3);
  RequireGates(call, "hidden_gates", 3);
}

void RequireLength(const Call& call, ArgumentName name, int64_t least, int64_t most) {
  const auto length = static_cast<int64_t>(call.DimList(name).size());
  RequireShape(call, length >= least && length <= most,
      {"takes `{}` of another length than {}", call.schema().arguments[call.Index(name)].name, length});
}

void CheckRmsNorm(const Call& call) { RequireLength(call, "normalized_shape", 1, call.In("input")->rank()); }

void CheckReflection(const Call& call) {
  for (const Operand& t : call.Each({"grad_output", "self"}))
    t.RankAtLeast(2, "takes tensors of at least 2 dimensions");
  RequireLength(call, "padding", 2, 2);
}

void RequireBatchDims(const Call& call) {
  const int64_t dims = call.Int("self_num_batch_dims");
  RequireIndex(call, dims >= 0 && dims <= call.In("self")->rank() && dims <= call.In("other")->rank(),
      {"takes as many batch dimensions as its tensors have, not {}", dims});
}

struct RefusedRow {
  std::string_view op;  // all overloads
  void (*check)(const Call&);
};
constexpr RefusedRow kRows[] = {
    {"aten::_add_batch_dim", RefuseInternal},
    {"aten::_nnpack_spatial_convolution", RefuseInternal},
    {"aten::_remove_batch_dim", RefuseInternal},
    {"aten::quantized_lstm_cell", RefuseInternal},
    {"aten::_print", RefuseEffect},
    {"aten::from_file", RefuseEffect},
    {"aten::_resize_output", RefuseWithoutKernel},
    {"aten::_resize_output_", RefuseWithoutKernel},
    {"aten::_stack", RequireTensors},
    {"aten::_fused_rms_norm_backward", CheckRmsNorm},
    {"aten::_thnn_differentiable_lstm_cell_backward", RequireLstmGates},
    {"aten::_thnn_differentiable_gru_cell_backward", RequireGruGates},
    {"aten::reflection_pad1d_backward", CheckReflection},
    {"aten::_new_zeros_with_same_feature_meta", RequireBatchDims},
};

}  // namespace

void RefuseCalls(const Call& call) {
  const auto row = std::ranges::find(kRows, call.schema().name, &RefusedRow::op);
  if (row != std::end(kRows)) row->check(call);
}

}  // namespace fakeprop::dispatch
