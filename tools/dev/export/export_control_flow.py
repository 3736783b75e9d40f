#!/usr/bin/env python3
"""Records the cases of testdata/control_flow: graphs with higher-order operators, and PyTorch's answers.

    export_control_flow.py [--check] [NAME...]

control_flow_cases.py has the models. Each folder gets graph.json (what torch.export writes, or FX JSON of a graph that it
does not write, with inputs.json) and expected.json, the annotations by PyTorch's FakeTensorProp.

torch refuses to export graphs that contradict themselves. Those of EDITED are therefore edits of graphs of the cases, in
testdata/cli/graphs/NAME.json. They are written if no NAME is given, with nested_inputs.json and those of RECORDED there.
"""

import json
import logging
import sys
import warnings

import torch
from torch._dynamo.utils import deepcopy_to_fake_tensor
from torch._export.serde import serialize
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

import annotations
import control_flow_cases
import export_fx
import export_graphs
import fakeprop_fx
import golden

FOLDER = golden.ROOT / "testdata/control_flow"


def export(model, inputs, decomposed=False, **options):
    """The serialized bytes of an exported model, free of this machine's paths."""
    torch.manual_seed(0)
    torch._dynamo.reset()
    program = torch.export.export(model(), inputs, **options)
    if decomposed:
        program = program.run_decompositions({})
    graph = serialize.serialize(program, serialize_state_dict=False, serialize_constants=False).exported_program
    return export_graphs.without_paths(graph)


def exported(name):
    strict = name not in control_flow_cases.NOT_STRICT
    graph = export(*control_flow_cases.EXPORTED[name], strict=strict, decomposed=name in control_flow_cases.DECOMPOSED)
    # While loops make symbols, which only a mode with a ShapeEnv has.
    mode = FakeTensorMode(shape_env=ShapeEnv())
    expected = annotations.annotate(graph, "graph.json", mode)
    return {"graph.json": graph, "expected.json": annotations.to_text(expected).encode()}


def traced(name):
    graph_module, inputs = control_flow_cases.TRACED[name]()
    mode = FakeTensorMode(shape_env=ShapeEnv())
    copy = deepcopy_to_fake_tensor(graph_module, mode)
    fakes = [mode.from_tensor(x, static_shapes=True) if isinstance(x, torch.Tensor) else x for x in inputs]
    expected = annotations.annotate_module(copy, mode, fakes, "graph.json", "torch.fx")
    if name == "flex_attention_trained":
        del expected["subgraphs"]  # the score's graph ran only to be traced for its gradient
    spec = export_fx.input_spec(graph_module, inputs)
    for entry, value in zip(spec["inputs"].values(), inputs):
        if isinstance(value, torch.Tensor) and value.requires_grad:
            entry["requires_grad"] = True
    return {
        "graph.json": export_graphs.without_paths(fakeprop_fx.to_text(fakeprop_fx.to_dict(graph_module)).encode()),
        "inputs.json": annotations.to_text(spec).encode(),
        "expected.json": annotations.to_text(expected).encode(),
    }


def record(folder):
    return exported(folder.name) if folder.name in control_flow_cases.EXPORTED else traced(folder.name)


def subgraph(graph, name):
    """A subgraph of a graph in the file, wherever it stands."""
    for node in graph["nodes"]:
        for argument in node["inputs"]:
            if found := argument["arg"].get("as_graph"):
                inner = found["graph"] if found["name"] == name else subgraph(found["graph"], name)
                if inner:
                    return inner
    return None


def node(graph, name):
    return next(node for node in graph["nodes"] if node["name"] == name)


def cond_disagrees(graph):
    node(subgraph(graph, "false_graph_0"), "mean")["inputs"][1]["arg"] = {"as_ints": [0]}


def cond_fails_inside(graph):
    node(subgraph(graph, "true_graph_0"), "linear")["inputs"][1]["arg"]["as_tensor"]["name"] = "p_left_bias"


def while_loop_disagrees(graph):
    subgraph(graph, "while_loop_body_graph_0")["outputs"][1]["as_tensor"]["name"] = "t"


def scan_disagrees(graph):
    subgraph(graph, "scan_combine_graph_0")["outputs"][0]["as_tensor"]["name"] = "t"


def cond_nested_disagrees(graph):
    inner = subgraph(subgraph(graph, "true_graph_0"), "false_graph_0")
    inner["nodes"][0] |= {"target": "torch.ops.aten.t.default", "inputs": inner["nodes"][0]["inputs"][:1]}
    inner["outputs"][0]["as_tensor"]["name"] = inner["nodes"][0]["outputs"][0]["as_tensor"]["name"]


def associative_scan_disagrees(graph):
    combine = graph["graphs"]["combine"]["nodes"]
    combine[-1]["args"][0]["tuple"][1] = {"node": combine[0]["name"]}
    sums = next(node for node in combine if node["target"] == "_operator.mul")
    sums |= {"op": "call_method", "target": "double", "args": sums["args"][:1]}


EDITED = {
    "cond_nested_disagrees": ("cond_nested", cond_nested_disagrees),
    "associative_scan_disagrees": ("associative_scan", associative_scan_disagrees),
    "cond_disagrees": ("cond", cond_disagrees),
    "cond_fails_inside": ("cond", cond_fails_inside),
    "while_loop_disagrees": ("while_loop", while_loop_disagrees),
    "scan_disagrees": ("scan", scan_disagrees),
}


def write_edited():
    for name, (case, edit) in EDITED.items():
        program = json.loads((FOLDER / case / "graph.json").read_bytes())
        edit(program["graph_module"]["graph"] if "graph_module" in program else program)
        (golden.ROOT / f"testdata/cli/graphs/{name}.json").write_text(json.dumps(program))
    for name, (model, inputs) in control_flow_cases.RECORDED.items():
        (golden.ROOT / f"testdata/cli/graphs/{name}.json").write_bytes(export(model, inputs, strict=True))
    x = [torch.ones(2) for _ in range(5)]
    nested = ({"mask": x[0], "ids": x[1]}, {"b": [x[2], (x[3],)]}, x[4])
    graph = export(control_flow_cases.NestedInputs, nested, kwargs={"scale": 2.0}, strict=False)
    (golden.ROOT / "testdata/cli/graphs/nested_inputs.json").write_bytes(graph)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    for name in [*control_flow_cases.EXPORTED, *control_flow_cases.TRACED]:
        (FOLDER / name).mkdir(parents=True, exist_ok=True)
    status = golden.run(__doc__, FOLDER, "", record)
    if len(sys.argv) == 1:
        write_edited()
    sys.exit(status)
