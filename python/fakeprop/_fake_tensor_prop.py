"""FakeTensorProp by the core, in this process.

PyTorch's own class is the base. What the core cannot do is done by it: a node of a custom operator, or the whole graph
where an input or an attribute is of a kind that the core does not know, or where a node has an error. Errors are
therefore PyTorch's.
"""

import functools
import json
import logging

import torch
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily
from torch.fx.experimental import symbolic_shapes
from torch.fx.passes import fake_tensor_prop
from torch.utils import _pytree
from torch.utils._sympy.numbers import int_oo

import fakeprop_annotate
import fakeprop_fx
from fakeprop._core import Graph, library
from fakeprop._lazy_meta import LazyMeta
from fakeprop._module_values import attribute_of, recorded
from fakeprop._program import FakepropError
from fakeprop._second_run import Memory, run_again

_LOG = logging.getLogger("fakeprop")
_METHODS_OF_NODES = ("run_node", "placeholder", "get_attr", "call_function", "call_method", "call_module", "output", "fetch_attr")
_LIFTS = ("aten::lift_fresh", "aten::lift_fresh_copy")


class _LeftToTorch(Exception):
    """The core does not serve this graph, for the reason that is the text."""


class FakeTensorProp(fake_tensor_prop.FakeTensorProp):
    """Sets node.meta["val"] of every node as torch.fx.passes.fake_tensor_prop.FakeTensorProp does, several times as fast.

    The values are FakeTensors of `mode`, sizes over symbols are SymInts of its ShapeEnv, and values that alias share
    storage. With lazy=True a value is made when it is looked at. Afterwards `python_nodes` has the names of the nodes
    that ran in Python, or None if PyTorch's own class ran the whole graph; `reason` then says why.

    A second run over a graph of which a few nodes changed, on the same inputs, runs those nodes alone.

    What `propagate` returns is detached from autograd, and inputs keep their metadata: a graph with operators that change
    an input's shape in place is left to PyTorch.
    """

    def __init__(self, module, mode=None, *, lazy=False):
        library()
        super().__init__(module, mode)
        self.lazy = lazy
        self.python_nodes = []
        self.reason = None

    def propagate_dont_convert_inputs(self, *args):
        try:
            self._check_is_not_extended()
            with unset_fake_temporarily():
                return _Run(self, args).propagate()
        except (_LeftToTorch, FakepropError) as error:
            self.python_nodes, self.reason = None, str(error)
            _LOG.info("FakeTensorProp is left to torch: %s", error)
        return super().propagate_dont_convert_inputs(*args)

    def _check_is_not_extended(self):
        """Methods that a subclass redefines have to be called."""
        for name in _METHODS_OF_NODES:
            if getattr(type(self), name) is not getattr(FakeTensorProp, name):
                raise _LeftToTorch(f"{type(self).__name__} redefines {name}")


