"""Graphs of operator calls with odd arguments, from the calls in testdata/ops and lib/rules/expected_calls, as FX JSON.

A line there is `add.Tensor(f32[2,3]{1,2}, f32[3], alpha=2) -> ...` (lib/rules/testing/call_text.h has the syntax).
"""

import json
import re

DTYPES = {
    "f32": "float32", "i64": "int64", "b8": "bool", "bf16": "bfloat16", "f16": "float16", "f64": "float64", "i32": "int32",
    "i16": "int16", "i8": "int8", "u8": "uint8", "c64": "complex64", "c128": "complex128",
}
TENSOR = re.compile(r"(b8|bf16|[fiuc]\d+)\[([\d,]*)\](?:\{([\d,]*)\})?(?:\+(\d+))?(?:@([a-z]+:?\d*))?$")
INTS = [0, 1, -1, 2, 3, 5, 64, 2**31, 2**62, -(2**63)]
FLOATS = [0.0, -1.0, 0.5, 1e308, {"float": "nan"}, {"float": "inf"}]
SIZES = [[], [0], [1], [2, 0], [3, 1], [2, 3], [4, 4], [2, 3, 4], [1, 1, 1], [2, 4, 4, 4], [1, 0, 3, 3], [2, 2, 3, 3, 3]]


class NoCall(Exception):
    """A line whose arguments are of kinds that are left out here."""


def split(text):
    """Arguments between commas, brackets kept together."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "[({") - (c in "])}")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def parse(line):
    """The operator, its positional arguments and its keyword arguments, as text."""
    found = re.match(r"([\w.]+)\((.*?)\) (?:->|=>)", line)
    if not found:
        raise NoCall(line)
    positional, keywords = [], {}
    for part in split(found[2]):
        key, equals, value = part.partition("=")
        if equals and key.isidentifier():
            keywords[key] = value
        else:
            positional.append(part)
    return found[1], positional, keywords


class GraphMaker:
    """Collects nodes and the tensors that they take."""

    def __init__(self, rng):
        self.rng = rng
        self.nodes, self.attributes = [], {}

    def tensor(self, sizes, strides, offset, dtype, device):
        name = f"t{len(self.attributes)}"
        entry = {"shape": sizes, "dtype": dtype, "device": device, "requires_grad": False}
        if strides is not None and len(strides) == len(sizes):
            entry |= {"stride": strides, "storage_offset": offset}
        if dtype.startswith(("float", "bfloat", "complex")) and self.rng.random() < 0.3:
            entry["requires_grad"] = True
        self.attributes[name] = entry
        self.nodes.append({"name": name, "op": "get_attr", "target": name})
        return {"node": name}

    def mutated_tensor(self, found):
        numbers = lambda text: [int(n) for n in text.split(",") if n]
        sizes, dtype, device = numbers(found[2]), DTYPES.get(found[1], "float32"), found[5] or "cpu"
        strides = numbers(found[3]) if found[3] is not None else None
        kind = self.rng.random()
        if kind < 0.15:
            sizes, strides = list(self.rng.choice(SIZES)), None
        elif kind < 0.25 and sizes:
            sizes[self.rng.randrange(len(sizes))] = self.rng.choice([0, 1, 2, 7])
            strides = None
        elif kind < 0.3 and sizes:
            sizes, strides = sizes[1:], None
        elif kind < 0.4:
            dtype = self.rng.choice(list(DTYPES.values()))
        elif kind < 0.43:
            device = self.rng.choice(["cuda:0", "meta"])
        return self.tensor(sizes, strides, int(found[4] or 0), dtype, device)

    def argument(self, text):
        rng = self.rng
        if rng.random() < 0.05:
            return rng.choice([None, True, [], rng.choice(INTS), rng.choice(FLOATS), [rng.choice(INTS)] * 2])
        if found := TENSOR.match(text):
            return self.mutated_tensor(found)
        if text.startswith("[") and text.endswith("]"):
            items = [self.argument(part) for part in split(text[1:-1])]
            if items and rng.random() < 0.15:
                items = items[1:] if rng.random() < 0.5 else items + items[:1]
            return items
        if text in ("None", "True", "False"):
            return {"None": None, "True": True, "False": False}[text] if rng.random() < 0.9 else rng.choice([None, True, False])
        if re.fullmatch(r"-?\d+", text):
            return int(text) if rng.random() < 0.75 else rng.choice(INTS)
        if re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", text):
            return float(text) if rng.random() < 0.75 else rng.choice(FLOATS)
        if text.startswith('"'):
            return text[1:-1]
        if re.fullmatch(r"(float|int|bfloat|complex|uint)\d+|bool", text):
            return {"dtype": text}
        if re.fullmatch(r"cpu|cuda(:\d)?|meta", text):
            return {"device": text}
        if text in ("inf", "-inf", "nan"):
            return {"float": text}
        if text in ("strided", "contiguous_format", "preserve_format", "channels_last"):
            return {"layout": text} if text == "strided" else {"memory_format": text}
        raise NoCall(text)

    def add_call(self, line):
        operator, positional, keywords = parse(line)
        args = [self.argument(text) for text in positional]
        kwargs = {key: self.argument(text) for key, text in keywords.items()}
        target = operator if "." in operator else operator + ".default"
        self.nodes.append({"name": f"call{len(self.nodes)}", "op": "call_function", "target": "torch.ops.aten." + target,
                           "args": args, "kwargs": kwargs})

    def text(self):
        output = {"name": "output", "op": "output", "target": "output", "args": [None]}
        return json.dumps({"format": "fakeprop.fx/1", "nodes": [*self.nodes, output], "attributes": self.attributes}).encode()


def make_graph(rng, lines, count):
    maker = GraphMaker(rng)
    while count:
        try:
            maker.add_call(rng.choice(lines))
            count -= 1
        except NoCall:
            continue
    return maker.text()
