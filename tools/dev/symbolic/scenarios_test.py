#!/usr/bin/env python3
"""Loops that carry numbers and data, ragged rows, and sizes as an input spec gives them: scenarios_test.py BIN

What is expected are the answers of torch 2.13: of FakeTensorMode with a ShapeEnv, and of the kernels where it differs.
"""
import math, sys, unittest

import fx
from expressions import value_at
from fx import aten, values

BINARY = sys.argv[1]
N = {"symbols": {"n": {"hint": 6}}}
LOOP, STACKED = "torch.ops.higher_order.while_loop", "torch.ops.higher_order.while_loop_stack_output"


class Scenario(unittest.TestCase):
    def run_graph(self, *nodes, options=(), fields=None, graphs=None, attributes=None, **inputs):
        document = fx.document(*nodes, inputs=inputs, graphs=graphs, attributes=attributes)
        return fx.annotate(BINARY, document, *options, spec=fx.input_spec(inputs, fields or {}))

    def good(self, *nodes, **given):
        annotations, status, messages = self.run_graph(*nodes, **given)
        self.assertEqual(status, 0, messages)
        return annotations

    def error(self, *nodes, **given):
        annotations, status, messages = self.run_graph(*nodes, **given)
        self.assertEqual(status, 1, messages)
        return next(n["error"] for n in annotations["nodes"] if "error" in n)


def layout(value):
    return value["shape"], value["stride"]


def nodes_by_name(annotations, graph):
    return {n["name"]: n["meta"]["val"] for n in annotations["subgraphs"][graph]["nodes"] if "meta" in n}


class Loops(Scenario):
    # while i < 5: i, x = i + 1, x * i
    integers = {"cond": fx.graph("ix", "%c", ("c", "_operator.lt", "%i", 5)),
                "body": fx.graph("ix", ("%j", "%y"), ("j", "_operator.add", "%i", 1), ("y", aten("mul.Scalar"), "%x", "%i"))}
    # while n > 0: n, x = n - 1, x * 2
    tensors = {"cond": fx.graph("nx", "%c", ("c", aten("gt.Scalar"), "%n", 0)),
               "body": fx.graph("nx", ("%m", "%y"), ("m", aten("sub.Tensor"), "%n", 1), ("y", aten("mul.Tensor"), "%x", 2))}
    graphs = [("cond", "get_attr", "cond"), ("body", "get_attr", "body")]

    def loop(self, op, *carried):
        return (*self.graphs, ("loop", op, "%cond", "%body", carried, ()))

    def test_integers_beside_tensors(self):
        a = self.good(*self.loop(LOOP, 0, "%x"), ("i", "_operator.getitem", "%loop", 0), ("z", aten("zeros.default"), ["%i", 2]),
                      graphs=self.integers, fields=N, x=(["n", 4], "float32"))
        i, x = values(a)["loop"]
        self.assertEqual(layout(x), (["n", 4], [4, 1]))
        self.assertEqual(a["symbols"][i["expr"]]["kind"], "unbacked")
        self.assertEqual(values(a)["z"]["shape"], [i["expr"], 2])
        bindings = {n["name"]: n.get("unbacked_bindings") for n in a["nodes"]}
        self.assertEqual(bindings["loop"], {i["expr"]: "[0]"})
        inside = nodes_by_name(a, "body")
        self.assertNotEqual(inside["i"]["expr"], i["expr"])
        self.assertEqual(inside["j"]["expr"], inside["i"]["expr"] + " + 1")

    def test_a_size_is_carried(self):
        a = self.good(("s", aten("sym_size.int"), "%x", 0), *self.loop(LOOP, "%s", "%x"), graphs=self.integers, fields=N,
                      x=(["n", 4], "float32"))
        self.assertTrue(values(a)["loop"][0]["expr"].startswith("u"))
        self.assertEqual(values(a)["s"]["expr"], "n")
        self.assertEqual(a["guards"], [])

    def test_integers_without_symbols_are_data(self):
        error = self.error(*self.loop(LOOP, 0, "%x"), graphs=self.integers, options=["--no-symbolic"], x=([6, 4], "float32"))
        self.assertEqual(error["class"], "DataDependentOutput")

    def test_tensors_keep_their_layout(self):
        a = self.good(("t", aten("t.default"), "%x"), *self.loop(LOOP, "%n", "%t"), graphs=self.tensors, fields=N,
                      n=([], "int64"), x=(["n", 4], "float32"))
        self.assertEqual([layout(v) for v in values(a)["loop"]], [([], []), ([4, "n"], [1, 4])])

    def test_stacked_results(self):
        a = self.good(("t", aten("t.default"), "%x"), *self.loop(STACKED, "%n", "%t"), graphs=self.tensors, fields=N,
                      n=([], "int64"), x=(["n", 4], "float32"))
        rounds = next(name for name in a["symbols"] if name.startswith("u"))
        self.assertEqual([layout(v) for v in values(a)["loop"]], [([rounds], [1]), ([rounds, 4, "n"], ["4*n", "n", 1])])
        self.assertEqual(a["symbols"][rounds], {"min": 0, "kind": "unbacked", "source": "loop"})

    def test_stacked_results_are_tensors(self):
        error = self.error(*self.loop(STACKED, 0, "%x"), graphs=self.integers, fields=N, x=(["n", 4], "float32"))
        self.assertEqual(error["class"], "TypeError")

    def test_stacked_results_without_symbols_are_data(self):
        error = self.error(*self.loop(STACKED, "%n", "%x"), graphs=self.tensors, options=["--no-symbolic"], n=([], "int64"),
                           x=([6, 4], "float32"))
        self.assertEqual(error["class"], "DynamicOutputShape")

    # A counter whose first value the file has: 0 in the first round alone. Python: _unspecialize_carried_inputs.
    counting = {"cond": fx.graph("ix", "%c", ("c", aten("lt.Scalar"), "%i", 5)),
                "body": fx.graph("ix", ("%j", "%y"), ("n", aten("item.default"), "%i"), ("j", aten("add.Tensor"), "%i", 1),
                                 ("y", aten("add.Tensor"), "%x", "%n"))}
    counter = {"i0": {"shape": [], "dtype": "int64", "stride": [], "device": "cpu", "requires_grad": False, "value": 0}}

    def test_what_is_carried_is_not_known(self):
        a = self.good(("i0", "get_attr", "i0"), ("before", aten("item.default"), "%i0"), *self.loop(LOOP, "%i0", "%x"),
                      ("after", aten("item.default"), "%i0"), ("i", "_operator.getitem", "%loop", 0),
                      ("end", aten("item.default"), "%i"), graphs=self.counting, attributes=self.counter, fields=N,
                      x=(["n"], "float32"))
        v, inside = values(a), nodes_by_name(a, "body")
        self.assertEqual([v["before"], v["after"]], [0, 0])
        self.assertEqual(inside["n"]["type"], "symint")
        self.assertEqual(v["end"]["type"], "symint")
        self.assertNotEqual(inside["n"]["expr"], v["end"]["expr"])

    def test_what_was_asked_before_is_not_remembered(self):
        a = self.good(("before", aten("item.default"), "%i0"), *self.loop(LOOP, "%i0", "%x"), ("after", aten("item.default"), "%i0"),
                      graphs=self.counting, fields=N, i0=([], "int64"), x=(["n"], "float32"))
        v = values(a)
        self.assertEqual(v["before"], v["after"])
        self.assertNotEqual(v["before"], nodes_by_name(a, "body")["n"])


