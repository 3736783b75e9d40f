#!/usr/bin/env python3
"""Gives every operator of the test tables inputs of other dtypes and layouts, and compares fakeprop with eager PyTorch.

  sweep.py --fakeprop BIN [--only TEXT] [--vary dtypes,layouts] [--all] [--grad] [--show N] [--part I/N] [--cuda]

Each call of the tables is varied, one change at a time: its dtypes; the dtypes of its tensors without elements; the
layout of its tensors (channels-last maps of 1x1, permuted, sliced, expanded, empty); the layouts and sizes of its out
tensors, or the layout of the others; the storage of the tensor that it writes, which becomes that of an operand; which
one of its tensors requires grad; its numbers. Strides of dimensions of size 1 count, since they decide later layouts. A
graph holds some hundreds of calls that do not depend on each other.

With --cuda the tensors are on a cuda device. An answer counts as right there if it is that of the card, without one that
of the cpu, or FakeTensorMode's.
"""

import argparse
import collections
import dataclasses
import itertools
import sys

import torch

from eager import Machine
from generate import tells
from judge import differences, our_nodes
from on_cuda import CARD, OnCuda, fake_values, move_to_cuda
from explained import outs_of, written_in_place
from program import Input, Program, Ref, Step, mapped
from templates import find_operator, read_templates
import truth_path  # noqa: F401
from isolated import run_isolated

DTYPES = [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint32,
          torch.uint64, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex32, torch.complex64,
          torch.complex128]
NUMBERS = [300, -1, -200, 1e6, -1e9, 1e40, 2.5, -1.0, float("inf"), float("nan"), 1j, True]
NARROW_DTYPES = [torch.bool, torch.uint8, torch.int8, torch.int32, torch.float16, torch.float32, torch.complex64]
BATCH = 200


def row_major(sizes, order=None):
    order = list(order if order is not None else range(len(sizes)))
    strides, step = [0] * len(sizes), 1
    for d in reversed(order):
        strides[d] = step
        step *= max(sizes[d], 1)
    return strides


def channels_last(sizes):
    return row_major(sizes, [0, *range(2, len(sizes)), 1]) if len(sizes) >= 3 else row_major(sizes)


def reversed_dims(sizes):
    return row_major(sizes, reversed(range(len(sizes))))


def swapped(sizes):
    order = list(range(len(sizes)))
    if len(order) > 1:
        order[-1], order[-2] = order[-2], order[-1]
    return row_major(sizes, order)


def expanded(sizes):
    return [0] + row_major(sizes)[1:] if sizes else []


def gapped(sizes):
    return [2 * s for s in row_major(sizes)]


LAYOUTS = {"channels_last": channels_last, "reversed": reversed_dims, "swapped": swapped, "expanded": expanded,
           "gapped": gapped}


def dtype_variants(call):
    first = next(iter(call.tensors()), None)
    for dtype in DTYPES if first else []:
        yield f"{dtype}", call.mapped(lambda t: t.replaced(dtype=dtype) if t.dtype == first.dtype else t)


def layout_variants(call):
    tensors = call.tensors()
    widest = max((len(t.sizes) for t in tensors), default=0)
    shapes = [lambda n: list(n)]
    if widest >= 3:
        shapes += [lambda n: n[:-2] + [1, 1] if len(n) == widest else list(n),
                   lambda n: n[:1] + [1] + n[2:] if len(n) == widest else list(n)]
    if widest:
        shapes += [lambda n: [1] + n[1:] if len(n) == widest else list(n),
                   lambda n: [0] + n[1:] if len(n) == widest else list(n)]
    for shape, (name, layout), which in itertools.product(shapes, LAYOUTS.items(), (None, 0, 1)):
        if which is not None and which >= len(tensors):
            continue
        position = itertools.count()

        def change(t):
            sizes, here = shape(t.sizes), next(position)
            strides = layout(sizes) if which in (None, here) else row_major(sizes)
            return t.replaced(sizes=sizes, strides=strides, offset=0)
        yield name, call.mapped(change)


def empty_variants(call):
    """Other dtypes of tensors without elements."""
    for empty in emptied(call):
        yield from dtype_variants(empty)


def emptied(call):
    """The call where the first or last dimension of the tensors of one rank is 0."""
    ranks = {len(t.sizes) for t in call.tensors()}
    for rank in sorted(ranks - {0}):
        for d in {0, rank - 1}:
            yield call.mapped(
                lambda t: with_sizes(t, t.sizes[:d] + [0] + t.sizes[d + 1:]) if len(t.sizes) == rank else t)


def with_sizes(t, sizes):
    return t.replaced(sizes=sizes, strides=row_major(sizes), offset=0)


