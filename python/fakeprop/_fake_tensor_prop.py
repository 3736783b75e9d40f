"""FakeTensorProp by the core, in this process.

PyTorch's own class is the base. What the core cannot do is done by it: a node of a custom operator, or the whole graph
where an input or an attribute is of a kind that the core does not know, or where a node has an error. Errors are
therefore PyTorch's.
"""

import functools
import json
import logging

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, unset_fake_temporarily
from torch.fx.experimental import symbolic_shapes
from torch.fx.passes import fake_tensor_prop
from torch.utils import _pytree
from torch.utils._sympy.numbers import int_oo

import fakeprop_annotate
import fakeprop_fx
from fakeprop._core import library
from fakeprop._lazy_meta import set_lazily
from fakeprop._module_graph import ModuleGraph
from fakeprop._module_values import attribute_of, recorded
from fakeprop._program import FakepropError
from fakeprop._second_run import Memory, run_again
from fakeprop._values import JsonValues, PlainValues

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
        self.module = module
        self._mode = FakeTensorMode() if mode is None else mode
        self._mode.epoch += 1
        self.lazy = lazy
        self.python_nodes = []
        self.reason = None

    def __getattr__(self, name):
        """PyTorch's constructor goes over the whole graph, so it runs when something of it is asked for."""
        given = self.__dict__
        if "submodules" in given or "module" not in given:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        super().__init__(self.module, self._mode)
        return getattr(self, name)

    def propagate_dont_convert_inputs(self, *args):
        try:
            self._check_is_served()
            with unset_fake_temporarily():
                return _Run(self, args).propagate()
        except (_LeftToTorch, FakepropError) as error:
            self.python_nodes, self.reason = None, str(error)
            _LOG.info("FakeTensorProp is left to torch: %s", error)
        return super().propagate_dont_convert_inputs(*args)

    def _check_is_served(self):
        """Methods that a subclass redefines have to be called, and data is nothing that the core has."""
        if getattr(self._mode, "propagate_real_tensors", False):
            raise _LeftToTorch("the mode computes real tensors beside the fake ones")
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

    @functools.cached_property
    def positions(self):
        return {node: index for index, node in enumerate(self.nodes)}

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
        graph = ModuleGraph(self.module, self.nodes)
        self.check(graph)
        for node, value in self.given.items():
            self.spec.add(node.name, value)
        answer = self.annotate(graph)
        if plain := answer.values():
            return self.write(self.bound(PlainValues(*plain, self.mode)), {})
        annotations = answer.annotations()
        while failed := self.custom_calls(annotations):
            self.run_in_python(failed, graph, annotations)
            annotations = self.annotate(graph).annotations()
        values = self.values(annotations)
        self.take_guards(annotations, values)
        return self.write(values, annotations.get("subgraphs", {}))

    # --- what the core takes

    def check(self, graph):
        changing = {target for target in {node.target for node in self.nodes} if _changes_metadata(target)}
        if changing:
            name = next(node.name for node in self.nodes if node.target in changing)
            raise _LeftToTorch(f"{name} changes a tensor's metadata in place")
        for path in graph.attributes:
            self.take_attribute(path)

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

    def annotate(self, graph):
        return graph.read().annotate(self.spec.text(), keep_going=True, no_grad=not torch.is_grad_enabled())

    # --- nodes that run in Python

    def custom_calls(self, annotations):
        """The nodes that no rule serves. Any other error is PyTorch's to tell."""
        graphs = [annotations, *annotations.get("subgraphs", {}).values()]
        failed = [entry for graph in graphs for entry in graph["nodes"] if "error" in entry]
        for entry in failed:
            if entry["error"]["class"] != "UnsupportedOperator":
                raise _LeftToTorch(f"{entry['name']}: {entry['error']['message']}")
        names = {entry["name"] for entry in failed}
        nodes = [node for node in self.nodes if node.name in names and node not in self.given]
        if len(nodes) < len(failed):
            raise _LeftToTorch(f"{failed[0]['name']}: {failed[0]['error']['message']}")
        return nodes

    def run_in_python(self, nodes, graph, annotations):
        """Has PyTorch compute them, and makes them inputs of the document."""
        values = self.values(annotations)
        for node in nodes:
            self.given[node] = self.call(node, values)
            self.interpreter.python_nodes.append(node.name)
            self.spec.add(node.name, self.given[node])
            graph.make_input(node)

    def call(self, node, values):
        def value_of(argument):
            return self.given[argument] if argument in self.given else self.value_of(argument, values)

        args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), value_of)
        with self.mode:
            return getattr(self.interpreter, node.op)(node.target, args, kwargs)

    # --- what comes back

    def values(self, annotations):
        known = _Renames(self.mode.shape_env, self.nodes, annotations).known()
        return self.bound(JsonValues(annotations, self.mode, known))

    def bound(self, values):
        """The values on the storages of the tensors that were given."""
        for node, value in self.given.items():
            if isinstance(value, (torch.Tensor, list, tuple)):
                values.bind(values.nodes[self.positions[node]], value)
        if self.attributes:
            for node, found in zip(self.nodes, values.nodes):
                if node.op == "get_attr" and (tensor := self.attributes.get(node.target)) is not None:
                    values.bind(found, self.fake_attribute(tensor))
        return values

    def value_of(self, node, values):
        return values.of_node(values.nodes[self.positions[node]])[0]

    def fake_attribute(self, tensor):
        return tensor if isinstance(tensor, FakeTensor) else self.mode.from_tensor(tensor, static_shapes=True)

    def write(self, values, subgraphs):
        owners = {path: self.module.get_submodule(path) for path in subgraphs}
        graphs = {path: owner.graph for path, owner in owners.items() if isinstance(owner, torch.fx.GraphModule)}
        with values.making():
            self.write_nodes(self.nodes, values.nodes, values)
            for path, graph in graphs.items():
                self.write_nodes(graph.nodes, subgraphs[path]["nodes"], values)
        result = self.result(lambda node: self.value_of(node, values))
        if not self.interpreter.python_nodes:
            Memory(self.interpreter, self.given, self.attributes, self.nodes, graphs).write_on(self.module)
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

    def write_nodes(self, nodes, found, values):
        if self.interpreter.lazy:
            return self.write_lazily(nodes, found, values)
        for node, of_node in zip(nodes, found):
            self.write_node(node, of_node, values)

    def write_lazily(self, nodes, found, values):
        given, is_none, makes_symbols = self.given, values.is_none, values.makes_symbols
        late = []
        for node, of_node in zip(nodes, found):
            if makes_symbols(of_node) or node in given and not self.is_described(node, values):
                self.write_node(node, of_node, values)
            elif not is_none(of_node):
                late.append((node, of_node))
        set_lazily(late, values)

    def is_described(self, node, values):
        """Whether the annotation has all of a given value. To read symbols takes longer than to take the value."""
        return node.op == "placeholder" and type(self.given[node]) is FakeTensor and (self.interpreter.lazy or not values.symbols)

    def write_node(self, node, of_node, values):
        if node in self.given and not self.is_described(node, values):
            value, bindings = torch.fx.node.map_aggregate(self.given[node], recorded), None
        else:
            value, bindings = values.make(of_node)
        if value is not None:
            node.meta["val"] = value
        if bindings:
            node.meta["unbacked_bindings"] = bindings

    def result(self, value_of):
        output = torch.fx.node.map_arg(
            self.nodes[-1].args[0], lambda node: self.given[node] if node in self.given else value_of(node))
        return self.module.graph.process_outputs(output)


