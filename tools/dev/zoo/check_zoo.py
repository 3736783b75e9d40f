#!/usr/bin/env python3
"""Models in every form that PyTorch writes, against PyTorch's own answers, by hand: needs torch and a built fakeprop.

    check_zoo.py FAKEPROP [--only NAME,...] [--forms FORM,...] [--keep FOLDER]

Each model of vision.py, sequence.py and other.py is exported (static, in training mode, decomposed, dynamic, with its
backward graph), traced, scripted and frozen by TorchScript, captured by torch.fx; every value of a graph has to be what
FakeTensorProp, or a run, gives it. Prints what differs; exits with 1 where something does. What torch itself cannot
capture is said, and counts as nothing.
"""

import argparse
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch
from torch._export.serde import serialize
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils import _pytree as pytree

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "export")]

import annotations  # noqa: E402
import check_fx  # noqa: E402
import export_scripts  # noqa: E402
import register  # noqa: E402
import other, sequence, vision  # noqa: E402, F401


class Loss(torch.nn.Module):
    """The model and a loss of all its results."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, *inputs):
        leaves = pytree.tree_leaves(self.inner(*inputs))
        return sum(x.float().mean() for x in leaves if isinstance(x, torch.Tensor) and x.is_floating_point() and x.requires_grad)


class EntryCase:
    """A model of a list, and its inputs, the same ones at each call."""

    def __init__(self, fakeprop, entry, folder):
        self.fakeprop, self.entry, self.folder = fakeprop, entry, folder

    def model(self, training=False):
        torch.manual_seed(0)
        return self.entry.build().train(training)

    def inputs(self):
        torch.manual_seed(1)
        return self.entry.inputs()


class Case(EntryCase):
    def run(self, *arguments):
        command = [self.fakeprop, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        return "" if done.returncode == 0 else f"{done.returncode}: {done.stdout[-1500:]}{done.stderr[-1500:]}"

    def compare(self, graph, expected, name, *options):
        if failed := [node["name"] for node in expected["nodes"] if "error" in node]:
            raise RuntimeError(f"FakeTensorProp fails at {failed[0]}")
        golden = self.folder / f"{name}.expected.json"
        golden.write_text(json.dumps(expected))
        return self.run("lint", graph, "--golden", golden, *options)

    def export(self, training=False, **options):
        return torch.export.export(self.model(training), self.inputs(), strict=False, **options)

    def save(self, program, name):
        graph = self.folder / f"{name}.json"
        data = serialize.serialize(program, serialize_state_dict=False, serialize_constants=False).exported_program
        graph.write_bytes(data)
        return graph, data

    def static(self, program, name):
        graph, data = self.save(program, name)
        mode = FakeTensorMode(shape_env=ShapeEnv())
        return self.compare(graph, annotations.annotate(data, graph.name, mode), name)

    # ---- forms

    def form_export(self):
        return self.static(self.export(), "export")

    def form_pt2(self):
        path = self.folder / "model.pt2"
        program = self.export()
        torch.export.save(program, path)
        data = serialize.serialize(program, serialize_state_dict=False, serialize_constants=False).exported_program
        return self.compare(path, annotations.annotate(data, path.name, FakeTensorMode(shape_env=ShapeEnv())), "pt2")

    def form_train(self):
        return self.static(self.export(training=True), "train")

    def form_core(self):
        return self.static(self.export().run_decompositions(), "core")

    def form_joint(self):
        from torch.export.experimental import _export_forward_backward
        if not self.entry.train:
            return None
        program = torch.export.export(Loss(self.model(True)), self.inputs(), strict=False)
        return self.static(_export_forward_backward(program), "joint")

    def form_dynamic(self):
        if not self.entry.dynamic:
            return None
        dims = pytree.tree_map(lambda x: {i: torch.export.Dim.AUTO for i in range(x.dim())} if isinstance(x, torch.Tensor) else None, self.inputs())
        graph, data = self.save(self.export(dynamic_shapes=dims), "dynamic")
        return self.run("lint", graph, "--recorded")

    def script(self, module, name):
        path = self.folder / f"{name}.pt"
        torch.jit.save(module, str(path))
        inputs, loaded = self.inputs(), torch.jit.load(str(path))
        values, outputs = export_scripts.run(loaded, "forward", inputs)
        spec = self.folder / f"{name}.spec.json"
        spec.write_text(json.dumps(export_scripts.spec_of(inputs)))
        out = self.folder / f"{name}.out.json"
        if trouble := self.run(path, "--inputs", spec, "-o", out):
            return trouble
        return compare_values(values, outputs, json.loads(out.read_text()))

    def form_trace(self):
        return self.script(torch.jit.trace(self.model(), self.inputs(), check_trace=False, strict=False), "trace") if self.entry.trace else None

    def form_script(self):
        return self.script(torch.jit.script(self.model()), "script") if self.entry.script else None

    def form_frozen(self):
        return self.script(torch.jit.freeze(torch.jit.script(self.model())), "frozen") if self.entry.script else None

    def form_optimized(self):
        if not self.entry.script:
            return None
        return self.script(torch.jit.optimize_for_inference(torch.jit.script(self.model())), "optimized")

    def fx(self, capture):
        inputs = self.inputs()
        if not all(isinstance(x, torch.Tensor) for x in inputs):
            return None
        return check_fx.check(self.fakeprop, capture, self.model(), inputs)

    def form_make_fx(self):
        return self.fx(check_fx.CAPTURES["make_fx"])

    def form_symbolic(self):
        return self.fx(check_fx.CAPTURES["symbolic_trace"])

    def form_dynamo(self):
        return self.fx(check_fx.CAPTURES["dynamo"])


def compare_values(values, outputs, result):
    got = {}
    for node in result["nodes"]:
        names, val = node.get("torchscript", {}).get("values", []), node.get("meta", {}).get("val")
        for name, item in zip(names, val if len(names) > 1 else [val]):
            got[name] = item
    for name, tensor in values.items():
        if tensor is None:
            continue
        val = got.get(name)
        if not isinstance(val, dict) or not same(val, tensor):
            return f"{name} is {val}, not {export_scripts.Described().of(tensor)}"
    return None


def same(val, tensor):
    strides = zip(tensor.shape, tensor.stride(), val.get("stride", []))
    return (val.get("shape") == list(tensor.shape) and val["dtype"] == str(tensor.dtype).removeprefix("torch.")
            and (not tensor.numel() or all(a == b for size, a, b in strides if size != 1)))


FORMS = [name.removeprefix("form_") for name in dir(Case) if name.startswith("form_")]


def check(case, form):
    try:
        trouble = getattr(case, f"form_{form}")()
    except Exception as error:
        lines = str(error).strip().splitlines() or [""]
        print(f"{case.entry.name} {form}: not by torch: {type(error).__name__}: {lines[0][:150]}", flush=True)
        return False
    if trouble:
        print(f"{case.entry.name} {form}: WRONG: {trouble}", flush=True)
    return bool(trouble)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fakeprop")
    parser.add_argument("--only", default="")
    parser.add_argument("--forms", default=",".join(FORMS))
    parser.add_argument("--keep", default="")
    options = parser.parse_args()
    entries = [m for m in register.MODELS if not options.only or m.name in options.only.split(",")]
    if len(entries) > 1:
        return check_each(entries)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(options.keep, entries[0].name) if options.keep else pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        return sum(check(Case(options.fakeprop, entries[0], folder), form) for form in options.forms.split(","))


def check_each(entries):
    """A process for each: what one leaves behind in torch when it cannot be captured troubles no other."""
    wrong = 0
    for entry in entries:
        wrong += subprocess.run([sys.executable, *sys.argv, "--only", entry.name], check=False).returncode
    print(f"{len(entries)} models, {wrong} forms wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    sys.exit(main())
