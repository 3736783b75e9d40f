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


def renamed(value, prefix):
    """An argument of FX JSON whose nodes have other names."""
    if isinstance(value, list):
        return [renamed(v, prefix) for v in value]
    if isinstance(value, dict):
        return {k: prefix + v if k == "node" else renamed(v, prefix) for k, v in value.items()}
    return value


def joined(calls):
    """All calls in one graph, and the spec of its inputs: call 7 and its inputs have names with `c7_`."""
    inputs, nodes, spec = [], [], {}
    for i, call in enumerate(calls):
        prefix = f"c{i}_"
        *placeholders, node, _ = call["graph"]["nodes"]
        inputs += [{**p, "name": prefix + p["name"], "target": prefix + p["target"]} for p in placeholders]
        nodes.append({**renamed(node, prefix), "name": prefix + "call"})
        spec.update({prefix + name: entry for name, entry in call["inputs"]["inputs"].items()})
    output = {"name": "output", "op": "output", "target": "output", "args": [None]}
    graph = {"format": "fakeprop.fx/1", "nodes": inputs + nodes + [output]}
    return graph, {"format": "fakeprop.inputs/1", "inputs": spec}


def answers(calls):
    """The nodes of the calls, as fakeprop annotates them."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder, name) for name in ("graph.json", "spec.json", "out.json")]
        for path, document in zip(paths, joined(calls)):
            path.write_text(json.dumps(document))
        graph, spec, out = paths
        subprocess.run([FAKEPROP, graph, "--inputs", spec, "--keep-going", "-o", out], capture_output=True)
        nodes = {n["name"]: n for n in json.loads(out.read_text())["nodes"]}
    return [nodes[f"c{i}_call"] for i in range(len(calls))]


def result(value):
    """What the file has of a value: of a tensor some fields, integers and lists of them, null for others."""
    if isinstance(value, dict):
        return {f: value[f] for f in ("shape", "stride", "dtype")} if "shape" in value else None
    return value if isinstance(value, (int, list)) else None


def results(node):
    value = node["meta"]["val"]
    return [result(x) for x in (value if isinstance(value, list) else [value])]


class ShippedRules(unittest.TestCase):
    def setUp(self):
        self.calls = json.loads(pathlib.Path(CALLS).read_text())

    def test_give_what_the_libraries_give(self):
        for call, node in zip(self.calls, answers(self.calls)):
            with self.subTest(graph=call["graph"]["nodes"][-2], inputs=call["inputs"]["inputs"]):
                if "error" in call:
                    self.assertNotIn(node.get("error", {}).get("class"), (None, "UnsupportedOperator", "Internal"))
                else:
                    self.assertNotIn("error", node)
                    self.assertEqual(results(node), call["results"])

    def test_are_all_tried(self):
        """A path with one dot is a function that only rules call."""
        head = r"^(\w+::\w+|\w+(?:\.\w+){2,})\("
        rules = {n for file in RULES for n in re.findall(head, pathlib.Path(file).read_text(), re.M)}
        self.assertTrue(rules)
        self.assertEqual(rules - {call["operator"] for call in self.calls}, set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
