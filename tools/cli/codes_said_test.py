#!/usr/bin/env python3
"""Makes the program say every code of docs/diagnostics.md, and explain it.

    codes_said_test.py FAKEPROP

Many codes stand in the expected output of testdata/cli and in the examples of the pages, which other tests compare. The cases
below say the others. Only a bug in fakeprop has FP9001."""

import gzip
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

FAKEPROP = pathlib.Path(sys.argv[1]).absolute()
ROOT = pathlib.Path().absolute()
SMALL = (ROOT / "testdata/cli/graphs/small.json").read_text()
DYNAMIC = (ROOT / "testdata/inputs/dynamic.json").read_text()


def changed(text, change):
    document = json.loads(text)
    change(document)
    return json.dumps(document).encode()


def spec(inputs, **more):
    return json.dumps({"format": "fakeprop.inputs/1", "inputs": inputs} | more).encode()


def archive():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("a/archive_format", "pt2")
    return buffer.getvalue()


def reading(op):
    """An FX graph that asks its input for data."""
    return json.dumps({"format": "fakeprop.fx/1", "nodes": [
        {"name": "x", "op": "placeholder", "target": "x"},
        {"name": "n", "op": "call_function", "target": f"torch.ops.aten.{op}", "args": [{"node": "x"}]},
        {"name": "output", "op": "output", "target": "output", "args": [{"node": "n"}]}]}).encode()


def set_version(document):
    document["schema_version"]["major"] = 99


def use_unknown(document):
    document["graph_module"]["graph"]["nodes"][0]["inputs"][0]["arg"]["as_tensor"]["name"] = "nobody"


def remove_hints(document):
    for value in document["graph_module"]["graph"]["sym_int_values"].values():
        value.get("as_expr", {}).pop("hint", None)
    for tensor in document["graph_module"]["graph"]["tensor_values"].values():
        for size in tensor["sizes"]:
            size.get("as_expr", {}).pop("hint", None)


# For each code: the content of `graph`, further files, and the arguments.
CASES = {
    "FP1004": (changed(SMALL, set_version), {}, ["graph"]),
    "FP1006": (changed(SMALL, use_unknown), {}, ["graph"]),
    "FP1007": (gzip.compress(SMALL.encode())[:200], {}, ["graph"]),
    "FP1008": (archive()[:-30], {}, ["graph"]),
    "FP2005": (SMALL.encode(), {"spec": spec({"x": {"view_of": "x"}})}, ["graph", "--inputs", "spec"]),
    "FP2006": (changed(DYNAMIC, remove_hints), {}, ["graph", "--no-symbolic"]),
    "FP2007": (DYNAMIC.encode(), {"spec": spec({"x": {"shape": [6, 3]}, "y": {"shape": [10]}})}, ["graph", "--inputs", "spec"]),
    "FP2009": (reading("item.default"), {"spec": spec({"x": {"shape": ["n"], "dtype": "int64", "value": [1, 2]}}, symbols={"n": {}})},
               ["graph", "--inputs", "spec"]),
    "FP3010": (reading("item.default"), {}, ["graph", "--input", "x=[]:int64", "--no-symbolic"]),
    "FP3011": (reading("nonzero.default"), {}, ["graph", "--input", "x=4:int64", "--no-symbolic"]),
    "FP5005": (SMALL.encode(), {}, ["lint", "graph", "--crossref"]),
    "FP5006": (SMALL.encode(), {}, ["graph", "--prove"]),
}
ENVIRONMENT = {"FAKEPROP_LIBTORCH": "/no/such/file", "FAKEPROP_Z3": "/no/such/file"}


def codes():
    return re.findall(r"^### (FP\d{4}) ", (ROOT / "docs/diagnostics.md").read_text(), re.MULTILINE)


def compared_elsewhere():
    """What other tests compare with the output of the program."""
    pages = [ROOT / "docs/diagnostics.md", *(ROOT / "docs/commands").glob("*.md")]
    recorded = [path for name in ("stdout", "stderr", "output") for path in (ROOT / "testdata/cli").glob(f"*/{name}")]
    cases = [ROOT / "testdata/lint_rules/expected.json", ROOT / "testdata/broken/expected.json"]
    text = "\n".join(path.read_text(errors="replace") for path in pages + recorded + cases)
    return set(re.findall(r'(?:error|warning)\[(FP\d{4})\]|"(FP[38]\d{3})"', text))


class Codes(unittest.TestCase):
    def test_each_is_said(self):
        elsewhere = {code for pair in compared_elsewhere() for code in pair}
        self.assertEqual([code for code in codes() if code not in elsewhere | set(CASES)], ["FP9001"])
        self.assertEqual([code for code in CASES if code in elsewhere], [], "these need no case here")

    def test_cases_say_their_codes(self):
        for code, (graph, files, arguments) in CASES.items():
            with self.subTest(code), tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
                for name, content in (files | {"graph": graph}).items():
                    pathlib.Path(folder, name).write_bytes(content)
                ran = subprocess.run([FAKEPROP, *arguments], cwd=folder, env=os.environ | ENVIRONMENT, check=False,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                self.assertIn(f"error[{code}]: ", ran.stdout)

    def test_each_is_explained(self):
        for code in codes():
            with self.subTest(code):
                ran = subprocess.run([FAKEPROP, "explain", code], check=True, stdout=subprocess.PIPE, text=True)
                self.assertTrue(ran.stdout.startswith(f"{code} "))
                self.assertGreater(len(ran.stdout.splitlines()), 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
