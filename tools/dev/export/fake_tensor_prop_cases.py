#!/usr/bin/env python3
"""fakeprop.FakeTensorProp case by case, by hand: needs torch, and a built libfakeprop.so.

    FAKEPROP_LIBRARY=bazel-bin/fakeprop/libfakeprop.so fake_tensor_prop_cases.py [TEST...]

Each case propagates a graph by PyTorch's class and by ours, and compares all that is left on the nodes. The cases are what
PyTorch's own tests of FakeTensorProp have, and what passes over torch.fx do.
"""

import contextlib
import copy
import sys
import unittest
import unittest.mock
import warnings

import torch
from torch import nn
from torch._functorch import config as functorch_config
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext
from torch.fx.passes import fake_tensor_prop
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode

import check_fake_tensor_prop  # which puts the package on the path
import fakeprop
from fakeprop import _core

SYMBOLIC = StatelessSymbolicContext(dynamic_sizes=[DimDynamic.DYNAMIC, DimDynamic.STATIC])


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(4, 3), nn.Linear(3, 2)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


class Case(unittest.TestCase):
    def compare(self, module, inputs, make_mode=FakeTensorMode, **options):
        """Propagates by both; returns our interpreter, our module and the mode."""
        theirs, ours = copy.deepcopy(module), module
        their_mode, mode = make_mode(), make_mode()
        fakes = [_pytree.tree_map_only(torch.Tensor, m.from_tensor, inputs) for m in (their_mode, mode)]
        expected = fake_tensor_prop.FakeTensorProp(theirs, their_mode).propagate_dont_convert_inputs(*fakes[0])
        interpreter = fakeprop.FakeTensorProp(ours, mode, **options)
        found = interpreter.propagate_dont_convert_inputs(*fakes[1])
        self.assertEqual(list(check_fake_tensor_prop.differences(ours, theirs)), [])
        leaves = [_pytree.tree_leaves(output) for output in (found, expected)]
        self.assertEqual([str(getattr(leaf, "shape", leaf)) for leaf in leaves[0]], [str(getattr(leaf, "shape", leaf)) for leaf in leaves[1]])
        self.assertEqual([type(leaf) for leaf in leaves[0]], [type(leaf) for leaf in leaves[1]])
        return interpreter, ours, mode

    def assertByCore(self, interpreter, python_nodes=()):
        self.assertEqual(interpreter.reason, None)
        self.assertEqual(interpreter.python_nodes, list(python_nodes))

    def assertByTorch(self, interpreter, reason):
        self.assertIsNone(interpreter.python_nodes)
        self.assertIn(reason, interpreter.reason)


class Modules(Case):
    def test_parameters(self):
        taking = lambda: FakeTensorMode(allow_non_fake_inputs=True)
        interpreter, module, mode = self.compare(torch.fx.symbolic_trace(MLP()), [torch.zeros(5, 4)], taking)
        self.assertByCore(interpreter)
        value = next(node for node in module.graph.nodes if node.op == "output").meta["val"]
        self.assertIs(value.fake_mode, mode)

    def test_parameters_of_the_mode(self):
        mode = FakeTensorMode()
        with mode:
            module = torch.fx.symbolic_trace(MLP())
        interpreter = fakeprop.FakeTensorProp(module, mode)
        self.assertEqual(tuple(interpreter.propagate(torch.zeros(5, 4)).shape), (5, 2))
        self.assertByCore(interpreter)

    def test_real_parameters_are_torchs_error(self):
        for kind in fake_tensor_prop.FakeTensorProp, fakeprop.FakeTensorProp:
            with self.assertRaisesRegex(Exception, "convert all Tensors to FakeTensors first"):
                kind(torch.fx.symbolic_trace(MLP()), FakeTensorMode()).propagate(torch.zeros(5, 4))

    def test_a_graph_is_read_again_where_it_changed(self):
        """The core keeps the graph of a module. Other inputs need no other graph; other calls, attributes and modules do."""
        module = torch.fx.symbolic_trace(MLP())
        taking = lambda: FakeTensorMode(allow_non_fake_inputs=True)
        read, of_objects = [], _core.Graph.of_objects
        relu = next(node for node in module.graph.nodes if node.target is torch.relu)

        with unittest.mock.patch.object(_core.Graph, "of_objects", lambda *given: read.append(0) or of_objects(*given)):
            for rows, rewrite, reads in (
                (5, lambda: None, 1),
                (6, lambda: None, 0),
                (7, lambda: setattr(relu, "target", torch.neg), 1),
                (8, lambda: setattr(module, "fc2", nn.Linear(3, 6)), 1),
                (9, lambda: setattr(relu, "kwargs", {}), 1),
                (9, lambda: setattr(module.fc1, "bias", None), 1),
            ):
                rewrite()
                read.clear()
                interpreter, _, _ = self.compare(module, [torch.zeros(rows, 4)], taking)
                self.assertByCore(interpreter)
                self.assertEqual(len(read), reads)

    def test_literals(self):
        """torch lets the copy of a literal share storage with the literal, since it finds both in one memo."""
        graph_module = make_fx(lambda x: x + torch.tensor([1.0, 2.0]))(torch.zeros(3, 2))
        interpreter = fakeprop.FakeTensorProp(graph_module, FakeTensorMode())
        self.assertEqual(tuple(interpreter.propagate(torch.zeros(3, 2)).shape), (3, 2))
        self.assertByCore(interpreter)

    def test_attribute_and_its_view(self):
        module = torch.fx.symbolic_trace(MLP())
        node = next(iter(module.graph.nodes))
        with module.graph.inserting_after(node):
            weight = module.graph.get_attr("fc1.weight")
        with module.graph.inserting_after(weight):
            module.graph.call_method("t", (weight,))
        interpreter, _, _ = self.compare(module, [torch.zeros(5, 4)], lambda: FakeTensorMode(allow_non_fake_inputs=True))
        self.assertByCore(interpreter)


