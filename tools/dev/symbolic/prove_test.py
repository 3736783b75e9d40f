#!/usr/bin/env python3
"""`fakeprop prove` on the models of testdata/symbolic: prove_test.py FAKEPROP

PyTorch's verdict stands in verdict.json (tools/dev/export/export_symbolic.py). A counterexample has to be one: the graph is
propagated with its sizes as numbers and has to fail at the node that was named.
"""

import json
import os
import pathlib
import sys
import tempfile

from run import read_json, run, write_json

ROOT = pathlib.Path(os.environ.get("TEST_SRCDIR", pathlib.Path(__file__).resolve().parents[3]), os.environ.get("TEST_WORKSPACE", "."))


def at(spec, point):
    """The spec with numbers in the place of symbols."""
    inputs = {name: {**entry, "shape": [eval(s, {}, dict(point)) if isinstance(s, str) else s for s in entry["shape"]]}
              for name, entry in spec["inputs"].items()}
    return {"format": spec["format"], "inputs": inputs}


def check(binary, folder, scratch):
    expected = read_json(folder / "verdict.json")["verdict"]
    status, out, err = run(binary, "prove", folder / "graph.json", "--inputs", folder / "inputs.json", "--format", "json")
    if not out:
        return err
    proof = json.loads(out)
    if proof["verdict"] != expected or status != (0 if expected == "proved" else 1):
        return f"{proof['verdict']} with exit status {status}, not {expected}: {proof.get('reason', '')}"
    if expected == "proved":
        return None
    spec = read_json(folder / "inputs.json")
    write_json(scratch / "spec.json", at(spec, proof["point"]))
    status, out, _ = run(binary, folder / "graph.json", "--inputs", scratch / "spec.json")
    failed = [node["name"] for node in json.loads(out)["nodes"] if "error" in node]
    if status != 1 or failed != [proof["error"]["node"]]:
        return f"{proof['point']} is no counterexample: {failed} failed, not {proof['error']['node']}"
    return None


def main():
    binary = pathlib.Path(sys.argv[1]).absolute()
    folders = sorted(path.parent for path in (ROOT / "testdata" / "symbolic").glob("*/verdict.json"))
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for folder in folders:
            difference = check(binary, folder, pathlib.Path(scratch))
            wrong += difference is not None
            print(f"{folder.name}: {difference or 'as PyTorch'}")
    return 1 if wrong or not folders else 0


if __name__ == "__main__":
    sys.exit(main())
