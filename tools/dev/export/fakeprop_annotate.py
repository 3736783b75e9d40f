"""Puts fakeprop's annotations on the nodes of a torch.fx.GraphModule. fakeprop_fx.py, which stands beside it, is the door.

Sizes can be expressions over symbols. A parser of our own reads them: the text of a file never runs as code.
"""

import ast
import contextlib
import functools
import json
import operator

import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, in_kernel_invocation_manager, unset_fake_temporarily
from torch.fx.experimental import symbolic_shapes
from torch.utils import _pytree
from torch.utils._sympy import functions
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.symbol import SymT, symbol_is_type

FORMAT = "fakeprop.annotations/1"
ERROR_KEY = "fakeprop_error"  # of node.meta
MOST_SHOWN = 3  # errors in an exception's text


class PropagationError(ValueError):
    """The annotations are of a propagation that failed. `errors` has, for each node that failed, what the file says."""

    def __init__(self, errors, skipped):
        self.errors = errors
        rows = [f"{name}: {error['code']} {error['class']}: {error['message']}" for name, error in errors.items()]
        if len(rows) > MOST_SHOWN:
            rows[MOST_SHOWN:] = [f"and {len(rows) - MOST_SHOWN} more"]
        count = f"{len(errors)} failed, {skipped} skipped" if errors else f"{skipped} skipped"
        way_out = f'on_error="mark" takes the other values, and marks these nodes in node.meta["{ERROR_KEY}"]'
        super().__init__(f"nodes without a value ({count}):\n  " + "\n  ".join([*rows, way_out]))


def annotate(graph_module, annotations, mode, on_error):
    """See fakeprop_fx.annotate. Writes to no node before all values are made."""
    if on_error not in ("raise", "mark"):
        raise ValueError(f'on_error is "raise" or "mark", not {on_error!r}')
    annotations = _read(annotations)
    pairs = list(_pairs(graph_module, annotations))
    if on_error == "raise":
        _check_all_have_values(pairs)
    values = Values(annotations, _choose_mode(mode, pairs, annotations))
    made = [(node, entry, *values.of_node(entry)) for node, _, entry in pairs]
    for node, entry, value, bindings in made:
        _write(node, entry, value, bindings)
    return values.mode


def _read(annotations):
    if not isinstance(annotations, dict):
        with open(annotations, encoding="utf-8") as file:
            annotations = json.load(file)
    if not isinstance(annotations, dict) or annotations.get("format") != FORMAT:
        seen = annotations.get("format") if isinstance(annotations, dict) else type(annotations).__name__
        raise ValueError(f"expected annotations ({FORMAT}), not {seen!r}: `fakeprop GRAPH -o FILE` writes them")
    return annotations


def _pairs(graph_module, annotations):
    """Each node with its path and its entry; the two have to be of one graph."""
    yield from _pairs_of(graph_module, annotations["nodes"], "")
    for path, graph in annotations.get("subgraphs", {}).items():
        module = _submodule(graph_module, path)
        if isinstance(module, torch.fx.GraphModule):  # the guards of ep.module() are a graph in the file alone
            yield from _pairs_of(module, graph["nodes"], f"{path}.")


def _submodule(graph_module, path):
    try:
        return graph_module.get_submodule(path)
    except AttributeError:
        raise ValueError(f"the module has no graph {path!r}: these are another graph's annotations") from None


def _pairs_of(graph_module, entries, prefix):
    nodes = {node.name: node for node in graph_module.graph.nodes}
    for entry in entries:
        node = nodes.pop(entry["name"], None)
        if node is None:
            raise ValueError(f"the graph has no node {prefix + entry['name']!r}: these are another graph's annotations")
        yield node, prefix + node.name, entry
    if nodes:
        raise ValueError(f"nothing is said of the node {prefix + next(iter(nodes))!r}: these are another graph's annotations")


def _check_all_have_values(pairs):
    errors = {path: entry["error"] for _, path, entry in pairs if "error" in entry}
    skipped = sum("skipped" in entry for _, _, entry in pairs)
    if errors or skipped:
        raise PropagationError(errors, skipped)


