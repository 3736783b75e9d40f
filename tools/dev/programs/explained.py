"""Differences from eager that are on purpose, each with its reason."""

import re

CHANGES_METADATA = re.compile(r"(t|transpose|squeeze|unsqueeze|swapaxes|as_strided|resize|resize_as|set|detach)_(\.|$)")


def is_explained(program, key, difference):
    """The reason; None if there is none."""
    _, field, words = key
    if field == "value" and words.startswith("UnsupportedOperator"):
        return "no rule, and no kernel of LibTorch for metadata"
    failed = next((s for s in program.steps if s.name == difference[2]), None) if field == "value" else None
    if failed and CHANGES_METADATA.match(failed.target):
        return "what a failed t_, resize_ or set_ makes of a tensor counts as unknown"
    if failed and "out" in failed.target:
        return "an out tensor without elements counts as unknown where its operator failed"
    return None
