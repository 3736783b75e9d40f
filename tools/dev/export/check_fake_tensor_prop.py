#!/usr/bin/env python3
"""fakeprop.FakeTensorProp beside PyTorch's, by hand: needs torch, and a built libfakeprop.so.

    FAKEPROP_LIBRARY=bazel-bin/fakeprop/libfakeprop.so check_fake_tensor_prop.py GRAPH...

GRAPH is a torch.export graph as JSON, also compressed (.xz). Both classes propagate it from the values that were recorded
for its placeholders. Prints each node.meta["val"] that differs; the processor's seconds of both, of a lazy run, and of both
for a second run after one node changed. Exits with 1 where something differs at the hints.
"""

import gc
import json
import lzma
import pathlib
import sys
import time
import warnings

import sympy
import torch
from torch._export.serde import serialize
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx.experimental import symbolic_shapes
from torch.fx.passes import fake_tensor_prop
from torch.utils import _pytree
from torch.utils._sympy.value_ranges import ValueRanges

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools/dev/export")]

import fakeprop
from fakeprop import _second_run

RUNS = 3


def load(path):
    """A graph module with the recorded values of its nodes, and the mode of these values."""
    content = lzma.open(path).read() if path.endswith(".xz") else pathlib.Path(path).read_bytes()
    document = json.loads(content)
    program = serialize._dict_to_dataclass(serialize.ExportedProgram, document.get("exported_program", document))
    ranges = {name: ValueRanges(serialize._int_to_sympy_int(limit.min_val, -serialize.int_oo),
                                serialize._int_to_sympy_int(limit.max_val, serialize.int_oo))
              for name, limit in program.range_constraints.items()}
    reader = serialize.GraphModuleDeserializer()
    module = reader.deserialize(program.graph_module, {}, {}, None, ranges).graph_module
    return module, reader.fake_tensor_mode


def inputs_of(module):
    return [node.meta["val"] for node in module.graph.nodes if node.op == "placeholder"]


def propagate(path, make):
    """Seconds, and the module with its values; or the exception."""
    module, mode = load(path)
    inputs = inputs_of(module)
    for node in module.graph.nodes:
        if node.op != "placeholder":
            node.meta.pop("val", None)
    interpreter = make(module, mode)
    gc.collect()
    start = time.process_time()
    try:
        interpreter.propagate_dont_convert_inputs(*inputs)
    except Exception as error:  # whatever torch throws
        return time.process_time() - start, error, interpreter
    return time.process_time() - start, module, interpreter


def fastest(path, make):
    """Of some runs: the first one of a process fills caches, PyTorch's of fake tensors too."""
    return min((propagate(path, make) for _ in range(RUNS)), key=lambda run: run[0])


def second_run(path, make):
    """Seconds of a run after one node of the middle got its arguments anew, as a rewriting pass gives them."""
    module, mode = load(path)
    inputs = inputs_of(module)
    make(module, mode).propagate_dont_convert_inputs(*inputs)
    calls = [node for node in module.graph.nodes if _second_run._is_plain_call(node)]
    if not calls:
        return float("nan")
    took = []
    for _ in range(RUNS):
        node = calls[len(calls) // 2]
        node.args = tuple(node.args)
        start = time.process_time()
        make(module, mode).propagate_dont_convert_inputs(*inputs)
        took.append(time.process_time() - start)
    return min(took)


def described(value, storages):
    if isinstance(value, torch.Tensor):
        number = storages.setdefault(value.untyped_storage()._cdata, len(storages))
        sizes = [number_of(size) for size in value.shape]
        strides = [number_of(stride) for size, stride in zip(sizes, value.stride()) if size != 1]
        return (type(value) is FakeTensor, sizes, [] if 0 in sizes else strides, number_of(value.storage_offset()),
                str(value.dtype), str(value.device), value.requires_grad, number)
    if isinstance(value, (list, tuple)):
        return [described(item, storages) for item in value]
    if isinstance(value, dict):
        return {key: described(item, storages) for key, item in value.items()}
    return number_of(value)


def number_of(value):
    """At the hints, and where data decides at 7: torch writes Max(1, u0) for u0 in places, and fixes symbols to their hints."""
    if not isinstance(value, symbolic_shapes.SymTypes):
        return value
    hints = value.node.shape_env.backed_var_to_val
    number = value.node.expr.xreplace({symbol: sympy.sympify(hints.get(symbol, 7)) for symbol in value.node.expr.free_symbols})
    return int(number) if number.is_Integer else str(number)


def differences(ours, theirs):
    storages = {}, {}
    for a, b in zip(ours.graph.nodes, theirs.graph.nodes):
        values = described(a.meta.get("val"), storages[0]), described(b.meta.get("val"), storages[1])
        if values[0] != values[1]:
            yield f"  {a.name} ({a.target}): {values[0]}, not {values[1]}"
        bindings = [str(list(node.meta.get("unbacked_bindings", {}).values())) for node in (a, b)]
        if bindings[0] != bindings[1]:
            yield f"  {a.name} binds {bindings[0]}, not {bindings[1]}"


def check(path):
    """The number of differences."""
    theirs_took, theirs, _ = fastest(path, fake_tensor_prop.FakeTensorProp)
    took, ours, interpreter = fastest(path, fakeprop.FakeTensorProp)
    lazy_took, _, _ = fastest(path, lambda *given: fakeprop.FakeTensorProp(*given, lazy=True))
    name = pathlib.Path(path).name
    if isinstance(theirs, Exception) or isinstance(ours, Exception):
        same = type(theirs) is type(ours)
        print(f"{name}: torch: {str(theirs)[:90]!r}; ours: {str(ours)[:90]!r}", flush=True)
        return 0 if same else 1
    found = list(differences(ours, theirs))
    again = [second_run(path, make) for make in (fake_tensor_prop.FakeTensorProp, fakeprop.FakeTensorProp)]
    left = f"; left to torch: {interpreter.reason}" if interpreter.python_nodes is None else ""
    left += f"; in Python: {interpreter.python_nodes}" if interpreter.python_nodes else ""
    print(f"{name}: {len(found)} differ; torch {theirs_took:.3f} s, ours {took:.3f} s ({theirs_took / took:.1f} times as fast), "
          f"lazy {lazy_took:.3f} s ({theirs_took / lazy_took:.1f}); again {again[0]:.4f} s, ours {again[1]:.4f} s "
          f"({again[0] / again[1]:.0f}){left}", flush=True)
    print(*found[:5], sep="\n", end="\n" if found else "")
    return len(found)


def main(paths):
    if not paths:
        sys.exit(__doc__)
    warnings.filterwarnings("ignore")
    wrong = [path for path in paths if check(path)]
    print(f"{len(paths)} graphs, {len(wrong)} with differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
