"""Two-layer transformers under tensor parallel, sequence parallel and FSDP2, for export_collectives.py."""

import torch
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from torch.nn import functional as F

WIDTH, HEADS, WORDS = 16, 8, 32


class Attention(nn.Module):
    """Each rank has some of the heads."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = (
            layer(x).view(batch, length, -1, WIDTH // HEADS).transpose(1, 2) for layer in (self.q, self.k, self.v)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o(y.transpose(1, 2).reshape(batch, length, -1))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.ModuleList(Block() for _ in range(2))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, tokens):
        x = self.embed(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


def tensor_parallel(model, mesh):
    """Weights are cut by columns, then by rows: one all_reduce after each pair."""
    parallelize_module(
        model,
        mesh,
        {"embed": RowwiseParallel(input_layouts=Replicate()), "head": ColwiseParallel(output_layouts=Replicate())},
    )
    for layer in model.layers:
        plan = {f"attention.{name}": ColwiseParallel() for name in "qkv"}
        plan |= {"attention.o": RowwiseParallel(), "up": ColwiseParallel(), "down": RowwiseParallel()}
        parallelize_module(layer, mesh, plan)
    return model


def sequence_parallel(model, mesh):
    """The same, and norms work on a part of the sequence: all_gather and reduce_scatter in the place of all_reduce."""
    part = Shard(1)
    top = {
        "embed": RowwiseParallel(input_layouts=Replicate(), output_layouts=part),
        "norm": SequenceParallel(),
        "head": ColwiseParallel(input_layouts=part, output_layouts=Replicate()),
    }
    parallelize_module(model, mesh, top)
    for layer in model.layers:
        plan = {f"attention.{name}": ColwiseParallel() for name in "qkv"}
        plan |= {
            "norm1": SequenceParallel(),
            "norm2": SequenceParallel(),
            "attention": PrepareModuleInput(input_layouts=(part,), desired_input_layouts=(Replicate(),)),
            "attention.o": RowwiseParallel(output_layouts=part),
            "up": ColwiseParallel(input_layouts=part),
            "down": RowwiseParallel(output_layouts=part),
        }
        parallelize_module(layer, mesh, plan)
    return model


def fully_sharded(model, mesh):
    """FSDP2: each layer's weights are gathered before it runs, and its gradients are scattered after it."""
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    return fully_shard(model, mesh=mesh)


WAYS = {"tp": tensor_parallel, "sp": sequence_parallel, "fsdp": fully_sharded}


def forward(model):
    return model


def joint(model):
    """The loss and the gradients of this rank's part of the weights."""

    def run(tokens):
        loss = F.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
        loss.backward()
        gradients = [parameter.grad for parameter in model.parameters()]
        return loss, *[g.to_local() if isinstance(g, DTensor) else g for g in gradients]

    return run


def tokens(batch, length):
    return torch.arange(batch * length).remainder(WORDS).view(batch, length)
