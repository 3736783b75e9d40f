#!/usr/bin/env python3
"""Records PyTorch's answers to the calls of testdata/layouts/*.calls: sparse and nested tensors, and those of oneDNN.

    $ tools/dev/truth/record_layouts.py            writes the installed PyTorch's answers into the files

The calls are the source: add one as a line without an answer. lib/rules/testing/call_text.h has the syntax. A line is
`call -> answer`. If FakeTensorMode gives another one than eager, it is `call -> FakeTensorMode's | eager's`.

Eager runs several times with other data. A number in the answer that is not always the same depends on data, and is
written as u0, u1 ... A fake has no elements, so in FakeTensorMode's answers their number is `?`.

A nested tensor has the sizes of the smallest strided tensor that holds its items: `f32[2,3,4]:jagged`.
"""

import glob
import os
import random
import re
import warnings

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from answers import Writer, contiguous_strides, error_line, telling_strides
from call_text import SHORT_DTYPES, SHORT_NAMES, Call, CallParser, TensorSpec, dims_text, find_operator

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../testdata/layouts")
MESSAGE = 100  # characters of an error's message that are kept
RUNS = 12
LAYOUTS = {
    "coo": torch.sparse_coo, "csr": torch.sparse_csr, "csc": torch.sparse_csc, "bsr": torch.sparse_bsr,
    "bsc": torch.sparse_bsc, "mkldnn": torch._mkldnn, "jagged": torch.jagged,
}
SHORT_LAYOUTS = {layout: name for name, layout in LAYOUTS.items()}


class LayoutSpec(TensorSpec):
    """A tensor of another layout: the specs of its parts, values last. Without parts it is oneDNN's or nested."""
    layout = "mkldnn"
    parts = ()
    is_coalesced = False


class Parser(CallParser):
    def __init__(self, text):
        super().__init__(re.sub(r"\]:(\w+)", r"] = \1", text))

    def tensor(self, dtype):
        sizes = self.items("]")
        if not self.accept("="):
            self.tokens[:0] = ["[", *[t for n in sizes for t in (str(n), ",")][:-1], "]"]
            self.accept("[")
            return super().tensor(dtype)
        spec = LayoutSpec(sizes, [], 0, dtype, "cpu")
        spec.layout = self.tokens.pop(0)
        if self.accept("("):
            spec.parts = self.parts(spec)
        return spec

    def parts(self, spec):
        parts = []
        while not self.accept(")"):
            self.accept(",")
            if self.accept("coalesced"):
                spec.is_coalesced = True
            else:
                parts.append(self.value())
        return parts

    def value(self):
        if self.tokens[0] in LAYOUTS or self.tokens[0].startswith("sparse_") or self.tokens[0] == "_mkldnn":
            return getattr(torch, self.tokens.pop(0))
        return super().value()


def parse_call(text):
    name, _, rest = text.partition("(")
    return Call(name, *Parser(rest).arguments())


