#!/usr/bin/env python3
"""Saves the modules of script_cases.py with torch.jit.save and records what PyTorch says of their values.

    export_scripts.py [--check] [NAME...]

For each case this writes into testdata/torchscript/NAME:
  graph.pt        the archive
  inputs.json     the input spec
  expected.json   {"values": {name: VALUE}, "outputs": [VALUE]} of a run under no_grad: each tensor, but no nested one,
                  among the results of the top-level nodes of torch's inlined graph, under its name there, and the
                  method's results in order; or {"error": words that the diagnostic holds}
VALUE is [dtype, shape, stride, offset, device, storage]; storages are numbered in first-seen order.
--check writes no expectation and fails where an expected.json would change.
"""

import json
import pathlib
import sys

import torch

import jit_archive
import script_cases

ROOT = pathlib.Path(__file__).resolve().parents[3] / "testdata" / "torchscript"


class Described:
    """Tensors as JSON, with the storages that they share."""

    def __init__(self):
        self.storages = {}
        self.kept = []

    def of(self, t):
        self.kept.append(t)  # so that no address is used twice
        storage = self.storages.setdefault(t.untyped_storage()._cdata, len(self.storages))
        dtype = str(t.dtype).removeprefix("torch.")
        return [dtype, list(t.shape), list(t.stride()), t.storage_offset(), str(t.device), storage]


def flatten(value):
    if isinstance(value, (list, tuple)):
        return [x for item in value for x in flatten(item)]
    if isinstance(value, dict):
        return [x for item in value.values() for x in flatten(item)]
    return [value]


def top_level_tensors(graph):
    """Leaves out values that are uninitialized, because an arm of prim::If ends early: they cannot be looked at."""
    has_uninitialized = any(node.kind() == "prim::Uninitialized" for node in graph.nodes())
    for node in graph.nodes():
        if has_uninitialized and node.kind() in ("prim::Uninitialized", "prim::If"):
            continue
        for output in node.outputs():
            if output.type().kind() == "TensorType":
                yield output


def run(module, method, inputs):
    """The values by name, and the results, of one run of the method's inlined graph."""
    graph = getattr(module, method).inlined_graph
    names = [value.debugName() for value in top_level_tensors(graph)]
    for value in list(top_level_tensors(graph)):
        graph.registerOutput(value)
    graph.makeMultiOutputIntoTuple()
    function = torch._C._create_function_from_graph("recorded", graph)
    torch._C._jit_set_profiling_executor(False)
    defaults = [a.default_value for a in getattr(module, method).schema.arguments[1 + len(inputs) :]]
    with torch.no_grad():
        results = function(module._c, *inputs, *defaults)
    if not names:
        return {}, flatten([results])
    return dict(zip(names, results[1:])), flatten([results[0]])


def parts(value):
    """What are inputs of their own: the parts of a tuple."""
    return [x for item in value for x in parts(item)] if isinstance(value, tuple) else [value]


def spec_of(inputs):
    def entry(value):
        if isinstance(value, torch.Tensor):
            return {"shape": list(value.shape), "stride": list(value.stride()), "dtype": str(value.dtype).removeprefix("torch.")}
        if isinstance(value, (list, tuple)):
            return {"items": [entry(v) for v in value]}
        if isinstance(value, dict):
            return {"items": {str(k): entry(v) for k, v in value.items()}}
        return {"value": str(value) if isinstance(value, torch.device) else value}

    return {"format": "fakeprop.inputs/1", "inputs": [entry(v) for v in parts(tuple(inputs))]}


def record(case):
    torch.manual_seed(0)
    module = case.build()
    folder = ROOT / case.name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "graph.pt"
    path.write_bytes(jit_archive.bytes_of(module))
    inputs = case.inputs()
    expected = {}
    if case.method != "forward":
        expected["method"] = case.method
    if case.error:
        expected["error"] = case.error
    else:
        expected |= expect(torch.jit.load(str(path)), case.method, inputs)
    return folder, spec_of(inputs), expected


def expect(loaded, method, inputs):
    values, outputs = run(loaded, method, inputs)
    described = Described()
    return {
        "values": {name: described.of(x) for name, x in values.items() if x is not None and not x.is_nested},
        "outputs": [described.of(v) for v in outputs if isinstance(v, torch.Tensor)],
    }


def dump(value):
    """One line an entry."""
    if isinstance(value, dict):
        return "{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v) if k != 'values' else dump(v)}" for k, v in value.items()) + "\n}"
    return json.dumps(value)


def main():
    check = "--check" in sys.argv
    names = [a for a in sys.argv[1:] if not a.startswith("-")]
    changed = []
    for case in script_cases.CASES:
        if names and case.name not in names:
            continue
        try:
            folder, spec, expected = record(case)
        except Exception as error:
            print(case.name, "cannot be recorded:", str(error)[-300:])
            changed.append(case.name)
            continue
        for file, content in (("inputs.json", json.dumps(spec) + "\n"), ("expected.json", dump(expected) + "\n")):
            path = folder / file
            if not path.exists() or path.read_text() != content:
                changed.append(case.name)
            if not check:
                path.write_text(content)
    if check and changed:
        sys.exit("changed: " + ", ".join(changed))


if __name__ == "__main__":
    main()
