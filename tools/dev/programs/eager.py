"""Runs programs in eager PyTorch on cpu tensors, and writes down what every step gave."""

import random

import torch

import truth_path  # noqa: F401
from call_text import find_operator
from program import Program, Ref, dtype_name, mapped

LARGEST = 100_000  # elements of one result, or of an input's storage


class Refused(Exception):
    """A tensor that programs do not go on with: sparse, large."""


class Machine:
    """The values of a program while it runs."""

    def __init__(self):
        self.values = {}
        self.snaps = {}     # what each value was when its step ended
        self.errors = {}    # what eager raised, by step
        self.storages = []  # kept alive, so that no address comes twice
        self.objects = []   # the tensors of values, each once
        torch.set_grad_enabled(True)

    def add_input(self, given):
        """An input is no view for autograd, also where it shares the storage of another one. Raises Refused."""
        if given.extent() > LARGEST:
            raise Refused
        whole = self.values[given.view_of].detach() if given.view_of else self.storage_of(given)
        whole = whole if whole.dtype == given.dtype else whole.view(given.dtype)
        t = whole.as_strided(given.sizes, given.strides, given.offset).detach()
        self.set(given.name, t.requires_grad_(self.records(given)))

    def storage_of(self, given):
        return filled(given)

    def records(self, given):
        return given.requires_grad

    def set(self, name, value):
        self.values[name] = value
        self.snaps[name] = self.snapshot(value)

    def snapshot(self, value):
        if not isinstance(value, torch.Tensor):
            return type(value).__name__
        require_plain(value)
        return {"shape": list(value.shape), "stride": list(value.stride()), "storage_offset": value.storage_offset(),
                "dtype": dtype_name(value.dtype), "requires_grad": value.requires_grad, "is_conj": value.is_conj(),
                "is_neg": value.is_neg(), "storage": self.storage_number(value), "object": self.object_number(value)}

    def object_number(self, t):
        """The same number for values that are one tensor, as what add_ and contiguous give back."""
        for i, known in enumerate(self.objects):
            if known is t:
                return i
        self.objects.append(t)
        return len(self.objects) - 1

    def storage_number(self, t):
        storage = t.untyped_storage()
        for i, known in enumerate(self.storages):
            if known._cdata == storage._cdata:
                return i
        self.storages.append(storage)
        return len(self.storages) - 1

    def run(self, step):
        """Runs a step, and returns what eager raised, if anything."""
        args, kwargs = (mapped(v, lambda ref: self.values[ref.name]) for v in (step.args, step.kwargs))
        torch.manual_seed(0)
        try:
            value = function_of(step.target)(*args, **kwargs)
        except Refused:
            raise
        except Exception as e:
            return e
        for t in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(t, torch.Tensor):
                require_plain(t)
        self.set(step.name, list(value) if isinstance(value, (list, tuple)) else value)
        return None


def require_plain(t):
    if t.layout != torch.strided or t.is_quantized or t.device.type != "cpu" or t.numel() > LARGEST:
        raise Refused


def function_of(target):
    if target == "_operator.getitem":
        return lambda values, i: values[i]
    if target == "torch._C._set_grad_enabled":
        return torch._C._set_grad_enabled
    return find_operator(target)


def filled(given):
    """A storage of small numbers, the same for every run."""
    rng = torch.Generator().manual_seed(given.extent() + 7)
    if given.dtype == torch.bool:
        return torch.randint(0, 2, (given.extent(),), generator=rng, dtype=torch.bool)
    if not (given.dtype.is_floating_point or given.dtype.is_complex):
        return torch.randint(0, 2, (given.extent(),), generator=rng).to(given.dtype)
    return (torch.rand(given.extent(), generator=rng) * 0.9 + 0.1).to(given.dtype)


def run_program(program, make_machine=Machine):
    """(snapshots, errors) of a program; steps without their operands are left out. Raises Refused."""
    machine = make_machine()
    try:
        for given in program.inputs:
            machine.add_input(given)
        for step in program.steps:
            if any(ref.name not in machine.values for ref in step.refs()):
                continue
            error = machine.run(step)
            if error is not None:
                machine.errors[step.name] = [type(error).__name__, str(error).split("\n")[0]]
    finally:
        torch.set_grad_enabled(True)
    return machine.snaps, machine.errors
