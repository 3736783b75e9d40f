"""A second run of FakeTensorProp over a graph of which a few nodes changed: those nodes alone run, by PyTorch in Python.

A run leaves on its module what it saw of each node. The next run, of the same inputs under the same mode, compares by
identity, which takes a fraction of a microsecond a node. Whatever is not plain (writes, symbols that depend on data,
subgraphs, more than a few nodes) has the whole graph run again.
"""

import operator

import torch
from torch._subclasses.fake_tensor import FakeTensor

from fakeprop._lazy_meta import LazyMeta
from fakeprop._module_values import attribute_of, recorded

_KEY = "_fakeprop_run"  # in the module's __dict__
_MOST_NODES = 16  # that run in Python; for more the core is quicker


class Memory:
    """What a run saw: its mode, inputs and attributes, and each node with its call and its value, in subgraphs too."""

    def __init__(self, interpreter, given, attributes, nodes, subgraphs):
        self.mode = interpreter._mode
        self.lazy = interpreter.lazy
        self.grad_enabled = torch.is_grad_enabled()
        self.given = [given[node] for node in nodes if node.op == "placeholder"]
        self.attributes = attributes
        self.seen = dict(zip(nodes, map(_seen, nodes)))
        self.subgraphs = {path: [(node, _seen(node)) for node in graph.nodes] for path, graph in subgraphs.items()}

    def write_on(self, module):
        module.__dict__[_KEY] = self

    def remember(self, nodes, count):
        """`nodes` ran again, in a graph that has `count` now."""
        self.seen.update({node: _seen(node) for node in nodes})
        if len(self.seen) > 2 * count:  # most are of nodes that were erased
            self.seen = {node: seen for node, seen in self.seen.items() if not node._erased}

    def __deepcopy__(self, memo):
        return None  # the copy's nodes are others

    def __reduce__(self):
        return type(None), ()

    def is_of(self, interpreter, given, module):
        """Whether a run would begin with the same values."""
        return (
            self.mode is interpreter._mode
            and self.lazy == interpreter.lazy
            and self.grad_enabled == torch.is_grad_enabled()
            and len(given) == len(self.given)
            and (all(map(operator.is_, given.values(), self.given)) or all(map(_is_same_input, given.values(), self.given)))
            and all(attribute_of(module, path) is value for path, value in self.attributes.items())
            and all(_is_same_graph(attribute_of(module, path), seen) for path, seen in self.subgraphs.items())
        )


def run_again(interpreter, given):
    """Runs what changed since the module's last run. Returns whether that was possible."""
    module = interpreter.module
    memory = module.__dict__.get(_KEY)
    if memory is None or not memory.is_of(interpreter, given, module):
        return False
    return _SecondRun(interpreter, memory, given).run()


