// Gradients of single recurrent cells, step by step as autograd can follow them.
// Source: _thnn_differentiable_lstm_cell_backward, _thnn_differentiable_gru_cell_backward in
// aten/src/ATen/native/RNN.cpp (torch 2.13). With fewer than four gates PyTorch's lstm ends the process; here that is
// an error.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/slice_metas.h"

namespace fakeprop::rules {
namespace {

using Metas = std::vector<TensorMeta>;

// One elementwise step; integers become floating on their way through the gates.
TensorMeta Step(const Call& call, std::initializer_list<const TensorMeta*> operands) {
  ScalarType dtype = (*operands.begin())->dtype;
  for (const TensorMeta* t : operands) dtype = PromoteTypes(dtype, t->dtype);
  if (!IsFloatOrComplex(dtype)) dtype = call.state().default_dtype;
  return ElementwiseMeta({operands.begin(), operands.size()}, dtype, call.device());
}

TensorMeta WithBias(const Call& call, const TensorMeta& gates, const Operand& bias) {
  return bias ? Step(call, {&gates, &*bias}) : gates;
}

constexpr const char* kGatesText = "takes gates of at least 2 dimensions, not {}";

// unsafe_chunk(count, 1), which must give that many parts.
Metas Gates(const Call& call, const TensorMeta& gates, int64_t count) {
  RequireShape(call, gates.rank() >= 2, {kGatesText, gates.sizes});
  const Dim size = gates.sizes[1], step = CeilDiv(size, count);
  const Dim last = size - step * (count - 1);
  RequireShape(call, Or(Eq(size, 0), Gt(last, 0)), {"takes {} gates in dimension 1 of {}", count, gates.sizes});
  Metas parts;
  for (int64_t i = 0; i < count; ++i) parts.push_back(NarrowedMeta(gates, 1, step * i, i + 1 < count ? step : last));
  return parts;
}

// cat(parts, 1)
TensorMeta SideBySide(const Call& call, const Metas& parts) {
  Dims sizes = parts[0].sizes;
  ScalarType dtype = parts[0].dtype;
  MemoryFormat format = SuggestMemoryFormat(parts[0]);
  RequireShape(call, sizes.size() >= 2, {kGatesText, sizes});
  for (size_t i = 1; i < parts.size(); ++i) {
    bool fits = parts[i].sizes.size() == sizes.size();
    for (size_t d = 0; fits && d < sizes.size(); ++d) fits = d == 1 || Expect(Eq(parts[i].sizes[d], sizes[d]));
    RequireShape(call, fits, {"takes gradients of one shape, but found {} and {}", parts[0].sizes, parts[i].sizes});
    sizes[1] += parts[i].sizes[1];
    dtype = PromoteTypes(dtype, parts[i].dtype);
    if (SuggestMemoryFormat(parts[i]) != format) format = MemoryFormat::Contiguous;
  }
  return MetaInFormat(sizes, dtype, call.device(), format);
}

void ReturnBias(Call& call, const TensorMeta& gates, const Operand& of, int shares_with = -1) {
  if (!of) return call.ReturnNone();
  const DimSpan sizes(gates.sizes.begin() + 1, gates.sizes.end());
  ReturnContiguous(call, sizes, gates.dtype).shares_with = shares_with;
}

// Gradients of the gates, twice, of cx, and of a bias, twice.
void LstmCell(Call& call) {
  const Operand grad_hy = call.OptionalIn("grad_hy"), grad_cy = call.OptionalIn("grad_cy");
  if (!grad_hy && !grad_cy) {
    for (int i = 0; i < 5; ++i) call.ReturnNone();
    return;
  }
  const Operand cx = call.In("cx"), cy = call.In("cy"), bias = call.OptionalIn("input_bias");
  const TensorMeta sum = WithBias(call, Step(call, {&*call.In("input_gates"), &*call.In("hidden_gates")}), bias);
  const Metas gates = Gates(call, WithBias(call, sum, call.OptionalIn("hidden_bias")), 4);
  TensorMeta state = grad_cy ? *grad_cy : TensorMeta(), output = ContiguousMeta(cx->size_span(), cx->dtype, cx->device);
  if (grad_hy) {
    output = Step(call, {&*grad_hy, &*cy, &gates[3]});
    state = Step(call, {&*grad_hy, &gates[3], &*cy});
    if (grad_cy) state = Step(call, {&state, &*grad_cy});
  }
  const TensorMeta all =
      SideBySide(call, {Step(call, {&state, &gates[2], &gates[0]}), Step(call, {&state, &*cx, &gates[1]}),
                           Step(call, {&state, &gates[0], &gates[2]}), output});
  call.ReturnNew(all);
  call.ReturnNew(all).shares_with = 0;
  call.ReturnNew(Step(call, {&state, &gates[1]}));
  ReturnBias(call, all, bias);
  ReturnBias(call, all, bias, 3);
}

// Gradients of input gates, hidden gates, hx, input bias and hidden bias.
void GruCell(Call& call) {
  const Operand grad = call.In("grad_hy"), hx = call.In("hx");
  const Operand input_bias = call.OptionalIn("input_bias"), hidden_bias = call.OptionalIn("hidden_bias");
  const Metas in = Gates(call, WithBias(call, call.In("input_gates"), input_bias), 3);
  const Metas hidden = Gates(call, WithBias(call, call.In("hidden_gates"), hidden_bias), 3);
  const TensorMeta reset = Step(call, {&in[0], &hidden[0]}), update = Step(call, {&in[1], &hidden[1]});
  const TensorMeta fresh = Step(call, {&in[2], &reset, &hidden[2]});
  const TensorMeta of_update = Step(call, {&*grad, &*hx, &fresh, &update});
  const TensorMeta of_fresh = Step(call, {&*grad, &update, &fresh});
  const TensorMeta of_reset = Step(call, {&of_fresh, &hidden[2], &reset});
  const TensorMeta of_in = SideBySide(call, {of_reset, of_update, of_fresh});
  const TensorMeta of_hidden = SideBySide(call, {of_reset, of_update, Step(call, {&of_fresh, &reset})});
  call.ReturnNew(of_in);
  call.ReturnNew(of_hidden);
  call.ReturnNew(Step(call, {&*grad, &update}));
  ReturnBias(call, of_in, input_bias);
  ReturnBias(call, of_hidden, input_bias);
}

constexpr RuleRow kRows[] = {
    {"aten::_thnn_differentiable_lstm_cell_backward", LstmCell},
    {"aten::_thnn_differentiable_gru_cell_backward", GruCell},
};

}  // namespace

RuleRows RnnCellBackwardRules() { return kRows; }

}  // namespace fakeprop::rules
