#!/usr/bin/env python3
"""Writes testdata/symbolic: models of symbolic_cases.py as FX JSON, with specs whose shapes have symbols.

    export_symbolic.py [--judge FAKEPROP]

Each folder gets graph.json, inputs.json and verdict.json, which says what PyTorch makes of the model at a few hundred sizes: it
runs at all of them ("proved"), or fails at some ("counterexample"). --judge writes nothing: it has `fakeprop prove` print its
verdicts, and runs the models in PyTorch at the sizes of its counterexamples.
"""

import argparse
import inspect
import json
import random
import subprocess
import sys

import torch

import fakeprop_fx
import golden
import symbolic_cases

FOLDER = golden.ROOT / "testdata" / "symbolic"


def variants():
    """Name, forward, symbols and shapes of each model, good and broken."""
    for name, (good, broken, symbols, shapes) in symbolic_cases.CASES.items():
        if good:
            yield name, good, symbols, shapes
        if broken:
            yield name if not good else broken.__name__, broken, symbols, shapes


def fails(forward, shapes, point):
    inputs = [torch.zeros([eval(s, {}, dict(point)) if isinstance(s, str) else s for s in shape]) for shape in shapes.values()]
    try:
        forward(*inputs)
    except (RuntimeError, IndexError, ValueError):
        return True
    return False


def points(symbols):
    rng = random.Random(0)
    for _ in range(300):
        point = {}
        for name, s in symbols.items():
            low, step = s.get("min", 2), s.get("multiple_of", 1)
            high = min(s.get("max", 40), low + 60)
            point[name] = -(-rng.choice([low, low + 1, rng.randint(low, high), rng.randint(low, high)]) // step) * step
        yield point


def verdict(forward, symbols, shapes):
    return "counterexample" if any(fails(forward, shapes, point) for point in points(symbols)) else "proved"


def trace(forward, shapes):
    """The model as a module whose forward has the inputs' names."""
    if list(inspect.signature(forward).parameters) != list(shapes):
        raise ValueError(f"{forward.__name__} takes other inputs than {list(shapes)}")
    return torch.fx.symbolic_trace(forward)


def write(name, forward, symbols, shapes):
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    fakeprop_fx.save(trace(forward, shapes), folder / "graph.json")
    spec = {"format": "fakeprop.inputs/1", "symbols": symbols,
            "inputs": {n: {"shape": shape, "dtype": "float32"} for n, shape in shapes.items()}}
    (folder / "inputs.json").write_text(json.dumps(spec, indent=1) + "\n")
    (folder / "verdict.json").write_text(json.dumps({"verdict": verdict(forward, symbols, shapes)}) + "\n")


def judge(binary, name, forward, symbols, shapes):
    """Whether the program's verdict is right, as far as PyTorch can tell."""
    folder = FOLDER / name
    done = subprocess.run([binary, "prove", folder / "graph.json", "--inputs", folder / "inputs.json", "--format", "json"],
                          capture_output=True, text=True)
    proof = json.loads(done.stdout) if done.stdout else {"verdict": done.stderr}
    expected = json.loads((folder / "verdict.json").read_text())["verdict"]
    right = proof["verdict"] == expected and (expected == "proved" or fails(forward, shapes, proof["point"]))
    print(f"{'right' if right else 'WRONG'}: {name}: {proof['verdict']} {proof.get('point', '')} "
          f"{proof.get('error', {}).get('node', '')} ({proof.get('cases')} cases){'' if right else ', not ' + expected}")
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", metavar="FAKEPROP")
    options = parser.parse_args()
    if options.judge:
        return 0 if all([judge(options.judge, *variant) for variant in variants()]) else 1
    for variant in variants():
        write(*variant)
    return 0


if __name__ == "__main__":
    sys.exit(main())