class Values(Case):
    def test_views_share_storage(self):
        def f(x):
            y = x.view(-1)[2:]
            return y.add_(1), x.t(), x

        interpreter, module, _ = self.compare(make_fx(f)(torch.zeros(3, 2)), [torch.zeros(3, 2)])
        self.assertByCore(interpreter)

    def test_an_output_that_is_an_input_is_it(self):
        module = make_fx(lambda x: (x, x + 1))(torch.zeros(3))
        mode = FakeTensorMode()
        x = mode.from_tensor(torch.zeros(3))
        self.assertIs(fakeprop.FakeTensorProp(module, mode).propagate_dont_convert_inputs(x)[0], x)

    def test_inputs_on_one_storage(self):
        base = torch.zeros(4, 3)
        module = torch.fx.symbolic_trace(lambda x, y: (x + y, y.t(), x[0]))
        interpreter, _, _ = self.compare(module, [base[:3], base[1:]])
        self.assertByCore(interpreter)

    def test_an_input_on_the_storage_of_a_tensor_in_a_list(self):
        base = torch.zeros(4, 3)
        module = torch.fx.symbolic_trace(lambda pair, y: (pair[0] + 1, y.t(), pair[0].view(-1)), concrete_args=None)
        interpreter, _, _ = self.compare(module, [(base, torch.zeros(2)), base[1:]])
        self.assertByCore(interpreter)

    def test_lists_numbers_and_none(self):
        def f(x, n, flag, none, pair):
            return torch.split(x, n), pair[0] * 2 if flag else x, none, x.size(0)

        module = torch.fx.symbolic_trace(f, concrete_args={"flag": True})
        inputs = [torch.zeros(6, 2), 2, True, None, (torch.zeros(3), 4)]
        interpreter, _, _ = self.compare(module, inputs)
        self.assertByCore(interpreter)

    def test_devices(self):
        mode = FakeTensorMode()
        with mode:
            x = torch.zeros(3, 2, device="cuda")
        module = torch.fx.symbolic_trace(lambda x: x.cpu() + x.to("cpu").sum())
        interpreter = fakeprop.FakeTensorProp(module, mode)
        self.assertEqual(str(interpreter.propagate_dont_convert_inputs(x).device), "cpu")
        self.assertByCore(interpreter)

    def test_lazy_values(self):
        module = make_fx(lambda x: (x + 1).t() * 2)(torch.zeros(3, 2))
        interpreter, module, _ = self.compare(module, [torch.zeros(3, 2)], lazy=True)
        self.assertByCore(interpreter)
        interpreter.propagate(torch.zeros(5, 2))
        copied = [(dict(node.meta), copy.copy(node.meta), {**node.meta}) for node in module.graph.nodes]
        for node, copies in zip(module.graph.nodes, copied):
            for meta in copies:
                if node.op != "output":
                    self.assertIsInstance(meta["val"], FakeTensor, node)
                    self.assertIs(meta["val"], node.meta["val"])


