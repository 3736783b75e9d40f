"""FakeTensorProp by the core, in this process.

PyTorch's own class is the base. What the core cannot do is done by it: a node of a custom operator, or the whole graph
where an input or an attribute is of a kind that the core does not know, or where a node has an error. Errors are
therefore PyTorch's.
"""

import functools
import logging

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, unset_fake_temporarily
from torch.fx.passes import fake_tensor_prop
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack
from torch.utils._sympy.numbers import int_oo

from fakeprop._core import library
from fakeprop._lazy_meta import set_lazily
from fakeprop._module_graph import ModuleGraph
from fakeprop._module_values import LeftToTorch, attribute_of, recorded, set_value, take_guards
from fakeprop._program import FakepropError
from fakeprop._second_run import remember, run_again
from fakeprop._spec import Spec
from fakeprop._values import JsonValues, PlainValues

_LOG = logging.getLogger("fakeprop")
_METHODS_OF_NODES = ("run_node", "placeholder", "get_attr", "call_function", "call_method", "call_module", "output", "fetch_attr")
_LIFTS = ("aten::lift_fresh", "aten::lift_fresh_copy")


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
        except (LeftToTorch, FakepropError) as error:
            self.python_nodes, self.reason = None, str(error)
            _LOG.info("FakeTensorProp is left to torch: %s", error)
        return super().propagate_dont_convert_inputs(*args)

    def _check_is_served(self):
        """Methods that a subclass redefines have to be called, and data is nothing that the core has."""
        if getattr(self._mode, "propagate_real_tensors", False):
            raise LeftToTorch("the mode computes real tensors beside the fake ones")
        _check_state_of_torch()
        if type(self) is not FakeTensorProp:
            _check_redefines_nothing(type(self))


def _check_redefines_nothing(kind):
    for name in _METHODS_OF_NODES:
        if getattr(kind, name) is not getattr(FakeTensorProp, name):
            raise LeftToTorch(f"{kind.__name__} redefines {name}")


def _check_state_of_torch():
    """The core takes the settings of a fresh process for granted."""
    if torch._C._is_any_autocast_enabled():
        raise LeftToTorch("autocast is on")
    if torch.get_default_dtype() is not torch.float32:
        raise LeftToTorch(f"the default dtype is {torch.get_default_dtype()}")
    if torch._C._len_torch_function_stack():
        raise LeftToTorch("a mode for torch's functions is on, as for a default device")
    if torch._C._len_torch_dispatch_stack() and any(type(mode) is not FakeTensorMode for mode in _get_current_dispatch_mode_stack()):
        raise LeftToTorch("a dispatch mode is on")