class Maker:
    """Makes eager tensors with data. The runs differ in it."""

    def __init__(self, run):
        self.run = run
        self.random = random.Random(run)

    def make(self, spec):
        if not isinstance(spec, LayoutSpec):
            return self.strided(spec)
        if spec.layout == "mkldnn":
            return self.strided(TensorSpec.contiguous(spec.sizes, spec.dtype)).to_mkldnn()
        if spec.layout == "jagged":
            return self.nested(spec)
        return self.coo(spec) if spec.layout == "coo" else self.compressed(spec)

    def strided(self, spec):
        whole = torch.zeros(spec.extent(), dtype=spec.dtype)
        for i in range(whole.numel()):
            whole[i] = [1, 0, self.random.randint(0, 1)][min(self.run, 2)]
        return whole.as_strided(spec.sizes, spec.strides, spec.offset)

    def values(self, spec):
        return torch.ones(spec.sizes, dtype=spec.dtype)

    def nested(self, spec):
        """The first item is as long as all of them can be, the others are shorter."""
        count, longest, *rest = spec.sizes
        lengths = [max(longest - i, 1) for i in range(count)]
        return torch.nested.nested_tensor([torch.ones([n, *rest], dtype=spec.dtype) for n in lengths])

    def coo(self, spec):
        indices, values = spec.parts
        sparse_dim, count = indices.sizes
        sizes = spec.sizes[:sparse_dim]
        places = list(range(torch.Size(sizes).numel()))
        distinct = len(places) >= count and (spec.is_coalesced or self.run % 2 == 0)
        if distinct:
            chosen = sorted(self.random.sample(places, count))
        else:
            chosen = [self.random.choice(places) for _ in range(count)]
        at = torch.stack(torch.unravel_index(torch.tensor(chosen, dtype=torch.int64), sizes or (1,)))
        at = at if sparse_dim else torch.zeros(0, count, dtype=torch.int64)
        return torch.sparse_coo_tensor(at.to(indices.dtype), self.values(values), spec.sizes, is_coalesced=spec.is_coalesced)

    def compressed(self, spec):
        bounds, plain, values = spec.parts
        by_row = spec.layout in ("csr", "bsr")
        batch = len(bounds.sizes) - 1
        count = plain.sizes[-1]
        block = values.sizes[batch + 1:batch + 3] if spec.layout[0] == "b" else [1, 1]
        grid = [spec.sizes[batch] // block[0], spec.sizes[batch + 1] // block[1]]
        major, minor = grid if by_row else grid[::-1]
        places = sorted(self.random.sample(range(major * minor), count))
        at = torch.tensor([p % minor for p in places], dtype=plain.dtype)
        counts = torch.tensor([0] + [sum(p // minor <= r for p in places) for r in range(major)], dtype=bounds.dtype)
        data = torch.ones(values.sizes, dtype=values.dtype)
        return torch.sparse_compressed_tensor(counts.expand(bounds.sizes).contiguous(), at.expand(plain.sizes).contiguous(),
                                              data, spec.sizes, layout=LAYOUTS[spec.layout])


def parts_of(t):
    if t.layout == torch.sparse_coo:
        return [t._indices(), t._values()]
    if t.layout in (torch.sparse_csr, torch.sparse_bsr):
        return [t.crow_indices(), t.col_indices(), t.values()]
    if t.layout in (torch.sparse_csc, torch.sparse_bsc):
        return [t.ccol_indices(), t.row_indices(), t.values()]
    return []


class LayoutWriter(Writer):
    """Also writes tensors of other layouts. `numbers` collects the sizes of parts, in the order of the text."""

    def __init__(self, inputs):
        self.numbers = []
        self.inputs, self.telling_only = inputs, True
        self.shapes = [t.shape for t in inputs]
        self.owners = {}
        for i, t in enumerate(inputs):
            names = [["indices", "values"], ["indices", "plain", "values"]][len(parts_of(t)) == 3]
            if t.layout == torch.strided and not t.is_nested and t.numel():
                self.owners[t.untyped_storage()._cdata] = str(i)
            for name, part in zip(names, parts_of(t)):
                self.owners.setdefault(part.untyped_storage()._cdata, f"{i}" if name == "values" else f"{i}.{name}")

    def effects(self, op, args, kwargs, result):
        """Strided tensors and oneDNN's are written where their sizes change."""
        several = len(op._schema.returns) > 1
        text = ", ".join(self.result(r) for r in (result if several else [result])) if op._schema.returns else ""
        for i in self.written(op, args, kwargs):
            if parts_of(self.inputs[i]) or self.inputs[i].shape != self.shapes[i]:
                text += f"; {i} := {self.meta(self.inputs[i])}"
        return text

    def dims(self, sizes, brackets):
        self.numbers += list(sizes)
        return brackets[0] + ",".join("<>" for _ in sizes) + brackets[1]

    def meta(self, t, is_part=False):
        if t.is_nested:
            longest = [max(sizes) for sizes in zip(*(item.shape for item in t.unbind()))]
            return SHORT_NAMES[t.dtype] + self.dims([t.size(0), *longest], "[]") + ":jagged"
        text = SHORT_NAMES.get(t.dtype, str(t.dtype)) + self.dims(t.shape, "[]")
        if t.layout == torch.strided:
            strides = telling_strides(t.shape, t.stride())
            if strides != contiguous_strides(t.shape):
                text += dims_text(strides, "{}")
            return text + (f"+{t.storage_offset()}" if t.storage_offset() and not is_part else "")
        text += ":" + SHORT_LAYOUTS[t.layout]
        if t.layout == torch._mkldnn:
            return text
        coalesced = ", coalesced" if t.layout == torch.sparse_coo and t.is_coalesced() else ""
        return text + "(" + ", ".join(self.meta(p, True) for p in parts_of(t)) + coalesced + ")"

    def result(self, value):
        for i, t in enumerate(self.inputs):
            if value is t:
                return f"arg({i})"
        if isinstance(value, torch.Tensor):
            is_plain = value.layout == torch.strided and not value.is_nested
            owner = self.owners.get(value.untyped_storage()._cdata) if is_plain else None
            return f"view({owner}) {self.meta(value)}" if owner and value.numel() else self.meta(value)
        if isinstance(value, int) and not isinstance(value, bool):
            self.numbers.append(value)
            return "<>"
        return super().result(value)


def run(call, make, mode=None):
    """The text of the effects with `<>` for each number, and the numbers."""
    inputs = []

    def made(spec):
        inputs.append(make(spec))
        return inputs[-1]
    filled = call.mapped(made)
    writer = LayoutWriter(inputs)
    op = find_operator(call.name)
    return writer.effects(op, filled.args, filled.kwargs, op(*filled.args, **filled.kwargs)), writer.numbers


def filled(text, numbers):
    for number in numbers:
        text = text.replace("<>", str(number), 1)
    return text


def eager_answer(call):
    """(text, numbers, dependent): dependent numbers are `u0`; or (None, the first exception, None)."""
    runs, first = [], None
    for i in range(RUNS):
        try:
            runs.append(run(call, Maker(i).make))
        except Exception as e:
            first = first or e
    if not runs:
        return None, first, None
    text, numbers = max(runs, key=lambda r: (len(r[1]), sum(r[1])))
    same_kind = [n for _, n in runs if len(n) == len(numbers)]
    columns = list(zip(*same_kind))
    names, shown = {}, []
    for column, number in zip(columns, numbers):
        shown.append(names.setdefault(column, f"u{len(names)}") if len(set(column)) > 1 else number)
    return text, shown, [len(set(c)) > 1 for c in columns]


def fake_answer(call):
    mode = FakeTensorMode()
    mode.cache_enabled = False
    try:
        made = Maker(0)
        # The fakes are made of what the eager maker makes.
        def make(spec):
            return mode.from_tensor(made.make(spec))
        inputs = []
        filled_call = call.mapped(lambda s: inputs.append(make(s)) or inputs[-1])
        with mode:
            writer = LayoutWriter(inputs)
            op = find_operator(call.name)
            return writer.effects(op, filled_call.args, filled_call.kwargs, op(*filled_call.args, **filled_call.kwargs)), writer.numbers
    except Exception as e:
        return None, e


def comparable(text):
    return re.sub(r"(view|alias)\([\w.]*\) |, coalesced|\{[^}]*\}|arg\(\d+\)", "", text)


def answer(call):
    text, numbers, dependent = eager_answer(call)
    fake_text, fake_numbers = fake_answer(call)
    eager = filled(text, numbers) if text is not None else "!" + error_line(numbers)[:MESSAGE]
    if fake_text is None:
        if text is None:
            return eager
        return f"!{error_line(fake_numbers)[:MESSAGE]} | {eager}"
    if text is not None and comparable(fake_text) == comparable(text):
        return eager
    return f"{filled(fake_text, ['?' if n == 0 else n for n in fake_numbers])} | {eager}"


def main():
    warnings.simplefilter("ignore")
    import logging
    logging.disable(logging.CRITICAL)
    import sys
    for path in sys.argv[1:] or sorted(glob.glob(os.path.join(FOLDER, "*.calls"))):
        lines = open(path).read().splitlines()
        out = []
        for line in lines:
            if not line or line.startswith("#"):
                out.append(line)
                continue
            text = line.partition(") -> ")[0] + (")" if ") -> " in line else "")
            out.append(f"{text} -> {answer(parse_call(text))}")
        with open(path, "w") as file:
            file.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
