"""A translation model: transformer encoder and decoder with cross attention, padding and causal masks."""

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    """Multi-head attention of `x` over `memory`; `mask` is added to the scores."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.output = nn.Linear(width, width)

    def split_heads(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, memory, mask):
        query = self.split_heads(self.query(x))
        key = self.split_heads(self.key(memory))
        value = self.split_heads(self.value(memory))
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return self.output(mixed.transpose(1, 2).flatten(2))


def additive_mask(allowed):
    """Zero where attention is allowed, and minus infinity elsewhere."""
    return torch.zeros(allowed.shape, device=allowed.device).masked_fill(~allowed, float("-inf"))


class FeedForward(nn.Sequential):
    def __init__(self, width, hidden):
        super().__init__(
            nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width), nn.Dropout(0.1)
        )


class EncoderLayer(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.attention = Attention(width, heads)
        self.attention_norm = nn.LayerNorm(width)
        self.mlp = FeedForward(width, hidden)
        self.mlp_norm = nn.LayerNorm(width)

    def forward(self, x, mask):
        x = self.attention_norm(x + self.attention(x, x, mask))
        return self.mlp_norm(x + self.mlp(x))


class DecoderLayer(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.self_attention = Attention(width, heads)
        self.self_norm = nn.LayerNorm(width)
        self.cross_attention = Attention(width, heads)
        self.cross_norm = nn.LayerNorm(width)
        self.mlp = FeedForward(width, hidden)
        self.mlp_norm = nn.LayerNorm(width)

    def forward(self, x, memory, causal_mask, memory_mask):
        x = self.self_norm(x + self.self_attention(x, x, causal_mask))
        x = self.cross_norm(x + self.cross_attention(x, memory, memory_mask))
        return self.mlp_norm(x + self.mlp(x))


class PositionedEmbedding(nn.Module):
    """Token embedding plus a learned vector for each position."""

    def __init__(self, vocabulary, width, max_length):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width, padding_idx=0)
        self.positions = nn.Embedding(max_length, width)
        self.dropout = nn.Dropout(0.1)

    def forward(self, tokens):
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        return self.dropout(self.tokens(tokens) + self.positions(positions))


class EncoderDecoder(nn.Module):
    """Log probabilities of the target's tokens, given the source and the target so far."""

    def __init__(self, vocabulary, width, heads, hidden, layers, max_length):
        super().__init__()
        self.source_embedding = PositionedEmbedding(vocabulary, width, max_length)
        self.target_embedding = PositionedEmbedding(vocabulary, width, max_length)
        self.encoder = nn.ModuleList(EncoderLayer(width, heads, hidden) for _ in range(layers))
        self.decoder = nn.ModuleList(DecoderLayer(width, heads, hidden) for _ in range(layers))
        self.head = nn.Linear(width, vocabulary)

    def forward(self, source, target):
        source_mask = additive_mask(source.ne(0)[:, None, None, :])
        memory = self.source_embedding(source)
        for layer in self.encoder:
            memory = layer(memory, source_mask)

        length = target.shape[1]
        causal = torch.ones(length, length, dtype=torch.bool, device=target.device).tril()
        target_mask = additive_mask(causal & target.ne(0)[:, None, None, :])
        x = self.target_embedding(target)
        for layer in self.decoder:
            x = layer(x, memory, target_mask, source_mask)
        return F.log_softmax(self.head(x), dim=-1)


def build():
    return EncoderDecoder(
        vocabulary=300, width=48, heads=4, hidden=96, layers=2, max_length=32
    )


def example_inputs():
    source = torch.zeros(2, 12, dtype=torch.int64)
    target = torch.zeros(2, 9, dtype=torch.int64)
    return (source, target)
