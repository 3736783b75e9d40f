#!/usr/bin/env python3
"""Asks the installed PyTorch anew about operator calls that another version answered.

    $ tools/dev/truth/record_corpus.py FOLDER OUT              writes what this PyTorch answers
    $ tools/dev/truth/record_corpus.py --compare FOLDER OUT    prints the cases whose answers differ, by operator

FOLDER has pairs of files: X.json, a graph of torch.export with one node for each call, and X.truth.json, which says what
the calls gave: `cases`, by the node's name, with `outputs`, or `fake_error` and `eager_error`, and `eager` where the kernel
differs from FakeTensorMode. OUT gets the same files with this version's answers. A case whose answer is of another
kind than its file now goes to X.moved.truth.json, of kind `value`. Cases that crash PyTorch, or whose operator this version
lacks, are left out.
"""

import argparse
import collections
import glob
import json
import os
import sys

import torch
from torch._export.serde import serialize
from torch._subclasses.fake_tensor import FakeTensorMode

from answers import FILLS, eager_tensor, error_line, fake_tensor
from call_text import TensorSpec
from isolated import run_isolated
from record_calls import quiet

MISSING = "missing"


class Container:
    """A graph's calls, with their arguments ready to be made."""

    def __init__(self, path):
        graph = json.load(open(path, encoding="utf-8"))["graph_module"]["graph"]
        self.metas = graph["tensor_values"]
        self.nodes = {node["name"]: node for node in graph["nodes"]}

    def spec(self, name, device=None):
        meta = self.metas[name]
        place = meta["device"]
        text = place["type"] + ("" if place["index"] is None else f":{place['index']}")
        return TensorSpec(sizes_of(meta["sizes"]), sizes_of(meta["strides"]), meta["storage_offset"]["as_int"],
                          serialize._SERIALIZE_TO_TORCH_DTYPE[meta["dtype"]], device or text)


def sizes_of(values):
    return [value["as_int"] for value in values]


def value_of(arg, tensor):
    """An argument as Python has it."""
    (kind, value), = arg.items()
    if kind == "as_tensor":
        return tensor(value["name"])
    if kind == "as_tensors":
        return [tensor(v["name"]) for v in value]
    if kind == "as_optional_tensors":
        return [tensor(v["as_tensor"]["name"]) if "as_tensor" in v else None for v in value]
    if kind == "as_none":
        return None
    if kind in ("as_sym_int", "as_sym_bool", "as_sym_float"):
        return next(iter(value.values()))
    if kind in ("as_sym_ints", "as_sym_bools", "as_sym_floats"):
        return [next(iter(v.values())) for v in value]
    if kind == "as_scalar_type":
        return serialize._SERIALIZE_TO_TORCH_DTYPE[value]
    if kind == "as_memory_format":
        return serialize._SERIALIZE_TO_TORCH_MEMORY_FORMAT[value]
    if kind == "as_layout":
        return serialize._SERIALIZE_TO_TORCH_LAYOUT[value]
    if kind == "as_device":
        return torch.device(value["type"], value["index"]) if value["index"] is not None else torch.device(value["type"])
    if kind == "as_complex":
        return complex(value["real"], value["imag"])
    if kind in ("as_float", "as_floats"):
        return float(value) if kind == "as_float" else [float(v) for v in value]
    return value


def operator_of(target):
    found = torch.ops
    for part in target.removeprefix("torch.ops.").split("."):
        found = getattr(found, part)
    return found


def shared_tensors(container, groups, make):
    """A function from names to tensors; those of a group share one storage."""
    made = {}
    specs = container.spec

    def tensor(name):
        if name in made:
            return made[name]
        group = next((g for g in groups if name in g), [name])
        base = max(group, key=lambda n: specs(n).extent())
        if base not in made:
            made[base] = make(specs(base))
        if name != base:
            spec = specs(name)
            made[name] = made[base].as_strided(spec.sizes, spec.strides, spec.offset)
        return made[name]

    return tensor, made


