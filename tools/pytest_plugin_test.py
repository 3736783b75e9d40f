#!/usr/bin/env python3
"""The pytest plug-in of the Python package, used on a folder of graphs as its users do.

    pytest_plugin_test.py PROGRAM PLUGIN GRAPH
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, PLUGIN, GRAPH = (pathlib.Path(path).absolute() for path in sys.argv[1:4])
BATCH = {"format": "fakeprop.inputs/1", "symbols": {"batch": {"min": 1, "max": 64, "hint": 2}},
         "inputs": {"image": {"shape": ["batch", 3, 64, 64]}}}


class Plugin(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        shutil.copyfile(GRAPH, self.folder / "net.json")
        self.write("pytest.ini", "[pytest]\nfakeprop_graphs = net.json\n")

    def write(self, name, content):
        (self.folder / name).write_text(content if isinstance(content, str) else json.dumps(content))

    def pytest(self, *arguments):
        """The exit status, and what is printed."""
        environment = {**os.environ, "PYTHONPATH": str(PLUGIN.parent.parent), "FAKEPROP": str(PROGRAM)}
        command = [sys.executable, "-m", "pytest", "-p", "fakeprop.pytest_plugin", "-p", "no:cacheprovider", "-v", *arguments]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_nothing_is_collected_without_the_option(self):
        status, printed = self.pytest()
        self.assertEqual(status, 5, printed)  # pytest's "no tests collected"

    def test_a_good_graph_passes(self):
        status, printed = self.pytest("--fakeprop")
        self.assertEqual(status, 0, printed)
        self.assertIn("net.json::lint PASSED", printed)

    def test_a_finding_fails_with_its_text(self):
        self.write("net.inputs.json", {"format": "fakeprop.inputs/1", "inputs": {"image": {"shape": [2, 5, 64, 64]}}})
        status, printed = self.pytest("--fakeprop")
        self.assertEqual(status, 1, printed)
        self.assertIn("error[FP3", printed)
        self.assertIn("to see it again: fakeprop lint", printed)
        self.assertNotIn("pytest_plugin.py:", printed)  # no trace of ours

    def test_golden_files_are_written_and_compared(self):
        status, printed = self.pytest("--fakeprop-update")
        self.assertEqual(status, 0, printed)
        self.assertIn("net.json::golden PASSED", printed)
        golden = json.loads((self.folder / "net.golden.json").read_text())
        self.assertEqual(golden["format"], "fakeprop.annotations/1")
        self.assertEqual(self.pytest("--fakeprop")[0], 0)
        golden["nodes"][-2]["meta"]["val"]["shape"][0] += 1
        self.write("net.golden.json", golden)
        status, printed = self.pytest("--fakeprop")
        self.assertEqual(status, 1, printed)
        self.assertIn("FP4002", printed)

    def test_ranges_are_proved(self):
        self.write("net.inputs.json", BATCH)
        status, printed = self.pytest("--fakeprop")
        self.assertEqual(status, 0, printed)
        self.assertIn("net.json::prove PASSED", printed)

    def test_wrong_files_fail_with_the_diagnostic(self):
        self.write("net.inputs.json", "{")
        status, printed = self.pytest("--fakeprop")
        self.assertEqual(status, 1, printed)
        self.assertIn("error[FP", printed)

    def test_assertions(self):
        self.write("net.inputs.json", BATCH)
        self.write("test_net.py", """
import pytest
from fakeprop.testing import assert_propagates, assert_proved

def test_good():
    annotations = assert_propagates("net.json", "net.inputs.json")
    assert annotations["conv2d"].value.shape[0] == "batch"
    assert assert_proved("net.json", "net.inputs.json")["symbols"]["batch"]["max"] == 64

def test_bad():
    wrong = {"inputs": {"image": {"shape": [2, "channels", 64, 64]}}, "symbols": {"channels": {"min": 3, "max": 9, "hint": 4}}}
    with pytest.raises(AssertionError, match="FP3"):
        assert_propagates("net.json", wrong)
    with pytest.raises(AssertionError, match="counterexample: channels = "):
        assert_proved("net.json", wrong)
    with pytest.raises(AssertionError, match="FP1001"):
        assert_propagates("none.json")
""")
        status, printed = self.pytest()
        self.assertEqual(status, 0, printed)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
