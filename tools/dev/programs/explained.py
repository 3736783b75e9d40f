"""Differences from eager that are on purpose, each with its reason."""

import re

from program import mapped
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
    read = {ref.name for ref in steps[difference[0]].refs()} if difference[0] in steps else set()
    if read & {name for s in program.steps if s.name in errors for name in outs_of(s)}:
        return "an out tensor with elements keeps its sizes where its operator failed; eager may have resized it before"
    return None


def outs_of(step):
    """The names of the values that the step is given as out tensors."""
    if step.target.startswith(("_operator.", "torch.")):
        return []
    outs = {a.name for a in find_operator(step.target)._schema.arguments if a.is_out}
    found = []
    mapped([v for k, v in step.kwargs.items() if k in outs], lambda ref: found.append(ref.name))
    return found
