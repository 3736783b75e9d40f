#!/usr/bin/env python3
"""Records what eager PyTorch says of the calls of lib/rules/words.calls, which our own messages have to contain.

    $ tools/dev/truth/record_words.py --update     writes the installed PyTorch's words into the file
    $ tools/dev/truth/record_words.py              says which lines would change, and fails where any would

The calls are the source: add one as a line, and record. A line is `call -> words`: the first line of the message, without
the operator's name before it and the full stop after it.
"""

import argparse
import os
import re
import sys

from answers import eager_answer
from call_text import parse_call
from isolated import run_isolated
from record_calls import quiet

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../lib/rules/words.calls")


def words_of(text):
    """What PyTorch says, or None where it gives a result."""
    _, error = eager_answer(parse_call(text))
    if error is None:
        return None
    words = " ".join(str(error).strip().splitlines()[0].split())
    words = re.sub(r"^\"\w+\" (?=not implemented for)", "", words)
    return re.sub(r"^(torch\.)?[\w.]+(\(\))? ?: ", "", words).rstrip(".")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the words into the file")
    options = parser.parse_args()
    quiet()
    before = open(FILE).read().splitlines()
    calls = [line.partition(" -> ")[0] for line in before if line and not line.startswith("#")]
    after = [line for line in before if line.startswith("#")]
    after += [f"{call} -> {words}" for call, words in run_isolated(words_of, calls) if words]
    for line in sorted(set(after) - set(before)):
        print(line)
    if options.update:
        with open(FILE, "w") as out:
            out.write("\n".join(after) + "\n")
    elif after != before:
        sys.exit("PyTorch says something else now; --update writes it")


if __name__ == "__main__":
    main()
