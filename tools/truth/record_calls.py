#!/usr/bin/env python3
"""What PyTorch answers to the calls of a rule family's test table.

Reads call texts (lib/rules/testing/call_text.h), as arguments or one a line on stdin, runs each under FakeTensorMode on
fake tensors of that layout, and prints the rows of the table:

    $ tools/truth/record_calls.py 't(f32[2,3])'
    {"t(f32[2,3])", "view(0) f32[3,2]{1,3}"},

An error has no class here: its row ends in PyTorch's message, from which the writer of the test chooses ours.
--eager runs the calls on real cpu tensors instead; --both adds a comment where the two differ. Other lines that are
no calls (comments, blank ones, braces) pass through, and a row of an existing table is recorded anew.
"""

import argparse
import logging
import re
import sys
import warnings

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

SHORT_DTYPES = {
    "f32": "float32", "i64": "int64", "b8": "bool", "bf16": "bfloat16", "f16": "float16", "f64": "float64",
    "i32": "int32", "i16": "int16", "i8": "int8", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "c32": "complex32", "c64": "complex64", "c128": "complex128", "f8e4m3fn": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2", "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2fnuz": "float8_e5m2fnuz",
    "f8e8m0fnu": "float8_e8m0fnu", "f4e2m1fnx2": "float4_e2m1fn_x2",
}
SHORT_NAMES = {getattr(torch, name): short for short, name in SHORT_DTYPES.items()}
CONSTANTS = {"True": True, "False": False, "None": None, "inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}
TOKEN = re.compile(r'\s*("[^"]*"|-?inf|-?\d+(?:\.\d*)?(?:e-?\d+)?(?:[+-][\d.]+j)?|[A-Za-z_][\w:]*|[\[\]{}(),=+@])')


def contiguous_strides(sizes):
    strides, step = [], 1
    for size in reversed(sizes):
        strides.insert(0, step)
        step *= max(size, 1)
    return strides


def empty_tensor(sizes, strides, offset, dtype, device):
    """A tensor of this layout on the smallest storage that holds it, and no view of another for autograd."""
    extent = 0 if 0 in sizes else offset + 1 + sum((n - 1) * s for n, s in zip(sizes, strides))
    return torch.ones(extent, dtype=dtype, device=device).as_strided(sizes, strides, offset).detach()


class CallParser:
    def __init__(self, text):
        self.tokens, at = [], 0
        while at < len(text.rstrip()):
            match = TOKEN.match(text, at)
            if not match:
                raise ValueError(f"call text at {at}: {text}")
            self.tokens.append(match.group(1))
            at = match.end()
        self.tensors = []

    def accept(self, token):
        if self.tokens and self.tokens[0] == token:
            return self.tokens.pop(0)
        return None

    def arguments(self):
        """The positional and keyword arguments after `(`."""
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
        self.tensors.append(empty_tensor(sizes, strides, offset, dtype, device))
        return self.tensors[-1]


def dims_text(dims, brackets):
    return brackets[0] + ",".join(str(d) for d in dims) + brackets[1]


def meta_text(t):
    text = SHORT_NAMES[t.dtype] + dims_text(t.shape, "[]")
    if list(t.stride()) != contiguous_strides(t.shape):
        text += dims_text(t.stride(), "{}")
    if t.storage_offset():
        text += f"+{t.storage_offset()}"
    if t.device.type != "cpu":
        text += f"@{t.device}"
    return text + ("" if t.layout == torch.strided else f" {t.layout}") + (" conj" if t.is_conj() else "") + (
        " neg" if t.is_neg() else "")


def result_text(value, inputs, storages):
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(result_text(v, inputs, storages) for v in value) + "]"
    if isinstance(value, complex):
        return f"({value.real} + {value.imag}j)"
    if not isinstance(value, torch.Tensor):
        return str(value)
    for i, t in enumerate(inputs):
        if value is t:
            return f"arg({i})"
    for i, storage in enumerate(storages):
        if value.layout == torch.strided and value.untyped_storage()._cdata == storage._cdata:
            # What autograd follows has a base; detach() and its kin share storage without one.
            return f"{'view' if value._is_view() else 'alias'}({i}) {meta_text(value)}"
    return meta_text(value)


def written_inputs(op, args, kwargs, inputs):
    """The indices of the inputs that the operator's schema says it writes to."""
    written = []
    for position, argument in enumerate(op._schema.arguments):
        if argument.alias_info is None or not argument.alias_info.is_write:
            continue
        value = args[position] if position < len(args) else kwargs.get(argument.name)
        for t in value if isinstance(value, (list, tuple)) else [value]:
            written += [i for i, candidate in enumerate(inputs) if candidate is t]
    return written


def find_operator(name):
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), overload or "default")


def run(text):
    name, _, rest = text.partition("(")
    op = find_operator(name)
    parser = CallParser(rest)
    args, kwargs = parser.arguments()
    inputs = parser.tensors
    before = [meta_text(t) for t in inputs]
    storages = [t.untyped_storage() for t in inputs]
    result = op(*args, **kwargs)
    several = len(op._schema.returns) > 1
    effects = ", ".join(result_text(r, inputs, storages) for r in (result if several else [result]))
    if not op._schema.returns:
        effects = ""
    changes_meta = torch.Tag.inplace_view in op.tags
    for i in written_inputs(op, args, kwargs, inputs):
        if changes_meta or meta_text(inputs[i]) != before[i]:
            effects += f"; {i} := {meta_text(inputs[i])}"
        if not changes_meta:
            effects += f"; writes {i}"
    return effects


def outcome(text, fake):
    """The effects, or "!" and the message."""
    try:
        if not fake:
            return run(text), ""
        with FakeTensorMode():
            return run(text), ""
    except Exception as e:  # whatever PyTorch raises is an answer
        return "!", f"{type(e).__name__}: {str(e).strip()}".splitlines()[0][:160]


def row(text, options):
    effects, message = outcome(text, fake=not options.eager)
    line = '    {"%s", "%s"},' % (text.replace('"', '\\"'), effects)
    if message:
        line += f"  // {message}"
    if options.both and "cuda" not in text:
        eager, eager_message = outcome(text, fake=False)
        if eager != effects:
            line += f"  // eager: {eager} {eager_message}".rstrip()
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calls", nargs="*")
    parser.add_argument("--eager", action="store_true", help="real cpu tensors instead of fakes")
    parser.add_argument("--both", action="store_true", help="fakes, and a comment where eager differs")
    options = parser.parse_args()
    logging.disable(logging.ERROR)  # FakeTensorMode logs every error that it raises
    warnings.simplefilter("ignore")
    for line in options.calls or sys.stdin:
        line = line.rstrip("\n")
        old_row = re.match(r'\s*\{"((?:[^"\\]|\\.)*)",', line)
        text = old_row.group(1).replace('\\"', '"') if old_row else line.strip()
        print(row(text, options) if re.match(r"[\w.]+\(.*\)$", text) else line)


if __name__ == "__main__":
    main()
