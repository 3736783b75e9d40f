"""A decoder-only language model in bfloat16: RMSNorm, rotary positions, grouped-query attention, SwiGLU."""

import torch
import torch.nn.functional as F
from torch import nn


class RMSNorm(nn.Module):
    """Scales by the root mean square, computed in float32."""

    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.weight * wide.to(x.dtype)


class RotaryEmbedding(nn.Module):
    """The cosines and sines that rotate queries and keys by their position."""

    def __init__(self, head_width, base=10000.0):
        super().__init__()
        frequencies = base ** (-torch.arange(0, head_width, 2) / head_width)
        self.register_buffer("frequencies", frequencies, persistent=False)

    def forward(self, positions, dtype):
        with torch.no_grad():
            angles = positions[:, :, None].float() * self.frequencies.float()
            angles = torch.cat((angles, angles), dim=-1)
            return angles.cos().to(dtype), angles.sin().to(dtype)


def rotate(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin


class Attention(nn.Module):
    """Causal attention in which groups of query heads share a key and value head."""

    def __init__(self, width, heads, key_heads):
        super().__init__()
        self.head_width = width // heads
        self.groups = heads // key_heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, key_heads * self.head_width, bias=False)
        self.value = nn.Linear(width, key_heads * self.head_width, bias=False)
        self.output = nn.Linear(width, width, bias=False)

    def split_heads(self, x):
        return x.view(*x.shape[:-1], -1, self.head_width).transpose(1, 2)

    def repeat_groups(self, x):
        batch, heads, length, width = x.shape
        x = x[:, :, None].expand(batch, heads, self.groups, length, width)
        return x.reshape(batch, heads * self.groups, length, width)

    def forward(self, x, cos, sin):
        query = rotate(self.split_heads(self.query(x)), cos, sin)
        key = rotate(self.split_heads(self.key(x)), cos, sin)
        value = self.split_heads(self.value(x))
        mixed = F.scaled_dot_product_attention(
            query, self.repeat_groups(key), self.repeat_groups(value), is_causal=True
        )
        return self.output(mixed.transpose(1, 2).reshape(x.shape))


class SwiGLU(nn.Module):
    """A feed-forward layer whose hidden units are gated."""

    def __init__(self, width, hidden):
        super().__init__()
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class DecoderLayer(nn.Module):
    def __init__(self, width, heads, key_heads, hidden):
        super().__init__()
        self.attention_norm = RMSNorm(width)
        self.attention = Attention(width, heads, key_heads)
        self.mlp_norm = RMSNorm(width)
        self.mlp = SwiGLU(width, hidden)

    def forward(self, x, cos, sin):
        x = x + self.attention(self.attention_norm(x), cos, sin)
        return x + self.mlp(self.mlp_norm(x))


class DecoderLM(nn.Module):
    """Logits of the next token at each place. The head shares the embedding's weight."""

    def __init__(self, vocabulary, width, heads, key_heads, hidden, layers):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.rotary = RotaryEmbedding(width // heads)
        self.layers = nn.ModuleList(
            DecoderLayer(width, heads, key_heads, hidden) for _ in range(layers)
        )
        self.norm = RMSNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        x = self.embedding(tokens)
        positions = torch.arange(tokens.shape[1], device=tokens.device)[None]
        cos, sin = self.rotary(positions, x.dtype)
        cos, sin = cos[:, None], sin[:, None]
        for layer in self.layers:
            x = layer(x, cos, sin)
        return self.head(self.norm(x)).float()


def build():
    model = DecoderLM(vocabulary=512, width=64, heads=4, key_heads=2, hidden=160, layers=2)
    return model.to(torch.bfloat16)


def example_inputs():
    return (torch.zeros(2, 16, dtype=torch.int64),)
