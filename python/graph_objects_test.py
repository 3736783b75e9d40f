#!/usr/bin/env python3
"""The core reads a graph of objects as it reads the same graph as text. Objects with torch.fx's attributes stand for its own.

    graph_objects_test.py LIBRARY GRAPH...
"""

import json
import os
import pathlib
import sys
import unittest

LIBRARY, *GRAPHS = sys.argv[1:]
os.environ["FAKEPROP_LIBRARY"] = LIBRARY
sys.path.insert(0, str(pathlib.Path(__file__).parent))

from fakeprop import _core
from fakeprop._program import UsageError


class Node:
    pass


class Items(list):
    """As immutable_list."""


class Described:
    """An argument of a type that the core does not know."""

    def __init__(self, entry):
        self.entry = entry


KINDS = (Node, int, bool, type(None), float, str, tuple, list, Items)


def argument(entry, nodes):
    """The object that an argument of the document stands for."""
    if isinstance(entry, list):
        return Items(argument(item, nodes) for item in entry)
    if not isinstance(entry, dict):
        return entry
    (tag, value), = entry.items()
    if tag == "node":
        return nodes[value]
    return tuple(argument(item, nodes) for item in value) if tag == "tuple" else Described(entry)


def objects_of(document, **changes):
    nodes = {}
    for entry in document["nodes"]:
        node = nodes[entry["name"]] = Node()
        node.name, node.op = entry["name"], entry["op"]
        node.target = [entry["target"]] if entry["op"] == "call_function" else entry["target"]
        node._args = tuple(argument(item, nodes) for item in entry.get("args", ()))
        node._kwargs = {key: argument(item, nodes) for key, item in entry.get("kwargs", {}).items()}
    rest = json.dumps({key: value for key, value in document.items() if key != "nodes"})
    return {"nodes": list(nodes.values()), "kinds": KINDS, "target": lambda target: target[0], "inputs": {},
            "describe": lambda value: json.dumps(value.entry if isinstance(value, Described) else value),
            "rest": lambda: rest} | changes


def graph_of(*calls, **rest):
    """A document with an input x."""
    inputs = [{"name": "x", "op": "placeholder", "target": "x"}]
    nodes = [{"name": f"n{i}", "op": "call_function", "target": target, "args": args} for i, (target, args) in enumerate(calls)]
    output = {"name": "output", "op": "output", "target": "output", "args": [{"node": nodes[-1]["name"]}]}
    return {"format": "fakeprop.fx/1", "nodes": [*inputs, *nodes, output]} | rest


SPEC = {"format": "fakeprop.inputs/1", "inputs": {"x": {"shape": [2, 3], "dtype": "float32"}}}
X = {"node": "x"}


class GraphObjectsTest(unittest.TestCase):
    def values(self, graph, spec=SPEC):
        return graph.propagate(spec, keep_going=True)[0]

    def test_graphs(self):
        for path in GRAPHS:
            with self.subTest(path):
                document = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
                spec = _core.Graph(json.dumps(document).encode()).input_spec()
                for node in document["nodes"]:
                    node.pop("meta", None)
                text = _core.Graph(json.dumps(document).encode())
                self.assertEqual(self.values(_core.Graph.of_objects(objects_of(document)), spec), self.values(text, spec))

    def test_arguments(self):
        document = graph_of(("torch.ops.aten.add.Scalar", [X, 2.5]), ("torch.ops.aten.sum.dim_IntList", [X, [1], True]),
                            ("torch.ops.aten.to.dtype", [X, {"dtype": "float64"}]), ("torch.ops.aten.mul.Scalar", [X, {"float": "inf"}]))
        objects = objects_of(document)
        objects["nodes"][4]._args = (objects["nodes"][0], float("inf"))
        describe = objects["describe"]
        objects["describe"] = lambda value: json.dumps({"float": "inf"}) if value == float("inf") else describe(value)
        found = self.values(_core.Graph.of_objects(objects))
        self.assertEqual(found, self.values(_core.Graph(json.dumps(document).encode())))
        self.assertNotIn("error", str(found))

    def test_integers_of_more_than_64_bits(self):
        document = graph_of(("torch.ops.aten.add.Scalar", [X, 2**70]))
        for make in (lambda: _core.Graph.of_objects(objects_of(document)), lambda: _core.Graph(json.dumps(document).encode())):
            with self.assertRaisesRegex(UsageError, "expected an integer of 64 bits"):
                make()

    def test_a_node_that_counts_as_an_input(self):
        document = graph_of(("torch.ops.mine.unknown.default", [X]), ("torch.ops.aten.relu.default", [{"node": "n0"}]))
        objects = objects_of(document)
        objects["inputs"] = {objects["nodes"][1]: None}
        spec = {"format": SPEC["format"], "inputs": SPEC["inputs"] | {"n0": {"shape": [5], "dtype": "float32"}}}
        nodes = self.values(_core.Graph.of_objects(objects), spec)["nodes"]
        self.assertEqual(nodes[2]["meta"]["val"]["shape"], [5])

    def test_exceptions_of_python_come_through(self):
        document = graph_of(("torch.ops.aten.relu.default", [X]))
        for name in ("target", "rest"):
            with self.subTest(name), self.assertRaises(ZeroDivisionError):
                _core.Graph.of_objects(objects_of(document, **{name: lambda *_: 1 // 0}))
        objects = objects_of(document)
        del objects["nodes"][1].name
        with self.assertRaises(AttributeError):
            _core.Graph.of_objects(objects)

    def test_what_is_no_graph(self):
        nested = []
        nested.append(nested)
        document = graph_of(("torch.ops.aten.relu.default", [X]))
        for args, words in [((nested,), "nested too deeply"), ((Described({"node": "y"}),), "no node `y`")]:
            objects = objects_of(document)
            objects["nodes"][1]._args = args
            with self.subTest(words), self.assertRaisesRegex(UsageError, words):
                _core.Graph.of_objects(objects)
        with self.assertRaisesRegex(UsageError, "the JSON is malformed"):
            _core.Graph.of_objects(objects_of(document, rest=lambda: "}"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
