#!/usr/bin/env python3
"""Records PyTorch's answers to the calls of testdata/ops/ anew.

    $ tools/dev/truth/record_ops.py --update     writes the installed PyTorch's answers into the files
    $ tools/dev/truth/record_ops.py              says which lines would change, and fails where any would

The calls are the source: add one as a line without an answer, and record. The lines are those of `record_calls.py --lines`.
A call that the installed PyTorch has no answer to (a crash, an operator that it lacks) is named and left as it is.
"""

import argparse
import glob
import os
import sys

from isolated import run_isolated
from record_calls import answer_line, quiet

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../testdata/ops")
MESSAGE = 100  # characters of an error's message that are kept


def call_of(line):
    return line.partition(") -> ")[0] + ")" if ") -> " in line else line


def shortened(answer):
    """Error messages cut: they are there for the reader."""
    return " | ".join(side[:MESSAGE] if side[:1] == "!" else side for side in answer.split(" | "))


def recorded(lines):
    """The lines with PyTorch's answers, sorted; comments stay at the top."""
    comments = [line for line in lines if line.startswith("#")]
    calls = sorted({call_of(line): line for line in lines if line and not line.startswith("#")}.items())
    answered = []
    for (call, before), (_, line) in zip(calls, run_isolated(answer_line, [call for call, _ in calls])):
        if line is None:
            print(f"no answer: {call}", file=sys.stderr)
            answered.append(before)
            continue
        answer = line[len(call) + len(" -> "):]
        answered.append(f"{call} -> {shortened(answer)}")
    return comments + answered


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the answers into the files")
    parser.add_argument("files", nargs="*", help="instead of all of testdata/ops/*.calls")
    options = parser.parse_args()
    quiet()
    changed = 0
    for path in options.files or sorted(glob.glob(os.path.join(FOLDER, "*.calls"))):
        before = open(path).read().splitlines()
        after = recorded(before)
        for line in sorted(set(after) - set(before)):
            print(f"{os.path.basename(path)}: {line}")
            changed += 1
        if options.update:
            with open(path, "w") as out:
                out.write("\n".join(after) + "\n")
    if changed and not options.update:
        sys.exit(f"{changed} lines differ from what PyTorch answers now; --update writes them")


if __name__ == "__main__":
    main()
