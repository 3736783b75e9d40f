"""What both kinds of runs of FakeTensorProp take from a module, and write to its nodes."""

from torch._subclasses.fake_tensor import FakeTensor
from torch.fx.experimental import symbolic_shapes
from torch.fx.experimental.proxy_tensor import snapshot_fake


def attribute_of(module, path):
    """The attribute at a dotted path, or None."""
    for name in path.split("."):
        module = getattr(module, name, None)
    return module


def recorded(value):
    """What FakeTensorProp writes down of a value that is no list: None of what is neither tensor nor number."""
    if isinstance(value, FakeTensor):
        return snapshot_fake(value)
    return value if isinstance(value, (bool, int, float, *symbolic_shapes.SymTypes)) else None
