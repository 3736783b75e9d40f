// Scaled dot product attention: the choice of a kernel, which decides the result's layout, and each kernel's results.
// Source: aten/src/ATen/native/transformers/{attention,sdp_utils_cpp}.cpp, cuda/sdp_utils.cpp,
// torch/_meta_registrations.py (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_changes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/families.h"
#include "lib/rules/support/attention_metas.h"

namespace fakeprop::rules {
namespace {

// at::SDPBackend
constexpr int64_t kMathBackend = 0;
constexpr int64_t kFlashBackend = 1;
constexpr int64_t kEfficientBackend = 2;

// at::_scaled_dot_product_attention_math computes half precision in float32, and so takes a mix of both.
void RequireMathDtypes(const Call& call) {
  const auto [q, k, v] = AttentionOperandsOf(call);
  const ScalarType dtype = AttentionComputeDtype(q->dtype);
  RequireDtype(call, AttentionComputeDtype(k->dtype) == dtype && AttentionComputeDtype(v->dtype) == dtype,
      {"expects query, key and value of one precision, but got {}, {} and {}", *q, *k, *v});
  const Operand mask = call.OptionalIn("attn_mask");
  if (mask && mask->dtype != ScalarType::Bool && PromoteTypes(dtype, mask->dtype) != dtype)
    FailAs(call, ErrorClass::kDtypeMismatch, {"cannot add a mask of {} to scores of {}", mask->dtype, dtype},
        {&mask.tensor()});
}

// sdp::validate_sdpa_input
void Validate(const Call& call) {
  const auto [q, k, v] = AttentionOperandsOf(call);
  if (q->dtype != k->dtype || q->dtype != v->dtype)
    FailDtype(
        {"expected query, key, and value to have the same dtype, but got query.dtype: {} key.dtype: {} and "
         "value.dtype: {} instead",
            TorchCppName(q->dtype), TorchCppName(k->dtype), TorchCppName(v->dtype)});
  RequireAttentionRank(call);
  const Operand mask = call.OptionalIn("attn_mask");
  if (mask && mask->dtype != ScalarType::Bool && mask->dtype != q->dtype)
    Fail(ErrorClass::kDtypeMismatch,
        Format("expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: {} and "
               "query.dtype: {} instead",
            TorchCppName(mask->dtype), TorchCppName(q->dtype)),
        {&mask.tensor()});
}

bool MaskFitsFlash(const Operand& mask, const TensorMeta& q, const TensorMeta& k) {
  if (!mask) return true;
  if (mask.tensor().RequiresGrad()) return false;
  const TensorMeta& m = *mask;
  auto fits = [](Dim size, Dim full) { return GuardOrFalse(Eq(size, full)) || GuardOrFalse(Eq(size, 1)); };
  if (m.rank() < 2 || !fits(SizeFromEnd(m, 2), q.sizes[2]) || !fits(SizeFromEnd(m, 1), k.sizes[2])) return false;
  if (m.rank() == 2) return true;
  return m.rank() == 4 && fits(m.sizes[0], q.sizes[0]) && fits(m.sizes[1], q.sizes[1]);
}

bool HasRank4(const Call& call) {
  const auto [q, k, v] = AttentionOperandsOf(call);
  return q->rank() == 4 && k->rank() == 4 && v->rank() == 4;
}

// What each fused kernel asks for: no empty sequences, and features that lie side by side.
bool HasFusedLayout(const Call& call) {
  const auto [q, k, v] = AttentionOperandsOf(call);
  if (GuardOrFalse(Eq(q->sizes[2], 0)) || GuardOrFalse(Eq(k->sizes[2], 0))) return false;
  for (const Operand& t : {q, k, v})
    if (!GuardOrFalse(Eq(t->strides[3], 1))) return false;
  return q->dtype == k->dtype && q->dtype == v->dtype;
}

bool HasOneHeadSize(const Call& call) {
  const auto [q, k, v] = AttentionOperandsOf(call);
  return GuardOrFalse(Eq(q->sizes[3], k->sizes[3])) && GuardOrFalse(Eq(q->sizes[3], v->sizes[3]));
}

bool HeadsFitFlash(const Call& call, bool enable_gqa) {
  const auto [query, key, value] = AttentionOperandsOf(call);
  const TensorMeta &q = *query, &k = *key, &v = *value;
  if (!GuardOrFalse(Eq(q.sizes[0], k.sizes[0])) || !GuardOrFalse(Eq(q.sizes[0], v.sizes[0]))) return false;
  if (!GuardOrFalse(Eq(k.sizes[1], v.sizes[1]))) return false;
  if (GuardOrFalse(Eq(q.sizes[1], k.sizes[1]))) return true;
  const bool may_share = q.device.is_cpu() && Has(call, kOneHeadForAll);
  if (may_share && GuardOrFalse(Eq(k.sizes[1], 1)) && !GuardOrFalse(Eq(q.sizes[1], 0))) return true;
  return enable_gqa && !GuardOrFalse(Eq(k.sizes[1], 0)) && GuardOrFalse(Eq(Mod(q.sizes[1], k.sizes[1]), 0));
}

// sdp::use_flash_attention_cpp: the constraints of the one fused kernel that cpu has.
bool UsesFlashOnCpu(const Call& call) {
  const auto [q, k, v] = AttentionOperandsOf(call);
  if (!q->device.is_cpu() || call.Float("dropout_p") > 0) return false;
  if (!HasRank4(call) || !HeadsFitFlash(call, call.Bool("enable_gqa"))) return false;
  if (!MaskFitsFlash(call.OptionalIn("attn_mask"), q, k)) return false;
  return HasOneHeadSize(call) && HasFusedLayout(call) && IsFloat(q->dtype) && !kFloat8Dtypes.Has(q->dtype);
}

// sdp::use_flash_attention on a card of compute capability 8.0 or newer.
bool UsesFlashOnCuda(const Call& call) {
  const auto [q, k, v] = AttentionOperandsOf(call);
  if (!IsHalf(q->dtype) || call.Has("attn_mask") || !HeadsFitFlash(call, call.Bool("enable_gqa"))) return false;
  if (call.Bool("is_causal") && !GuardOrFalse(Eq(q->sizes[2], k->sizes[2]))) return false;
  return HasOneHeadSize(call) && GuardOrFalse(And(Gt(q->sizes[3], 0), Le(q->sizes[3], 256)));
}

// sdp::use_mem_efficient_attention: features fill vectors of 16 bytes.
bool UsesEfficientOnCuda(const Call& call) {
  const auto [q, k, v] = AttentionOperandsOf(call);
  if (!IsHalf(q->dtype) && q->dtype != ScalarType::Float) return false;
  if (!HeadsFitFlash(call, false) || !GuardOrFalse(Eq(q->sizes[3], k->sizes[3]))) return false;
  for (const Operand& t : {q, v})
    if (!GuardOrFalse(And(Gt(t->sizes[3], 0), Eq(Mod(t->sizes[3], Dim(16 / ItemSize(q->dtype))), 0)))) return false;
  return true;
}

// The cards' kernels read masks along rows.
bool HasDenseRows(const Operand& mask) { return !mask || GuardOrFalse(Eq(mask->strides.back(), 1)); }

// sdp::select_sdp_backend in the order of every card before Hopper, where torch may prefer cuDNN. Its result lies in
// memory as flash attention's.
int64_t BackendOnCuda(const Call& call) {
  if (call.state().build != TorchBuild::kCuda || !HasRank4(call) || !HasFusedLayout(call)) return kMathBackend;
  if (!HasDenseRows(call.OptionalIn("attn_mask"))) return kMathBackend;
  if (UsesFlashOnCuda(call)) return kFlashBackend;
  return UsesEfficientOnCuda(call) ? kEfficientBackend : kMathBackend;
}

int64_t BackendOf(const Call& call) {
  if (call.In("query")->device.is_cuda()) return BackendOnCuda(call);
  return UsesFlashOnCpu(call) ? kFlashBackend : kMathBackend;
}

// Flash attention's result lies in memory as the query. It pads features to a multiple of 8, and cuts them off again.
TensorMeta FlashOnCuda(const Call& call) {
  const Operand query = call.In("query");
  const Dim features = query->sizes[3], padded = CeilDiv(features, 8) * 8;
  if (GuardOrFalse(Eq(features, padded))) return LikeMeta(call, query, query->dtype);
  TensorMeta out =
      MetaInFormat(WithSize(query->sizes, 3, padded), query->dtype, query->device, SuggestMemoryFormat(query));
  out.sizes[3] = features;
  return out;
}

// [batch, head, sequence, feature] of a kernel that writes [batch, sequence, head, feature].
TensorMeta EfficientOnCuda(const Call& call) {
  const auto [q, k, v] = AttentionOperandsOf(call);
  TensorMeta out = ContiguousMeta(Dims{q->sizes[0], q->sizes[2], q->sizes[1], v->sizes[3]}, q->dtype, q->device);
  std::swap(out.sizes[1], out.sizes[2]);
  std::swap(out.strides[1], out.strides[2]);
  return out;
}

// In the words of bmm, which multiplies the query by the transposed key.
[[noreturn]] void FailProduct(const Call& call, const TensorMeta& q, const TensorMeta& k) {
  const Dim batch =
      Numel(BroadcastSizes(q.size_span().subspan(0, q.rank() - 2), k.size_span().subspan(0, k.rank() - 2)));
  FailShape(call, {"multiplies query {} by key {}: expected size for first two dimensions of batch2 tensor to be: [{}, "
                   "{}] but got: [{}, "
                   "{}]",
                      q.sizes, k.sizes, batch, SizeFromEnd(q, 1), batch, SizeFromEnd(k, 1)});
}

// The shape of softmax(q @ k^T): [..., L, S].
Dims ScoreSizes(const Call& call, bool enable_gqa) {
  const Operand q = call.In("query"), k = call.In("key");
  if (!Expect(Eq(SizeFromEnd(q, 1), SizeFromEnd(k, 1)))) FailProduct(call, q, k);
  Dims key_batch(k->sizes.begin(), k->sizes.end() - 2);
  if (enable_gqa && q->rank() >= 3 && k->rank() >= 3) {
    // Key heads are repeated to query's number.
    RequireAttention(
        call, GuardOrFalse(Eq(Mod(SizeFromEnd(q, 3), SizeFromEnd(k, 3)), 0)), "query's heads are no multiple of key's");
    key_batch.back() = SizeFromEnd(q, 3);
  }
  Dims sizes = BroadcastSizes({q->sizes.data(), q->sizes.size() - 2}, key_batch);
  sizes.push_back(SizeFromEnd(q, 2));
  sizes.push_back(SizeFromEnd(k, 2));
  return sizes;
}

void CheckMask(const Operand& mask, const Dims& scores) {
  if (!mask || ExpectSame(BroadcastSizes(scores, mask->size_span()), scores)) return;
  Fail(ErrorClass::kShapeMismatch,
      ExpandMismatch(mask->size_span(), scores) + ": the attention mask does not broadcast to the scores",
      {&mask.tensor()});
}

struct MathSizes {
  Dims output;
  Dims scores;
};

void RequireOneMask(const Call& call) {
  if (call.Has("attn_mask") && call.Bool("is_causal"))
    FailValue("an explicit attention mask does not go with is_causal=True");
}

// at::_scaled_dot_product_attention_math: matmul, mask, softmax, matmul.
MathSizes MathAttention(const Call& call) {
  const Operand q = call.In("query"), v = call.In("value"), mask = call.OptionalIn("attn_mask");
  const bool enable_gqa = call.Bool("enable_gqa");
  RequireAttentionRank(call);
  // Scaling makes query and key floating-point, and the product of their softmax with value takes equal dtypes.
  RequireDtype(IsFloatOrComplex(v->dtype), {"attention takes floating-point query, key and value, not {}", v->dtype});
  RequireOneMask(call);
  MathSizes sizes;
  sizes.scores = ScoreSizes(call, enable_gqa);
  CheckMask(mask, sizes.scores);
  RequireAttention(call, Eq(sizes.scores.back(), SizeFromEnd(v, 2)), "key and value differ in their sequence length");
  Dims value_batch(v->sizes.begin(), v->sizes.end() - 2);
  if (enable_gqa && v->rank() >= 3) value_batch.back() = sizes.scores[sizes.scores.size() - 3];
  sizes.output = BroadcastSizes({sizes.scores.data(), sizes.scores.size() - 2}, value_batch);
  sizes.output.push_back(SizeFromEnd(q, 2));
  sizes.output.push_back(SizeFromEnd(v, 1));
  return sizes;
}

// Where an operand has no elements, the result is zeros, whatever the other sizes are.
bool HasEmptyOperand(const Call& call) {
  const auto [q, k, v] = AttentionOperandsOf(call);
  return IsKnownEmpty(q) || IsKnownEmpty(k) || IsKnownEmpty(v);
}

void ScaledDotProductAttention(Call& call) {
  Validate(call);
  const Operand query = call.In("query");
  if (Has(call, kCausalOrMask)) RequireOneMask(call);
  if (HasEmptyOperand(call)) {
    Dims sizes = query->sizes;
    sizes.back() = call.In("value")->sizes.back();
    return void(ReturnContiguous(call, sizes, query->dtype));
  }
  const int64_t backend = BackendOf(call);
  if (backend == kMathBackend) return void(ReturnContiguous(call, MathAttention(call).output, query->dtype));
  if (query->device.is_cuda()) {
    const Operand key = call.In("key");
    CheckMask(call.OptionalIn("attn_mask"), Dims{query->sizes[0], query->sizes[1], query->sizes[2], key->sizes[2]});
    return void(call.ReturnNew(backend == kFlashBackend ? FlashOnCuda(call) : EfficientOnCuda(call)));
  }
  ReturnLike(call, query);
}

void FusedChoice(Call& call) { call.ReturnNumber(BackendOf(call)); }

// (output, scores)
void AttentionMath(Call& call) {
  RequireMathDtypes(call);
  const MathSizes sizes = MathAttention(call);
  const ScalarType dtype = call.In("query")->dtype;
  ReturnContiguous(call, sizes.output, dtype);
  ReturnContiguous(call, sizes.scores, dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::scaled_dot_product_attention", ScaledDotProductAttention},
    {"aten::_fused_sdp_choice", FusedChoice},
    {"aten::_scaled_dot_product_attention_math", AttentionMath},
};

}  // namespace

RuleRows AttentionRules() { return kRows; }

}  // namespace fakeprop::rules