class Ragged(Scenario):
    # As the kernel, whose rows are the lengths' sum; FakeTensorMode has the longest length, and float32 for the batch sizes.
    def test_packed_sequences(self):
        symbols = {"symbols": {"b": {"hint": 6, "max": 10}, "t": {"hint": 5, "max": 9}}}
        for batch_first, shape in ((True, ["b", "t", 4]), (False, ["t", "b", 4])):
            a = self.good(("p", aten("_pack_padded_sequence.default"), "%x", "%l", batch_first), ("r", "_operator.getitem", "%p", 0),
                          ("y", aten("mul.Tensor"), "%r", 2), fields=symbols, x=(shape, "float32"), l=(["b"], "int64"))
            rows, steps = values(a)["p"]
            self.assertEqual([layout(rows), rows["dtype"]], [(["u0", 4], [4, 1]), "float32"])
            self.assertEqual([layout(steps), steps["dtype"]], [(["u1"], [1]), "int64"])
            self.assertEqual([a["symbols"][u]["max"] for u in ("u0", "u1")], [90, 9])
            self.assertEqual(values(a)["y"]["shape"], ["u0", 4])
            self.assertEqual(a["guards"], [])

    def test_lengths_are_of_the_batch(self):
        error = self.error(("p", aten("_pack_padded_sequence.default"), "%x", "%l", True), fields=N, x=(["n", 5, 4], "float32"),
                           l=(["n + 1"], "int64"))
        self.assertEqual(error["class"], "ShapeMismatch")

    def test_backward_has_the_sizes_that_went_in(self):
        a = self.good(("p", aten("_pack_padded_sequence.default"), "%x", "%l", True), ("r", "_operator.getitem", "%p", 0),
                      ("s", "_operator.getitem", "%p", 1), ("n", aten("sym_size.int"), "%x", 0),
                      ("g", aten("_pack_padded_sequence_backward.default"), "%r", ["%n", 5, 4], "%s", True), fields=N,
                      x=(["n", 5, 4], "float32"), l=(["n"], "int64"))
        self.assertEqual(layout(values(a)["g"]), (["n", 5, 4], [4, "4*n", 1]))


