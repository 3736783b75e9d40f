#!/usr/bin/env python3
"""What PyTorch answers to the calls of a rule family's test table.

Reads call texts (lib/rules/testing/call_text.h), as arguments or one a line on stdin, runs each under FakeTensorMode on
fake tensors of that layout, and prints the rows of the table:

    $ tools/dev/truth/record_calls.py 't(f32[2,3])'
    {"t(f32[2,3])", "view(0) f32[3,2]{1,3}"},

An error has no class here: its row ends in PyTorch's message, from which the writer of the test chooses ours.
--eager runs the calls on real cpu tensors instead; --both adds a comment where the two differ. Other lines that are
no calls (comments, blank ones, braces) pass through, and a row of an existing table is recorded anew.

--lines prints answers for programs to compare, thousands of calls a minute, each in a process that may crash:

    add.Tensor(f32[2], f32[]) -> f32[2]
    rrelu(f32[2,3]{1,2}) -> f32[2,3] | f32[2,3]{1,2}           what FakeTensorMode and eager give, where they differ
    mm(f32[2,3], f32[2,3]) -> !RuntimeError: a and b must ...  an error of both
    item(f32[]) -> !DataDependentOutputException: ... | 1.0     an error of FakeTensorMode alone; or of eager alone

There, strides that address nothing are written as if contiguous, and writes are left out. Calls whose answer tells
nothing are left out: a crash of the eager kernel, fake cuda that would need a CUDA build.
"""

import argparse
import logging
import re
import sys
import warnings

from answers import eager_answer, error_line, fake_answer
from call_text import parse_call
from isolated import run_isolated

# Messages of code that asks for a device's library: this build of PyTorch has none.
NEEDS_CUDA_BUILD = re.compile(r"CUDA|[Cc]uda|NVIDIA|nvidia|HIP|Triton|triton|fallback")
# Messages of FakeTensorMode's own code where it calls an operator wrongly.
WRONG_CALL = re.compile(r"unexpected keyword argument|expected at most \d+ argument")


def side(text, error):
    return text if error is None else "!" + error_line(error).replace(" | ", " / ")


def answer_line(text):
    """`call -> answer`, or None where PyTorch's answer tells nothing."""
    call = parse_call(text)
    on_cpu = "cuda" not in text
    effects, error = fake_answer(call, telling_only=True, allow_fallback_kernels=on_cpu)
    fake = side(effects, error)
    if not on_cpu:
        return f"{text} -> {fake}" if tells_of_cuda(call, error) else None
    eager = side(*eager_answer(call, telling_only=True))
    same = fake == eager or fake[0:1] == "!" == eager[0:1]
    return f"{text} -> {eager if same else fake + ' | ' + eager}"


def tells_of_cuda(call, error):
    """Whether FakeTensorMode's answer stands for a CUDA build's: no eager kernel is here to ask."""
    if error is None:
        # It lets pass what kernels refuse; a kernel for cpu refuses most of that as well.
        return eager_answer(call.mapped(lambda t: t.replaced(device="cpu")))[1] is None
    if type(error).__name__ == "UnsupportedOperatorException":
        return False
    if WRONG_CALL.search(str(error)):
        return False
    # A mismatch of devices names cuda too, and is an answer.
    return "same device" in str(error) or not NEEDS_CUDA_BUILD.search(str(error))


def outcome(text, eager):
    """The effects, or "!" and the message."""
    call = parse_call(text)
    effects, error = eager_answer(call) if eager else fake_answer(call)
    return (effects, "") if error is None else ("!", error_line(error))


def row(text, options):
    effects, message = outcome(text, options.eager)
    line = '    {"%s", "%s"},' % (text.replace('"', '\\"'), effects)
    if message:
        line += f"  // {message}"
    if options.both and "cuda" not in text:
        eager, eager_message = outcome(text, eager=True)
        if eager != effects:
            line += f"  // eager: {eager} {eager_message}".rstrip()
    return line


def quiet():
    logging.disable(logging.ERROR)  # FakeTensorMode logs every error that it raises
    warnings.simplefilter("ignore")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calls", nargs="*")
    parser.add_argument("--eager", action="store_true", help="real cpu tensors instead of fakes")
    parser.add_argument("--both", action="store_true", help="fakes, and a comment where eager differs")
    parser.add_argument("--lines", action="store_true", help="`call -> answer` for programs")
    options = parser.parse_args()
    quiet()
    lines = options.calls or [line.rstrip("\n") for line in sys.stdin]
    if options.lines:
        calls = [line.split(") -> ")[0] + ")" if ") -> " in line else line for line in lines if "(" in line]
        for _, answer in run_isolated(answer_line, calls):
            if answer:
                print(answer)
        return
    for line in lines:
        old_row = re.match(r'\s*\{"((?:[^"\\]|\\.)*)",', line)
        text = old_row.group(1).replace('\\"', '"') if old_row else line.strip()
        print(row(text, options) if re.match(r"[\w.:]+\(.*\)$", text) else line)


if __name__ == "__main__":
    main()
