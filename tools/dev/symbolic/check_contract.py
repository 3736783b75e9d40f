#!/usr/bin/env python3
"""Compares contracts with what happens: with propagation for given graphs, and with real runs of small exported models.

    check_contract.py --fakeprop BIN [--count N] [--seed N] [GRAPH...]     (needs torch 2.13 for the real runs)

For each graph it draws sizes in and around the ranges of the contract, and lets the code of `contract --format python`
judge them. Sizes that it takes have to propagate. Sizes that it refuses for a demand have to fail, or to violate what
the exported program itself demands; sizes outside of the declared ranges need not fail. For the small models, the
exported program runs on tensors of these sizes.
"""

import argparse
import collections
import json
import pathlib
import random
import subprocess
import tempfile
import types

FUNCTIONS = {"Mod": lambda a, b: a % b, "Min": min, "Max": max, "Eq": lambda a, b: a == b, "Ne": lambda a, b: a != b,
             "FloorDiv": lambda a, b: a // b}


def value_of(dim, symbols):
    return dim if isinstance(dim, int) else eval(dim, {"__builtins__": {}}, FUNCTIONS | symbols)  # noqa: S307: our own output


class Contract:
    """A contract as JSON, and its code."""

    def __init__(self, fakeprop, graph):
        def run(form):
            return subprocess.run([fakeprop, "contract", graph, "--format", form, "-q"], capture_output=True, text=True, check=True).stdout
        self.json = json.loads(run("json"))
        self.code = types.ModuleType("contract")
        exec(run("python"), self.code.__dict__)  # noqa: S102: the code is what is tested

    def draw(self, rng):
        sizes = {}
        for name, symbol in self.json["symbols"].items():
            low = symbol.get("min", 0)
            high = min(symbol.get("max", low + 40), low + 40)
            around = [low - 1, low, low + 1, high, high + 1, rng.randint(low, high), rng.randint(low, high), rng.randint(low, high)]
            step = symbol.get("multiple_of", 1)
            size = rng.choice(around)
            sizes[name] = max(0, size - size % step if rng.random() < 0.9 else size)
        if len(sizes) > 1 and rng.random() < 0.3:
            a, b = rng.sample(list(sizes), 2)
            sizes[a] = sizes[b]
        return sizes

    def shapes(self, sizes):
        """The sizes of each tensor, and the value of each integer; None for other inputs. Nothing if a size would be negative."""
        found = []
        for given in self.json["inputs"]:
            if "shape" in given:
                found.append([value_of(dim, sizes) for dim in given["shape"]])
            else:
                found.append(value_of(given["integer"], sizes) if "integer" in given else None)
        return None if any(isinstance(s, list) and min(s, default=0) < 0 for s in found) else found

    def is_in_ranges(self, sizes):
        return all(s.get("min", 0) <= sizes[n] <= s.get("max", 1 << 62) and sizes[n] % s.get("multiple_of", 1) == 0
                   for n, s in self.json["symbols"].items())

    def check(self, shapes):
        inputs = []
        for given, shape in zip(self.json["inputs"], shapes):
            if isinstance(shape, list):
                inputs.append(types.SimpleNamespace(dtype="torch." + given["dtype"], device=given["device"], shape=shape))
            elif "integer" in given:
                inputs.append(shape)
            else:
                inputs.append(given["fixed"])
        return self.code.check(inputs)


def propagates(fakeprop, graph, contract, shapes):
    spec = {"format": "fakeprop.inputs/1", "inputs": {}}
    for given, shape in zip(contract.json["inputs"], shapes):
        if isinstance(shape, list):
            spec["inputs"][given["name"]] = {"shape": shape}
        elif "integer" in given:
            spec["inputs"][given["name"]] = {"value": shape}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(spec, file)
        file.flush()
        return subprocess.run([fakeprop, graph, "--inputs", file.name, "-q", "-o", "/dev/null"], capture_output=True, check=False).returncode == 0


def demanded_by_program(contract, sizes):
    """Whether the sizes violate a demand that the exported program or the model refuses by itself."""
    for demand, reason in zip(contract.json["demands"], contract.json["reasons"]):
        try:
            holds = value_of(demand, sizes)
        except (ZeroDivisionError, NameError, SyntaxError):
            holds = False
        if not holds and reason["source"] != "guard":
            return True
    return False


def judge(contract, runs, count, rng, figures, label):
    for _ in range(count):
        sizes = contract.draw(rng)
        shapes = contract.shapes(sizes)
        if shapes is None:
            continue
        broken = contract.check(shapes)
        ran = runs(shapes)
        if not broken:
            outcome = "taken, runs" if ran else "TAKEN, FAILS"
        elif not contract.is_in_ranges(sizes):
            outcome = "refused, outside of the ranges"
        elif not ran:
            outcome = "refused, fails"
        else:
            outcome = "refused, the program demands it" if demanded_by_program(contract, sizes) else "REFUSED, RUNS"
        figures[outcome] += 1
        if outcome.isupper():
            print(f"{label}: {outcome} {sizes} {broken}")


def small_models():
    import torch
    from torch import nn
    from torch.export import Dim

    class Even(nn.Module):
        def forward(self, x):
            return x.view(-1, 2, 3).sum(1)

    class Pair(nn.Module):
        def forward(self, x, y):
            return x @ y.t() + x.sum(1, keepdim=True)

    class Heads(nn.Module):
        def __init__(self):
            super().__init__()
            self.proj = nn.Linear(16, 48)

        def forward(self, x):
            q, k, v = self.proj(x).unflatten(-1, (3, 4, 4)).unbind(2)
            return nn.functional.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2))

    class Conv(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 4, 5, stride=2)

        def forward(self, x):
            return nn.functional.max_pool2d(self.conv(x).relu(), 2)

    class Checked(nn.Module):
        def forward(self, x, y):
            torch._check(x.shape[0] >= 2 * y.shape[0])
            return x[: y.shape[0]] + y

    class Slices(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Parameter(torch.zeros(32, 6))

        def forward(self, x):
            return x + self.table[: x.shape[1]]

    n, m, h, w = Dim("n", min=2, max=64), Dim("m", min=2, max=64), Dim("h", min=16, max=80), Dim("w", min=16, max=80)
    half = Dim("half", min=2, max=32)
    zeros = torch.zeros
    yield "even", Even(), (zeros(8, 3),), ({0: 2 * half},)
    yield "pair", Pair(), (zeros(4, 5), zeros(6, 5)), ({0: n}, {0: m})
    yield "same", Pair(), (zeros(4, 5), zeros(4, 5)), ({0: n, 1: m}, {0: n, 1: m})
    yield "heads", Heads(), (zeros(2, 7, 16),), ({0: n, 1: m},)
    yield "conv", Conv(), (zeros(2, 3, 32, 40),), ({0: n, 2: h, 3: w},)
    yield "checked", Checked(), (zeros(9, 3), zeros(4, 3)), ({0: Dim("big", min=4, max=64)}, {0: Dim("small", min=2, max=32)})
    yield "slices", Slices(), (zeros(2, 7, 6),), ({0: n, 1: Dim("seq", min=2, max=32)},)
    yield "auto", Pair(), (zeros(4, 5), zeros(6, 5)), ({0: Dim.AUTO, 1: Dim.AUTO}, {0: Dim.AUTO, 1: Dim.AUTO})


def run_models(fakeprop, count, rng, figures):
    import torch

    for label, model, example, dynamic in small_models():
        program = torch.export.export(model, example, dynamic_shapes=dynamic)
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder, "model.pt2"))
            torch.export.save(program, path)
            contract = Contract(fakeprop, path)
        module = program.module()

        def runs(shapes, module=module):
            try:
                module(*[torch.zeros(shape) for shape in shapes])
            except Exception:  # noqa: BLE001: any failure is a refusal
                return False
            return True
        judge(contract, runs, count, rng, figures, label)


def report(label, figures):
    print(f"{label}: " + "; ".join(f"{n} {outcome}" for outcome, n in sorted(figures.items())), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graphs", nargs="*")
    parser.add_argument("--fakeprop", required=True)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    by_propagation, by_runs = collections.Counter(), collections.Counter()
    for graph in options.graphs:
        try:
            contract = Contract(options.fakeprop, graph)
        except subprocess.CalledProcessError as error:
            by_propagation["no contract"] += 1
            print(f"{graph}: no contract: {error.stderr[:200]}")
            continue
        judge(contract, lambda shapes: propagates(options.fakeprop, graph, contract, shapes), options.count, rng, by_propagation,
              pathlib.Path(graph).name)
    report("against propagation", by_propagation)
    run_models(options.fakeprop, 4 * options.count, rng, by_runs)
    report("against runs of small models", by_runs)
    return any(outcome.isupper() for figures in (by_propagation, by_runs) for outcome in figures)


if __name__ == "__main__":
    raise SystemExit(main())
