#!/usr/bin/env python3
"""fakeprop.FakeTensorProp inside of torch.compile, by hand: needs torch, a C++ compiler, and a built libfakeprop.so.

    FAKEPROP_LIBRARY=bazel-bin/fakeprop/libfakeprop.so check_inductor.py

PyTorch's inductor propagates each graph that it compiles, after passes that rewrote it. Here it does so by our class. Compares
the values of all nodes with those of PyTorch's class on a copy, and what the compiled model computes with eager.
"""

import copy
import sys
import warnings

import torch
from torch import nn
from torch._inductor import compile_fx
from torch.fx.passes import fake_tensor_prop

import check_fake_tensor_prop  # which puts the package on the path
import fakeprop


class Compared(fakeprop.FakeTensorProp):
    found = []  # of each run: the number of nodes, why PyTorch ran it, differences

    def propagate_dont_convert_inputs(self, *args):
        expected = copy.deepcopy(self.module)
        result = super().propagate_dont_convert_inputs(*args)
        fake_tensor_prop.FakeTensorProp(expected, self._mode).propagate_dont_convert_inputs(*args)
        differences = list(check_fake_tensor_prop.differences(self.module, expected))
        Compared.found.append((len(self.module.graph.nodes), self.reason, differences))
        return result


def models():
    yield "mlp", nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), torch.randn(3, 4), False
    yield "mlp, dynamic", nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), torch.randn(3, 4), True
    convolution = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
    yield "convolution", convolution.eval(), torch.randn(2, 3, 8, 8), False
    yield "attention", nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval(), torch.randn(2, 5, 16), False
    yield "training", nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 2)), torch.randn(3, 4), False


def is_well(name, model, x, dynamic):
    Compared.found.clear()
    torch._dynamo.reset()
    with torch.set_grad_enabled(name == "training"):
        expected, found = model(x), torch.compile(model, dynamic=dynamic)(x)
        if name == "training":
            found.sum().backward()
    differences = [difference for _, _, of_run in Compared.found for difference in of_run]
    left = [reason for _, reason, _ in Compared.found if reason]
    print(f"{name}: graphs of {[nodes for nodes, _, _ in Compared.found]} nodes, left to torch: {left}", *differences[:5], sep="\n", flush=True)
    return bool(Compared.found) and not differences and not left and torch.allclose(expected, found, atol=1e-4)


def main():
    warnings.filterwarnings("ignore")
    compile_fx.FakeTensorProp = Compared
    torch._inductor.config.fx_graph_cache = False  # else a graph that was compiled before is not propagated
    return 0 if all([is_well(*model) for model in models()]) else 1


if __name__ == "__main__":
    sys.exit(main())
