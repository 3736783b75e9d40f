#!/usr/bin/env python3
"""Records what eager PyTorch says of calls that it refuses.

    $ tools/dev/truth/record_words.py --update     writes the installed PyTorch's words into the files
    $ tools/dev/truth/record_words.py              says which lines would change, and fails where any would

The calls are the source: add one as a line, and record. A line is `call -> words`, with the first line of the message:

* lib/rules/words.calls: without the operator's name before it and the full stop after it. The messages of the rules
  have to contain these words.
* lib/libtorch_fallback/testing/eager_words.calls: the whole line. The program gets it from LibTorch's kernels.
"""

import argparse
import os
import re
import sys

from answers import eager_answer
from call_text import parse_call
from isolated import run_isolated
from record_calls import quiet

LIB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../lib")


def whole_words(text):
    """What PyTorch says, or None where it gives a result."""
    _, error = eager_answer(parse_call(text))
    return None if error is None else " ".join(str(error).strip().splitlines()[0].split())


def words_of(text):
    """The same without the operator's name and the full stop."""
    words = whole_words(text)
    if words is None:
        return None
    words = re.sub(r"^\"\w+\" (?=not implemented for)", "", words)
    return re.sub(r"^(torch\.)?[\w.]+(\(\))? ?: ", "", words).rstrip(".")


FILES = {f"{LIB}/rules/words.calls": words_of, f"{LIB}/libtorch_fallback/testing/eager_words.calls": whole_words}


def record(file, ask, update):
    """Prints the lines that change. Returns true if there are any."""
    before = open(file).read().splitlines()
    calls = [line.partition(" -> ")[0] for line in before if line and not line.startswith("#")]
    after = [line for line in before if line.startswith("#")]
    after += [f"{call} -> {words}" for call, words in run_isolated(ask, calls) if words]
    for line in sorted(set(after) - set(before)):
        print(line)
    if update:
        with open(file, "w") as out:
            out.write("\n".join(after) + "\n")
    return after != before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the words into the files")
    options = parser.parse_args()
    quiet()
    changed = [file for file, ask in FILES.items() if record(file, ask, options.update)]
    if changed and not options.update:
        sys.exit("PyTorch says something else now; --update writes it")


if __name__ == "__main__":
    main()
