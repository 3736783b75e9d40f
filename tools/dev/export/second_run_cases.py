#!/usr/bin/env python3
"""Second runs of fakeprop.FakeTensorProp after a graph was changed, by hand: needs torch, and a built libfakeprop.so.

    FAKEPROP_LIBRARY=bazel-bin/fakeprop/libfakeprop.so second_run_cases.py [TEST...]

After each run the values are compared with those of PyTorch's class on a copy of the graph.
"""

import copy
import random
import unittest
import warnings

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext
from torch.fx.passes import fake_tensor_prop

import check_fake_tensor_prop  # which puts the package on the path
import fakeprop
from fakeprop import _core, _lazy_meta

aten = torch.ops.aten


class Session:
    """A graph that is changed and propagated again and again."""

    def __init__(self, test, module, inputs, mode, lazy=False):
        self.test, self.module, self.inputs, self.mode, self.lazy = test, module, inputs, mode, lazy

    @classmethod
    def of(cls, test, f, *shape, **options):
        mode = FakeTensorMode()
        return cls(test, make_fx(f)(torch.zeros(shape)), [mode.from_tensor(torch.zeros(shape))], mode, **options)

    def propagate(self):
        """The names of the nodes that the core ran. Fails if a value is not as PyTorch's class makes it."""
        ran, annotate = [], _core.Graph.annotate_objects
        of_objects = _core.Graph.of_objects

        def read(objects, name):
            graph = of_objects(objects, name)
            graph.ran = [node.name for node in objects["nodes"] if node not in objects["inputs"]]
            return graph

        def spy(graph, *given, **options):
            ran.extend(graph.ran)
            return annotate(graph, *given, **options)

        _core.Graph.of_objects, _core.Graph.annotate_objects = read, spy
        try:
            found = fakeprop.FakeTensorProp(self.module, self.mode, lazy=self.lazy)
            self.result = found.propagate_dont_convert_inputs(*self.inputs)
        finally:
            _core.Graph.of_objects, _core.Graph.annotate_objects = of_objects, annotate
        self.test.assertIsNone(found.reason)
        self.check()
        return ran

    def check(self):
        expected = copy.deepcopy(self.module)
        for node in expected.graph.nodes:
            node.meta.pop("val", None)
        fake_tensor_prop.FakeTensorProp(expected, self.mode).propagate_dont_convert_inputs(*self.inputs)
        self.test.assertEqual(list(check_fake_tensor_prop.differences(self.module, expected)), [])

    def values(self):
        return {node.name: node.meta["val"] for node in self.module.graph.nodes if node.meta.get("val") is not None}

    def node(self, target):
        return next(node for node in self.module.graph.nodes if node.target is target)

    def insert_after(self, node, target, *args):
        with self.module.graph.inserting_after(node):
            added = self.module.graph.call_function(target, (node, *args))
        node.replace_all_uses_with(added, delete_user_cb=lambda user: user is not added)
        return added


