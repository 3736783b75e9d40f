// torch.nn.functional.multi_head_attention_forward. Source: torch/nn/functional.py (torch 2.13).
#include <cmath>

#include "lib/meta/dtype.h"
#include "lib/meta/lists.h"
#include "lib/python/indexing.h"
#include "lib/python/registry.h"

namespace fakeprop {
namespace {

const Dims& SizesOf(const Value& tensor) { return AsTensor(tensor).meta.sizes; }

class MultiHeadAttention {
 public:
  MultiHeadAttention(Python& python, const Bindings& arguments) : py_(python), a_(arguments) {}

  Value Run() {
    ReadInputs();
    ReadMasks();
    Project();
    AppendBiases();
    SplitHeads();
    AppendZeros();
    MergeMasks();
    return a_.Bool("need_weights") ? WithWeights() : WithoutWeights();
  }

 private:
  Value Call(std::string_view op, std::vector<Value> arguments) { return py_.Call(op, std::move(arguments)); }
  Value View(const Value& of, std::initializer_list<Dim> sizes) { return Call("aten.view", {of, IntListOf(sizes)}); }

  // Without a batch they get one of size 1.
  void ReadInputs() {
    q_ = a_["query"], k_ = a_["key"], v_ = a_["value"], padding_ = a_["key_padding_mask"];
    const int64_t rank = a_.TensorOf("query").meta.rank();
    if (rank != 2 && rank != 3)
      Fail(ErrorClass::kValueError,
          "attention takes a query of rank 2 or 3, not " + ToString(a_.TensorOf("query").meta));
    const std::string_view others[] = {"key", "value"};
    for (std::string_view name : others)
      if (a_.TensorOf(name).meta.rank() != rank)
        Fail(ErrorClass::kValueError, "the " + std::string(name) + " of attention has to have the query's rank " +
                                          std::to_string(rank) + ", not " + ToString(a_.TensorOf(name).meta));
    is_batched_ = rank == 3;
    same_qk_ = q_.TryTensor() == k_.TryTensor();
    same_kv_ = k_.TryTensor() == v_.TryTensor();
    if (!is_batched_) {
      // Three new views, equal only where they were one object.
      q_ = Call("aten.unsqueeze", {q_, Value(1)});
      k_ = Call("aten.unsqueeze", {k_, Value(1)});
      v_ = Call("aten.unsqueeze", {v_, Value(1)});
      same_qk_ = same_kv_ = false;
      if (padding_.TryTensor()) padding_ = Call("aten.unsqueeze", {padding_, Value(0)});
    }
    target_length_ = SizeIn(AsTensor(q_).meta, 0);
    batch_ = SizeIn(AsTensor(q_).meta, 1);
    embedding_ = SizeIn(AsTensor(q_).meta, 2);
    heads_ = a_.Int("num_heads");
    head_size_ = FloorDiv(embedding_, heads_);
    if (!Guard(Eq(embedding_, AsInt(a_["embed_dim_to_check"]))))
      Fail(ErrorClass::kShapeMismatch, "attention was made for embeddings of " + ToString(a_["embed_dim_to_check"]) +
                                           ", the query has " + embedding_.ToString());
    const bool separate = a_.Bool("use_separate_proj_weight");
    const Dims &k = SizesOf(k_), &v = SizesOf(v_);
    const size_t compared = separate ? 2 : 3;
    if (!ExpectSame({k.data(), compared}, {v.data(), compared}))
      Fail(ErrorClass::kShapeMismatch,
          "the key " + ToString(k_) + " and the value " + ToString(v_) + " of attention do not fit together");
  }

  // _canonical_mask: of bools to zeros and -inf.
  Value CanonicalMask(const Value& mask) {
    const Tensor* t = mask.TryTensor();
    if (!t || t->meta.dtype != ScalarType::Bool) return mask;
    Value zeros = py_.Operator("aten::zeros_like", {mask, Value(AsTensor(q_).meta.dtype)});
    return Call("aten.masked_fill_", {zeros, mask, Value(-std::numeric_limits<double>::infinity())});
  }

