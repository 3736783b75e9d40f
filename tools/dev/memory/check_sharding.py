#!/usr/bin/env python3
"""Compares `fakeprop memory --fsdp 4` with FSDP2 on CPU, rank 0 of 4 ranks of torch.distributed's fake process group.

    check_sharding.py FAKEPROP

The group copies nothing between ranks, so that one process has the storages of one rank. Layers are units, the rest is
the root. Estimates have to be within 15%. A hook on every operator counts the bytes of live storages, which FSDP frees by resizing.
"""
import os
import sys
import tempfile
import warnings

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.testing._internal.distributed.fake_pg import FakeStore

import check_training
import training_models

RANKS = 4


class LiveBytes(check_training.LiveBytes):
    """Storages by their size of the moment, below DTensor."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if DTensor in types:
            return NotImplemented
        result = func(*args, **(kwargs or {}))
        self.add(result)
        live = 0
        for key, (ref, _) in list(self.alive.items()):
            storage = torch.UntypedStorage._new_with_weak_ptr(ref.cdata)
            if storage is None:
                del self.alive[key]
            else:
                live += storage.nbytes()
        if live > self.peak:
            self.peak, self.at = live, str(func)
        return result


def local(tensors):
    return [t.to_local() if isinstance(t, DTensor) else t for t in tensors]


def step_peak(module, inputs):
    module.zero_grad(set_to_none=True)
    with LiveBytes([local(module.parameters()), list(module.buffers()), inputs]) as live:
        module(*inputs).backward()
    return live.peak, live.at


def main():
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    dist.init_process_group("fake", rank=0, world_size=RANKS, store=FakeStore())
    print("| model | units | one rank of FSDP2 | estimate | error |")
    print("|---|---|---|---|---|")
    wrong = 0
    for name in ("gpt", "vit"):
        torch.manual_seed(0)
        module, inputs = training_models.MODELS[name]()
        inputs = tuple(t[:1] for t in inputs)  # parameters matter more than activations
        program = torch.export.export(module, inputs, strict=False)
        with tempfile.TemporaryDirectory() as folder:
            ours, answer = check_training.estimate(
                sys.argv[1], program, os.path.join(folder, "graph.json"), "--fsdp", str(RANKS), "--units", "layers.*")
        mesh = init_device_mesh("cpu", (RANKS,))
        for layer in module.layers:
            fully_shard(layer, mesh=mesh)
        fully_shard(module, mesh=mesh)
        step_peak(module, inputs)
        peak, at = step_peak(module, inputs)
        error = check_training.percent(ours, peak)
        wrong += abs(error) > 15
        print(f"| {name} | `layers.*` | {peak:,} | {ours:,} | {error:+.1f}% |", flush=True)
        print(f"{name}: at {at}; ours at {answer['peak']['node']}", file=sys.stderr)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
