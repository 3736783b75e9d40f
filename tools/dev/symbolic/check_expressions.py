#!/usr/bin/env python3
"""Whether SymPy, with torch's functions, reads what fakeprop prints, and finds the values that Python finds.

  check_expressions.py --fakeprop BIN [--count 500] [--seed 0] [GRAPH...]

Random expressions over symbols, as inputs' values in a spec, are printed by fakeprop in their canonical form. SymPy parses
that, and at random points its value has to be the one of the expression as Python evaluates it. Of a GRAPH's annotations every
expression is parsed, and has to have the recorded hint at the symbols' hints. Needs torch and sympy.
"""
import argparse, json, math, os, random, sys, tempfile

import sympy
import torch.utils._sympy.functions as torch_functions

from expressions import value_at
from run import run, write_json

NAMES = ("a", "b", "c")
BATCH = 50  # expressions in one run
LOCALS = {name: getattr(torch_functions, name) for name in (
    "FloorDiv", "PythonMod", "Where", "ToFloat", "TruncToInt", "FloorToInt", "CeilToInt", "RoundToInt",
    "PowByNatural", "FloatPow", "CleanDiv", "CeilDiv", "IntTrueDiv", "FloatTrueDiv")}


def sympy_value(text, point):
    """The value as SymPy has it. `//` is its floor of a quotient, which is FloorDiv of integers."""
    symbols = {name: sympy.Symbol(name, integer=True) for name in point}
    parsed = sympy.parse_expr(text, local_dict={**LOCALS, **symbols})
    value = parsed.subs({symbols[name]: value for name, value in point.items()}).doit()
    return bool(value) if value in (sympy.true, sympy.false) else float(value) if value.has(sympy.Float) else value


def random_text(rng, depth):
    if depth == 0:
        return rng.choice(NAMES) if rng.random() < 0.7 else str(rng.randint(0, 12))
    part = lambda: random_text(rng, depth - 1)
    number = rng.randint(1, 9)
    return rng.choice([
        lambda: f"({part()} + {part()})", lambda: f"({part()} - {part()})", lambda: f"({part()}*{part()})",
        lambda: f"({part()}*{number})", lambda: f"({part()}//{number})", lambda: f"Mod({part()}, {number})",
        lambda: f"Max({part()}, {part()})", lambda: f"Min({part()}, {part()})", lambda: f"FloorDiv({part()}, {rng.choice(NAMES)})",
        lambda: f"CeilDiv({part()}, {number})", lambda: f"Where({part()} <= {part()}, {part()}, {part()})",
        lambda: f"TruncToInt(0.5*ToFloat({part()}))", lambda: f"Mod({part()}, {rng.choice(NAMES)})"])()


def annotate(fakeprop, folder, texts):
    """What fakeprop prints of each expression; null of one that it refuses."""
    nodes = [{"name": f"n{i}", "op": "placeholder", "target": f"n{i}"} for i in range(len(texts))]
    nodes.append({"name": "output", "op": "output", "target": "output", "args": [{"tuple": []}]})
    symbols = {name: {"min": 1, "hint": 7 + i} for i, name in enumerate(NAMES)}
    spec = {"format": "fakeprop.inputs/1", "symbols": symbols, "inputs": {f"n{i}": {"value": t} for i, t in enumerate(texts)}}
    graph_file, spec_file = os.path.join(folder, "graph.json"), os.path.join(folder, "spec.json")
    write_json(graph_file, {"format": "fakeprop.fx/1", "nodes": nodes})
    write_json(spec_file, spec)
    status, out, err = run(fakeprop, graph_file, "--inputs", spec_file)
    if status:
        return None, err
    values = [node["meta"]["val"] for node in json.loads(out)["nodes"][:-1]]
    return [v["expr"] if isinstance(v, dict) else str(v) for v in values], ""


def check_random(args, failures):
    rng = random.Random(args.seed)
    texts = [random_text(rng, rng.randint(1, 3)) for _ in range(args.count)]
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(texts), BATCH):
            batch = texts[start:start + BATCH]
            printed, why = annotate(args.fakeprop, folder, batch)
            if not printed:
                failures.append(why)
                continue
            for text, form in zip(batch, printed):
                compared += check_text(text, form, rng, failures)
    return compared


def check_text(text, form, rng, failures):
    points = [{name: rng.randint(1, 40) for name in NAMES} for _ in range(3)]
    for point in points:
        want, got = value_at(text, point), sympy_value(form, point)
        if got != want:
            failures.append(f"{text} is {want} at {point}, {form} is {got}")
    return len(points)


def expressions(value):
    """Each with its hint, null where none is on record."""
    if isinstance(value, dict):
        if "expr" in value:
            yield value["expr"], value.get("hint")
        for key in ("shape", "stride"):
            yield from ((d, None) for d in value.get(key, []) if isinstance(d, str))
        for key in ("storage_offset", "nbytes"):
            if isinstance(value.get(key), str):
                yield value[key], None
        for part in value.values():
            yield from expressions(part)
    elif isinstance(value, list):
        for part in value:
            yield from expressions(part)


def check_graph(args, graph, failures):
    annotations = json.loads(run(args.fakeprop, graph, "--keep-going")[1])
    point = {name: s.get("hint", max(4, s.get("min", 4))) for name, s in annotations["symbols"].items()}
    point = {name: value for name, value in point.items() if not name.startswith("zuf")}
    found = {**{e: None for e, _ in expressions(annotations)}, **{e: h for e, h in expressions(annotations) if h is not None}}
    for text, hint in found.items():
        try:
            value = sympy_value(text, point)
        except Exception as error:
            failures.append(f"{graph}: {text}: {error!r}")
            continue
        if hint is not None and value != hint and not math.isclose(value, hint):
            failures.append(f"{graph}: {text} is {value}, not {hint}")
    return len(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", nargs="*")
    parser.add_argument("--fakeprop", required=True)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    failures = []
    compared = check_random(args, failures)
    parsed = sum(check_graph(args, graph, failures) for graph in args.graphs)
    for failure in failures:
        print("differs: " + failure)
    print(f"random values {compared}, expressions of graphs {parsed}, differ {len(failures)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
