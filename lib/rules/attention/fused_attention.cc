// The kernels of scaled dot product attention, each with results and a layout of its own.
// Source: meta__scaled_dot_product_*, meta__flash_attention_*, meta__efficient_attention_* in
// torch/_meta_registrations.py (torch 2.13); the checks are those of aten/src/ATen/native/transformers.
#include <algorithm>
#include <numeric>
#include <ranges>

#include "lib/meta/dtype.h"
#include "lib/meta/ordered_strides.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/attention_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

// Whether an overload takes float8 with descales.
enum class QuantizedForm { kNo, kYes };

// (output, logsumexp)
void FlashForCpu(Call& call) {
  RequireAttentionRank4(call);
  const auto [q, k, v] = AttentionOperandsOf(call);
  RequireValue(call.Float("dropout_p") == 0,
      {"flash attention on cpu takes no dropout, but dropout_p is {}", call.Arg("dropout_p")});
  RequireAttention(call, {Eq(q->sizes[3], v->sizes[3]), Eq(k->sizes[3], v->sizes[3])}, "the heads differ in size");
  RequireDtype(IsFloat(q->dtype), {"flash attention takes floating-point tensors, not {}", q->dtype});
  ReturnLike(call, q);
  const Dims sizes = {q->sizes[0], q->sizes[2], q->sizes[1]};
  call.ReturnNew(Transposed(NewMeta(call, sizes, AttentionComputeDtype(q->dtype)), 1, 2));
}

// Of sizes [a, b, c, d], laid out in memory as [a, c, b, d].
TensorMeta HeadsInside(const Call& call, Dim a, Dim b, Dim c, Dim d, ScalarType dtype) {
  return Transposed(NewMeta(call, Dims{a, c, b, d}, dtype), 1, 2);
}

// Gradients of query, key and value, with the heads inside.
void BackwardHeadsInside(Call& call) {
  for (ArgumentName name : ArgumentNames{"query", "key", "value"}) {
    const Operand t = call.In(name);
    const auto [a, b, c, d] = t.Sizes<4>("takes query, key and value of 4 dimensions");
    call.ReturnNew(HeadsInside(call, a, b, c, d, t->dtype));
  }
}

// What flash attention on cuda returns beside its output.
struct FlashResults {
  TensorMeta output;
  Dims logsumexp;
  Dim batch, heads, max_q, max_k, head_size;
  bool debug;  // return_debug_mask
};

// The random state of dropout is two 64-bit words, with a second tensor that is unused.
void ReturnFlashState(Call& call) {
  ReturnContiguous(call, Dims{2}, ScalarType::UInt64);
  ReturnContiguous(call, Dims{}, ScalarType::UInt64);
}

// The random state of the other kernels.
void ReturnSeedAndOffset(Call& call) {
  for (int i = 0; i < 2; ++i) ReturnContiguous(call, Dims{}, ScalarType::Long);
}

void ReturnDebugMask(Call& call, const FlashResults& r) {
  if (!r.debug) {
    ReturnContiguous(call, Dims{0}, r.output.dtype);
    return;
  }
  Dim padded = CeilDiv(r.max_q, Guard(Gt(r.head_size, 64)) ? 128 : 256);
  if (Guard(Le(r.max_k, 128))) {
    padded = 128;
  } else if (Guard(Le(r.max_k, 256))) {
    padded = 256;
  }
  ReturnContiguous(call, Dims{r.batch, r.heads, r.max_q, padded}, r.output.dtype);
}

// float8 queries give bfloat16.
TensorMeta FlashOutput(const Call& call, const TensorMeta& q, QuantizedForm form) {
  const bool widens = form == QuantizedForm::kYes && q.dtype == ScalarType::Float8_e4m3fn;
  return LikeMeta(call, q, widens ? ScalarType::BFloat16 : q.dtype);
}

