#!/usr/bin/env python3
"""Which symbols PyTorch makes numbers in operator calls with symbols for sizes.

Reads call texts (lib/rules/testing/call_text.h), one a line, runs each under FakeTensorMode with a ShapeEnv, every size,
stride and offset of 2 or more dynamic and no two sizes one symbol, and prints those in which a symbol became a number:

    $ tools/dev/truth/specialised.py < calls.txt
    index_add(f32[4,3], 0, i64[2], f32[2,3]) -> t1s0

Tensor 0 has sizes t0s0, t0s1 ..., strides t0d0 ... (where they are no products of sizes), the offset t0o. A call that
PyTorch does not run with symbols ends in `!` and the error.
"""

import sys

import sympy
import torch
from torch._dynamo.source import ConstantSource
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

from answers import error_line
from call_text import find_operator, parse_call
from isolated import run_isolated
from record_calls import quiet


class SymbolicCall:
    def __init__(self):
        self.env = ShapeEnv(specialize_zero_one=True, duck_shape=False)
        self.mode = FakeTensorMode(shape_env=self.env, allow_fallback_kernels=True)
        self.mode.cache_enabled = False
        self.names = {}  # symbol -> "t0s1"
        self.count = 0

    def make(self, spec):
        name = f"t{self.count}"
        self.count += 1
        whole = torch.empty(spec.extent(), dtype=spec.dtype, device="meta")
        plain = whole.as_strided(spec.sizes, spec.strides, spec.offset)
        rank = len(spec.sizes)
        context = StatelessSymbolicContext([DimDynamic.DYNAMIC] * rank, [DimDynamic.INFER_STRIDE] * rank)
        sizes, strides, offset = self.env.create_symbolic_sizes_strides_storage_offset(
            plain, ConstantSource(name), symbolic_context=context)
        for d in range(rank):
            self.remember(sizes[d], f"{name}s{d}")
        for d in range(rank):
            self.remember(strides[d], f"{name}d{d}")
        self.remember(offset, f"{name}o")
        with self.env.suppress_guards():
            t = torch.empty_strided(sizes, strides, dtype=spec.dtype, device="meta")
            if spec.offset:
                t = torch.empty(spec.extent(), dtype=spec.dtype, device="meta").as_strided(sizes, strides, offset)
            return FakeTensor(self.mode, t, torch.device(spec.device))

    def remember(self, number, name):
        if isinstance(number, torch.SymInt) and isinstance(number.node.expr, sympy.Symbol):
            self.names.setdefault(number.node.expr, name)

    def specialised(self):
        return [name for symbol, name in self.names.items() if self.env.replace(symbol).is_number]


def answer(text):
    symbolic = SymbolicCall()
    call = parse_call(text).mapped(symbolic.make)
    op = find_operator(call.name)
    try:
        with symbolic.mode:
            op(*call.args, **call.kwargs)
    except Exception as e:  # what was assumed before it counts
        return " ".join(symbolic.specialised() + ["!" + error_line(e)])
    return " ".join(symbolic.specialised())


def main():
    quiet()
    calls = [line.rstrip("\n").split(") -> ")[0] for line in sys.stdin if "(" in line]
    calls = [call if call.endswith(")") else call + ")" for call in calls]
    for call, names in run_isolated(answer, calls):
        if names or names is None:
            print(f"{call} -> {'!crash' if names is None else names}", flush=True)


if __name__ == "__main__":
    main()
