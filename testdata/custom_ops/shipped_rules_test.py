#!/usr/bin/env python3
"""The rules that come with fakeprop against library_calls.json, which tools/dev/zoo/record_library_calls.py records."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

FAKEPROP, CALLS, *RULES = sys.argv[1:]


def answer(call):
    """The node of the call, as fakeprop annotates it."""
    with tempfile.TemporaryDirectory() as folder:
        graph, spec = pathlib.Path(folder, "graph.json"), pathlib.Path(folder, "spec.json")
        graph.write_text(json.dumps(call["graph"]))
        spec.write_text(json.dumps(call["inputs"]))
        ran = subprocess.run([FAKEPROP, graph, "--inputs", spec], capture_output=True, text=True)
    return next(n for n in json.loads(ran.stdout)["nodes"] if n["name"] == "call")


def results(node):
    value = node["meta"]["val"]
    fields = ("shape", "stride", "dtype")
    return [x and {f: x[f] for f in fields} for x in (value if isinstance(value, list) else [value])]


class ShippedRules(unittest.TestCase):
    def setUp(self):
        self.calls = json.loads(pathlib.Path(CALLS).read_text())

    def test_give_what_the_libraries_give(self):
        for call in self.calls:
            node = answer(call)
            with self.subTest(graph=call["graph"]["nodes"][-2], inputs=call["inputs"]["inputs"]):
                if "error" in call:
                    self.assertNotIn(node.get("error", {}).get("class"), (None, "UnsupportedOperator", "Internal"))
                else:
                    self.assertNotIn("error", node)
                    self.assertEqual(results(node), call["results"])

    def test_are_all_tried(self):
        rules = {n for file in RULES for n in re.findall(r"^(\w+::\w+)\(", pathlib.Path(file).read_text(), re.M)}
        self.assertTrue(rules)
        self.assertEqual(rules - {call["operator"] for call in self.calls}, set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