def _write(node, entry, value, bindings):
    node.meta.pop(ERROR_KEY, None)
    if "meta" not in entry:
        node.meta.pop("val", None)  # an earlier run's
        node.meta[ERROR_KEY] = entry.get("error") or {"skipped": entry["skipped"]}
    elif value is not None:
        node.meta["val"] = value
    if bindings:
        node.meta["unbacked_bindings"] = bindings


# ---- the mode


def _choose_mode(mode, pairs, annotations):
    """The given mode, else that of the nodes' values, else a new one; with a ShapeEnv where there are symbols."""
    has_symbols = bool(annotations.get("symbols"))
    if mode is None:
        mode = _mode_of(node for node, _, _ in pairs)
        if mode is None or has_symbols and mode.shape_env is None:
            mode = FakeTensorMode(shape_env=symbolic_shapes.ShapeEnv() if has_symbols else None)
    if has_symbols and mode.shape_env is None:
        raise ValueError("the annotations have symbols, but the mode has no ShapeEnv: FakeTensorMode(shape_env=ShapeEnv())")
    return mode


def _mode_of(nodes):
    """The mode of the nodes' values. A mode with a ShapeEnv comes first. None if no node has a value."""
    found = None
    for value in _pytree.tree_leaves([node.meta.get(key) for node in nodes for key in ("val", "example_value")]):
        if isinstance(value, FakeTensor):
            found = value.fake_mode
        elif isinstance(value, symbolic_shapes.SymTypes):
            found = FakeTensorMode(shape_env=value.node.shape_env)
        if found is not None and found.shape_env is not None:
            break
    return found


# ---- values


