#!/usr/bin/env python3
"""Compares `fakeprop memory` for one of several ranks with torch on CPU, as a rank of torch.distributed's fake process group.

    check_sharding.py FAKEPROP [--only data|tensor|pipeline]

The group copies nothing between ranks, so that one process has the storages of one rank and runs its code. A hook on every
operator counts the bytes of live storages, which FSDP frees by resizing, and the bytes that collectives send, as in a ring.

* Data: FSDP2 (fully_shard), with and without reshard_after_forward (stages 3 and 2), with checkpoints, with Adam.
  Stage 1 is ZeroRedundancyOptimizer under DistributedDataParallel, whose gradients are views of its buckets.
* Tensor: parallelize_module with ColwiseParallel and RowwiseParallel, and with SequenceParallel.
* Pipeline: PipelineStage under Schedule1F1B, each stage in a process of its own.

Peaks have to be within 6%, bytes sent within 1%.
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
import torch.distributed as dist
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.pipelining import PipelineStage, Schedule1F1B
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import (ColwiseParallel, PrepareModuleInput, RowwiseParallel, SequenceParallel,
                                               parallelize_module)
from torch.nn.parallel import DistributedDataParallel
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import checkpoint

import check_training
import training_models

RANKS = 4


class LiveBytes(check_training.LiveBytes):
    """Storages by their size of the moment, below DTensor, and what this rank sends."""

    sent = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if any(issubclass(t, (DTensor, AsyncCollectiveTensor)) for t in types):
            return NotImplemented
        result = func(*args, **(kwargs or {}))
        self.add(result)
        self.sent += sent_by(str(func), args, result)
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


def sent_by(name, args, result):
    """Bytes that a ring of RANKS sends for a collective: of the larger one of what goes in and what comes out."""
    times = (2 if "allreduce" in name or "all_reduce" in name else
             1 if any(word in name for word in ("allgather", "all_gather", "reduce_scatter", "broadcast")) else 0)
    if not times or "c10d" not in name:
        return 0
    largest = max(t.nbytes for t in tree_leaves([args, result]) if isinstance(t, torch.Tensor))
    return times * largest * (RANKS - 1) // RANKS


def local(tensors):
    return [t.to_local() if isinstance(t, DTensor) else t for t in tree_leaves(tensors) if isinstance(t, torch.Tensor)]


def step(module, inputs, optimizer=None):
    """A step after the first one, which makes states and buffers."""
    for measured in (False, True):
        module.zero_grad(set_to_none=True)
        states = list(getattr(optimizer, "optim", optimizer).state.values()) if optimizer else []
        with LiveBytes([local(list(module.parameters())), list(module.buffers()), inputs, local(states)]) as live:
            module(*inputs).backward()
            if optimizer:
                optimizer.step()
    return live


def make(name, batch):
    torch.manual_seed(0)
    module, inputs = (training_models.MODELS | training_models.MODELS_OF_RANKS)[name]()
    return module, tuple(t[:batch].clone() for t in inputs)


class Report:
    def __init__(self, fakeprop):
        self.fakeprop, self.wrong = fakeprop, 0
        print("| model | how | one rank | estimate | error | sends | estimate |")
        print("|---|---|---|---|---|---|---|")

    def estimate(self, program, *options):
        with tempfile.TemporaryDirectory() as folder:
            return check_training.estimate(self.fakeprop, program, os.path.join(folder, "graph.json"), *options)

    def compare(self, name, how, peak, sent, estimated, answer, at=None):
        error = check_training.percent(estimated, peak)
        sends = sum(answer["sharding"]["sent"].values())
        self.wrong += abs(error) > 6 or abs(sends - sent) > 0.01 * sent
        print(f"| {name} | {how} | {peak:,} | {estimated:,} | {error:+.1f}% | {sent:,} | {sends:,} |", flush=True)
        print(f"{name}, {how}: at {at}; ours at {answer['peak']['node']}", file=sys.stderr)


# --- Data parallel.

UNITS = {"gpt": "layers.*", "vit": "layers.*", "encoder": "layers.layers.*", "mlp": "net.#", "mixer": "tokens.*,channels.*"}


def units_of(name, module):
    return {"encoder": lambda: module.layers.layers, "mlp": lambda: [m for m in module.net if list(m.parameters())],
            "mixer": lambda: [*module.tokens, *module.channels]}.get(name, lambda: module.layers)()


def check_fsdp(report, name, stage, recompute=False, adam=False):
    module, inputs = make(name, 1)
    program = torch.export.export(module, inputs, strict=False)
    options = ["--fsdp", str(RANKS), "--stage", str(stage), "--units", UNITS[name]]
    options += ["--checkpoint", UNITS[name]] if recompute else []
    options += ["--optimizer", "adam"] if adam else []
    estimated, answer = report.estimate(program, *options)
    mesh = init_device_mesh("cpu", (RANKS,))
    for unit in units_of(name, module):
        if recompute:
            unit.forward = functools.partial(checkpoint, unit.forward, use_reentrant=False)
        fully_shard(unit, mesh=mesh, reshard_after_forward=stage == 3)
    fully_shard(module, mesh=mesh)
    optimizer = torch.optim.Adam(module.parameters(), foreach=False) if adam else None
    live = step(module, inputs, optimizer)
    how = f"stage {stage}" + (", recomputed" if recompute else "") + (", Adam" if adam else "")
    report.compare(name, how, live.peak, live.sent, estimated, answer, live.at)


def all_reduce(_, bucket):
    """What DistributedDataParallel does by itself, without the future that the fake group does not make."""
    dist.all_reduce(bucket.buffer())
    future = torch.futures.Future()
    future.set_result(bucket.buffer())
    return future


def check_zero(report, name):
    module, inputs = make(name, 1)
    program = torch.export.export(module, inputs, strict=False)
    estimated, answer = report.estimate(program, "--fsdp", str(RANKS), "--stage", "1", "--optimizer", "adam")
    parallel = DistributedDataParallel(module, gradient_as_bucket_view=True)
    parallel.register_comm_hook(None, all_reduce)
    optimizer = ZeroRedundancyOptimizer(module.parameters(), torch.optim.Adam, foreach=False)
    live = step(parallel, inputs, optimizer)
    report.compare(name, "stage 1, Adam", live.peak, live.sent, estimated, answer, live.at)


def check_data(report):
    for name in UNITS:
        check_fsdp(report, name, 3)
        check_fsdp(report, name, 2)
    for name in ("gpt", "vit"):
        check_fsdp(report, name, 3, recompute=True)
        check_fsdp(report, name, 3, adam=True)
        check_zero(report, name)


# --- Tensor parallel.


def check_tensor_parallel(report, name, has_sequence):
    module, inputs = make(name, 2)
    options = ["--tensor-parallel", str(RANKS), "--column", "layers.*.attention.qkv,layers.*.fc1",
               "--row", "layers.*.attention.out,layers.*.fc2"]
    options += ["--sequence", "layers.*.norm1,layers.*.norm2"] if has_sequence else []
    estimated, answer = report.estimate(torch.export.export(module, inputs, strict=False), *options)
    mesh = init_device_mesh("cpu", (RANKS,))
    layout = Shard(1) if has_sequence else Replicate()
    for layer in module.layers:
        layer.attention.heads //= RANKS
        plan = {"attention.qkv": ColwiseParallel(input_layouts=layout), "fc1": ColwiseParallel(input_layouts=layout),
                "attention.out": RowwiseParallel(output_layouts=layout), "fc2": RowwiseParallel(output_layouts=layout)}
        if has_sequence:
            plan |= {"norm1": SequenceParallel(), "norm2": SequenceParallel()}
        parallelize_module(layer, mesh, plan)
    if has_sequence:
        split, whole = (Replicate(), Shard(1)), (Shard(1), Replicate())
        first, last = (PrepareModuleInput(input_layouts=(a,), desired_input_layouts=(b,), use_local_output=True)
                       for a, b in (split, whole))
        parallelize_module(module, mesh, {"layers.0": first, "norm": last})
    live = step(module, inputs)
    how = "column, row" + (", sequence" if has_sequence else "")
    report.compare(name, how, live.peak, live.sent, estimated, answer, live.at)


def check_tensors(report):
    for name in ("gpt", "wide"):
        for has_sequence in (False, True):
            check_tensor_parallel(report, name, has_sequence)
    check_tensor_parallel(report, "vit", False)


# --- Pipeline.


class StageOf(torch.nn.Module):
    """The blocks of a chain from one to another."""

    def __init__(self, module, first, end):
        super().__init__()
        self.blocks = torch.nn.ModuleList(list(module.blocks)[first:end])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


def run_stage(stage, stages, micro_batches, name):
    """One stage in this process: prints its peak and what it sends."""
    dist.init_process_group("fake", rank=stage, world_size=stages, store=FakeStore())
    module, (x, target) = make(name, None)
    count = len(module.blocks)
    first, end = count * stage // stages, count * (stage + 1) // stages
    submodule = StageOf(module, first, end)
    ends = StageOf(module, 0, first)(x), StageOf(module, 0, end)(x)
    x, target = (torch.cat([t] * micro_batches) for t in (x, target))
    received, made = (t.detach().requires_grad_(t.is_floating_point()) for t in ends)
    pipeline = PipelineStage(submodule, stage, stages, torch.device("cpu"), input_args=received, output_args=made)
    del ends, received, made
    # The stages vote that sizes are known; the fake group receives no votes.
    pipeline._warmup_backward_result = lambda received_result: torch.ones(1)
    schedule = Schedule1F1B(pipeline, micro_batches, loss_fn=training_models.chain_loss, scale_grads=False)
    sent = 0
    send_ops = pipeline.get_fwd_send_ops, pipeline.get_bwd_send_ops

    def counted(ops_of, index):
        nonlocal sent
        ops = ops_of(index)
        sent += sum(op.tensor.nbytes for op in ops)
        return ops

    pipeline.get_fwd_send_ops, pipeline.get_bwd_send_ops = (functools.partial(counted, f) for f in send_ops)
    for measured in (False, True):
        module.zero_grad(set_to_none=True)
        sent = 0
        buffers = [info.buffer for infos in (pipeline.args_recv_info, pipeline.grad_recv_info)
                   for tuple_ in infos.values() for info in tuple_]
        held = [list(submodule.parameters()), buffers]
        held += [x] * (stage == 0) + [target] * (stage == stages - 1)
        with LiveBytes(held) as live:
            schedule.step(*[x] * (stage == 0), target=target if stage == stages - 1 else None, return_outputs=False)
    print(json.dumps({"peak": live.peak, "sent": sent, "at": live.at}))


def check_pipeline(report, name, stages, micro_batches):
    module, inputs = make(name, None)
    count = len(module.blocks)
    starts = ",".join(f"blocks.{count * stage // stages}" for stage in range(1, stages))
    program = torch.export.export(module, inputs, strict=False)
    _, answer = report.estimate(program, "--pipeline", starts, "--micro-batches", str(micro_batches))
    for stage in range(stages):
        done = subprocess.run([sys.executable, __file__, report.fakeprop, "--stage", f"{stage},{stages},{micro_batches},{name}"],
                              capture_output=True, text=True)
        if done.returncode:
            raise ValueError(done.stderr[-2000:])
        run = json.loads(done.stdout.splitlines()[-1])
        estimated = answer["sharding"]["pipeline_peaks"][stage]
        sends = {"sharding": {"sent": {"": answer["sharding"]["pipeline_sent"][stage]}}, "peak": answer["peak"]}
        report.compare(name, f"stage {stage} of {stages}, {micro_batches} micro-batches", run["peak"], run["sent"], estimated,
                       sends, run["at"])


def check_pipelines(report):
    for stages, micro_batches in ((2, 2), (2, 8), (4, 4), (4, 8)):
        check_pipeline(report, "chain", stages, micro_batches)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fakeprop")
    parser.add_argument("--only", choices=["data", "tensor", "pipeline"])
    parser.add_argument("--stage", help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    if options.stage:
        stage, stages, micro_batches, name = options.stage.split(",")
        return run_stage(int(stage), int(stages), int(micro_batches), name)
    dist.init_process_group("fake", rank=0, world_size=RANKS, store=FakeStore())
    report = Report(options.fakeprop)
    for name, check in (("data", check_data), ("tensor", check_tensors), ("pipeline", check_pipelines)):
        if options.only in (None, name):
            check(report)
    print(f"{report.wrong} of them over 6% or 1%", file=sys.stderr)
    return report.wrong > 0


if __name__ == "__main__":
    sys.exit(main())