class _SecondRun:
    def __init__(self, interpreter, memory, given):
        self.interpreter = interpreter
        self.memory = memory
        self.given = given
        self.changed = []  # nodes that are to run, in the graph's order
        self.values = {}  # of those that ran

    def run(self):
        seen = self.memory.seen
        dirty = set()
        for node in self.interpreter.module.graph.nodes:
            was = seen.get(node)
            if was and node not in dirty:
                target, args, kwargs, mark = was
                # _is_as_seen, without a call: this loop is most of a run
                if node.target is target and node._args is args and node._kwargs is kwargs:
                    meta = node.meta
                    if meta is mark or type(meta) is dict and meta.get("val") is mark:
                        continue
            if len(self.changed) == _MOST_NODES or not (was and self.keep_value(node, was) or self.run_node(node)):
                return False
            self.changed.append(node)
            if self.values[node] is not node.meta.get("val") and self.changes_users(node):
                dirty.update(node.users)
        self.write()
        return True

    def keep_value(self, node, was):
        """Keeps the value of a call that ran before on tensors of the same metadata, and made a storage of its own."""
        target, args, kwargs, _ = was
        if node.target is not target or not _is_as_made(node, was) or not _is_builtin_call(node):
            return False
        if not self.are_alike(args, node._args) or not self.are_alike(kwargs, node._kwargs):
            return False
        value = node.meta.get("val")
        tensors = value if isinstance(value, (list, tuple)) else (value,)
        if not all(isinstance(tensor, FakeTensor) and self.is_new(tensor, (args, kwargs)) for tensor in tensors):
            return False
        self.values[node] = value
        return True

    def are_alike(self, before, now):
        """Whether arguments differ in nothing that the metadata of a result depends on."""
        if isinstance(before, torch.fx.Node) and isinstance(now, torch.fx.Node):
            return self.is_value_alike(before, now)
        if type(before) is not type(now):
            return False
        if isinstance(before, dict):
            return before.keys() == now.keys() and all(self.are_alike(item, now[key]) for key, item in before.items())
        if isinstance(before, (list, tuple)):
            return len(before) == len(now) and all(map(self.are_alike, before, now))
        return before is now or isinstance(before, (bool, int, float, str, torch.dtype, torch.device)) and before == now

    def is_value_alike(self, before, now):
        was = self.memory.seen.get(before)
        if was is None or not _is_as_made(before, was):
            return False
        old, new = before.meta.get("val"), self.value_of(now)
        if not isinstance(old, FakeTensor) or not isinstance(new, FakeTensor):
            return False
        return old is new or old.constant is None and new.constant is None and _metadata(old) == _metadata(new)

    def run_node(self, node):
        """False if the node is not one that can run by itself."""
        if node.op == "output":
            self.values[node] = torch.fx.node.map_arg(node.args[0], self.value_of)
            return True
        if not _is_plain_call(node):
            return False
        args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), self.value_of)
        with self.interpreter._mode as mode:
            value = getattr(self.interpreter, node.op)(node.target, args, kwargs)
        if mode.shape_env is not None and mode.shape_env.pending_fresh_unbacked_symbols:
            return False
        self.values[node] = torch.fx.node.map_aggregate(value, recorded)
        return True

    def value_of(self, node):
        if node in self.values:
            return self.values[node]
        return self.given[node] if node in self.given else node.meta.get("val")

    def changes_users(self, node):
        """Whether nodes that take this one's value have to run again."""
        seen = self.memory.seen.get(node)
        if seen is None or node.op == "output":
            return False  # a new node: who takes it was changed too
        before, now = node.meta.get("val"), self.values[node]
        if not isinstance(before, FakeTensor) or not isinstance(now, FakeTensor) or _metadata(before) != _metadata(now):
            return True
        if _storage(before) == _storage(now):
            return False  # a view of what it was a view of
        if self.is_new(before, seen[1:3]) and self.is_new(now, (node.args, node.kwargs)):
            self.values[node] = before  # who takes it stays as it is, views too
            return False
        return any(_stands_on(user.meta.get("val"), _storage(before)) for user in node.users)

    def is_new(self, value, arguments):
        """Whether a call with these arguments made the value's storage."""
        nodes = []
        torch.fx.node.map_arg(arguments, nodes.append)
        return not any(_stands_on(of_node, _storage(value)) for node in nodes for of_node in (node.meta.get("val"), self.value_of(node)))

    def write(self):
        for node, value in self.values.items():
            node.meta = dict(dict.items(node.meta))
            if value is not None:
                node.meta["val"] = value
        self.memory.remember(self.values, len(self.interpreter.module.graph.nodes))


def _seen(node):
    meta = node.meta
    return node.target, node._args, node._kwargs, meta if type(meta) is LazyMeta else meta.get("val")


def _mark(node):
    """What is there as long as nobody else writes a value: a lazy value is not made for that."""
    return node.meta if isinstance(node.meta, LazyMeta) else node.meta.get("val")


def _is_as_seen(node, seen):
    target, args, kwargs, mark = seen
    return node.target is target and node._args is args and node._kwargs is kwargs and _mark(node) is mark


def _is_as_made(node, seen):
    """Whether the node's value is still that of the last run."""
    return _mark(node) is seen[3]


def _is_builtin_call(node):
    """A plain call of an operator that is known to depend on metadata alone, as PyTorch's cache of fake tensors takes it."""
    return _is_plain_call(node) and torch._library.utils.is_builtin(node.target)


def _is_same_graph(module, seen):
    nodes = list(module.graph.nodes) if isinstance(module, torch.fx.GraphModule) else []
    return len(nodes) == len(seen) and all(node is was and _is_as_seen(node, mark) for node, (was, mark) in zip(nodes, seen))


def _is_same_input(a, b):
    return a is b or isinstance(a, (bool, int, float, str)) and type(a) is type(b) and a == b


def _is_plain_call(node):
    """An operator that writes to nothing, and whose result depends on metadata alone as far as its tags say."""
    if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload) or "unbacked_bindings" in node.meta:
        return False
    tags = node.target.tags
    return not node.target._schema.is_mutable and torch.Tag.dynamic_output_shape not in tags and torch.Tag.data_dependent_output not in tags


def _metadata(tensor):
    sizes = [_size(size) for size in (*tensor.shape, *tensor.stride(), tensor.storage_offset())]
    return sizes, tensor.dtype, tensor.device, tensor.layout, tensor.requires_grad, tensor.is_conj(), tensor.is_neg()


def _size(size):
    return size.node.expr if isinstance(size, torch.SymInt) else size  # without a guard


def _storage(tensor):
    return tensor.untyped_storage()._cdata


def _stands_on(value, storage):
    values = value if isinstance(value, (list, tuple)) else [value]
    return any(isinstance(item, FakeTensor) and _storage(item) == storage for item in values)
