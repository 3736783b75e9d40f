#!/usr/bin/env python3
"""What a proof rests on, and what it may not claim: assumptions_test.py FAKEPROP"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

FAKEPROP = ""
GRAPHS = pathlib.Path("testdata/prove").absolute()


def spec(symbols, **shapes):
    return {"format": "fakeprop.inputs/1", "symbols": symbols,
            "inputs": {name: {"shape": shape} for name, shape in shapes.items()}}


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR")))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_program(self, *arguments, given=None):
        if given is not None:
            (self.folder / "spec.json").write_text(given if isinstance(given, str) else json.dumps(given))
            arguments += ("--inputs", "spec.json")
        return subprocess.run([FAKEPROP, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True)

    def prove(self, graph, given=None):
        result = self.run_program("prove", graph, given=given)
        return result.returncode, result.stdout, result.stderr


class RangesOfTheGraph(InFolder):
    graph = GRAPHS / "positions.json"  # len is at most 16

    def test_a_spec_beyond_them_is_an_error(self):
        for symbol in ({"min": 2, "max": 640}, {"min": 2, "max": 640, "hint": 8}):
            status, out, err = self.prove(self.graph, spec({"batch": {}, "len": symbol}, ids=["batch", "len"]))
            self.assertEqual((status, out), (2, ""))
            self.assertIn("the graph takes at most 16 there, not 640", err)
            self.assertIn("/symbols/len/max", err)

    def test_a_spec_within_them_is_proved(self):
        given = spec({"batch": {}, "len": {"min": 4, "max": 12}}, ids=["batch", "len"])
        self.assertEqual(self.prove(self.graph, given)[0], 0)

    def test_bounds_left_out_are_the_graphs(self):
        status, out, _ = self.prove(self.graph, spec({"batch": {}, "len": {}}, ids=["batch", "len"]))
        self.assertEqual(status, 0)
        self.assertIn("len from 2 to 16", out)


class DemandsOfTheProgram(InFolder):
    def test_without_a_spec_they_are_assumed(self):
        status, out, _ = self.prove(GRAPHS / "pairs.json")
        self.assertEqual(status, 0)
        self.assertIn("assuming Eq(Mod(s77, 2), 0), which the exported program demands", out)

    def test_a_spec_has_to_meet_them(self):
        status, out, err = self.prove(GRAPHS / "pairs.json", spec({"n": {"min": 2}}, x=["n", 3]))
        self.assertEqual(status, 1)
        self.assertIn("counterexample: n = 2: the exported program refuses these sizes", out)
        self.assertIn("demands `", err)

    def test_that_a_size_is_a_multiple_is_taken_for_granted(self):
        status, out, _ = self.prove(GRAPHS / "pairs.json", spec({"n": {"min": 4}}, x=["n", 3]))
        self.assertEqual(status, 0)
        self.assertIn("assuming Eq(Mod(n, 2), 0)", out)

    def test_two_sizes_for_one(self):
        status, out, _ = self.prove(GRAPHS / "two_of_one.json", spec({"n": {}, "m": {}}, a=["n", 3], b=["m", 3]))
        self.assertNotIn("proved for all n at least 2; m at least 2 (", out)
        self.assertEqual(self.prove(GRAPHS / "two_of_one.json", spec({"n": {}}, a=["n", 3], b=["n", 3]))[0], 0)

    def test_the_result_lists_them(self):
        result = json.loads(self.run_program("prove", GRAPHS / "pairs.json", "--format", "json").stdout)
        self.assertIn({"expr": "Eq(Mod(s77, 2), 0)", "source": "graph"}, result["assumptions"])


class ChecksOfTheModel(InFolder):
    def graph_with_check(self):
        def call(name, target, *args):
            return {"name": name, "op": "call_function", "target": target, "args": list(args)}

        node = [{"node": name} for name in ("x", "size", "rest", "even")]
        nodes = [{"name": "x", "op": "placeholder", "target": "x"},
                 {"name": "size", "op": "call_method", "target": "size", "args": [node[0], 0]},
                 call("rest", "_operator.mod", node[1], 2), call("even", "_operator.eq", node[2], 0),
                 call("check", "torch._check", node[3]),
                 {"name": "pairs", "op": "call_method", "target": "view", "args": [node[0], -1, 2]},
                 {"name": "output", "op": "output", "target": "output", "args": [{"node": "pairs"}]}]
        (self.folder / "net.json").write_text(json.dumps({"format": "fakeprop.fx/1", "nodes": nodes}))
        return "net.json"

    def test_are_hypotheses(self):
        for hint in (8, 7):
            given = spec({"n": {"min": 2, "max": 100, "hint": hint}}, x=["n"])
            given["inputs"]["x"]["dtype"] = "float32"
            status, out, err = self.prove(self.graph_with_check(), given)
            self.assertEqual(status, 0, out + err)
            self.assertIn("assuming Eq(Mod(n, 2), 0), which the model checks at node `check`", out)

    def test_that_no_size_meets_are_no_proof(self):
        given = spec({"n": {"min": 3, "max": 3}}, x=["n"])
        given["inputs"]["x"]["dtype"] = "float32"
        status, out, err = self.prove(self.graph_with_check(), given)
        self.assertEqual(status, 1)
        self.assertIn("no sizes satisfy what is assumed", err)


class FactsOfTheSpec(InFolder):
    def test_are_hypotheses(self):
        given = spec({"n": {"min": 2}}, x=["n", 3]) | {"assume": ["n % 2 == 0", "n > 2"]}
        status, out, err = self.prove(GRAPHS / "pairs.json", given)
        self.assertEqual((status, err), (0, ""))
        self.assertIn("assuming Eq(Mod(n, 2), 0)", out)

    def test_hold_beside_what_the_program_demands(self):
        given = spec({"n": {}, "m": {}}, a=["n", 3], b=["m", 3]) | {"assume": ["n == m"]}
        status, out, err = self.prove(GRAPHS / "two_of_one.json", given)
        self.assertEqual((status, err), (0, ""))
        result = self.run_program(GRAPHS / "two_of_one.json", "-o", "annotations.json", given=given)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.run_program("refine", "annotations.json", "--set", "n=4", "--set", "m=5").returncode, 1)

    def test_that_are_proposed_make_a_proof(self):
        for graph in ("pairs.json", "positions.json", "two_of_one.json"):
            status, out, err = self.prove(GRAPHS / graph, self.run_program("inputs", GRAPHS / graph).stdout)
            self.assertEqual(status, 0, out + err)


class UnbackedInputs(InFolder):
    def setUp(self):
        super().setUp()
        text = (GRAPHS / "two_of_one.json").read_text().replace("s52", "u0")
        graph = json.loads(text, object_hook=lambda o: o | {"hint": None} if "expr_str" in o else o)
        graph["range_constraints"] = {"u0": {"min_val": 2, "max_val": 128}}
        graph["guards_code"] = []
        (self.folder / "net.json").write_text(json.dumps(graph))

    def shapes(self, result):
        return [node["meta"]["val"]["shape"] for node in json.loads(result.stdout)["nodes"][:3]]

    def test_propagate_without_a_spec(self):
        result = self.run_program("net.json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.shapes(result), [["u0", 3]] * 3)
        self.assertEqual(json.loads(result.stdout)["symbols"]["u0"],
                         {"min": 2, "max": 128, "kind": "unbacked", "source": "a.size(0)"})

    def test_the_proposed_spec_fits(self):
        proposed = self.run_program("inputs", "net.json").stdout
        self.assertEqual(json.loads(proposed)["symbols"], {"u0": {"min": 2, "max": 128, "hint": None}})
        result = self.run_program("net.json", given=proposed)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.shapes(result), [["u0", 3]] * 3)

    def test_numbers_and_names_of_a_spec(self):
        self.assertEqual(self.shapes(self.run_program("net.json", given=spec({}, a=[5, 3]))), [[5, 3]] * 3)
        named = self.run_program("net.json", given=spec({"batch": {"max": 64}}, a=["batch", 3]))
        self.assertEqual(self.shapes(named), [["batch", 3]] * 3)
        beyond = self.run_program("net.json", given=spec({"batch": {"max": 640}}, a=["batch", 3]))
        self.assertEqual(beyond.returncode, 2)
        self.assertIn("at most 128", beyond.stderr)

    def test_prove(self):
        status, out, err = self.prove("net.json")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("proved for all u0 from 2 to 128", out)


if __name__ == "__main__":
    FAKEPROP = os.path.abspath(sys.argv.pop(1))
    unittest.main()
