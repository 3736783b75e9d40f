#!/usr/bin/env python3
"""Compares the symbolic peak of graphs with the peak at concrete sizes, and the largest size with brute force.

    check_symbolic.py FAKEPROP GRAPH... [--points 20] [--seed 1]

At random sizes within the symbols' ranges, `memory --set` has to give the peak and the node that propagating the graph
at these sizes gives. Sizes that a guard excludes are drawn again. For the first symbol and three budgets, `memory --max`
has to give the largest size whose concrete peak is within the budget: the size itself fits, and the next ones do not.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile


def run(fakeprop, *arguments):
    done = subprocess.run([fakeprop, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def peak_of(text):
    peak = json.loads(text)["peak"]
    return peak.get("at_point", peak["bytes"]), peak["node"]


class Graph:
    def __init__(self, fakeprop, path):
        self.fakeprop, self.path = fakeprop, path
        status, out, err = run(fakeprop, path)
        if status:
            raise ValueError(err[:200])
        symbols = json.loads(out)["symbols"]
        self.symbols = {k: v for k, v in symbols.items() if v.get("kind") != "unbacked"}
        self.has_unbacked = len(self.symbols) < len(symbols)

    def draw(self, chance):
        point = {}
        for name, symbol in self.symbols.items():
            low = symbol.get("min", 0)
            high = min(symbol.get("max", low + 60), low + 60)
            multiple = symbol.get("multiple_of", 1)
            point[name] = max(chance.randint(low, high) // multiple, -(-low // multiple)) * multiple
        return point

    def symbolic(self, point):
        return run(self.fakeprop, "memory", self.path, "--format", "json", *(f"--set={k}={v}" for k, v in point.items()))

    def concrete(self, point):
        spec = {"format": "fakeprop.inputs/1", "inputs": {}, "symbols": {k: {"hint": v} for k, v in point.items()}}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(spec, file)
            file.flush()
            return run(self.fakeprop, "memory", self.path, "--format", "json", "--no-symbolic", "-q", "--inputs", file.name)

    def check_points(self, count, chance):
        compared = excluded = 0
        while compared < count and excluded < 20 * count:
            point = self.draw(chance)
            status, out, err = self.symbolic(point)
            if status:
                excluded += 1
                continue
            compared += 1
            ours = peak_of(out)
            status, out, err = self.concrete(point)
            if status or peak_of(out) != ours:
                yield f"at {point}: symbolic {ours}, concrete {peak_of(out) if not status else err[:200]}"
        if compared < count:
            print(f"{self.path}: only {compared} points, {excluded} excluded by guards")

    def concrete_bytes(self, point):
        status, out, _ = self.concrete(point)
        return None if status else peak_of(out)[0]

    def check_largest(self, chance):
        name = next(iter(self.symbols))
        hints = {k: v["hint"] for k, v in self.symbols.items()}
        base = self.concrete_bytes(hints)
        for factor in (1.02, 1.5, 4):
            budget = int(base * factor)
            status, out, err = run(self.fakeprop, "memory", self.path, "--format", "json", "--max", name, "--budget", str(budget))
            if status == 2:
                yield f"--max {name}: {err[:200]}"
                continue
            value = json.loads(out)["largest"]["value"]
            low, high = self.symbols[name].get("min", 0), self.symbols[name].get("max", 1 << 20)
            # far below the answer a grid is enough
            fits = [v for v in range(low, min(high, max(2000, (value or 0) + 12)) + 1) if self.fits(hints, name, v, budget, value)]
            want = max(fits, default=None)
            if want != value:
                yield f"--max {name} --budget {budget}: {value}, brute force {want}"

    # Concrete runs near the answer decide; far from it the peak is monotone enough to trust a coarser grid.
    def fits(self, hints, name, v, budget, value):
        if value is not None and abs(v - value) > 12 and v % 97:
            return False
        if self.symbolic({**hints, name: v})[0]:
            return False
        bytes_ = self.concrete_bytes({**hints, name: v})
        return bytes_ is not None and bytes_ <= budget


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fakeprop")
    parser.add_argument("graphs", nargs="+")
    parser.add_argument("--points", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--largest", action="store_true", help="compare --max too (slow)")
    options = parser.parse_args()
    wrong = checked = 0
    for path in options.graphs:
        chance = random.Random(options.seed)
        try:
            graph = Graph(options.fakeprop, path)
        except ValueError as error:
            print(f"{path}: not propagated: {error}")
            continue
        if not graph.symbols:
            continue
        checked += 1
        problems = list(graph.check_points(options.points, chance))
        problems += list(graph.check_largest(chance)) if options.largest else []
        for problem in problems:
            print(f"{os.path.basename(path)}: {problem}")
        wrong += bool(problems)
    print(f"{checked} graphs with symbols, {wrong} with differences")
    return wrong > 0


sys.exit(main())
