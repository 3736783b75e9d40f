// Multi-head attention and an encoder layer as nn.Transformer's fast path calls them.
// Source: aten/src/ATen/native/transformers/{attention,transformer}.cpp; native_multi_head_attention_fake and
// meta__transformer_encoder_layer_fwd in torch/_meta_registrations.py (torch 2.13). Nested tensors have no layout here.
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/matmul_metas.h"

namespace fakeprop::rules {
namespace {

void RequireSize(const Call& call, int argument, int64_t dim, Dim want, std::string_view what) {
  const TensorMeta& t = call.Meta(argument);
  if (Expect(Eq(t.sizes[dim], want))) return;
  FailShape(call, "takes a `" + std::string(call.schema().arguments[argument].name) + "` with " + std::string(what) +
                      ", " + want.ToString() + " in dimension " + std::to_string(dim) + ", not " + ToString(t));
}

// One projection makes query, key and value of the input: [3 * embed_dim, embed_dim]. `first`: its position.
void RequireProjection(const Call& call, int first, Dim embed, int64_t heads) {
  RequireRank(call, first, 2);
  RequireRank(call, first + 1, 1);
  RequireSize(call, first, 0, embed * 3, "three times embed_dim");
  RequireSize(call, first, 1, embed, "embed_dim");
  RequireSize(call, first + 1, 0, embed * 3, "three times embed_dim");
  if (heads <= 0 || !Expect(Eq(Mod(embed, heads), 0)))
    FailValue(call, "needs an embed_dim of " + embed.ToString() + " that " + std::to_string(heads) + " heads divide");
}

// What a masked softmax makes of a mask of each type.
enum MaskType { kSequenceMask, kPaddingMask, kFullMask };

void RequireMask(const Call& call, int mask, int type, const TensorMeta& query) {
  const Tensor* m = call.OptionalTensor(mask);
  if (!m) return;
  if (call.IsNone(type)) FailValue(call, "needs a mask_type where a mask is given");
  const Dim batch = query.sizes[0], length = query.sizes[1];
  const int64_t kind = call.Int(type);
  if (kind == kFullMask) return;
  if (kind != kSequenceMask && kind != kPaddingMask)
    FailValue(call, "takes a mask_type of 0, 1 or 2, not " + std::to_string(kind));
  RequireRank(call, mask, 2);
  RequireSize(
      call, mask, 0, kind == kPaddingMask ? batch : length, kind == kPaddingMask ? "the batch" : "the sequence");
  RequireSize(call, mask, 1, length, "the sequence");
}

// (query, key, value, embed_dim, num_head, qkv_weight, qkv_bias, proj_weight, proj_bias, mask, need_weights,
// average_attn_weights, mask_type) -> (output, weights)
void MultiHeadAttention(Call& call) {
  const TensorMeta& query = call.Meta(0);
  const Dim embed = call.DimArg(3);
  for (int i : {0, 1, 2}) RequireRank(call, i, 3);
  RequireSize(call, 0, 2, embed, "embed_dim");
  RequireSameSizes(call, 0, 1);
  RequireSameSizes(call, 0, 2);
  RequireProjection(call, 5, embed, call.Int(4));
  const Dim batch = query.sizes[0], length = query.sizes[1];
  if (IsEmpty(query)) {
    ReturnContiguous(call, query.size_span(), query.dtype);
    ReturnContiguous(call, Dims{0}, query.dtype);
    return;
  }
  RequireMask(call, 9, 12, query);
  const TensorMeta context = NewMeta(call, query.size_span(), query.dtype);
  call.ReturnNew(Linear(context, call.Meta(7), &call.Meta(8)));
  if (!call.Bool(10)) {
    ReturnContiguous(call, Dims{0}, query.dtype);
  } else if (call.Bool(11)) {
    ReturnContiguous(call, Dims{batch, length, length}, query.dtype);
  } else {
    ReturnContiguous(call, Dims{batch, call.DimArg(4), length, length}, query.dtype);
  }
}

// (qkv, qkv_bias, num_heads): query, key and value as thirds of one tensor, [batch, head, sequence, feature] each.
void TransformBiasRescale(Call& call) {
  const TensorMeta& qkv = call.Meta(0);
  RequireRank(call, 0, 3);
  RequireFloat(call, qkv.dtype);
  if (!Expect(Eq(Mod(qkv.sizes[2], 3), 0)))
    FailValue(call, "takes queries, keys and values of one size, not " + ToString(qkv));
  const Dim features = FloorDiv(qkv.sizes[2], 3);
  const int64_t heads = call.Int(2);
  if (heads <= 0 || !Expect(Eq(Mod(features, heads), 0)))
    FailValue(call, "needs features that " + std::to_string(heads) + " heads divide, not a third of " + ToString(qkv));
  const Dims sizes = {qkv.sizes[0], heads, qkv.sizes[1], FloorDiv(features, heads)};
  const Dim part = Numel(sizes);
  for (int i = 0; i < 3; ++i) {
    TensorMeta t = NewMeta(call, sizes, qkv.dtype);
    t.storage_offset = part * i;
    Output& output = call.ReturnNew(std::move(t));
    if (i > 0) output.shares_with = 0;
  }
}

// (src, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, use_gelu, norm_first, eps, norm_weight_1,
// norm_bias_1, norm_weight_2, norm_bias_2, ffn_weight_1, ffn_bias_1, ffn_weight_2, ffn_bias_2, mask, mask_type)
void EncoderLayer(Call& call) {
  const TensorMeta& src = call.Meta(0);
  if (IsEmpty(src)) return void(ReturnLike(call, src, src.dtype));
  const Dim embed = call.DimArg(1);
  RequireRank(call, 0, 3);
  RequireSize(call, 0, 2, embed, "embed_dim");
  RequireProjection(call, 3, embed, call.Int(2));
  RequireMask(call, 18, 19, src);
  // Attention and its projection, then the two layers of the feed-forward network.
  TensorMeta x = Linear(NewMeta(call, src.size_span(), src.dtype), call.Meta(5), &call.Meta(6));
  x = Linear(Linear(x, call.Meta(14), &call.Meta(15)), call.Meta(16), &call.Meta(17));
  if (!ExpectSame(x.size_span(), src.size_span()))
    FailShape(call, "adds " + ToString(src) + " to what its layers make of it, " + ToString(x));
  // Each step's kernel gives a contiguous result; Python's function, alone to answer for other devices, keeps src's
  // layout.
  if (call.device().is_cpu()) return void(call.ReturnNew(std::move(x)));
  ReturnLike(call, src, src.dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::_native_multi_head_attention", MultiHeadAttention},
    {"aten::_transform_bias_rescale_qkv", TransformBiasRescale},
    {"aten::_transformer_encoder_layer_fwd", EncoderLayer},
};

}  // namespace

RuleRows TransformerRules() { return kRows; }

}  // namespace fakeprop::rules
