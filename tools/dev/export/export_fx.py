#!/usr/bin/env python3
"""Records the cases of testdata/fx: FX JSON that fakeprop_fx.py writes, with PyTorch's answers.

    export_fx.py [--check] [NAME...]

Each folder of testdata/fx gets graph.json, inputs.json and expected.json, the annotations by PyTorch's FakeTensorProp on
the GraphModule. NAME is HOW_WHAT: `symbolic_layers`, `make_fx_resnet_small` ...; fx_cases.py has what is captured.
"""

import itertools
import sys
import warnings

import torch
from torch import fx, nn
from torch._dynamo.utils import deepcopy_to_fake_tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

import annotations
import export_graphs
import fakeprop_fx
import fx_cases
from fx_cases import f
import golden

FAMILIES = {
    "layers": fx_cases.layers,
    "losses": fx_cases.losses,
    "recurrent": fx_cases.recurrent,
    "transformers": fx_cases.transformers,
    "parametrized": fx_cases.parametrized,
}


class Family(nn.Module):
    """Runs several modules, each on inputs of its own."""

    def __init__(self, cases):
        super().__init__()
        self.counts = [len(inputs) for _, _, inputs in cases]
        self.names = [name for name, _, _ in cases]
        for name, module, _ in cases:
            self.add_module(name, module)

    def run(self, *inputs):
        rest = iter(inputs)
        return tuple(getattr(self, name)(*itertools.islice(rest, count)) for name, count in zip(self.names, self.counts))


def with_positions(module, run, count):
    """`module` with a forward that takes `count` inputs by name, for symbolic_trace."""
    names = ", ".join(f"x{i}" for i in range(count))
    namespace = {}
    exec(f"def forward(self, {names}):\n    return self.{run}({names})\n", namespace)
    module.__class__ = type(type(module).__name__, (type(module),), {"forward": namespace["forward"]})
    return module


def family(name):
    cases = [case for case in FAMILIES[name]() if all(isinstance(x, torch.Tensor) for x in case[2])]
    inputs = [x.clone(memory_format=torch.preserve_format) for _, _, given in cases for x in given]
    return with_positions(Family(cases), "run", len(inputs)), inputs


def captures():
    """The name of each case, and a function that gives its graph module and flat inputs."""
    for name in FAMILIES:
        yield f"symbolic_{name}", lambda name=name: symbolic(*family(name))
    for name in ("layers", "recurrent", "transformers"):
        yield f"make_fx_{name}", lambda name=name: by_make_fx(*family(name))
    for name, model, inputs in fx_cases.functions():
        yield f"symbolic_{name}", lambda model=model, inputs=inputs: symbolic(model, inputs)
    yield "symbolic_specialized", specialized
    yield "symbolic_leaves_of_subclasses", lambda: (fx_cases.leaves_of_subclasses(), [f(5, 6)])
    yield "exported_module", exported_module
    for name, model, inputs in fx_cases.models():
        yield f"make_fx_{name}", lambda model=model, inputs=inputs: by_make_fx(model, inputs)
        if name in fx_cases.SYMBOLIC_MODELS:
            yield f"symbolic_{name}", lambda model=model, inputs=inputs: symbolic(model, inputs)


def specialized():
    given = {"mask": None, "factor": 3, "residual": True}
    return fx.symbolic_trace(fx_cases.Specialized(), concrete_args=given), [f(2, 4), *given.values()]


def exported_module():
    inputs = (f(6, 4), {"bias": f(3, 8)})
    program = torch.export.export(fx_cases.Guarded(), inputs)
    export_graphs.shorten_stack_traces(program.graph_module)
    return program.module(), torch.utils._pytree.tree_leaves(inputs)


def symbolic(module, inputs):
    return fx.symbolic_trace(module), list(inputs)


def by_make_fx(module, inputs):
    flat, structure = torch.utils._pytree.tree_flatten(inputs)
    copies = [x.clone(memory_format=torch.preserve_format) if isinstance(x, torch.Tensor) else x for x in flat]

    def run(*values):
        return module(*torch.utils._pytree.tree_unflatten(values, structure))

    graph_module = make_fx(run)(*copies)
    for node in graph_module.graph.nodes:
        node.meta.pop("val", None)  # so that nothing is recorded
    return graph_module, flat


def input_spec(graph_module, inputs):
    placeholders = graph_module.graph.find_nodes(op="placeholder")
    entries = {node.name: describe_input(value) for node, value in zip(placeholders, inputs)}
    return {"format": "fakeprop.inputs/1", "inputs": entries}


def describe_input(value):
    if not isinstance(value, torch.Tensor):
        return {"value": value}
    entry = {"shape": list(value.shape), "dtype": annotations._short(value.dtype)}
    if value.storage_offset():
        entry |= {"stride": list(value.stride()), "storage_offset": value.storage_offset()}
    return entry if value.is_contiguous() else entry | {"stride": list(value.stride())}


def expect(graph_module, inputs):
    """The annotations by FakeTensorProp, on a copy of the graph module whose tensors are fakes."""
    mode = FakeTensorMode()
    copy = deepcopy_to_fake_tensor(graph_module, mode)
    if hasattr(copy, "_guards_fn"):
        copy._guards_fn = fakeprop_fx.guards_graph(graph_module._guards_fn, graph_module)
    fakes = [mode.from_tensor(x) if isinstance(x, torch.Tensor) else x for x in inputs]
    annotated = annotations.annotate_module(copy, mode, fakes, "graph.json", "torch.fx")
    written = {node.name: fakeprop_fx.plain_call(node)[0] for node in copy.graph.nodes if isinstance(node.target, type)}
    for entry in annotated["nodes"]:
        entry["target"] = written.get(entry["name"], entry["target"])
    return annotated


def record(folder):
    graph_module, inputs = dict(captures())[folder.name]()
    return {
        "graph.json": fakeprop_fx.to_text(fakeprop_fx.to_dict(graph_module)).encode(),
        "inputs.json": annotations.to_text(input_spec(graph_module, inputs)).encode(),
        "expected.json": annotations.to_text(expect(graph_module, inputs)).encode(),
    }


if __name__ == "__main__":
    sys.path.insert(0, str(golden.ROOT))
    warnings.filterwarnings("ignore")
    for name, _ in captures():
        (golden.ROOT / "testdata/fx" / name).mkdir(parents=True, exist_ok=True)
    sys.exit(golden.run(__doc__, golden.ROOT / "testdata/fx", ".", record))