class _Run:
    """One propagation."""

    def __init__(self, interpreter, args):
        self.interpreter = interpreter
        self.module = interpreter.module
        self.mode = interpreter._mode
        self.nodes = list(self.module.graph.nodes)
        self.given = self.place(self.module.graph.process_inputs(*args))  # by placeholder, and by node that ran in Python
        self.attributes = {}  # by path
        self.spec = _Spec(self.mode)

    def place(self, args):
        """The value of each placeholder."""
        placeholders = [node for node in self.nodes if node.op == "placeholder"]
        if any(node.target.startswith("*") for node in placeholders):
            raise _LeftToTorch("an input takes any number of arguments")
        given = dict(zip(placeholders, args))
        for node in placeholders[len(given):]:
            if not node.args:
                raise _LeftToTorch(f"the input {node.target} has no value")
            given[node] = node.args[0]
        return given

    def propagate(self):
        if run_again(self.interpreter, self.given):
            return self.result(lambda node: node.meta["val"])
        self.check()
        document = self.document()
        for node, value in self.given.items():
            self.spec.add(node.name, value)
        annotations = self.annotate(document)
        while failed := self.custom_calls(annotations):
            self.run_in_python(failed, document, annotations)
            annotations = self.annotate(document)
        return self.write(annotations)

    # --- what the core takes

    def check(self):
        for node in self.nodes:
            tags = getattr(node.target, "tags", ())
            if torch.Tag.inplace_view in tags and node.target is not torch.ops.aten.detach_.default:
                raise _LeftToTorch(f"{node.name} changes a tensor's metadata in place")

    def document(self):
        document = fakeprop_fx.to_dict(self.module, with_meta=False)
        for path in [*document.get("attributes", ())]:
            self.take_attribute(path)
        return document

    def take_attribute(self, path):
        value = attribute_of(self.module, path)
        if not isinstance(value, torch.Tensor):
            return
        if type(value) not in (torch.Tensor, torch.nn.Parameter, FakeTensor) or value.layout != torch.strided:
            raise _LeftToTorch(f"the attribute {path} is no plain tensor")
        if isinstance(value, FakeTensor):
            if value.fake_mode is not self.mode:
                raise _LeftToTorch(f"the attribute {path} is of another FakeTensorMode")
        elif not self.mode.allow_non_fake_inputs and not self.is_lifted(path):
            raise _LeftToTorch(f"the attribute {path} is a real tensor, and the mode takes none")
        self.attributes[path] = value

    def is_lifted(self, path):
        """Whether only operators use a real tensor that may: those of a literal in the code."""
        users = [user for node in self.nodes if node.op == "get_attr" and node.target == path for user in node.users]
        return bool(users) and all(getattr(getattr(user.target, "_schema", None), "name", "") in _LIFTS for user in users)

    def annotate(self, document):
        graph = Graph(json.dumps(document).encode(), "graph module")
        annotations, _ = graph.propagate(self.spec.document(), keep_going=True, no_grad=not torch.is_grad_enabled())
        return annotations

    # --- nodes that run in Python

    def custom_calls(self, annotations):
        """The nodes that no rule serves. Any other error is PyTorch's to tell."""
        entries = [*annotations["nodes"], *(e for g in annotations.get("subgraphs", {}).values() for e in g["nodes"])]
        failed = [entry for entry in entries if "error" in entry]
        for entry in failed:
            if entry["error"]["class"] != "UnsupportedOperator":
                raise _LeftToTorch(f"{entry['name']}: {entry['error']['message']}")
        names = {entry["name"] for entry in failed}
        nodes = [node for node in self.nodes if node.name in names and node not in self.given]
        if len(nodes) < len(failed):
            raise _LeftToTorch(f"{failed[0]['name']}: {failed[0]['error']['message']}")
        return nodes

    def run_in_python(self, nodes, document, annotations):
        """Has PyTorch compute them, and makes them inputs of the document."""
        values = self.values(annotations)
        by_name = {entry["name"]: entry for entry in annotations["nodes"]}
        for node in nodes:
            self.given[node] = self.call(node, values, by_name)
            self.interpreter.python_nodes.append(node.name)
            self.spec.add(node.name, self.given[node])
        names = {node.name for node in nodes}
        for entry in document["nodes"]:
            if entry["name"] in names:
                entry.update(op="placeholder", target=entry["name"], args=[], kwargs={})

    def call(self, node, values, by_name):
        def value_of(argument):
            return self.given[argument] if argument in self.given else values.of_node(by_name[argument.name])[0]

        args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), value_of)
        with self.mode:
            return getattr(self.interpreter, node.op)(node.target, args, kwargs)

    # --- what comes back

    def values(self, annotations):
        """Values on the storages of the tensors that were given."""
        known = _Renames(self.mode.shape_env, self.nodes, annotations).known()
        values = fakeprop_annotate.Values(annotations, self.mode, known)
        for node, entry in zip(self.nodes, annotations["nodes"]):
            if node in self.given:
                _bind(values, self.given[node], entry["meta"]["val"])
            elif node.op == "get_attr" and (tensor := self.attributes.get(node.target)) is not None:
                _bind(values, self.fake_attribute(tensor), entry["meta"]["val"])
        return values

    def fake_attribute(self, tensor):
        return tensor if isinstance(tensor, FakeTensor) else self.mode.from_tensor(tensor, static_shapes=True)

    def write(self, annotations):
        values = self.values(annotations)
        self.take_guards(annotations, values)
        subgraphs = {}
        with values.making():
            self.write_nodes(self.nodes, annotations["nodes"], values)
            for path, graph in annotations.get("subgraphs", {}).items():
                owner = self.module.get_submodule(path)
                if isinstance(owner, torch.fx.GraphModule):
                    subgraphs[path] = owner.graph
                    self.write_nodes(owner.graph.nodes, graph["nodes"], values)
        by_name = {entry["name"]: entry for entry in annotations["nodes"]}
        result = self.result(lambda node: values.of_node(by_name[node.name])[0])
        if not self.interpreter.python_nodes:
            Memory(self.interpreter, self.given, self.attributes, self.nodes, subgraphs).write_on(self.module)
        return result

    def take_guards(self, annotations, values):
        """The ShapeEnv relies on what the results rely on, as after a run in torch."""
        if not values.symbols:
            return
        env = values.symbols.env
        for guard in annotations.get("guards", ()):
            condition = values.symbols.expression(guard["expr"])
            if guard.get("kind") == "assertion":
                env.guard_or_defer_runtime_assert(condition, guard["expr"])
            elif condition.free_symbols and not env.evaluate_expr(condition):
                raise _LeftToTorch(f"the guard {guard['expr']} does not hold in the ShapeEnv of the mode")

    def write_nodes(self, nodes, entries, values):
        for node, entry in zip(nodes, entries):
            is_given = node in self.given and not self.is_described(node, values)
            if not self.interpreter.lazy or is_given or "unbacked_bindings" in entry:
                self.write_node(node, entry, values, is_given)
            elif entry["meta"]["val"] is not None:
                node.meta = LazyMeta.of(node.meta, functools.partial(_value, values, entry))

    def is_described(self, node, values):
        """Whether the annotation has all of a given value. To read symbols takes longer than to take the value."""
        return node.op == "placeholder" and type(self.given[node]) is FakeTensor and (self.interpreter.lazy or not values.symbols)

    def write_node(self, node, entry, values, is_given):
        if is_given:
            value, bindings = torch.fx.node.map_aggregate(self.given[node], recorded), None
        else:
            value, bindings = values.make(entry)
        if value is not None:
            node.meta["val"] = value
        if bindings:
            node.meta["unbacked_bindings"] = bindings

    def result(self, value_of):
        output = torch.fx.node.map_arg(
            self.nodes[-1].args[0], lambda node: self.given[node] if node in self.given else value_of(node))
        return self.module.graph.process_outputs(output)