// (output, logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, random state, debug mask)
template <QuantizedForm Form>
void FlashAttention(Call& call) {
  RequireAttentionRank4(call);
  const Operand query = call.In("query");
  const auto [batch, heads, max_q, head_size] = query.Sizes<4>();
  const FlashResults r = {FlashOutput(call, query, Form), {batch, heads, max_q}, batch, heads, max_q,
      call.In("key")->sizes[2], head_size, call.Bool("return_debug_mask")};
  call.ReturnNew(r.output);
  ReturnContiguous(call, r.logsumexp, ScalarType::Float);
  call.ReturnNone();
  call.ReturnNone();
  call.ReturnNumber(r.max_q);
  call.ReturnNumber(r.max_k);
  ReturnFlashState(call);
  ReturnDebugMask(call, r);
}

// The kernel below it. Its operands are [batch, sequence, head, feature]; or, where the sums of the sequences' lengths
// are given, [total, head, feature] with all sequences one after the other.
FlashResults FlashKernel(const Call& call, QuantizedForm form) {
  const auto [q, k, v] = AttentionOperandsOf(call);
  const Operand sums = call.OptionalIn("cum_seq_q");
  Operands{q, k, v}.Rank(sums ? 3 : 4);
  const Dim heads = SizeFromEnd(q, 2);
  FlashResults r = {FlashOutput(call, q, form), {}, q->sizes[0], heads, sums ? call.DimArg("max_q") : q->sizes[1],
      call.OptionalIn("cum_seq_k") ? call.DimArg("max_k") : k->sizes[1], SizeFromEnd(q, 1),
      call.Bool("return_debug_mask")};
  r.logsumexp = sums ? Dims{heads, q->sizes[0]} : Dims{r.batch, heads, r.max_q};
  if (sums) r.batch = sums.Numel() - 1;
  return r;
}

// (output, logsumexp, random state, debug mask)
template <QuantizedForm Form>
void FlashForward(Call& call) {
  const FlashResults r = FlashKernel(call, Form);
  call.ReturnNew(r.output);
  ReturnContiguous(call, r.logsumexp, ScalarType::Float);
  ReturnFlashState(call);
  ReturnDebugMask(call, r);
}

void FlashForwardInplace(Call& call) {
  const FlashResults r = FlashKernel(call, QuantizedForm::kNo);
  ReturnContiguous(call, r.logsumexp, ScalarType::Float);
  call.Write(call.In("out").tensor());
}

// A tensor of these sizes whose dimensions lie in memory as query's do.
TensorMeta InLayoutOf(const Call& call, const TensorMeta& query, Dims sizes) {
  TensorMeta like = LikeMeta(call, query, query.dtype);
  if (GuardSameOrFalse(query.size_span(), sizes)) return like;
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return Guard(Gt(query.strides[a], query.strides[b])); });
  like.strides = StridesInOrder(sizes, std::views::reverse(order), EmptyDims::kMakeZeros);
  like.sizes = std::move(sizes);
  return like;
}

// The results of cudnn's attention and of the one for other back ends, which differ in logsumexp's shape.
void ReturnFused(Call& call, Dims logsumexp) {
  RequireAttentionRank(call);
  const auto [q, k, v] = AttentionOperandsOf(call);
  call.ReturnNew(InLayoutOf(call, q, WithSize(q->sizes, -1, SizeFromEnd(v, 1))));
  ReturnContiguous(call, logsumexp, ScalarType::Float);
  call.ReturnNone();
  call.ReturnNone();
  call.ReturnNumber(SizeFromEnd(q, 2));
  call.ReturnNumber(SizeFromEnd(k, 2));
  ReturnSeedAndOffset(call);
  call.ReturnNone();
}

void CudnnAttention(Call& call) {
  RequireAttentionRank4(call);
  const Operand q = call.In("query");
  ReturnFused(call, {q->sizes[0], q->sizes[1], q->sizes[2], 1});
}

void OverrideableAttention(Call& call) {
  const Operand q = call.In("query");
  RequireAttention(call, q->rank() == 3 || q->rank() == 4, "query needs 3 or 4 dimensions");
  ReturnFused(call, {q->rank() == 4 ? q->sizes[0] : Dim(1), SizeFromEnd(q, 3), SizeFromEnd(q, 2)});
}