def run(container, node, case, make):
    operator = operator_of(node["target"])
    tensor, made = shared_tensors(container, case.get("input_alias_groups", []), make)
    for name in case["inputs"]:
        tensor(name)
    schema = operator._schema.arguments
    given = {i["name"]: value_of(i["arg"], tensor) for i in node["inputs"]}
    args, kwargs = [], {}
    for argument in schema:
        if argument.name in given and argument.kwarg_only:
            kwargs[argument.name] = given[argument.name]
        elif argument.name in given and len(args) == schema.index(argument):
            args.append(given[argument.name])
        elif argument.name in given:
            kwargs[argument.name] = given[argument.name]
    return described(operator(*args, **kwargs), made)


def described(result, made):
    if result is None:
        return [{"kind": "none"}]
    leaves = torch.utils._pytree.tree_leaves(result if isinstance(result, (list, tuple)) else [result])
    return [one(leaf, made) for leaf in leaves]


def one(value, made):
    if value is None:
        return {"kind": "none"}
    if not isinstance(value, torch.Tensor):
        return {"kind": "number", "value": value if isinstance(value, (bool, int, float)) else str(value)}
    if value.layout != torch.strided:
        return {"kind": "tensor", "layout": str(value.layout)}
    storage = value.untyped_storage()._cdata
    alias = next((name for name, t in made.items() if t.untyped_storage()._cdata == storage), None)
    return {"kind": "tensor", "size": list(value.size()), "dtype": str(value.dtype).removeprefix("torch."),
            "device": str(value.device), "stride": list(value.stride()), "offset": value.storage_offset(), "alias": alias,
            "is_input": next((name for name, t in made.items() if t is value), None)}


def fake_answer(container, node, case):
    mode = FakeTensorMode(allow_fallback_kernels="cuda" not in json.dumps([container.metas[n] for n in case["inputs"]]))
    mode.cache_enabled = False
    with mode:
        return run(container, node, case, lambda spec: fake_tensor(spec, mode))


def eager_answer(container, node, case):
    first = None
    for fill in FILLS:
        try:
            return run(container, node, case, lambda spec: eager_tensor(spec, fill))
        except Exception as e:
            first = first or e
    raise first


def attempt(answer, *arguments):
    try:
        return answer(*arguments), None
    except Exception as e:
        return None, {"class": type(e).__name__, "message": error_line(e)}


def same(a, b):
    """Whether two answers are the same where it counts: strides of sizes over 1, of tensors that are not empty."""
    def key(output):
        strides = [] if 0 in output.get("size", []) else [
            st for n, st in zip(output.get("size", []), output.get("stride", [])) if n > 1]
        return [output.get(k) for k in ("kind", "size", "dtype", "device", "offset", "alias", "value", "layout")] + [strides]
    return a is not None and b is not None and [key(o) for o in a] == [key(o) for o in b]


def answer_case(item):
    """The case as this PyTorch answers it, and its kind: value, error, raise or lax."""
    path, name, case, on_cuda = item
    container = cached(path)
    node = container.nodes[name]
    try:
        operator_of(node["target"])
    except AttributeError:
        return MISSING, None
    fake, fake_error = attempt(fake_answer, container, node, case)
    eager, eager_error = (None, None) if on_cuda else attempt(eager_answer, container, node, case)
    kept = {k: v for k, v in case.items() if k in ("op", "inputs", "src", "in_place", "input_alias_groups")}
    if fake is not None:
        kept["outputs"] = named(fake, case)
        if on_cuda:
            return "value", {**kept, "eager": "not run"}
        if eager is None:
            return "lax", {**kept, "eager_error": eager_error}
        return "value", kept if same(fake, eager) else {**kept, "mismatch": "layout", "eager": eager}
    if eager is not None:
        return "raise", {**kept, "expect": "fake_raises", "fake_error": fake_error, "eager": eager}
    return "error", {**kept, "expect": "error", "fake_error": fake_error, "eager_error": eager_error}


