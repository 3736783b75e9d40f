#!/usr/bin/env python3
"""FX JSON over PyTorch's public API, by hand: needs torch with its testing library, and a built fakeprop.

    check_fx_api.py FAKEPROP [--samples N] [--skip N] [NAME...]

The sample inputs of PyTorch's OpInfos (functions, methods, in-place methods) and ModuleInfos are captured by symbolic_trace,
and compared as check_fx.py does. Prints what differs, and what fakeprop refuses where FakeTensorProp has an answer.
"""

import argparse
import itertools
import sys
import warnings

import torch
from torch.utils import _pytree

import check_fx
import golden


def trace(function, args, kwargs):
    """A graph that calls the function, with a placeholder for each tensor; all else is a constant. Also gives the tensors."""
    leaves, structure = _pytree.tree_flatten((list(args), kwargs))
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    names = [f"x{i}" for i in range(len(tensors))]

    def run(given):
        rest = iter(given)
        filled = [next(rest) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        positional, keywords = _pytree.tree_unflatten(filled, structure)
        return function(*positional, **keywords)

    namespace = {"run": run}
    exec(f"def forward(self, {', '.join(names)}):\n    return run([{', '.join(names)}])\n", namespace)
    root = type("Root", (torch.nn.Module,), {"forward": namespace["forward"]})()
    if isinstance(function, torch.nn.Module):
        root.module = function
    return torch.fx.GraphModule(root, torch.fx.Tracer().trace(root)), tensors


def op_cases(info, samples, skip):
    dtypes = info.supported_dtypes("cpu")
    dtype = next((d for d in (torch.float32, torch.complex64, torch.int64, torch.bool) if d in dtypes), None)
    if dtype is None:
        return
    found = itertools.islice(info.sample_inputs("cpu", dtype, requires_grad=False), skip, skip + samples)
    for sample in found:
        args = [sample.input, *sample.args]
        yield "function", info.op, args, sample.kwargs
        if info.method_variant is not None and isinstance(sample.input, torch.Tensor):
            yield "method", by_method(info.method_variant), args, sample.kwargs
        if info.inplace_variant is not None and isinstance(sample.input, torch.Tensor):
            yield "in place", by_method(info.inplace_variant), args, sample.kwargs


def by_method(variant):
    name = getattr(variant, "__name__", None)
    return (lambda self, *args, **kwargs: getattr(self, name)(*args, **kwargs)) if name and hasattr(torch.Tensor, name) else variant


def module_cases(info, samples, skip):
    for training in (False, True):
        given = info.module_inputs_func(info, "cpu", torch.float32, requires_grad=False, training=training)
        for sample in itertools.islice(given, skip, skip + samples):
            if sample.forward_input is None:
                continue
            made = info.module_cls(*sample.constructor_input.args, **sample.constructor_input.kwargs).train(training)
            yield "module", made, sample.forward_input.args, sample.forward_input.kwargs


def sources():
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.testing._internal.common_modules import module_db
    for info in op_db:
        yield info.full_name, lambda *a, info=info: op_cases(info, *a)
    for info in module_db:
        yield "nn." + info.name, lambda *a, info=info: module_cases(info, *a)


def check(fakeprop, function, args, kwargs):
    """What is wrong; nothing where all is well or torch itself has no answer."""
    graph_module, tensors = trace(function, args, kwargs)
    graph_module(*[tensor.detach().clone() for tensor in tensors])  # fakes let calls pass that eager refuses
    reference = check_fx.expected(graph_module, tensors)
    if trouble := check_fx.propagate(fakeprop, graph_module, tensors):
        return trouble
    for ours, theirs in zip(graph_module.graph.nodes, reference.graph.nodes):
        a, b = ours.meta.get("val"), theirs.meta.get("val")
        if not check_fx.is_same(a, b):
            return f"node {ours.name} ({ours.target}) is {a}, not {b}"
    return None if check_fx.aliases(graph_module) == check_fx.aliases(reference) else "storages are shared in another way"


def main(options):
    counts = {"right": 0, "wrong": 0, "not by torch": 0}
    for name, cases in sources():
        if options.names and name not in options.names:
            continue
        told = set()
        try:
            for kind, function, args, kwargs in cases(options.samples, options.skip):
                try:
                    trouble = check(options.fakeprop, function, args, kwargs)
                except Exception:
                    counts["not by torch"] += 1
                    continue
                counts["wrong" if trouble else "right"] += 1
                if trouble and kind not in told:
                    told.add(kind)
                    print(f"{name} ({kind}): {trouble.strip()[:600]}", flush=True)
        except Exception as error:
            print(f"{name}: no samples: {error}", flush=True)
    print(counts)
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.path.insert(0, str(golden.ROOT))
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fakeprop")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--skip", type=int, default=0)
    sys.exit(main(parser.parse_args()))
