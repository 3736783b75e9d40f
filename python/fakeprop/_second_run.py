"""A second run of FakeTensorProp over a graph of which a few nodes changed: the core runs those nodes alone.

A run leaves on its module what it saw of each node. The next run, of the same inputs under the same mode, compares by
identity, which takes a fraction of a microsecond a node. The nodes that changed go to the core as a graph of their own, whose
inputs are the values that they take. Where a value has other metadata than before, or stands on another storage, the nodes
that depend on it run too. All other values stay. Whatever is not plain (writes, sizes that depend on data, subgraphs)
has the whole graph run again.
"""

import functools
import operator

import torch
from torch._subclasses.fake_tensor import FakeTensor

from fakeprop._lazy_meta import LazyMeta, set_lazily
from fakeprop._module_graph import ModuleGraph
from fakeprop._module_values import LeftToTorch, attribute_of, set_value, take_guards
from fakeprop._program import FakepropError
from fakeprop._spec import Spec
from fakeprop._values import DescribedTensor, values_of

_KEY = "_fakeprop_run"  # in the module's __dict__
_SETS_STATE = {torch._C._set_grad_enabled, torch.amp.autocast_mode._enter_autocast, torch.amp.autocast_mode._exit_autocast}


class Memory:
    """What a run saw: its mode, inputs and attributes, and each node with its call and its value, in subgraphs too."""

    def __init__(self, interpreter, given, attributes, nodes, subgraphs, values, guards):
        self.mode = interpreter._mode
        self.lazy = interpreter.lazy
        self.grad_enabled = torch.is_grad_enabled()
        self.given = given
        self.attributes = attributes
        self.versions = self.versions_now()
        self.nodes = nodes
        self.seen = dict(zip(nodes, map(_seen, nodes)))
        self.subgraphs = {path: [(node, _seen(node)) for node in graph.nodes] for path, graph in subgraphs.items()}
        self.values = values
        self.guards = guards
        self.later = {}  # by node that ran again: its values, and what stands for it there

    def see(self, nodes, count):
        """`nodes` ran again, in a graph that has `count` now."""
        self.seen.update({node: _seen(node) for node in nodes})
        if len(self.seen) > 2 * count:  # most are of nodes that were erased
            self.seen = {node: seen for node, seen in self.seen.items() if not node._erased}
            self.later = {node: place for node, place in self.later.items() if not node._erased}

    @functools.cached_property
    def first(self):
        return dict(zip(self.nodes, self.values.nodes))

    def place_of(self, node):
        """The values that have a node's value, and what stands for it there."""
        return self.later.get(node) or (self.values, self.first[node])

    def describe(self, node):
        values, place = self.place_of(node)
        return values.described(place)

    def versions_now(self):
        """Other numbers after something changed a tensor in place, its metadata too."""
        return [*map(_version, self.given.values()), *map(_version, self.attributes.values())]

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
            and all(map(operator.is_, given, self.given))
            and (all(map(operator.is_, given.values(), self.given.values())) or all(map(_is_same_input, given.values(), self.given.values())))
            and all(attribute_of(module, path) is value for path, value in self.attributes.items())
            and self.versions_now() == self.versions
            and all(_is_same_graph(attribute_of(module, path), seen) for path, seen in self.subgraphs.items())
        )


def remember(interpreter, given, attributes, nodes, subgraphs, values, guards):
    """Keeps on the module what a second run needs, if there can be one."""
    if not any(map(_sets_state, nodes)):
        given = {node: given[node] for node in nodes if node.op == "placeholder"}
        memory = Memory(interpreter, given, attributes, nodes, subgraphs, values, guards)
        interpreter.module.__dict__[_KEY] = memory


def _sets_state(node):
    return node.op == "call_function" and type(node.target) is not torch._ops.OpOverload and node.target in _SETS_STATE


def run_again(interpreter, nodes, given):
    """Runs what changed since the module's last run. Returns whether that was possible."""
    module = interpreter.module
    memory = module.__dict__.pop(_KEY, None)
    if memory is None or not memory.is_of(interpreter, given, module):
        return False
    try:
        if not _SecondRun(interpreter, memory, nodes).run():
            return False
    except (LeftToTorch, FakepropError):
        return False
    module.__dict__[_KEY] = memory
    return True


