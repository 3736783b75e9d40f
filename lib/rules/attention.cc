// Scaled dot product attention: the choice of a kernel, which decides the result's layout, and each kernel's results.
// Source: aten/src/ATen/native/transformers/{attention,sdp_utils_cpp}.cpp, torch/_meta_registrations.py (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/families.h"
#include "lib/rules/results.h"
#include "lib/rules/shapes.h"

namespace fakeprop {
namespace {

// Positions in scaled_dot_product_attention and _fused_sdp_choice.
enum SdpaArgument { kQuery, kKey, kValue, kMask, kDropout, kCausal, kScale, kEnableGqa };

// at::SDPBackend
constexpr int64_t kMathBackend = 0;
constexpr int64_t kFlashBackend = 1;

Dim SizeFromEnd(const TensorMeta& t, int64_t d) { return t.sizes[t.rank() - d]; }

[[noreturn]] void FailShapes(const Call& call, const std::string& why) {
  Fail(ErrorClass::kShapeMismatch, std::string(call.schema().full_name) + ": " + why + ": query " +
                                       ToString(call.Meta(kQuery).size_span()) + ", key " + ToString(call.Meta(kKey).size_span()) +
                                       ", value " + ToString(call.Meta(kValue).size_span()));
}

void RequireRank2(const Call& call) {
  for (int i : {kQuery, kKey, kValue})
    if (call.Meta(i).rank() < 2) FailShapes(call, "query, key and value need at least 2 dimensions");
}

// sdp::validate_sdpa_input
void Validate(const Call& call, const Tensor* mask) {
  const TensorMeta &q = call.Meta(kQuery), &k = call.Meta(kKey), &v = call.Meta(kValue);
  if (q.dtype != k.dtype || q.dtype != v.dtype) {
    Fail(ErrorClass::kDtypeMismatch, "scaled_dot_product_attention expects query, key and value of one dtype, but got " +
                                         std::string(DtypeName(q.dtype)) + ", " + std::string(DtypeName(k.dtype)) + " and " +
                                         std::string(DtypeName(v.dtype)));
  }
  RequireRank2(call);
  if (!mask) return;
  if (mask->meta.dtype != ScalarType::Bool && mask->meta.dtype != q.dtype) {
    Fail(ErrorClass::kDtypeMismatch, "the attention mask is to be bool or of query's dtype " + std::string(DtypeName(q.dtype)) +
                                         ", not " + std::string(DtypeName(mask->meta.dtype)), {mask});
  }
}

bool MaskFitsFlash(const Tensor* mask, const TensorMeta& q, const TensorMeta& k) {
  if (!mask) return true;
  if (mask->RequiresGrad()) return false;
  const TensorMeta& m = mask->meta;
  auto fits = [](Dim size, Dim full) { return GuardOrFalse(Eq(size, full)) || GuardOrFalse(Eq(size, 1)); };
  if (m.rank() < 2 || !fits(SizeFromEnd(m, 2), q.sizes[2]) || !fits(SizeFromEnd(m, 1), k.sizes[2])) return false;
  if (m.rank() == 2) return true;
  return m.rank() == 4 && fits(m.sizes[0], q.sizes[0]) && fits(m.sizes[1], q.sizes[1]);
}

bool HeadsFitFlash(const TensorMeta& q, const TensorMeta& k, const TensorMeta& v, bool enable_gqa) {
  if (!Guard(Eq(q.sizes[0], k.sizes[0])) || !Guard(Eq(q.sizes[0], v.sizes[0]))) return false;
  if (!Guard(Eq(k.sizes[1], v.sizes[1]))) return false;
  if (Guard(Eq(q.sizes[1], k.sizes[1]))) return true;
  return enable_gqa && !Guard(Eq(k.sizes[1], 0)) && Guard(Eq(Mod(q.sizes[1], k.sizes[1]), 0));
}

// sdp::use_flash_attention_cpp: the constraints of the one fused kernel that cpu has.
bool UsesFlashOnCpu(const Call& call) {
  const TensorMeta &q = call.Meta(kQuery), &k = call.Meta(kKey), &v = call.Meta(kValue);
  if (!q.device.is_cpu() || call.Float(kDropout) > 0) return false;
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) return false;
  if (!HeadsFitFlash(q, k, v, call.Bool(kEnableGqa)) || !MaskFitsFlash(call.OptionalTensor(kMask), q, k)) return false;
  if (!Guard(Eq(q.sizes[3], k.sizes[3])) || !Guard(Eq(q.sizes[3], v.sizes[3]))) return false;
  if (Guard(Eq(q.sizes[2], 0)) || Guard(Eq(k.sizes[2], 0))) return false;
  for (const TensorMeta* t : {&q, &k, &v})
    if (!Guard(Eq(t->strides[3], 1))) return false;
  return IsFloat(q.dtype) && !c10::isFloat8Type(q.dtype) && q.dtype == k.dtype && q.dtype == v.dtype;
}

// The shape of softmax(q @ k^T): [..., L, S].
Dims ScoreSizes(const Call& call, bool enable_gqa) {
  const TensorMeta &q = call.Meta(kQuery), &k = call.Meta(kKey);
  if (!Expect(Eq(SizeFromEnd(q, 1), SizeFromEnd(k, 1)))) FailShapes(call, "query and key differ in their last dimension");
  Dims key_batch(k.sizes.begin(), k.sizes.end() - 2);
  if (enable_gqa && q.rank() >= 3 && k.rank() >= 3) {
    // Key heads are repeated to query's number.
    if (!Guard(Eq(Mod(SizeFromEnd(q, 3), SizeFromEnd(k, 3)), 0)))
      FailShapes(call, "query's heads are no multiple of key's");
    key_batch.back() = SizeFromEnd(q, 3);
  }
  Dims sizes = BroadcastSizes({q.sizes.data(), q.sizes.size() - 2}, {key_batch.data(), key_batch.size()});
  sizes.push_back(SizeFromEnd(q, 2));
  sizes.push_back(SizeFromEnd(k, 2));
  return sizes;
}

struct MathSizes {
  Dims output;
  Dims scores;
};

// at::_scaled_dot_product_attention_math: matmul, mask, softmax, matmul.
MathSizes MathAttention(const Call& call, const Tensor* mask, bool enable_gqa) {
  const TensorMeta& v = call.Meta(kValue);
  RequireRank2(call);
  // Scaling makes query and key floating-point, and the product of their softmax with value takes equal dtypes.
  if (!IsFloatOrComplex(v.dtype))
    Fail(ErrorClass::kDtypeMismatch, "attention takes floating-point query, key and value, not " + std::string(DtypeName(v.dtype)));
  if (mask && call.Bool(kCausal)) Fail(ErrorClass::kValueError, "an explicit attention mask does not go with is_causal=True");
  MathSizes sizes;
  sizes.scores = ScoreSizes(call, enable_gqa);
  if (mask) {
    const Dims masked = BroadcastSizes({sizes.scores.data(), sizes.scores.size()}, mask->meta.size_span());
    if (!GuardSame({masked.data(), masked.size()}, {sizes.scores.data(), sizes.scores.size()})) {
      Fail(ErrorClass::kShapeMismatch, "the attention mask of shape " + ToString(mask->meta.size_span()) +
                                           " does not broadcast to the scores' shape " + ToString(DimSpan(sizes.scores)), {mask});
    }
  }
  if (!Expect(Eq(sizes.scores.back(), SizeFromEnd(v, 2)))) FailShapes(call, "key and value differ in their sequence length");
  Dims value_batch(v.sizes.begin(), v.sizes.end() - 2);
  if (enable_gqa && v.rank() >= 3) value_batch.back() = sizes.scores[sizes.scores.size() - 3];
  sizes.output = BroadcastSizes({sizes.scores.data(), sizes.scores.size() - 2}, {value_batch.data(), value_batch.size()});
  sizes.output.push_back(SizeFromEnd(call.Meta(kQuery), 2));
  sizes.output.push_back(SizeFromEnd(v, 1));
  return sizes;
}

void ScaledDotProductAttention(Call& call) {
  Validate(call, call.OptionalTensor(kMask));
  if (UsesFlashOnCpu(call)) {
    ReturnLike(call, call.Meta(kQuery), call.Meta(kQuery).dtype);
    return;
  }
  const MathSizes sizes = MathAttention(call, call.OptionalTensor(kMask), call.Bool(kEnableGqa));
  ReturnContiguous(call, sizes.output, call.Meta(kQuery).dtype);
}

void FusedChoice(Call& call) { call.ReturnNumber(UsesFlashOnCpu(call) ? kFlashBackend : kMathBackend); }

// (query, key, value, attn_mask, dropout_p, is_causal, dropout_mask, *, scale, enable_gqa) -> (output, scores)
void AttentionMath(Call& call) {
  Validate(call, call.OptionalTensor(kMask));
  const MathSizes sizes = MathAttention(call, call.OptionalTensor(kMask), call.Bool(call.Index("enable_gqa")));
  const ScalarType dtype = call.Meta(kQuery).dtype;
  ReturnContiguous(call, sizes.output, dtype);
  ReturnContiguous(call, sizes.scores, dtype);
}

void RequireRank4(const Call& call) {
  for (int i : {kQuery, kKey, kValue})
    if (call.Meta(i).rank() != 4) FailShapes(call, "query, key and value need 4 dimensions");
}

ScalarType ComputeDtype(ScalarType dtype) {
  return dtype == ScalarType::Half || dtype == ScalarType::BFloat16 ? ScalarType::Float : dtype;
}

// (query, key, value, dropout_p, is_causal, *, attn_mask, scale) -> (output, logsumexp)
void FlashForCpu(Call& call) {
  RequireRank4(call);
  const TensorMeta &q = call.Meta(kQuery), &k = call.Meta(kKey), &v = call.Meta(kValue);
  if (call.Float(3) != 0) Fail(ErrorClass::kValueError, "flash attention on cpu takes no dropout, but dropout_p is " + ToString(call.Arg(3)));
  if (!Expect(Eq(q.sizes[3], v.sizes[3])) || !Expect(Eq(k.sizes[3], v.sizes[3]))) FailShapes(call, "the heads differ in size");
  if (!IsFloat(q.dtype)) Fail(ErrorClass::kDtypeMismatch, "flash attention takes floating-point tensors, not " + std::string(DtypeName(q.dtype)));
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

// (query, key, value, dropout_p, is_causal, return_debug_mask, *, scale)
void FlashAttention(Call& call) {
  RequireRank4(call);
  const TensorMeta &q = call.Meta(kQuery), &k = call.Meta(kKey);
  const int debug = call.Index("return_debug_mask");
  ReturnLike(call, q, q.dtype);
  ReturnContiguous(call, Dims{q.sizes[0], q.sizes[1], q.sizes[2]}, ScalarType::Float);
  call.ReturnNone();
  call.ReturnNone();
  call.ReturnNumber(q.sizes[2]);
  call.ReturnNumber(k.sizes[2]);
  ReturnContiguous(call, Dims{2}, ScalarType::UInt64);
  ReturnContiguous(call, Dims{}, ScalarType::UInt64);
  if (!call.Bool(debug)) {
    ReturnContiguous(call, Dims{0}, q.dtype);
    return;
  }
  Dim padded = CeilDiv(q.sizes[2], Guard(Gt(q.sizes[3], 64)) ? 128 : 256);
  if (Guard(Le(k.sizes[2], 128))) {
    padded = 128;
  } else if (Guard(Le(k.sizes[2], 256))) {
    padded = 256;
  }
  ReturnContiguous(call, Dims{q.sizes[0], q.sizes[1], q.sizes[2], padded}, q.dtype);
}

// A tensor of these sizes whose dimensions lie in memory as query's do.
TensorMeta InLayoutOf(const Call& call, const TensorMeta& query, Dims sizes) {
  TensorMeta like = LikeMeta(call, query, query.dtype);
  if (GuardSame(query.size_span(), {sizes.data(), sizes.size()})) return like;
  like.sizes = sizes;
  std::vector<int> order(query.rank());
  for (int i = 0; i < query.rank(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return Guard(Gt(query.strides[a], query.strides[b])); });
  Dim step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    like.strides[order[i]] = step;
    step *= sizes[order[i]];
  }
  return like;
}

// cudnn's attention and the one for other back ends: a log-sum-exp of their own shape, the rest alike.
void ReturnFused(Call& call, Dims logsumexp) {
  RequireRank2(call);
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
  if (q.rank() != 3 && q.rank() != 4) FailShapes(call, "query needs 3 or 4 dimensions");
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

// (grad_out, query, key, value, attn_bias, ..., grad_input_mask, ...); the bias's gradient has aligned rows.
void EfficientBackward(Call& call) {
  BackwardHeadsInside(call);
  const Tensor* bias = call.OptionalTensor(4);
  if (!bias || !call.Bools(call.Index("grad_input_mask"))[3]) return call.ReturnNone();
  Dims padded = bias->meta.sizes;
  padded.back() = CeilDiv(padded.back(), 16) * 16;
  TensorMeta grad = NewMeta(call, padded, bias->meta.dtype);
  grad.sizes = bias->meta.sizes;
  call.ReturnNew(std::move(grad));
}

constexpr RuleRow kRows[] = {
    {"aten::scaled_dot_product_attention", ScaledDotProductAttention},
    {"aten::_fused_sdp_choice", FusedChoice},
    {"aten::_scaled_dot_product_attention_math", AttentionMath},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", FlashForCpu},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", BackwardHeadsInside},
    {"aten::_scaled_dot_product_flash_attention", FlashAttention},
    {"aten::_scaled_dot_product_flash_attention_backward", BackwardLikeInputs},
    {"aten::_scaled_dot_product_efficient_attention", EfficientAttention},
    {"aten::_scaled_dot_product_efficient_attention_backward", EfficientBackward},
    {"aten::_scaled_dot_product_cudnn_attention", CudnnAttention},
    {"aten::_scaled_dot_product_cudnn_attention_backward", BackwardLikeInputs},
    {"aten::_scaled_dot_product_fused_attention_overrideable", OverrideableAttention},
    {"aten::_scaled_dot_product_fused_attention_overrideable_backward", OverrideableBackward},
};

}  // namespace

RuleRows AttentionRules() { return kRows; }

}  // namespace fakeprop
