"""What the tables of libraries' models are made of."""

import importlib

import torch


def image(*shape):
    return lambda: (torch.randn(*shape),)


def unit(*shape, count=1):
    """Values from 0 to 1, as of pictures."""
    return lambda: tuple(torch.rand(*shape) for _ in range(count))


def tokens(*shape, top=50):
    return lambda: (torch.randint(0, top, shape),)


def get(path):
    module, name = path.split(":")
    value = importlib.import_module(module)
    for part in name.split("."):
        value = getattr(value, part)
    return value


def row(path, options, inputs, name="", wrap=None, arguments=()):
    """(library, model, what builds it, its inputs)."""
    def build():
        made = get(path)(*arguments, **options)
        return wrap(made) if wrap else made

    return path.split(":")[0].split(".")[0], name or path.split(":")[1], build, inputs


class Tensors(torch.nn.Module):
    """The tensors of a model's result alone: export takes no results of the library's own classes."""

    def __init__(self, inner, method="forward", **options):
        super().__init__()
        self.inner, self.method, self.options = inner, method, options

    def forward(self, *inputs):
        return tensors_of(getattr(self.inner, self.method)(*inputs, **self.options))


def tensors_of(value):
    if isinstance(value, torch.Tensor):
        return (value,)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return tuple(tensor for item in value for tensor in tensors_of(item))
    return ()


class Function(torch.nn.Module):
    """A function of a library as a module."""

    def __init__(self, function, options):
        super().__init__()
        self.function, self.options = function, options

    def forward(self, *inputs):
        return self.function(*inputs, **self.options)


def function(path, inputs, name="", **options):
    return path.split(":")[0].split(".")[0], name or path.split(":")[1], lambda: Function(get(path), options), inputs
