"""Small programs of operator calls: as data, as text, and as FX JSON with an input spec."""

import copy
import dataclasses
import math

import torch


@dataclasses.dataclass(frozen=True)
class Ref:
    """A value of the program as an argument."""
    name: str

    def __repr__(self):
        return self.name


@dataclasses.dataclass
class Input:
    name: str
    sizes: list
    strides: list
    offset: int
    dtype: torch.dtype
    requires_grad: bool = False
    view_of: str = None

    def extent(self):
        """How many elements the smallest storage has that holds it."""
        return 0 if 0 in self.sizes else self.offset + 1 + sum((n - 1) * s for n, s in zip(self.sizes, self.strides))

    def __str__(self):
        text = f"{self.name} = {dtype_name(self.dtype)}{self.sizes} stride {self.strides} offset {self.offset}"
        return text + (" rg" if self.requires_grad else "") + (f" view_of {self.view_of}" if self.view_of else "")

    def spec(self):
        entry = {"shape": self.sizes, "stride": self.strides, "storage_offset": self.offset,
                 "dtype": dtype_name(self.dtype), "requires_grad": self.requires_grad}
        return entry | ({"view_of": self.view_of} if self.view_of else {})


@dataclasses.dataclass
class Step:
    name: str
    target: str  # "add.Tensor" of aten, or a dotted path of Python
    args: list
    kwargs: dict

    def refs(self):
        found = []
        mapped([self.args, self.kwargs], found.append)
        return found

    def __str__(self):
        parts = [shown(a) for a in self.args] + [f"{k}={shown(v)}" for k, v in self.kwargs.items()]
        return f"{self.name} = {self.target}({', '.join(parts)})"


@dataclasses.dataclass
class Program:
    inputs: list
    steps: list

    def text(self):
        return [str(part) for part in self.inputs + self.steps]

    def copy(self):
        return Program(copy.deepcopy(self.inputs), copy.deepcopy(self.steps))

    def fx(self):
        nodes = [{"name": i.name, "op": "placeholder", "target": i.name} for i in self.inputs]
        nodes += [fx_node(step) for step in self.steps]
        nodes.append({"name": "output", "op": "output", "target": "output", "args": [None]})
        return {"format": "fakeprop.fx/1", "torch_version": torch.__version__, "nodes": nodes}

    def spec(self):
        return {"format": "fakeprop.inputs/1", "inputs": {i.name: i.spec() for i in self.inputs}}


def mapped(value, visit):
    """The value with `visit(ref)` in each Ref's place."""
    if isinstance(value, Ref):
        return visit(value)
    if isinstance(value, (list, tuple)):
        return [mapped(v, visit) for v in value]
    if isinstance(value, dict):
        return {k: mapped(v, visit) for k, v in value.items()}
    return value


def fx_node(step):
    target = step.target if step.target.startswith(("_operator.", "torch.")) else "torch.ops.aten." + with_overload(
        step.target)
    node = {"name": step.name, "op": "call_function", "target": target, "args": [fx_value(a) for a in step.args]}
    return node | ({"kwargs": {k: fx_value(v) for k, v in step.kwargs.items()}} if step.kwargs else {})


def with_overload(target):
    return target if "." in target else target + ".default"


def dtype_name(dtype):
    return str(dtype).removeprefix("torch.")


def shown(value):
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(shown(v) for v in value) + "]"
    return repr(value).removeprefix("torch.")


TAGS = {torch.dtype: "dtype", torch.memory_format: "memory_format", torch.layout: "layout", torch.device: "device"}


def fx_value(value):
    """An argument as FX JSON has it."""
    if isinstance(value, Ref):
        return {"node": value.name}
    if isinstance(value, (list, tuple)):
        return [fx_value(v) for v in value]
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    tag = TAGS.get(type(value))
    return {tag: str(value).removeprefix("torch.")} if tag else value
