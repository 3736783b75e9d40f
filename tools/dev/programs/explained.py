"""Differences from eager that are on purpose, each with its reason."""

import re

from program import Ref, mapped
from templates import find_operator

CHANGES_METADATA = re.compile(r"(t|transpose|squeeze|unsqueeze|swapaxes|as_strided|resize|resize_as|set|detach)_(\.|$)")


def why_explained(program, key, difference, errors):
    """The reason; None if there is none. `errors` are those of eager, by step."""
    _, field, words = key
    if field == "value" and words.startswith("UnsupportedOperator"):
        return "no rule, and no kernel of LibTorch for metadata"
    steps = {s.name: s for s in program.steps}
    failed = steps.get(difference[2]) if field == "value" else None
    if failed and CHANGES_METADATA.match(failed.target):
        return "what a failed t_, resize_ or set_ makes of a tensor counts as unknown"
    if failed and outs_of(failed):
        return "an out tensor without elements counts as unknown where its operator failed"
    if "takes statistics of" in words:
        return "a kernel that reads beyond the running statistics that it is given"
    same = written_names(program)
    read = {same.get(name, name) for name in read_by(steps, difference[0])}
    if read & {same.get(name, name) for s in program.steps if s.name in errors for name in outs_of(s)}:
        return "an out tensor with elements keeps its sizes where its operator failed; eager may have resized it before"
    return None


def read_by(steps, name):
    """The values that the step reads; the item of a list is read by the step that made the list."""
    step = steps.get(name)
    if step is None:
        return set()
    if step.target == "_operator.getitem":
        return read_by(steps, step.args[0].name)
    return {ref.name for ref in step.refs()}


def written_names(program):
    """{result: the value that the step wrote to and gave back}"""
    same = {}
    for step in program.steps:
        outs = outs_of(step) or written_in_place(step)
        if len(outs) == 1:
            same[step.name] = same.get(outs[0], outs[0])
    return same


def written_in_place(step):
    """The name of the value that a step like add_ writes to."""
    if step.target.startswith(("_operator.", "torch.")) or not find_operator(step.target)._schema.is_mutable:
        return []
    return [step.args[0].name] if step.args and isinstance(step.args[0], Ref) else []


def outs_of(step):
    """The names of the values that the step is given as out tensors."""
    if step.target.startswith(("_operator.", "torch.")):
        return []
    outs = {a.name for a in find_operator(step.target)._schema.arguments if a.is_out}
    found = []
    mapped([v for k, v in step.kwargs.items() if k in outs], lambda ref: found.append(ref.name))
    return found