class Values:
    """Makes values of annotations: storages by number, tensors on them, numbers over the symbols of a ShapeEnv.

    known: the symbols to take for names of the annotations; the others are the ShapeEnv's own of these names, or new.
    """

    def __init__(self, annotations, mode, known=None):
        self.mode = mode
        self.entries = {entry["id"]: entry for entry in annotations["storages"]}
        self.owners = {}  # by number: a tensor on the storage, given or of the device meta
        self.bases = {}
        self.kinds = {}
        self.symbols = Symbols(annotations, mode.shape_env, known) if annotations.get("symbols") else None
        self.numbers = {}
        self.devices = {}

    def of_node(self, entry):
        """A node's value, and where its fresh unbacked symbols stand in it."""
        with self.making():
            return self.make(entry)

    @contextlib.contextmanager
    def making(self):
        """While values are made: no guards, and no mode but ours."""
        with self.symbols.env.suppress_guards() if self.symbols else contextlib.nullcontext(), unset_fake_temporarily():
            yield

    def make(self, entry):
        """of_node, in making()."""
        if "meta" not in entry:
            return None, None
        value = self.value(entry["meta"]["val"])
        return value, self.symbols.bindings(entry.get("unbacked_bindings", {}), value) if self.symbols else None

    def value(self, described):
        """What FakeTensorProp records of a value: its tensors and numbers; None of all else."""
        if isinstance(described, list):
            return tuple(self.value(item) for item in described)
        if not isinstance(described, dict):
            return described if isinstance(described, (bool, int, float)) else None
        kind = described["type"]
        if kind == "tensor":
            return self.tensor(described)
        if kind == "float":
            return float(described["value"])
        if kind == "dict":
            return {self.key(key): self.value(item) for key, item in described["items"]}
        if kind in ("symint", "symfloat", "symbool"):
            return self.number(described["expr"])
        return None

    def number(self, text):
        if not self.symbols:
            raise ValueError(f"the annotations have {text!r}, but no `symbols`")
        if text not in self.numbers:
            self.numbers[text] = self.symbols.number(text)
        return self.numbers[text]

    def key(self, described):
        return described if isinstance(described, (str, int)) else self.value(described)

    def tensor(self, described):
        if described["layout"] != "strided":
            return None
        base = self.base(described["storage"], getattr(torch, described["dtype"]))
        tensor = base.as_strided(self.sizes(described["shape"]), self.sizes(described["stride"]),
                                 self.size(described["storage_offset"]))
        fake = self.fake(tensor, self.device(described["device"]))
        return self.pending(fake, described.get("is_conj"), described.get("is_neg"))

    def pending(self, fake, is_conj, is_neg):
        if is_conj or is_neg:
            with self.mode:
                fake = torch._conj(fake) if is_conj else fake
                fake = torch._neg_view(fake) if is_neg else fake
        return fake

    def fake(self, tensor, device):
        if device.type == "meta":
            with in_kernel_invocation_manager(self.mode):  # elsewhere torch refuses fakes of this device
                return FakeTensor(self.mode, tensor, device)
        return self.another(tensor, *self.kind_of(device))

    def kind_of(self, device):
        """What FakeTensor's constructor gives each tensor of a device: its attributes, and its device."""
        if device not in self.kinds:
            attributes, fake_device = _kind_of(device)
            self.kinds[device] = {**attributes, "fake_mode": self.mode}, fake_device
        return self.kinds[device]

    def another(self, tensor, attributes, device):
        """What FakeTensor's constructor makes, several times as fast."""
        fake = _make_subclass(FakeTensor, tensor, False, dispatch_device=True, device_for_backend_keys=device)
        if self.mode._allow_unsafe_data_ptr_access:
            torch._C._set_warn_deprecated_on_mutable_data_ptr(fake)
        else:
            torch._C._set_throw_on_mutable_data_ptr(fake)
        fake.__dict__.update(attributes)
        return fake

    def device(self, name):
        if name not in self.devices:
            self.devices[name] = torch.device(name)
        return self.devices[name]

    def sizes(self, described):
        return [self.size(size) for size in described]

    def size(self, described):
        return self.number(described) if isinstance(described, str) else described

    def base(self, number, dtype):
        """A tensor on a storage. as_strided of it takes symbols in microseconds, set_ in half a millisecond."""
        owner = self.owner(number, dtype)
        if type(owner) is torch.Tensor and owner.dtype is dtype:
            return owner
        key = number, dtype
        if key not in self.bases:
            empty = torch.empty(0, dtype=dtype, device="meta")
            self.bases[key] = empty.set_(owner.untyped_storage(), 0, (0,), (1,))
        return self.bases[key]

    def owner(self, number, dtype):
        """A tensor on a storage, of this dtype if it is the first."""
        owner = self.owners.get(number)
        if owner is None:
            owner = self.owners[number] = torch.empty(0, dtype=dtype, device="meta")
            _resize_storage(owner, self.nbytes(number))  # torch.empty calculates with symbols, ten times as long
        return owner

    def nbytes(self, number):
        return self.size(self.entries[number]["nbytes"])


_make_subclass = torch.Tensor._make_subclass
_resize_storage = torch.ops.inductor.resize_storage_bytes_.default


def _kind_of(device):
    has_index = device.index is not None or device.type == "cpu"  # torch goes by the current device elsewhere
    return _kind_of_indexed(device) if has_index else _new_kind_of(device)


def _new_kind_of(device):
    fake = FakeTensor(FakeTensorMode(), torch.empty(0, device="meta"), device)
    return dict(fake.__dict__), fake.fake_device


_kind_of_indexed = functools.lru_cache(_new_kind_of)


# ---- symbols