class _Run:
    """One propagation."""

    def __init__(self, interpreter, args):
        self.interpreter = interpreter
        self.module = interpreter.module
        self.mode = interpreter._mode
        self.nodes = list(self.module.graph.nodes)
        self.given = self.place(self.module.graph.process_inputs(*args))  # by placeholder, and by node that ran in Python
        self.attributes = {}  # by path
        self.spec = Spec(self.mode)

    @functools.cached_property
    def positions(self):
        return {node: index for index, node in enumerate(self.nodes)}

    def place(self, args):
        """The value of each placeholder."""
        placeholders = [node for node in self.nodes if node.op == "placeholder"]
        if any(node.target.startswith("*") for node in placeholders):
            raise LeftToTorch("an input takes any number of arguments")
        given = dict(zip(placeholders, args))
        for node in placeholders[len(given):]:
            if not node.args:
                raise LeftToTorch(f"the input {node.target} has no value")
            given[node] = node.args[0]
        return given

    def propagate(self):
        if run_again(self.interpreter, self.nodes, self.given):
            return self.result(lambda node: node.meta.get("val"))
        graph = ModuleGraph(self.module, self.nodes)
        self.check(graph)
        self.spec.add(self.given)
        answer = self.annotate(graph)
        if plain := answer.values():
            values = self.bound(PlainValues(plain, self.mode))
            take_guards(plain.conditions, values)
            return self.write(values, plain.conditions)
        annotations = answer.annotations()
        while failed := self.custom_calls(annotations):
            self.run_in_python(failed, graph, annotations)
            annotations = self.annotate(graph).annotations()
        values = self.values(annotations)
        take_guards(annotations, values)
        return self.write(values, annotations)

    # --- what the core takes

    def check(self, graph):
        if not graph.known:
            self.check_targets()
        for path in graph.attributes:
            self.take_attribute(path)

    def check_targets(self):
        targets = {id(node.target): node.target for node in self.nodes}  # torch takes longer to hash an operator
        changing = [target for target in targets.values() if _changes_metadata(target)]
        if changing:
            name = next(node.name for node in self.nodes if node.target in changing)
            raise LeftToTorch(f"{name} changes a tensor's metadata in place")

    def take_attribute(self, path):
        value = attribute_of(self.module, path)
        if not isinstance(value, torch.Tensor):
            return
        if type(value) not in (torch.Tensor, torch.nn.Parameter, FakeTensor) or value.layout != torch.strided:
            raise LeftToTorch(f"the attribute {path} is no plain tensor")
        if isinstance(value, FakeTensor):
            if value.fake_mode is not self.mode:
                raise LeftToTorch(f"the attribute {path} is of another FakeTensorMode")
        elif not self.mode.allow_non_fake_inputs and not self.is_lifted(path):
            raise LeftToTorch(f"the attribute {path} is a real tensor, and the mode takes none")
        self.attributes[path] = value

    def is_lifted(self, path):
        """Whether only operators use a real tensor that may: those of a literal in the code."""
        users = [user for node in self.nodes if node.op == "get_attr" and node.target == path for user in node.users]
        return bool(users) and all(getattr(getattr(user.target, "_schema", None), "name", "") in _LIFTS for user in users)

    def annotate(self, graph):
        return graph.read_whole().annotate_objects(self.spec.objects(), no_grad=not torch.is_grad_enabled())

    # --- nodes that run in Python

    def custom_calls(self, annotations):
        """The nodes that no rule serves. Any other error is PyTorch's to tell."""
        graphs = [annotations, *annotations.get("subgraphs", {}).values()]
        failed = [entry for graph in graphs for entry in graph["nodes"] if "error" in entry]
        for entry in failed:
            if entry["error"]["class"] != "UnsupportedOperator":
                raise LeftToTorch(f"{entry['name']}: {entry['error']['message']}")
        names = {entry["name"] for entry in failed}
        nodes = [node for node in self.nodes if node.name in names and node not in self.given]
        if len(nodes) < len(failed):
            raise LeftToTorch(f"{failed[0]['name']}: {failed[0]['error']['message']}")
        return nodes

    def run_in_python(self, nodes, graph, annotations):
        """Has PyTorch compute them, and makes them inputs of the document."""
        values = self.values(annotations)
        for node in nodes:
            self.given[node] = self.call(node, values)
            self.interpreter.python_nodes.append(node.name)
            self.spec.add({node: self.given[node]})
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

    def write(self, values, annotations):
        subgraphs = annotations.get("subgraphs", {})
        owners = {path: self.module.get_submodule(path) for path in subgraphs}
        graphs = {path: owner.graph for path, owner in owners.items() if isinstance(owner, torch.fx.GraphModule)}
        write_nodes = self.write_lazily if self.interpreter.lazy else self.write_nodes
        with values.making():
            write_nodes(self.nodes, values.nodes, values)
            for path, graph in graphs.items():
                write_nodes(graph.nodes, subgraphs[path]["nodes"], values)
            result = self.result(lambda node: values.make(values.nodes[self.positions[node]])[0])
        if not self.interpreter.python_nodes:
            guards = [guard["expr"] for guard in annotations.get("guards", ()) if guard.get("kind") != "assertion"]
            remember(self.interpreter, self.given, self.attributes, self.nodes, graphs, values, guards)
        return result

    def write_nodes(self, nodes, found, values):
        copies = values.copies(self.given)
        for node, of_node in zip(nodes, found):
            if (copy := copies.get(node)) is not None:
                set_value(node, copy)
            else:
                self.write_node(node, of_node, values)

    def write_lazily(self, nodes, found, values):
        given, is_none, makes_symbols = self.given, values.is_none, values.makes_symbols
        late = []
        for node, of_node in zip(nodes, found):
            if makes_symbols(of_node) or node in given and not self.is_described(node):
                self.write_node(node, of_node, values)
            elif not is_none(of_node):
                late.append((node, of_node))
        set_lazily(late, values)

    def is_described(self, node):
        """Whether the annotation has all of a given value."""
        return node.op == "placeholder" and type(self.given[node]) is FakeTensor

    def write_node(self, node, of_node, values):
        if node in self.given:
            value, bindings = torch.fx.node.map_aggregate(self.given[node], recorded), None
        else:
            value, bindings = values.make(of_node)
        if value is not None:
            set_value(node, value)
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
                raise LeftToTorch(f"{node.name} had other unbacked symbols before")
            bound.update(zip(fresh, old))
        return bound

    def make(self, name, entry):
        if name.startswith("zuf"):
            return self.env.create_unbacked_symfloat().node.expr
        symbol = self.env.create_unbacked_symint().node.expr
        self.env.constrain_symbol_range(symbol, entry.get("min", -int_oo), entry.get("max", int_oo))
        self.env.pending_fresh_unbacked_symbols.remove(symbol)
        return symbol
