#!/usr/bin/env python3
"""Writes lib/schema/differentiability.inc: which inputs and results of an operator autograd follows.

Read from derivatives.yaml, which the torch wheel ships in torchgen (which needs PyYAML). Operators whose tensors all count
are left out. Usage: tools/dev/truth/differentiability.py, with each supported version of torch
(lib/schema/generate/by_version.py)
"""
import os
import pathlib
import re
import sys

import torch
import torchgen
import yaml
from torchgen import local
from torchgen.api.autograd import dispatch_strategy, gen_differentiable_outputs, is_differentiable, match_differentiability_info
from torchgen.gen import parse_native_yaml
from torchgen.packaged.autograd.gen_variable_type import (
    DONT_REQUIRE_DERIVATIVE, GRADIENT_IMPLEMENTED_FOR_COMPLEX, get_base_name)
from torchgen.packaged.autograd.load_derivatives import load_derivatives

sys.path.append(str(pathlib.Path(__file__).parents[3] / "lib/schema/generate"))
import by_version

PACKAGED = os.path.join(os.path.dirname(torchgen.__file__), "packaged")
# Out= forms that are composites, by what eager PyTorch does with an input that requires grad. Others refuse it.
COMPOSITE_OUTS_RECORDED = (
    "adaptive_avg_pool1d.out", "adaptive_avg_pool2d.out", "chain_matmul.out", "diag.out", "linalg_cond.out",
    "linalg_ldl_factor.out", "linalg_matrix_norm.out", "linalg_matrix_norm.str_ord_out", "linalg_matrix_power.out",
    "linalg_norm.ord_str_out", "linalg_norm.out", "matrix_power.out", "linalg_pinv.atol_rtol_float_out", "linalg_pinv.out", "linalg_pinv.out_rcond_tensor", "linalg_tensorinv.out",
    "linalg_tensorsolve.out", "nanquantile.out", "nanquantile.scalar_out", "nuclear_norm.dim_out", "nuclear_norm.out",
    "quantile.out", "quantile.scalar_out", "special_ndtr.out", "tensordot.out", "upsample_nearest2d.vec_out")
COMPOSITE_OUTS_UNSEEN = (
    "greater.Scalar_out", "greater.Tensor_out", "greater_equal.Scalar_out", "greater_equal.Tensor_out", "less.Scalar_out",
    "less.Tensor_out", "less_equal.Scalar_out", "less_equal.Tensor_out", "not_equal.Scalar_out", "not_equal.Tensor_out")
# Those that look at some arguments alone, and refuse them.
COMPOSITE_OUTS_REFUSING = {
    "argsort.stable_out": ["self"], "linalg_matrix_rank.atol_rtol_float_out": ["out"],
    "linalg_matrix_rank.atol_rtol_tensor_out": ["out"], "linalg_matrix_rank.out": ["out"],
    "linalg_matrix_rank.out_tol_tensor": ["out"], "log_sigmoid_forward.output": ["self", "output"]}

ALL = 0xffffffff
# The flags of lib/schema/differentiability.h.
DERIVED, REAL_ONLY = "kDerived", "kRealOnly"
OUT_REFUSED, OUT_UNSEEN, OUT_RECORDED = "kOutRefused", "kOutUnseen", "kOutRecorded"

# Composites some of whose results come from an operator that follows fewer: name -> (its schema's first arguments, results).
COMPOSITES = {"aten::_batch_norm_impl_index": (0x7, 0x1), "aten::batch_norm": (0x7, 0x1), "aten::instance_norm": (0x7, 0x1),
              "aten::to.other": (0x1, 0x1), "aten::type_as": (0x1, 0x1)}


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


def native_functions():
    """torchgen's functions with what derivatives.yaml says of them."""
    files = [os.path.join(PACKAGED, "ATen/native", name) for name in ("native_functions.yaml", "tags.yaml")]
    infos, _ = load_derivatives(os.path.join(PACKAGED, "autograd/derivatives.yaml"), *files)
    functions = sorted(parse_native_yaml(*files).native_functions, key=lambda f: str(f.func.name))
    return match_differentiability_info(functions, infos)


