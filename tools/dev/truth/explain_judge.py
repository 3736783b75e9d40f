#!/usr/bin/env python3
"""Differences that the judge found, put to FakeTensorMode.

Reads what long runs of //lib/fuzzer printed, asks PyTorch the same calls, and prints a line for lib/rules/compare/meant.txt
for each topic ("aten::op cpu") of which every call is answered by FakeTensorMode as by us. What is left goes to stderr, with
all answers.

    $ bazel build //lib/libtorch_fallback:served
    $ tools/dev/truth/explain_judge.py bazel-bin/lib/libtorch_fallback/served run1.txt run2.txt > lines.txt

Differences in what requires grad are autograd's, and never explained here.
"""

import collections
import sys

from compare_calls import NO_REASON, answers_of, comparable, split_line
from isolated import run_isolated
from known_differences import KnownDifference, line_of
from record_calls import answer_line, quiet


def findings(paths):
    """Topic -> the calls that differ."""
    topics = collections.defaultdict(set)
    for path in paths:
        for line in open(path):
            fields = line.rstrip("\n").removeprefix("open: ").split("\t")
            if len(fields) > 1:
                topics[fields[0]].add(fields[1].partition(": ")[2])
    return topics


def agree(ours, fake):
    if ours.startswith("!") or fake.startswith("!"):
        return ours[:1] == fake[:1] and not ours.startswith(NO_REASON)
    return comparable(ours) == comparable(fake)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    quiet()
    topics = findings(sys.argv[2:])
    calls = sorted(set().union(*topics.values()))
    recorded = {call: split_line(line)[1:] for call, line in run_isolated(answer_line, calls) if line}
    ours = dict(zip(calls, answers_of(sys.argv[1], calls)))
    for topic in sorted(topics):
        is_grad = topic.endswith(" grad")
        left = [c for c in sorted(topics[topic]) if is_grad or c not in recorded or not agree(ours[c], recorded[c][0])]
        if not left:
            print(line_of(KnownDifference(*topic.split(" "), "some-calls", "as FakeTensorMode")))
        for call in left:
            print(topic, call, ours[call], *recorded.get(call, ["no answer"]), sep="\t", file=sys.stderr)


if __name__ == "__main__":
    main()
