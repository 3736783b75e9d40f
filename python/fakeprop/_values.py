"""The values of nodes, made of what the core answers: as JSON (JsonValues), or in plain cases as numbers (PlainValues).

Both have `nodes`, what stands for each node, which their methods take. `described` gives a value without making it: a
DescribedTensor, a number, the expression of a SymInt, None, or a tuple of them. Whatever else a value is, is _Other.
"""

import collections
import struct

import torch

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

    def storage(self, number):
        values, there = self.home(number)
        return super().storage(number) if values is self else values.storage(there)


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
_NONE, _INT, _BOOL, _FLOAT, _LIST, _TENSOR = range(6)


class PlainValues(_Values):
    """Values without symbols. A node is the position of its value among the numbers."""

    def __init__(self, numbers, names, mode):
        super().__init__({"storages": ()}, mode)
        self.numbers = numbers
        self.texts = names
        self.names = [_dtype_or_device(name) for name in names if name]
        first = numbers[0] + 1
        self.nodes = numbers[first + 1 : first + 1 + numbers[first]].tolist()
        self.end = 0  # of the value that was read last

    def is_none(self, position):
        return self.numbers[position] == _NONE

    def makes_symbols(self, position):
        return False

    def make(self, position):
        return self.read(position), None

    def described(self, position):
        return self.read(position, self.describe_tensor)

    def read(self, position, read_tensor=None):
        kind = self.numbers[position]
        if kind == _TENSOR:
            return (read_tensor or self.read_tensor)(position)
        self.end = position + (1 if kind == _NONE else 2)
        if kind == _LIST:
            return tuple(self.read(self.end, read_tensor) for _ in range(self.numbers[position + 1]))
        if kind == _NONE:
            return None
        number = self.numbers[position + 1]
        if kind == _FLOAT:
            return struct.unpack("d", struct.pack("q", number))[0]
        return bool(number) if kind == _BOOL else number

    def numbers_of_tensor(self, position):
        _, storage, dtype, device, flags, offset, rank = self.numbers[position : position + 7].tolist()
        sizes, strides = position + 7, position + 7 + rank
        self.end = strides + rank
        return storage, dtype, device, flags, offset, self.numbers[sizes:strides].tolist(), self.numbers[strides : self.end].tolist()

    def describe_tensor(self, position):
        storage, dtype, device, *rest = self.numbers_of_tensor(position)
        return DescribedTensor(storage, self.texts[dtype], self.texts[device], *rest)

    def read_tensor(self, position):
        storage, dtype, device, flags, offset, shape, stride = self.numbers_of_tensor(position)
        if flags & NOT_STRIDED:
            return None
        fake = self.fake(self.meta_tensor(storage, self.names[dtype], shape, stride, offset), self.names[device])
        return self.pending(fake, flags & CONJ, flags & NEG)

    def meta_tensor(self, storage, dtype, shape, stride, offset):
        """A tensor that is all of a new storage brings it along."""
        if offset == 0 and not (storage in self.storages or storage in self.owners or storage in self.homes):
            tensor = torch.empty_strided(shape, stride, dtype=dtype, device="meta")
            made = tensor.untyped_storage()
            if made.nbytes() == self.nbytes(storage):
                self.storages[storage] = made
                self.bases[storage, dtype] = tensor
                return tensor
        return self.base(storage, dtype).as_strided(shape, stride, offset)

    def nbytes(self, storage):
        return self.numbers[1 + storage]

    described_bytes = nbytes

    def bind(self, position, given):
        """Gives the storages of a node's value those of the tensors that it describes."""
        self.end = position
        self._bind(given)

    def _bind(self, given):
        position, kind = self.end, self.numbers[self.end]
        if kind == _TENSOR:
            self.owners[self.numbers[position + 1]] = given
            self.end = position + 7 + 2 * self.numbers[position + 6]
        elif kind == _LIST:
            self.end = position + 2
            for item in given:
                self._bind(item)
        else:
            self.end = position + (1 if kind == _NONE else 2)


def _dtype_or_device(name):
    dtype = getattr(torch, name, None)
    return dtype if isinstance(dtype, torch.dtype) else torch.device(name)


def values_of(answer, mode, earlier):
    """The values that a part of a graph has, and the annotations; None if a node has no value. `earlier` are values of the mode."""
    if plain := answer.values():
        values, annotations = PlainValues(*plain, mode), {}
    else:
        annotations = answer.annotations()
        if any("meta" not in entry for entry in annotations["nodes"]):
            return None, annotations
        values = JsonValues({**annotations, "symbols": None}, mode, None)
        if earlier.symbols:
            values.symbols, values.numbers = earlier.symbols, earlier.numbers
    values.attributes = earlier.attributes
    return values, annotations
