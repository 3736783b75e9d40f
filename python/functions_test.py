#!/usr/bin/env python3
"""The functions of the Python package, with right and wrong arguments. Needs no torch.

    functions_test.py PROGRAM GRAPH
"""

import contextlib
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

PROGRAM, GRAPH = (str(pathlib.Path(path).absolute()) for path in sys.argv[1:3])
os.environ["FAKEPROP"] = PROGRAM
sys.path.insert(0, str(pathlib.Path(__file__).parent))

import fakeprop
from fakeprop.testing import assert_propagates, assert_proved

OF_GRAPHS = (fakeprop.propagate, fakeprop.lint, fakeprop.prove, fakeprop.memory, fakeprop.cost, fakeprop.contract)
BATCH = {"inputs": {"image": {"shape": ["batch", 3, 64, 64]}}, "symbols": {"batch": {"min": 2, "max": 9, "hint": 4}}}
BROKEN = {"inputs": {"image": {"shape": [2, 5, 64, 64]}}}


class RightArguments(unittest.TestCase):
    def test_propagate_and_refine(self):
        annotations = fakeprop.propagate(GRAPH, BATCH)
        self.assertEqual(repr(annotations), f"<fakeprop.Annotations: {len(annotations)} nodes, 0 with errors>")
        self.assertEqual(annotations["image"].value.shape, ("batch", 3, 64, 64))
        self.assertEqual(fakeprop.refine(annotations, {"batch": 8})["image"].value.shape, (8, 3, 64, 64))

    def test_numbers(self):
        self.assertGreater(fakeprop.memory(GRAPH, BATCH, sizes={"batch": 3})["peak"]["bytes"], 0)
        self.assertGreater(fakeprop.cost(GRAPH, BATCH, sizes={"batch": 3})["flops"], 0)

    def test_verdicts(self):
        self.assertEqual(fakeprop.lint(GRAPH)["findings"], [])
        self.assertEqual(fakeprop.contract(GRAPH, BATCH)["symbols"]["batch"]["max"], 9)
        self.assertEqual(fakeprop.diff(GRAPH, fakeprop.propagate(GRAPH))["changed"], [])
        self.assertEqual(fakeprop.diff(GRAPH, fakeprop.propagate(GRAPH, BATCH))["changed"][0]["to"], ["batch", 3, 64, 64])

    def test_names_of_what_is_no_file(self):
        """The program reads it from a file of ours, and names what the caller gave."""
        annotations = fakeprop.propagate(GRAPH)
        quoted = fakeprop.Annotations(annotations.document | {"graph": {"source": 'a "graph"', "kind": "torch.export"}})
        compared = fakeprop.diff(annotations, quoted)
        self.assertEqual((compared["from"], compared["to"]), ("annotations of graph.json", 'annotations of a "graph"'))
        wrong = {"inputs": {"picture": {"shape": [2, 3, 64, 64]}}}
        for call in (
            lambda: fakeprop.propagate(GRAPH, wrong),
            lambda: fakeprop.propagate(GRAPH, BROKEN),
            lambda: fakeprop.lint(GRAPH, wrong),
            lambda: fakeprop.refine(annotations, {"batch": 8}),
            lambda: fakeprop.diff(fakeprop.Annotations({"format": "fakeprop.annotations/1", "nodes": [], "storages": []}), annotations),
        ):
            with self.assertRaises(fakeprop.FakepropError) as raised:
                call()
            self.assertNotIn(tempfile.gettempdir() + "/fakeprop-", raised.exception.diagnostics)
        self.assertNotIn(tempfile.gettempdir() + "/fakeprop-", str(fakeprop.lint(GRAPH, BROKEN)))

    def test_a_path_that_begins_as_an_option(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(contextlib.chdir(folder))
        shutil.copyfile(GRAPH, "-graph.json")
        for function in OF_GRAPHS:
            with self.subTest(function.__name__):
                function("-graph.json")
        self.assertEqual(fakeprop.diff("-graph.json", GRAPH)["changed"], [])


class WrongArguments(unittest.TestCase):
    def test_graphs_that_fail(self):
        """An error of a node comes with its diagnostic from each function that cannot go on."""
        for function in fakeprop.propagate, fakeprop.memory, fakeprop.cost, fakeprop.contract:
            with self.subTest(function.__name__), self.assertRaisesRegex(fakeprop.FakepropError, "expected input") as raised:
                function(GRAPH, BROKEN)
            self.assertIn("error[FP3001]", raised.exception.diagnostics)
        self.assertEqual(fakeprop.propagate(GRAPH, BROKEN, on_error="return").errors[0].name, "conv2d")
        self.assertEqual(fakeprop.lint(GRAPH, BROKEN)["findings"][0]["code"], "FP3001")
        self.assertEqual(fakeprop.prove(GRAPH, BROKEN)["verdict"], "counterexample")

    def test_assertions(self):
        with self.assertRaisesRegex(AssertionError, r"error\[FP3001\]"):
            assert_propagates(GRAPH, BROKEN)
        with self.assertRaisesRegex(AssertionError, "counterexample: the recorded sizes: node `conv2d` fails"):
            assert_proved(GRAPH, BROKEN)

    def test_sizes_out_of_range(self):
        annotations = fakeprop.propagate(GRAPH, BATCH)
        for call in (lambda: fakeprop.refine(annotations, {"batch": 99}), lambda: fakeprop.memory(GRAPH, BATCH, sizes={"batch": 99})):
            with self.assertRaisesRegex(fakeprop.FakepropError, "`batch` is 99"):
                call()
        with self.assertRaisesRegex(fakeprop.UsageError, "not `batch=True`"):
            fakeprop.refine(annotations, {"batch": True})

    def test_values_of_other_types(self):
        for function in OF_GRAPHS:
            with self.subTest(function.__name__):
                self.assert_wrong("a graph is a path", function, 5)
                self.assert_wrong("an input spec is a path or a dict", function, GRAPH, [1])
                self.assert_wrong("options are a list", function, GRAPH, options="--keep-going")
        for function in fakeprop.memory, fakeprop.cost:
            self.assert_wrong("sizes are numbers by symbol", function, GRAPH, sizes=["batch"])
        self.assert_wrong("sizes are numbers by symbol", fakeprop.refine, GRAPH, "batch=8")
        self.assert_wrong("annotations are Annotations or a path", fakeprop.refine, 5, {})
        self.assert_wrong("a graph is a path", fakeprop.diff, GRAPH, None)

    def assert_wrong(self, words, function, *args, **kwargs):
        with self.assertRaisesRegex(TypeError, words):
            function(*args, **kwargs)

    def test_files_and_options_that_are_not_there(self):
        for function in OF_GRAPHS:
            with self.subTest(function.__name__):
                self.assert_usage("cannot read `no.pt2`: no such file", function, "no.pt2")
                self.assert_usage("cannot read `no.json`: no such file", function, GRAPH, "no.json")
                self.assert_usage("unknown option `--nothing`", function, GRAPH, options=["--nothing"])
                self.assert_usage("printed no JSON", function, GRAPH, options=["--help"])
        self.assert_usage("not annotations", fakeprop.refine, GRAPH, {})

    def test_documents_that_are_no_annotations(self):
        for text in "{}", "[]", '{"format": "fakeprop.annotations/2"}':
            with self.subTest(text), self.assertRaisesRegex(ValueError, "expected annotations"):
                fakeprop.Annotations.from_json(text)

    def test_programs_that_are_not_fakeprop(self):
        for program, words in [("/no/such/program", "does not run"), (GRAPH, "does not run"), ("/bin/true", "printed no JSON")]:
            os.environ["FAKEPROP"] = program
            self.addCleanup(os.environ.__setitem__, "FAKEPROP", PROGRAM)
            self.assert_usage(words, fakeprop.propagate, GRAPH)

    def assert_usage(self, words, function, *args, **kwargs):
        with self.assertRaisesRegex(fakeprop.UsageError, words):
            function(*args, **kwargs)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