class Symbols:
    """The symbols of annotations in a ShapeEnv: those of `known`, its own of these names, new ones where it has none."""

    def __init__(self, annotations, env, known=None):
        self.env = env
        self.hints = env.backed_var_to_val if hasattr(env, "backed_var_to_val") else env.var_to_val  # torch 2.6
        entries = annotations["symbols"]
        known = {symbol.name: symbol for symbol in env.var_to_range} | (known or {})
        self.by_name = {name: known.get(name) or self.add(name, entry) for name, entry in entries.items()}
        added = {self.by_name[name] for name in entries.keys() - known.keys()}
        for guard in annotations.get("guards", []):
            self.take(guard, added)
        # Such as torch's own operators give: a size asks no data whether it is 0 (torch 2.6).
        env.size_like |= {symbol for symbol in added - self.hints.keys() if env.var_to_range[symbol].lower >= 0}

    def add(self, name, entry):
        is_unbacked = entry.get("kind") == "unbacked"
        symbol = self.make(name, entry, is_unbacked)
        if symbol.is_integer:
            self.env.constrain_symbol_range(symbol, entry.get("min", -int_oo), entry.get("max", int_oo))
        else:
            self.env.var_to_range[symbol] = symbolic_shapes.ValueRanges.unknown()
        self.env.var_to_stack[symbol] = symbolic_shapes.CapturedTraceback.extract(skip=1)
        if not is_unbacked:
            self.hints[symbol] = sympy.sympify(entry["hint"])
        elif name[:1] == "u" and name[1:].isdecimal():
            self.skip_names_to(int(name[1:]))
        return symbol

    def make(self, name, entry, is_unbacked):
        """With the assumptions that ShapeEnv makes of its own symbols."""
        if name.startswith(("zf", "zuf")):
            return sympy.Symbol(name) if is_unbacked else sympy.Symbol(name, real=True)
        if is_unbacked:
            return sympy.Symbol(name, integer=True)
        lowest = entry.get("min", -1)
        signs = {"positive": True} if lowest > 0 else {"nonnegative": True} if lowest == 0 else {}
        symbol = sympy.Symbol(name, integer=True, **signs)
        # torch tells an unbacked symbol by the first letters of its name.
        is_misnamed = symbol_is_type(symbol, (SymT.UNBACKED_INT, SymT.UNBACKED_FLOAT))
        return sympy.Symbol(f"s_{name}", integer=True, **signs) if is_misnamed else symbol

    def take(self, guard, added):
        """Has the ShapeEnv rest on a guard or assertion over symbols that are new to it, as a run in torch would leave it."""
        condition = self.expression(guard["expr"])
        if not condition.free_symbols or not condition.free_symbols <= added:
            return
        if guard.get("kind") == "assertion":
            old_name = "defer_runtime_assert"  # torch 2.6
            assume = getattr(self.env, "guard_or_defer_runtime_assert", None) or getattr(self.env, old_name)
            assume(condition, guard["expr"])
        else:
            self.env.evaluate_expr(condition)

    def skip_names_to(self, number):
        """So that the ShapeEnv's next unbacked symbol is a new one."""
        counter = self.env.unbacked_symint_counter
        if isinstance(counter, int):
            self.env.unbacked_symint_counter = max(counter, number + 1)
        else:  # torch 2.6: an iterator
            while next(counter) < number:
                pass

    def number(self, text):
        """The value of an expression: a SymInt, SymFloat or SymBool; a number where no symbol is in it."""
        expression = self.expression(text)
        if expression.is_Boolean or expression.is_Relational:
            return bool(expression) if expression in (sympy.true, sympy.false) else self.env.create_symboolnode(expression)
        if expression.is_integer:
            hint = expression.xreplace(self.hints)  # torch takes twenty times as long to find it
            return self.env.create_symintnode(expression, hint=int(hint) if hint.is_Integer else None)
        return self.env.create_symfloatnode(expression, hint=None)

    def expression(self, text):
        factor, times, name = text.partition("*")
        if times and name in self.by_name and factor.isdecimal():  # most sizes, which a parser takes longer for
            return int(factor) * self.by_name[name]
        return self.parser.parse(text)

    @functools.cached_property
    def parser(self):
        return _Parser(self.by_name, self.env)

    def bindings(self, names, value):
        """Where in a value the fresh symbols stand, as FakeTensorProp records it."""
        if not names:
            return None
        fresh = symbolic_shapes.free_unbacked_symbols(_pytree.tree_leaves(value)) & {self.by_name[name] for name in names}
        if not fresh:
            return None
        pending = self.env.pending_fresh_unbacked_symbols
        kept = list(pending)
        pending[:] = sorted(fresh, key=str)
        try:
            return symbolic_shapes.compute_unbacked_bindings(self.env, value)
        finally:
            pending[:] = kept


