#!/usr/bin/env python3
"""Turns the hand-written graphs of testdata/inplace/ into export JSON and records what PyTorch says of their values.

    export_inplace_graphs.py [--check] [NAME...]

torch.export does not trace most changes of metadata in place (t_, resize_, set_ ...), while graphs may hold them. Each
case is a graph.txt of lines `name = aten.op.overload(arguments)` after its placeholders `name = input(shape)` and
`name = parameter(shape)`, which requires grad. All results are outputs. For each case this writes beside it:
  graph.json      the serialized exported program
  expected.json   the annotations, computed by PyTorch's FakeTensorProp; they end at the first node that raises

--check writes nothing and fails where a file would change.
"""

import ast
import logging
import operator
import sys

import torch
from torch._export.serde import serialize
from torch._export.verifier import TrainingIRVerifier
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import exported_program as export
from torch.export.graph_signature import (
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)
from torch.utils import _pytree as pytree

import annotations
import golden


class GraphText:
    """Builds an FX graph from its text. Placeholders carry the tensor that they stand for in meta['val']."""

    def __init__(self, text):
        self.graph = torch.fx.Graph()
        self.nodes = {}
        self.parameters = {}
        for line in ast.parse(text).body:
            name = line.targets[0].id
            node = self.read_node(name, line.value)
            node.name = name
            self.nodes[name] = node
        self.graph.output(tuple(self.results()))

    def read_node(self, name, right):
        if isinstance(right, ast.Subscript):
            return self.graph.call_function(operator.getitem, (self.value(right.value), self.value(right.slice)))
        args = tuple(self.value(arg) for arg in right.args)
        kwargs = {keyword.arg: self.value(keyword.value) for keyword in right.keywords}
        match ast.unparse(right.func).split("."):
            case ["input"]:
                return self.placeholder(name, torch.empty(*args, **kwargs))
            case ["parameter"]:
                self.parameters[name] = torch.nn.Parameter(torch.empty(*args, **kwargs))
                return self.placeholder(name, self.parameters[name])
            case [namespace, op, overload]:
                target = getattr(getattr(getattr(torch.ops, namespace), op), overload)
                return self.graph.call_function(target, args, kwargs)
        raise SyntaxError(f"not a placeholder, an operator or a subscript: {ast.unparse(right)}")

    def placeholder(self, name, value):
        node = self.graph.placeholder(name)
        node.meta["val"] = value
        return node

    def value(self, syntax):
        if isinstance(syntax, ast.Name):
            return self.nodes[syntax.id]
        if isinstance(syntax, ast.Attribute):
            return getattr(torch, syntax.attr)
        if isinstance(syntax, ast.List):
            return [self.value(item) for item in syntax.elts]
        return ast.literal_eval(syntax)

    def results(self):
        return [node for node in self.graph.nodes if returns_tensor(node)]


def returns_tensor(node):
    if node.op != "call_function":
        return False
    return node.target is operator.getitem or [str(it.type) for it in node.target._schema.returns] == ["Tensor"]


def fill_in_values(module):
    """Sets meta['val'] of every node as export records it: a detached snapshot of what the node returned.

    What follows a node that raises is recorded like the first argument; a graph has to record something there.
    """
    mode = FakeTensorMode()
    placeholders = module.graph.find_nodes(op="placeholder")
    values = [node.meta["val"] for node in placeholders]
    annotations.propagate(module, mode, map(mode.from_tensor, values))
    for node, value in zip(placeholders, values):
        node.meta["val"] = mode.from_tensor(torch.empty_like(value, requires_grad=value.requires_grad))
    for node in module.graph.nodes:
        if returns_tensor(node) and "val" not in node.meta:
            node.meta["val"] = node.all_input_nodes[0].meta["val"]


def exported_program(text):
    """The exported program of a graph in text form."""
    parsed = GraphText(text)
    module = torch.fx.GraphModule(torch.nn.Module(), parsed.graph)
    fill_in_values(module)
    inputs, parameters, results = [], parsed.parameters, parsed.results()
    for node in parsed.graph.find_nodes(op="placeholder"):
        is_parameter = node.name in parameters
        kind = InputKind.PARAMETER if is_parameter else InputKind.USER_INPUT
        inputs.append(InputSpec(kind, TensorArgument(node.name), node.name if is_parameter else None))
    outputs = [OutputSpec(OutputKind.USER_OUTPUT, TensorArgument(node.name), None) for node in results]
    user_inputs = [spec.arg for spec in inputs if spec.kind == InputKind.USER_INPUT]
    call = export.ModuleCallSignature(
        inputs=user_inputs,
        outputs=[spec.arg for spec in outputs],
        in_spec=pytree.tree_structure((tuple(user_inputs), {})),
        out_spec=pytree.tree_structure(tuple(outputs)),
    )
    return export.ExportedProgram(
        root=module,
        graph=parsed.graph,
        graph_signature=ExportGraphSignature(inputs, outputs),
        state_dict=parameters,
        range_constraints={},
        module_call_graph=[export.ModuleCallEntry("", call)],
        verifiers=[TrainingIRVerifier],
    )


def record(folder):
    """File name and content of everything that is recorded for a case."""
    program = exported_program((folder / "graph.txt").read_text())
    graph = serialize.serialize(program, serialize_state_dict=False, serialize_constants=False).exported_program
    return {
        "graph.json": graph,
        "expected.json": annotations.to_text(annotations.annotate(graph, "graph.json")).encode(),
    }


if __name__ == "__main__":
    logging.getLogger("torch._subclasses.fake_tensor").setLevel(logging.CRITICAL)  # some cases raise on purpose
    sys.exit(golden.run(__doc__, golden.ROOT / "testdata" / "inplace", "graph.txt", record))
