#!/usr/bin/env python3
"""Writes lib/rules/derived/cpu_kernels.inc: the dtypes for which an operator's CPU kernel is not compiled.

Eager PyTorch is given the calls of the test tables in each dtype. A dtype counts if all calls fail with "not implemented
for" its name. Then it is given such calls without elements, to see when it asks for the kernel at all.
Usage: tools/dev/programs/cpu_kernels.py > lib/rules/derived/cpu_kernels.inc
"""

import collections
import dataclasses
import re

import torch

from eager import Machine
from sweep import DTYPES, as_program, dtype_variants, emptied, one_of_each_rank
from templates import find_operator, read_templates
import truth_path  # noqa: F401
from isolated import run_isolated

NAMES = {torch.bool: "Bool", torch.uint8: "Byte", torch.int8: "Char", torch.int16: "Short", torch.int32: "Int",
         torch.int64: "Long", torch.uint16: "UInt16", torch.uint32: "UInt32", torch.uint64: "UInt64", torch.float16: "Half", torch.bfloat16: "BFloat16", torch.float32: "Float",
         torch.float64: "Double", torch.complex32: "ComplexHalf", torch.complex64: "ComplexFloat",
         torch.complex128: "ComplexDouble"}
# Asked for with every shape that they take; the calls without elements that are made here mostly have other shapes.
ASKED_ALWAYS = {"adaptive_max_pool3d", "avg_pool1d", "avg_pool3d", "dot", "huber_loss", "mse_loss", "smooth_l1_loss", "vdot"}
# Copies a single number, as it is.
ASKED_WITH_DIMS = {"max.dim", "mode"}
# A rounding mode decides which kernel runs, or a number of elements whether one does.
LEFT_TO_RULES = re.compile(r"_?cdist(_forward)?$|(div|divide)\.\w+_mode|flip(ud|lr)?$|(lin|log)space|\w+_window|a?range(\.|$)|_upsample_\w+_aa|_?aminmax(\.dim)?$|tensordot$|(searchsorted|bucketize)\.Tensor$")
# Kernels that take uint16, uint32 and uint64 since a change in lib/rules/core/torch_changes.h.
TAKES_UNSIGNED = {r"clamp|maximum_cpu|minimum_cpu": "kUnsignedClamps"}
WORDS = re.compile(r'"([\w<>]+)" not implemented for \'(\w+)\'')


def functional(name):
    schema = find_operator(name)._schema
    return not schema.is_mutable and not name.startswith("_foreach_") and any(
        "Tensor" in str(a.type) or a.name == "dtype" for a in schema.arguments)


def is_float(tensor):
    return tensor.dtype.is_floating_point or tensor.dtype.is_complex


def variants(calls):
    """(dtype, call) of calls that are in it: their tensors have elements, or they have none and name the dtype."""
    for call in calls:
        if not call.tensors():
            for dtype in DTYPES if "dtype" in [a.name for a in find_operator(call.name)._schema.arguments] else ():
                yield dtype, dataclasses.replace(call, kwargs=call.kwargs | {"dtype": dtype})
            continue
        if any(0 in t.sizes for t in call.tensors()) or "dtype" in call.kwargs:
            continue
        for dtype, (_, variant) in zip(DTYPES, dtype_variants(call)):
            if all(t.dtype == dtype for t in variant.tensors() if is_float(t)):
                yield dtype, variant


def is_promoted(dtype, call):
    """Whether a number or another tensor makes floats of integers."""
    arguments = find_operator(call.name)._schema.arguments
    given = dict(zip([a.name for a in arguments], call.args)) | call.kwargs
    operands = [given.get(a.name) for a in arguments if str(a.type) in ("number", "Tensor")]
    makes_floats = any(isinstance(v, (float, complex)) for v in operands) or any(map(is_float, call.tensors()))
    return makes_floats and not (dtype.is_floating_point or dtype.is_complex)


def outcome(item):
    """(operator, dtype, kernel), where kernel is None if eager took the call, "" if it failed in another way."""
    name, dtype, call = item
    program, machine = as_program(call, 0, lambda i: False), Machine()
    try:
        for given in program.inputs:
            machine.add_input(given)
        error = machine.run(program.steps[0])
    except Exception:
        return name, dtype, ""
    if error is None:
        return name, dtype, "" if is_promoted(dtype, call) else None
    words = WORDS.search(str(error))
    return name, dtype, words.group(1) if words and words.group(2) == NAMES[dtype] else ""


def refused_dtypes(templates):
    """{operator: {dtype: kernel}}"""
    items = [(name, dtype, call) for name, calls in templates.items() for dtype, call in variants(calls)]
    kernels, taken = collections.defaultdict(dict), set()
    for _, answer in run_isolated(outcome, items):
        if answer is None:
            continue
        name, dtype, kernel = answer
        if kernel is None:
            taken.add((name, dtype))
        elif kernel:
            kernels[name].setdefault(dtype, kernel)
    left = {name: {d: by_dtype[d] for d in DTYPES if d in by_dtype and (name, d) not in taken}
            for name, by_dtype in kernels.items()}
    return {name: by_dtype for name, by_dtype in sorted(left.items()) if by_dtype and not LEFT_TO_RULES.match(name)}


def empty_calls(calls, dtypes):
    """(dtype, the call in it), without elements in the tensors of one rank."""
    for call in one_of_each_rank(calls):
        for empty in emptied(call) if "dtype" not in call.kwargs else ():
            for dtype, (_, variant) in zip(DTYPES, dtype_variants(empty)):
                if dtype in dtypes:
                    yield dtype, variant


def empty_outcome(item):
    """(operator, whether eager asks for the kernel); None if it tells nothing."""
    name, _, kernel = outcome(item)
    return None if kernel == "" else (name, kernel is not None)


def when_asked(templates, refused):
    """{operator: the AskedFor of cpu_kernels.cc that fits all calls without elements}; left out are those that none fits."""
    items = []
    for name, by_dtype in refused.items():
        dtypes = list(by_dtype)
        items += [(name, *call) for call in empty_calls(templates[name], {dtypes[0], dtypes[len(dtypes) // 2], dtypes[-1]})]
    seen = collections.defaultdict(set)
    for _, answer in run_isolated(empty_outcome, items):
        if answer:
            seen[answer[0]].add(answer[1])
    found = {name: "kAlways" if asks == {True} else "kWithElements" for name, asks in seen.items() if len(asks) == 1}
    named = dict.fromkeys(ASKED_ALWAYS, "kAlways") | dict.fromkeys(ASKED_WITH_DIMS, "kWithDims")
    return found | {name: asked for name, asked in named.items() if name in refused}


def main():
    torch.set_num_threads(1)
    templates = {name: calls for name, calls in sorted(read_templates().items()) if functional(name)}
    refused = refused_dtypes(templates)
    asked = when_asked(templates, refused)
    version = torch.__version__.split("+")[0]
    print(f"// Written by tools/dev/programs/cpu_kernels.py from torch {version}. Sorted by operator.")
    for name, by_dtype in refused.items():
        dtypes, kernel = ", ".join("ScalarType::" + NAMES[d] for d in by_dtype), next(iter(by_dtype.values()))
        since = next((change for words, change in TAKES_UNSIGNED.items() if re.match(words, kernel)), None)
        word = ", AskedFor::" + asked.get(name, "kByTag") if name in asked or since else ""
        print('{"aten::%s", "%s", {%s}%s%s},' % (name, kernel, dtypes, word, ", &rules::" + since if since else ""))


if __name__ == "__main__":
    main()
