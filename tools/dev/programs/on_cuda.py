"""Random programs and calls on cuda tensors: on a card, if there is one, and under FakeTensorMode."""

import torch
from torch._subclasses import FakeTensorMode

import eager

DEVICE = "cuda:0"
CARD = torch.cuda.is_available()


def move_to_cuda():
    """Makes eager's machines take cuda tensors, and make them if there is a card."""
    eager.require_plain = require_plain
    if CARD:
        eager.filled = filled_on_card


def require_plain(t):
    if t.layout != torch.strided or t.is_quantized or t.device.type not in ("cpu", "cuda") or t.numel() > eager.LARGEST:
        raise eager.Refused


def filled_on_card(given):
    """Numbers that no kernel takes for an index out of bounds: a failed assertion on a card ends the process."""
    if not (given.dtype.is_floating_point or given.dtype.is_complex):
        return torch.zeros(given.extent(), dtype=given.dtype, device=DEVICE)
    return (torch.rand(given.extent()) * 0.9 + 0.1).to(given.dtype).to(DEVICE)


class FakeMachine(eager.Machine):
    """A machine whose inputs are fake. Without CUDA, autograd takes no cuda tensors."""

    def storage_of(self, given):
        return torch.empty(given.extent(), dtype=given.dtype, device=DEVICE)

    def records(self, given):
        return given.requires_grad and CARD

    def run(self, step):
        if CARD or not any(word in step.target for word in ("requires_grad", "grad_enabled")):
            return super().run(step)
        self.set(step.name, self.values[step.args[0].name] if step.refs() else None)
        return None


def fake_values(run):
    """What `run` returns of a class of machines, under FakeTensorMode."""
    with FakeTensorMode(allow_fallback_kernels=False):
        return run(FakeMachine)


def run_fake(program):
    """As run_program, under FakeTensorMode."""
    return fake_values(lambda machine: eager.run_program(program, machine))


class OnCuda:
    """A program as the command line gets it, its inputs on a cuda device."""

    def __init__(self, program):
        self.inputs, self.steps, self.fx, self.plain_spec = program.inputs, program.steps, program.fx, program.spec

    def spec(self):
        spec = self.plain_spec()
        for entry in spec["inputs"].values():
            entry["device"] = DEVICE
            entry["requires_grad"] = entry["requires_grad"] and CARD
        return spec
