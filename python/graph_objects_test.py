#!/usr/bin/env python3
"""The core reads a graph of objects as it reads the same graph as text. Objects with torch.fx's attributes stand for its own.

    graph_objects_test.py LIBRARY GRAPH...
"""

import json
import math
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


class Tensor:
    """A fake tensor, with what the core asks of one."""

    def __init__(self, shape, mode, storage=0, offset=0, **changes):
        self.shape, self.fake_mode, self.address, self.offset = shape, mode, storage, offset
        self.dtype, self.fake_device, self.layout, self.constant, self.requires_grad = "float32", "cpu", "strided", None, False
        self.conj = False
        self.__dict__.update(changes)

    def stride(self):
        return tuple(math.prod(self.shape[i + 1:]) for i in range(len(self.shape)))

    def storage_offset(self):
        return self.offset

    def is_conj(self):
        return self.conj

    def is_neg(self):
        return False


CONSTANTS = (Tensor, "strided", None, True, int, lambda tensor: tensor.address)
NAMES = {"float32": "float32", "cpu": "cpu"}


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

    def inputs(self, values, mode="mode", describe=None, rest=lambda: json.dumps({"format": SPEC["format"]})):
        return values, describe, rest, mode, CONSTANTS, NAMES

    def test_inputs(self):
        """Plain tensors are read, others described; tensors on one storage are views."""
        graph = _core.Graph.of_objects(objects_of(graph_of(("torch.ops.aten.add.Tensor", [X, X]))))
        described = []

        def describe(value, name):
            described.append(name)
            return json.dumps({"shape": ["s"] if isinstance(value, Tensor) else [7], "dtype": "float32"})

        for value, shape in [
            (Tensor((2, 3), "mode"), [2, 3]),
            (Tensor((), "mode", offset=2, requires_grad=True), []),
            (Tensor((2, 3), "another mode"), ["s"]),
            (Tensor((2, 3), "mode", conj=True), ["s"]),
            (Tensor((2, True), "mode"), ["s"]),
            (Tensor((2, 3), "mode", dtype="complex64"), ["s"]),
            (5, [7]),
        ]:
            described.clear()
            rest = {"format": SPEC["format"], "symbols": {"s": {"hint": 7}} if shape == ["s"] else {}}
            answer = graph.annotate_objects(self.inputs({"x": value}, describe=describe, rest=lambda: json.dumps(rest)))
            with self.subTest(str(shape)):
                x, added, _ = (entry["meta"]["val"] for entry in answer.annotations()["nodes"])
                self.assertEqual((x["shape"], added["shape"]), (shape, shape))
                self.assertEqual(described, [] if shape in ([2, 3], []) else ["x"])
                self.assertEqual((x["storage_offset"], x["requires_grad"]), (2, True) if shape == [] else (0, False))

    def test_inputs_on_one_storage(self):
        document = graph_of(("torch.ops.aten.add.Tensor", [X, {"node": "y"}]))
        document["nodes"].insert(1, {"name": "y", "op": "placeholder", "target": "y"})
        graph = _core.Graph.of_objects(objects_of(document))
        for storage, is_shared in [(1, True), (2, False)]:
            values = {"x": Tensor((2, 3), "mode", storage=1), "y": Tensor((3,), "mode", storage=storage, offset=3)}
            nodes = graph.annotate_objects(self.inputs(values)).annotations()["nodes"]
            x, y = (entry["meta"]["val"] for entry in nodes[:2])
            self.assertEqual((y["storage"] == x["storage"], y["storage_offset"]), (is_shared, 3))

    def test_inputs_with_errors(self):
        graph = _core.Graph.of_objects(objects_of(graph_of(("torch.ops.aten.relu.default", [X]))))
        broken = Tensor((2, 3), "mode")
        del broken.layout
        for error, inputs in [
            (AttributeError, self.inputs({"x": broken})),
            (ZeroDivisionError, self.inputs({"x": 5}, describe=lambda *_: 1 // 0)),
            (ZeroDivisionError, self.inputs({}, rest=lambda: 1 // 0)),
        ]:
            with self.assertRaises(error):
                graph.annotate_objects(inputs)
        for words, inputs in [
            ("the JSON is malformed", self.inputs({"x": 5}, describe=lambda *_: "}")),
            ("no input `y`", self.inputs({"y": Tensor((2, 3), "mode")})),
            ("recorded nothing for `x`", self.inputs({})),
        ]:
            with self.subTest(words), self.assertRaisesRegex(UsageError, words):
                graph.annotate_objects(inputs)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
