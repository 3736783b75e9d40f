"""A graph module for the core, which reads its nodes as they are (lib/api/fx_objects.h)."""

import functools
import json

import torch
from torch.fx.immutable_collections import immutable_list

import fakeprop_fx
from fakeprop._core import Graph

_HEADER = {"format": fakeprop_fx.FORMAT, "torch_version": torch.__version__}
_HEADER_TEXT = json.dumps(_HEADER)
_KINDS = (torch.fx.Node, int, bool, type(None), float, str, tuple, list, immutable_list)


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

    def make_input(self, node):
        """From now on the node is an input."""
        self.inputs[node] = None

    def read(self):
        """The graph in the core."""
        return Graph.of_objects({"nodes": self.nodes, "kinds": _KINDS, "target": _target_name,
                                 "describe": self.describe, "inputs": self.inputs, "rest": self.rest}, "graph module")

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


_target_name = functools.lru_cache(maxsize=4096)(fakeprop_fx.target_name)


@functools.lru_cache(maxsize=256)
def _unchanging(argument):
    return json.dumps(fakeprop_fx.argument(argument))
