#!/usr/bin/env python3
"""Runs exported graphs on random inputs, and checks value ranges against the elements.

    tools/dev/values/check_models.py [--fakeprop BINARY] [--seeds N] [--seconds S] GRAPH...

GRAPH is the JSON of an exported program, compressed or not, or a .pt2 archive. Every user input of integers gets a
declared range, random elements in it, and the same range as `values` in the spec of fakeprop. The range is what
`contract` asks for, if it asks for one. Weights are random; an archive's are its own. Symbols have their recorded hints.
A graph is wrong if an element lies beyond its interval, or if a node fails whose indices were all shown to be in range.
Subgraphs are checked too. Needs torch.
"""
import argparse
import json
import lzma
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import zipfile

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401: registers quantized_decomposed
from torch._export.serde import serialize
from torch.utils._sympy.value_ranges import ValueRanges

ROOT = pathlib.Path(__file__).resolve().parents[3]
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)


# ---- custom operators of the models

@torch.library.custom_op("transformers::grouped_mm_fallback", mutates_args=())
def grouped_mm_fallback(input: torch.Tensor, weight: torch.Tensor, offs: torch.Tensor) -> torch.Tensor:
    """Rows up to each offset times the matrix of their group, as transformers defines it."""
    output, start = input.new_zeros(input.shape[0], weight.shape[2]), 0
    for group, end in enumerate(offs.tolist()):
        output[start:end] = input[start:end] @ weight[group]
        start = end
    return output


@grouped_mm_fallback.register_fake
def _(input, weight, offs):
    return input.new_empty(input.shape[0], weight.shape[2])


# ---- graphs