class _SecondRun:
    def __init__(self, interpreter, memory, nodes):
        self.interpreter = interpreter
        self.memory = memory
        self.nodes = nodes

    def run(self):
        ran = self.changed()
        while ran and all(map(_is_plain, ran)):
            part = _Part(self.interpreter, self.memory, ran)
            if not part.run():
                return False
            more = part.followers()
            if not more:
                part.write()
                return True
            more.update(ran)
            if 2 * len(more) > len(self.nodes):
                return False
            ran = [node for node in self.nodes if node in more]
        return not ran

    def changed(self):
        """The nodes of which something is not as the last run left it."""
        seen = self.memory.seen
        changed = []
        for node in self.nodes:
            was = seen.get(node)
            if was:
                target, args, kwargs, mark = was
                if node.target is target and node._args is args and node._kwargs is kwargs:
                    meta = node.meta
                    if meta is mark and type(meta) is LazyMeta or type(meta) is dict and meta.get("val") is mark:
                        continue
            changed.append(node)
        return changed


class _Part:
    """A run of some nodes, on the values that the others have."""

    def __init__(self, interpreter, memory, ran):
        self.interpreter = interpreter
        self.memory = memory
        self.ran = dict.fromkeys(ran)
        self.taken = {}  # the nodes whose values they take, with the values as described
        for node in ran:
            for needed in node.all_input_nodes:
                if needed not in self.ran and needed not in self.taken:
                    self.taken[needed] = memory.describe(needed)

    def run(self):
        """Has the core run the nodes. Returns whether it could."""
        mode = self.interpreter._mode
        graph = ModuleGraph(self.interpreter.module, [*self.taken, *self.ran])
        graph.inputs = self.taken
        answer = graph.read().annotate_objects(self.spec(mode).objects(), no_grad=not self.memory.grad_enabled)
        self.values, annotations = values_of(answer, mode, self.memory.values)
        if self.values is None:
            return False
        self.take_guards(annotations)
        places = iter(self.values.nodes)
        for (node, before), place in zip(self.taken.items(), places):
            self.join(before, self.values.described(place), self.memory.place_of(node)[0])
        self.places = dict(zip(self.ran, places))
        self.keep()
        return True

    def spec(self, mode):
        spec = Spec(mode)
        if symbols := self.memory.values.symbols:
            spec.add_symbols(symbols.by_name.values())
            spec.assumed = self.memory.guards
        for node, value in self.taken.items():
            spec.add_described(node, value, self.memory.place_of(node)[0].home)
        return spec

    def take_guards(self, annotations):
        if any(entry.get("kind") == "unbacked" for entry in annotations.get("symbols", {}).values()):
            raise LeftToTorch("a value has new unbacked symbols")
        take_guards(annotations, self.values)

    def join(self, before, now, values):
        """The storages of a value are those of `before` in other values."""
        for old, new in zip(_tensors(before), _tensors(now), strict=True):
            self.values.homes.setdefault(new.storage, values.home(old.storage))

    # --- what stays

    def keep(self):
        """Finds the nodes whose values are as before. Other values have other metadata (altered) or storages (moved), or are new."""
        self.kept, self.altered, self.moved = set(), [], []
        for node, place in self.places.items():
            if node not in self.memory.seen:
                continue
            before, now = self.memory.describe(node), self.values.described(place)
            if not _is_alike(before, now):
                self.altered.append(node)
            elif self.stays(node, before, now):
                self.kept.add(node)
            else:
                self.moved.append(node)

    def stays(self, node, before, now):
        """Whether a value can stand on the storages of the value before it. Then those that the node makes now become these."""
        values, homes = self.memory.place_of(node)[0], self.values.homes
        made = {}
        for old, new in zip(_tensors(before), _tensors(now)):
            home = values.home(old.storage)
            if new.storage not in homes and values.described_bytes(old.storage) != self.values.described_bytes(new.storage):
                return False
            if (homes.get(new.storage) or made.setdefault(new.storage, home)) != home:
                return False
        if made and not self.made_before(node, made.values()):
            return False
        homes.update(made)
        return True

    def made_before(self, node, homes):
        """Whether the node made these storages when it ran before, and nothing else stands for one of them."""
        taken = set(self.values.homes.values())
        _, args, kwargs, _ = self.memory.seen[node]
        for needed in _nodes_in((args, kwargs)):
            if needed not in self.memory.seen:
                return False
            taken.update(self.homes_of(needed))
        return len({*homes}) == len(homes) and taken.isdisjoint(homes)

    def homes_of(self, node):
        """The storages that the node's value stood on before."""
        values, place = self.memory.place_of(node)
        return {values.home(tensor.storage) for tensor in _tensors(values.described(place))}

    def followers(self):
        """The nodes that have to run too: they depend on an altered value, or stand on a storage that one moved away from."""
        found = set()
        for node in self.altered:
            self.follow(node, found, lambda user: True)
        for node in self.moved:
            homes = self.homes_of(node)
            self.follow(node, found, lambda user: user in self.memory.seen and not homes.isdisjoint(self.homes_of(user)))
        return found

    def follow(self, node, found, is_wanted):
        waiting = [node]
        while waiting:
            for user in waiting.pop().users:
                if user not in found and user not in self.ran and is_wanted(user):
                    found.add(user)
                    waiting.append(user)

    # --- what is written

    def write(self):
        memory = self.memory
        places = {node: (self.values, place) for node, place in self.places.items() if node not in self.kept}
        memory.later.update(places)
        unwritten = [node for node in self.ran if node in places or not _has_value_of(node, memory.seen[node])]
        with self.values.making():
            for node in unwritten:
                self.write_value(node, *memory.place_of(node))
        memory.see(self.ran, len(self.interpreter.module.graph.nodes))

    def write_value(self, node, values, place):
        if self.memory.lazy and not values.is_none(place):
            set_lazily([(node, place)], values)
        elif (value := values.make(place)[0]) is not None:
            set_value(node, value)