// Gradients of query, key, value and bias.
void OverrideableBackward(Call& call) {
  ReturnLikeQueryKeyValue(call);
  const Operand bias = call.OptionalIn("attn_bias");
  if (!bias) return call.ReturnNone();
  ReturnLike(call, bias);
}

// ---- memory-efficient attention

// The log-sum-exp's rows are aligned; there are none where it is not computed.
Dim LogSumExpRows(const Call& call, Dim queries) {
  return call.Bool("compute_log_sumexp") ? CeilDiv(queries, 32) * 32 : Dim(0);
}

// (output, logsumexp, seed, offset)
void EfficientAttention(Call& call) {
  RequireAttentionRank4(call);
  const Operand q = call.In("query"), v = call.In("value");
  call.ReturnNew(HeadsInside(call, q->sizes[0], q->sizes[1], q->sizes[2], v->sizes[3], q->dtype));
  ReturnContiguous(call, Dims{q->sizes[0], q->sizes[1], LogSumExpRows(call, q->sizes[2])}, ScalarType::Float);
  ReturnSeedAndOffset(call);
}

// The bias's gradient has aligned rows.
void ReturnBiasGradient(Call& call, const Operand& bias) {
  bias.RankAtLeast(1, "takes a bias of at least one dimension");
  Dims padded = bias->sizes;
  padded.back() = CeilDiv(padded.back(), 16) * 16;
  TensorMeta grad = NewMeta(call, padded, bias->dtype);
  grad.sizes = bias->sizes;
  call.ReturnNew(std::move(grad));
}

// Gradients of query, key, value and bias.
void EfficientBackward(Call& call) {
  BackwardHeadsInside(call);
  const Operand bias = call.OptionalIn("attn_bias");
  if (!bias || !call.Bools("grad_input_mask")[3]) return call.ReturnNone();
  ReturnBiasGradient(call, bias);
}

// _efficient_attention_forward's operands are [batch, sequence, head, feature].
void RequireEfficientOperands(const Call& call) {
  RequireAttentionRank4(call);
  const auto [q, k, v] = AttentionOperandsOf(call);
  auto same = [&](const TensorMeta& a, const TensorMeta& b, int d) { return Expect(Eq(a.sizes[d], b.sizes[d])); };
  RequireAttention(call, same(q, k, 0) && same(q, v, 0), "the batches differ");
  RequireAttention(call, same(k, v, 1), "key and value differ in their sequence length");
  RequireAttention(call, same(q, k, 2) && same(q, v, 2), "the numbers of heads differ");
  RequireAttention(call, same(q, k, 3), "query and key differ in their features");
}

// (output, logsumexp, seed, offset, max_q, max_k)
void EfficientForward(Call& call) {
  RequireEfficientOperands(call);
  const auto [q, k, v] = AttentionOperandsOf(call);
  const Operand sums = call.OptionalIn("cu_seqlens_q");
  RequireValue(call, !sums || call.Has("max_seqlen_q"), "needs max_seqlen_q where cu_seqlens_q is given");
  sums.Rank(1);
  const Dim max_q = sums ? call.DimArg("max_seqlen_q") : q->sizes[1];
  const Dim batch = sums ? sums->sizes[0] - 1 : q->sizes[0];
  ReturnContiguous(call, Dims{q->sizes[0], q->sizes[1], q->sizes[2], v->sizes[3]}, q->dtype);
  ReturnContiguous(call, Dims{batch, q->sizes[2], LogSumExpRows(call, max_q)}, ScalarType::Float);
  ReturnSeedAndOffset(call);
  call.ReturnNumber(max_q);
  call.ReturnNumber(call.OptionalDim("max_seqlen_k").value_or(k->sizes[1]));
}

