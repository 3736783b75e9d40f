#!/usr/bin/env python3
"""Records testdata/collectives: graphs of models that run on several devices, with PyTorch's answers.

    export_collectives.py [--check] [NAME...]
    export_collectives.py --all FOLDER    # every case, to compare by hand

NAME is WAY_WHAT_SIZES_RANKS: `tp_forward_dynamic_8` is the forward graph of tensor parallel on 8 ranks, with symbols for
sizes. make_fx traces it on rank 0 of a fake process group. The graph has what PyTorch recorded at
each node, symbols included. expected.json has what the nodes give at the sizes of inputs.json: on real tensors where
the graph runs on them, since PyTorch's Meta functions make new tensors where wait_tensor and others return their
argument. FSDP2 has taken the memory of its weights away by then, so its graphs run on fake tensors; they have no
wait_tensor. `calls` is a graph with a call of every collective.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import warnings

import torch
from torch import distributed
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.device_mesh import init_device_mesh
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext
from torch.testing._internal.distributed.fake_pg import FakeStore

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import annotations
import collective_models as models
import fakeprop_fx
import golden

FOLDER = golden.ROOT / "testdata/collectives"
CASES = [
    f"{way}_{what}_{sizes}_{ranks}"
    for way in models.WAYS
    for what in ("forward", "joint")
    for sizes in ("static", "dynamic")
    for ranks in (2, 8)
]
TRACED = (2, 16)  # batch, length


def asked(way, sizes):
    """The sizes of inputs.json."""
    if sizes == "static":
        return TRACED
    return (3, 16) if way == "sp" else (3, 32)


def trace(way, what, sizes, ranks):
    mesh = init_device_mesh("cpu", (int(ranks),))
    torch.manual_seed(0)
    run = getattr(models, what)(models.WAYS[way](models.Transformer(), mesh))
    mode = FakeTensorMode(shape_env=ShapeEnv(), allow_non_fake_inputs=True)
    given = mode.from_tensor(models.tokens(*TRACED), symbolic_context=which_are_symbols(way, sizes))
    graph_module = make_fx(run, tracing_mode="fake", _allow_non_fake_inputs=True)(given)
    for node in graph_module.graph.nodes:
        node.meta.pop("stack_trace", None)
        node.meta.pop("nn_module_stack", None)
    return graph_module


def which_are_symbols(way, sizes):
    """In sequence parallel, only the batch: DTensor cuts the length that was traced."""
    batch = DimDynamic.DYNAMIC if sizes == "dynamic" else DimDynamic.STATIC
    return StatelessSymbolicContext([batch, DimDynamic.STATIC if way == "sp" else batch])


def calls():
    """Every collective once, on tensors that require grad and others."""
    functional = torch.ops._c10d_functional

    def run(x, w):
        y = x * w
        made = [
            functional.all_reduce(y, "sum", "0"),
            functional.all_reduce(y.t(), "avg", "0"),
            functional.all_gather_into_tensor(y.t(), 2, "0"),
            functional.reduce_scatter_tensor(y, "max", 2, "0"),
            functional.all_to_all_single(y, [3, 4], [2, 2], "0"),
            functional.broadcast(x.t(), 0, "0"),
            functional.all_reduce(torch.view_as_complex(x.view(4, 3, 2)), "sum", "0"),
            functional.irecv(torch.empty_like(x), 1, 0, "0"),
            *functional.all_reduce_coalesced([y, x.t()], "sum", "0"),
            *functional.all_gather_into_tensor_coalesced([y, x[0]], 2, "0"),
            *functional.reduce_scatter_tensor_coalesced([y, x], "sum", 2, "0"),
        ]
        waited = [functional.wait_tensor(t) for t in made]
        sent = [functional.isend(x, 1, 0, "0"), *functional.batch_p2p_ops(["irecv"], [1], [0], [x.clone()], "0")]
        z = x.clone()
        functional.wait_tensor(functional.all_reduce_(z, "sum", "0"))
        functional.broadcast_(z, 0, "0")
        functional.all_reduce_coalesced_([z], "sum", "0")
        gathered, scattered = x.new_empty(8, 6), x.new_empty(2, 6)
        functional.all_gather_into_tensor_out(x, 2, "0", out=gathered)
        functional.reduce_scatter_tensor_out(x, "sum", 2, "0", out=scattered)
        return *waited, *sent, z, gathered, scattered

    init_device_mesh("cpu", (2,))
    inputs = torch.zeros(4, 6), torch.zeros(6, requires_grad=True)
    return make_fx(run, pre_dispatch=False)(*inputs), inputs


def expect(graph_module, inputs, mode):
    expected = annotations.annotate_module(graph_module, mode, inputs, "graph.json", "torch.fx")
    assert "error" not in expected["nodes"][-1], expected["nodes"][-1]
    return expected


class RealTensors(contextlib.nullcontext):
    """What FakeTensorProp takes for its mode in a run on tensors as they are."""

    epoch = 0
    shape_env = None

    def from_tensor(self, value, static_shapes):
        return fake_like(value.detach(), FakeTensorMode())

    def reset_nt_tensor_id_counter(self):
        pass


def on_fakes(graph_module, inputs):
    """With attributes that have the memory which FSDP2 gives them before it uses them."""
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    for node in graph_module.graph.find_nodes(op="get_attr"):
        value = getattr(graph_module, node.target)
        if isinstance(value, torch.Tensor):
            delattr(graph_module, node.target)
            setattr(graph_module, node.target, fake_like(value, mode))
    return expect(graph_module, [mode.from_tensor(x) for x in inputs], mode)


def fake_like(value, mode):
    with mode:
        fake = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype)
    return fake.requires_grad_(value.requires_grad)


def input_spec(graph_module, inputs):
    placeholders = graph_module.graph.find_nodes(op="placeholder")
    entries = {node.name: describe(value) for node, value in zip(placeholders, inputs)}
    return {"format": "fakeprop.inputs/1", "inputs": entries}


def describe(value):
    entry = {"shape": list(value.shape), "dtype": str(value.dtype).removeprefix("torch.")}
    return entry | {"requires_grad": True} if value.requires_grad else entry


def record_here(name):
    way, *rest = name.split("_")
    ranks = 2 if name == "calls" else int(rest[-1])
    distributed.init_process_group("fake", rank=0, world_size=ranks, store=FakeStore())
    if name == "calls":
        graph_module, inputs = calls()
    else:
        graph_module, inputs = trace(way, *rest), [models.tokens(*asked(way, rest[1]))]
    graph = fakeprop_fx.to_text(fakeprop_fx.to_dict(graph_module))
    real = way != "fsdp"
    expected = expect(graph_module, inputs, RealTensors()) if real else on_fakes(graph_module, inputs)
    spec = annotations.to_text(input_spec(graph_module, inputs))
    return {"graph.json": graph, "inputs.json": spec, "expected.json": annotations.to_text(expected)}


def record(folder):
    """In a process of its own: a process group is made once."""
    name = folder.name
    code = f"import json, export_collectives as e; print('\\n' + json.dumps(e.record_here({name!r})))"
    environment = os.environ | {"PYTHONPATH": str(pathlib.Path(__file__).parent)}
    out = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=environment, stdout=subprocess.PIPE, check=True)
    files = json.loads(out.stdout.decode().splitlines()[-1])
    return {file: text.encode() for file, text in files.items()}


def record_all(folder):
    for name in [*CASES, "calls"]:
        (folder / name).mkdir(parents=True, exist_ok=True)
        for file, content in record(folder / name).items():
            (folder / name / file).write_bytes(content)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    if sys.argv[1:2] == ["--all"]:
        sys.exit(record_all(pathlib.Path(sys.argv[2])))
    sys.exit(golden.run(__doc__, FOLDER, "", record))
