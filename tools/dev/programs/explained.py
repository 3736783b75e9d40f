"""Differences from eager that are on purpose, each with its reason."""

import re

import torch

from eager import run_program
from judge import cause
from program import mapped
from templates import LEAVES_BATCH, find_operator

# Operators with observers, which run or not by the data of two switches.
OBSERVERS = re.compile(r"_?fused_moving_avg_obs_(fq_helper|fake_quant)")
# Parts of our errors about calls of which eager's kernel says nothing.
BEYOND_MEMORY = {"takes statistics of": "a kernel that reads beyond the running statistics that it is given",
                 "running_mean should contain": "a kernel that reads beyond the running statistics that it is given",
                 "is not that of the weight": "a kernel that goes by kernel_size through the memory of a smaller weight"}
CHANGES_METADATA = re.compile(r"(t|transpose|squeeze|unsqueeze|swapaxes|swapdims|as_strided|resize|resize_as|set|detach)_(\.|$)")


def unexplained(program, found, truth):
    """(the first difference that nothing explains, the reasons of the others). `found` are all, in the order of the steps."""
    snapshots, errors = truth
    reasons, failed, different = [], failed_outs(program, errors), {}
    for difference in found:
        others = reached(program, failed, different, snapshots)
        reason = (why_explained(program, difference, same_tensors(snapshots), others)
                  or why_recorded(program, difference, failed, snapshots) or why_packed(program, difference, snapshots))
        if not reason:
            return difference, reasons
        reasons.append(reason)
        different.setdefault(difference[0], set()).update(written_by(program, difference[0]))
    return None, reasons


def why_explained(program, difference, same, reached_from_others):
    """The reason; None if there is none. `same`: as same_tensors gives it."""
    target, field, words = cause(program, difference)
    if field == "value" and words.startswith("UnsupportedOperator"):
        return "no rule, and no kernel of LibTorch for metadata"
    steps = {s.name: s for s in program.steps}
    if field == "error" and "q values must be in the range" in words and "scalar" not in target:
        return "the data of a tensor of probabilities is out of range"
    if field == "error" and "should not contain infs or NaNs" in words:
        return "the data of a matrix is not finite"
    if field in ("error", "value") and OBSERVERS.match(target) and "differentia" not in words:
        return "the data of its switches decides whether an observer looks at the tensors, and fails"
    if field == "value" and target.startswith("masked_fill") and "complex value" in words:
        return "eager stores a complex number that happens to be real; FakeTensorMode never does"
    if field == "value" and "negative paddings cut more than there is" in words:
        return "a padding that leaves a negative size: eager makes such a tensor if there is nothing in the other sizes"
    if field == "error" and "index_put" in target and "shape mismatch: value tensor" in words and has_mask(program, difference[0]):
        return "the data of a mask decides how many elements are written, and so which values fit"
    if field == "error" and target == "embedding_renorm_" and "more than one element" in words:
        return "the data of its rows decides whether it writes to any"
    if field in ("shape", "value") and loses_shape(steps, difference[0], same):
        return "a slow_conv_transpose leaves its input with a batch dimension, which its schema rules out"
    if field == "stride" and target == "max_pool1d":
        return "without gradients eager has another kernel; the strides are those of FakeTensorMode, which never runs it"
    if field.startswith("stride") and re.match(r"conv(_transpose)?3d", target) and any(i.dtype == torch.float16 for i in program.inputs):
        return "oneDNN serves convolutions of float16 volumes on processors that compute in it, and keeps channels_last there"
    if (maker := maker_of(steps, difference[0])) and reads_its_out(maker, same):
        return "an out tensor that is an operand too, or is given twice, gets its size before the kernel reads it, or after"
    failed = steps.get(difference[2]) if field == "value" else None
    if failed and CHANGES_METADATA.match(failed.target):
        return "what a failed t_, resize_ or set_ makes of a tensor counts as unknown"
    if failed and outs_of(failed):
        return "an out tensor without elements counts as unknown where its operator failed"
    for theirs, reason in BEYOND_MEMORY.items():
        if theirs in words:
            return reason
    if field == "error" and "dropout" in target and "bernoulli_scalar_cpu_" in words:
        return "torch 2.15 takes dropout of complex tensors, and fakeprop for all versions (docs/compatibility.md)"
    if difference[0] in reached_from_others:
        return ("follows from another difference, or from an out tensor whose operator failed: it keeps its sizes, but eager "
                "may have resized it before")
    return None


