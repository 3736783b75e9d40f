// A language model as Llama, for the examples of deferred initialisation.
#pragma once

#include <torch/torch.h>

struct LlamaSizes {
  int64_t width, heads, kv_heads, hidden, layers, words;
};
inline constexpr LlamaSizes kSeventyBillion{8192, 64, 8, 28672, 80, 128256};
inline constexpr LlamaSizes kSmall{64, 8, 4, 160, 4, 256};

inline torch::nn::Linear Plain(int64_t in, int64_t out) {
  return torch::nn::Linear(torch::nn::LinearOptions(in, out).bias(false));
}

struct LlamaLayerImpl : torch::nn::Module {
  explicit LlamaLayerImpl(const LlamaSizes& s) : sizes(s), head(s.width / s.heads) {
    q = register_module("q", Plain(s.width, s.width));
    k = register_module("k", Plain(s.width, s.kv_heads * head));
    v = register_module("v", Plain(s.width, s.kv_heads * head));
    o = register_module("o", Plain(s.width, s.width));
    gate = register_module("gate", Plain(s.width, s.hidden));
    up = register_module("up", Plain(s.width, s.hidden));
    down = register_module("down", Plain(s.hidden, s.width));
    norm1 = register_parameter("norm1", torch::ones({s.width}));
    norm2 = register_parameter("norm2", torch::ones({s.width}));
  }

  static torch::Tensor Normalized(const torch::Tensor& x, const torch::Tensor& weight) {
    return x * torch::rsqrt(x.square().mean(-1, true) + 1e-5) * weight;
  }

  torch::Tensor Heads(const torch::Tensor& x, int64_t count) const {
    return x.view({x.size(0), x.size(1), count, head}).transpose(1, 2);
  }

  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor in = Normalized(x, norm1);
    const int64_t group = sizes.heads / sizes.kv_heads;
    const torch::Tensor keys = Heads(k(in), sizes.kv_heads).repeat_interleave(group, 1);
    const torch::Tensor values = Heads(v(in), sizes.kv_heads).repeat_interleave(group, 1);
    const torch::Tensor attended =
        torch::scaled_dot_product_attention(Heads(q(in), sizes.heads), keys, values, {}, 0.0, true);
    const torch::Tensor y = x + o(attended.transpose(1, 2).reshape(x.sizes()));
    const torch::Tensor z = Normalized(y, norm2);
    return y + down(torch::silu(gate(z)) * up(z));
  }

  const LlamaSizes sizes;
  const int64_t head;
  torch::nn::Linear q{nullptr}, k{nullptr}, v{nullptr}, o{nullptr}, gate{nullptr}, up{nullptr}, down{nullptr};
  torch::Tensor norm1, norm2;
};
TORCH_MODULE(LlamaLayer);

struct LlamaImpl : torch::nn::Module {
  explicit LlamaImpl(const LlamaSizes& s) {
    words = register_module("words", torch::nn::Embedding(s.words, s.width));
    layers = register_module("layers", torch::nn::ModuleList());
    for (int64_t i = 0; i < s.layers; ++i) layers->push_back(LlamaLayer(s));
    norm = register_parameter("norm", torch::ones({s.width}));
    head = register_module("head", Plain(s.width, s.words));
  }

  torch::nn::Embedding words{nullptr};
  torch::nn::ModuleList layers{nullptr};
  torch::Tensor norm;
  torch::nn::Linear head{nullptr};
};
TORCH_MODULE(Llama);
