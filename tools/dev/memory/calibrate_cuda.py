#!/usr/bin/env python3
"""Compares `fakeprop memory --training --allocator cuda` with a GPU, for the models of training_models.py.

    calibrate_cuda.py FAKEPROP [NAME...] [--optimizer adam] [--without-gpu]

Each model trains on the GPU in a process of its own: after two steps, torch.cuda.max_memory_allocated and max_memory_reserved
of the third. Prints a table with the date, the GPU and the versions, as docs/memory.md has tables. --without-gpu prints the
estimates alone, which needs no GPU.
"""
import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
import warnings

import torch

import check_training
import training_models

HOPPER_WORKSPACE = 32 << 20  # what PyTorch gives cuBLAS there; elsewhere the default of --workspace


def workspace():
    """Options for this GPU's cuBLAS."""
    is_hopper = torch.cuda.is_available() and torch.cuda.get_device_capability()[0] == 9
    return ["--workspace", str(HOPPER_WORKSPACE)] if is_hopper else []


def estimate(fakeprop, name, optimizer):
    """Bytes allocated and reserved, and the estimate's error-free peak of tensors."""
    module, inputs = training_models.MODELS[name]()
    program = torch.export.export(module, inputs, strict=False)
    with tempfile.TemporaryDirectory() as folder:
        _, answer = check_training.estimate(fakeprop, program, os.path.join(folder, "graph.json"), "--device", "cuda",
                                            "--optimizer", optimizer, "--allocator", "cuda", *workspace())
    device = answer["allocator"]["devices"]["cuda:0"]
    return device["allocated"], device["reserved"]


def measure(name, optimizer):
    """In a fresh process: bytes allocated and reserved by a step of training."""
    torch.manual_seed(0)
    module, inputs = training_models.MODELS[name]()
    module, inputs = module.cuda(), [t.cuda() for t in inputs]
    makers = {"none": None, "sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW}
    maker = makers[optimizer]
    update = maker(module.parameters(), lr=1e-3) if maker else None
    for i in range(3):
        if i == 2:
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
        module.zero_grad(set_to_none=True)
        module(*inputs).backward()
        if update:
            update.step()
    return torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()


def measure_apart(name, optimizer):
    done = subprocess.run([sys.executable, __file__, "-", name, "--optimizer", optimizer, "--measure"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-1000:])
    return json.loads(done.stdout.splitlines()[-1])


def row(name, estimated, measured):
    """A line of the table. `measured` is None without a GPU."""
    cells = [name]
    for ours, real in zip(estimated, measured or (None, None)):
        cells += [f"{ours:,}", "-" if real is None else f"{real:,}", "-" if real is None else f"{check_training.percent(ours, real):+.1f}%"]
    return "| " + " | ".join(cells) + " |"


def heading():
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU"
    return f"{datetime.date.today()}, {gpu}, torch {torch.__version__}, CUDA {torch.version.cuda}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fakeprop")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--optimizer", choices=["none", "sgd", "adam", "adamw"], default="none")
    parser.add_argument("--without-gpu", action="store_true")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_intermixed_args()
    warnings.filterwarnings("ignore")
    if options.measure:
        print(json.dumps(measure(options.names[0], options.optimizer)))
        return 0
    if not torch.cuda.is_available() and not options.without_gpu:
        sys.exit("calibrate_cuda.py: there is no GPU; --without-gpu prints the estimates alone")
    print(heading() + "\n")
    print("| model | allocated, estimate | max_memory_allocated | error | reserved, estimate | max_memory_reserved | error |")
    print("|---|---|---|---|---|---|---|")
    for name in options.names or training_models.MODELS:
        measured = None if options.without_gpu else measure_apart(name, options.optimizer)
        print(row(name, estimate(options.fakeprop, name, options.optimizer), measured), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