def _value(values, entry):
    return values.of_node(entry)[0]


def _bind(values, given, described):
    """Gives the storages of an annotation those of the tensors that it describes."""
    if isinstance(given, torch.Tensor):
        values.owners[described["storage"]] = given
    elif isinstance(given, (list, tuple)):
        for item, part in zip(given, described):
            _bind(values, item, part)


class _Renames:
    """The symbols to take for the unbacked ones that the core made: it numbers them from u0."""

    def __init__(self, env, nodes, annotations):
        self.env = env
        self.nodes = nodes
        self.annotations = annotations

    def known(self):
        entries = self.annotations.get("symbols", {})
        taken = {symbol.name for symbol in self.env.var_to_range} if self.env else set()
        fresh = [name for name, entry in entries.items() if entry.get("kind") == "unbacked"]
        if not any(name in taken for name in fresh):
            return {}
        bound = self.bound()
        return {name: bound.get(name) or self.make(name, entries[name]) for name in fresh}

    def bound(self):
        """Those that an earlier run bound at the same nodes: as torch does, they stay."""
        bound = {}
        for node, entry in zip(self.nodes, self.annotations["nodes"]):
            fresh, old = entry.get("unbacked_bindings", {}), node.meta.get("unbacked_bindings", {})
            if fresh and old and len(fresh) != len(old):
                raise _LeftToTorch(f"{node.name} had other unbacked symbols before")
            bound.update(zip(fresh, old))
        return bound

    def make(self, name, entry):
        if name.startswith("zuf"):
            return self.env.create_unbacked_symfloat().node.expr
        symbol = self.env.create_unbacked_symint().node.expr
        self.env.constrain_symbol_range(symbol, entry.get("min", -int_oo), entry.get("max", int_oo))
        self.env.pending_fresh_unbacked_symbols.remove(symbol)
        return symbol


class _Spec:
    """The input spec (fakeprop.inputs/1) of values that are there."""

    def __init__(self, mode):
        self.mode = mode
        self.inputs = {}
        self.symbols = {}
        self.owners = {}  # the first input on each storage

    def document(self):
        return {"format": "fakeprop.inputs/1", "inputs": self.inputs, "symbols": self.symbols}

    def add(self, name, value):
        self.inputs[name] = self.input(value, name)

    def input(self, value, name):
        if isinstance(value, torch.Tensor):
            return self.tensor(value, name)
        if isinstance(value, (list, tuple)) and any(isinstance(leaf, torch.Tensor) for leaf in _pytree.tree_leaves(value)):
            return {"items": [self.input(item, None) for item in value]}
        return {"value": self.plain(value)}

    def tensor(self, value, name):
        if not isinstance(value, FakeTensor) or value.layout != torch.strided or value.constant is not None:
            raise _LeftToTorch("an input is no plain fake tensor")
        if value.is_conj() or value.is_neg() or value.fake_mode is not self.mode:
            raise _LeftToTorch("an input has pending conjugations, or is of another FakeTensorMode")
        spec = {"shape": self.sizes(value.shape), "stride": self.sizes(value.stride()), "dtype": fakeprop_fx._short(value.dtype),
                "device": str(value.device), "requires_grad": value.requires_grad}
        if offset := value.storage_offset():
            if not isinstance(offset, int):
                raise _LeftToTorch("an input has a symbolic storage offset")
            spec["storage_offset"] = offset
        owner = self.owners.setdefault(value.untyped_storage()._cdata, name)
        if owner != name:
            spec["view_of"] = owner
        return spec

    def sizes(self, sizes):
        return [self.plain(size) for size in sizes]

    def plain(self, value):
        if isinstance(value, torch.SymInt):
            return self.expression(value)
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, torch.device):
            return str(value)
        if isinstance(value, (list, tuple)):
            return [self.plain(item) for item in value]
        raise _LeftToTorch(f"an input is of type {type(value).__name__}")

    def expression(self, size):
        expression = size.node.expr
        if expression.is_number:
            return int(expression)
        for symbol in expression.free_symbols:
            if symbol.name not in self.symbols:
                self.symbols[symbol.name] = self.symbol(symbol)
        return str(expression)

    def symbol(self, symbol):
        env = self.mode.shape_env
        hints = env.backed_var_to_val if hasattr(env, "backed_var_to_val") else env.var_to_val
        if symbol not in hints:
            raise _LeftToTorch(f"an input has the unbacked symbol {symbol}")
        bounds = env.var_to_range[symbol]
        entry = {"min": max(int(bounds.lower), 0), "hint": int(hints[symbol])}
        if bounds.upper < int_oo:
            entry["max"] = int(bounds.upper)
        return entry
