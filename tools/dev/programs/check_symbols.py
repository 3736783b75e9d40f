#!/usr/bin/env python3
"""Runs random programs over symbolic sizes, refines the result, and compares with eager PyTorch at these sizes.

  check_symbols.py --fakeprop BIN [--seed 0] [--count 100] [--points 4] [--show N]

Each size of the inputs from 2 on becomes a symbol, equal sizes one symbol, as FakeTensorMode makes them. At the sizes that
the program was made with, and at random ones, eager runs the same steps. What `fakeprop refine` accepts has to be what
eager gives, and eager must not refuse more steps than at the first sizes. Where `refine` refuses sizes that eager takes, and
the annotations say the same as eager, the guard is counted: it is stricter than it has to be.
"""

import argparse
import collections
import copy
import json
import operator
import os
import random
import subprocess
import sys
import tempfile

import torch

import truth_path  # noqa: F401
from eager import Refused, run_program
from explained import unexplained
from generate import OF_DATA, Generator
from isolated import run_isolated
from judge import cause, differences
from templates import read_templates

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "symbolic"))
from expressions import value_at  # noqa: E402

HIGHEST = 5  # beyond the first size


def dense_order(given):
    """The dimensions from the outermost to the innermost; None if elements are shared or left out."""
    order = sorted(range(len(given.sizes)), key=lambda d: (-given.strides[d], d))
    step = 1
    for d in reversed(order):
        if given.sizes[d] != 1 and given.strides[d] != step:
            return None
        step *= given.sizes[d]
    return order


def symbol_of(size):
    return f"s{size}" if size >= 2 else size


class Symbolic:
    """A program whose inputs have symbols for sizes, where their strides can follow."""

    def __init__(self, program):
        self.program = program
        self.orders = {i.name: order for i in program.inputs if not i.view_of and not i.offset and
                       (order := dense_order(i)) is not None and 0 not in i.sizes}
        self.hints = {f"s{n}": n for i in program.inputs if i.name in self.orders for n in i.sizes if n >= 2}

    def spec(self):
        spec = self.program.spec()
        spec["symbols"] = {name: {"hint": hint} for name, hint in self.hints.items()}
        for i in self.program.inputs:
            if i.name in self.orders:
                sizes = [symbol_of(n) for n in i.sizes]
                spec["inputs"][i.name] |= {"shape": sizes, "stride": self.strides(i, sizes, product)}
        return spec

    def strides(self, given, sizes, times):
        strides, step = list(given.strides), 1
        for d in reversed(self.orders[given.name]):
            strides[d] = step
            step = times(step, sizes[d])
        return strides

    def at(self, point):
        """The program with inputs of these sizes."""
        program = copy.deepcopy(self.program)
        for i in program.inputs:
            if i.name in self.orders:
                sizes = [point.get(symbol_of(n), n) for n in i.sizes]
                i.strides, i.sizes = self.strides(i, sizes, operator.mul), sizes
        return program


def product(a, b):
    if a == 1 or b == 1:
        return b if a == 1 else a
    return f"{a}*{b}"


def points_of(symbolic, rng, count):
    yield dict(symbolic.hints)
    for _ in range(count if symbolic.hints else 0):
        point = {name: rng.randint(2, hint + HIGHEST) for name, hint in symbolic.hints.items()}
        if rng.random() < 0.5:
            kept = rng.choice(sorted(point))
            point = {name: point[name] if name == kept else symbolic.hints[name] for name in point}
        yield point


