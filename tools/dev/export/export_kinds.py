#!/usr/bin/env python3
"""Writes the model of graphs/kinds in every format that fakeprop reads, and what PyTorch says of every value in it.

    export_kinds.py [--check] [NAME...]

Each folder of graphs/kinds gets graph.*, inputs.json and expected.json; that of TorchScript has values.json in the place of
the last, what export_scripts.py writes. An archive's own bytes are not the same twice, so that --check passes over it where
there is one.
"""

import gzip
import io
import json
import lzma
import subprocess
import sys

import torch

import annotations
import export_fx
import export_graphs
import export_scripts
import fakeprop_fx
import golden
import jit_archive

FOLDER = golden.ROOT / "graphs/kinds"


def program():
    from graphs.kinds import block
    exported = torch.export.export(block.build().eval(), block.example_inputs())
    export_graphs.shorten_stack_traces(exported.graph_module)
    return exported


def export_json():
    from torch._export.serde import serialize
    return serialize.serialize(program(), serialize_state_dict=False, serialize_constants=False).exported_program


def pt2():
    file = io.BytesIO()
    torch.export.save(program(), file)
    return file.getvalue()


def zstd(data):
    return subprocess.run(["zstd", "-19", "-c"], input=data, capture_output=True, check=True).stdout


KINDS = {
    "export_json": ("graph.json", export_json),
    "export_json_gz": ("graph.json.gz", lambda: gzip.compress(export_json(), mtime=0)),
    "export_json_xz": ("graph.json.xz", lambda: lzma.compress(export_json())),
    "export_json_zst": ("graph.json.zst", lambda: zstd(export_json())),
    "pt2": ("graph.pt2", pt2),
}


def record(folder):
    if folder.name in OTHERS:
        return OTHERS[folder.name]()
    name, make = KINDS[folder.name]
    graph = export_json()
    files = {
        "inputs.json": annotations.to_text(annotations.input_spec(graph)).encode(),
        "expected.json": annotations.to_text(annotations.annotate(graph, name)).encode(),
    }
    if name != "graph.pt2" or "--check" not in sys.argv:
        files[name] = make()
    return files


def record_fx():
    from graphs.kinds import block
    inputs = block.example_inputs()
    graph_module, flat = export_fx.symbolic(block.build(), inputs)
    return {
        "graph.json": fakeprop_fx.to_text(fakeprop_fx.to_dict(graph_module)).encode(),
        "inputs.json": annotations.to_text(export_fx.input_spec(graph_module, flat)).encode(),
        "expected.json": annotations.to_text(export_fx.expect(graph_module, flat)).encode(),
    }


def record_torchscript():
    from graphs.kinds import block
    archive = jit_archive.bytes_of(torch.jit.script(block.build().eval()))
    loaded = torch.jit.load(io.BytesIO(archive))
    inputs = block.example_inputs()
    files = {
        "inputs.json": (json.dumps(export_scripts.spec_of(inputs)) + "\n").encode(),
        "values.json": (export_scripts.dump(export_scripts.expect(loaded, "forward", inputs)) + "\n").encode(),
    }
    return files if "--check" in sys.argv else files | {"graph.pt": archive}


OTHERS = {"fx_json": record_fx, "torchscript": record_torchscript}

if __name__ == "__main__":
    sys.path.insert(0, str(golden.ROOT))
    for kind in [*KINDS, *OTHERS]:
        (FOLDER / kind).mkdir(exist_ok=True)
        (FOLDER / kind / "inputs.json").touch()
    sys.exit(golden.run(__doc__, FOLDER, "inputs.json", record))
