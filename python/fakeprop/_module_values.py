"""What both kinds of runs of FakeTensorProp take from a module, and write to its nodes and its mode."""

from torch._subclasses.fake_tensor import FakeTensor
from torch.fx.experimental import symbolic_shapes
from torch.fx.experimental.proxy_tensor import snapshot_fake

from fakeprop._lazy_meta import LazyMeta


class LeftToTorch(Exception):
    """The core does not serve this graph, for the reason that is the text."""


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


def set_value(node, value):
    if type(node.meta) is LazyMeta:
        node.meta = dict(dict.items(node.meta))
    node.meta["val"] = value


def take_guards(annotations, values):
    """The ShapeEnv relies on what the results rely on, as after a run in torch."""
    if not values.symbols:
        return
    env = values.symbols.env
    for guard in annotations.get("guards", ()):
        condition = values.symbols.expression(guard["expr"])
        if guard.get("kind") == "assertion":
            env.guard_or_defer_runtime_assert(condition, guard["expr"])
        elif condition.free_symbols and not env.evaluate_expr(condition):
            raise LeftToTorch(f"the guard {guard['expr']} does not hold in the ShapeEnv of the mode")