def info_of(fn):
    return fn.info and (fn.info.get("Default") or next(iter(fn.info.values())))


def emitted(fn):
    """-> (bits of the arguments that must not require grad, flags): what the code says that torchgen emits for VariableType.

    Source: torchgen's gen_variable_type.py, emit_body and gen_variable_type_func.
    """
    info, out = info_of(fn), fn.func.func.kind().name == "out"
    # Composites that have a formula have it for nested or MPS tensors alone (matmul, linear).
    if dispatch_strategy(fn) != "use_derived" or fn.func.has_composite_implicit_autograd_kernel:
        return 0, []
    base, name = get_base_name(fn.func), str(fn.func.func.name.name)
    undifferentiable = base in DONT_REQUIRE_DERIVATIVE or name in DONT_REQUIRE_DERIVATIVE
    key = "Default" if not fn.info or "Default" in fn.info else next(iter(fn.info))
    outputs = len(gen_differentiable_outputs(fn, key))
    arguments = list(fn.func.func.arguments.flat_non_out)
    inputs = [a for a in arguments if is_differentiable(a.name, a.type, info)]
    if info is None:
        boxed = outputs > 0 and not undifferentiable
        return 0, [OUT_RECORDED if boxed else OUT_UNSEEN] if out else []
    if undifferentiable or not inputs or not outputs:
        return 0, [OUT_UNSEEN] if out else []
    if out:
        return 0, [OUT_REFUSED]
    flags = [] if info.output_differentiability_conditions else [DERIVED]
    # Only results of the type at::Tensor are checked: no written tensors, no lists.
    checks = base not in GRADIENT_IMPLEMENTED_FOR_COMPLEX and not base.startswith("_foreach_") and not (
        fn.func.func.kind().name == "inplace" or all(r.type.is_list_like() for r in fn.func.func.returns))
    flags += [REAL_ONLY] if checks else []
    derived = {n for d in info.derivatives for n in d.var_names} if info.has_derivatives else {a.name for a in inputs}
    # A list of indices is not checked.
    refused = [a for a in inputs if a.name not in derived and a.name not in info.non_differentiable_arg_names and
               a.name != "output" and str(a.type) != "Tensor?[]"]
    return sum(1 << arguments.index(a) for a in refused), flags


def add_emitted(rows):
    """Rows get what `emitted` says; operators of which it says something get rows."""
    rows = {name: (*masks, 0, []) for name, masks in rows.items()}
    with local.parametrize(use_const_ref_for_mutable_tensors=False, use_ilistref_for_tensor_lists=False):
        for fn in native_functions():
            name = "aten::" + str(fn.func.func.name)
            refused, flags = emitted(fn)
            if refused or flags:
                inputs, outputs = rows.get(name, (ALL, ALL))[:2]
                rows[name] = inputs, outputs, refused, flags
    for names, flag in (COMPOSITE_OUTS_RECORDED, OUT_RECORDED), (COMPOSITE_OUTS_UNSEEN, OUT_UNSEEN):
        rows.update({"aten::" + name: (ALL, ALL, 0, [flag]) for name in names})
    for name, refused in COMPOSITE_OUTS_REFUSING.items():
        positions = {a.name: i for i, a in enumerate(overload(name)._schema.arguments)}
        rows["aten::" + name] = sum(1 << positions[argument] for argument in refused), ALL, 0, [OUT_REFUSED]
    return rows


def main():
    path = os.path.join(PACKAGED, "autograd/derivatives.yaml")
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
    lines = ['{"%s", 0x%x, 0x%x, 0x%x, %s},' % (name, inputs, outputs, refused, " | ".join(flags) or "0")
             for name, (inputs, outputs, refused, flags) in add_emitted(rows).items()]
    by_version.record("lib/schema/differentiability.inc", int(torch.__version__.split(".")[1]), lines,
                      "// Written by tools/dev/truth/differentiability.py. Sorted by operator.\n")


if __name__ == "__main__":
    main()