def _power(base, exponent):
    if not (base.is_integer and exponent.is_integer):
        return functions.FloatPow(base, exponent)
    return base**exponent if exponent.is_Integer else functions.PowByNatural(base, exponent)


def _divide(a, b):
    return (functions.IntTrueDiv if a.is_integer and b.is_integer else functions.FloatTrueDiv)(a, b)


_OPERATIONS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: functions.FloorDiv,
    ast.Div: _divide, ast.Pow: _power,
    ast.Eq: sympy.Eq, ast.NotEq: sympy.Ne, ast.Lt: sympy.Lt, ast.LtE: sympy.Le, ast.Gt: sympy.Gt, ast.GtE: sympy.Ge,
    ast.USub: operator.neg, ast.UAdd: operator.pos,
}
_FUNCTIONS = {
    "Min": functions.Min, "Max": functions.Max, "Where": functions.Where, "Abs": sympy.Abs,
    "floor": functions.FloorToInt, "ceiling": functions.CeilToInt,
    "Eq": sympy.Eq, "Ne": sympy.Ne, "And": sympy.And, "Or": sympy.Or, "Not": sympy.Not,
    **{name: getattr(functions, name) for name in (
        "FloorDiv", "CleanDiv", "CeilDiv", "PythonMod", "ModularIndexing", "PowByNatural", "FloatPow", "IntTrueDiv",
        "FloatTrueDiv", "ToFloat", "TruncToInt", "TruncToFloat", "FloorToInt", "CeilToInt", "RoundToInt")},
    **{name: getattr(functions, f"OpaqueUnaryFn_{name}") for name in (
        "sqrt", "cos", "cosh", "sin", "sinh", "tan", "tanh", "asin", "acos", "atan", "exp", "log", "asinh", "log2")},
}
_CONSTANTS = {"True": sympy.true, "False": sympy.false, "oo": sympy.oo, "int_oo": int_oo, "nan": sympy.nan}


class _Parser:
    """Of `(s0//2) + 1`, `Eq(Mod(s0, 8), 0)`: Python's arithmetic and the functions of torch's own expressions."""

    def __init__(self, symbols, env):
        self.names = {**_CONSTANTS, **symbols}
        self.env = env
        self.operations = {**_OPERATIONS, ast.Mod: self.modulo}
        self.functions = {**_FUNCTIONS, "Mod": self.modulo}

    def parse(self, text):
        try:
            return self.evaluate(ast.parse(text, mode="eval").body)
        except (SyntaxError, TypeError, RecursionError) as error:
            raise ValueError(f"{text!r} is no expression of the annotations: {error}") from None

    def evaluate(self, tree):
        if isinstance(tree, ast.Constant) and type(tree.value) in (int, float):
            return sympy.sympify(tree.value)
        if isinstance(tree, ast.Name) and tree.id in self.names:
            return self.names[tree.id]
        if isinstance(tree, ast.BinOp):
            return self.apply(tree.op, tree.left, tree.right)
        if isinstance(tree, ast.UnaryOp):
            return self.apply(tree.op, tree.operand)
        if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
            return self.apply(tree.ops[0], tree.left, tree.comparators[0])
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id in self.functions:
            return self.functions[tree.func.id](*map(self.evaluate, tree.args))
        raise TypeError(f"`{ast.unparse(tree)}` is not known")

    def apply(self, kind, *operands):
        if type(kind) not in self.operations:
            raise TypeError(f"{type(kind).__name__} is not known")
        return self.operations[type(kind)](*map(self.evaluate, operands))

    def modulo(self, a, b):
        """Where nothing is negative, torch writes Mod."""
        is_positive = all(self.env.bound_sympy(operand).lower >= 0 for operand in (a, b))
        return (functions.Mod if is_positive else functions.PythonMod)(a, b)
