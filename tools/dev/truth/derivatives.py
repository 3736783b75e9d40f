#!/usr/bin/env python3
"""Writes tools/dev/truth/derivatives.md, a part of docs/parity.md: gradients on fakes and on real tensors.

    $ bazel run //lib/fuzzer:derivatives > /tmp/derivatives
    $ tools/dev/truth/derivatives.py /tmp/derivatives        needs PyTorch, whose formulas it lists

The operators are those of derivatives.yaml. --list prints the calls that do not agree.
"""
import argparse
import collections
import pathlib
import re

import torchgen

PAGE = pathlib.Path(__file__).resolve().parent / "derivatives.md"
YAML = pathlib.Path(torchgen.__file__).parent / "packaged/autograd/derivatives.yaml"
DEVICES = ("cpu", "cuda:0", "xpu:0")

# Why no call of an operator agrees: the first pattern that its name matches.
REASONS = []


def formulas():
    """The operators with a formula: "aten::abs"."""
    return ["aten::" + name for name in re.findall(r"^- name: ([\w.]+)\(", YAML.read_text(), re.MULTILINE)]


def read(path):
    """Verdicts by operator and device: [(verdict, call, what)]."""
    verdicts = collections.defaultdict(list)
    for line in pathlib.Path(path).read_text().splitlines():
        op, device, verdict, call, what = (line.split("\t") + [""])[:5]
        for one in DEVICES if device == "all" else (device,):
            verdicts[op, one].append((verdict, call, what))
    return verdicts


def reason_of(op):
    """The reason why an operator is unserved."""
    name = op.removeprefix("aten::")
    return next((reason for pattern, reason in REASONS if re.fullmatch(pattern, name)), None)


def state_of(verdicts):
    """In one word, how the calls of an operator fare."""
    if not verdicts:
        return "not called"
    kinds = {verdict for verdict, _, _ in verdicts}
    if kinds == {"agree"}:
        return "agrees"
    return "agrees in some calls" if "agree" in kinds else "unserved"


def names_text(ops):
    """The operators in a sentence."""
    return ", ".join(f"`{op.removeprefix('aten::')}`" for op in sorted(ops))


def page(ops, verdicts):
    """The part of the page."""
    states = {device: {op: state_of(verdicts[op, device]) for op in ops} for device in DEVICES}
    called = [op for op in ops if states["cpu"][op] != "not called"]
    calls = sum(len(verdicts[op, "cpu"]) for op in ops)
    lines = ["## Gradients on fakes", "",
             f"`lib/fuzzer:derivatives` runs {calls} calls forward and backward, on fakes and on real cpu tensors. They are of "
             f"{len(called)} of the {len(ops)} operators with a formula in derivatives.yaml. Compared are sizes, dtypes and "
             "`requires_grad` of results and gradients, the device of the gradients, and strides on the cpu.", "",
             "| fakes on | operators | every call agrees | some calls agree | unserved |", "|---|---|---|---|---|"]
    for device in DEVICES:
        count = collections.Counter(states[device][op] for op in called)
        lines.append(f"| {device} | {len(called)} | {count['agrees']} | {count['agrees in some calls']} | {count['unserved']} |")
    partly = {op for device in DEVICES for op in called if states[device][op] == "agrees in some calls"}
    unserved = {op for device in DEVICES for op in called if states[device][op] == "unserved"}
    lines += ["", f"Some calls agree: {names_text(partly)}.", "", "Unserved on some device:", ""]
    reasons = collections.defaultdict(list)
    for op in unserved:
        reasons[reason_of(op) or "no reason yet"].append(op)
    lines += [f"- {names_text(some)}: {reason}." for reason, some in sorted(reasons.items())]
    missing = [op for op in ops if states["cpu"][op] == "not called"]
    lines += ["", f"No call of these requires grad on the cpu, or runs there: {names_text(missing)}.", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verdicts", help="what //lib/fuzzer:derivatives printed")
    parser.add_argument("--list", action="store_true", help="print the calls that do not agree")
    options = parser.parse_args()
    verdicts, ops = read(options.verdicts), formulas()
    if options.list:
        for op in ops:
            for device in DEVICES:
                for verdict, call, what in verdicts[op, device]:
                    if verdict != "agree":
                        print(f"{op} {device} {verdict}: {call}\n    {what[:300]}")
        return
    PAGE.write_text(page(ops, verdicts))


if __name__ == "__main__":
    main()
