#!/usr/bin/env python3
"""Files that versions of torch wrote, in every form: fakeprop reads them and gives the results that these versions gave.

    versions_test.py FAKEPROP FOLDER

FOLDER has a folder for each version (tools/dev/export/export_versions.py writes them): files of one model, and results.json, what
the model returned.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

fakeprop, folder = pathlib.Path(sys.argv.pop(1)).absolute(), pathlib.Path(sys.argv.pop(1))

INPUT = ["--input", "x=2x3x8x8:float32"]
# Forms that record the sizes of their input.
EXPORTS = (".json", ".pt2")


def annotations(path, *options):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        given = [] if path.suffix in EXPORTS and path.name != "fx.json" else INPUT
        done = subprocess.run([fakeprop, path, "--no-symbolic", "-o", out.name, *given, *options], capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(f"{path}: {done.stderr}")
        return json.loads(pathlib.Path(out.name).read_text())


def results(document):
    values = next(node for node in document["nodes"] if node["op"] == "output")["meta"]["val"]
    return [{key: value[key] for key in ("shape", "stride", "dtype")} for value in values]


class Versions(unittest.TestCase):
    def test_every_form_gives_the_results_of_its_version(self):
        count = 0
        for path in sorted(folder.glob("*/*")):
            if path.name == "results.json":
                continue
            with self.subTest(file=str(path)):
                expected = json.loads((path.parent / "results.json").read_text())["results"]
                self.assertEqual(results(annotations(path)), expected)
                count += 1
        self.assertGreaterEqual(count, 40)

    def test_answers_of_another_version_can_be_asked_for(self):
        path = folder / "2.15/export.json"
        for torch in "2.13", "2.14", "2.15":
            self.assertEqual(results(annotations(path, "--torch", torch)), results(annotations(path)))


if __name__ == "__main__":
    unittest.main()
