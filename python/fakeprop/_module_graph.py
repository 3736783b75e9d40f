"""A graph module for the core, which reads its nodes as they are (lib/api/fx_objects.h)."""

import functools
import json
import operator

import torch
from torch.fx.immutable_collections import immutable_list

import fakeprop_fx
from fakeprop._core import Graph

_HEADER = {"format": fakeprop_fx.FORMAT, "torch_version": torch.__version__}
_HEADER_TEXT = json.dumps(_HEADER)
_KINDS = (torch.fx.Node, int, bool, type(None), float, str, tuple, list, immutable_list)


_KEY = "_fakeprop_graph"  # in the module's __dict__


class ModuleGraph(fakeprop_fx._Writer):
    """The document that fakeprop_fx.to_dict gives, without its text."""

    def __init__(self, module, nodes):
        super().__init__(module, with_meta=False)
        self.nodes = nodes
        self.inputs = {}  # nodes that are inputs, whatever they are in the module
        self.graphs = {}
        self.has_symbols = False  # among the arguments
        for node in nodes:
            if node.op == "get_attr" or node.op == "call_module":
                self.member(node.op, node.target, module, "", self.graphs)

    @functools.cached_property
    def known(self):
        """What the last run over the module read, if that is this graph; or None."""
        known = self.root.__dict__.get(_KEY)
        return known if known and known.is_of(self) else None

    def make_input(self, node):
        """From now on the node is an input."""
        self.inputs[node] = None

    def read(self):
        """The graph in the core."""
        return Graph.of_objects({"nodes": self.nodes, "kinds": _KINDS, "target": _target_name,
                                 "describe": self.describe, "inputs": self.inputs, "rest": self.rest}, "graph module")

    def read_whole(self):
        """The graph in the core. It stays on the module for the next run."""
        if self.known and not self.inputs:
            return self.known.graph
        graph = self.read()
        if not (self.inputs or self.has_symbols):
            self.root.__dict__[_KEY] = _ReadGraph(self, graph)
        return graph

    def describe(self, argument):
        """The JSON of an argument of another type than _KINDS."""
        if isinstance(argument, (torch.dtype, torch.device)):
            return _unchanging(argument)
        text = json.dumps(fakeprop_fx.argument(argument))
        self.has_symbols = self.has_symbols or '{"symint"' in text
        return text

    def rest(self):
        """The JSON of all but the nodes."""
        symbols = fakeprop_fx.input_symbols(self.root) if self.has_symbols else None
        rest = {"attributes": self.attributes, "modules": self.modules, "graphs": self.graphs, "symbols": symbols}
        rest = {key: value for key, value in rest.items() if value}
        return json.dumps(_HEADER | rest) if rest else _HEADER_TEXT


class _ReadGraph:
    """A graph that the core read, with what it was made of."""

    def __init__(self, of, graph):
        self.calls = list(map(_call, of.nodes))
        self.nodes, self.graph = of.nodes, graph
        self.members = of.attributes, of.modules, of.graphs

    def is_of(self, of):
        return (
            len(of.nodes) == len(self.nodes)
            and all(map(operator.is_, of.nodes, self.nodes))
            and all(node.name is name and node.target is target and node._args is args and node._kwargs is kwargs
                    for node, (name, target, args, kwargs) in zip(of.nodes, self.calls))
            and (of.attributes, of.modules, of.graphs) == self.members
        )

    def __deepcopy__(self, memo):
        return None  # the copy's nodes are others

    def __reduce__(self):
        return type(None), ()


def _call(node):
    return node.name, node.target, node._args, node._kwargs


_target_name = functools.lru_cache(maxsize=4096)(fakeprop_fx.target_name)


@functools.lru_cache(maxsize=256)
def _unchanging(argument):
    return json.dumps(fakeprop_fx.argument(argument))
