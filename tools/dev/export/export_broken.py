#!/usr/bin/env python3
"""Writes the graphs of the tests of lint. Needs torch 2.13.

testdata/broken: each model of broken_models.py as FX JSON. `expected.json` has for each the inputs, the line at which eager
PyTorch fails, the code, and a part of the help line.

testdata/lint_rules: each model of lint_models.py, exported, scripted or as FX JSON. `expected.json` has for each the codes, the
line, and the options."""

import inspect
import io
import json
import pathlib
import traceback
import zipfile

import torch

import broken_models
import fakeprop_fx
import jit_archive
import lint_models

HERE = pathlib.Path(__file__).resolve().parent
TESTDATA = HERE.parents[2] / "testdata"
FILES = ("broken_models.py", "lint_models.py")


def failing_line(model, inputs):
    """The line of the model at which eager fails, and its source."""
    try:
        model(*inputs)
    except Exception as error:  # noqa: BLE001: any error counts
        frame = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(FILES)][-1]
        return frame.lineno, frame.line
    raise AssertionError(f"{type(model).__name__} does not fail")


def traced(model):
    """The graph, whose traces have the frames of the model alone."""
    tracer = torch.fx.Tracer()
    tracer.record_stack_traces = True
    graph_module = torch.fx.GraphModule(model, tracer.trace(model))
    for node in graph_module.graph.nodes:
        if trace := node.meta.get("stack_trace"):
            node.meta["stack_trace"] = own_frames(trace)
    return graph_module


def own_frames(trace):
    lines = trace.splitlines()
    kept = [lines[i:i + 2] for i, line in enumerate(lines) if any(f'{file}"' in line for file in FILES)]
    return "\n".join(line.replace(f"{HERE}/", "") for frame in kept for line in frame)


def shape_of(tensor):
    return "x".join(str(size) for size in tensor.shape) + ":" + str(tensor.dtype).removeprefix("torch.")


def inputs_of(graph_module, inputs):
    names = [node.name for node in graph_module.graph.nodes if node.op == "placeholder"]
    return {name: shape_of(tensor) for name, tensor in zip(names, inputs)}


def write_broken(folder):
    expected = {}
    for name, (build, inputs, code, help_line) in broken_models.CASES.items():
        line, source = failing_line(build(), inputs)
        graph_module = traced(build())
        fakeprop_fx.save(graph_module, folder / f"{name}.json")
        expected[name] = {"inputs": inputs_of(graph_module, inputs), "line": line, "source": source, "code": code, "help": help_line}
    return expected


def keep_own_frames(value):
    """Also in the graphs of subgraphs."""
    if isinstance(value, dict) and "stack_trace" in value:
        value["stack_trace"] = own_frames(value["stack_trace"])
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        keep_own_frames(item)


def exported(model, inputs, dynamic=None):
    """The JSON of an exported program, without what differs from one machine to another, or is large."""
    program = torch.export.export(model, inputs, dynamic_shapes=dynamic)
    archive = torch._export.serde.serialize.serialize(program)
    document = json.loads(archive.exported_program)
    keep_own_frames(document)
    return json.dumps(document, separators=(",", ":"))


def write_archive(path, model, inputs):
    """The archive of torch.export.save, packed, with the same traces."""
    content = io.BytesIO()
    torch.export.save(torch.export.export(model, inputs), content)
    with zipfile.ZipFile(content) as given, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in given.namelist():
            data = given.read(name)
            if name.endswith("models/model.json"):
                document = json.loads(data)
                keep_own_frames(document)
                data = json.dumps(document, separators=(",", ":")).encode()
            packed.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)


def lines_of(model, codes):
    """The lines with the comment `# FP8...` in the class of the model."""
    source, first = inspect.getsourcelines(type(model))
    return [first + i for i, text in enumerate(source) if codes and f"# {codes[0]}" in text]


def write_rules(folder):
    expected = {}
    for name, (model, inputs, codes, options) in lint_models.CASES.items():
        expected[name] = {"codes": codes, "lines": lines_of(model, codes), "options": options}
        if name in lint_models.ARCHIVES:
            write_archive(folder / f"{name}.pt2", model, inputs)
            continue
        if name in lint_models.SCRIPTS:
            (folder / f"{name}.pt").write_bytes(jit_archive.bytes_of(torch.jit.script(model)))
            expected[name]["inputs"] = {"x": shape_of(inputs[0])}
            continue
        if name not in lint_models.FX:
            (folder / f"{name}.json").write_text(exported(model, inputs, lint_models.DYNAMIC.get(name)) + "\n")
            continue
        graph_module = traced(model)
        fakeprop_fx.save(graph_module, folder / f"{name}.json")
        if "--input" not in options:
            expected[name]["inputs"] = inputs_of(graph_module, inputs)
    return expected


def main():
    for name, write in (("broken", write_broken), ("lint_rules", write_rules)):
        folder = TESTDATA / name
        folder.mkdir(exist_ok=True)
        expected = write(folder)
        (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
