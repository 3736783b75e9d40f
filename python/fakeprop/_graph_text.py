"""A graph module as text for the core (fakeprop.fx/1), several times as fast as by fakeprop_fx.to_dict and json."""

import functools
import json
import math

import torch
from torch.fx.immutable_collections import immutable_list

import fakeprop_fx


class GraphText(fakeprop_fx._Writer):
    """The document that fakeprop_fx.to_dict gives, with a line of text for each node."""

    def __init__(self, module):
        super().__init__(module, with_meta=False)
        self.graphs = {}
        self.lines = [self.line(node) for node in module.graph.nodes]

    def line(self, node):
        op, target, args, kwargs = node.op, node.target, node.args, node.kwargs
        if op == "get_attr" or op == "call_module":
            self.member(op, target, self.root, "", self.graphs)
        text = f'{{"name": {_name(node.name)}, "op": "{op}", "target": {_target(target)}'
        if args:
            text += f', "args": {_items(args)}'
        if kwargs:
            text += f', "kwargs": {{{", ".join([f"{json.dumps(key)}: {_text(item)}" for key, item in kwargs.items()])}}}'
        return text + "}"

    def make_input(self, index, name):
        """From now on the node is an input."""
        self.lines[index] = f'{{"name": {_name(name)}, "op": "placeholder", "target": {_name(name)}}}'

    def content(self):
        """The document as bytes."""
        nodes = ",\n".join(self.lines)
        rest = {"attributes": self.attributes, "modules": self.modules, "graphs": self.graphs}
        if '{"symint"' in nodes:
            rest["symbols"] = fakeprop_fx.input_symbols(self.root)
        ends = [f'"{key}": {json.dumps(value)}' for key, value in rest.items() if value]
        starts = [f'"format": "{fakeprop_fx.FORMAT}"', f'"torch_version": "{torch.__version__}"', f'"nodes": [\n{nodes}]']
        return ("{" + ",\n".join(starts + ends) + "}").encode()


def _name(name):
    return f'"{name}"' if name.isidentifier() else json.dumps(name)


@functools.lru_cache(maxsize=4096)
def _target(target):
    return json.dumps(fakeprop_fx.target_name(target))


def _text(value):
    return _WRITERS.get(type(value), _any)(value)


def _items(values):
    return f'[{", ".join([_WRITERS.get(type(value), _any)(value) for value in values])}]'


def _any(value):
    return json.dumps(fakeprop_fx.argument(value))


_WRITERS = {
    torch.fx.Node: lambda node: f'{{"node": {_name(node.name)}}}',
    int: str,
    bool: lambda value: "true" if value else "false",
    type(None): lambda value: "null",
    float: lambda value: repr(value) if math.isfinite(value) else _any(value),
    tuple: lambda value: f'{{"tuple": {_items(value)}}}',
    list: _items,
    immutable_list: _items,
    torch.dtype: functools.lru_cache(_any),
    torch.device: functools.lru_cache(_any),
}
