"""Operator calls as text, read and written: the syntax of lib/rules/testing/call_text.h.

    >>> call = parse_call("add.Tensor(f32[2,3]{1,2}, f32[3]@cuda:0, alpha=2)")
    >>> call.args[0].strides
    [1, 2]

A call's tensors are `TensorSpec`s, a layout without data, so that calls can be varied before anything runs.
"""

import dataclasses
import importlib
import math
import re

import torch

SHORT_DTYPES = {
    "f32": "float32", "i64": "int64", "b8": "bool", "bf16": "bfloat16", "f16": "float16", "f64": "float64",
    "i32": "int32", "i16": "int16", "i8": "int8", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "c32": "complex32", "c64": "complex64", "c128": "complex128", "f8e4m3fn": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2", "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2fnuz": "float8_e5m2fnuz",
    "f8e8m0fnu": "float8_e8m0fnu", "f4e2m1fnx2": "float4_e2m1fn_x2", "qi8": "qint8", "qu8": "quint8", "qi32": "qint32",
    "qu4x2": "quint4x2", "qu2x4": "quint2x4",
}
SHORT_NAMES = {getattr(torch, name): short for short, name in SHORT_DTYPES.items()}
CONSTANTS = {"True": True, "False": False, "None": None, "inf": math.inf, "-inf": -math.inf, "nan": math.nan}
FLOAT = r"\d+(?:\.\d*)?(?:e[+-]?\d+)?"
TOKEN = re.compile(rf'\s*("[^"]*"|-?{FLOAT}[+-]{FLOAT}j|-?inf\b|-?{FLOAT}|[A-Za-z_][\w:]*|[\[\]{{}}(),=+@])')


class NoText(Exception):
    """A call that has no form as text."""


@dataclasses.dataclass(eq=False)
class TensorSpec:
    sizes: list
    strides: list
    offset: int
    dtype: torch.dtype
    device: str

    @staticmethod
    def of(t):
        if t.layout != torch.strided or t.is_conj() or t.is_neg() or t.is_quantized or t.dtype not in SHORT_NAMES:
            raise NoText("a tensor that is not strided")
        return TensorSpec(list(t.shape), list(t.stride()), t.storage_offset(), t.dtype, str(t.device))

    @staticmethod
    def contiguous(sizes, dtype, device="cpu"):
        return TensorSpec(list(sizes), contiguous_strides(sizes), 0, dtype, device)

    def extent(self):
        """How many elements the smallest storage has that holds it."""
        return 0 if 0 in self.sizes else self.offset + 1 + sum((n - 1) * s for n, s in zip(self.sizes, self.strides))

    def replaced(self, **changes):
        copy = dataclasses.replace(self, **changes)
        copy.sizes, copy.strides = list(copy.sizes), list(copy.strides)
        return copy

    def __str__(self):
        text = SHORT_NAMES[self.dtype] + dims_text(self.sizes, "[]")
        if self.strides != contiguous_strides(self.sizes):
            text += dims_text(self.strides, "{}")
        if self.offset:
            text += f"+{self.offset}"
        return text + ("" if self.device == "cpu" else f"@{self.device}")


@dataclasses.dataclass
class Call:
    name: str  # "add.Tensor"
    args: list
    kwargs: dict

    def __str__(self):
        parts = [value_text(v) for v in self.args] + [f"{k}={value_text(v)}" for k, v in self.kwargs.items()]
        return f"{self.name}({', '.join(parts)})"

    def tensors(self):
        """The tensors in the order of the text."""
        found = []
        self.mapped(found.append)
        return found

    def mapped(self, change):
        """The same call with `change(tensor)` in each tensor's place."""
        def visit(value):
            if isinstance(value, TensorSpec):
                return change(value)
            return [visit(v) for v in value] if isinstance(value, list) else value
        args = [visit(v) for v in self.args]
        return Call(self.name, args, {k: visit(v) for k, v in self.kwargs.items()})


def contiguous_strides(sizes):
    strides, step = [], 1
    for size in reversed(sizes):
        strides.insert(0, step)
        step *= max(size, 1)
    return strides


def dims_text(dims, brackets):
    return brackets[0] + ",".join(str(d) for d in dims) + brackets[1]


def value_text(value):
    """An argument as text; NoText for what has none."""
    if value is None or isinstance(value, (bool, int, TensorSpec)):
        return str(value)
    if isinstance(value, float):
        return str(value)
    if isinstance(value, complex):
        real, imag = value.real, value.imag
        if not (math.isfinite(real) and math.isfinite(imag)):
            raise NoText("a complex number that is not finite")
        return f"{real}{'-' if math.copysign(1, imag) < 0 else '+'}{abs(imag)}j"
    if isinstance(value, str):
        if '"' in value or "\\" in value or ") -> " in value:
            raise NoText("a string with quotes")
        return f'"{value}"'
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(value_text(v) for v in value) + "]"
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return str(value).removeprefix("torch.")
    if isinstance(value, torch.device):
        return str(value)
    raise NoText(f"an argument of type {type(value).__name__}")


class CallParser:
    """Reads what follows the operator's name and `(`."""

    def __init__(self, text):
        self.tokens, at = [], 0
        while at < len(text.rstrip()):
            match = TOKEN.match(text, at)
            if not match:
                raise ValueError(f"call text at {at}: {text}")
            self.tokens.append(match.group(1))
            at = match.end()

    def accept(self, token):
        if self.tokens and self.tokens[0] == token:
            return self.tokens.pop(0)
        return None

    def arguments(self):
        """The positional and keyword arguments."""
        args, kwargs = [], {}
        while not self.accept(")"):
            self.accept(",")
            if len(self.tokens) > 1 and self.tokens[1] == "=":
                name = self.tokens.pop(0)
                self.accept("=")
                kwargs[name] = self.value()
            else:
                args.append(self.value())
        return args, kwargs

    def items(self, close):
        items = []
        while not self.accept(close):
            self.accept(",")
            items.append(self.value())
        return items

    def value(self):
        if self.accept("["):
            return self.items("]")
        token = self.tokens.pop(0)
        if token in SHORT_DTYPES and self.accept("["):
            return self.tensor(getattr(torch, SHORT_DTYPES[token]))
        if token in CONSTANTS:
            return CONSTANTS[token]
        if token[0] == '"':
            return token[1:-1]
        if token.endswith("j"):
            return complex(token)
        if token[0].isdigit() or token[0] == "-":
            return float(token) if re.search(r"[.e]", token) else int(token)
        constant = getattr(torch, token, None)
        if isinstance(constant, (torch.dtype, torch.layout, torch.memory_format)):
            return constant
        return torch.device(token)

    def tensor(self, dtype):
        sizes = self.items("]")
        strides = self.items("}") if self.accept("{") else contiguous_strides(sizes)
        offset = self.value() if self.accept("+") else 0
        device = self.tokens.pop(0) if self.accept("@") else "cpu"
        return TensorSpec(sizes, strides, offset, dtype, device)


def parse_call(text):
    name, _, rest = text.partition("(")
    return Call(name, *CallParser(rest).arguments())


REGISTERED_BY = {
    "quantized_decomposed": ("torch.ao.quantization.fx._decomposed",),
    "torch_attn": ("torch.nn.attention.varlen",),
    "torch_nn": ("torch.nn.modules.linear_cross_entropy",),
}


def find_operator(name):
    namespace, _, rest = name.rpartition("::")
    packet, _, overload = rest.partition(".")
    for module in REGISTERED_BY.get(namespace, ()):
        importlib.import_module(module)
    return getattr(getattr(getattr(torch.ops, namespace or "aten"), packet), overload or "default")
