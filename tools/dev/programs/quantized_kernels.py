#!/usr/bin/env python3
"""Writes lib/rules/derived/quantized_kernels.cc: the operators that have no kernel for quantized tensors on the cpu.

Eager PyTorch is given the calls of the test tables with a quantized tensor in the place of the first tensor, of all its
dtype, or of all tensors. An operator counts if it takes none of them, and says of one that quantized tensors are why: it
has no kernel for them, no result of their dtype, or no dtype to promote them to.
Usage: tools/dev/programs/quantized_kernels.py > lib/rules/derived/quantized_kernels.cc
"""

import collections
import re

import torch

from cpu_kernels import functional
from templates import find_operator, read_templates
import truth_path  # noqa: F401
import quantized_tensors
from isolated import run_isolated

WORDS = re.compile(r"Could not run 'aten::[\w.]+' with arguments from the 'QuantizedCPU' backend"
                   "|empty_strided not supported on quantized tensors|promoteTypes with quantized numbers is not handled"
                   "|Creation of quantized tensor requires quantized dtype")
SOURCE = """// Written by tools/dev/programs/quantized_kernels.py from torch %s. Sorted by operator.
#include <algorithm>

#include "lib/rules/derived/cpu_kernels.h"

namespace fakeprop {
namespace {

constexpr std::string_view kOperators[] = {
%s
};

static_assert(std::ranges::is_sorted(kOperators));

}  // namespace

std::span<const std::string_view> WithoutQuantizedKernel() { return kOperators; }

}  // namespace fakeprop
"""
PLAIN = (torch.float32, torch.float64)
# Have none either, but take calls of the tables that compute nothing, or whose first tensor is of another dtype.
NONE_EITHER = ("add.Tensor", "cumprod", "cumsum", "div.Tensor", "median", "median.dim", "mul.Tensor", "sub.Tensor",
               "upsample_bicubic2d", "where.self", "zero", "zero_", "zeros_like")
# Take a tensor where nothing is dropped or converted, or beside an integer. The calls of the tables ask for more.
IDENTITIES = ("_to_copy", "result_type.Scalar_Tensor", "alpha_dropout", "dropout", "feature_alpha_dropout", "feature_dropout")


def variants(call):
    """The call with quantized tensors in place of floating-point ones."""
    tensors = call.tensors()
    if not tensors or tensors[0].dtype not in PLAIN or any(0 in t.sizes for t in tensors):
        return
    for dtype in (torch.quint8, torch.qint8):
        for chosen in (lambda t: t is tensors[0], lambda t: t.dtype == tensors[0].dtype):
            yield call.mapped(lambda t: t.replaced(dtype=dtype) if chosen(t) else t)


def is_list_form(name):
    return name.startswith("_foreach_") and not find_operator(name)._schema.is_mutable


def made(spec):
    if spec.dtype in quantized_tensors.DTYPES:
        return quantized_tensors.make(spec)
    return torch.ones(spec.extent(), dtype=spec.dtype).as_strided(spec.sizes, spec.strides, spec.offset)


def outcome(item):
    """(operator, whether it took the call, whether it has no kernel)."""
    name, call = item
    call = call.mapped(made)
    try:
        find_operator(name)(*call.args, **call.kwargs)
    except Exception as error:
        return name, False, bool(WORDS.search(str(error)))
    return name, True, False


def main():
    torch.set_num_threads(1)
    items = [(name, variant) for name, calls in sorted(read_templates().items()) if functional(name) or is_list_form(name)
             for call in calls[:12] for variant in variants(call)]
    taken, refused = set(), collections.Counter()
    for _, answer in run_isolated(outcome, items):
        if answer:
            name, took, no_kernel = answer
            taken |= {name} if took else set()
            refused[name] += no_kernel
    version = torch.__version__.split("+")[0]
    found = {n for n, count in refused.items() if count and n not in taken}
    names = sorted(found.union(NONE_EITHER).difference(IDENTITIES))
    rows = "\n".join(f'    "aten::{name}",' for name in names)
    print(SOURCE % (version, rows), end="")


if __name__ == "__main__":
    main()