def out_variants(call):
    """Other layouts of the out tensors, and of the other ones beside out tensors of several layouts."""
    outs = {a.name for a in find_operator(call.name)._schema.arguments if a.is_out}
    if not outs & set(call.kwargs):
        return
    operands = dataclasses.replace(call, kwargs={k: v for k, v in call.kwargs.items() if k not in outs})
    written = dataclasses.replace(call, args=[], kwargs={k: v for k, v in call.kwargs.items() if k in outs})
    layouts = {"row_major": row_major} | LAYOUTS
    for (a, of_operands), (b, of_outs) in itertools.product(layouts.items(), layouts.items()):
        inputs = operands.mapped(lambda t: t.replaced(strides=of_operands(t.sizes), offset=0))
        results = written.mapped(lambda t: t.replaced(strides=of_outs(t.sizes), offset=0))
        yield f"{a} {b}", dataclasses.replace(inputs, kwargs=inputs.kwargs | results.kwargs)
    for shape in (lambda n: [0], lambda n: [1] + n, lambda n: n[1:], lambda n: n + [2]):
        for layout in (row_major, expanded):
            results = written.mapped(lambda t: t.replaced(sizes=shape(t.sizes), strides=layout(shape(t.sizes)), offset=0))
            yield "sizes", dataclasses.replace(operands, kwargs=operands.kwargs | results.kwargs)


def number_variants(call):
    """Numbers that some dtypes do not hold, in place of one of the call's numbers."""
    schema = find_operator(call.name)._schema.arguments
    for i, argument in enumerate(schema):
        if "number" not in str(argument.type) or not (i < len(call.args) or argument.name in call.kwargs):
            continue
        for number, dtype in itertools.product(NUMBERS, NARROW_DTYPES):
            args = [number if k == i else v for k, v in enumerate(call.args)]
            kwargs = {k: number if k == argument.name else v for k, v in call.kwargs.items()}
            first = next(iter(call.tensors()), None)
            varied = dataclasses.replace(call, args=args, kwargs=kwargs)
            yield f"{number}", varied.mapped(lambda t: t.replaced(dtype=dtype) if t.dtype == first.dtype else t)


def resized_variants(call):
    """Layouts of the operands, beside out tensors that have to be resized."""
    outs = {a.name for a in find_operator(call.name)._schema.arguments if a.is_out}
    if not outs & set(call.kwargs):
        return
    written = dataclasses.replace(call, args=[], kwargs={k: v for k, v in call.kwargs.items() if k in outs})
    for name, layout in ({"row_major": row_major} | LAYOUTS).items():
        inputs = call.mapped(lambda t: t.replaced(strides=layout(t.sizes), offset=0))
        for shape in (lambda n: [0], lambda n: [1] + n, lambda n: n[1:], lambda n: n + [2]):
            results = written.mapped(lambda t: with_sizes(t, shape(t.sizes)))
            yield name, dataclasses.replace(inputs, kwargs=inputs.kwargs | results.kwargs)


def grad_variants(call):
    """The same call; which of its tensors requires grad."""
    for i, t in enumerate(call.tensors()):
        if can_require_grad(t):
            yield i, call


def shared_variants(call):
    """The same call; (the operand, where in its storage the written tensor is)."""
    if not find_operator(call.name)._schema.is_mutable:
        return
    for i in range(len(call.tensors())):
        for place in SharedStorage.PLACES:
            yield (i, place), call


VARIANTS = {"dtypes": dtype_variants, "empty_dtypes": empty_variants, "layouts": layout_variants, "outs": out_variants,
            "resized": resized_variants, "grads": grad_variants, "numbers": number_variants, "shared": shared_variants}


def can_require_grad(t):
    return t.dtype.is_floating_point or t.dtype.is_complex


class SharedStorage:
    """Moves the tensors that a call writes to into the storage of one of its operands."""

    PLACES = {"whole": 0, "behind": 1, "transposed": 0, "itself": 0}

    def __init__(self, program, operand, place):
        self.program, self.place = program, place
        self.given = next((g for g in program.inputs if g.name.endswith(f"_{operand}")), None)

    def run(self):
        """The program; None where the call writes to nothing of the operand's dtype."""
        step, read = self.program.steps[0], self.given
        names = outs_of(step) or written_in_place(step)
        written = [i for i in self.program.inputs if i.name in names and i != read and i.dtype == read.dtype]
        written = [i for i in written if i.extent() and read.extent()]
        if not written:
            return None
        self.move(written[0], Input("w" + read.name, [2 * (read.extent() + written[0].extent())], [1], 0, read.dtype))
        return self.program

    def move(self, written, whole):
        sizes, read = written.sizes, self.given
        strides = reversed_dims(sizes) if self.place == "transposed" else row_major(sizes)
        read.strides, read.offset, read.view_of = row_major(read.sizes), 0, whole.name
        written.strides, written.offset, written.view_of = strides, self.PLACES[self.place], whole.name
        self.program.inputs.insert(0, whole)
        if self.place == "itself":
            step = self.program.steps[0]
            self.program.inputs.remove(written)
            step.args, step.kwargs = (
                mapped(v, lambda ref: Ref(read.name) if ref.name == written.name else ref) for v in (step.args, step.kwargs))


