#!/usr/bin/env python3
"""Writes lib/schema/differentiability.inc: which inputs and results of an operator autograd follows.

Read from derivatives.yaml, which the torch wheel ships in torchgen. Operators whose tensors all count are left out.
Usage: tools/dev/truth/differentiability.py > lib/schema/differentiability.inc
"""
import os
import re

import torch
import torchgen
import yaml
from torchgen.packaged.autograd.gen_variable_type import DONT_REQUIRE_DERIVATIVE

# Composites some of whose results come from an operator that follows fewer: name -> (its schema's first arguments, results).
COMPOSITES = {"aten::_batch_norm_impl_index": (0x7, 0x1), "aten::to.other": (0x1, 0x1)}


def overload(name):
    base, _, over = name.partition(".")
    return getattr(getattr(torch.ops.aten, base), over or "default")


def formulas(entry):
    """Argument name -> formula, for the default dispatch."""
    if "dispatch" in entry:
        per_key = entry["dispatch"]
        entry = {**entry, **(per_key.get("Default") or next(iter(per_key.values())))}
    out = {}
    for key, value in entry.items():
        if key in ("name", "dispatch", "output_differentiability"):
            continue
        for name in key.split(","):
            out[name.strip()] = str(value)
    return out


def is_tensor(type_):
    return "Tensor" in str(type_)


def masks(entry):
    """-> (bits of the arguments, bits of the results) that are followed, or None where the operator is unknown"""
    try:
        schema = overload(entry["name"].split("(")[0])._schema
    except AttributeError:
        return None
    by_argument = formulas(entry)
    results = [r.name for r in schema.returns] + ["result"] + [f"result{i}" for i in range(9)]
    inputs = sum(1 << i for i, a in enumerate(schema.arguments)
                 if is_tensor(a.type) and by_argument.get(a.name, "non_differentiable") != "non_differentiable")
    backward = [f for name, f in by_argument.items() if name not in results]
    stated = entry.get("output_differentiability")
    if not by_argument and not stated:
        return None  # an entry without formulas: autograd records it, and fails going backward
    n = len(schema.returns)
    if stated:
        outputs = sum(1 << i for i, s in enumerate(stated) if s is not False)
    elif any(re.search(r"\bgrad\b", f) for f in backward) and not any(re.search(r"\bgrads\b", f) for f in backward):
        outputs = 1
    else:
        outputs = (1 << n) - 1
    all_inputs = sum(1 << i for i, a in enumerate(schema.arguments) if is_tensor(a.type))
    if outputs == (1 << n) - 1 and inputs == all_inputs:
        return None
    return inputs, outputs


def unfollowed():
    """The names of overloads that autograd records nothing of, as torchgen lists them.

    Source: torchgen's gen_variable_type.py, emit_body (requires_derivative).
    """
    for full in torch._C._dispatch_get_all_op_names():
        base = full.removeprefix("aten::").partition(".")[0]
        if full.startswith("aten::") and (base in DONT_REQUIRE_DERIVATIVE or base.rstrip("_") in DONT_REQUIRE_DERIVATIVE):
            yield full


def main():
    path = os.path.join(os.path.dirname(torchgen.__file__), "packaged/autograd/derivatives.yaml")
    rows = {}
    entries = yaml.safe_load(open(path))
    for entry in entries:
        found = masks(entry)
        if found:
            name = entry["name"].split("(")[0]
            rows["aten::" + name] = found
    # An in-place form whose tensors all count has to say so where its functional form says otherwise (lt_).
    for entry in entries:
        name = entry["name"].split("(")[0]
        base, _, over = name.partition(".")
        functional = "aten::" + base[:-1] + (over and "." + over)
        if base.endswith("_") and "aten::" + name not in rows and functional in rows:
            schema = overload(name)._schema
            rows["aten::" + name] = (sum(1 << i for i, a in enumerate(schema.arguments) if is_tensor(a.type)), 1)
    for name in unfollowed():
        rows[name] = (0, 0)
    rows.update(COMPOSITES)
    # Functional forms that torch generates, of what an operator changes: they call it, and return the changed tensors too.
    for name in list(rows):
        if hasattr(torch.ops.aten, name.removeprefix("aten::") + "_functional"):
            rows.setdefault(name + "_functional", rows[name])
    print(f"// Written by tools/dev/truth/differentiability.py from torch {torch.__version__.split('+')[0]}. Sorted by operator.")
    for name in sorted(rows):
        print('{"%s", 0x%x, 0x%x},' % (name, *rows[name]))


if __name__ == "__main__":
    main()
