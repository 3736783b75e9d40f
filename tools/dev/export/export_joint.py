#!/usr/bin/env python3
"""Records testdata/joint: joint graphs of a loss and its gradients, as torch.export writes them, with PyTorch's answers.

    export_joint.py [--check] [NAME...]
"""

import sys
import warnings

import torch
from torch import nn
from torch._export.serde import serialize
from torch.export.experimental import _export_forward_backward
from torch.nn import functional as F

import annotations
import golden


class Convolutions(nn.Module):
    """Statistics that change, dropout, a skip connection."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4)
        self.head = nn.Linear(4, 5)

    def forward(self, x, target):
        y = F.relu(self.norm(self.conv(x))) + x.sum(1, keepdim=True)
        y = F.dropout(F.max_pool2d(y, 2).mean((2, 3)), 0.1, self.training)
        return F.cross_entropy(self.head(y), target)


class Tied(nn.Module):
    """One weight in two places; the gradient of an input; a result beside the loss."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(7, 4)
        self.layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)

    def forward(self, tokens):
        y = F.linear(self.layer(self.embed(tokens)), self.embed.weight)
        return F.nll_loss(F.log_softmax(y[:, :-1].flatten(0, 1), -1), tokens[:, 1:].flatten())


CASES = {
    "convolutions": (Convolutions, lambda: (torch.randn(2, 3, 8, 8), torch.tensor([1, 4]))),
    "tied": (Tied, lambda: (torch.randint(0, 7, (2, 5)),)),
}


def record(folder):
    build, inputs = CASES[folder.name]
    torch.manual_seed(0)
    program = _export_forward_backward(torch.export.export(build(), inputs(), strict=True))
    for node in program.graph.nodes:
        node.meta.pop("stack_trace", None)  # of code that torch generates, at another place each time
    graph = serialize.serialize(program, serialize_state_dict=False, serialize_constants=False).exported_program
    return {"graph.json": graph, "expected.json": annotations.to_text(annotations.annotate(graph, "graph.json")).encode()}


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    for name in CASES:
        (golden.ROOT / "testdata/joint" / name).mkdir(parents=True, exist_ok=True)
    sys.exit(golden.run(__doc__, golden.ROOT / "testdata/joint", "", record))
