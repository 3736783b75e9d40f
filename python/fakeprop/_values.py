"""The values of nodes, made of what the core answers: as numbers (PlainValues), or as JSON where that is not all (JsonValues).

Both have `nodes`, what stands for each node, which their methods take. `described` gives a value without making it: a
DescribedTensor, a number, the expression of a SymInt, None, or a tuple of them. Whatever else a value is, is _Other.
"""

import collections
import functools
import struct

import torch
from torch._subclasses.fake_tensor import FakeTensor

import fakeprop_annotate

DescribedTensor = collections.namedtuple("DescribedTensor", "storage dtype device flags offset shape stride")
NOT_STRIDED, CONJ, NEG, REQUIRES_GRAD = 1, 2, 4, 8  # the flags, as in fakeprop/c_api.h


class _Values(fakeprop_annotate.Values):
    """Storages can be those of values of an earlier run."""

    def __init__(self, annotations, mode, known=None):
        super().__init__(annotations, mode, known)
        self.homes = {}  # by number: the values that a storage is of, and its number there

    def home(self, number):
        return self.homes.get(number) or (self, number)

    def owner(self, number, dtype):
        values, there = self.home(number)
        return super().owner(number, dtype) if values is self else values.owner(there, dtype)

    def copies(self, given):
        """Those of the given values that are tensors, on the same storages: what detach makes, ten times as fast. In making()."""
        fakes = {key: value for key, value in given.items() if type(value) is FakeTensor and value.fake_device.type != "meta"}
        kinds = [self.kind_of(fake.fake_device) for fake in fakes.values()]
        with torch._C._DisableTorchDispatch():
            return {key: self.another(fake, *kind) for (key, fake), kind in zip(fakes.items(), kinds)}


class JsonValues(_Values):
    def __init__(self, annotations, mode, known):
        super().__init__(annotations, mode, known)
        self.nodes = annotations["nodes"]

    def described(self, entry):
        return _described(entry["meta"]["val"])

    def described_bytes(self, number):
        return self.entries[number]["nbytes"]

    def is_none(self, entry):
        return entry["meta"]["val"] is None

    def makes_symbols(self, entry):
        return "unbacked_bindings" in entry

    def bind(self, entry, given):
        """Gives the storages of a node's value those of the tensors that it describes."""
        self._bind(entry["meta"]["val"], given)

    def _bind(self, described, given):
        if isinstance(given, torch.Tensor):
            self.owners[described["storage"]] = given
        elif isinstance(given, (list, tuple)):
            for part, item in zip(described, given):
                self._bind(part, item)


def _described(value):
    if isinstance(value, list):
        return tuple(map(_described, value))
    if not isinstance(value, dict):
        return value if isinstance(value, (bool, int, float)) else None
    if value["type"] == "tensor":
        flags = NOT_STRIDED * (value["layout"] != "strided") + REQUIRES_GRAD * value["requires_grad"]
        flags += CONJ * value.get("is_conj", False) + NEG * value.get("is_neg", False)
        return DescribedTensor(value["storage"], value["dtype"], value["device"], flags, value["storage_offset"], value["shape"], value["stride"])
    return value["expr"] if value["type"] == "symint" else _Other()


class _Other:
    """Equal to nothing else."""


# Of fakeprop/c_api.h.
_NONE, _INT, _BOOL, _FLOAT, _LIST, _TENSOR, _SYMINT = range(7)


