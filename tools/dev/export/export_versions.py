#!/usr/bin/env python3
"""Writes a small model in every form that the installed torch writes, and what it says of the results.

    export_versions.py        run it once with each version of torch, from 2.4 on

The files go to testdata/versions/<version>/: export.json and export.pt2 (sizes that are symbols), strict.pt2 (exported through
Dynamo, where that is another way), decomposed.pt2 (core ATen operators), traced.pt and scripted.pt, fx.json. results.json has the
sizes and dtypes of what the model returns. A form that a version cannot write is left out, and named.
"""

import io
import json
import pathlib
import sys
import warnings
import zipfile

import torch
from torch._export.serde import serialize

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "testdata/versions"
SIZES = (2, 3, 8, 8)


class Model(torch.nn.Module):
    """Operators that the versions write in different ways: batch norm, views of symbols, attention, dropout."""

    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 4, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(4)
        self.project = torch.nn.Linear(4, 4)
        self.register_buffer("steps", torch.arange(4))

    def forward(self, x):
        y = torch.relu(self.norm(self.convolution(x)))
        tokens = self.project(y.flatten(2).transpose(1, 2))
        mixed = torch.nn.functional.scaled_dot_product_attention(tokens, tokens, tokens)
        mixed = torch.nn.functional.dropout(mixed, 0.1, self.training)
        scores = torch.softmax(mixed.mean(1) + self.steps, -1)
        best, place = scores.max(-1)
        return scores, best.unsqueeze(0).expand(3, -1), place


def exported(strict):
    batch = torch.export.Dim("batch", min=2, max=64)
    program = torch.export.export(model(), (torch.ones(SIZES),), dynamic_shapes={"x": {0: batch}}, strict=strict)
    for node in program.graph.nodes:
        node.meta.pop("stack_trace", None)  # paths of this machine
    return program


def model():
    torch.manual_seed(0)
    return Model().eval()


def saved(program):
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


def export_json():
    program = serialize.serialize(exported(strict=False))
    data = program.exported_program
    return json.dumps(json.loads(data)).encode()


def script(module):
    """The archive without the places in Python files, which name paths of this machine."""
    file, kept = io.BytesIO(), io.BytesIO()
    torch.jit.save(module, file)
    with zipfile.ZipFile(file) as archive, zipfile.ZipFile(kept, "w") as copy:
        for info in archive.infolist():
            if not info.filename.endswith(".debug_pkl"):
                copy.writestr(info.filename, archive.read(info))
    return kept.getvalue()


def fx_json():
    import fakeprop_fx
    graph_module = torch.fx.symbolic_trace(model())
    return fakeprop_fx.to_text(fakeprop_fx.to_dict(graph_module, with_meta=False)).encode()


FORMS = {
    "export.json": export_json,
    "export.pt2": lambda: saved(exported(strict=False)),
    "strict.pt2": lambda: saved(exported(strict=True)),
    "decomposed.pt2": lambda: saved(exported(strict=False).run_decompositions()),
    "traced.pt": lambda: script(torch.jit.trace(model(), torch.ones(SIZES))),
    "scripted.pt": lambda: script(torch.jit.script(model())),
    "fx.json": fx_json,
}


def results():
    values = model()(torch.ones(SIZES))
    described = [{"shape": list(v.shape), "stride": list(v.stride()), "dtype": str(v.dtype)[6:]} for v in values]
    return (json.dumps({"torch": torch.__version__, "results": described}, indent=1) + "\n").encode()


def main():
    warnings.simplefilter("ignore")
    folder = FOLDER / ".".join(torch.__version__.split(".")[:2])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in {**FORMS, "results.json": results}.items():
        try:
            (folder / name).write_bytes(make())
        except Exception as error:  # whatever a version cannot do
            print(f"{torch.__version__}: no {name}: {type(error).__name__}: {str(error).splitlines()[0]}", file=sys.stderr)


if __name__ == "__main__":
    main()
