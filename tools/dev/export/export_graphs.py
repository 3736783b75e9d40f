#!/usr/bin/env python3
"""Exports the models of graphs/ and records what PyTorch says of every value in them.

    export_graphs.py [--check] [NAME...]

For each model this writes, beside its model.py:
  graph.json      the exported program as torch.export.save writes it into a .pt2
  inputs.json     the input spec of the user inputs
  expected.json   the annotations, computed by PyTorch's FakeTensorProp

The same torch gives the same bytes. --check writes nothing and fails where a file would change.
"""

import importlib
import pathlib
import re
import sys
import warnings

import torch
from torch._export.serde import serialize

import annotations
import golden

TORCH_PARENT = pathlib.Path(torch.__file__).parents[1]
FRAME = re.compile(r'File "(?P<path>[^"]+)", line')


def export(folder):
    """The serialized bytes of the model in a folder, free of this machine's paths."""
    module = importlib.import_module(f"graphs.{folder.name}.model")
    torch.manual_seed(0)
    program = torch.export.export(module.build().eval(), module.example_inputs())
    shorten_stack_traces(program.graph_module)
    return serialize.serialize(program, serialize_state_dict=False, serialize_constants=False).exported_program


def shorten_stack_traces(graph_module):
    """Makes the file names in stack traces relative to the repository, or to where torch is installed."""
    for module in graph_module.modules():
        if not isinstance(module, torch.fx.GraphModule):
            continue
        for node in module.graph.nodes:
            if trace := node.meta.get("stack_trace"):
                node.meta["stack_trace"] = FRAME.sub(lambda frame: f'File "{shorten(frame["path"])}", line', trace)


def shorten(path):
    if not pathlib.Path(path).is_absolute():
        return path  # nodes of a graph and of its subgraphs can share their metadata
    for parent in (golden.ROOT, TORCH_PARENT):
        if pathlib.Path(path).is_relative_to(parent):
            return pathlib.Path(path).relative_to(parent).as_posix()
    raise ValueError(f"a stack trace names {path}, which is neither in this repository nor in torch")


def without_paths(graph):
    """A serialized graph's bytes, free of this machine's paths."""
    for parent in (golden.ROOT, TORCH_PARENT):
        graph = graph.replace(f"{parent}/".encode(), b"")
    return graph


def record(folder):
    """File name and content of everything that is recorded for a model."""
    graph = export(folder)
    return {
        "graph.json": graph,
        "inputs.json": annotations.to_text(annotations.input_spec(graph)).encode(),
        "expected.json": annotations.to_text(annotations.annotate(graph, "graph.json")).encode(),
    }


if __name__ == "__main__":
    sys.path.insert(0, str(golden.ROOT))
    warnings.filterwarnings("ignore", "(?s).*_flat_weights.* were assigned during export")  # how nn.LSTM works
    sys.exit(golden.run(__doc__, golden.ROOT / "graphs", "model.py", record))
