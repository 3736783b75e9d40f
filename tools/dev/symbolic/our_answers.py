"""fakeprop's answers to operator calls over symbols: a batch of calls as one graph in FX JSON, the symbols in its spec."""

import collections
import json
import math
import os
import re
import subprocess

import torch

from symbolic_calls import find_operator, mapped, parsed


def fx_argument(value):
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    for kind, name in ((torch.dtype, "dtype"), (torch.layout, "layout"), (torch.memory_format, "memory_format"),
                       (torch.device, "device")):
        if isinstance(value, kind):
            return {name: str(value).removeprefix("torch.")}
    if isinstance(value, list):
        return [fx_argument(v) for v in value]
    return value


def prefixed(text, prefix):
    return re.sub(r"\b([at]\d+\w*)", prefix + r"\1", text)


def dim(text, prefix):
    return int(text) if re.fullmatch(r"-?\d+", text) else prefixed(text, prefix)


def made_of_data(prefix, given, name, nodes, spec):
    """The nodes that make a tensor with sizes that data decides."""
    dtype, device, sizes, _, _ = given
    nodes_of = lambda name, target, *args, **kwargs: nodes.append(
        {"name": name, "op": "call_function", "target": f"torch.ops.aten.{target}", "args": list(args), "kwargs": kwargs})
    for size in sizes:
        if not size.isdigit():
            nodes.insert(0, {"name": f"{prefix}{size}_x", "op": "placeholder", "target": f"{prefix}{size}_x"})
            spec["inputs"][f"{prefix}{size}_x"] = {"shape": [], "dtype": "int64"}
            nodes_of(prefix + size, "item.default", {"node": f"{prefix}{size}_x"})
            nodes_of(f"{prefix}{size}_c", "sym_constrain_range_for_size.default", {"node": prefix + size}, min=0)
    nodes_of(name, "empty.memory_format", [int(d) if d.isdigit() else {"node": prefix + d} for d in sizes],
             dtype={"dtype": str(dtype).removeprefix("torch.")}, device={"device": device})


def add_case(i, text, kind, answer, nodes, spec):
    prefix = f"c{i}_"
    for name, hint in answer["hints"].items() if kind != "unbacked" else ():
        spec["symbols"][prefix + name] = {"min": 2, "hint": hint}
    count = 0

    def tensor(_):
        nonlocal count
        name = f"{prefix}x{count}"
        dtype, device, sizes, strides, offset = answer["inputs"][count]
        count += 1
        if kind == "unbacked":
            made_of_data(prefix, answer["inputs"][count - 1], name, nodes, spec)
            return {"node": name}
        nodes.append({"name": name, "op": "placeholder", "target": name})
        spec["inputs"][name] = {"shape": [dim(d, prefix) for d in sizes], "stride": [dim(d, prefix) for d in strides],
                                "storage_offset": dim(offset, prefix), "dtype": str(dtype).removeprefix("torch."),
                                "device": device}
        return {"node": name}

    def number(given):
        name = f"{prefix}n{given.name}"
        nodes.append({"name": name, "op": "placeholder", "target": name})
        spec["inputs"][name] = {"value": prefix + given.name}
        return {"node": name}

    call = parsed(text, kind)
    args, kwargs = mapped(call, tensor, number)
    return {"name": f"{prefix}call", "op": "call_function", "target": f"torch.ops.{find_operator(call.name)}",
            "args": [fx_argument(v) for v in args], "kwargs": {k: fx_argument(v) for k, v in kwargs.items()}}


def our_values(val):
    if isinstance(val, list):
        return [x for v in val for x in our_values(v)]
    if isinstance(val, dict) and val.get("type") == "tensor":
        if val.get("layout", "strided") != "strided":
            return [["tensor", "torch." + val["layout"], [], [], "0"]]
        return [["tensor", val["dtype"], [str(d) for d in val["shape"]], [str(d) for d in val["stride"]],
                 str(val["storage_offset"])]]
    if isinstance(val, dict) and val.get("type", "").startswith("sym"):
        return [["number", val["expr"]]]
    if isinstance(val, (bool, int, float)):
        return [["number", str(val)]]
    return [["number", None]]


def strip(value, prefix):
    return json.loads(json.dumps(value).replace(prefix, ""))


def with_our_names(found, text):
    """The annotations, in which a symbol that depends on data has the name of the node that asked for it."""
    names = {symbol: n["name"] for n in found["nodes"] if n["target"] == "torch.ops.aten.item.default"
             for symbol in n.get("unbacked_bindings", {})}
    return re.sub(r"\bu\d+\b", lambda match: names.get(match[0], match[0]), text)


def write_graph(jobs, answers, graph, inputs):
    """The calls of the batch as FX JSON, and the spec of its inputs."""
    nodes, calls, spec = [], [], {"format": "fakeprop.inputs/1", "symbols": {}, "inputs": {}}
    for i, ((text, kind), answer) in enumerate(zip(jobs, answers)):
        calls.append(add_case(i, text, kind, answer, nodes, spec))
    output = {"name": "output", "op": "output", "target": "output", "args": [{"tuple": []}]}
    json.dump({"format": "fakeprop.fx/1", "nodes": nodes + calls + [output]}, open(graph, "w"))
    json.dump(spec, open(inputs, "w"))


def numbers_at_hints(command, jobs, answers, graph, inputs, out):
    """The nodes of the same calls with the hints for sizes; nothing where the program refuses the graph."""
    write_graph([(text, "sizes" if kind == "unbacked" else kind) for text, kind in jobs], answers, graph, inputs)
    done = subprocess.run([*command, "--no-symbolic"], capture_output=True, text=True)
    return {n["name"]: n for n in json.load(open(out))["nodes"]} if done.returncode in (0, 1) else None


def our_answers(fakeprop, jobs, answers, folder):
    graph, inputs, out = (os.path.join(folder, n) for n in ("graph.json", "spec.json", "out.json"))
    command = [fakeprop, graph, "--keep-going", "--inputs", inputs, "-o", out]
    concrete = numbers_at_hints(command, jobs, answers, graph, inputs, out)
    write_graph(jobs, answers, graph, inputs)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1) or concrete is None:
        if len(jobs) == 1:
            why = done.stderr.strip()[:300]  # of the program, not of a node
            return [{"error": why, "fixed": [], "guards": [], "as numbers": []}]
        half = len(jobs) // 2
        parts = (slice(half), slice(half, None))
        return [answer for part in parts for answer in our_answers(fakeprop, jobs[part], answers[part], folder)]
    found = json.load(open(out))
    os.remove(out)
    found = json.loads(with_our_names(found, json.dumps(found)))
    by_name = {n["name"]: n for n in found["nodes"]}
    guards = collections.defaultdict(list)
    for guard in found["guards"]:
        guards[guard.get("node")].append(guard)
    result = []
    for i, answer in enumerate(answers):
        prefix = f"c{i}_"
        node = by_name[prefix + "call"]
        ours = {"guards": [strip(g["expr"], prefix) for g in guards[prefix + "call"]], "fixed": []}
        if "error" in node:
            ours["error"] = node["error"]["class"] + ": " + strip(node["error"]["message"], prefix)
        else:
            ours["values"] = strip(our_values(node.get("meta", {}).get("val")), prefix)
        numbers = concrete[prefix + "call"]
        ours["as numbers"] = our_values(numbers["meta"].get("val")) if "meta" in numbers else None
        for name in answer["hints"]:
            if any(re.fullmatch(rf"Eq\({name}, \d+\)", g) for g in ours["guards"]):
                ours["fixed"].append(name)
        result.append(ours)
    return result
