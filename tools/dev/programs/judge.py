"""Compares what fakeprop says of a program with what eager gave."""

import json
import os
import re
import subprocess
import tempfile

TENSOR_BITS = ("requires_grad", "is_conj", "is_neg")


def our_nodes(binary, program):
    """The annotated nodes by name; a string if the command ended badly."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {part: os.path.join(folder, part + ".json") for part in ("fx", "spec", "out")}
        for part in ("fx", "spec"):
            with open(paths[part], "w") as f:
                json.dump(getattr(program, part)(), f)
        try:
            run = subprocess.run([binary, paths["fx"], "--inputs", paths["spec"], "--keep-going", "-o", paths["out"]],
                                 capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            return "runs for a minute"
        if not os.path.exists(paths["out"]):
            return f"status {run.returncode}: {run.stderr.strip()[:200]}"
        with open(paths["out"]) as f:
            return {node["name"]: node for node in json.load(f)["nodes"]}


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
