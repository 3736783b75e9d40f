"""Values of printed expressions, PyTorch's and fakeprop's, at sizes."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "truth"))

from answers import telling_strides
from expressions import value_at

POINTS = 40  # candidates for each call


def at(values, point):
    """Sizes, and strides that address something, as numbers. Symbols of data get values in the order in which they come."""
    order = {}
    for name in re.findall(r"\b(?:u|zuf|zf)\d+\b", json.dumps(values)):
        order.setdefault(name, 5 + len(order))
    here = {**point, **order}
    out = []
    for kind, *rest in values:
        if kind == "number":
            out.append(value_at(rest[0], here))
            continue
        dtype, sizes, strides, offset = rest
        numbers = [value_at(d, here) for d in sizes]
        out.append((dtype, numbers, telling_strides(numbers, [value_at(d, here) for d in strides]), value_at(offset, here)))
    return out


def hold(guards, point):
    def true(guard):
        try:
            return bool(value_at(guard, {**point, **{f"u{i}": 5 + i for i in range(9)}}))
        except (ZeroDivisionError, ValueError, OverflowError):
            return False
    return all(true(g) for g in guards)


def candidates(hints, guards, rng):
    """Points around the hints; equal symbols stay equal."""
    group = {n: n for n in hints}

    def root(n):
        while group[n] != n:
            n = group[n]
        return n

    for guard in guards:
        match = re.fullmatch(r"Eq\((\w+), (\w+)\)", guard)
        if match and match[1] in group and match[2] in group:
            group[root(match[1])] = root(match[2])
    roots = sorted({root(n) for n in hints})
    changes = [lambda v: v + 1, lambda v: 2 * v, lambda v: max(2, v - 1), lambda v: v + 5, lambda v: 3 * v,
               lambda v: rng.randint(2, 9), lambda v: 2]
    for k in range(POINTS if roots else 0):
        some = rng.sample(roots, rng.randint(1, len(roots)))
        moved = {roots[k % len(roots)]} if k < 2 * len(roots) else set(roots) if k % 3 == 0 else set(some)
        change = changes[k % len(changes)]
        point = {r: change(hints[r]) if r in moved else hints[r] for r in roots}
        yield {n: point[root(n)] for n in hints}