def named(outputs, case):
    names = [o.get("name") for o in case.get("outputs", [])]
    return [{**o, "name": n} if n else o for o, n in zip(outputs, names + [None] * len(outputs))]


CONTAINERS = {}


def cached(path):
    return CONTAINERS.setdefault(path, Container(path) if path not in CONTAINERS else None) or CONTAINERS[path]


def copy_graph(path, to):
    """The graph as if this version had made it."""
    graph = json.load(open(path, encoding="utf-8"))
    graph["torch_version"] = torch.__version__
    json.dump(graph, open(to, "w", encoding="utf-8"))


def record(folder, out):
    os.makedirs(out, exist_ok=True)
    counts = collections.Counter()
    for path in sorted(glob.glob(os.path.join(folder, "*.truth.json"))):
        truth = json.load(open(path, encoding="utf-8"))
        container = os.path.join(folder, truth["container"])
        copy_graph(container, os.path.join(out, truth["container"]))
        kind = truth["kind"]
        items = [(container, name, case, kind.startswith("cuda")) for name, case in truth["cases"].items()]
        kept, moved = {}, {}
        for (_, name, _, _), answer in run_isolated(answer_case, items):
            now, case = answer or (None, None)
            counts[f"{kind} -> {now}"] += 1
            if case:
                (kept if now == kind.removeprefix("cuda") or (kind, now) == ("cuda", "value") else moved)[name] = case
        base = os.path.join(out, os.path.basename(path).removesuffix(".truth.json"))
        version = {**truth, "torch_version": torch.__version__}
        json.dump({**version, "cases": kept}, open(base + ".truth.json", "w", encoding="utf-8"))
        if moved:
            json.dump({**version, "kind": "value", "cases": moved}, open(base + ".moved.truth.json", "w", encoding="utf-8"))
    for change, count in sorted(counts.items()):
        print(f"{change}: {count}")


def cases_in(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.truth.json"))):
        truth = json.load(open(path, encoding="utf-8"))
        for name, case in truth["cases"].items():
            yield (truth["container"], name), case


def side_text(case):
    fake = "!" + case["fake_error"]["message"] if "fake_error" in case else brief(case.get("outputs"))
    eager = case.get("eager")
    text = brief(eager) if isinstance(eager, list) else "!" + case["eager_error"]["message"] if case.get("eager_error") else ""
    return fake[:160] + (" | " + text[:160] if text and text != fake else "")


def brief(outputs):
    return ", ".join(f"{o.get('dtype')}{o.get('size')}{o.get('stride')}" if o["kind"] == "tensor" else str(o.get("value"))
                     for o in outputs or [])


def verdict(case):
    """What a program that follows the kernel has to answer."""
    eager = case.get("eager")
    if isinstance(eager, list):
        return eager
    return "error" if case.get("eager_error") or "fake_error" in case else case.get("outputs")


def compare(folder, out):
    before, after = dict(cases_in(folder)), dict(cases_in(out))
    differing = collections.defaultdict(list)
    for key in sorted(before.keys() & after.keys()):
        a, b = verdict(before[key]), verdict(after[key])
        if a != b and not (isinstance(a, list) and isinstance(b, list) and same(a, b)):
            differing[before[key]["op"]].append(key)
    for op, keys in sorted(differing.items()):
        print(op)
        for key in keys:
            print(f"  {key[0]} {key[1]}\n    before {side_text(before[key])}\n    now    {side_text(after[key])}")
    print(f"{sum(map(len, differing.values()))} of {len(before.keys() & after.keys())} cases differ")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare", action="store_true", help="compare the answers in two folders")
    parser.add_argument("folder")
    parser.add_argument("out")
    options = parser.parse_args()
    if options.compare:
        return compare(options.folder, options.out)
    quiet()
    record(options.folder, options.out)


if __name__ == "__main__":
    sys.exit(main())
