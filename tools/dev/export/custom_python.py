"""Functions and modules of Python that fakeprop knows by rules alone: testdata/custom_ops/python has the rules."""

import torch
from torch import nn
from torch.nn import functional as F


@torch.fx.wrap
def scale_rows(x, weight, by=2, *, offset=0):
    if weight.shape[0] != x.shape[0]:
        raise ValueError("a row has one weight")
    return x * weight.unsqueeze(1) * by + offset


@torch.fx.wrap
def halves(x):
    middle = x.shape[-1] // 2
    return x[..., :middle], x[..., middle:]


class Gated(nn.Linear):
    """Overrides forward, so it is no Linear to fakeprop."""

    def __init__(self, features, factor):
        super().__init__(features, 2 * features)
        self.factor = factor

    def forward(self, x, gate=None):
        value, own = F.linear(x, self.weight, self.bias).chunk(2, -1)
        return value * torch.sigmoid(own if gate is None else gate) * self.factor


class GatedTwice(Gated):
    """Keeps the forward of a class that has a rule."""


class Block(nn.Module):
    """Has modules of its own, and no bias."""

    def __init__(self, features):
        super().__init__()
        self.project = nn.Linear(features, features, bias=False)
        self.register_parameter("bias", None)

    def forward(self, x):
        y = F.linear(x, self.project.weight)
        y = y if self.bias is None else y + self.bias
        return F.dropout(y, 0.5, self.training)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.gated = Gated(6, 0.5)
        self.twice = GatedTwice(6, 2)
        self.block = Block(6).eval()

    def forward(self, x, weight):
        rows = scale_rows(x, weight, offset=1.5)
        left, right = halves(self.gated(rows))
        left.mul_(2)
        return self.twice(rows, gate=rows), self.block(rows), torch.cat([left, right])


def trace():
    """The model's graph with its own classes as leaves."""

    class Tracer(torch.fx.Tracer):
        def is_leaf_module(self, module, path):
            return type(module).__module__ == __name__

    model = Model()
    return torch.fx.GraphModule(model, Tracer().trace(model))
