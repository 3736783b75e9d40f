#!/usr/bin/env python3
"""The round trip of FX JSON against the installed torch, by hand: needs torch and a built fakeprop.

    check_fx.py FAKEPROP [NAME...]

Each case of fx_cases.py is captured by symbolic_trace, make_fx and Dynamo, written by fakeprop_fx.py, propagated, and read
back; every node.meta["val"] has to equal what FakeTensorProp leaves on the GraphModule: shapes, strides, dtypes, devices,
offsets, and which tensors share storage. Prints what differs; exits with 1 where something does.
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch
from torch._dynamo.utils import deepcopy_to_fake_tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.passes.fake_tensor_prop import FakeTensorProp
from torch.utils import _pytree

import export_fx
import fakeprop_fx
import fx_cases
import golden


def by_dynamo(module, inputs):
    captured = []

    def backend(graph_module, example_inputs):
        captured.append((graph_module, list(example_inputs)))
        return graph_module.forward

    torch._dynamo.reset()
    torch.compile(module, backend=backend, dynamic=False)(*inputs)
    if len(captured) != 1:
        raise RuntimeError(f"{len(captured)} graphs")
    return captured[0]


def by_symbolic_trace(module, inputs):
    return torch.fx.symbolic_trace(module), list(inputs)


CAPTURES = {"symbolic_trace": by_symbolic_trace, "make_fx": export_fx.by_make_fx, "dynamo": by_dynamo}


def cases():
    for name, module, inputs in fx_cases.modules():
        yield name, fx_cases.caller(module, inputs), inputs
    yield from fx_cases.functions()
    yield from fx_cases.models()


def propagate(fakeprop, graph_module, inputs):
    """Runs fakeprop and puts its annotations on the graph module; returns what went wrong, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        graph, spec, out = (pathlib.Path(folder) / name for name in ("graph.json", "spec.json", "out.json"))
        fakeprop_fx.save(graph_module, graph)
        spec.write_text(json.dumps(export_fx.input_spec(graph_module, inputs)))
        run = subprocess.run([fakeprop, graph, "--inputs", spec, "-o", out], capture_output=True, text=True, check=False)
        if run.returncode:
            return run.stderr
        fakeprop_fx.annotate(graph_module, str(out))
    return None


def expected(graph_module, inputs):
    mode = FakeTensorMode()
    reference = deepcopy_to_fake_tensor(graph_module, mode)
    fakes = [mode.from_tensor(x) if isinstance(x, torch.Tensor) else x for x in inputs]
    FakeTensorProp(reference, mode).propagate_dont_convert_inputs(*fakes)
    return reference


def is_same(a, b):
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(is_same(a[key], b[key]) for key in a)
    if isinstance(a, (tuple, list)):
        return isinstance(b, (tuple, list)) and len(a) == len(b) and all(map(is_same, a, b))
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        return a is b is None or (type(a) is type(b) and a == b)
    fields = lambda t: (t.shape, t.dtype, t.device, t.storage_offset(), t.layout)
    strides = zip(a.shape, a.stride(), b.stride())
    return fields(a) == fields(b) and (not a.numel() or all(x == y for size, x, y in strides if size != 1))


def aliases(graph_module):
    numbers = {}
    values = _pytree.tree_leaves([node.meta.get("val") for node in graph_module.graph.nodes])
    return [numbers.setdefault(t.untyped_storage()._cdata, len(numbers)) for t in values if isinstance(t, torch.Tensor)]


def check(fakeprop, capture, module, inputs):
    """What is wrong with one case; nothing where all is well, or where torch itself has no answer."""
    inputs = _pytree.tree_map_only(torch.Tensor, lambda x: x.clone(memory_format=torch.preserve_format), inputs)
    try:
        graph_module, flat = capture(copy.deepcopy(module), inputs)
        reference = expected(graph_module, flat)
    except Exception as error:
        print(f"  not by torch: {type(error).__name__}: {str(error).splitlines()[0][:100]}")
        return None
    if trouble := propagate(fakeprop, graph_module, flat):
        return trouble
    for ours, theirs in zip(graph_module.graph.nodes, reference.graph.nodes):
        a, b = ours.meta.get("val"), theirs.meta.get("val")
        if not is_same(a, b):
            return f"node {ours.name} ({ours.target}) is {a}, not {b}"
    return None if aliases(graph_module) == aliases(reference) else "storages are shared in another way"


def check_lazy(fakeprop, module, inputs):
    """A graph written while its module is lazy, against the graph of what the module then becomes."""
    graph_module, flat = by_symbolic_trace(fx_cases.caller(module, inputs), inputs)
    if trouble := propagate(fakeprop, graph_module, flat):
        return trouble
    values = [node.meta.get("val") for node in graph_module.graph.nodes]
    graph_module(*flat)
    for value, node in zip(values, expected(graph_module, flat).graph.nodes):
        if not is_same(value, node.meta.get("val")):
            return f"node {node.name} is {value}, not {node.meta.get('val')}"
    return None


def main(fakeprop, names):
    wrong = 0
    for name, module, inputs in fx_cases.lazy():
        if (not names or name in names) and (trouble := check_lazy(fakeprop, module, inputs)):
            wrong += 1
            print(f"{name}\n  WRONG: {trouble}")
    for name, module, inputs in cases():
        for how, capture in CAPTURES.items():
            if names and name not in names:
                continue
            print(f"{name} by {how}")
            if trouble := check(fakeprop, capture, module, inputs):
                wrong += 1
                print(f"  WRONG: {trouble}")
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.path.insert(0, str(golden.ROOT))
    warnings.filterwarnings("ignore")
    sys.exit(main(sys.argv[1], sys.argv[2:]))