class Folder:
    """Runs of fakeprop on files of one program."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *arguments):
        return subprocess.run([self.binary, *arguments], capture_output=True, text=True, timeout=60)

    def nodes(self, name):
        with open(self.path(name)) as f:
            return {node["name"]: node for node in json.load(f)["nodes"]}

    def propagate(self, symbolic):
        for name, content in ("fx.json", symbolic.program.fx()), ("spec.json", symbolic.spec()):
            with open(self.path(name), "w") as f:
                json.dump(content, f)
        done = self.run(self.path("fx.json"), "--inputs", self.path("spec.json"), "--keep-going", "-o", self.path("out.json"))
        return os.path.exists(self.path("out.json")), done.stderr

    def refine(self, point):
        """(the nodes, None) or (None, what was said)."""
        if os.path.exists(self.path("at.json")):
            os.remove(self.path("at.json"))
        sets = [x for name, size in point.items() for x in ("--set", f"{name}={size}")]
        done = self.run("refine", self.path("out.json"), "-o", self.path("at.json"), *sets)
        return (self.nodes("at.json"), None) if os.path.exists(self.path("at.json")) else (None, done.stderr)


def evaluated(nodes, point):
    """The nodes with numbers in the place of expressions."""

    def number(value):
        return value_at(value, point) if isinstance(value, str) else value

    at_point = copy.deepcopy(nodes)
    for node in at_point.values():
        val = node.get("meta", {}).get("val")
        if isinstance(val, dict) and val.get("type") == "tensor":
            val |= {"shape": [number(n) for n in val["shape"]], "stride": [number(n) for n in val["stride"]],
                    "storage_offset": number(val["storage_offset"])}
    return at_point


def by_metadata(errors):
    """The errors that no data decides."""
    return {name: error for name, error in errors.items() if not any(part in ": ".join(error) for part in OF_DATA)}


def guard_in(words):
    """The guard that a refusal names, without numbers."""
    guard = words.split("`")[1] if words.count("`") >= 2 else words.strip().split("\n")[0]
    return "".join("#" if c.isdigit() else c for c in guard)[:80]


def check(args, seed, templates):
    """[(kind, key, text)] of one seed; None for what programs do not go on with."""
    try:
        program, first = Generator(seed, templates).run()
    except Refused:
        return None
    symbolic, rng = Symbolic(program), random.Random(seed)
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(args.fakeprop, path)
        made, said = folder.propagate(symbolic)
        if not made:
            return [("wrong", ("status", said[:100]), f"seed {seed}")]
        plain = folder.nodes("out.json")
        return [found for point in points_of(symbolic, rng, args.points)
                for found in at_point(folder, symbolic, point, plain, first)]


def at_point(folder, symbolic, point, plain, first):
    program = symbolic.at(point)
    try:
        snaps, errors = run_program(program)
    except (Refused, RuntimeError):
        return
    truth = snaps, by_metadata(errors)
    is_first = point == symbolic.hints
    same_steps = set(errors) == set(first[1])
    nodes, said = folder.refine(point)
    yield "points accepted" if nodes else "points refused", (), ""
    where = [f"at {point}", *program.text()]
    if nodes:
        found, _ = unexplained(program, differences(program, truth, nodes), truth)
        if found:
            yield "wrong", cause(program, found), "\n    ".join([*where, f"-> {found}"])
    elif is_first:
        yield "wrong", ("refused at the hints", guard_in(said)), "\n    ".join([*where, said])
    elif same_steps and not unexplained(program, differences(program, truth, evaluated(plain, point)), truth)[0]:
        yield "stricter", (guard_in(said),), "\n    ".join([*where, said])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fakeprop", required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--points", type=int, default=4)
    parser.add_argument("--show", type=int, default=1, help="programs to print of each group")
    args = parser.parse_args()
    torch.set_num_threads(1)
    templates = read_templates()
    groups, tally = collections.defaultdict(list), collections.Counter()
    seeds = range(args.seed, args.seed + args.count)
    for seed, found in run_isolated(lambda s: list(check(args, s, templates) or []), seeds):
        tally["programs"] += found is not None
        tally["crashed in eager"] += found is None
        for kind, key, text in found or []:
            tally[kind] += 1
            if text:
                groups[kind, key].append(f"seed {seed} {text}")
    for (kind, key), texts in sorted(groups.items(), key=lambda item: (item[0][0], -len(item[1]))):
        print(f"\n{len(texts)} {kind}: {' | '.join(map(str, key))}")
        print("\n".join("  " + text for text in texts[:args.show]))
    print(", ".join(f"{kind} {count}" for kind, count in sorted(tally.items())))
    return tally["wrong"] != 0


if __name__ == "__main__":
    sys.exit(main())
