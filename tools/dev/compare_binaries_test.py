#!/usr/bin/env python3
"""Tests of compare_binaries.py: two small programs in the place of two builds."""
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

import compare_binaries

# Prints what the test says for a graph alone, and else its arguments.
PROGRAM = """#!/usr/bin/env python3
import sys
print({text!r} if len(sys.argv) == 2 else " ".join(a for a in sys.argv[1:] if not a.startswith("/")))
sys.exit({status})
"""


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        self.write("corpus/a.json", "{}")
        self.write("corpus/a.truth.json", "{}")
        self.old = self.program("old")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def program(self, name, status=0, text="{}"):
        path = self.write(name, PROGRAM.format(text=text, status=status))
        os.chmod(path, 0o755)
        return path

    def compare(self, new, *options):
        sys.argv = ["compare_binaries.py", self.old, new, "--corpus", os.path.join(self.folder, "corpus"), *options]
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = compare_binaries.main()
        return status, out.getvalue()

    def test_same(self):
        status, out = self.compare(self.program("new"))
        self.assertEqual(status, 0, out)
        self.assertIn("7 comparisons, 0 differences, 0 allowed, 0 not compared", out)

    def test_status_differs(self):
        status, out = self.compare(self.program("new", status=1))
        self.assertEqual(status, 1)
        self.assertIn("show corpus/a.json: line 0 of status, stdout, stderr; 2 lines differ\n  -status 0\n  +status 1\n", out)
        self.assertIn("7 differences", out)

    def test_allowed_differences(self):
        new = self.program("new", text="other")
        status, out = self.compare(new, "--allow", self.write("some", "^propagate .*: -{}$\n# a comment\n"))
        self.assertEqual((status, "1 differences, 0 allowed" in out), (1, True), out)
        status, out = self.compare(new, "--allow", self.write("all", "^propagate .*: -{}$\n^propagate .*: \\+other$\n"))
        self.assertEqual((status, "0 differences, 1 allowed" in out), (0, True), out)

    def test_digests_are_remembered(self):
        remembered = os.path.join(self.folder, "digests")
        self.assertEqual(self.compare(self.program("new"), "--remember", remembered)[0], 0)
        with open(remembered, encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)), 8)
        self.assertEqual(self.compare(self.program("new"), "--remember", remembered)[0], 0)
        self.assertEqual(self.compare(self.program("new", status=1), "--remember", remembered)[0], 1)

    def test_symbols_are_refined_and_proved(self):
        self.old = self.program("old", text=json.dumps({"symbols": {"s0": {"hint": 4, "max": 4}, "u0": {}}}))
        status, out = self.compare(self.old)
        self.assertEqual(status, 0, out)
        for form in ("refine at hints", "refine above hints", "prove"):
            self.assertIn(f"{form}: 1 graphs", out)

    def test_sizes(self):
        self.assertEqual(compare_binaries.sizes_near({"s0": {"hint": 4, "max": 4}, "s1": {"hint": 3}, "u0": {}}),
                         {"refine at hints": {"s0": 4, "s1": 3}, "refine above hints": {"s0": 4, "s1": 4}})
        self.assertEqual(compare_binaries.sizes_near({"u0": {}}), {})


class Calls(unittest.TestCase):
    def test_results_are_stripped(self):
        graph = {"inputs": [{"as_tensor": {"name": "x"}}], "nodes": [{"inputs": []}],
                 "tensor_values": {"x": 1, "result": 2}, "sym_int_values": {"s": 3}}
        compare_binaries.strip_results(graph)
        self.assertEqual((graph["tensor_values"], graph["sym_int_values"]), ({"x": 1}, {}))

    def test_views_share_storage(self):
        def value(sizes, strides, offset):
            integers = lambda numbers: [{"as_int": n} for n in numbers]
            return {"sizes": integers(sizes), "strides": integers(strides), "storage_offset": {"as_int": offset}}

        graph = {"tensor_values": {"x": value([2, 3], [3, 1], 0), "y": value([2], [3], 1)}}
        truth = {"cases": {"add": {"input_alias_groups": [["x", "y"]]}, "mul": {}}}
        self.assertEqual(compare_binaries.spec_of_views(truth, graph)["inputs"],
                         {"y": {"view_of": "x", "shape": [2], "stride": [3], "storage_offset": 1}})
        self.assertIsNone(compare_binaries.spec_of_views({"cases": {"mul": {}}}, graph))


class Lines(unittest.TestCase):
    def test_first_difference(self):
        self.assertEqual(compare_binaries.first_difference(["a", "b"], ["a", "c"]), (1, ("b", "c")))
        self.assertEqual(compare_binaries.first_difference(["a", "b"], ["a"]), (1, ("b", "(end)")))

    def test_differing_lines(self):
        self.assertEqual(compare_binaries.differing_lines(["a", "b", "b"], ["b", "c"]), ["-a", "-b", "+c"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
