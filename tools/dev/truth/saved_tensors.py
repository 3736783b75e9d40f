#!/usr/bin/env python3
"""Writes lib/training/saved_tensors.inc: the tensors that autograd saves for an operator's backward formula.

Read from derivatives.yaml, which the torch wheel ships in torchgen (which needs PyYAML). A row has the operator and its
saved arguments and results. `self?other` is saved only if `other` requires grad, as the guards of gen_variable_type.py say.
Usage: tools/dev/truth/saved_tensors.py > lib/training/saved_tensors.inc
"""
import os

import torchgen
from torchgen.packaged.autograd.load_derivatives import load_derivatives

PACKAGED = os.path.join(os.path.dirname(torchgen.__file__), "packaged")


def is_tensor(attribute):
    return "Tensor" in str(attribute.nctype.type) and attribute.expr == attribute.nctype.name


def guard(attribute, info):
    """The argument without whose gradient the tensor is not saved; see guard_for in gen_variable_type.py."""
    followed = [name for d in info.derivatives for name in d.var_names]
    users = [d for d in info.derivatives if attribute in d.saved_inputs]
    has_list = any("List" in str(a.type) for a in info.func.func.arguments.flat_non_out if a.name in followed)
    plain = str(attribute.nctype.type) == "BaseCType(type=BaseCppType(ns='at', name='Tensor'))"
    if "backward" in info.name or len(followed) <= 1 or has_list or not plain:
        return None
    return users[0].var_names[0] if len(users) == 1 and len(users[0].var_names) == 1 else None


def saved(info):
    for attribute in info.all_saved_inputs:
        if is_tensor(attribute):
            of = guard(attribute, info)
            yield attribute.nctype.name + (f"?{of}" if of else "")
    for attribute in info.all_saved_outputs:
        if is_tensor(attribute):
            yield attribute.nctype.name


def main():
    infos, _ = load_derivatives(os.path.join(PACKAGED, "autograd/derivatives.yaml"),
                                os.path.join(PACKAGED, "ATen/native/native_functions.yaml"),
                                os.path.join(PACKAGED, "ATen/native/tags.yaml"))
    rows = {}
    for keys in infos.values():
        info = keys.get("Default") or next(iter(keys.values()))
        if info.derivatives:
            rows[f"aten::{info.func.func.name}"] = " ".join(dict.fromkeys(saved(info)))
    print("// Written by tools/dev/truth/saved_tensors.py. Sorted by operator.")
    for name, tensors in sorted(rows.items()):
        print(f'{{"{name}", "{tensors}"}},')


if __name__ == "__main__":
    main()