def as_program(call, number, requires_grad):
    """The call as a step whose tensors are inputs, the i-th of which requires grad where `requires_grad(i)` says so."""
    inputs = []

    def make(t):
        can = requires_grad(len(inputs)) and can_require_grad(t)
        inputs.append(Input(f"x{number}_{len(inputs)}", t.sizes, t.strides, t.offset, t.dtype, can))
        return Ref(inputs[-1].name)

    made = call.mapped(make)
    return Program(inputs, [Step(f"v{number}", made.name, made.args, made.kwargs),
                            Step(f"e{number}", "_operator.getitem", [Ref(f"v{number}"), 0], {})])


def truth_of(program, make_machine=Machine):
    """(snapshots, errors, whether they tell anything) of a call; None for what programs do not go on with."""
    try:
        machine = make_machine()
        for given in program.inputs:
            machine.add_input(given)
        error = machine.run(program.steps[0])
        if error is not None:
            return {}, {program.steps[0].name: [type(error).__name__, str(error).split("\n")[0]]}, tells(error)
        value = machine.values[program.steps[0].name]
        if isinstance(value, list) and value and isinstance(value[0], torch.Tensor):
            machine.run(program.steps[1])
        return machine.snaps, {}, True
    except Exception:
        return None


def truths_on_cuda(program):
    """The answers of a card, or the cpu, and of FakeTensorMode, those that tell anything."""
    kernels, fake = truth_of(program), fake_values(lambda machine: truth_of(program, machine))
    return [t for t, may_fail in ((kernels, CARD), (fake, False)) if t and t[2] and (may_fail or not t[1])]


def one_of_each_rank(calls):
    """The first call of each rank and number of tensors."""
    kept = {}
    for call in calls:
        tensors = call.tensors()
        kept.setdefault((len(tensors), max((len(t.sizes) for t in tensors), default=0)), call)
    return kept.values()


def programs_of(args):
    number = 0
    for name, calls in sorted(read_templates().items()):
        if args.only and args.only not in name:
            continue
        seen = set()
        for call in calls if args.all else one_of_each_rank(calls):
            for kind in args.vary.split(","):
                for name, variant in VARIANTS[kind](call):
                    one = name if kind in ("grads", "shared") else None
                    if (one, str(variant)) not in seen:
                        seen.add((one, str(variant)))
                        number += 1
                        program = as_program(variant, number, lambda i: args.grad if one is None else i == one)
                        program = SharedStorage(program, *one).run() if kind == "shared" else program
                        if program:
                            yield program


def batches(items):
    items = iter(items)
    while batch := list(itertools.islice(items, BATCH)):
        yield batch


def check_batch(args, programs):
    """Yields (program, difference)."""
    with_truth = [(p, t) for p, t in run_isolated(truth_of, programs) if t and t[2]]
    steps = [s for p, t in with_truth for s in p.steps if s.name in t[0] or s.name in t[1]]
    whole = Program([i for p, _ in with_truth for i in p.inputs], steps)
    nodes = our_nodes(args.fakeprop, whole)
    for program, (snaps, errors, _) in with_truth:
        if difference := next(iter(differences(program, (snaps, errors), nodes, True)), None):
            yield program, difference


def check_batch_on_cuda(args, programs):
    """As check_batch, for what differs from all answers."""
    with_truths = [(p, t) for p, t in run_isolated(truths_on_cuda, programs) if t]
    steps = [s for p, truths in with_truths for s in p.steps if any(s.name in t[0] or s.name in t[1] for t in truths)]
    nodes = our_nodes(args.fakeprop, OnCuda(Program([i for p, _ in with_truths for i in p.inputs], steps)))
    for program, truths in with_truths:
        first = [next(iter(differences(program, t[:2], nodes, True)), None) for t in truths]
        if all(first):
            yield program, first[0]


def part_of(items, part):
    index, count = map(int, part.split("/"))
    return itertools.islice(items, index, None, count)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fakeprop", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--vary", default=",".join(VARIANTS))
    parser.add_argument("--all", action="store_true", help="vary all calls, not one of each rank and number of tensors")
    parser.add_argument("--grad", action="store_true", help="the inputs require grad")
    parser.add_argument("--show", type=int, default=1)
    parser.add_argument("--part", default="0/1", metavar="I/N", help="every N-th batch, from the I-th one on")
    parser.add_argument("--cuda", action="store_true", help="on cuda tensors")
    args = parser.parse_args()
    torch.set_num_threads(1)
    if args.cuda:
        move_to_cuda()
    found, count = collections.defaultdict(list), 0
    for batch in part_of(batches(programs_of(args)), args.part):
        count += len(batch)
        for program, difference in (check_batch_on_cuda if args.cuda else check_batch)(args, batch):
            found[program.steps[0].target, difference[1]].append((program, difference))
    for (target, field), cases in sorted(found.items(), key=lambda item: (item[0][1], item[0][0])):
        print(f"{len(cases)} {field} {target}")
        for program, (_, _, ours, eagers) in cases[:args.show]:
            print("   ", program.steps[0], "; ".join(str(i).partition(" = ")[2] for i in program.inputs))
            print(f"      ours {str(ours)[:150]}, eager {eagers}")
    print(f"{count} calls, {sum(map(len, found.values()))} differ in {len(found)} ways")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
