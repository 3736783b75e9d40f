#!/usr/bin/env python3
"""Files that people give by mistake: wrong_files_test.py FAKEPROP

What comes out says what the file is and what to do, in at most six lines.
"""

import json
import os
import pathlib
import pickle
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

FAKEPROP = ""
GRAPH = json.dumps({"format": "fakeprop.fx/1", "nodes": [
    {"name": "x", "op": "placeholder", "target": "x"},
    {"name": "output", "op": "output", "target": "output", "args": [{"node": "x"}]}]})
SPEC = json.dumps({"format": "fakeprop.inputs/1", "inputs": {"x": {"shape": [2], "dtype": "float32"}}})
FINDINGS = json.dumps({"format": "fakeprop.lint/1", "findings": [], "summary": {}})


def checkpoint(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("weights/data.pkl", pickle.dumps({}))


def safetensors():
    header = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    return struct.pack("<Q", len(header)) + header + b"\0\0\0\0"


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR")))
        self.addCleanup(shutil.rmtree, self.folder)
        self.write("graph.json", GRAPH)
        self.write("spec.json", SPEC)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def run_program(self, *arguments):
        return subprocess.run([FAKEPROP, *arguments], cwd=self.folder, capture_output=True, text=True)

    def says(self, arguments, *phrases):
        result = self.run_program(*arguments)
        self.assertEqual(result.returncode, 2, result.stderr)
        for phrase in phrases:
            self.assertIn(phrase, result.stderr)
        self.assertLessEqual(len(result.stderr.splitlines()), 6, result.stderr)


class InThePlaceOfAGraph(InFolder):
    def test_files_of_other_formats(self):
        export = "torch.export.save(torch.export.export(model, args)"
        for content, what, advice in (
                (pickle.dumps({"w": 1}, 2), "a Python pickle", export),
                (safetensors(), "a safetensors file", export),
                (b"\x08\x07\x12\x07pytorch\x1a\x062.13.0", "an ONNX model", export),
                (b"\x93NUMPY\x01\x00v\x00{'descr': '<f4'}", "a NumPy array", export),
                (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "a git-lfs pointer", "git lfs pull"),
                (GRAPH.encode("utf-16"), "text in UTF-16", "UTF-8"),
                (b"net.json".ljust(257, b"\0") + b"ustar\x0000", "a tar archive", "unpack it"),
                (b"PK\x03\x04 the start of an archive", "the zip archive is damaged", "download the file again"),
                (b"<!DOCTYPE html><html>", "an HTML page", "download the file itself"),
                (b"def forward(self, x):\n", "no JSON", export),
                (SPEC, "this is an input spec", "--inputs"),
                ('{"architectures": ["BertModel"]}', "no graph of torch.export", export),
                ("[1, 2]", "found an array", export),
                ("", "the file is empty", export)):
            with self.subTest(what):
                self.says([self.write("file", content)], what, advice)

    def test_a_checkpoint(self):
        checkpoint(self.folder / "weights.pt")
        self.says(["weights.pt"], "a checkpoint of torch.save", "torch.export.save")

    def test_a_graph_in_a_zip_archive(self):
        with zipfile.ZipFile(self.folder / "model.zip", "w") as archive:
            archive.writestr("model.pt2", "")
        self.says(["model.zip"], "this is a zip archive, but no graph", "unpack it")

    def test_annotations(self):
        self.write("old.json", self.run_program("graph.json", "--inputs", "spec.json").stdout)
        self.says(["old.json"], "these are annotations")


class InThePlaceOfADocument(InFolder):
    def test_a_graph_for_annotations(self):
        self.says(["refine", "graph.json", "--set", "n=1"], "a graph of torch.fx, not annotations", "-o FILE")
        self.says(["lint", "graph.json", "--inputs", "spec.json", "--golden", "graph.json"],
                  "a graph of torch.fx, not annotations", "-o FILE")
        checkpoint(self.folder / "model.pt2")
        self.says(["refine", "model.pt2", "--set", "n=1"], "a zip archive", "not annotations")

    def test_a_graph_for_a_spec(self):
        self.says(["graph.json", "--inputs", "graph.json"], "a graph of torch.fx, not an input spec", "fakeprop inputs")
        self.says(["graph.json", "--inputs", self.write("w.st", safetensors())], "a safetensors file")

    def test_no_format(self):
        self.write("spec.json", '{"inputs": {}}')
        self.says(["graph.json", "--inputs", "spec.json"], '"format": "fakeprop.inputs/1"')


class Specs(InFolder):
    def test_mistakes_say_what_to_do(self):
        spec = '{"format": "fakeprop.inputs/1", "inputs": {"x": %s}, "symbols": {"n": {"min": 3, "hint": 2}}}'
        start = "`fakeprop inputs GRAPH` prints a spec to start from"
        for content, what, advice in (
                ("{'format': 'fakeprop.inputs/1'}", "the JSON is malformed", start),
                ("[[2]]", "expected an object but found an array", start),
                (spec % "[2]", "/inputs/x", start),
                (spec % '{"shape": "2x3", "dtype": "float32"}', "/inputs/x/shape", start),
                (spec % '{"shape": [2], "dtype": "float32"}', "the hint of `n` is outside of its range, from 3 on", ""),
                (spec.replace('"n"', '"k"').replace(', "hint": 2', "") % '{"shape": ["batch"], "dtype": "float32"}',
                 "`batch` names a symbol that is neither in `symbols` nor in the graph", '`"symbols": {"NAME": {}}`')):
            with self.subTest(content):
                self.says(["graph.json", "--inputs", self.write("wrong.json", content)], what, advice)


class Folders(InFolder):
    def test_lint_goes_through_a_folder(self):
        for name in ("models/b/graph.json", "models/a.json", "models/.git/hidden.json"):
            self.write(name, GRAPH)
        self.write("models/specs/a.json", SPEC)
        self.write("models/findings.json", FINDINGS)
        self.write("models/notes.txt", "notes")
        for name in ("a", "b/graph"):
            self.write(f"specs/{name}.json", SPEC)
        result = self.run_program("lint", "models", "--inputs", "specs", "--format", "json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual([graph["graph"] for graph in json.loads(result.stdout)["graphs"]],
                         ["models/a.json", "models/b/graph.json"])

    def test_goldens_lie_as_the_graphs_do(self):
        self.write("models/b/graph.json", GRAPH)
        self.write("specs/b/graph.json", SPEC)
        lint = ("lint", "models", "--inputs", "specs", "--golden", "golden")
        self.assertEqual(self.run_program(*lint, "--update-golden").returncode, 0)
        self.assertTrue((self.folder / "golden/b/graph.json").exists())
        self.assertEqual(self.run_program(*lint).returncode, 0)

    def test_a_folder_without_graphs(self):
        (self.folder / "empty").mkdir()
        self.says(["lint", "empty"], "there is no graph in `empty`")

    def test_other_commands_take_no_folder(self):
        (self.folder / "models").mkdir()
        self.says(["models"], "is a directory", "`fakeprop lint`")


if __name__ == "__main__":
    FAKEPROP = os.path.abspath(sys.argv.pop(1))
    unittest.main()
