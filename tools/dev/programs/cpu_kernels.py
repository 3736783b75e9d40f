#!/usr/bin/env python3
"""Writes lib/rules/derived/cpu_kernels.inc: the dtypes for which an operator's CPU kernel is not compiled.

Eager PyTorch is given the calls of the test tables in each dtype. A dtype counts if all calls fail with "not implemented
for" its name. Usage: tools/dev/programs/cpu_kernels.py > lib/rules/derived/cpu_kernels.inc
"""

import collections
import re

import torch

from eager import Machine
from sweep import DTYPES, as_program, dtype_variants
from templates import find_operator, read_templates
import truth_path  # noqa: F401
from isolated import run_isolated

NAMES = {torch.bool: "Bool", torch.uint8: "Byte", torch.int8: "Char", torch.int16: "Short", torch.int32: "Int",
         torch.int64: "Long", torch.float16: "Half", torch.bfloat16: "BFloat16", torch.float32: "Float",
         torch.float64: "Double", torch.complex32: "ComplexHalf", torch.complex64: "ComplexFloat",
         torch.complex128: "ComplexDouble"}
WORDS = re.compile(r'"(\w+)" not implemented for \'(\w+)\'')


def functional(name):
    schema = find_operator(name)._schema
    return not schema.is_mutable and not name.startswith("_foreach_") and any(
        "Tensor" in str(a.type) for a in schema.arguments)


def variants(calls):
    """(dtype, call) of calls whose tensors have elements and which name no dtype themselves."""
    for call in calls:
        if any(0 in t.sizes for t in call.tensors()) or "dtype" in call.kwargs:
            continue
        for dtype, (_, variant) in zip(DTYPES, dtype_variants(call)):
            if all(t.dtype == dtype for t in variant.tensors() if t.dtype.is_floating_point or t.dtype.is_complex):
                yield dtype, variant


def outcome(item):
    """(operator, dtype, kernel), where kernel is None if eager took the call, "" if it failed in another way."""
    name, dtype, call = item
    program, machine = as_program(call, 0, False), Machine()
    try:
        for given in program.inputs:
            machine.add_input(given)
        error = machine.run(program.steps[0])
    except Exception:
        return name, dtype, ""
    if error is None:
        return name, dtype, None
    words = WORDS.search(str(error))
    return name, dtype, words.group(1) if words and words.group(2) == NAMES[dtype] else ""


def main():
    torch.set_num_threads(1)
    items = [(name, dtype, call) for name, calls in sorted(read_templates().items()) if functional(name)
             for dtype, call in variants(calls)]
    kernels, taken = collections.defaultdict(dict), set()
    for _, answer in run_isolated(outcome, items):
        if answer is None:
            continue
        name, dtype, kernel = answer
        if kernel is None:
            taken.add((name, dtype))
        elif kernel:
            kernels[name].setdefault(dtype, kernel)
    version = torch.__version__.split("+")[0]
    print(f"// Written by tools/dev/programs/cpu_kernels.py from torch {version}. Sorted by operator.")
    for name, by_dtype in sorted(kernels.items()):
        refused = [d for d in DTYPES if d in by_dtype and (name, d) not in taken]
        if refused:
            dtypes = ", ".join("ScalarType::" + NAMES[d] for d in refused)
            print('{"aten::%s", "%s", {%s}},' % (name, by_dtype[refused[0]], dtypes))


if __name__ == "__main__":
    main()