// The gradients of query, key and value as slices of one tensor: [.., 3, head, feature].
void ReturnSharedGradients(Call& call) {
  const auto [q, k, v] = AttentionOperandsOf(call);
  Operands{q, k, v}.Rank(4);
  RequireShape(call, Eq(q->sizes[1], k->sizes[1]), "shares storage among gradients of equal sequence length only");
  RequireShape(call, Eq(q->sizes[3], k->sizes[3]), "shares storage among gradients of equal features only");
  const Dims chunk = {q->sizes[0], q->sizes[1], 3, q->sizes[2], q->sizes[3]};
  const TensorMeta whole = NewMeta(call, chunk, q->dtype);
  const int first = static_cast<int>(call.effects().outputs.size());
  for (int i = 0; i < 3; ++i) {
    TensorMeta part = NewMeta(call, q->sizes, q->dtype);
    part.strides = {whole.strides[0], whole.strides[1], whole.strides[3], whole.strides[4]};
    part.storage_offset = whole.strides[2] * i;
    Output& output = call.ReturnNew(std::move(part));
    if (i > 0) output.shares_with = first;
  }
}

// Gradients of query, key, value and bias.
void EfficientKernelBackward(Call& call) {
  if (call.Bool("shared_storage_dqdkdv")) {
    ReturnSharedGradients(call);
  } else {
    ReturnLikeQueryKeyValue(call);
  }
  if (const Operand bias = call.OptionalIn("bias")) return ReturnBiasGradient(call, bias);
  ReturnContiguous(call, Dims{}, call.state().default_dtype);
}

// ---- Metal

// Metal's kernels take views whose leading dimensions beyond three are one batch.
void RequireOneBatch(const Call& call, const TensorMeta& t) {
  RequireAttention(call, t.rank() >= 3, "query, key and value need at least 3 dimensions");
  Dims sizes(t.sizes.end() - 3, t.sizes.end());
  sizes.insert(sizes.begin(), Numel({t.sizes.data(), t.sizes.size() - 3}));
  if (t.rank() > 4 && !ComputeViewStrides(t, sizes))
    FailAs(call, ErrorClass::kViewError, {"takes leading dimensions that one can stand for, not those of {}", t});
}

// (output, scores)
void MathForMps(Call& call) {
  const auto [q, k, v] = AttentionOperandsOf(call);
  for (const Operand& t : {q, k, v}) RequireOneBatch(call, t);
  Dims sizes = q->sizes;
  for (int64_t from_end : {1, 2}) {
    sizes.back() = SizeFromEnd(v, from_end);
    ReturnContiguous(call, sizes, q->dtype);
  }
}

constexpr RuleRow kRows[] = {
    {"aten::_scaled_dot_product_flash_attention_for_cpu", FlashForCpu},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", BackwardHeadsInside},
    {"aten::_scaled_dot_product_flash_attention", FlashAttention<QuantizedForm::kNo>},
    {"aten::_scaled_dot_product_flash_attention.quantized", FlashAttention<QuantizedForm::kYes>},
    {"aten::_scaled_dot_product_flash_attention_backward", ReturnLikeQueryKeyValue},
    {"aten::_flash_attention_forward", FlashForward<QuantizedForm::kNo>},
    {"aten::_flash_attention_forward.quantized", FlashForward<QuantizedForm::kYes>},
    {"aten::_flash_attention_forward_no_dropout_inplace", FlashForwardInplace},
    {"aten::_flash_attention_backward", ReturnLikeQueryKeyValue},
    {"aten::_scaled_dot_product_efficient_attention", EfficientAttention},
    {"aten::_scaled_dot_product_efficient_attention_backward", EfficientBackward},
    {"aten::_efficient_attention_forward", EfficientForward},
    {"aten::_efficient_attention_backward", EfficientKernelBackward},
    {"aten::_scaled_dot_product_cudnn_attention", CudnnAttention},
    {"aten::_scaled_dot_product_cudnn_attention_backward", ReturnLikeQueryKeyValue},
    {"aten::_scaled_dot_product_fused_attention_overrideable", OverrideableAttention},
    {"aten::_scaled_dot_product_fused_attention_overrideable_backward", OverrideableBackward},
    {"aten::_scaled_dot_product_attention_math_for_mps", MathForMps},
};

}  // namespace

RuleRows FusedAttentionRules() { return kRows; }

}  // namespace fakeprop::rules
