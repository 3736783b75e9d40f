"""Differences from eager that are on purpose, each with its reason."""


def is_explained(program, key, difference):
    """The reason; None if there is none."""
    target, field, words = key
    if field == "value" and "FP3003" in words:
        return "no rule, and no kernel of LibTorch for metadata"
    return None