class SecondRuns(unittest.TestCase):
    def test_runs_what_changed(self):
        session = Session.of(self, lambda x: torch.relu(x @ x.t()).sin().t().cos(), 4, 3)
        session.propagate()
        first = session.values()
        self.assertEqual(session.propagate(), [])
        self.assertEqual(session.values(), first)  # the same objects
        relu = session.node(aten.relu.default)
        relu.target = aten.neg.default
        self.assertEqual(session.propagate(), ["relu"])
        self.assertEqual(session.values(), first)  # neg makes what relu made
        # Another layout, and then another shape, reach all that depends on it.
        session.insert_after(relu, aten.t.default)
        session.propagate()
        self.assertEqual(session.values()["cos"].stride(), session.values()["t_1"].stride())
        relu.args = (next(iter(session.module.graph.nodes)),)
        session.propagate()
        self.assertEqual({tuple(session.values()[name].shape) for name in ("sin", "relu")}, {(4, 3), (3, 4)})

    def test_runs_no_node_again_whose_arguments_are_alike(self):
        session = Session.of(self, lambda x: (x.relu().sin() @ x.t()).view(16).cumsum(0).exp().log().tan(), 4, 4)
        session.propagate()
        session.insert_after(session.node(aten.relu.default), aten.neg.default)
        self.assertEqual(session.propagate(), ["neg_default", "sin"])
        kept = session.values()
        session.insert_after(session.node(aten.mm.default), aten.neg.default)
        self.assertEqual(session.propagate(), ["neg_default_1", "view"])
        self.assertIsNot(session.values()["view"], kept["view"])  # a view stands on another storage now
        self.assertIs(session.values()["cumsum"], kept["cumsum"])
        session.node(aten.cumsum.default).args = (session.node(aten.view.default), -1)
        self.assertEqual(session.propagate(), ["cumsum"])

    def test_what_somebody_else_wrote_is_written_again(self):
        for lazy in False, True:
            for write in (lambda meta: meta.pop("val"), lambda meta: meta.update(val=None), lambda meta: meta.__setitem__("val", 3),
                          lambda meta: meta.clear(), lambda meta: meta.__delitem__("val"), lambda meta: meta.__ior__({"val": 4})):
                session = Session.of(self, lambda x: x.relu().sin().cos().view(-1).exp().tan(), 4, 4, lazy=lazy)
                session.propagate()
                write(session.node(aten.cos.default).meta)
                self.assertEqual(session.propagate(), ["cos"])
                self.assertIsInstance(session.node(aten.cos.default).meta["val"], FakeTensor)
                self.assertEqual(session.propagate(), [])

    def test_lazy_values_that_nobody_looked_at_stay_unmade(self):
        mode = FakeTensorMode()
        module, x = make_fx(lambda x: x.relu().sin().cos().exp().tan())(torch.zeros(4)), mode.from_tensor(torch.zeros(4))
        fakeprop.FakeTensorProp(module, mode, lazy=True).propagate_dont_convert_inputs(x)
        session = Session(self, module, [x], mode)
        session.insert_after(session.node(aten.sin.default), aten.neg.default)
        fakeprop.FakeTensorProp(module, mode, lazy=True).propagate_dont_convert_inputs(x)
        unmade = [node.name for node in module.graph.nodes if isinstance(node.meta, _lazy_meta.LazyMeta) and node.meta._values]
        self.assertEqual(unmade, ["x_1", "relu", "sin", "neg_default", "cos", "exp", "output"])
        session.lazy = True
        session.check()

    def test_a_run_at_once_after_a_lazy_one(self):
        session = Session.of(self, lambda x: x.relu().sin().cos(), 4, lazy=True)
        session.propagate()
        session.lazy = False
        self.assertIn("relu", session.propagate())
        self.assertEqual(session.propagate(), [])

    def test_parts_of_tuples(self):
        session = Session.of(self, lambda x: [part.sin() for part in x.relu().split(2)], 6, 3)
        session.propagate()
        first = session.values()
        session.insert_after(session.node(aten.relu.default), aten.neg.default)
        self.assertIn("split", session.propagate())
        self.assertIs(session.values()["sin_1"], first["sin_1"])
        session.node(aten.split.Tensor).args = (session.node(aten.neg.default), 3)
        users = [node for node in session.module.graph.nodes if node.name in ("sin_2", "getitem_2")]
        output = next(iter(reversed(session.module.graph.nodes)))
        output.args = (list(output.args[0][:2]),)
        for node in users[::-1]:
            session.module.graph.erase_node(node)
        session.propagate()
        self.assertEqual(tuple(session.values()["sin_1"].shape), (3, 3))

    def test_outputs_in_a_dict(self):
        mode = FakeTensorMode()
        x = mode.from_tensor(torch.zeros(4, 3))
        session = Session(self, torch.fx.symbolic_trace(lambda x: {"a": torch.ops.aten.relu.default(x)}), [x], mode)
        session.propagate()
        session.node(aten.relu.default).target = aten.t.default
        session.propagate()
        self.assertEqual(tuple(session.result["a"].shape), (3, 4))

    def test_what_sets_a_state_of_torch_has_everything_run(self):
        mode = FakeTensorMode()
        graph = torch.fx.Graph()
        x = graph.placeholder("x")
        entered = graph.call_function(torch.amp.autocast_mode._enter_autocast, ("cpu", torch.bfloat16, True, False))
        relu = graph.call_function(aten.relu.default, (x,))
        mm = graph.call_function(aten.mm.default, (relu, x))
        graph.call_function(torch.amp.autocast_mode._exit_autocast, (entered,))
        graph.output(mm)
        session = Session(self, torch.fx.GraphModule(nn.Module(), graph), [mode.from_tensor(torch.zeros(4, 4))], mode)
        session.propagate()
        self.assertIs(mm.meta["val"].dtype, torch.bfloat16)
        relu.target = aten.sin.default
        mm.args = (relu, relu)
        session.propagate()
        self.assertIs(mm.meta["val"].dtype, torch.bfloat16)

    def test_a_change_in_a_subgraph_runs_everything(self):
        session = Session.of(self, lambda x: torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,)) + 1, 4, 3)
        session.propagate()
        kept = session.values()
        self.assertEqual(session.propagate(), [])
        self.assertTrue(all(value is kept[name] for name, value in session.values().items()))
        branch = next(iter(session.module.children()))
        sin = next(node for node in branch.graph.nodes if node.op == "call_function")
        sin.args = tuple(sin.args)
        session.propagate()
        self.assertIsNot(session.values()["output"], kept["output"])

    def test_views_of_what_changed_follow(self):
        session = Session.of(self, lambda x: (x + 1).t().sin(), 4, 3)
        session.propagate()
        add = session.node(aten.add.Tensor)
        add.target = aten.mul.Tensor
        session.propagate()
        view = session.node(aten.t.default).meta["val"]
        self.assertEqual(view.untyped_storage()._cdata, add.meta["val"].untyped_storage()._cdata)

    def test_other_inputs_run_everything(self):
        session = Session.of(self, lambda x: (x + 1).t(), 4, 3)
        session.propagate()
        session.inputs = [session.mode.from_tensor(torch.zeros(7, 3))]
        session.propagate()
        self.assertEqual(tuple(session.result.shape), (3, 7))
        copied = copy.deepcopy(session.module)
        self.assertEqual(tuple(fakeprop.FakeTensorProp(copied, session.mode).propagate(torch.zeros(5, 3)).shape), (3, 5))

    def test_an_input_whose_metadata_changed_runs_everything(self):
        session = Session.of(self, lambda x: (x + 1).sin().cos().tan(), 4, 3)
        session.propagate()
        session.inputs[0].t_()
        session.propagate()
        self.assertEqual(tuple(session.result.shape), (3, 4))

    def test_inputs_that_changed_places(self):
        mode = FakeTensorMode()
        inputs = [mode.from_tensor(torch.zeros(shape)) for shape in ((4, 3), (3, 5))]
        graph = torch.fx.Graph()
        x, y = graph.placeholder("x"), graph.placeholder("y")
        relu, sin = graph.call_function(aten.relu.default, (x,)), graph.call_function(aten.sin.default, (y,))
        output = graph.output((relu, sin))
        session = Session(self, torch.fx.GraphModule(nn.Module(), graph), inputs, mode)
        session.propagate()
        x.prepend(y)
        session.propagate()
        self.assertEqual(tuple(relu.meta["val"].shape), (3, 5))
        output.args = ((relu,),)
        graph.erase_node(sin)
        graph.erase_node(y)
        session.inputs = inputs[:1]
        session.propagate()
        self.assertEqual(tuple(relu.meta["val"].shape), (4, 3))


