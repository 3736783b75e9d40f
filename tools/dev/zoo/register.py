"""The list of models: @model(inputs, ...) above a class adds it."""

import dataclasses
from typing import Callable


@dataclasses.dataclass
class Model:
    name: str
    build: Callable
    inputs: Callable  # makes the example inputs, a tuple
    script: bool = True  # whether torch.jit.script takes it
    trace: bool = True
    train: bool = True  # whether its results have a gradient
    dynamic: bool = True
    skip: tuple = ()


MODELS = []


def model(inputs, **options):
    def add(cls):
        MODELS.append(Model(cls.__name__, cls, inputs, **options))
        return cls

    return add