def read(path):
    """The exported program's JSON, as text."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return archive.read(next(name for name in archive.namelist() if name.endswith("models/model.json")))
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


def elements_of(path):
    """Parameters, buffers and constants of an archive, by placeholder; empty if the file has none."""
    if not zipfile.is_zipfile(path):
        return {}
    program = torch.export.load(path)
    held = {**program.constants, **program.state_dict}
    return {spec.arg.name: held[spec.target] for spec in program.graph_signature.input_specs if spec.target in held}


# ---- inputs

def hint_of(size):
    return size if isinstance(size, int) else int(size.node.hint)


def demanded(binary, path, symbols):
    """The range that the contract asks for, by input."""
    run = subprocess.run([binary, "contract", path, "--format", "json"], capture_output=True, text=True)
    ranges = {}
    for demand in json.loads(run.stdout).get("values", []) if run.returncode in (0, 1) and run.stdout else []:
        low, high = ranges.get(demand["input"], (-2**31, 2**31))
        low = max(low, evaluate(demand.get("min", low), symbols))
        high = min(high, evaluate(demand.get("max", high), symbols))
        ranges[demand["input"]] = low, high
    return ranges


def range_for(name, dtype, demands):
    if dtype is torch.bool:
        return 0, 1
    low, high = demands.get(name, (0, 1 if "mask" in name or "type" in name else 5))
    if low > high:
        raise ValueError(f"no element of {name} is in range")
    return low, high


def random_tensor(fake, bounds):
    sizes = [hint_of(s) for s in fake.shape]
    made = torch.empty_strided(sizes, [hint_of(s) for s in fake.stride()], dtype=fake.dtype)
    if fake.dtype in INTEGERS:
        low, high = bounds or (0, 1)
        return made.copy_(torch.randint(low, high + 1, sizes))
    some = torch.randn(min(made.numel(), 1 << 16)) * 0.05  # as many random numbers as a large weight takes too long
    repeated = some.repeat(made.numel() // max(len(some), 1) + 1)[:made.numel()]
    return made.copy_(repeated.reshape(sizes))


# ---- runs

def evaluate(end, symbols):
    if isinstance(end, int):
        return end
    text = re.sub(r"\b(\w+)\b", lambda m: str(symbols.get(m.group(1), m.group(1))), end)
    return eval(text, {"Min": min, "Max": max, "__builtins__": {}})  # noqa: S307: our own program wrote it


class Findings:
    def __init__(self):
        self.wrong, self.checked, self.safe = [], 0, 0


class Checked(torch.fx.Interpreter):
    """Runs a graph, and compares what each node returns with its interval."""

    def __init__(self, module, annotations, symbols, findings, path=""):
        super().__init__(module)
        nodes = annotations["subgraphs"].get(path, {"nodes": []})["nodes"] if path else annotations["nodes"]
        self.known = {node["name"]: node for node in nodes}
        self.annotations, self.symbols, self.findings, self.path = annotations, symbols, findings, path

    def get_attr(self, target, args, kwargs):
        value = super().get_attr(target, args, kwargs)
        if not isinstance(value, torch.fx.GraphModule):
            return value
        path = f"{self.path}.{target}" if self.path else target
        return lambda *inputs: Checked(value, self.annotations, self.symbols, self.findings, path).run(*inputs)

    def run_node(self, node):
        known = self.known.get(node.name, {})
        verdicts = [use["verdict"] for use in known.get("indices", [])]
        is_safe = bool(verdicts) and all(verdict == "safe" for verdict in verdicts)
        self.findings.safe += is_safe
        try:
            result = super().run_node(node)
        except Exception as error:
            if is_safe and "range" in str(error):
                self.findings.wrong.append(f"{node.name}: shown safe, but {str(error).splitlines()[0]}")
            raise
        if "fails" in verdicts and not self.path:
            self.findings.wrong.append(f"{node.name}: shown to fail")
        values = known.get("values")
        tensors = [result] if isinstance(result, torch.Tensor) else list(result) if isinstance(result, (list, tuple)) else []
        for tensor, interval in zip(tensors, values if isinstance(values, list) else [values] if values else []):
            self.check(node.name, tensor, interval)
        return result

    def check(self, name, tensor, interval):
        if not isinstance(tensor, torch.Tensor) or tensor.dtype not in INTEGERS or tensor.numel() == 0:
            return
        self.findings.checked += 1
        low, high = int(tensor.long().min()), int(tensor.long().max())
        try:
            least = evaluate(interval.get("min", low), self.symbols)
            greatest = evaluate(interval.get("max", high), self.symbols)
        except NameError:  # a number from data
            return
        if low < least or high > greatest:
            self.findings.wrong.append(f"{name}: {low} to {high} beside {interval}")


def annotate(binary, path, spec):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(spec, file)
        file.flush()
        run = subprocess.run([binary, path, "--inputs", file.name, "--values", "--keep-going"], capture_output=True, text=True)
    if run.returncode == 2:
        raise RuntimeError(run.stderr.strip().splitlines()[0])
    annotations = json.loads(run.stdout)
    annotations.setdefault("subgraphs", {})
    return annotations


def symbols_of(annotations):
    return {name: s["hint"] for name, s in annotations.get("symbols", {}).items() if "hint" in s}


def check(path, binary, seed):
    """What was found in one graph, and how its run ended."""
    torch.manual_seed(seed)
    document = json.loads(read(path))
    module = graph_module_of(document)
    given = user_inputs(document)
    spec = {"format": "fakeprop.inputs/1", "inputs": {}}
    demands = demanded(binary, str(path), symbols_of(annotate(binary, str(path), spec)))
    inputs, elements = [], elements_of(path)
    for node in module.graph.find_nodes(op="placeholder"):
        fake = node.meta.get("val")
        if not isinstance(fake, torch.Tensor):
            inputs.append(hint_of(fake) if fake is not None else None)
            continue
        if node.name in elements:
            inputs.append(elements[node.name].detach().clone())
            continue
        bounds = None
        if node.name in given and fake.dtype in INTEGERS:
            bounds = range_for(node.name, fake.dtype, demands)
            spec["inputs"][node.name] = {"values": {"min": bounds[0], "max": bounds[1]}}
        inputs.append(random_tensor(fake, bounds))
    annotations = annotate(binary, str(path), spec)
    findings = Findings()
    run = Checked(module, annotations, symbols_of(annotations), findings)
    ending = ""
    try:
        with torch.no_grad():
            run.run(*inputs)
    except Exception as error:
        ending = f", ended by {type(error).__name__}: {str(error).splitlines()[0][:80]}"
    return findings, ending


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fakeprop", default=str(ROOT / "bazel-bin/tools/fakeprop"))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=300, help="for each run of a graph")
    parser.add_argument("graphs", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError("too slow")))
    wrong = checked = graphs = 0
    for path in options.graphs:
        name = path.name if path.name != "graph.json" else f"{path.parent.name}/graph.json"
        for seed in range(options.seeds):
            signal.alarm(options.seconds)
            try:
                findings, ending = check(path, options.fakeprop, seed)
            except Exception as error:
                print(f"{name}: not run: {type(error).__name__}: {str(error).splitlines()[0][:150]}", flush=True)
                break
            finally:
                signal.alarm(0)
            graphs += seed == 0
            checked += findings.checked
            wrong += len(findings.wrong)
            print(f"{name}: {findings.checked} tensors, {findings.safe} uses shown safe, {len(findings.wrong)} wrong{ending}",
                  flush=True)
            for line in findings.wrong:
                print("  " + line)
    print(f"{graphs} graphs, {checked} tensors, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
