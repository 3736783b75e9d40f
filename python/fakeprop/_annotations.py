"""Annotations as dataclasses. The format is docs/annotations.schema.json's, fakeprop.annotations/1."""

from __future__ import annotations

import dataclasses
import html
import json
import typing

FORMAT = "fakeprop.annotations/1"

Dim = typing.Union[int, str]  # a number, or an expression over symbols that SymPy parses


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A tensor's metadata. Sizes, strides and offset are in elements."""

    shape: tuple[Dim, ...]
    stride: tuple[Dim, ...]
    storage_offset: Dim
    dtype: str
    device: str
    layout: str
    requires_grad: bool
    storage: int | None  # an index into Annotations.storages; the same number where two values share storage
    value: typing.Any = None  # nested lists, where the elements are known
    is_conj: bool = False
    is_neg: bool = False


@dataclasses.dataclass(frozen=True)
class SymbolicNumber:
    """An int, float or bool that depends on symbols."""

    kind: str  # "symint", "symfloat" or "symbool"
    expr: str
    hint: typing.Any = None


@dataclasses.dataclass(frozen=True)
class Storage:
    id: int
    nbytes: Dim
    device: str


@dataclasses.dataclass(frozen=True)
class Symbol:
    min: int | None = None
    max: int | None = None
    hint: int | None = None
    source: str | None = None  # "x.size(0)"
    kind: str | None = None  # "unbacked" where its value depends on data


@dataclasses.dataclass(frozen=True)
class Node:
    """One node. It has a value, an error, or the name of the failing node because of which it was skipped."""

    name: str
    op: str
    target: str
    value: typing.Any = None  # a Tensor, a SymbolicNumber, a number, text, None, or lists and dicts of them
    error: dict | None = None
    skipped: str | None = None
    entry: dict = dataclasses.field(default_factory=dict, repr=False, compare=False)  # as in the JSON

    @property
    def has_value(self):
        return "meta" in self.entry and "val" in self.entry["meta"]


class Annotations:
    """What every node of a graph produces: `annotations["relu"]`, or iterate in the graph's order."""

    def __init__(self, document: dict):
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            seen = document.get("format") if isinstance(document, dict) else type(document).__name__
            raise ValueError(f"expected annotations ({FORMAT}), not {seen!r}")
        self.document = document
        self.nodes = [_node(entry) for entry in document["nodes"]]
        self.symbols = {name: _symbol(entry) for name, entry in document.get("symbols", {}).items()}
        self.guards = document.get("guards", [])
        self.storages = {s["id"]: Storage(s["id"], s["nbytes"], s["device"]) for s in document.get("storages", [])}
        self._by_name = {node.name: node for node in self.nodes}

    @classmethod
    def from_json(cls, text: str) -> Annotations:
        return cls(json.loads(text))

    def __getitem__(self, name: str) -> Node:
        return self._by_name[name]

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def __iter__(self):
        return iter(self.nodes)

    def __len__(self):
        return len(self.nodes)

    def __repr__(self):
        return f"<fakeprop.Annotations: {len(self)} nodes, {len(self.errors)} with errors>"

    def _repr_html_(self):
        """A table for notebooks: a row for each node, its result or its error."""
        rows = "".join(_row(node) for node in self.nodes)
        return f"<table><thead><tr><th>node</th><th>target</th><th>result</th></tr></thead><tbody>{rows}</tbody></table>"

    @property
    def errors(self) -> list[Node]:
        return [node for node in self.nodes if node.error]


def _row(node):
    if node.error:
        result = f"{node.error['class']}: {node.error['message']}"
    elif node.skipped:
        result = f"skipped for {node.skipped}"
    else:
        result = _short(node.value)
    cells = "".join(f"<td>{html.escape(text)}</td>" for text in (node.name, node.target, result))
    return f"<tr>{cells}</tr>"


def _short(value):
    """`float32[2, batch] on cpu`, a number, or a list of them."""
    if isinstance(value, Tensor):
        return f"{value.dtype}[{', '.join(map(str, value.shape))}] on {value.device}"
    if isinstance(value, SymbolicNumber):
        return value.expr
    if isinstance(value, list):
        return f"[{', '.join(map(_short, value))}]"
    return str(value)


def _symbol(entry):
    return Symbol(**{field.name: entry.get(field.name) for field in dataclasses.fields(Symbol)})


def _node(entry):
    value = _value(entry["meta"]["val"]) if "meta" in entry and "val" in entry["meta"] else None
    return Node(entry["name"], entry["op"], entry["target"], value, entry.get("error"), entry.get("skipped"), entry)


def _value(val):
    if isinstance(val, list):
        return [_value(item) for item in val]
    if not isinstance(val, dict):
        return val
    kind = val["type"]
    if kind == "tensor":
        return _tensor(val)
    if kind in ("symint", "symfloat", "symbool"):
        return SymbolicNumber(kind, val["expr"], val.get("hint"))
    if kind == "float":
        return float(val["value"])
    if kind == "complex":
        return complex(*(float(part) for part in val["value"]))
    if kind == "dict":
        return {_key(_value(key)): _value(item) for key, item in val["items"]}
    return val


def _key(value):
    return tuple(value) if isinstance(value, list) else value


def _tensor(val):
    return Tensor(
        shape=tuple(val["shape"]),
        stride=tuple(val["stride"]),
        storage_offset=val["storage_offset"],
        dtype=val["dtype"],
        device=val["device"],
        layout=val["layout"],
        requires_grad=val["requires_grad"],
        storage=val.get("storage"),
        value=val.get("value"),
        is_conj=val.get("is_conj", False),
        is_neg=val.get("is_neg", False),
    )
