#!/usr/bin/env python3
"""fakeprop.FakeTensorProp beside PyTorch's, by hand: needs torch, and a built libfakeprop.so.

    FAKEPROP_LIBRARY=bazel-bin/fakeprop/libfakeprop.so check_fake_tensor_prop.py [--values] GRAPH...

GRAPH is a torch.export graph as JSON, also compressed (.xz). Both classes propagate it from the values that were recorded
for its placeholders. Prints each node.meta["val"] that differs, and a row of times in milliseconds, each the least of
some runs in a process of the graph's own: PyTorch's class, ours, ours with lazy=True, the least that making these values takes, and
second runs of PyTorch's class and of ours after a node was put into the graph. In parentheses: so many times as fast as PyTorch's. Exits
with 1 where something differs at the hints. With --values it runs each class once, ours lazily and a second time too, and takes no
times; where PyTorch's class refuses a graph, ours is compared with the values that the file records.
"""

import collections
import copy
import gc
import json
import lzma
import multiprocessing
import os
import pathlib
import pickle
import statistics
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

SECONDS = 0.4  # of runs whose least counts. What else runs on the machine counts most for the short ones
RUNS = range(4, 100)
RUNS_WITH_SYMBOLS = 5
COLUMNS = ("graph", "nodes", "torch", "ours", "lazy", "least", "torch again", "ours again")


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