def _seen(node):
    meta = node.meta
    return node.target, node._args, node._kwargs, meta if isinstance(meta, LazyMeta) else meta.get("val")


def _is_as_seen(node, was):
    """Whether the call is the same, and nobody else wrote a value. A lazy value is not made for that."""
    target, args, kwargs, _ = was
    return node.target is target and node._args is args and node._kwargs is kwargs and _has_value_of(node, was)


def _has_value_of(node, was):
    meta = node.meta
    return (meta if type(meta) is LazyMeta else meta.get("val")) is was[3]


def _is_same_graph(module, seen):
    nodes = list(module.graph.nodes) if isinstance(module, torch.fx.GraphModule) else []
    return len(nodes) == len(seen) and all(node is was and _is_as_seen(node, mark) for node, (was, mark) in zip(nodes, seen))


def _is_same_input(a, b):
    return a is b or isinstance(a, (bool, int, float, str)) and type(a) is type(b) and a == b


def _version(value):
    if type(value) is FakeTensor or isinstance(value, torch.Tensor):  # the second takes five times as long
        try:
            return value._version
        except RuntimeError:  # an inference tensor has none
            return None
    return list(map(_version, value)) if isinstance(value, (list, tuple)) else None


def _is_plain(node):
    """The output, or a call that writes to nothing, and whose result depends on metadata alone as far as its tags say."""
    target = node.target
    if not isinstance(target, torch._ops.OpOverload):
        return node.op == "output" or target is operator.getitem
    tags = target.tags
    return (
        not target._schema.is_mutable
        and torch.Tag.dynamic_output_shape not in tags
        and torch.Tag.data_dependent_output not in tags
        and "unbacked_bindings" not in node.meta
    )


def _is_alike(before, now):
    """Whether two described values differ in their storages at most."""
    if isinstance(before, DescribedTensor):
        return isinstance(now, DescribedTensor) and before[1:] == now[1:]
    if isinstance(before, tuple):
        return isinstance(now, tuple) and not isinstance(now, DescribedTensor) and len(before) == len(now) and all(map(_is_alike, before, now))
    return type(before) is type(now) and before == now


def _tensors(described):
    if isinstance(described, DescribedTensor):
        yield described
    elif isinstance(described, tuple):
        for item in described:
            yield from _tensors(item)


def _nodes_in(arguments):
    nodes = []
    torch.fx.node.map_arg(arguments, nodes.append)
    return nodes