  void ReadMasks() {
    is_causal_ = a_.Bool("is_causal");
    padding_ = CanonicalMask(padding_);
    if (is_causal_ && a_.IsNone("attn_mask"))
      Fail(ErrorClass::kValueError, "attention needs a mask even where it is told that it is causal");
    if (is_causal_ && padding_.IsNone() && !a_.Bool("need_weights")) return;
    mask_ = CanonicalMask(a_["attn_mask"]);
    if (!padding_.IsNone()) is_causal_ = false;
    const Tensor* t = mask_.TryTensor();
    if (!t) return;
    const Dim source = SizeIn(AsTensor(k_).meta, 0);
    const Dims two = {target_length_, source}, three = {batch_ * heads_, target_length_, source};
    const Dims& expected = t->meta.rank() == 2 ? two : three;
    if (!ExpectSame(t->meta.size_span(), {expected.data(), expected.size()}))
      Fail(ErrorClass::kShapeMismatch,
          "the mask of attention is " + ToString(t->meta.size_span()) + ", but should be " + ToString({two.data(), 2}) +
              " or " + ToString({three.data(), 3}),
          {t});
    if (t->meta.rank() == 2) mask_ = Call("aten.unsqueeze", {mask_, Value(0)});
  }

  Value Linear(const Value& x, const Value& w, const Value& b) { return Call("aten.linear", {x, w, b}); }

  std::vector<Value> Chunks(const Value& of, int64_t count) {
    if (!of.TryTensor()) return std::vector<Value>(static_cast<size_t>(count));
    return AsItems(Call("aten.chunk", {of, Value(count)}));
  }

  // linear() for `count` projections at once, kept apart by a leading dimension.
  std::vector<Value> Packed(const Value& x, const Value& w, const Value& b, int64_t count) {
    Value p = Linear(x, w, b);
    p = Call("aten.unflatten", {p, Value(-1), IntListOf({count, embedding_})});
    p = Call("aten.transpose", {Call("aten.unsqueeze", {p, Value(0)}), Value(0), Value(-2)});
    p = Call("aten.contiguous", {Call("aten.squeeze", {p, Value(-2)})});
    std::vector<Value> out;
    for (int64_t i = 0; i < count; ++i) out.push_back(GetTensorItem(py_, AsTensor(p), Value(i)));
    return out;
  }

  std::vector<Value> SplitOff(const Value& of) {
    if (!of.TryTensor()) return std::vector<Value>(2);
    return AsItems(py_.Operator("aten::split_with_sizes", {of, IntListOf({embedding_, embedding_ * Dim(2)})}));
  }

  void Project() {
    const Value &w = a_["in_proj_weight"], &b = a_["in_proj_bias"];
    if (a_.Bool("use_separate_proj_weight")) {
      const std::vector<Value> biases = Chunks(b, 3);
      q_ = Linear(q_, a_["q_proj_weight"], biases[0]);
      k_ = Linear(k_, a_["k_proj_weight"], biases[1]);
      v_ = Linear(v_, a_["v_proj_weight"], biases[2]);
      return;
    }
    std::vector<Value> out;
    if (same_kv_ && same_qk_) {
      out = Packed(q_, w, b, 3);
    } else if (same_kv_) {
      const std::vector<Value> weights = SplitOff(w), biases = SplitOff(b);
      out = {Linear(q_, weights[0], biases[0])};
      for (Value& part : Packed(k_, weights[1], biases[1], 2)) out.push_back(std::move(part));
    } else {
      const std::vector<Value> weights = Chunks(w, 3), biases = Chunks(b, 3);
      out = {Linear(q_, weights[0], biases[0]), Linear(k_, weights[1], biases[1]), Linear(v_, weights[2], biases[2])};
    }
    q_ = out[0], k_ = out[1], v_ = out[2];
  }

  void PadMasks() {
    for (Value* mask : {&mask_, &padding_})
      if (mask->TryTensor()) *mask = Call("F.pad", {*mask, IntListOf({0, 1})});
  }

  Value Append(const Value& to, const Value& what, int64_t dim) {
    return py_.Operator("aten::cat", {Value(List{{to, what}, false}), Value(dim)});
  }

  void AppendBiases() {
    if (!a_["bias_k"].TryTensor()) return;
    k_ = Append(k_, Call("aten.repeat", {a_["bias_k"], IntListOf({1, batch_, 1})}), 0);
    v_ = Append(v_, Call("aten.repeat", {a_["bias_v"], IntListOf({1, batch_, 1})}), 0);
    PadMasks();
  }

  Value Heads(const Value& x) {
    return Call(
        "aten.transpose", {View(x, {SizeIn(AsTensor(x).meta, 0), batch_ * heads_, head_size_}), Value(0), Value(1)});
  }

  void SplitHeads() {
    q_ = Heads(q_);
    k_ = a_["static_k"].TryTensor() ? a_["static_k"] : Heads(k_);
    v_ = a_["static_v"].TryTensor() ? a_["static_v"] : Heads(v_);
  }

