// Attention and transformers of torch.nn. Source: torch/nn/modules/{activation,transformer}.py (torch 2.13).
#include "lib/python/module.h"

namespace fakeprop {
namespace {

void AttentionTensors(ModuleInstance& m) {
  const Bindings& n = m.names();
  const Dim e = n.Int("embed_dim");
  const Dim k = n.IsNone("kdim") ? e : Dim(n.Int("kdim")), v = n.IsNone("vdim") ? e : Dim(n.Int("vdim"));
  const bool packed = Guard(And(Eq(k, e), Eq(v, e)));
  const bool has_bias = n.Bool("bias"), has_kv = n.Bool("add_bias_kv");
  for (std::string_view name : {"in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight", "in_proj_bias",
           "bias_k", "bias_v", "out_proj_bias"})
    m.SetNone(name);
  if (packed) {
    m.Parameter("in_proj_weight", {Dim(3) * e, e});
  } else {
    m.Parameter("q_proj_weight", {e, e});
    m.Parameter("k_proj_weight", {e, k});
    m.Parameter("v_proj_weight", {e, v});
  }
  if (has_bias) m.Parameter("in_proj_bias", {Dim(3) * e});
  m.Parameter("out_proj.weight", {e, e});
  if (has_bias) m.Parameter("out_proj.bias", {e});
  else m.SetNone("out_proj.bias");
  if (!has_kv) return;
  m.Parameter("bias_k", {1, 1, e});
  m.Parameter("bias_v", {1, 1, e});
}

// With the batch first, what is one tensor stays one.
void SwapBatch(ModuleInstance& m, Value& q, Value& k, Value& v) {
  auto swap = [&](const Value& x) { return m.Call("aten.transpose", {x, Value(1), Value(0)}); };
  const bool same_qk = q.TryTensor() == k.TryTensor(), same_kv = k.TryTensor() == v.TryTensor();
  if (same_kv && same_qk) {
    q = k = v = swap(q);
  } else if (same_kv) {
    q = swap(q);
    k = v = swap(k);
  } else {
    q = swap(q), k = swap(k), v = swap(v);
  }
}

Value Attention(ModuleInstance& m) {
  const Bindings& n = m.names();
  Value q = m["query"], k = m["key"], v = m["value"];
  const bool swaps = n.Bool("batch_first") && n.TensorOf("query").meta.rank() == 3;
  if (swaps) SwapBatch(m, q, k, v);
  PythonArguments arguments{
      {q, k, v, m["embed_dim"], m["num_heads"], m["in_proj_weight"], m["in_proj_bias"], m["bias_k"], m["bias_v"],
          m["add_zero_attn"], m["dropout"], m["out_proj.weight"], m["out_proj.bias"], Value(m.training()),
          m["key_padding_mask"], m["need_weights"], m["attn_mask"], Value(m["in_proj_weight"].IsNone()),
          m["q_proj_weight"], m["k_proj_weight"], m["v_proj_weight"]},
      {{"average_attn_weights", m["average_attn_weights"]}, {"is_causal", m["is_causal"]}}};
  Value both = m.python().Call("F.multi_head_attention_forward", std::move(arguments));
  if (!swaps) return both;
  List out = *both.TryList();
  out.items[0] = m.Call("aten.transpose", {out.items[0], Value(1), Value(0)});
  return out;
}

void SetArgument(Dict& arguments, std::string_view name, Value value) {
  arguments.items.emplace_back(Value(std::string(name)), std::move(value));
}

// The parts of which both kinds of layers are made.
class Layer {
 public:
  explicit Layer(ModuleInstance& m) : m_(m), norm_first_(m.names().Bool("norm_first")) {}

  Value Norm(const char* name, const Value& x) {
    Dict arguments = Common();
    SetArgument(arguments, "normalized_shape", m_["d_model"]);
    SetArgument(arguments, "eps", m_["layer_norm_eps"]);
    SetArgument(arguments, "bias", m_["bias"]);
    return m_.RunChild(name, "torch.nn.LayerNorm", arguments, {{x}, {}});
  }

  Value Dropout(const Value& x) { return m_.Call("F.dropout", {x, m_["dropout"], Value(m_.training())}); }

  Value Attend(const char* name, const Value& x, const Value& memory, const Value& mask, const Value& padding,
      const Value& causal) {
    Dict arguments = Common();
    SetArgument(arguments, "embed_dim", m_["d_model"]);
    SetArgument(arguments, "num_heads", m_["nhead"]);
    for (const char* same : {"dropout", "bias", "batch_first"}) SetArgument(arguments, same, m_[same]);
    PythonArguments inputs{{x, memory, memory},
        {{"key_padding_mask", padding}, {"need_weights", Value(false)}, {"attn_mask", mask}, {"is_causal", causal}}};
    const Value both = m_.RunChild(name, "torch.nn.MultiheadAttention", arguments, std::move(inputs));
    return Dropout(AsItems(both)[0]);
  }

  Value FeedForward(const Value& x) {
    Value hidden = Activate(Linear("linear1", m_["d_model"], m_["dim_feedforward"], x));
    return Dropout(Linear("linear2", m_["dim_feedforward"], m_["d_model"], Dropout(hidden)));
  }

