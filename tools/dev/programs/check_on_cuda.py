#!/usr/bin/env python3
"""Runs random programs with cuda tensors, and groups the differences of fakeprop's answers from PyTorch's by cause.

  check_on_cuda.py --fakeprop BIN [--seed 0] [--seconds 60] [--jobs 2] [--show N] [--save FILE]

With a card the programs are made and run there; without one they are made on the cpu. Both times FakeTensorMode runs them
on fake cuda tensors. A value counts as right if it is as one of the two gave it: fakeprop answers as FakeTensorMode where
a card's kernels differ from it. Errors count where a card is there to be asked.
"""

import argparse
import collections
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time

import torch

import eager
from explained import unexplained
from generate import Generator
from judge import cause, differences, our_nodes
from on_cuda import CARD, OnCuda, move_to_cuda, run_fake
from templates import read_templates

SECONDS = 60  # for one program


def counts(difference, fake_errors):
    """Whether there is an answer to compare with."""
    name, field = difference[:2]
    return CARD or not (field in ("error", "requires_grad") or name in fake_errors)


def check(args, seed, templates):
    """What to report of the program of a seed; None if there is nothing."""
    program, truth = Generator(seed, templates).run()
    if CARD:
        torch.cuda.synchronize()
    nodes = our_nodes(args.fakeprop, OnCuda(program))
    report = {"seed": seed, "steps": len(program.steps)}
    found = list(differences(program, truth, nodes))
    if not found and CARD:
        return report
    snaps, errors = run_fake(program)
    as_fake = {d[:2] for d in differences(program, (snaps, errors), nodes)}
    left = [d for d in found if (d[:2] in as_fake or d[1] == "error") and counts(d, errors)]
    d, reasons = unexplained(program, left, truth)
    report["reasons"] = reasons
    if d:
        report |= {"key": cause(program, d), "program": program.text(), "difference": [str(part)[:200] for part in d],
                   "fake": str(snaps.get(d[0]))}
    return report


def work(args):
    """A child: checks every jobs-th seed, and writes a line for each. An assertion on a card ends it."""
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    move_to_cuda()
    templates, seed = read_templates(), args.seed
    while time.time() < args.until:
        print(json.dumps({"begun": seed}), flush=True)
        signal.alarm(SECONDS)
        try:
            print(json.dumps(check(args, seed, templates)), flush=True)
        except eager.Refused:
            pass
        except RuntimeError as e:
            if "CUDA error" in str(e):
                os._exit(1)
        seed += args.jobs


def lines_of(path):
    with open(path) as f:
        for line in f:
            if line.endswith("\n") and line.startswith("{"):
                yield json.loads(line)


def run_children(args, folder):
    """Starts a child anew, behind the seed at which it ended, until the time is over."""
    paths = [os.path.join(folder, f"{i}.jsonl") for i in range(args.jobs)]

    def start(i, seed):
        command = [sys.executable, __file__, "--fakeprop", args.fakeprop, "--seed", str(seed), "--jobs", str(args.jobs),
                   "--until", str(args.until)]
        with open(paths[i], "a") as f:
            return subprocess.Popen(command, stdout=f, stderr=subprocess.DEVNULL)

    children = [start(i, args.seed + i) for i in range(args.jobs)]
    while time.time() < args.until:
        time.sleep(0.2)
        for i, child in enumerate(children):
            if child.poll() is not None and time.time() < args.until - 1:
                begun = [line["begun"] for line in lines_of(paths[i]) if "begun" in line]
                children[i] = start(i, begun[-1] + args.jobs if begun else args.seed + i)
    for child in children:
        child.wait(timeout=2 * SECONDS)
    return [line for path in paths for line in lines_of(path) if "steps" in line]


def report(lines, args):
    groups, explained = collections.defaultdict(list), 0
    for line in lines:
        explained += bool(line.get("reasons"))
        if "key" in line:
            groups[tuple(line["key"])].append(line)
    for key, found in sorted(groups.items(), key=lambda item: -len(item[1])):
        print(f"\n{len(found)} programs: {' | '.join(key)}")
        for line in found[:args.show]:
            name, field, ours, truth = line["difference"]
            print(f"  seed {line['seed']}", *(t for t in line["program"] if t.startswith(f"{name} = ")), sep="\n    ")
            print(f"    -> {field}: ours {ours}, {'card' if CARD else 'cpu'} {truth}, fake {line['fake']}")
    print(f"{len(lines)} programs of {sum(line['steps'] for line in lines)} steps: {sum(map(len, groups.values()))} differ in "
          f"{len(groups)} ways, {explained} have explained ones; {torch.cuda.get_device_name(0) if CARD else 'no card'}, "
          f"torch {torch.__version__}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fakeprop", required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int, default=1, help="programs to print of each group")
    parser.add_argument("--save", metavar="FILE", help="writes all differences as JSON lines")
    parser.add_argument("--until", type=float, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.until:
        return work(args)
    args.until = time.time() + args.seconds
    with tempfile.TemporaryDirectory() as folder:
        lines = run_children(args, folder)
    report(lines, args)
    if args.save:
        with open(args.save, "w") as f:
            f.writelines(json.dumps(line) + "\n" for line in lines if "key" in line)


if __name__ == "__main__":
    main()