def symbolic_mode():
    return FakeTensorMode(shape_env=ShapeEnv())


class Symbols(Case):
    def propagate(self, make, f, rows=6):
        mode = symbolic_mode()
        x = mode.from_tensor(torch.zeros(rows, 4), symbolic_context=SYMBOLIC)
        module = make_fx(f)(torch.zeros(rows, 4))
        for node in module.graph.nodes:
            node.meta.pop("val", None)
        interpreter = make(module, mode)
        interpreter.propagate_dont_convert_inputs(x)
        return interpreter, module, mode

    def both(self, f):
        _, theirs, their_mode = self.propagate(fake_tensor_prop.FakeTensorProp, f)
        interpreter, ours, mode = self.propagate(fakeprop.FakeTensorProp, f)
        self.assertEqual(list(check_fake_tensor_prop.differences(ours, theirs)), [])
        self.assertByCore(interpreter)
        return ours, mode, their_mode

    def test_sizes_are_those_of_the_mode(self):
        ours, mode, _ = self.both(lambda x: torch.cat([x, x]).sum(1))
        size = list(ours.graph.nodes)[-2].meta["val"].shape[0]
        self.assertIs(size.node.shape_env, mode.shape_env)
        self.assertEqual(size.node.hint, 12)

    def test_guards_reach_the_shape_env(self):
        mode, env_guards = symbolic_mode(), []
        x = mode.from_tensor(torch.zeros(6, 4), symbolic_context=SYMBOLIC)
        module = torch.fx.symbolic_trace(lambda x: x.view(2, -1, 4))
        fakeprop.FakeTensorProp(module, mode).propagate_dont_convert_inputs(x)
        env_guards = [str(guard.expr) for guard in mode.shape_env.guards]
        self.assertTrue(any("Mod" in text or "//" in text for text in env_guards), env_guards)

    def test_unbacked_sizes(self):
        ours, mode, their_mode = self.both(lambda x: x.nonzero().sum(0))
        self.assertEqual(str(mode.shape_env.create_unbacked_symint()), str(their_mode.shape_env.create_unbacked_symint()))

    def test_unbacked_sizes_stay_in_a_second_run(self):
        f = lambda x: torch.cat([x.nonzero(), (x > 0).nonzero()])
        interpreter, ours, mode = self.propagate(fakeprop.FakeTensorProp, f)
        first = [str(node.meta["val"]) for node in ours.graph.nodes if "val" in node.meta]
        x = next(iter(ours.graph.nodes)).meta["val"]
        again = fakeprop.FakeTensorProp(ours, mode)
        again.propagate_dont_convert_inputs(x)
        self.assertByCore(again)
        self.assertEqual([str(node.meta["val"]) for node in ours.graph.nodes if "val" in node.meta], first)

    def test_unbacked_sizes_of_a_second_graph_are_new(self):
        mode = symbolic_mode()
        x = mode.from_tensor(torch.zeros(6, 4), symbolic_context=SYMBOLIC)
        sizes = []
        for _ in range(2):
            module = torch.fx.symbolic_trace(lambda x: x.nonzero())
            sizes.append(fakeprop.FakeTensorProp(module, mode).propagate_dont_convert_inputs(x).shape[0])
        self.assertNotEqual(str(sizes[0]), str(sizes[1]))


@contextlib.contextmanager
def default_dtype():
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)


