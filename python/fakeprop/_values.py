"""The values of nodes, made of what the core answers: as JSON (JsonValues), or in plain cases as numbers (PlainValues).

Both have `nodes`, what stands for each node, which their methods take.
"""

import struct

import torch

import fakeprop_annotate


class JsonValues(fakeprop_annotate.Values):
    def __init__(self, annotations, mode, known):
        super().__init__(annotations, mode, known)
        self.nodes = annotations["nodes"]

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


# Of fakeprop/c_api.h.
_NONE, _INT, _BOOL, _FLOAT, _LIST, _TENSOR = range(6)
_NOT_STRIDED, _CONJ, _NEG = 1, 2, 4


class PlainValues(fakeprop_annotate.Values):
    """Values without symbols. A node is the position of its value among the numbers."""

    def __init__(self, numbers, names, mode):
        super().__init__({"storages": ()}, mode)
        self.numbers = numbers
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

    def read(self, position):
        kind = self.numbers[position]
        if kind == _TENSOR:
            return self.read_tensor(position)
        self.end = position + (1 if kind == _NONE else 2)
        if kind == _LIST:
            return tuple(self.read(self.end) for _ in range(self.numbers[position + 1]))
        if kind == _NONE:
            return None
        number = self.numbers[position + 1]
        if kind == _FLOAT:
            return struct.unpack("d", struct.pack("q", number))[0]
        return bool(number) if kind == _BOOL else number

    def read_tensor(self, position):
        _, storage, dtype, device, flags, offset, rank = self.numbers[position : position + 7].tolist()
        sizes, strides = position + 7, position + 7 + rank
        self.end = strides + rank
        if flags & _NOT_STRIDED:
            return None
        shape, stride = self.numbers[sizes:strides].tolist(), self.numbers[strides : self.end].tolist()
        fake = self.fake(self.meta_tensor(storage, self.names[dtype], shape, stride, offset), self.names[device])
        return self.pending(fake, flags & _CONJ, flags & _NEG) if flags else fake

    def meta_tensor(self, storage, dtype, shape, stride, offset):
        """A tensor that is all of a new storage brings it along."""
        if offset == 0 and storage not in self.storages and storage not in self.owners:
            tensor = torch.empty_strided(shape, stride, dtype=dtype, device="meta")
            made = tensor.untyped_storage()
            if made.nbytes() == self.nbytes(storage):
                self.storages[storage] = made
                self.bases[storage, dtype] = tensor
                return tensor
        return self.base(storage, dtype).as_strided(shape, stride, offset)

    def nbytes(self, storage):
        return self.numbers[1 + storage]

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
