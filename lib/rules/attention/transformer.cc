// Multi-head attention and an encoder layer as nn.Transformer's fast path calls them.
// Source: aten/src/ATen/native/transformers/{attention,transformer}.cpp; native_multi_head_attention_fake and
// meta__transformer_encoder_layer_fwd in torch/_meta_registrations.py (torch 2.13). Nested tensors have no layout here.
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/matmul_metas.h"

namespace fakeprop::rules {
namespace {

void RequireSize(const Operand& t, int64_t dim, Dim want, const char* what) {
  t.Size(dim, want, {"takes a {name} with {}, {} in dimension {}, not {tensor}", what, want, dim});
}

bool DividesInto(int64_t heads, Dim size) { return heads > 0 && Divides(heads, size); }

// One projection makes query, key and value of the input: [3 * embed_dim, embed_dim].
void RequireProjection(const Call& call, Dim embed, int64_t heads) {
  const Operand weight = call.In("qkv_weight").Rank(2), bias = call.In("qkv_bias").Rank(1);
  RequireSize(weight, 0, embed * 3, "three times embed_dim");
  RequireSize(weight, 1, embed, "embed_dim");
  RequireSize(bias, 0, embed * 3, "three times embed_dim");
  RequireValue(call, DividesInto(heads, embed), {"needs an embed_dim of {} that {} heads divide", embed, heads});
}

// The types of masks that a masked softmax knows.
enum MaskType { kSequenceMask, kPaddingMask, kFullMask };

void RequireMask(const Call& call, const TensorMeta& query) {
  const Operand mask = call.OptionalIn("mask");
  if (!mask) return;
  RequireValue(call, call.Has("mask_type"), "needs a mask_type where a mask is given");
  const Dim batch = query.sizes[0], length = query.sizes[1];
  const int64_t type = call.IntBetween("mask_type", 0, kFullMask, "takes a mask_type of 0, 1 or 2, not {}");
  if (type == kFullMask) return;
  mask.Rank(2);
  const bool pads = type == kPaddingMask;
  RequireSize(mask, 0, pads ? batch : length, pads ? "the batch" : "the sequence");
  RequireSize(mask, 1, length, "the sequence");
}

TensorMeta Projected(const Call& call, const TensorMeta& input, ArgumentName weight, ArgumentName bias) {
  return Linear(input, call.In(weight), call.In(bias).TryMeta());
}

// (output, weights)
void MultiHeadAttention(Call& call) {
  const Operand query = call.In("query"), key = call.In("key"), value = call.In("value");
  const Dim embed = call.DimArg("embed_dim"), heads = call.DimArg("num_head");
  call.Each({"query", "key", "value"}).Rank(3);
  RequireSize(query, 2, embed, "embed_dim");
  query.SameSizesAs(key).SameSizesAs(value);
  RequireProjection(call, embed, call.Int("num_head"));
  const Dim batch = query->sizes[0], length = query->sizes[1];
  const auto return_weights = [&](const Dims& sizes) { ReturnContiguous(call, sizes, query->dtype); };
  if (IsEmpty(query)) {
    ReturnContiguous(call, query);
    return return_weights({0});
  }
  RequireMask(call, query);
  const TensorMeta context = NewMeta(call, query->size_span(), query->dtype);
  call.ReturnNew(Projected(call, context, "proj_weight", "proj_bias"));
  if (!call.Bool("need_weights")) return return_weights({0});
  if (call.Bool("average_attn_weights")) return return_weights({batch, length, length});
  return_weights({batch, heads, length, length});
}

// Query, key and value as thirds of one tensor, [batch, head, sequence, feature] each.
void TransformBiasRescale(Call& call) {
  const Operand qkv = call.In("qkv").Rank(3).Takes(kFloating);
  RequireValue(call, Divides(3, qkv->sizes[2]), {"takes queries, keys and values of one size, not {}", *qkv});
  const Dim features = FloorDiv(qkv->sizes[2], 3);
  const int64_t heads = call.Int("num_heads");
  RequireValue(
      call, DividesInto(heads, features), {"needs features that {} heads divide, not a third of {}", heads, *qkv});
  const Dims sizes = {qkv->sizes[0], heads, qkv->sizes[1], FloorDiv(features, heads)};
  const Dim part = Numel(sizes);
  for (int i = 0; i < 3; ++i) {
    TensorMeta t = NewMeta(call, sizes, qkv->dtype);
    t.storage_offset = part * i;
    Output& output = call.ReturnNew(std::move(t));
    if (i > 0) output.shares_with = 0;
  }
}

void EncoderLayer(Call& call) {
  const Operand src = call.In("src");
  if (IsEmpty(src)) return void(ReturnLike(call, src));
  const Dim embed = call.DimArg("embed_dim");
  src.Rank(3);
  RequireSize(src, 2, embed, "embed_dim");
  RequireProjection(call, embed, call.Int("num_heads"));
  RequireMask(call, src);
  // Attention and its projection, then the two layers of the feed-forward network.
  TensorMeta x = NewMeta(call, src->size_span(), src->dtype);
  x = Projected(call, x, "proj_weight", "proj_bias");
  x = Projected(call, x, "ffn_weight_1", "ffn_bias_1");
  x = Projected(call, x, "ffn_weight_2", "ffn_bias_2");
  RequireShape(
      call, ExpectSame(x.size_span(), src->size_span()), {"adds {} to what its layers make of it, {}", *src, x});
  // Each step's kernel gives a contiguous result. Python's function, which alone answers for other devices, keeps
  // src's layout.
  if (call.OnCpu()) return void(call.ReturnNew(std::move(x)));
  ReturnLike(call, src);
}

constexpr RuleRow kRows[] = {
    {"aten::_native_multi_head_attention", MultiHeadAttention},
    {"aten::_transform_bias_rescale_qkv", TransformBiasRescale},
    {"aten::_transformer_encoder_layer_fwd", EncoderLayer},
};

}  // namespace

RuleRows TransformerRules() { return kRows; }

}  // namespace fakeprop::rules
