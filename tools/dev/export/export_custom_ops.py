#!/usr/bin/env python3
"""Records testdata/custom_ops: a graph that calls custom operators, with PyTorch's answers.

    export_custom_ops.py LIBRARY [--check]

testdata/custom_ops/functionalized gets a decomposed export of operators that change their arguments: torch.export wraps them in
auto_functionalized_v2. Those operators are defined here. testdata/custom_ops/python gets custom_python.py's model, which calls
Python functions and modules that rules describe.

LIBRARY is a built //testdata/custom_ops:libcustom_ops.so. What rules.txt says of operators without a Meta kernel, this
script says by torch.library.register_fake.
"""

import sys

import torch
from torch import fx, nn
from torch._export.serde import serialize
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

import annotations
import custom_python
import export_fx
import export_graphs
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
    return recorded(graph_module, inputs) | {"inputs.json": annotations.to_text(spec).encode()}


def recorded(graph_module, inputs):
    return {
        "graph.json": fakeprop_fx.to_text(fakeprop_fx.to_dict(graph_module)).encode(),
        "inputs.json": annotations.to_text(export_fx.input_spec(graph_module, inputs)).encode(),
        "expected.json": annotations.to_text(export_fx.expect(graph_module, inputs)).encode(),
    }


class Changes(nn.Module):
    """Once on views of one tensor, once inside of a branch, with a list of tensors that change."""

    def forward(self, x, y):
        ops = torch.ops.example
        state = x.clone()
        ops.accumulate(state[1:], y)
        total = ops.sum_and_scale(state.t(), [y.clone(), state[0]], 2.0)

        def if_true(x, y):
            into = x + 1
            ops.accumulate(into, y)
            return into

        return state, total, torch.cond(x.sum() > 0, if_true, lambda x, y: x * y, (x, y))


def define_changing():
    library = torch.library.Library("example", "FRAGMENT")
    library.define("accumulate(Tensor(a!) into, Tensor x) -> ()")
    library.define("sum_and_scale(Tensor(a!) x, Tensor(b!)[] more, float by) -> Tensor")
    library.impl("accumulate", lambda into, x: into.add_(x) and None, "CompositeExplicitAutograd")
    torch.library.register_fake("example::accumulate", lambda into, x: None, lib=library)
    torch.library.register_fake("example::sum_and_scale", lambda x, more, by: x.new_empty(x.shape[:1]), lib=library)
    return library


def record_functionalized(_):
    library = define_changing()
    program = torch.export.export(Changes(), (torch.randn(4, 3), torch.randn(3)), strict=True).run_decompositions({})
    export_graphs.shorten_stack_traces(program.graph_module)
    graph = serialize.serialize(program, serialize_state_dict=False, serialize_constants=False).exported_program
    expected = annotations.annotate(graph, "graph.json", FakeTensorMode(shape_env=ShapeEnv()))
    del library
    return {"graph.json": graph, "expected.json": annotations.to_text(expected).encode()}


def record_python(_):
    graph_module = custom_python.trace()
    return recorded(graph_module, [torch.empty(4, 6), torch.empty(4)])


if __name__ == "__main__":
    torch.ops.load_library(sys.argv.pop(1))
    records = {"functionalized": record_functionalized, "python": record_python}
    status = golden.run(__doc__, FOLDER, "rules.txt", lambda folder: records[folder.name](folder))
    sys.argv.append(FOLDER.name)
    sys.exit(status or golden.run(__doc__, FOLDER.parent, "rules.txt", record))
