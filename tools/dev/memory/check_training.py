#!/usr/bin/env python3
"""Compares `fakeprop memory --training` with real steps of training on CPU, for the models of training_models.py.

    check_training.py FAKEPROP [NAME...] [--keep FOLDER] [--checkpoint] [--optimizers]

A hook on every operator (TorchDispatchMode) registers the storages of results and counts the bytes of those that are
alive. The peak of a forward and backward pass in eager is compared with the estimate from the exported forward graph
(within 5%), and the peak of the exported joint graph, run by torch.fx.Interpreter, with the estimate from that graph
(within 1%). --checkpoint recomputes the layers of the models that have some, by torch.utils.checkpoint, and --optimizers
takes whole steps of the optimisers of torch.optim on one model.
"""
import argparse
import functools
import json
import os
import subprocess
import sys
import tempfile
import warnings

import torch
from torch._export.serde import serialize
from torch.export.experimental import _export_forward_backward
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import checkpoint

import training_models


class LiveBytes(TorchDispatchMode):
    """Counts after each operator, while its operands are alive."""

    def __init__(self, held):
        super().__init__()
        self.alive, self.peak, self.at = {}, 0, None
        self.add(held)

    def add(self, values):
        for value in tree_leaves(values):
            if isinstance(value, torch.Tensor):
                storage = value.untyped_storage()
                self.alive[storage._cdata] = (StorageWeakRef(storage), storage.nbytes())

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.alive = {k: v for k, v in self.alive.items() if not v[0].expired()}
        result = func(*args, **(kwargs or {}))
        self.add(result)
        live = sum(size for _, size in self.alive.values())
        if live > self.peak:
            self.peak, self.at = live, str(func)
        return result


def eager_peak(module, inputs, optimizer=None):
    module.zero_grad(set_to_none=True)
    states = [list(state.values()) for state in optimizer.state.values()] if optimizer else []
    with LiveBytes([list(module.parameters()), list(module.buffers()), inputs, states]) as live:
        loss = module(*inputs)
        loss.backward()
        if optimizer:
            optimizer.step()
    return live.peak


class Freed(torch.fx.Interpreter):
    """Drops what nobody uses; torch.fx.Interpreter keeps it."""

    def run_node(self, n):
        for dead in [m for m in self.env if not m.users and m.op != "placeholder"]:
            del self.env[dead]
        return super().run_node(n)


def joint_peak(program, inputs):
    flat = [program.state_dict[spec.target] if spec.target in program.state_dict else None
            for spec in program.graph_signature.input_specs]
    rest = iter(tree_leaves(inputs))
    flat = [next(rest) if value is None else value for value in flat]
    with torch.no_grad(), LiveBytes(flat) as live:
        Freed(program.graph_module).run(*flat)
    return live.peak


def estimate(fakeprop, program, path, *options):
    graph = serialize.serialize(program, serialize_state_dict=False, serialize_constants=False).exported_program
    with open(path, "wb") as file:
        file.write(graph)
    done = subprocess.run([fakeprop, "memory", path, "--training", "--format", "json", *options], capture_output=True, text=True)
    if done.returncode:
        raise ValueError(done.stderr[:500])
    answer = json.loads(done.stdout)
    return answer["peak"]["bytes"], answer


def check(fakeprop, name, folder):
    torch.manual_seed(0)
    module, inputs = training_models.MODELS[name]()
    eager_peak(module, inputs)  # statistics of batch norm and the like exist from here on
    eager = eager_peak(module, inputs)
    program = torch.export.export(module, inputs, strict=False)
    forward, found = estimate(fakeprop, program, os.path.join(folder, name + ".json"))
    joint_program = _export_forward_backward(program)
    joint, joint_found = estimate(fakeprop, joint_program, os.path.join(folder, name + ".joint.json"))
    assert joint_found["training"]["graph"] == "joint", name
    return {"eager": eager, "forward": forward, "approximate": found["training"]["approximate"],
            "joint graph": joint_peak(joint_program, inputs), "joint": joint}


