#!/usr/bin/env python3
"""Runs random programs in eager PyTorch and in fakeprop, and groups the differences by cause.

  check_programs.py --fakeprop BIN [--seed 0] [--count 1000] [--jobs 2] [--strict] [--save FILE] [--show N]

A program has up to 25 steps: views, changes in place, out= forms, changes of metadata, autograd, and calls of the test
tables. Each value is compared at its step: shape, strides, dtype, offset, storage, requires_grad, conjugate and negative
bits. What eager refuses, fakeprop has to refuse. Of each group the first program is printed, without the steps that it
does not need. `--save` writes one program of each group with what eager gave.
"""

import argparse
import collections
import json
import multiprocessing
import multiprocessing.connection
import signal
import sys

import torch

from eager import Refused, run_program
from explained import unexplained
from generate import Generator
from judge import cause, differences, our_nodes
from shrink import shrunken
from templates import read_templates

SECONDS = 120  # for one program, with those that it is shrunken to
FAILED = object()


class Worker:
    def __init__(self, args, templates):
        self.args = args
        self.templates = templates
        self.shrunken_of = collections.Counter()  # programs by cause

    def first_difference(self, program, truth):
        """(the first difference that nothing explains, the reasons of the others)"""
        nodes = our_nodes(self.args.fakeprop, program)
        return unexplained(program, differences(program, truth, nodes, self.args.strict), truth)

    def check(self, seed):
        """(steps, program, cause, difference, the reasons of those on purpose) of one seed; cause is None if there is none."""
        try:
            program, truth = Generator(seed, self.templates).run()
        except Refused:
            return 0, None, None, None, []
        found, reasons = self.first_difference(program, truth)
        if not found:
            return len(program.steps), program, None, None, reasons
        key = cause(program, found)
        self.shrunken_of[key] += 1
        if self.shrunken_of[key] <= self.args.shrink:
            program, found = self.shrunken(program, key, found)
        return len(program.steps), program, key, found, reasons

    def shrunken(self, program, key, found):

        def shows(smaller):
            try:
                difference, _ = self.first_difference(smaller, run_program(smaller))
            except (Refused, RuntimeError, KeyError):
                return False
            return bool(difference) and cause(smaller, difference) == key

        if not shows(program):
            return program, found
        program = shrunken(program, shows)
        return program, self.first_difference(program, run_program(program))[0]


def work(worker, connection):
    """A child: checks the seeds that it is sent. It may die of one."""
    torch.set_num_threads(1)
    for seed in iter(connection.recv, None):
        signal.alarm(SECONDS)
        connection.send((seed, *worker.check(seed)))


def started(worker):
    """(the connection to a new child, the child)"""
    ours, childs = multiprocessing.Pipe()
    child = multiprocessing.Process(target=work, args=(worker, childs), daemon=True)
    child.start()
    childs.close()  # so that the connection ends with the child
    return ours, child


def run_all(args):
    """Yields the result of each seed; None for those in which eager ended the process, or took too long, FAILED for those
    that could not be made or judged: a traceback on stderr says why."""
    worker, seeds = Worker(args, read_templates()), iter(range(args.seed, args.seed + args.count))
    children = dict(started(worker) for _ in range(args.jobs))
    for connection in children:
        connection.send(next(seeds, None))
    while children:
        for connection in multiprocessing.connection.wait(list(children)):
            try:
                yield connection.recv()
            except (EOFError, ConnectionResetError):
                connection, ended = replaced(children, connection, worker)
                if connection is None:
                    continue
                yield ended
            connection.send(next(seeds, None))


def replaced(children, connection, worker):
    """(the connection to a new child in place of one that died, how that one ended); the connection is None if it had
    ended because no seeds are left."""
    child = children.pop(connection)
    child.join()
    if child.exitcode == 0:
        return None, None
    ended = FAILED if child.exitcode > 0 else None
    connection, child = started(worker)
    children[connection] = child
    return connection, ended


def report(groups, args):
    for key, found in sorted(groups.items(), key=lambda item: -len(item[1])):
        print(f"\n{len(found)} programs: {' | '.join(key)}")
        for seed, program, difference in sorted(found, key=lambda f: len(f[1].steps))[:args.show]:
            print(f"  seed {seed}", *(f"  {line}" for line in program.text()), sep="\n  ")
            print(f"    -> {difference[0]} {difference[1]}: ours {difference[2]}, eager {difference[3]}")


def save(groups, path):
    cases = []
    for key, found in sorted(groups.items()):
        seed, program, difference = min(found, key=lambda f: len(f[1].steps))
        snaps, errors = run_program(program)
        cases.append({"name": " | ".join(key), "python": program.text(), "fx": program.fx(), "spec": program.spec(),
                      "snaps": snaps, "errors": errors})
    with open(path, "w") as f:
        json.dump(cases, f, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fakeprop", required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--strict", action="store_true", help="compare strides of dimensions of size 1 too")
    parser.add_argument("--show", type=int, default=1, help="programs to print of each group")
    parser.add_argument("--shrink", type=int, default=3, help="programs of each cause, and job, to make smaller")
    parser.add_argument("--save", metavar="FILE")
    args = parser.parse_args()
    tally, groups, explained = collections.Counter(), collections.defaultdict(list), collections.Counter()
    for result in run_all(args):
        tally["crashed in eager"] += result is None
        tally["failed"] += result is FAILED
        if result is None or result is FAILED:
            continue
        seed, steps, program, key, difference, reasons = result
        tally["programs"] += 1
        tally["steps"] += steps
        tally["explained"] += bool(reasons)
        explained.update(reasons)
        if key:
            groups[key].append((seed, program, difference))
    report(groups, args)
    for reason, count in explained.most_common():
        print(f"explained values, {count}: {reason}")
    different = sum(map(len, groups.values()))
    print(f"{tally['programs']} programs of {tally['steps']} steps: {different} differ in {len(groups)} ways, "
          f"{tally['explained']} have explained ones; eager crashed in {tally['crashed in eager']}, "
          f"{tally['failed']} could not be judged")
    if args.save:
        save(groups, args.save)
    return different != 0 or tally["failed"] != 0


if __name__ == "__main__":
    sys.exit(main())
