"""The input spec (fakeprop.inputs/1) of values that are there."""

import functools
import json

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils import _pytree
from torch.utils._sympy.numbers import int_oo

import fakeprop_fx
from fakeprop._module_values import LeftToTorch
from fakeprop._values import CONJ, NEG, NOT_STRIDED, REQUIRES_GRAD, DescribedTensor


# What tells a plain tensor: see FxInputs in lib/api/fx_inputs.h.
_CONSTANTS = (FakeTensor, torch.strided, None, True, int, torch._C._storage_address)
_NAMES = {dtype: fakeprop_fx._short(dtype) for dtype in vars(torch).values() if isinstance(dtype, torch.dtype)}


class Spec:
    """Of tensors and numbers (add), and of what a run said of them (add_described)."""

    def __init__(self, mode):
        self.mode = mode
        self.values = {}  # by the names of inputs
        self.canonical = {}  # of described ones: gives for the number of a storage what is the same for all that share it
        self.symbols = {}
        self.assumed = []
        self.owners = {}  # the first described input on each storage

    def objects(self):
        """For the core, which reads plain tensors itself."""
        return self.values, self.describe, self.rest, self.mode, _CONSTANTS, _NAMES

    def rest(self):
        """The JSON of all but the inputs."""
        if not self.symbols and not self.assumed:
            return _HEADER
        rest = {"symbols": self.symbols, "assume": self.assumed}
        return json.dumps({"format": "fakeprop.inputs/1"} | {key: value for key, value in rest.items() if value})

    def add(self, values):
        self.values.update({node.name: value for node, value in values.items()})

    def add_described(self, node, described, canonical):
        self.values[node.name], self.canonical[node.name] = described, canonical

    def describe(self, value, name):
        """The JSON of a value that is no plain tensor."""
        canonical = self.canonical.get(name)
        return self.described(value, name, canonical) if canonical else self.input(value)

    def described(self, value, name, canonical):
        if isinstance(value, DescribedTensor):
            return self.described_tensor(value, name, canonical)
        if isinstance(value, tuple):
            return f'{{"items": [{", ".join([self.described(item, None, canonical) for item in value])}]}}'
        if not isinstance(value, (bool, int, float, str)):
            raise LeftToTorch("a value is neither a tensor nor a number")
        return f'{{"value": {json.dumps(value)}}}'

    def described_tensor(self, value, name, canonical):
        storage, dtype, device, flags, offset, shape, stride = value
        if flags & (NOT_STRIDED | CONJ | NEG):
            raise LeftToTorch("a value is no plain tensor")
        entry = _described_entry(tuple(shape), tuple(stride), dtype, device, flags & REQUIRES_GRAD != 0)
        owner = self.owners.setdefault(canonical(storage), name) if name is not None else None  # an item has no name
        view_of = f', "view_of": {json.dumps(owner)}' if owner != name else ""
        return f"{{{entry}{_offset(offset)}{view_of}}}"

    def input(self, value):
        if isinstance(value, torch.Tensor):
            return self.tensor(value)
        if isinstance(value, (list, tuple)) and any(isinstance(leaf, torch.Tensor) for leaf in _pytree.tree_leaves(value)):
            return f'{{"items": [{", ".join(map(self.input, value))}]}}'
        return f'{{"value": {json.dumps(self.plain(value))}}}'

    def tensor(self, value):
        if not isinstance(value, FakeTensor) or value.layout != torch.strided or value.constant is not None:
            raise LeftToTorch("an input is no plain fake tensor")
        if value.is_conj() or value.is_neg() or value.fake_mode is not self.mode:
            raise LeftToTorch("an input has pending conjugations, or is of another FakeTensorMode")
        offset = value.storage_offset()
        if not isinstance(offset, int):
            raise LeftToTorch("an input has a symbolic storage offset")
        device = _NAMES.setdefault(value.fake_device, str(value.fake_device))
        kind = {"dtype": _NAMES[value.dtype], "device": device, "requires_grad": value.requires_grad}
        return f"{{{_entry(self.sizes(value.shape), self.sizes(value.stride()), kind)}{_offset(offset)}}}"

    def sizes(self, sizes):
        return json.dumps([self.plain(size) for size in sizes])

    def plain(self, value):
        if isinstance(value, torch.SymInt):
            return self.expression(value)
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, torch.device):
            return str(value)
        if isinstance(value, (list, tuple)):
            return [self.plain(item) for item in value]
        raise LeftToTorch(f"an input is of type {type(value).__name__}")

    def expression(self, size):
        expression = size.node.expr
        if expression.is_number:
            return int(expression)
        for symbol in expression.free_symbols:
            if symbol.name not in self.symbols:
                self.symbols[symbol.name] = self.symbol(symbol)
        return str(expression)

    def add_symbols(self, symbols):
        """All of these that have hints."""
        self.symbols.update({symbol.name: self.symbol(symbol) for symbol in symbols if symbol in self.hints()})

    def hints(self):
        env = self.mode.shape_env
        return env.backed_var_to_val if hasattr(env, "backed_var_to_val") else env.var_to_val

    def symbol(self, symbol):
        env, hints = self.mode.shape_env, self.hints()
        if symbol not in hints:
            raise LeftToTorch(f"an input has the unbacked symbol {symbol}")
        bounds = env.var_to_range[symbol]
        entry = {"min": max(int(bounds.lower), 0), "hint": int(hints[symbol])}
        if bounds.upper < int_oo:
            entry["max"] = int(bounds.upper)
        return entry


@functools.lru_cache(maxsize=4096)
def _described_entry(shape, stride, dtype, device, requires_grad):
    return _entry(json.dumps(shape), json.dumps(stride), {"dtype": dtype, "device": device, "requires_grad": requires_grad})


def _entry(shape, stride, kind):
    return f'"shape": {shape}, "stride": {stride}, {json.dumps(kind)[1:-1]}'


def _offset(offset):
    return f', "storage_offset": {offset}' if offset else ""


_HEADER = json.dumps({"format": "fakeprop.inputs/1"})
