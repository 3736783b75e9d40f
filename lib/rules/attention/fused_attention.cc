// The kernels of scaled dot product attention, each with results and a layout of its own.
// Source: meta__scaled_dot_product_*, meta__flash_attention_*, meta__efficient_attention_* in
// torch/_meta_registrations.py (torch 2.13); the checks are those of aten/src/ATen/native/transformers.
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/attention_metas.h"

namespace fakeprop::rules {
namespace {

// Whether an overload takes float8 with descales.
enum class QuantizedForm { kNo, kYes };

void RequireRank4(const Call& call) {
  for (int i : {kQuery, kKey, kValue})
    if (call.Meta(i).rank() != 4) FailAttention(call, "query, key and value need 4 dimensions");
}

ScalarType ComputeDtype(ScalarType dtype) { return IsHalf(dtype) ? ScalarType::Float : dtype; }

// (query, key, value, dropout_p, is_causal, *, attn_mask, scale) -> (output, logsumexp)
void FlashForCpu(Call& call) {
  RequireRank4(call);
  const TensorMeta &q = call.Meta(kQuery), &k = call.Meta(kKey), &v = call.Meta(kValue);
  if (call.Float(3) != 0)
    Fail(ErrorClass::kValueError, "flash attention on cpu takes no dropout, but dropout_p is " + ToString(call.Arg(3)));
  if (!Expect(Eq(q.sizes[3], v.sizes[3])) || !Expect(Eq(k.sizes[3], v.sizes[3])))
    FailAttention(call, "the heads differ in size");
  if (!IsFloat(q.dtype))
    Fail(ErrorClass::kDtypeMismatch,
        "flash attention takes floating-point tensors, not " + std::string(DtypeName(q.dtype)));
  ReturnLike(call, q, q.dtype);
  TensorMeta logsumexp = ContiguousMeta(Dims{q.sizes[0], q.sizes[2], q.sizes[1]}, ComputeDtype(q.dtype), call.device());
  std::swap(logsumexp.sizes[1], logsumexp.sizes[2]);
  std::swap(logsumexp.strides[1], logsumexp.strides[2]);
  call.ReturnNew(std::move(logsumexp));
}

// Of sizes [a, b, c, d], laid out in memory as [a, c, b, d].
TensorMeta HeadsInside(const Call& call, Dim a, Dim b, Dim c, Dim d, ScalarType dtype) {
  TensorMeta t = NewMeta(call, Dims{a, c, b, d}, dtype);
  std::swap(t.sizes[1], t.sizes[2]);
  std::swap(t.strides[1], t.strides[2]);
  return t;
}

// (grad_out, query, key, value, ...) -> gradients with the heads inside
void BackwardHeadsInside(Call& call) {
  for (int i : {1, 2, 3}) {
    const TensorMeta& t = call.Meta(i);
    if (t.rank() != 4) FailShape(call, "takes query, key and value of 4 dimensions");
    call.ReturnNew(HeadsInside(call, t.sizes[0], t.sizes[1], t.sizes[2], t.sizes[3], t.dtype));
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

// (query, key, value, [descales], dropout_p, is_causal, return_debug_mask, *, scale)
template <QuantizedForm Form>
void FlashAttention(Call& call) {
  RequireRank4(call);
  const TensorMeta &q = call.Meta(kQuery), &k = call.Meta(kKey);
  const FlashResults r = {FlashOutput(call, q, Form), {q.sizes[0], q.sizes[1], q.sizes[2]}, q.sizes[0], q.sizes[1],
      q.sizes[2], k.sizes[2], q.sizes[3], call.Bool("return_debug_mask")};
  call.ReturnNew(r.output);
  ReturnContiguous(call, r.logsumexp, ScalarType::Float);
  call.ReturnNone();
  call.ReturnNone();
  call.ReturnNumber(r.max_q);
  call.ReturnNumber(r.max_k);
  ReturnFlashState(call);
  ReturnDebugMask(call, r);
}

// The kernel below it, in layout [batch, sequence, head, feature], or, with the lengths' sums given, with all sequences
// one after the other: [total, head, feature]. `query` is its position.
FlashResults FlashKernel(const Call& call, int query, QuantizedForm form) {
  const TensorMeta &q = call.Meta(query), &k = call.Meta(query + 1);
  const Tensor *sums_q = call.OptionalTensor(query + 3), *sums_k = call.OptionalTensor(query + 4);
  for (int i = query; i < query + 3; ++i) RequireRank(call, i, sums_q ? 3 : 4);
  const Dim heads = SizeFromEnd(q, 2);
  FlashResults r = {FlashOutput(call, q, form), {}, q.sizes[0], heads, sums_q ? call.DimArg(query + 5) : q.sizes[1],
      sums_k ? call.DimArg(query + 6) : k.sizes[1], SizeFromEnd(q, 1), call.Bool(query + 9)};
  r.logsumexp = sums_q ? Dims{heads, q.sizes[0]} : Dims{r.batch, heads, r.max_q};
  if (sums_q) r.batch = Numel(sums_q->meta.size_span()) - 1;
  return r;
}

// (query, key, value, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, return_debug_mask, ...)
template <QuantizedForm Form>
void FlashForward(Call& call) {
  const FlashResults r = FlashKernel(call, kQuery, Form);
  call.ReturnNew(r.output);
  ReturnContiguous(call, r.logsumexp, ScalarType::Float);
  ReturnFlashState(call);
  ReturnDebugMask(call, r);
}

// The same after the tensor that takes the output.
void FlashForwardInplace(Call& call) {
  const FlashResults r = FlashKernel(call, 1, QuantizedForm::kNo);
  ReturnContiguous(call, r.logsumexp, ScalarType::Float);
  call.Write(call.TensorArg(0));
}

// A tensor of these sizes whose dimensions lie in memory as query's do.
TensorMeta InLayoutOf(const Call& call, const TensorMeta& query, Dims sizes) {
  TensorMeta like = LikeMeta(call, query, query.dtype);
  if (GuardSameOrFalse(query.size_span(), sizes)) return like;
  like.sizes = sizes;
  std::vector<int> order(query.rank());
  for (int i = 0; i < query.rank(); ++i) order[i] = i;
  std::stable_sort(
      order.begin(), order.end(), [&](int a, int b) { return Guard(Gt(query.strides[a], query.strides[b])); });
  Dim step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    like.strides[order[i]] = step;
    step *= sizes[order[i]];
  }
  return like;
}

// cudnn's attention and the one for other back ends: a log-sum-exp of their own shape, the rest alike.
void ReturnFused(Call& call, Dims logsumexp) {
  RequireAttentionRank(call);
  const TensorMeta &q = call.Meta(kQuery), &k = call.Meta(kKey), &v = call.Meta(kValue);
  Dims sizes = q.sizes;
  sizes.back() = SizeFromEnd(v, 1);
  call.ReturnNew(InLayoutOf(call, q, sizes));
  ReturnContiguous(call, logsumexp, ScalarType::Float);
  call.ReturnNone();
  call.ReturnNone();
  call.ReturnNumber(SizeFromEnd(q, 2));
  call.ReturnNumber(SizeFromEnd(k, 2));
  ReturnContiguous(call, Dims{}, ScalarType::Long);
  ReturnContiguous(call, Dims{}, ScalarType::Long);
  call.ReturnNone();
}

void CudnnAttention(Call& call) {
  RequireRank4(call);
  const TensorMeta& q = call.Meta(kQuery);
  ReturnFused(call, {q.sizes[0], q.sizes[1], q.sizes[2], 1});
}

void OverrideableAttention(Call& call) {
  const TensorMeta& q = call.Meta(kQuery);
  if (q.rank() != 3 && q.rank() != 4) FailAttention(call, "query needs 3 or 4 dimensions");
  ReturnFused(call, {q.rank() == 4 ? q.sizes[0] : Dim(1), SizeFromEnd(q, 3), SizeFromEnd(q, 2)});
}

// (grad_out, query, key, value, ...) -> gradients laid out as their tensors
void BackwardLikeInputs(Call& call) {
  for (int i : {1, 2, 3}) ReturnLike(call, call.Meta(i), call.Meta(i).dtype);
}

// The same, with the gradient of the bias at position 4.
void OverrideableBackward(Call& call) {
  BackwardLikeInputs(call);
  if (const Tensor* bias = call.OptionalTensor(4)) {
    ReturnLike(call, bias->meta, bias->meta.dtype);
  } else {
    call.ReturnNone();
  }
}

// (query, key, value, attn_bias, compute_log_sumexp, ...) -> (output, logsumexp, seed, offset)
void EfficientAttention(Call& call) {
  RequireRank4(call);
  const TensorMeta &q = call.Meta(kQuery), &v = call.Meta(kValue);
  call.ReturnNew(HeadsInside(call, q.sizes[0], q.sizes[1], q.sizes[2], v.sizes[3], q.dtype));
  const Dim rows = call.Bool(4) ? CeilDiv(q.sizes[2], 32) * 32 : Dim(0);
  ReturnContiguous(call, Dims{q.sizes[0], q.sizes[1], rows}, ScalarType::Float);
  ReturnContiguous(call, Dims{}, ScalarType::Long);
  ReturnContiguous(call, Dims{}, ScalarType::Long);
}

// The bias's gradient has aligned rows.
void ReturnBiasGradient(Call& call, const TensorMeta& bias) {
  if (bias.rank() == 0) FailShape(call, "takes a bias of at least one dimension");
  Dims padded = bias.sizes;
  padded.back() = CeilDiv(padded.back(), 16) * 16;
  TensorMeta grad = NewMeta(call, padded, bias.dtype);
  grad.sizes = bias.sizes;
  call.ReturnNew(std::move(grad));
}

// (grad_out, query, key, value, attn_bias, ..., grad_input_mask, ...)
void EfficientBackward(Call& call) {
  BackwardHeadsInside(call);
  const Tensor* bias = call.OptionalTensor(4);
  if (!bias || !call.Bools("grad_input_mask")[3]) return call.ReturnNone();
  ReturnBiasGradient(call, bias->meta);
}

// _efficient_attention_forward's operands are [batch, sequence, head, feature].
void RequireEfficientOperands(const Call& call) {
  RequireRank4(call);
  const TensorMeta &q = call.Meta(kQuery), &k = call.Meta(kKey), &v = call.Meta(kValue);
  auto same = [&](const TensorMeta& a, const TensorMeta& b, int d) { return Expect(Eq(a.sizes[d], b.sizes[d])); };
  if (!same(q, k, 0) || !same(q, v, 0)) FailAttention(call, "the batches differ");
  if (!same(k, v, 1)) FailAttention(call, "key and value differ in their sequence length");
  if (!same(q, k, 2) || !same(q, v, 2)) FailAttention(call, "the numbers of heads differ");
  if (!same(q, k, 3)) FailAttention(call, "query and key differ in their features");
}

// (query, key, value, bias, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, dropout_p, custom_mask_type,
// compute_log_sumexp, ...) -> (output, logsumexp, seed, offset, max_q, max_k)
void EfficientForward(Call& call) {
  RequireEfficientOperands(call);
  const TensorMeta &q = call.Meta(kQuery), &k = call.Meta(kKey), &v = call.Meta(kValue);
  const Tensor* sums = call.OptionalTensor(4);
  if (sums && call.IsNone(6)) FailValue(call, "needs max_seqlen_q where cu_seqlens_q is given");
  if (sums) RequireRank(call, 4, 1);
  const Dim max_q = sums ? call.DimArg(6) : q.sizes[1];
  ReturnContiguous(call, Dims{q.sizes[0], q.sizes[1], q.sizes[2], v.sizes[3]}, q.dtype);
  const Dim rows = call.Bool(10) ? CeilDiv(max_q, 32) * 32 : Dim(0);
  ReturnContiguous(call, Dims{sums ? sums->meta.sizes[0] - 1 : q.sizes[0], q.sizes[2], rows}, ScalarType::Float);
  ReturnContiguous(call, Dims{}, ScalarType::Long);
  ReturnContiguous(call, Dims{}, ScalarType::Long);
  call.ReturnNumber(max_q);
  call.ReturnNumber(call.OptionalDim(7).value_or(k.sizes[1]));
}

// The gradients of query, key and value as slices of one tensor: [.., 3, head, feature].
void ReturnSharedGradients(Call& call) {
  const TensorMeta &q = call.Meta(1), &k = call.Meta(2);
  for (int i : {1, 2, 3}) RequireRank(call, i, 4);
  if (!Expect(Eq(q.sizes[1], k.sizes[1])))
    FailShape(call, "shares storage among gradients of equal sequence length only");
  if (!Expect(Eq(q.sizes[3], k.sizes[3]))) FailShape(call, "shares storage among gradients of equal features only");
  const Dims chunk = {q.sizes[0], q.sizes[1], 3, q.sizes[2], q.sizes[3]};
  const TensorMeta whole = NewMeta(call, chunk, q.dtype);
  const int first = static_cast<int>(call.effects().outputs.size());
  for (int i = 0; i < 3; ++i) {
    TensorMeta part = NewMeta(call, q.sizes, q.dtype);
    part.strides = {whole.strides[0], whole.strides[1], whole.strides[3], whole.strides[4]};
    part.storage_offset = whole.strides[2] * i;
    Output& output = call.ReturnNew(std::move(part));
    if (i > 0) output.shares_with = first;
  }
}

// (grad_out, query, key, value, bias, out, ..., shared_storage_dqdkdv)
void EfficientKernelBackward(Call& call) {
  if (call.Bool("shared_storage_dqdkdv")) {
    ReturnSharedGradients(call);
  } else {
    BackwardLikeInputs(call);
  }
  if (const Tensor* bias = call.OptionalTensor(4)) {
    ReturnBiasGradient(call, bias->meta);
  } else {
    ReturnContiguous(call, Dims{}, call.state().default_dtype);
  }
}

// Leading dimensions beyond three are one batch for Metal's kernels, which views of the operands are to have.
void RequireOneBatch(const Call& call, const TensorMeta& t) {
  if (t.rank() < 3) FailAttention(call, "query, key and value need at least 3 dimensions");
  Dims sizes(t.sizes.end() - 3, t.sizes.end());
  sizes.insert(sizes.begin(), Numel({t.sizes.data(), t.sizes.size() - 3}));
  if (t.rank() > 4 && !ComputeViewStrides(t, sizes))
    Fail(ErrorClass::kViewError,
        OpName(call) + " takes leading dimensions that one can stand for, not those of " + ToString(t));
}

// (query, key, value, attn_mask, ...) -> (output, scores)
void MathForMps(Call& call) {
  for (int i : {kQuery, kKey, kValue}) RequireOneBatch(call, call.Meta(i));
  const TensorMeta& v = call.Meta(kValue);
  Dims sizes = call.Meta(kQuery).sizes;
  for (int64_t from_end : {1, 2}) {
    sizes.back() = SizeFromEnd(v, from_end);
    ReturnContiguous(call, sizes, call.Meta(kQuery).dtype);
  }
}

constexpr RuleRow kRows[] = {
    {"aten::_scaled_dot_product_flash_attention_for_cpu", FlashForCpu},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", BackwardHeadsInside},
    {"aten::_scaled_dot_product_flash_attention", FlashAttention<QuantizedForm::kNo>},
    {"aten::_scaled_dot_product_flash_attention.quantized", FlashAttention<QuantizedForm::kYes>},
    {"aten::_scaled_dot_product_flash_attention_backward", BackwardLikeInputs},
    {"aten::_flash_attention_forward", FlashForward<QuantizedForm::kNo>},
    {"aten::_flash_attention_forward.quantized", FlashForward<QuantizedForm::kYes>},
    {"aten::_flash_attention_forward_no_dropout_inplace", FlashForwardInplace},
    {"aten::_flash_attention_backward", BackwardLikeInputs},
    {"aten::_scaled_dot_product_efficient_attention", EfficientAttention},
    {"aten::_scaled_dot_product_efficient_attention_backward", EfficientBackward},
    {"aten::_efficient_attention_forward", EfficientForward},
    {"aten::_efficient_attention_backward", EfficientKernelBackward},
    {"aten::_scaled_dot_product_cudnn_attention", CudnnAttention},
    {"aten::_scaled_dot_product_cudnn_attention_backward", BackwardLikeInputs},
    {"aten::_scaled_dot_product_fused_attention_overrideable", OverrideableAttention},
    {"aten::_scaled_dot_product_fused_attention_overrideable_backward", OverrideableBackward},
    {"aten::_scaled_dot_product_attention_math_for_mps", MathForMps},
};

}  // namespace

RuleRows FusedAttentionRules() { return kRows; }

}  // namespace fakeprop::rules
