#!/usr/bin/env python3
"""Records testdata/custom_ops: a graph that calls custom operators, with PyTorch's answers.

    export_custom_ops.py LIBRARY [--check]

LIBRARY is a built //testdata/custom_ops:libcustom_ops.so. What rules.txt says of operators without a Meta kernel, this
script says by torch.library.register_fake.
"""

import sys

import torch
from torch import fx, nn

import annotations
import export_fx
import fakeprop_fx
import golden

FOLDER = golden.ROOT / "testdata/custom_ops"


class UsesCustomOperators(nn.Module):
    def forward(self, x, weight):
        ops = torch.ops.example
        scaled = ops.scale(x)
        by_rows = ops.row_sums(scaled.t())
        half = ops.first_half.default(x)
        added = ops.add_one_(x.clone())
        only = ops.only_cpu(weight)
        left, right = ops.no_kernel(weight, 3)
        return scaled, by_rows, half, added, only, left, right.sum() + by_rows


def register_fakes():
    torch.library.register_fake("example::only_cpu", lambda x: torch.empty_like(x))
    torch.library.register_fake(
        "example::no_kernel",
        lambda x, n: (x.new_empty([x.size(0) * n, x.size(1)]), x.new_empty([n], dtype=torch.int64)))


def record(_):
    register_fakes()
    graph_module = fx.symbolic_trace(UsesCustomOperators())
    inputs = [torch.empty(4, 6), torch.empty(6, 5).t().requires_grad_()]
    spec = export_fx.input_spec(graph_module, inputs)
    spec["inputs"]["weight"]["requires_grad"] = True
    return {
        "graph.json": fakeprop_fx.to_text(fakeprop_fx.to_dict(graph_module)).encode(),
        "inputs.json": annotations.to_text(spec).encode(),
        "expected.json": annotations.to_text(export_fx.expect(graph_module, inputs)).encode(),
    }


if __name__ == "__main__":
    torch.ops.load_library(sys.argv.pop(1))
    sys.argv.insert(1, FOLDER.name)
    sys.exit(golden.run(__doc__, FOLDER.parent, "rules.txt", record))