  // A block and its shortcut, normalised before or after.
  template <typename Block>
  Value Step(const char* norm, const Value& x, Block block) {
    if (norm_first_) return m_.Call("aten.add", {x, block(Norm(norm, x))});
    return Norm(norm, m_.Call("aten.add", {x, block(x)}));
  }

 private:
  Dict Common() {
    Dict arguments;
    for (const char* same : {"device", "dtype"}) SetArgument(arguments, same, m_[same]);
    return arguments;
  }

  Value Linear(const char* name, const Value& in, const Value& out, const Value& x) {
    Dict arguments = Common();
    SetArgument(arguments, "in_features", in);
    SetArgument(arguments, "out_features", out);
    SetArgument(arguments, "bias", m_["bias"]);
    return m_.RunChild(name, "torch.nn.Linear", arguments, {{x}, {}});
  }

  // A name, a function, or a module.
  Value Activate(const Value& x) {
    const Value& activation = m_["activation"];
    if (activation.Is<Dict>()) return m_.RunChild("activation", activation, {{x}, {}});
    std::string function;
    if (auto op = activation.TryGet<Operator>()) function = op->target;
    else if (auto name = activation.TryGet<std::string>(); name && (*name == "relu" || *name == "gelu"))
      function = "F." + *name;
    const PythonFunction* found = function.empty() ? nullptr : FindPythonFunction(function);
    if (!found) Fail(ErrorClass::kUnsupportedOperator, "the activation " + ToString(activation) + " is not known here");
    return found->Run(m_.python(), {{x}, {}});
  }