class Case:
    """A graph to propagate again and again."""

    def __init__(self, path):
        self.path = path
        self.open()
        self.has_symbols = bool(self.mode.shape_env and self.mode.shape_env.var_to_range)

    def open(self):
        self.module, self.mode = load(self.path)
        self.inputs = inputs_of(self.module)

    def propagate(self, make):
        """Seconds of a run over nodes without values, and the interpreter; what it raised is its `error`."""
        for node in self.module.graph.nodes:
            node.meta = {key: value for key, value in dict.items(node.meta) if key != "val" or node.op == "placeholder"}
        self.module.__dict__.pop(_second_run._KEY, None)
        return self.run(make)

    def run(self, make):
        start = time.process_time()
        interpreter = make(self.module, self.mode)
        interpreter.error = None
        try:
            interpreter.propagate_dont_convert_inputs(*self.inputs)
        except Exception as error:  # whatever torch throws
            interpreter.error = error
        return time.process_time() - start, interpreter

    def run_again(self, make):
        """A run after a call was put into the middle of a graph that has values, as a rewriting pass does."""
        self.insert_call()
        return self.run(make)

    def least(self, make):
        """Seconds of the quickest run. Caches are full, PyTorch's of fake tensors too."""
        if not self.has_symbols:
            return enough(lambda: self.propagate(make)[0])
        return min(self.first(make) for _ in range(RUNS_WITH_SYMBOLS))

    def first(self, make):
        """Seconds of the first run in a ShapeEnv, which keeps what it once worked out."""
        self.open()
        return self.propagate(make)[0]

    def least_again(self, make):
        return in_child(lambda: self.least_again_here(make))

    def least_again_here(self, make):
        self.propagate(make)
        self.run_again(make)
        return enough(lambda: self.run_again(make)[0])

    def insert_call(self):
        calls = [node for node in self.module.graph.nodes if is_call(node)]
        if calls:
            node = calls[len(calls) // 2]
            with self.module.graph.inserting_after(node):
                added = self.module.graph.call_function(torch.ops.aten.neg.default, (node,))
            node.replace_all_uses_with(added, delete_user_cb=lambda user: user is not added)


def enough(run):
    """The least of the seconds that runs take."""
    took = []
    while len(took) < RUNS.start or len(took) < RUNS.stop and sum(took) < SECONDS:
        took.append(run())
    return min(took)


def in_child(run):
    """What `run` returns in a copy of this process, which leaves this one as it is."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            gc.collect()  # touches the pages of all objects, which are copied then
            os.write(writer, pickle.dumps(run()))
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as result:
        content = result.read()
    os.waitpid(child, 0)
    return pickle.loads(content)


def is_call(node):
    """Whether it is a plain call that makes a tensor of floats."""
    value = node.meta.get("val")
    return node.op == "call_function" and _second_run._is_plain(node) and isinstance(value, torch.Tensor) and value.is_floating_point()


def least(module):
    """Seconds that torch takes to make these tensors and no more: empty_strided, _make_subclass."""
    values = [value for node in module.graph.nodes for value in _pytree.tree_leaves(node.meta.get("val")) if type(value) is FakeTensor]
    given = [([*value.shape], [*value.stride()], value.dtype, value.fake_device) for value in values]

    def make():
        start = time.process_time()
        for shape, stride, dtype, device in given:
            tensor = torch.empty_strided(shape, stride, dtype=dtype, device="meta")
            torch.Tensor._make_subclass(FakeTensor, tensor, False, dispatch_device=True, device_for_backend_keys=device)
        return time.process_time() - start

    return enough(make)


def described(value, storages):
    """What of a value is compared. Without `storages` only that which a file records too."""
    if isinstance(value, torch.Tensor):
        sizes = [number_of(size) for size in value.shape]
        strides = [] if 0 in sizes else [number_of(stride) for size, stride in zip(sizes, value.stride()) if size != 1]
        found = type(value) is FakeTensor, sizes, strides, str(value.dtype), str(value.device)
        if storages is None:
            return found
        number = storages.setdefault(value.untyped_storage()._cdata, len(storages))
        return *found, number_of(value.storage_offset()), value.requires_grad, number
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


def differences(ours, theirs, is_recorded=False):
    storages = (None, None) if is_recorded else ({}, {})
    for a, b in zip(ours.graph.nodes, theirs.graph.nodes):
        values = described(a.meta.get("val"), storages[0]), described(b.meta.get("val"), storages[1])
        if values[0] != values[1]:
            yield f"  {a.name} ({a.target}): {values[0]}, not {values[1]}"
        bindings = [str(list(node.meta.get("unbacked_bindings", {}).values())) for node in (a, b)]
        if bindings[0] != bindings[1]:
            yield f"  {a.name} binds {bindings[0]}, not {bindings[1]}"


def lazily(*given):
    return fakeprop.FakeTensorProp(*given, lazy=True)


def check(path):
    """The number of differences, and how many times as fast ours was: at once, lazily, again; or None."""
    try:
        case = Case(path)
    except serialize.SerializeError as error:  # an operator of a library that is not installed
        print(f"{pathlib.Path(path).name}: {str(error)[:120]}", flush=True)
        return 0, None
    name = pathlib.Path(path).name
    theirs = case.propagate(fake_tensor_prop.FakeTensorProp)[1]
    expected = copy.deepcopy(case.module)
    ours = case.propagate(fakeprop.FakeTensorProp)[1]
    if theirs.error or ours.error:
        print(f"{name}: torch: {str(theirs.error)[:90]!r}; ours: {str(ours.error)[:90]!r}", flush=True)
        return int(type(theirs.error) is not type(ours.error)), None
    found = list(differences(case.module, expected))
    floor = float("nan") if case.has_symbols else least(case.module)
    nodes = len(case.module.graph.nodes)
    theirs_took, took, lazy_took = map(case.least, (fake_tensor_prop.FakeTensorProp, fakeprop.FakeTensorProp, lazily))
    again = [case.least_again(make) for make in (fake_tensor_prop.FakeTensorProp, fakeprop.FakeTensorProp)]
    times = Times(theirs_took / took, theirs_took / lazy_took, again[0] / again[1])
    print(f"| {name} | {nodes} | {1e3 * theirs_took:.2f} | {1e3 * took:.2f} ({times.at_once:.1f}) | {1e3 * lazy_took:.2f} "
          f"({times.lazy:.1f}) | {1e3 * floor:.2f} | {1e3 * again[0]:.2f} | {1e3 * again[1]:.2f} ({times.again:.0f}) |", flush=True)
    if ours.python_nodes is None:
        print(f"  left to torch: {ours.reason}")
    elif ours.python_nodes:
        print(f"  in Python: {ours.python_nodes}")
    print(*found[:5], sep="\n", end="\n" if found else "")
    return len(found), times


Times = collections.namedtuple("Times", "at_once lazy again")


def check_values(path):
    """The number of differences of a run, at once and lazily, and of a second run."""
    name = pathlib.Path(path).name
    try:
        expected = Case(path)
    except serialize.SerializeError as error:
        print(f"{name}: not read: {str(error)[:120]}", flush=True)
        return 0
    theirs = expected.propagate(fake_tensor_prop.FakeTensorProp)[1]
    found = []
    for make in (fakeprop.FakeTensorProp, lazily):
        case = Case(path)
        ours = case.propagate(make)[1]
        if ours.error:
            same = type(theirs.error) is type(ours.error)
            found += [] if same else [f"  torch: {str(theirs.error)[:90]!r}; ours: {str(ours.error)[:90]!r}"]
        elif theirs.error:
            found += differences(case.module, load(path)[0], is_recorded=True)
        else:
            found += differences(case.module, expected.module)
            found += differences_again(case, make)
    served = f"left to torch: {ours.reason}" if ours.python_nodes is None else f"in Python: {ours.python_nodes}"
    error = f" from the file's (torch: {type(theirs.error).__name__})" if theirs.error else ""
    print(f"{name}: {len(case.module.graph.nodes)} nodes, {len(found)} differ{error}; {served}", *found[:5], sep="\n", flush=True)
    return len(found)


def differences_again(case, make):
    """Those of a second run after a node was put in."""
    case.insert_call()
    if error := case.run(make)[1].error:
        yield f"  a second run: {error!r}"[:200]
    ours = case.module
    case.module = copy.deepcopy(ours)
    case.run(fake_tensor_prop.FakeTensorProp)
    yield from differences(ours, case.module)


def main(arguments):
    values = arguments[:1] == ["--values"]
    paths = arguments[values:]
    if not paths:
        sys.exit(__doc__)
    warnings.filterwarnings("ignore")
    gc.freeze()  # torch's own objects, which no collection has to look at
    gc.disable()
    if values:
        wrong = sum(check_values(path) > 0 for path in paths)
        print(f"{len(paths)} graphs, {wrong} with differences")
        return 1 if wrong else 0
    print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|")
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as processes:
        results = processes.map(check, paths, chunksize=1)
    wrong = [count for count, _ in results if count]
    print(f"{len(paths)} graphs, {len(wrong)} with differences")
    timed = [times for _, times in results if times]
    for label, ratios in zip(Times._fields, zip(*timed)):
        print(f"{label}: median {statistics.median(ratios):.1f} times as fast, {min(ratios):.1f} to {max(ratios):.1f}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
