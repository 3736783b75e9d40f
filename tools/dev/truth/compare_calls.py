#!/usr/bin/env python3
"""fakeprop's answers to operator calls against PyTorch's.

Reads the lines that `record_calls.py --lines` printed, has //lib/libtorch_fallback:served answer the same calls, and prints those that
differ, grouped by operator, and a summary:

    $ bazel build //lib/libtorch_fallback:served
    $ tools/dev/truth/compare_calls.py bazel-bin/lib/libtorch_fallback/served answers.txt

An answer is right when it is FakeTensorMode's or eager's; where PyTorch raises, when it is an error that says why
(UnsupportedOperator and Internal never do); where one of the two alone raises (`raise`: FakeTensorMode, `lax`: eager),
when it is the other's value or such an error.
"""

import argparse
import collections
import subprocess
import sys

NO_REASON = ("!UnsupportedOperator", "!Internal", "!crash", "no rule", "no schema")


def split_line(line):
    """call, FakeTensorMode's answer, eager's answer; the last two are the same where the line has one."""
    call, _, answers = line.partition(") -> ")
    fake, bar, eager = answers.partition(" | ")
    return call + ")", fake, eager if bar else fake


def kind_of(call, fake, eager):
    if "cuda" in call:
        return "cudaerror" if fake[:1] == "!" else "cuda"
    if fake[:1] == "!":
        return "error" if eager[:1] == "!" else "raise"
    return "lax" if eager[:1] == "!" else "value"


def comparable(text):
    return text.replace("alias(", "view(")


def is_right(kind, got, fake, eager):
    if got.startswith("!") or got.startswith("no "):
        return kind in ("error", "cudaerror", "raise", "lax") and not got.startswith(NO_REASON)
    values = [comparable(v) for v in (fake, eager) if v[:1] != "!"]
    return comparable(got) in values


def answers_of(binary, calls):
    """Our answers in order; a call that ends the process is answered `!crash`."""
    done = 0
    while done < len(calls):
        process = subprocess.run([binary], input="\n".join(calls[done:]) + "\n", capture_output=True, text=True)
        lines = process.stdout.splitlines()
        for line in lines:
            yield line.partition(") -> ")[2]
        done += len(lines)
        if done < len(calls):
            if not lines and process.returncode == 1:
                sys.exit(process.stderr)
            yield "!crash"
            done += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("served", help="the binary //lib/libtorch_fallback:served")
    parser.add_argument("answers", help="PyTorch's answers")
    parser.add_argument("--summary", help="write the summary here instead of behind the mismatches")
    options = parser.parse_args()
    rows = [split_line(line.rstrip("\n")) for line in open(options.answers)]
    counts, wrong = collections.Counter(), collections.Counter()
    by_operator = collections.defaultdict(list)
    for (call, fake, eager), got in zip(rows, answers_of(options.served, [r[0] for r in rows])):
        kind = kind_of(call, fake, eager)
        counts[kind] += 1
        if is_right(kind, got, fake, eager):
            continue
        wrong[kind] += 1
        wanted = fake if fake == eager else f"{fake} | {eager}"
        by_operator[call.partition("(")[0]].append((kind, call, wanted, got))
    groups = sorted(by_operator.items(), key=lambda item: (-len(item[1]), item[0]))
    for name, cases in groups:
        print(f"# {name}: {len(cases)}")
        for kind, call, wanted, got in cases:
            print(f"{kind}\t{call}\twant {wanted}\tgot {got}")
    with open(options.summary, "w") if options.summary else sys.stdout as out:
        print(f"{len(rows)} calls of {len({r[0].partition('(')[0] for r in rows})} overloads", file=out)
        for kind in sorted(counts):
            right = counts[kind] - wrong[kind]
            print(f"{kind}: {right}/{counts[kind]} = {100 * right / counts[kind]:.2f}%", file=out)
        for name, cases in groups:
            kinds = collections.Counter(c[0] for c in cases)
            print(f"{name}: {len(cases)} ({', '.join(f'{k} {n}' for k, n in sorted(kinds.items()))})", file=out)


if __name__ == "__main__":
    main()