class RandomChanges(unittest.TestCase):
    """Passes that change anything."""

    UNARY = (aten.relu.default, aten.neg.default, aten.sin.default, aten.clone.default, aten.t.default, aten.detach.default,
             aten.alias.default, aten.sum.default, aten.contiguous.default, aten.abs.default)

    def test_on_numbers(self):
        for seed in range(25):
            with self.subTest(seed):
                x = torch.zeros(6, 6, requires_grad=seed % 3 == 0)
                self.change(random.Random(seed), FakeTensorMode(), lambda mode: mode.from_tensor(x), lazy=seed % 2 == 0)

    def test_on_symbols(self):
        def make_input(mode):
            context = StatelessSymbolicContext(dynamic_sizes=[DimDynamic.DYNAMIC, DimDynamic.STATIC])
            return mode.from_tensor(torch.zeros(6, 6), symbolic_context=context)

        for seed in range(6):
            with self.subTest(seed):
                self.change(random.Random(seed), FakeTensorMode(shape_env=ShapeEnv()), make_input, lazy=seed % 2 == 0)

    def change(self, random, mode, make_input, lazy):
        def f(x):
            a, b = x.split(3, 1)
            c = (a.relu() + b).t()
            d = torch.cat([c, c.neg()]).view(-1)
            e = d.sin().exp()[2:].add_(1)
            return c.cos().reshape(-1).tan(), e.cumsum(0) * 2, x.view(-1).log()

        session = Session(self, make_fx(f)(torch.zeros(6, 6)), [make_input(mode)], mode, lazy)
        session.propagate()
        for _ in range(8):
            self.change_once(random, session)
            session.propagate()

    def change_once(self, random, session):
        """A change after which the graph still propagates: other changes are taken back."""
        graph = session.module.graph
        calls = [node for node in graph.nodes if node.op == "call_function" and isinstance(node.meta.get("val"), FakeTensor)]
        before = copy.deepcopy(session.module)
        for _ in range(20):
            node, target = random.choice(calls), random.choice(self.UNARY)
            kind = random.choice(("insert", "insert", "target", "bypass", "value"))
            undo = self.apply(kind, session, node, target)
            if self.propagates(session):
                return
            undo()
        self.assertEqual(str(before.graph), str(graph))

    def apply(self, kind, session, node, target):
        graph = session.module.graph
        if kind == "insert":
            users = list(node.users)
            added = session.insert_after(node, target)

            def undo():
                added.replace_all_uses_with(node)
                graph.erase_node(added)
                assert set(node.users) == set(users)

            return undo
        if kind == "target" and node.target in self.UNARY:
            was = node.target
            node.target = target
            return lambda: setattr(node, "target", was)
        if kind == "bypass" and node.target in self.UNARY:
            users = list(node.users)
            node.replace_all_uses_with(node.args[0])

            def undo():
                for user in users:
                    user.replace_input_with(node.args[0], node)

            return undo
        node.meta["val"] = None
        return lambda: None

    def propagates(self, session):
        copied = copy.deepcopy(session.module)
        try:
            fake_tensor_prop.FakeTensorProp(copied, session.mode).propagate_dont_convert_inputs(*session.inputs)
        except Exception:  # whatever torch throws
            return False
        return True


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    unittest.main()