class Sizes(Scenario):
    def shapes(self, fields, **inputs):
        a = self.good(*((name + "_", aten("alias.default"), "%" + name) for name in inputs), fields=fields, **inputs)
        return [values(a)[name + "_"]["shape"] for name in inputs], a

    # (4,5), (4,7), (1,4) under a ShapeEnv: equal sizes are one symbol, 0 and 1 are numbers.
    def test_duck_sizes(self):
        symbols = {name: {"hint": hint} for name, hint in (("a", 4), ("b", 5), ("c", 4), ("d", 7), ("e", 4))}
        inputs = {"x": (["a", "b"], "float32"), "y": (["c", "d"], "float32"), "z": ([1, "e"], "float32"), "w": ([0, "a"], "float32")}
        duck, a = self.shapes({"symbols": symbols, "duck_shape": True}, **inputs)
        self.assertEqual(duck, [["a", "b"], ["a", "d"], [1, "a"], [0, "a"]])
        self.assertEqual(sorted(a["symbols"]), ["a", "b", "d"])
        # Marked dynamic, equal sizes are symbols of their own.
        own, _ = self.shapes({"symbols": symbols}, **inputs)
        self.assertEqual(own, [["a", "b"], ["c", "d"], [1, "e"], [0, "a"]])

    def test_static_sizes(self):
        numbers, a = self.shapes({}, x=([4, 5], "float32"))
        self.assertEqual([numbers, a["symbols"]], [[[4, 5]], {}])
        fields = {"symbols": {"a": {"hint": 4}, "b": {"hint": 5}}}
        annotations = self.good(("y", aten("alias.default"), "%x"), fields=fields, options=["--no-symbolic"], x=(["a", "b"], "float32"))
        self.assertEqual(values(annotations)["y"]["shape"], [4, 5])

    # (4,6).t(), all dynamic.
    def test_dynamic_strides(self):
        fields = {"symbols": {"a": {"hint": 6}, "b": {"hint": 4}}}
        x = (["a", "b"], "float32", {"stride": [1, "a"]})
        a = self.good(("t", aten("t.default"), "%x"), ("c", aten("contiguous.default"), "%t"), ("y", aten("add.Tensor"), "%x", 1),
                      ("d", aten("contiguous.default"), "%x"), fields=fields, x=x)
        v = values(a)
        self.assertEqual(layout(v["x"]), (["a", "b"], [1, "a"]))
        self.assertEqual(v["c"]["storage"], v["x"]["storage"])
        self.assertEqual(layout(v["y"]), (["a", "b"], [1, "a"]))
        self.assertEqual(layout(v["d"]), (["a", "b"], ["b", 1]))
        self.assertEqual(a["guards"], [])

    # As torch._refs.arange has it: no size becomes a number for a step that is none.
    def test_ranges_of_floats(self):
        a = self.good(("n", aten("sym_size.int"), "%x", 0), ("a", aten("arange.start_step"), 0, "%n", 0.5),
                      ("b", aten("arange.start"), 0.0, "%n"), ("c", "_operator.mul", "%n", 0.5), ("d", aten("arange.default"), "%c"),
                      ("e", "_operator.truediv", "%n", 4), ("f", aten("arange.start_step"), "%e", 0, -0.25),
                      ("g", aten("add.Tensor"), "%x", "%b"), ("h", aten("arange.start_step"), 1, "%n", 1.5), fields=N,
                      x=(["n"], "float32"))
        v = values(a)
        self.assertEqual([a["guards"], v["g"]["shape"], v["b"]["shape"]], [[], ["n"], ["n"]])
        for n in (2, 3, 6, 11):
            sizes = [value_at(v[name]["shape"][0], {"n": n}) for name in "adfh"]
            self.assertEqual(sizes, [2 * n, math.ceil(n / 2), n, math.ceil((n - 1) / 1.5)], n)

    # (s,2,768): unsqueeze_copy keeps the symbol; so does the gradient of an image that is resized.
    def test_operators_keep_the_symbol(self):
        a = self.good(("y", aten("unsqueeze_copy.default"), "%x", 1), fields=N, x=(["n", 2, 768], "float32"))
        self.assertEqual(values(a)["y"]["shape"], ["n", 1, 2, 768])
        sizes = {"symbols": {"h": {"hint": 2005}, "w": {"hint": 1920}}}
        a = self.good(("h", aten("sym_size.int"), "%x", 2), ("w", aten("sym_size.int"), "%x", 3),
                      ("g", aten("_upsample_bilinear2d_aa_backward.default"), "%y", [256, 256], [1, 3, "%h", "%w"], False, None, None),
                      fields=sizes, x=([1, 3, "h", "w"], "float32"), y=([1, 3, 256, 256], "float32"))
        self.assertEqual(values(a)["g"]["shape"], [1, 3, "h", "w"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
