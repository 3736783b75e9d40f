"""Compares what fakeprop says of a program with what eager gave."""

import json
import os
import re
import subprocess
import tempfile

TENSOR_BITS = ("requires_grad", "is_conj", "is_neg")


def our_nodes(binary, program):
    """The annotated nodes by name; a string if the command ended badly.

    LibTorch takes 0.2 s to open and few programs need it: it is opened for those alone that have an operator without a
    rule."""
    with tempfile.TemporaryDirectory() as folder:
        for part in ("fx", "spec"):
            with open(os.path.join(folder, part + ".json"), "w") as f:
                json.dump(getattr(program, part)(), f)
        nodes = annotated(binary, folder, {**os.environ, "FAKEPROP_LIBTORCH": os.path.join(folder, "none")})
        served = isinstance(nodes, str) or not any(lacks_rule(node) for node in nodes.values())
        return nodes if served else annotated(binary, folder, None)


def annotated(binary, folder, environment):
    spec, out = os.path.join(folder, "spec.json"), os.path.join(folder, "out.json")
    command = [binary, os.path.join(folder, "fx.json"), "--inputs", spec, "--keep-going", "-o", out]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    except subprocess.TimeoutExpired:
        return "runs for a minute"
    if not os.path.exists(out):
        return f"status {run.returncode}: {run.stderr.strip()[:200]}"
    with open(out) as f:
        return {node["name"]: node for node in json.load(f)["nodes"]}


def lacks_rule(node):
    return isinstance(node.get("error"), dict) and node["error"].get("class") == "UnsupportedOperator"


def differences(program, truth, nodes, strict=False):
    """Yields (step, field, ours, eager's). `strict` counts strides of dimensions of size 1 too."""
    if isinstance(nodes, str):
        yield "", "status", nodes, "annotations"
        return
    snaps, errors = truth
    pairs = {}
    for name in [part.name for part in program.inputs + program.steps]:
        node = nodes.get(name, {})
        if name in errors:
            if "error" not in node and "skipped" not in node:
                yield name, "error", "none", ": ".join(errors[name])[:150]
        elif name in snaps:
            yield from value_differences(name, node, snaps[name], pairs, strict)


def value_differences(name, node, want, pairs, strict):
    failed = node.get("error") or node.get("skipped")
    if not isinstance(want, dict):
        if failed:
            yield name, "value", failed_text(failed), want
        return
    val = node.get("meta", {}).get("val")
    if not isinstance(val, dict) or val.get("type") != "tensor":
        yield name, "value", failed_text(failed) if failed else str(val), "a tensor"
        return
    for field in ("shape", "dtype"):
        if val[field] != want[field]:
            yield name, field, val[field], want[field]
    for field in TENSOR_BITS:
        if bool(val.get(field)) != want[field]:
            yield name, field, bool(val.get(field)), want[field]
    if val["shape"] != want["shape"]:
        return
    if 0 not in want["shape"]:
        yield from place_differences(name, val, want, pairs)
    if strict and 0 not in want["shape"] and val["stride"] != want["stride"]:
        yield name, "stride1", val["stride"], want["stride"]


def place_differences(name, val, want, pairs):
    ours, eagers = ([t for s, t in zip(want["shape"], v["stride"]) if s > 1] for v in (val, want))
    if ours != eagers:
        yield name, "stride", val["stride"], want["stride"]
    if val["storage_offset"] != want["storage_offset"]:
        yield name, "storage_offset", val["storage_offset"], want["storage_offset"]
    a, b = ("eager", want["storage"]), ("ours", val["storage"])
    if pairs.setdefault(a, val["storage"]) != val["storage"] or pairs.setdefault(b, want["storage"]) != want["storage"]:
        yield name, "storage", val["storage"], want["storage"]


def failed_text(failed):
    if isinstance(failed, dict):
        return f"{failed.get('class', failed.get('code', ''))}: {failed.get('message', '')}"
    return str(failed)


def cause(program, difference):
    """A key under which differences of one kind fall together: the operator, the field, the words without numbers."""
    name, field, ours, eagers = difference
    target = next((s.target for s in program.steps if s.name == name), "an input")
    words = ""
    if field == "error":
        words = eagers
    elif field in ("value", "status"):
        words = str(ours)
    return target, field, re.sub(r"\d+|\[.*?\]", "#", words)[:90]
