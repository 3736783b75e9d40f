"""PyTorch's answers to operator calls over symbols: FakeTensorMode with a ShapeEnv, as texts of expressions.

Symbols are named by place: t0s1 is size 1 of tensor 0, t0d1 a stride that is no product of sizes, t0o an offset, a0 an
argument.
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "truth"))

import sympy
import torch
from torch._dynamo.source import ConstantSource
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import DimDynamic
from torch.utils import _pytree

from answers import error_line, fake_tensor
from call_text import NoText, TensorSpec, contiguous_strides, find_operator, parse_call
from expressions import value_at
from specialised import SymbolicCall


class SymIntSpec:
    """The place of an argument that is a symbol."""

    def __init__(self, name, hint):
        self.name, self.hint = name, hint


def with_sym_ints(call):
    schema = find_operator(call.name)._schema
    count = 0

    def visit(value):
        nonlocal count
        if isinstance(value, list):
            return [visit(v) for v in value]
        if isinstance(value, bool) or not isinstance(value, int) or value < 2:
            return value
        count += 1
        return SymIntSpec(f"a{count - 1}", value)

    for i, argument in enumerate(schema.arguments):
        if not re.search(rf"SymInt\S* {argument.name}\b", str(schema)):  # its type says int
            continue
        if i < len(call.args):
            call.args[i] = visit(call.args[i])
        elif argument.name in call.kwargs:
            call.kwargs[argument.name] = visit(call.kwargs[argument.name])
    return call


def has_sym_ints(text):
    found = []
    try:
        mapped(parsed(text, "sym-ints"), lambda spec: None, found.append)
    except (AttributeError, NoText):  # no such operator here
        return False
    return bool(found)


def parsed(text, kind):
    call = parse_call(text)
    return with_sym_ints(call) if kind == "sym-ints" else call


def mapped(call, tensor, number):
    """The arguments with something else for tensors and for symbols."""
    def visit(value):
        if isinstance(value, TensorSpec):
            return tensor(value)
        if isinstance(value, SymIntSpec):
            return number(value)
        return [visit(v) for v in value] if isinstance(value, list) else value
    return [visit(v) for v in call.args], {k: visit(v) for k, v in call.kwargs.items()}


class UnbackedCall(SymbolicCall):
    """Sizes that data decides, of tensors that are made with them."""

    def make(self, spec):
        if spec.strides != contiguous_strides(spec.sizes) or spec.offset:
            raise NoText("made tensors are contiguous")
        name = f"t{self.count}"
        self.count += 1
        sizes = [self.size(f"{name}s{d}", size) for d, size in enumerate(spec.sizes)]
        with self.mode:
            return torch.empty(sizes, dtype=spec.dtype, device=spec.device)

    def size(self, name, hint):
        if hint < 2:
            return hint
        made = self.env.create_unbacked_symint()
        torch._check(made >= 0)
        self.remember(made, name)
        self.hints[name] = hint
        return made


class Described:
    """Texts of what PyTorch computed, with our names for its symbols."""

    def __init__(self, symbolic):
        self.symbolic, self.env = symbolic, symbolic.env
        self.renamed = {s: sympy.Symbol(n, integer=True) for s, n in symbolic.names.items()}

    def text(self, expression):
        if isinstance(expression, (torch.SymInt, torch.SymBool, torch.SymFloat)):
            expression = self.env.replace(expression.node.expr)
        if isinstance(expression, sympy.Basic):
            return str(expression.xreplace(self.renamed)).replace("~", "Not")
        return repr(expression) if isinstance(expression, float) else str(expression)

    def value(self, value):
        if isinstance(value, torch.Tensor):
            if value.layout != torch.strided:
                return ["tensor", str(value.layout), [], [], "0"]
            return ["tensor", str(value.dtype).removeprefix("torch."), [self.text(d) for d in value.shape],
                    [self.text(d) for d in value.stride()], self.text(value.storage_offset())]
        is_number = isinstance(value, (int, float, torch.SymInt, torch.SymFloat, torch.SymBool))
        return ["number", self.text(value) if is_number else None]

    def values(self, result):
        return [self.value(v) for v in _pytree.tree_leaves(result, is_leaf=lambda v: v is None)]

    def guards(self):
        texts = [self.text(self.env.replace(g.expr)) for g in self.env.guards]
        for symbol, new in self.env.replacements.items():
            if symbol in self.renamed:
                texts.append(f"Eq({self.text(symbol)}, {self.text(new)})")
        for symbol, around in self.env.var_to_range.items():
            if symbol not in self.renamed:
                continue
            if around.lower.is_Integer and around.lower > (0 if self.symbolic.hints else 2):
                texts.append(f"{self.text(symbol)} >= {around.lower}")
            if around.upper.is_Integer and around.upper < 2**60:
                texts.append(f"{self.text(symbol)} <= {around.upper}")
        for asserts in self.env.deferred_runtime_asserts.values():
            texts += [self.text(self.env.replace(a.expr)) for a in asserts]
        return [t for t in texts if t != "True"]


def symbolic_answer(job):
    text, kind = job
    symbolic = UnbackedCall() if kind == "unbacked" else SymbolicCall()
    symbolic.hints = {}
    call = parsed(text, kind)
    inputs, numbers = [], {}

    def tensor(spec):
        inputs.append((spec, symbolic.make(spec)))
        return inputs[-1][1]

    def number(spec):
        source = ConstantSource(spec.name)
        symbol = symbolic.env.create_symbol(spec.hint, source, dynamic_dim=DimDynamic.DYNAMIC)
        numbers[spec.name] = spec.hint
        made = symbolic.env.create_symintnode(symbol, hint=spec.hint, source=source)
        symbolic.remember(made, spec.name)
        return made

    args, kwargs = mapped(call, tensor, number)
    described = Described(symbolic)
    answer = {"inputs": [[spec.dtype, spec.device, *described.value(t)[2:]] for spec, t in inputs], "numbers": numbers}
    answer["hints"] = symbolic.hints or {name: int(symbolic.env.size_hint(s)) for s, name in symbolic.names.items()}
    try:
        with symbolic.mode:
            result = find_operator(call.name)(*args, **kwargs)
        answer["values"] = described.values(result)
    except Exception as e:
        answer["error"] = error_line(e)
    answer["fixed"] = symbolic.specialised()
    answer["guards"] = described.guards()
    return answer


def concrete_answer(job):
    """What FakeTensorMode says with numbers: values, or None for an error."""
    text, kind, inputs, point = job
    mode = FakeTensorMode(allow_fallback_kernels=True)
    mode.cache_enabled = False
    rest = iter(inputs)

    def tensor(_):
        dtype, device, sizes, strides, offset = next(rest)
        sizes, strides = ([value_at(d, point) for d in dims] for dims in (sizes, strides))
        spec = TensorSpec(sizes, strides, value_at(offset, point), dtype, device)
        return fake_tensor(spec, mode)

    call = parsed(text, kind)
    args, kwargs = mapped(call, tensor, lambda spec: point[spec.name])
    try:
        with mode:
            result = find_operator(call.name)(*args, **kwargs)
    except Exception as e:
        return "!" + error_line(e)
    symbolic = SymbolicCall()
    symbolic.hints = {}
    return Described(symbolic).values(result)


def guarded_answer(job):
    try:
        return symbolic_answer(job)
    except Exception as e:  # no such operator here, or inputs that no ShapeEnv makes
        return {"bad": repr(e)}