  ModuleInstance& m_;
  bool norm_first_;
};

Value EncoderLayer(ModuleInstance& m) {
  Layer layer(m);
  Value x = layer.Step("norm1", m["src"], [&](const Value& y) {
    return layer.Attend("self_attn", y, y, m["src_mask"], m["src_key_padding_mask"], m["is_causal"]);
  });
  return layer.Step("norm2", x, [&](const Value& y) { return layer.FeedForward(y); });
}

Value DecoderLayer(ModuleInstance& m) {
  Layer layer(m);
  Value x = layer.Step("norm1", m["tgt"], [&](const Value& y) {
    return layer.Attend("self_attn", y, y, m["tgt_mask"], m["tgt_key_padding_mask"], m["tgt_is_causal"]);
  });
  x = layer.Step("norm2", x, [&](const Value& y) {
    return layer.Attend(
        "multihead_attn", y, m["memory"], m["memory_mask"], m["memory_key_padding_mask"], m["memory_is_causal"]);
  });
  return layer.Step("norm3", x, [&](const Value& y) { return layer.FeedForward(y); });
}

// _detect_is_causal_mask: nobody said, so that the mask itself would have to be looked at.
Value DetectCausal(const Value& given, const Value& mask) {
  if (!given.IsNone()) return Value(given.Is<bool>() && given.Get<bool>());
  const Tensor* t = mask.TryTensor();
  if (!t || t->meta.rank() != 2 || !Guard(Eq(t->meta.sizes[0], t->meta.sizes[1]))) return Value(false);
  Fail(ErrorClass::kDataDependentOutput, "whether the mask is causal depends on its data; say so by is_causal", {t});
}

Value RunLayers(ModuleInstance& m, const Value& layer, Value x, const PythonArguments& rest) {
  const int64_t count = m.names().Int("num_layers");
  for (int64_t i = 0; i < count; ++i) {
    PythonArguments inputs = rest;
    inputs.positional.insert(inputs.positional.begin(), x);
    x = m.RunChild("layers." + std::to_string(i), layer, std::move(inputs));
  }
  return m["norm"].IsNone() ? x : m.RunChild("norm", m["norm"], {{x}, {}});
}

Value Encoder(ModuleInstance& m) {
  const Value causal = DetectCausal(m["is_causal"], m["mask"]);
  return RunLayers(m, m["encoder_layer"], m["src"],
      {{}, {{"src_mask", m["mask"]}, {"src_key_padding_mask", m["src_key_padding_mask"]}, {"is_causal", causal}}});
}

Value Decoder(ModuleInstance& m) {
  const Value causal = DetectCausal(m["tgt_is_causal"], m["tgt_mask"]);
  return RunLayers(m, m["decoder_layer"], m["tgt"],
      {{m["memory"]}, {{"tgt_mask", m["tgt_mask"]}, {"memory_mask", m["memory_mask"]},
                          {"tgt_key_padding_mask", m["tgt_key_padding_mask"]},
                          {"memory_key_padding_mask", m["memory_key_padding_mask"]}, {"tgt_is_causal", causal},
                          {"memory_is_causal", m["memory_is_causal"]}}});
}

Value ModuleValue(std::string class_name, Dict arguments) {
  Dict module;
  SetArgument(module, "class", Value(std::move(class_name)));
  SetArgument(module, "arguments", Value(std::move(arguments)));
  return module;
}

// The stack that a transformer makes for itself: `part` is "encoder" or "decoder".
Value DefaultStack(
    ModuleInstance& m, const std::string& part, const std::string& layer_class, const std::string& stack_class) {
  Dict layer, norm, stack;
  for (const char* same : {"d_model", "nhead", "dim_feedforward", "dropout", "activation", "layer_norm_eps",
           "batch_first", "norm_first", "bias", "device", "dtype"})
    SetArgument(layer, same, m[same]);
  SetArgument(norm, "normalized_shape", m["d_model"]);
  SetArgument(norm, "eps", m["layer_norm_eps"]);
  for (const char* same : {"bias", "device", "dtype"}) SetArgument(norm, same, m[same]);
  SetArgument(stack, part + "_layer", ModuleValue("torch.nn." + layer_class, std::move(layer)));
  SetArgument(stack, "num_layers", m["num_" + part + "_layers"]);
  SetArgument(stack, "norm", ModuleValue("torch.nn.LayerNorm", std::move(norm)));
  return ModuleValue("torch.nn." + stack_class, std::move(stack));
}

void CheckTransformer(ModuleInstance& m) {
  const TensorMeta &src = m.names().TensorOf("src").meta, &tgt = m.names().TensorOf("tgt").meta;
  const size_t batch = m.names().Bool("batch_first") ? 0 : 1;
  if (src.rank() == 3 && tgt.rank() == 3 && !Guard(Eq(src.sizes[batch], tgt.sizes[batch])))
    Fail(ErrorClass::kShapeMismatch,
        "the batches of src and tgt differ: " + src.sizes[batch].ToString() + " and " + tgt.sizes[batch].ToString());
  const Dim features = m.names().Int("d_model");
  if (!Guard(And(Eq(SizeIn(src, src.rank() - 1), features), Eq(SizeIn(tgt, tgt.rank() - 1), features))))
    Fail(ErrorClass::kShapeMismatch, "src and tgt have " + src.sizes.back().ToString() + " and " +
                                         tgt.sizes.back().ToString() + " features, the transformer was made for " +
                                         features.ToString());
}

Value Transformer(ModuleInstance& m) {
  CheckTransformer(m);
  const Value encoder = m["custom_encoder"].IsNone()
                            ? DefaultStack(m, "encoder", "TransformerEncoderLayer", "TransformerEncoder")
                            : m["custom_encoder"];
  const Value decoder = m["custom_decoder"].IsNone()
                            ? DefaultStack(m, "decoder", "TransformerDecoderLayer", "TransformerDecoder")
                            : m["custom_decoder"];
  const Value memory = m.RunChild("encoder", encoder,
      {{m["src"]}, {{"mask", m["src_mask"]}, {"src_key_padding_mask", m["src_key_padding_mask"]},
                       {"is_causal", m["src_is_causal"]}}});
  return m.RunChild("decoder", decoder,
      {{m["tgt"], memory}, {{"tgt_mask", m["tgt_mask"]}, {"memory_mask", m["memory_mask"]},
                               {"tgt_key_padding_mask", m["tgt_key_padding_mask"]},
                               {"memory_key_padding_mask", m["memory_key_padding_mask"]},
                               {"tgt_is_causal", m["tgt_is_causal"]}, {"memory_is_causal", m["memory_is_causal"]}}});
}

constexpr ModuleRow kRows[] = {
    {"MultiheadAttention(embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, "
     "kdim=None,"
     " vdim=None, batch_first=False, device=None, dtype=None)",
        "query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True, "
        "is_causal=False",
        {}, AttentionTensors, Attention},
    {"TransformerEncoderLayer(d_model, nhead, dim_feedforward=2048, dropout=0.1, activation='relu', "
     "layer_norm_eps=1e-05,"
     " batch_first=False, norm_first=False, bias=True, device=None, dtype=None)",
        "src, src_mask=None, src_key_padding_mask=None, is_causal=False", {}, nullptr, EncoderLayer},
    {"TransformerDecoderLayer(d_model, nhead, dim_feedforward=2048, dropout=0.1, activation='relu', "
     "layer_norm_eps=1e-05,"
     " batch_first=False, norm_first=False, bias=True, device=None, dtype=None)",
        "tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None, "
        "tgt_is_causal=False,"
        " memory_is_causal=False",
        {}, nullptr, DecoderLayer},
    {"TransformerEncoder(encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True)",
        "src, mask=None, src_key_padding_mask=None, is_causal=None", {}, nullptr, Encoder},
    {"TransformerDecoder(decoder_layer, num_layers, norm=None)",
        "tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None, "
        "tgt_is_causal=None,"
        " memory_is_causal=False",
        {}, nullptr, Decoder},
    {"Transformer(d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048, dropout=0.1,"
     " activation='relu', custom_encoder=None, custom_decoder=None, layer_norm_eps=1e-05, batch_first=False, "
     "norm_first=False,"
     " bias=True, device=None, dtype=None)",
        "src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None, "
        "tgt_key_padding_mask=None,"
        " memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None, memory_is_causal=False",
        {}, nullptr, Transformer},
};

}  // namespace

std::span<const ModuleRow> TransformerModules() { return kRows; }

}  // namespace fakeprop