@functools.lru_cache(maxsize=4096)
def _changes_metadata(target):
    return torch.Tag.inplace_view in getattr(target, "tags", ()) and target is not torch.ops.aten.detach_.default


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
        self.inputs = []  # as JSON
        self.symbols = {}
        self.owners = {}  # the first input on each storage

    def text(self):
        symbols = f', "symbols": {json.dumps(self.symbols)}' if self.symbols else ""
        return f'{{"format": "fakeprop.inputs/1", "inputs": {{{", ".join(self.inputs)}}}{symbols}}}'

    def add(self, name, value):
        key = f'"{name}"' if name.isidentifier() and name.isascii() else json.dumps(name)
        self.inputs.append(f"{key}: {self.input(value, name)}")

    def input(self, value, name):
        if isinstance(value, torch.Tensor):
            return self.tensor(value, name)
        if isinstance(value, (list, tuple)) and any(isinstance(leaf, torch.Tensor) for leaf in _pytree.tree_leaves(value)):
            return f'{{"items": [{", ".join([self.input(item, None) for item in value])}]}}'
        return f'{{"value": {json.dumps(self.plain(value))}}}'

    def tensor(self, value, name):
        if not isinstance(value, FakeTensor) or value.layout != torch.strided or value.constant is not None:
            raise _LeftToTorch("an input is no plain fake tensor")
        if value.is_conj() or value.is_neg() or value.fake_mode is not self.mode:
            raise _LeftToTorch("an input has pending conjugations, or is of another FakeTensorMode")
        shape, stride = value.shape, value.stride()
        try:
            entry = _numeric_entry(shape, stride, value.dtype, value.fake_device, value.requires_grad)
        except TypeError:  # a SymInt has no hash
            entry = _entry(self.sizes(shape), self.sizes(stride), value.dtype, value.fake_device, value.requires_grad)
        if offset := value.storage_offset():
            if not isinstance(offset, int):
                raise _LeftToTorch("an input has a symbolic storage offset")
            entry += f', "storage_offset": {offset}'
        owner = self.owners.setdefault(torch._C._storage_address(value), name)
        return entry + (f', "view_of": {json.dumps(owner)}}}' if owner != name else "}")

    def sizes(self, sizes):
        return json.dumps([self.plain(size) for size in sizes])

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


@functools.lru_cache(maxsize=4096)
def _numeric_entry(shape, stride, dtype, device, requires_grad):
    """The same for sizes that are numbers. To write them takes longer than to find that they were written."""
    return _entry(str([*shape]), str([*stride]), dtype, device, requires_grad)


def _entry(shape, stride, dtype, device, requires_grad):
    kind = {"dtype": fakeprop_fx._short(dtype), "device": str(device), "requires_grad": requires_grad}
    return f'{{"shape": {shape}, "stride": {stride}, {json.dumps(kind)[1:-1]}'
