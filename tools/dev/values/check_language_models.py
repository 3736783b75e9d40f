#!/usr/bin/env python3
"""What value ranges find in dynamic language models.

    tools/dev/values/check_language_models.py [--fakeprop BINARY] GRAPH...

For each graph it prints what `prove` says without a spec, and, with the ranges that `prove` asks for as `values` of the
inputs, how many of the tables' indices are shown to be in range, fail for some sizes, or are unknown.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]


def run(binary, *arguments):
    return subprocess.run([binary, *arguments], capture_output=True, text=True)


def demands_of(binary, graph):
    """The ranges that the graph's inputs need: those that rest on a statement of the caller."""
    annotated = json.loads(run(binary, graph, "--values").stdout)
    contract = run(binary, "contract", graph, "--format", "json")
    needed = json.loads(contract.stdout).get("values", []) if contract.returncode == 0 else []
    return annotated, needed


def spec_of(needed):
    values = {}
    for demand in needed:
        known = values.setdefault(demand["input"], {})
        if "min" in demand and isinstance(demand["min"], int):
            known["min"] = max(known.get("min", demand["min"]), demand["min"])
        if "max" in demand and isinstance(demand["max"], int):
            known["max"] = min(known.get("max", demand["max"]), demand["max"])
    return {"format": "fakeprop.inputs/1", "inputs": {name: {"values": range_} for name, range_ in values.items()}}


def verdicts(binary, graph, spec):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(spec, file)
        file.flush()
        annotated = run(binary, graph, "--inputs", file.name, "--values")
        proof = run(binary, "prove", graph, "--inputs", file.name)
    counts = collections.Counter()
    for node in json.loads(annotated.stdout)["nodes"]:
        for use in node.get("indices", []):
            kind = "table" if "embedding" in node["target"] else "other"
            counts[f"{kind} {use['verdict']}"] += 1
    return dict(sorted(counts.items())), (proof.stdout.strip().splitlines() or ["?"])[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fakeprop", default=str(ROOT / "bazel-bin/tools/fakeprop"))
    parser.add_argument("graphs", nargs="+")
    options = parser.parse_args()
    for graph in options.graphs:
        proof = run(options.fakeprop, "prove", graph)
        _, needed = demands_of(options.fakeprop, graph)
        counts, with_values = verdicts(options.fakeprop, graph, spec_of(needed))
        first = (proof.stdout.strip().splitlines() or [proof.stderr.strip()[:100]])[0]
        print(f"{pathlib.Path(graph).name}\n  without a spec: {first}\n  with {spec_of(needed)['inputs']}: {counts}; {with_values}",
              flush=True)


if __name__ == "__main__":
    main()