def check_checkpoints(fakeprop, folder):
    """Layers under torch.utils.checkpoint; the graph is that of the model without it."""
    print("| model | recomputed | eager | estimate | error |")
    print("|---|---|---|---|---|")
    wrong = 0
    for name in ("gpt", "vit"):
        torch.manual_seed(0)
        module, inputs = training_models.MODELS[name]()
        program = torch.export.export(module, inputs, strict=False)
        for layer in module.layers:
            layer.forward = functools.partial(checkpoint, layer.forward, use_reentrant=False)
        eager_peak(module, inputs)
        eager = eager_peak(module, inputs)
        ours, _ = estimate(fakeprop, program, os.path.join(folder, name + ".json"), "--checkpoint", "layers.*")
        wrong += abs(percent(ours, eager)) > 5
        print(f"| {name} | `layers.*` | {eager:,} | {ours:,} | {percent(ours, eager):+.1f}% |")
    return wrong


def optimizers():
    """Makers of optimisers, by the options that ask for them."""
    of = torch.optim
    makers = {("sgd",): of.SGD, ("momentum",): functools.partial(of.SGD, momentum=0.9), ("adam",): of.Adam, ("adamw",): of.AdamW,
              ("adafactor",): of.Adafactor}
    found = {}
    for names, maker in makers.items():
        found[names] = functools.partial(maker, foreach=False)
        found[(*names, "--optimizer-form", "foreach")] = functools.partial(maker, foreach=True)
    for name in ("adam", "adamw"):
        found[(name, "--optimizer-form", "fused")] = functools.partial(makers[(name,)], fused=True)
    try:
        import bitsandbytes
        found[("adam8bit",)] = bitsandbytes.optim.Adam8bit
    except ImportError:
        print("adam8bit is left out: bitsandbytes is not installed", file=sys.stderr)
    return found


def check_optimizers(fakeprop, folder):
    print("| optimiser | states | estimate | peak of a step | estimate | error |")
    print("|---|---|---|---|---|---|")
    wrong = 0
    for names, make in optimizers().items():
        module, inputs = training_models.MODELS["mlp"]()
        inputs = tuple(t[:4].clone() for t in inputs)  # so that the update is the peak
        program = torch.export.export(module, inputs, strict=False)
        optimizer = make(module.parameters())
        eager_peak(module, inputs, optimizer)  # makes the states
        peak = eager_peak(module, inputs, optimizer)
        storages = {t.untyped_storage()._cdata: t.untyped_storage().nbytes() for state in optimizer.state.values()
                    for t in state.values() if isinstance(t, torch.Tensor)}
        states = sum(storages.values())
        ours, answer = estimate(fakeprop, program, os.path.join(folder, "mlp.json"), "--optimizer", *names)
        counted = answer["categories"].get("optimizer_states", 0)
        wrong += counted != states or abs(percent(ours, peak)) > 5
        name = names[0] + (f", {names[-1]}" if len(names) > 1 else "")
        print(f"| {name} | {states:,} | {counted:,} | {peak:,} | {ours:,} | {percent(ours, peak):+.1f}% |", flush=True)
    return wrong


def percent(estimated, measured):
    return 100 * (estimated - measured) / measured


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fakeprop")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--keep", help="write the graphs to this folder")
    parser.add_argument("--checkpoint", action="store_true")
    parser.add_argument("--optimizers", action="store_true")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    wrong = 0
    if options.checkpoint or options.optimizers:
        with tempfile.TemporaryDirectory() as folder:
            wrong += check_checkpoints(options.fakeprop, folder) if options.checkpoint else 0
            wrong += check_optimizers(options.fakeprop, folder) if options.optimizers else 0
        return wrong > 0
    print("| model | eager | from the forward graph | error | joint graph | from the joint graph | error |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names or training_models.MODELS:
            row = check(options.fakeprop, name, options.keep or folder)
            errors = percent(row["forward"], row["eager"]), percent(row["joint"], row["joint graph"])
            wrong += abs(errors[0]) > 5 or abs(errors[1]) > 1
            print(f"| {name} | {row['eager']:,} | {row['forward']:,} | {errors[0]:+.1f}% | {row['joint graph']:,} | "
                  f"{row['joint']:,} | {errors[1]:+.1f}% |", flush=True)
            if row["approximate"]:
                print("approximate:", ", ".join(row["approximate"]), file=sys.stderr)
    print(f"{wrong} of them over 5% or 1%", file=sys.stderr)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
