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


class Spec:
    """Of tensors and numbers (add), and of what a run said of them (add_described)."""

    def __init__(self, mode):
        self.mode = mode
        self.inputs = []  # as JSON
        self.symbols = {}
        self.assumed = []
        self.owners = {}  # the first input on each storage

    def text(self):
        symbols = f', "symbols": {json.dumps(self.symbols)}' if self.symbols else ""
        assumed = f', "assume": {json.dumps(self.assumed)}' if self.assumed else ""
        return f'{{"format": "fakeprop.inputs/1", "inputs": {{{", ".join(self.inputs)}}}{symbols}{assumed}}}'

    def add(self, name, value):
        self.inputs.append(f"{_key(name)}: {self.input(value, name)}")

    def add_described(self, name, described, canonical):
        """`canonical` gives for the number of a storage what is the same for all that share it."""
        self.inputs.append(f"{_key(name)}: {self.described(described, name, canonical)}")

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
        return self.placed(entry, offset, canonical(storage), name)

    def input(self, value, name):
        if isinstance(value, torch.Tensor):
            return self.tensor(value, name)
        if isinstance(value, (list, tuple)) and any(isinstance(leaf, torch.Tensor) for leaf in _pytree.tree_leaves(value)):
            return f'{{"items": [{", ".join([self.input(item, None) for item in value])}]}}'
        return f'{{"value": {json.dumps(self.plain(value))}}}'

    def tensor(self, value, name):
        if not isinstance(value, FakeTensor) or value.layout != torch.strided or value.constant is not None:
            raise LeftToTorch("an input is no plain fake tensor")
        if value.is_conj() or value.is_neg() or value.fake_mode is not self.mode:
            raise LeftToTorch("an input has pending conjugations, or is of another FakeTensorMode")
        shape, stride = value.shape, value.stride()
        try:
            entry = _numeric_entry(shape, stride, value.dtype, value.fake_device, value.requires_grad)
        except TypeError:  # a SymInt has no hash
            entry = _entry(self.sizes(shape), self.sizes(stride), _kind(value.dtype, value.fake_device, value.requires_grad))
        offset = value.storage_offset()
        if not isinstance(offset, int):
            raise LeftToTorch("an input has a symbolic storage offset")
        return self.placed(entry, offset, torch._C._storage_address(value), name)

    def placed(self, entry, offset, storage, name):
        """The entry with its place in its storage. A tensor in a list has no name that a view could name."""
        if offset:
            entry += f', "storage_offset": {json.dumps(offset)}'
        owner = self.owners.setdefault(storage, name) if name is not None else None
        return entry + (f', "view_of": {json.dumps(owner)}}}' if owner != name else "}")

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


def _key(name):
    return f'"{name}"' if name.isidentifier() and name.isascii() else json.dumps(name)


@functools.lru_cache(maxsize=4096)
def _numeric_entry(shape, stride, dtype, device, requires_grad):
    """The same for sizes that are numbers. To write them takes longer than to find that they were written."""
    return _entry(str([*shape]), str([*stride]), _kind(dtype, device, requires_grad))


@functools.lru_cache(maxsize=4096)
def _described_entry(shape, stride, dtype, device, requires_grad):
    return _entry(json.dumps(shape), json.dumps(stride), {"dtype": dtype, "device": device, "requires_grad": requires_grad})


def _kind(dtype, device, requires_grad):
    return {"dtype": fakeprop_fx._short(dtype), "device": str(device), "requires_grad": requires_grad}


def _entry(shape, stride, kind):
    return f'{{"shape": {shape}, "stride": {stride}, {json.dumps(kind)[1:-1]}'