  void AppendZeros() {
    if (a_.Bool("add_zero_attn")) {
      for (Value* x : {&k_, &v_}) {
        const TensorMeta& meta = x->TryTensor()->meta;
        Value zeros = py_.Operator("aten::zeros",
            {IntListOf({batch_ * heads_, 1, head_size_}), Value(meta.dtype), Value(), Value(meta.device)});
        *x = Append(*x, zeros, 1);
      }
      PadMasks();
    }
    source_length_ = SizeIn(AsTensor(k_).meta, 1);
  }

  void MergeMasks() {
    if (!padding_.TryTensor()) return;
    Value p = View(padding_, {batch_, 1, 1, source_length_});
    p = Call("aten.expand", {p, IntListOf({-1, heads_, -1, -1})});
    p = Call("aten.reshape", {p, IntListOf({batch_ * heads_, 1, source_length_})});
    mask_ = mask_.TryTensor() ? Call("aten.add", {mask_, p}) : p;
  }

  Value Output(const Value& attended) {
    Value out = Linear(attended, a_["out_proj_weight"], a_["out_proj_bias"]);
    return View(out, {target_length_, batch_, SizeIn(AsTensor(out).meta, 1)});
  }

  double Dropout() const { return a_.Bool("training") ? a_.Float("dropout_p") : 0.0; }

  Value WithWeights() {
    Value scaled =
        Call("aten.mul", {q_, Value(std::sqrt(1.0 / static_cast<double>(SizeIn(AsTensor(q_).meta, 2).Specialize())))});
    Value transposed = Call("aten.transpose", {k_, Value(-2), Value(-1)});
    Value weights =
        mask_.TryTensor() ? Call("aten.baddbmm", {mask_, scaled, transposed}) : Call("aten.bmm", {scaled, transposed});
    weights = Call("aten.softmax", {weights, Value(-1)});
    if (Dropout() > 0) weights = Call("aten.dropout", {weights, Value(Dropout()), Value(true)});
    Value out = Call("aten.bmm", {weights, v_});
    out = Call("aten.reshape",
        {Call("aten.transpose", {out, Value(0), Value(1)}), IntListOf({target_length_ * batch_, embedding_})});
    out = Output(out);
    weights = View(weights, {batch_, heads_, target_length_, source_length_});
    if (a_.Bool("average_attn_weights")) weights = Call("aten.mean", {weights, IntListOf({1})});
    if (!is_batched_) {
      out = Call("aten.squeeze", {out, Value(1)});
      weights = Call("aten.squeeze", {weights, Value(0)});
    }
    return List{{out, weights}, true};
  }

  Value WithoutWeights() {
    if (Tensor* t = mask_.TryTensor()) {
      if (t->meta.rank() == 3 && Guard(Eq(t->meta.sizes[0], 1))) mask_ = Call("aten.unsqueeze", {mask_, Value(0)});
      else mask_ = View(mask_, {batch_, heads_, -1, source_length_});
    }
    const Value q = View(q_, {batch_, heads_, target_length_, head_size_});
    const Value k = View(k_, {batch_, heads_, source_length_, head_size_});
    const Value v = View(v_, {batch_, heads_, source_length_, head_size_});
    Value out =
        py_.Operator("aten::scaled_dot_product_attention", {q, k, v, mask_, Value(Dropout()), Value(is_causal_)});
    out = Call("aten.permute", {out, IntListOf({2, 0, 1, 3})});
    out = Output(Call("aten.reshape", {out, IntListOf({batch_ * target_length_, embedding_})}));
    if (!is_batched_) out = Call("aten.squeeze", {out, Value(1)});
    return List{{out, Value()}, true};
  }

  Python& py_;
  const Bindings& a_;
  Value q_, k_, v_, mask_, padding_;
  bool is_batched_ = true, is_causal_ = false, same_qk_ = false, same_kv_ = false;
  Dim target_length_, source_length_, batch_, embedding_, heads_, head_size_;
};

Value Forward(Python& python, const Bindings& a) { return MultiHeadAttention(python, a).Run(); }

constexpr FunctionRow kRows[] = {
    {"multi_head_attention_forward(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, "
     "bias_k,"
     " bias_v, add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None,"
     " need_weights=True, attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None,"
     " v_proj_weight=None, static_k=None, static_v=None, average_attn_weights=True, is_causal=False)",
        {}, Forward},
};

}  // namespace

FunctionTable FunctionalAttention() { return {"torch.nn.functional.", kRows}; }

}  // namespace fakeprop
