#!/usr/bin/env python3
"""Real CUDA kernels' answers to operator calls: the judge of what fakes on cuda:0 give.

    $ tools/dev/truth/record_cuda.py calls.txt answers.txt        on a machine with a CUDA device and its build of PyTorch

Reads one call text a line, with tensors on cuda:0 (`--move` puts those of the cpu there), runs each on real tensors and under
FakeTensorMode of the same PyTorch, and writes `call -> kernel's answer | FakeTensorMode's`, or one answer where both are the
same. A device-side assertion ends a CUDA context, so each worker is a process that is started again after one; such calls
are left out, and so are those that end the process or take over a minute.
"""

import argparse
import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys

import torch

import answers
from call_text import parse_call
from record_calls import quiet, side

DEVICE = "cuda:0"
# Indices first of all in range: one that is not ends the context.
FILLS = ("safe", "ones", "zeros", "eye")


def cuda_tensor(spec, fill):
    if fill == "safe":
        is_number = spec.dtype.is_floating_point or spec.dtype.is_complex
        fill = "ones" if is_number else "zeros"
    return answers.eager_tensor(spec, fill).to(spec.device) if spec.device == "cpu" else on_device(spec, fill)


def on_device(spec, fill):
    whole = answers.eager_tensor(spec.replaced(sizes=[spec.extent()], strides=[1], offset=0), fill).to(spec.device)
    t = whole.as_strided(spec.sizes, spec.strides, spec.offset)
    if fill == "eye" and len(spec.sizes) > 1 and (spec.dtype.is_floating_point or spec.dtype.is_complex):
        t.diagonal(0, -2, -1).fill_(1)
    return t.detach()


def kernel_answer(call):
    """(effects, None), or (None, the first fill's error)."""
    first = None
    for fill in FILLS:
        try:
            text = answers.run(call, lambda spec: cuda_tensor(spec, fill), telling_only=True)
            torch.cuda.synchronize()
            return text, None
        except Exception as e:
            if is_lost(e):
                os._exit(1)
            first = first or e
    return None, first


def is_lost(error):
    """Whether the CUDA context ended with it."""
    return type(error).__name__ == "AcceleratorError" or "device-side assert" in str(error) or "illegal" in str(error)


def moved(call):
    def move(value):
        return torch.device(DEVICE) if isinstance(value, torch.device) and value.type == "cpu" else value
    call = call.mapped(lambda t: t.replaced(device=DEVICE) if t.device == "cpu" else t)
    call.args = [move(v) for v in call.args]
    call.kwargs = {k: move(v) for k, v in call.kwargs.items()}
    return call


def work(lines, first, move):
    """Answers the lines from `first` on, each on a line of its own: `<index> <answer>`."""
    quiet()
    for index in range(first, len(lines)):
        signal.alarm(60)
        print(f"{index} ", end="", flush=True)
        call = parse_call(lines[index])
        call = moved(call) if move else call
        kernel = side(*kernel_answer(call))
        fake = side(*answers.fake_answer(call, telling_only=True))
        same = kernel == fake or kernel[:1] == "!" == fake[:1]
        print(f"{call} -> {kernel if same else kernel + ' | ' + fake}".replace("\n", " "), flush=True)


def answer_part(path, move, write):
    """Hands `write` the lines that workers of one part give; a worker that dies is followed by one that goes on after it."""
    count, first = len(path.read_text().splitlines()), 0
    while first < count:
        command = [sys.executable, __file__, str(path), "-", "--first", str(first)] + ["--move"] * move
        started = first
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace") as worker:
            for line in worker.stdout:
                index, _, answer = line.rstrip("\n").partition(" ")
                if index.isdigit():
                    first = int(index) + 1
                    write(answer)
        if first == started:  # it died before its first call
            first += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calls")
    parser.add_argument("answers")
    parser.add_argument("--move", action="store_true", help="put tensors of the cpu on cuda:0")
    parser.add_argument("--workers", type=int, default=12)
    parser.add_argument("--first", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.first is not None:
        work(pathlib.Path(options.calls).read_text().splitlines(), options.first, options.move)
        return
    lines = pathlib.Path(options.calls).read_text().splitlines()
    parts = [pathlib.Path(f"{options.answers}.part{i}") for i in range(options.workers)]
    for i, part in enumerate(parts):
        part.write_text("\n".join(lines[i::options.workers]) + "\n")
    with open(options.answers, "w") as out, concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        def write(answer):
            if answer:
                out.write(answer + "\n")
                out.flush()
        list(pool.map(lambda part: answer_part(part, options.move, write), parts))
    for part in parts:
        part.unlink()


if __name__ == "__main__":
    main()