class PlainValues(_Values):
    """Values as the core's numbers. A node is the position of its value among them."""

    def __init__(self, plain, mode):
        super().__init__({"storages": (), **plain.conditions}, mode)
        self.words = words = plain.numbers
        self.texts = plain.names
        self.names = [_dtype_or_device(name) for name in plain.names]
        self.expressions = plain.expressions
        first = words[0] + 1
        self.nodes = words[first + 1 : first + 1 + words[first]].tolist()
        self.end = 0  # of the value that was read last

    def is_none(self, position):
        return self.words[position] == _NONE

    def makes_symbols(self, position):
        return False

    def make(self, position):
        return self.read(position), None

    def described(self, position):
        return self.read(position, self.describe_tensor, self.expressions.__getitem__)

    def read(self, position, read_tensor=None, read_expression=None):
        kind = self.words[position]
        if kind == _TENSOR:
            return (read_tensor or self.read_tensor)(position)
        self.end = position + (1 if kind == _NONE else 2)
        if kind == _LIST:
            return tuple(self.read(self.end, read_tensor, read_expression) for _ in range(self.words[position + 1]))
        if kind == _NONE:
            return None
        number = self.words[position + 1]
        if kind == _FLOAT:
            return struct.unpack("d", struct.pack("q", number))[0]
        if kind == _SYMINT:
            return (read_expression or self.read_expression)(number)
        return bool(number) if kind == _BOOL else number

    def read_expression(self, index):
        return self.number(self.expressions[index])

    def described_size(self, number):
        return number if number >= 0 else self.expressions[-1 - number]

    def numbers_of_tensor(self, position):
        _, storage, dtype, device, flags, offset, rank = self.words[position : position + 7].tolist()
        sizes, strides = position + 7, position + 7 + rank
        self.end = strides + rank
        return storage, dtype, device, flags, offset, self.words[sizes:strides].tolist(), self.words[strides : self.end].tolist()

    def describe_tensor(self, position):
        storage, dtype, device, flags, offset, shape, stride = self.numbers_of_tensor(position)
        if self.expressions:
            offset, shape, stride = self.described_size(offset), [*map(self.described_size, shape)], [*map(self.described_size, stride)]
        return DescribedTensor(storage, self.texts[dtype], self.texts[device], flags, offset, shape, stride)

    def read_tensor(self, position):
        storage, dtype, device, flags, offset, shape, stride = self.numbers_of_tensor(position)
        if flags & NOT_STRIDED:
            return None
        dtype = self.names[dtype]
        if self.expressions and (offset < 0 or shape and min(shape) < 0 or stride and min(stride) < 0):
            tensor = self.base(storage, dtype).as_strided(self.sizes(shape), self.sizes(stride), self.size(offset))
        else:
            tensor = self.meta_tensor(storage, dtype, shape, stride, offset)
        return self.pending(self.fake(tensor, self.names[device]), flags & CONJ, flags & NEG)

    def size(self, number):
        return number if number >= 0 else self.read_expression(-1 - number)

    def meta_tensor(self, storage, dtype, shape, stride, offset):
        """A tensor that is all of a new storage brings it along."""
        if offset == 0 and not (storage in self.owners or storage in self.homes):
            tensor = torch.empty_strided(shape, stride, dtype=dtype, device="meta")
            if tensor.untyped_storage().nbytes() == self.words[1 + storage]:
                self.owners[storage] = tensor
                return tensor
        return self.base(storage, dtype).as_strided(shape, stride, offset)

    def nbytes(self, storage):
        return self.size(self.words[1 + storage])

    def described_bytes(self, storage):
        return self.described_size(self.words[1 + storage])

    def bind(self, position, given):
        """Gives the storages of a node's value those of the tensors that it describes."""
        if self.words[position] == _TENSOR:
            self.owners[self.words[position + 1]] = given
        else:
            self.end = position
            self._bind(given)

    def _bind(self, given):
        position, kind = self.end, self.words[self.end]
        if kind == _TENSOR:
            self.owners[self.words[position + 1]] = given
            self.end = position + 7 + 2 * self.words[position + 6]
        elif kind == _LIST:
            self.end = position + 2
            for item in given:
                self._bind(item)
        else:
            self.end = position + (1 if kind == _NONE else 2)


@functools.lru_cache(maxsize=256)
def _dtype_or_device(name):
    dtype = getattr(torch, name, None)
    return dtype if isinstance(dtype, torch.dtype) else torch.device(name)


def values_of(answer, mode, earlier):
    """The values that a part of a graph has, and the annotations; None if a node has no value. `earlier` are values of the mode."""
    if plain := answer.values():
        annotations = plain.conditions
        values = PlainValues(plain._replace(conditions={}), mode)
    else:
        annotations = answer.annotations()
        if any("meta" not in entry for entry in annotations["nodes"]):
            return None, annotations
        values = JsonValues({**annotations, "symbols": None}, mode, None)
    values.symbols, values.numbers, values.kinds = earlier.symbols, earlier.numbers, earlier.kinds
    return values, annotations
