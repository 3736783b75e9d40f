#!/usr/bin/env python3
"""What fakeprop_fx.annotate leaves on a graph, by hand: needs torch and a built fakeprop.

    check_annotate.py FAKEPROP [TEST...]

Annotations with symbols, errors and several values on one storage, written here; then the models of data_dependent_cases.py,
exported, propagated and annotated back: every value, range and binding has to be what torch.export recorded.
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import torch
from torch._export.serde import serialize
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.fx.passes.fake_tensor_prop import FakeTensorProp
from torch.utils import _pytree

import check_fx
import custom_python
import data_dependent_cases
import export_fx
import fakeprop_fx
import fx_cases
import golden

FAKEPROP = None  # the program


def tensor(shape, stride, storage=0, offset=0, **more):
    described = {"type": "tensor", "shape": shape, "stride": stride, "storage_offset": offset, "dtype": "float32",
                 "device": "cpu", "layout": "strided", "requires_grad": False, "storage": storage}
    return {**described, **more}


def document(values, nbytes=(), symbols=None, guards=()):
    """Annotations: of each node its VAL, or an entry with an error or with what it was skipped for."""
    is_entry = lambda value: isinstance(value, dict) and value.keys() & {"error", "skipped", "meta"}
    entries = [{"name": name, **(value if is_entry(value) else {"meta": {"val": value}})} for name, value in values.items()]
    entries.append({"name": "output", "meta": {"val": None}})
    storages = [{"id": i, "nbytes": size, "device": "cpu"} for i, size in enumerate(nbytes)]
    return {"format": "fakeprop.annotations/1", "symbols": symbols or {}, "guards": list(guards), "storages": storages,
            "nodes": entries}


def chain(*names):
    """A module whose graph has nodes of these names, each a call on the one before it."""
    graph = torch.fx.Graph()
    node = graph.placeholder(names[0])
    for name in names[1:]:
        node = graph.create_node("call_function", torch.relu, (node,), name=name)
    graph.output(node)
    return torch.fx.GraphModule(torch.nn.Module(), graph)


def values(graph_module):
    return {node.name: node.meta.get("val") for node in graph_module.graph.nodes if node.op != "output"}


def annotated(described, **options):
    module = chain(*[entry["name"] for entry in described["nodes"][:-1]])
    fakeprop_fx.annotate(module, described, **options)
    return values(module)


BATCH = {"batch": {"min": 1, "max": 512, "hint": 8, "source": "x.size(0)"}}


class Symbols(unittest.TestCase):
    def test_sizes_strides_offsets(self):
        x = tensor(["2*batch + 1", "(batch//2)"], ["(batch//2)", 1], offset="4*batch")
        value = annotated(document({"x": x}, ["64*batch**2"], BATCH))["x"]
        self.assertIsInstance(value, FakeTensor)
        self.assertEqual([str(size) for size in value.shape], ["2*batch + 1", "(batch//2)"])
        self.assertEqual([str(size) for size in value.stride()], ["(batch//2)", "1"])
        self.assertEqual(str(value.storage_offset()), "4*batch")
        self.assertEqual([size.node.hint for size in value.shape], [17, 4])

    def test_range_and_hint_are_taken_over(self):
        value = annotated(document({"x": tensor(["batch"], [1])}, ["4*batch"], BATCH))["x"]
        env, symbol = value.fake_mode.shape_env, value.shape[0].node.expr
        self.assertEqual((env.var_to_range[symbol].lower, env.var_to_range[symbol].upper), (1, 512))
        self.assertTrue(bool(value.shape[0] < 513))
        self.assertEqual(len(env.guards), 0)  # it follows from the range

    def test_numbers(self):
        numbers = {"i": {"type": "symint", "expr": "2*batch"}, "f": {"type": "symfloat", "expr": "sqrt(ToFloat(batch))*0.5"},
                   "b": {"type": "symbool", "expr": "Eq(Mod(batch, 2), 0)"}, "n": [3, True, 0.5, None, "text"],
                   "d": {"type": "dict", "items": [["a", {"type": "symint", "expr": "batch"}], ["b", 2]]}}
        found = annotated(document(numbers, symbols=BATCH))
        self.assertIsInstance(found["i"], torch.SymInt)
        self.assertIsInstance(found["f"], torch.SymFloat)
        self.assertIsInstance(found["b"], torch.SymBool)
        self.assertEqual((found["i"].node.hint, bool(found["b"])), (16, True))
        self.assertAlmostEqual(found["f"].node.hint, 8**0.5 / 2)
        self.assertEqual(found["n"], (3, True, 0.5, None, None))
        self.assertEqual((str(found["d"]["a"]), found["d"]["b"]), ("batch", 2))

    def test_every_function_that_fakeprop_prints(self):
        texts = {"Min(batch, 3)": 3, "Max(batch, 3, 9)": 9, "Mod(batch, 3)": 2, "batch**2": 64, "TruncToInt(ToFloat(batch)/3.0)": 2,
                 "floor(ToFloat(batch)*0.5)": 4, "ceiling(ToFloat(batch)*0.3)": 3, "RoundToInt(ToFloat(batch)*0.3)": 2,
                 "Where(batch <= 4, 1, 2)": 2, "2**batch": 256, "-batch": -8, "(batch//3) - 1": 1}
        for text, expected in texts.items():
            value = annotated(document({"n": {"type": "symint", "expr": text}}, symbols=BATCH))["n"]
            self.assertEqual(value if isinstance(value, int) else value.node.hint, expected, text)
        for text, expected in {"batch >= 2": True, "Ne(batch, 8)": False, "And(batch > 2, Not(Eq(batch, 4)))": True,
                               "Or(batch < 2, ToFloat(batch) <= 1.5)": False}.items():
            value = annotated(document({"n": {"type": "symbool", "expr": text}}, symbols=BATCH))["n"]
            self.assertEqual(bool(value), expected, text)

    def test_unbacked(self):
        symbols = {"u3": {"min": 0, "max": 6, "kind": "unbacked"}}
        nonzero = {"meta": {"val": tensor(["u3", 1], [1, "u3"], dtype="int64")}, "unbacked_bindings": {"u3": "size(0)"}}
        module = chain("x", "nonzero")
        mode = fakeprop_fx.annotate(module, document({"x": tensor([6], [1], 1), "nonzero": nonzero}, ["8*u3", 24], symbols))
        node = list(module.graph.nodes)[1]
        size = node.meta["val"].shape[0]
        self.assertFalse(size.node.has_hint())
        self.assertEqual(str(node.meta["unbacked_bindings"]), "{u3: (CallMethodKey(name='size'), SequenceKey(idx=0))}")
        self.assertEqual(mode.shape_env.var_to_range[size.node.expr].upper, 6)
        self.assertEqual(str(mode.shape_env.create_unbacked_symint()), "u4")

    def test_assertions_hold(self):
        guards = [{"expr": "u0 >= 2", "node": "_assert_scalar", "kind": "assertion"}]
        described = document({"x": tensor(["u0"], [1])}, ["4*u0"], {"u0": {"kind": "unbacked"}}, guards)
        value = annotated(described)["x"]
        self.assertTrue(bool(value.shape[0] > 1))

    def test_backed_symbol_whose_name_begins_as_an_unbacked_one(self):
        value = annotated(document({"x": tensor(["users"], [1])}, ["4*users"], {"users": {"min": 1, "hint": 5}}))["x"]
        self.assertEqual(value.shape[0].node.hint, 5)

    def test_one_storage(self):
        described = {"x": tensor(["batch", 4], [4, 1]), "y": tensor(["batch"], [4], offset=2), "z": tensor(["batch"], [1], 1)}
        found = annotated(document(described, ["16*batch", "4*batch"], BATCH))
        storages = [value.untyped_storage()._cdata for value in found.values()]
        self.assertEqual(storages[0], storages[1])
        self.assertNotEqual(storages[0], storages[2])
        self.assertEqual(str(found["x"].untyped_storage().nbytes()), "16*batch")

    def test_conjugate(self):
        described = document({"x": tensor([2], [1], dtype="complex64", is_conj=True)}, [16])
        self.assertTrue(annotated(described)["x"].is_conj())

    def test_symbols_of_the_graph_modules_own_shape_env(self):
        module = make_fx(lambda x: x + x, tracing_mode="symbolic")(torch.randn(6, 4))
        own = next(iter(module.graph.nodes)).meta["val"]
        rows = str(own.shape[0])
        env, ranges, guards = own.fake_mode.shape_env, dict(own.fake_mode.shape_env.var_to_range), len(own.fake_mode.shape_env.guards)
        value = tensor([rows, "batch"], ["batch", 1])
        described = document({name: value for name in values(module)}, [f"4*{rows}*batch"],
                             {rows: {"min": 2, "hint": 6}, **BATCH})
        mode = fakeprop_fx.annotate(module, described)
        found = values(module)["add"]
        self.assertIs(mode, own.fake_mode)
        self.assertEqual(found.shape[0].node.expr, own.shape[0].node.expr)
        self.assertEqual((found.shape[1].node.hint, len(env.guards)), (8, guards))
        self.assertEqual({symbol: env.var_to_range[symbol] for symbol in ranges}, ranges)

    def test_mode_without_a_shape_env(self):
        with self.assertRaisesRegex(ValueError, "the mode has no ShapeEnv"):
            annotated(document({"x": tensor(["batch"], [1])}, ["4*batch"], BATCH), mode=FakeTensorMode())
        mode = FakeTensorMode(shape_env=ShapeEnv())
        found = annotated(document({"x": tensor(["batch"], [1])}, ["4*batch"], BATCH), mode=mode)
        self.assertIs(found["x"].fake_mode, mode)

    def test_text_is_never_run(self):
        for text in ("__import__('os').abort()", "batch.__class__", "[batch][0]", "(lambda: 1)()", "other", "2 *", "~batch"):
            with self.assertRaises(ValueError, msg=text):
                annotated(document({"n": {"type": "symint", "expr": text}}, symbols=BATCH))


class Errors(unittest.TestCase):
    ERROR = {"class": "ShapeMismatch", "code": "FP3001", "message": "mat1 and mat2 do not fit"}

    def failed(self):
        return document({"x": tensor([2], [1]), "y": {"error": self.ERROR}, "z": {"skipped": "y"}}, [8])

    def test_raise(self):
        module = chain("x", "y", "z")
        with self.assertRaises(fakeprop_fx.PropagationError) as raised:
            fakeprop_fx.annotate(module, self.failed())
        self.assertEqual(raised.exception.errors, {"y": self.ERROR})
        self.assertIn("y: FP3001 ShapeMismatch: mat1 and mat2 do not fit", str(raised.exception))
        self.assertIn('on_error="mark"', str(raised.exception))
        self.assertEqual(values(module), {"x": None, "y": None, "z": None})

    def test_mark(self):
        module = chain("x", "y", "z")
        fakeprop_fx.annotate(module, document({name: tensor([2], [1]) for name in "xyz"}, [8]))
        fakeprop_fx.annotate(module, self.failed(), on_error="mark")
        x, y, z, _ = module.graph.nodes
        self.assertEqual(tuple(x.meta["val"].shape), (2,))
        self.assertEqual([node.meta.get("fakeprop_error") for node in (x, y, z)], [None, self.ERROR, {"skipped": "y"}])
        self.assertFalse("val" in y.meta or "val" in z.meta)
        fakeprop_fx.annotate(module, document({name: tensor([2], [1]) for name in "xyz"}, [8]))
        self.assertFalse(any("fakeprop_error" in node.meta for node in (x, y, z)))

    def test_another_graph(self):
        described = document({"x": tensor([2], [1]), "y": tensor([2], [1])}, [8])
        for names in (("x",), ("x", "y", "z"), ("x", "w")):
            with self.assertRaisesRegex(ValueError, "another graph's annotations"):
                fakeprop_fx.annotate(chain(*names), described)

    def test_wrong_arguments(self):
        with self.assertRaisesRegex(ValueError, "on_error"):
            fakeprop_fx.annotate(chain("x"), self.failed(), on_error="ignore")
        for wrong in ({"format": "fakeprop.fx/1"}, {}):
            with self.assertRaisesRegex(ValueError, "expected annotations"):
                fakeprop_fx.annotate(chain("x"), wrong)


class RoundTrips(unittest.TestCase):
    """Through the program, and compared with what torch says of the same graph."""

    def propagate(self, text, *options):
        with tempfile.TemporaryDirectory() as folder:
            graph, out = pathlib.Path(folder) / "graph.json", pathlib.Path(folder) / "out.json"
            graph.write_text(text)
            run = subprocess.run([FAKEPROP, graph, "-o", out, *options], capture_output=True, text=True, check=False)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            return json.loads(out.read_text())

    def test_models_whose_sizes_depend_on_data(self):
        for name, (module, inputs, dynamic) in data_dependent_cases.CASES.items():
            with self.subTest(name):
                shapes = dynamic and {"args": dynamic}
                program = torch.export.export(copy.deepcopy(module), inputs, dynamic_shapes=shapes, strict=False)
                data = serialize.ExportedProgramSerializer().serialize(program).exported_program
                described = self.propagate(json.dumps(serialize._dataclass_to_dict(data), cls=serialize.EnumEncoder))
                self.check_own(program.graph_module, described)
                self.check_new(program.graph_module, described)

    def check_own(self, module, described):
        """On the values of the export: the same symbols of the same ShapeEnv, which learns nothing new."""
        before = {node: (node.meta.get("val"), node.meta.get("unbacked_bindings")) for node in module.graph.nodes}
        env = next((v.fake_mode.shape_env for v in _pytree.tree_leaves(list(before.values())) if isinstance(v, FakeTensor)), None)
        state = env and (dict(env.var_to_range), len(env.guards))
        fakeprop_fx.annotate(module, described)
        self.assertEqual(env and (dict(env.var_to_range), len(env.guards)), state)
        self.compare(module, before)

    def check_new(self, module, described):
        """On a graph without values: a new ShapeEnv with the ranges of the export's."""
        before = {node: (node.meta.pop("val", None), node.meta.pop("unbacked_bindings", None)) for node in module.graph.nodes}
        mode = fakeprop_fx.annotate(module, described)
        self.compare(module, before)
        own = next(v.fake_mode.shape_env for v in _pytree.tree_leaves(list(before.values())) if isinstance(v, FakeTensor))
        ranges = {str(symbol): str(limits) for symbol, limits in own.var_to_range.items()}
        for symbol, limits in mode.shape_env.var_to_range.items() if mode.shape_env else ():
            self.assertEqual(str(limits), ranges[str(symbol)], str(symbol))

    def compare(self, module, before):
        for node, (value, bindings) in before.items():
            if node.op == "output":
                continue
            ours, theirs = _pytree.tree_leaves(node.meta.get("val")), _pytree.tree_leaves(value)
            self.assertEqual([self.text(v) for v in ours], [self.text(v) for v in theirs], node.name)
            self.assertEqual(str(node.meta.get("unbacked_bindings")), str(bindings or None), node.name)

    def text(self, value):
        if isinstance(value, torch.SymBool):
            return "a condition"  # torch spells `u0 > 2` what is `u0 >= 3` here
        if not isinstance(value, torch.Tensor):
            return f"{type(value).__name__} {value}"
        # Where a size is 0, strides say nothing: torch writes Max(1, u0) where u0 is meant.
        strides = [str(stride).replace("Max(1, u0)", "u0").replace("Max(1, u1)", "u1") for stride in value.stride()]
        return f"{value.dtype} {list(map(str, value.shape))} {strides} {value.storage_offset()} {value.device}"

    def test_graphs_of_common_ways(self):
        """concrete_args, ExportedProgram.module(), and leaves of classes of one's own, the last ones by rules."""
        rules = golden.ROOT / "testdata/custom_ops/python/rules.txt"
        cases = {"concrete_args": export_fx.specialized(), "module": export_fx.exported_module(),
                 "leaves": (fx_cases.leaves_of_subclasses(), [torch.randn(5, 6)]),
                 "rules": (custom_python.trace(), [torch.randn(4, 6), torch.randn(4)])}
        for name, (module, inputs) in cases.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "spec.json"
                path.write_text(json.dumps(export_fx.input_spec(module, inputs)))
                text = fakeprop_fx.to_text(fakeprop_fx.to_dict(module))
                fakeprop_fx.annotate(module, self.propagate(text, "--inputs", path, "--op-rules", rules))
                for node in check_fx.expected(module, inputs).graph.nodes:
                    theirs = [self.text(v) for v in _pytree.tree_leaves(node.meta.get("val"))]
                    ours = _pytree.tree_leaves(values(module).get(node.name))
                    self.assertTrue(node.op == "output" or [self.text(v) for v in ours] == theirs, node.name)

    def test_symbolic_trace_with_a_spec(self):
        """The values are those of FakeTensorProp with symbols of the same hints."""
        def forward(x, y):
            z = torch.cat([x, y]).transpose(0, 1)[:, 1:]
            return z.reshape(-1), x.shape[0] * 2, z.split(3, dim=0)

        module = torch.fx.symbolic_trace(forward)
        spec = {"format": "fakeprop.inputs/1", "symbols": {"s0": {"min": 2, "hint": 6}, "s1": {"min": 2, "hint": 9}},
                "inputs": {"x": {"shape": ["s0", 8], "dtype": "float32"}, "y": {"shape": ["s1", 8], "dtype": "float32"}}}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "spec.json"
            path.write_text(json.dumps(spec))
            described = self.propagate(fakeprop_fx.to_text(fakeprop_fx.to_dict(module)), "--inputs", path)
        mode = fakeprop_fx.annotate(module, described)
        ours = values(module)
        placeholders = [ours["x"], ours["y"]]
        FakeTensorProp(module, mode).propagate_dont_convert_inputs(*placeholders)
        for name, theirs in values(module).items():
            self.assertEqual([self.text(v) for v in _pytree.tree_leaves(ours[name])],
                             [self.text(v) for v in _pytree.tree_leaves(theirs)], name)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    FAKEPROP = sys.argv.pop(1)
    sys.path.insert(0, str(golden.ROOT))
    warnings.filterwarnings("ignore")
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
