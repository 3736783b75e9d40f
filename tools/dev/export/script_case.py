"""What a module for export_scripts.py is: how it is made and what it is called with."""

import dataclasses
from typing import Callable

import torch


@dataclasses.dataclass
class Case:
    name: str
    build: Callable
    inputs: Callable
    method: str = "forward"
    error: str = ""


CASES = []


def case(*shapes, name="", method="forward", error="", trace=False, freeze=False, inputs=None):
    """Registers a class: an instance, scripted or traced, called with random tensors of these shapes."""

    def register(cls):
        given = inputs or (lambda: tuple(torch.randn(s) if isinstance(s, tuple) else s for s in shapes))

        def build():
            module = cls().eval()
            made = torch.jit.trace(module, given(), check_trace=False) if trace else torch.jit.script(module)
            return torch.jit.freeze(made) if freeze else made

        CASES.append(Case(name or cls.__name__.lower(), build, given, method, error))
        return cls

    return register