def why_recorded(program, difference, failed, snapshots):
    """The reason if the step reads a view of an out tensor whose form failed, and which shows what that left. `failed`: as
    failed_outs."""
    step = next((step for step in program.steps if step.name == difference[0]), None)
    shows = difference[1] == "requires_grad" or "must have a last dimension of size 2" in str(difference[3])
    if step is None or not shows:
        return None
    outs = storages(set().union(*failed.values()), snapshots)
    if not outs & storages({ref.name for ref in step.refs()}, snapshots):
        return None
    return "an out= form that fails may have resized or recorded an out tensor before, which views of it show"


def why_packed(program, difference, snapshots):
    """The reason if eager refuses the strides of a tensor without elements."""
    step = next((step for step in program.steps if step.name == difference[0]), None)
    if step is None or step.target != "view.dtype" or "self.stride(-1) must be 1" not in str(difference[3]):
        return None
    viewed = snapshots[step.args[0].name]
    return "a result without elements is packed, as in FakeTensorMode" if 0 in viewed["shape"] else None


def written_by(program, name):
    """The step's own value, and those that it writes to."""
    steps = [step for step in program.steps if step.name == name]
    return {name}.union(*([*outs_of(step), *written_in_place(step)] for step in steps))


def failed_outs(program, errors):
    """{step that failed: its out tensors}"""
    return {s.name: set(outs_of(s)) for s in program.steps if s.name in errors and outs_of(s)}


def reached(program, failed, different, snapshots):
    """The steps that read what others left, or what came of it: the out tensors of those that `failed`, and what is
    `different`, also by another view. Both are {step: values}."""
    same, of_steps, values, memory = same_tensors(snapshots), set(), set(), set()
    for step in program.steps:
        refs = {same.get(ref.name, ref.name) for ref in step.refs()}
        written = [*outs_of(step), *written_in_place(step)]
        if refs & values or storages(refs, snapshots) & memory:
            of_steps.add(step.name)
            values |= {same.get(name, name) for name in [step.name, *written]}
            memory |= storages(written, snapshots)
        left = {*failed.get(step.name, ()), *different.get(step.name, ())}
        values |= {same.get(name, name) for name in left}
        if step.name in different or step.name in failed:
            memory |= storages(written, snapshots)
    return of_steps


def storages(names, snapshots):
    seen = (snapshots.get(name) for name in names)
    return {snapshot["storage"] for snapshot in seen if isinstance(snapshot, dict)}


def has_mask(program, name):
    """Whether a mask is among the indices of the step."""
    step = next(step for step in program.steps if step.name == name)
    snapshots = run_program(program)[0]
    return any(snapshots[index]["dtype"] in ("bool", "uint8") for index in names_in(step.args[1]))


def loses_shape(steps, name, same):
    """Whether the step reads what a slow_conv_transpose was given before."""
    given = [s.args[0].name for s in steps.values() if LEAVES_BATCH.match(s.target) and s.args]
    return bool({same.get(n, n) for n in given} & {same.get(n, n) for n in read_by(steps, name)})


def maker_of(steps, name):
    """The step that made the value; for the item of a list, the one that made the list. None for inputs."""
    step = steps.get(name)
    return maker_of(steps, step.args[0].name) if step and step.target == "_operator.getitem" else step


def read_by(steps, name):
    """The values that the maker of this one reads."""
    maker = maker_of(steps, name)
    return {ref.name for ref in maker.refs()} if maker else set()


def reads_its_out(step, same):
    """Whether an out tensor of the step is one of its operands too, or the out tensor of two results."""
    outs = outs_of(step)
    read = [ref.name for ref in step.refs()]
    for out in outs:
        read.remove(out)
    written = {same.get(name, name) for name in outs}
    return len(written) < len(outs) or bool(written & {same.get(name, name) for name in read})


def same_tensors(snapshots):
    """{value: the first value that is the same tensor}"""
    first = {}
    return {name: first.setdefault(snapshot["object"], name)
            for name, snapshot in snapshots.items() if isinstance(snapshot, dict)}


def written_in_place(step):
    """The names of the values that a step like add_ or _foreach_add_ writes to."""
    if step.target.startswith(("_operator.", "torch.")) or not find_operator(step.target)._schema.is_mutable:
        return []
    return names_in(step.args[:1])


def outs_of(step):
    """The names of the values that the step is given as out tensors."""
    if step.target.startswith(("_operator.", "torch.")):
        return []
    outs = [a.name for a in find_operator(step.target)._schema.arguments if a.is_out]
    return names_in([step.kwargs[name] for name in outs if name in step.kwargs])


def names_in(arguments):
    found = []
    mapped(arguments, lambda ref: found.append(ref.name))
    return found
