#!/usr/bin/env python3
"""Writes lib/autocast/autocast_parts.inc: what autocast does inside of composite operators.

A composite operator that is on none of autocast's lists can consist of operators that are. Eager PyTorch runs the calls of the
test tables under autocast, on the cpu and on fake cuda tensors: in float32, in the region's dtype, and with only the first
tensor in the region's dtype, as after another operator. An operator gets the first way of casting its tensors beforehand that
gives the same results without autocast, for all of its calls. An operator without an entry for a device has no such way, or none of its calls runs there.
Usage: tools/dev/truth/autocast_parts.py > lib/autocast/autocast_parts.inc
"""

import collections
import contextlib
import pathlib
import re
import sys
import warnings

import torch
from torch._subclasses import FakeTensorMode
from torch.utils import _pytree as pytree

from call_text import parse_call
from isolated import run_isolated

ROOT = pathlib.Path(__file__).resolve().parents[3]
REGIONS = {"cpu": torch.bfloat16, "cuda": torch.float16}
WAYS = {"none": "kNone", "float32": "kFloat32", "region": "kRegion", "state": "kState"}
IN_RULE = ("aten::einsum",)  # its rule asks for itself
# cuDNN's kernel, which casts all tensors (ATen/native/cudnn/AutocastRNN.cpp), is not in every build of PyTorch.
IN_CUDNN = [f"aten::{kind}.{form}" for kind in ("gru", "lstm", "rnn_relu", "rnn_tanh") for form in ("data", "input")]
# Batch sizes are data, which calls do not have. Seen with pack_padded_sequence.
PACKED_ON_CPU = {"gru": "state", "lstm": "state", "rnn_relu": "region", "rnn_tanh": "region"}
MORE_CALLS = (  # of operators whose rows are of other dtypes
    "silu(f32[2,3])", "divide.Scalar(f32[2,3], 2)", "floor_divide(f32[2,3], f32[3])", "square(f32[2,3])",
    "where.ScalarSelf(b8[2,3], 1.0, f32[2,3])", "where.Scalar(b8[2,3], 1.0, 2.0)", "pixel_shuffle(f32[1,4,2,2], 2)",
    "pixel_unshuffle(f32[1,1,4,4], 2)", "pad(f32[2,3], [1,1])", "var.dim(f32[2,3], [1], True, False)", "index_select(f32[4,3], 0, i64[2])",
)


def find_operator(name):
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), overload or "default")


def call_texts():
    yield from MORE_CALLS
    for folder in ("testdata/ops", "lib/rules/expected_calls"):
        for path in sorted((ROOT / folder).glob("*.calls")):
            yield from (line.partition(" -> ")[0].strip() for line in path.read_text().splitlines())
    for path in sorted((ROOT / "lib/rules").glob("*/*_test.cc")):
        yield from (m.replace('\\"', '"') for m in re.findall(r'\{"((?:[^"\\]|\\.)*\))",', path.read_text()))


def is_composite(operator):
    returns = operator._schema.returns
    return (returns and not any(r.alias_info for r in returns) and
            torch._C._dispatch_has_kernel_for_dispatch_key(operator.name(), "CompositeImplicitAutograd"))


def arguments_of(call):
    return dict(zip((a.name for a in find_operator(call.name)._schema.arguments), call.args)) | call.kwargs


def name_in_table(call):
    """An operator with a mode chooses others by it."""
    mode = arguments_of(call).get("mode")
    return find_operator(call.name).name() + (f" {mode}" if isinstance(mode, str) else "")


def parse_composite(text):
    """The call, if it is one of a composite operator on float32; others are cast by no list."""
    try:
        if not is_composite(find_operator(text.partition("(")[0])):
            return None
        call = parse_call(text)
    except Exception:  # an operator of our own, or a row of another kind
        return None
    return call if any(t.dtype == torch.float32 for t in call.tensors()) else None


def sources(call, region):
    """The call in the dtypes that it may have in a region."""
    first = next(t for t in call.tensors() if t.dtype == torch.float32)
    yield call
    for chosen in (lambda t: True, lambda t: t is first):
        yield call.mapped(lambda t: t.replaced(dtype=region) if t.dtype == torch.float32 and chosen(t) else t)


def state_dtype(call, region):
    """The dtype in which a recurrent cell of a state comes out."""
    state = arguments_of(call).get("hx")
    state = state[-1] if isinstance(state, list) else state
    return torch.promote_types(state.dtype, region) if state is not None else None


def answer(call, device, to, autocast):
    def tensor(t):
        dtype = to if to and t.dtype.is_floating_point and t.dtype != torch.float64 else t.dtype
        return torch.zeros(max(t.extent(), 1), dtype=dtype, device=device).as_strided(t.sizes, t.strides, t.offset)

    made = call.mapped(tensor)
    torch.set_autocast_enabled(device, autocast)
    try:
        with torch.no_grad():
            result = find_operator(call.name)(*made.args, **made.kwargs)
    except Exception:
        return None
    finally:
        torch.set_autocast_enabled(device, False)
    return [(x.dtype, x.shape, x.stride()) if isinstance(x, torch.Tensor) else type(x) for x in pytree.tree_leaves(result)]


def ways(text):
    """[(device, the ways that give autocast's answer)], for each of its answers."""
    call, found = parse_composite(text), []
    for device, region in REGIONS.items():
        torch.set_autocast_dtype(device, region)
        torch.set_autocast_cache_enabled(False)
        with FakeTensorMode() if device == "cuda" else contextlib.nullcontext():
            for source in sources(call, region):
                under = answer(source, device, None, True)
                if under is None:
                    continue
                casts = {"none": None, "float32": torch.float32, "region": region, "state": state_dtype(source, region)}
                found.append((device, {w for w, to in casts.items()
                                       if (to or w == "none") and answer(source, device, to, False) == under}))
    return found


def main():
    warnings.simplefilter("ignore")
    common = collections.defaultdict(dict)
    texts = sorted({t for t in call_texts() if parse_composite(t)})
    for text, answers in run_isolated(ways, texts):
        name = name_in_table(parse_call(text))
        for device, fitting in answers or []:
            common[name][device] = common[name].get(device, set(WAYS)) & fitting
    common |= {name: {device: {"none"} for device in REGIONS} for name in IN_RULE}
    for name in IN_CUDNN:
        common[name]["cuda"] = {"region"}
    for kind, way in PACKED_ON_CPU.items():
        common[f"aten::{kind}.data"]["cpu"] = {way}
    print(f"// Written by tools/dev/truth/autocast_parts.py from torch {torch.__version__.partition('+')[0]}. Sorted by operator.")
    for name in sorted(common):
        first = {d: next((c for w, c in WAYS.items() if w in common[name].get(d, ())), "kListed") for d in REGIONS}
        if set(first.values()) != {"kListed"}:
            print(f'{{"{name}", Parts::{first["cpu"]}, Parts::{first["cuda"]}}},')


if __name__ == "__main__":
    sys.exit(main())
