#!/usr/bin/env python3
"""Runs exported graphs on random inputs, and checks value ranges against the elements.

    tools/dev/values/check_models.py [--fakeprop BINARY] [--seeds N] GRAPH.json...

Every user input of integers gets a declared range, random elements in it, and the same range as `values` in the spec of
fakeprop. Weights are random. Symbols have their recorded hints. A graph is wrong if an element lies beyond its interval,
or if a node fails whose indices were all shown to be in range. Needs torch; weights are not read, so any graph will do.
"""
import argparse
import json
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile

import torch
from torch._export.serde import serialize
from torch.utils._sympy.value_ranges import ValueRanges

ROOT = pathlib.Path(__file__).resolve().parents[3]
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)


def read(path):
    opened = lzma.open if str(path).endswith(".xz") else open
    with opened(path, "rb") as file:
        return file.read()


def graph_module_of(document):
    """The graph as a module, with the recorded fakes."""
    program = serialize._dict_to_dataclass(serialize.ExportedProgram, document.get("exported_program", document))
    ranges = {name: ValueRanges(serialize._int_to_sympy_int(limit.min_val, -serialize.int_oo),
                                serialize._int_to_sympy_int(limit.max_val, serialize.int_oo))
              for name, limit in program.range_constraints.items()}
    return serialize.GraphModuleDeserializer().deserialize(program.graph_module, {}, {}, None, ranges).graph_module


def user_inputs(document):
    """The names of the graph's inputs that a caller gives."""
    names = set()
    for spec in document["graph_module"]["signature"]["input_specs"]:
        tensor = spec.get("user_input", {}).get("arg", {}).get("as_tensor")
        if tensor:
            names.add(tensor["name"])
    return names


def hint_of(size):
    return size if isinstance(size, int) else int(size.node.hint)


def range_for(name, dtype):
    if dtype is torch.bool or "mask" in name or "type" in name:
        return 0, 1
    return 0, 5


def random_tensor(fake, bounds):
    sizes = [hint_of(s) for s in fake.shape]
    if fake.dtype in INTEGERS:
        low, high = bounds or (0, 1)
        return torch.randint(low, high + 1, sizes).to(fake.dtype)
    made = torch.randn(sizes) * 0.05
    return made.to(fake.dtype)


def evaluate(end, symbols):
    if isinstance(end, int):
        return end
    text = re.sub(r"\b(\w+)\b", lambda m: str(symbols.get(m.group(1), m.group(1))), end)
    return eval(text, {"Min": min, "Max": max, "__builtins__": {}})  # noqa: S307: our own program wrote it


class Checked(torch.fx.Interpreter):
    """Runs the graph, and compares what each node returns with its interval."""

    def __init__(self, module, nodes, symbols):
        super().__init__(module)
        self.nodes, self.symbols = nodes, symbols
        self.wrong, self.checked = [], 0

    def run_node(self, node):
        known = self.nodes.get(node.name, {})
        try:
            result = super().run_node(node)
        except Exception as error:
            verdicts = [use["verdict"] for use in known.get("indices", [])]
            if verdicts and all(v == "safe" for v in verdicts) and "range" in str(error):
                self.wrong.append(f"{node.name}: shown safe, but {str(error).splitlines()[0]}")
            raise
        if any(use["verdict"] == "fails" for use in known.get("indices", [])):
            self.wrong.append(f"{node.name}: shown to fail")
        values = known.get("values")
        tensors = [result] if isinstance(result, torch.Tensor) else list(result) if isinstance(result, (list, tuple)) else []
        for tensor, interval in zip(tensors, values if isinstance(values, list) else [values] if values else []):
            self.check(node.name, tensor, interval)
        return result

    def check(self, name, tensor, interval):
        if not isinstance(tensor, torch.Tensor) or tensor.dtype not in INTEGERS or tensor.numel() == 0:
            return
        self.checked += 1
        low, high = int(tensor.long().min()), int(tensor.long().max())
        try:
            least = evaluate(interval.get("min", low), self.symbols)
            greatest = evaluate(interval.get("max", high), self.symbols)
        except NameError:  # a number from data
            return
        if low < least or high > greatest:
            self.wrong.append(f"{name}: {low} to {high} beside {interval}")


def annotate(binary, path, spec):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(spec, file)
        file.flush()
        run = subprocess.run([binary, path, "--inputs", file.name, "--values", "--keep-going"], capture_output=True, text=True)
    if run.returncode == 2:
        raise RuntimeError(run.stderr.strip().splitlines()[0])
    return json.loads(run.stdout)


def check(path, binary, seed):
    """The mistakes of one graph, and how many tensors were compared."""
    torch.manual_seed(seed)
    document = json.loads(read(path))
    module = graph_module_of(document)
    given = user_inputs(document)
    inputs, spec = [], {"format": "fakeprop.inputs/1", "inputs": {}}
    for node in module.graph.find_nodes(op="placeholder"):
        fake = node.meta.get("val")
        if not isinstance(fake, torch.Tensor):
            inputs.append(hint_of(fake) if fake is not None else None)
            continue
        bounds = None
        if node.name in given and fake.dtype in INTEGERS:
            bounds = range_for(node.name, fake.dtype)
            spec["inputs"][node.name] = {"values": {"min": bounds[0], "max": bounds[1]}}
        inputs.append(random_tensor(fake, bounds))
    annotations = annotate(binary, str(path), spec)
    symbols = {name: s["hint"] for name, s in annotations.get("symbols", {}).items() if "hint" in s}
    run = Checked(module, {n["name"]: n for n in annotations["nodes"]}, symbols)
    ending = ""
    try:
        run.run(*inputs)
    except Exception as error:
        ending = f", ended by {type(error).__name__}: {str(error).splitlines()[0][:80]}"
    return run, ending


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fakeprop", default=str(ROOT / "bazel-bin/tools/fakeprop"))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("graphs", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    wrong = checked = graphs = 0
    for path in options.graphs:
        for seed in range(options.seeds):
            try:
                run, ending = check(path, options.fakeprop, seed)
            except Exception as error:
                print(f"{path.name}: not run: {type(error).__name__}: {str(error).splitlines()[0][:150]}")
                break
            graphs += seed == 0
            checked += run.checked
            wrong += len(run.wrong)
            print(f"{path.name}: {run.checked} tensors, {len(run.wrong)} wrong{ending}", flush=True)
            for line in run.wrong:
                print("  " + line)
    print(f"{graphs} graphs, {checked} tensors, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