@torch.library.custom_op("fakeprop_cases::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@twice.register_fake
def _(x):
    return x.new_empty(x.size(0) * 2, 3)


@torch.library.custom_op("fakeprop_cases::halves", mutates_args=())
def halves(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x[::2].clone(), x[1::2].clone()


@halves.register_fake
def _(x):
    return x.new_empty(x.size(0) // 2, x.size(1)), x.new_empty(x.size(0) // 2, x.size(1))


class Python(Case):
    def test_custom_operators_run_in_python(self):
        def f(x):
            a, b = torch.ops.fakeprop_cases.halves(torch.ops.fakeprop_cases.twice(x + 1) * 2)
            return a + b, a.t()

        module = make_fx(f, tracing_mode="fake")(torch.zeros(4, 2))
        interpreter, _, _ = self.compare(module, [torch.zeros(4, 2)])
        self.assertByCore(interpreter, [node.name for node in module.graph.nodes if "fakeprop_cases" in str(node.target)])

    def test_custom_operators_on_symbols(self):
        mode = symbolic_mode()
        x = mode.from_tensor(torch.zeros(6, 4), symbolic_context=SYMBOLIC)
        module = torch.fx.symbolic_trace(lambda x: torch.ops.fakeprop_cases.twice(x).sum(1))
        found = fakeprop.FakeTensorProp(module, mode).propagate_dont_convert_inputs(x)
        self.assertEqual(str(found.shape), f"torch.Size([2*{x.shape[0]}])")

    def test_errors_are_torchs(self):
        for kind in fake_tensor_prop.FakeTensorProp, fakeprop.FakeTensorProp:
            with self.assertRaisesRegex(RuntimeError, "must have same reduction dim"):
                kind(torch.fx.symbolic_trace(lambda x: x @ x), FakeTensorMode()).propagate(torch.zeros(2, 3))

    def test_metadata_of_inputs_changed_in_place_is_left_to_torch(self):
        module = torch.fx.symbolic_trace(lambda x: torch.ops.aten.t_.default(x) * 2)
        interpreter, _, _ = self.compare(module, [torch.zeros(2, 3)])
        self.assertByTorch(interpreter, "in place")

    def test_a_pass_that_propagates_after_each_rewrite(self):
        """As torch.fx passes do: replace one call, propagate, look at the values."""
        module, mode = make_fx(lambda x: torch.relu(torch.relu(x @ x.t())))(torch.zeros(4, 3)), FakeTensorMode()
        x = mode.from_tensor(torch.zeros(4, 3))
        for node in [node for node in module.graph.nodes if node.target is torch.ops.aten.relu.default]:
            with module.graph.inserting_after(node):
                summed = module.graph.call_function(torch.ops.aten.sum.dim_IntList, (node.args[0], [-1], True))
            node.replace_all_uses_with(summed)
            module.graph.erase_node(node)
            module.recompile()
            fakeprop.FakeTensorProp(module, mode).propagate_dont_convert_inputs(x)
            self.assertEqual(tuple(summed.meta["val"].shape), (4, 1))

    def test_a_mode_with_real_tensors_is_left_to_torch(self):
        with functorch_config.patch(fake_tensor_propagate_real_tensors=True):
            mode = FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv())
        module = make_fx(lambda x: x.nonzero() + 1)(torch.ones(3))
        ours = fakeprop.FakeTensorProp(module, mode)
        ours.propagate(torch.ones(3))
        self.assertIsNone(ours.python_nodes)
        self.assertRegex(ours.reason, "real tensors")

    def test_settings_of_torch_count(self):
        """What surrounds a run decides its results, as for PyTorch's class."""
        class Doubling(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, function, types, args=(), kwargs=None):
                result = function(*args, **(kwargs or {}))
                return result.double() if function is torch.relu else result

        class DispatchDoubling(TorchDispatchMode):
            def __torch_dispatch__(self, function, types, args=(), kwargs=None):
                result = function(*args, **(kwargs or {}))
                return result.double() if function is torch.ops.aten.relu.default else result

        for f, setting, reason in [
            (lambda x: x @ x, lambda: torch.autocast("cpu"), "autocast"),
            (lambda x: x.long() / 2, default_dtype, "the default dtype is torch.float64"),
            (torch.relu, Doubling, "a mode for torch's functions"),
            (torch.relu, DispatchDoubling, "a dispatch mode"),
        ]:
            with self.subTest(reason), setting():
                interpreter, _, _ = self.compare(torch.fx.symbolic_trace(lambda x: f(x)), [torch.zeros(4, 4)])
                self.assertByTorch(interpreter, reason)

    def test_a_mode_of_fake_tensors_that_is_on_is_none_of_these(self):
        mode = FakeTensorMode()
        interpreter = fakeprop.FakeTensorProp(make_fx(lambda x: x + 1)(torch.zeros(2)), mode)
        with mode:
            interpreter.propagate(torch.zeros(2))
        self.assertByCore(interpreter)

    def test_subclass(self):
        """run_node of a subclass is what it redefines, so it has to be called."""
        class Counting(fakeprop.FakeTensorProp):
            count = 0

            def run_node(self, node):
                Counting.count += 1
                return super().run_node(node)

        module = make_fx(lambda x: x + 1)(torch.zeros(2))
        Counting(module, FakeTensorMode()).propagate(torch.zeros(2))
        self.assertEqual(Counting.count, len(module.graph.nodes))


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    unittest.main()
