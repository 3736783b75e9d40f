#!/usr/bin/env python3
"""Operator calls by the thousand, from PyTorch's own tests, as call texts (lib/rules/testing/call_text.h).

Runs the sample inputs of PyTorch's OpInfos and ModuleInfos, their backward passes and error inputs, and writes down every
aten overload that is called beneath, composite ones included. From these it makes calls of the siblings (in-place, out=,
_copy, with a number for a tensor) and variants: other strides, dtypes, ranks, sizes, devices, dims. Overloads that no
sample reaches are called with arguments made from their schemas.

    $ tools/dev/truth/sample_calls.py --seed 7 > calls.txt
    $ tools/dev/truth/record_calls.py --lines < calls.txt > answers.txt

The same seed gives the same calls. --ops takes a regular expression for names of overloads, --samples one for names of
OpInfos. Needs numpy, scipy and expecttest.
"""

import argparse
import collections
import random
import re
import sys

import torch

from call_text import NoText, find_operator, parse_call
from call_variants import siblings, variants
from isolated import run_isolated
from record_calls import quiet
from sample_schemas import calls_by_schema

MODULES_NEEDED = ("numpy", "scipy", "expecttest")


def require_modules():
    missing = []
    for name in MODULES_NEEDED:
        try:
            __import__(name)
        except ImportError:
            missing.append(name)
    if missing:
        sys.exit(f"sample_calls.py: PyTorch's sample inputs need {', '.join(missing)}: pip install {' '.join(missing)}")


def aten_overloads():
    """The names of all aten overloads, as call texts write them."""
    names = []
    for full in torch._C._dispatch_get_all_op_names():
        if full.startswith("aten::"):
            packet, _, overload = full[len("aten::"):].partition(".")
            names.append(packet + ("." + overload if overload else ""))
    return sorted(n for n in names if callable_overload(n))


def callable_overload(name):
    try:
        find_operator(name)
        return True
    except (AttributeError, RuntimeError):
        return False


class Pool:
    """Distinct calls by overload."""

    def __init__(self):
        self.texts = collections.defaultdict(dict)  # name -> {text: None}, in the order of arrival

    def add(self, text):
        self.texts[text.partition("(")[0]].setdefault(text)

    def choose(self, rng, name, count):
        texts = list(self.texts[name])
        return rng.sample(texts, min(count, len(texts)))


def record_samples(options, rng):
    """The calls that PyTorch's samples make."""
    from samples import recorded_calls, sample_sources
    sources = [s for s in sample_sources() if re.search(options.samples, s.name)]
    jobs = [(source, rng.random()) for source in sources]
    pool = Pool()
    for (source, _), texts in run_isolated(lambda job: recorded_calls(*job), jobs):
        if texts is None:
            print(f"sample_calls.py: the samples of {source.name} end the process", file=sys.stderr)
        for text in texts or []:
            pool.add(text)
    return pool


def spread(pool, names, options, rng):
    """The calls of each overload: recorded ones, those of its siblings, variants of both."""
    derived = Pool()
    for name in sorted(pool.texts):
        for text in pool.choose(rng, name, options.limit):
            for sibling in siblings(parse_call(text), names, rng):
                derived.add(sibling)
    chosen = Pool()
    for name in sorted(set(pool.texts) | set(derived.texts)):
        if not re.search(options.ops, name):
            continue
        own = pool.choose(rng, name, options.limit) or derived.choose(rng, name, options.limit)
        for text in own:
            chosen.add(text)
        for _ in range(options.variants):
            variant = variants(parse_call(rng.choice(own)), rng)
            if variant:
                chosen.add(variant)
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ops", default="", help="overloads whose name this matches")
    parser.add_argument("--samples", default="", help="OpInfos and ModuleInfos whose name this matches")
    parser.add_argument("--limit", type=int, default=4, help="calls of one overload as recorded")
    parser.add_argument("--variants", type=int, default=6, help="variants of one overload's calls")
    options = parser.parse_args()
    require_modules()
    quiet()
    rng = random.Random(options.seed)
    names = aten_overloads()
    chosen = spread(record_samples(options, rng), names, options, rng)
    unreached = [n for n in names if n not in chosen.texts and re.search(options.ops, n)]
    for _, texts in run_isolated(lambda name: calls_by_schema(name, options.limit, options.seed), unreached):
        for text in texts or []:
            chosen.add(text)
    for name in sorted(chosen.texts):
        for text in chosen.texts[name]:
            print(text)


if __name__ == "__main__":
    main()
