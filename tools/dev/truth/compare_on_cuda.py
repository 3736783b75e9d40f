#!/usr/bin/env python3
"""fakeprop's annotations on cuda:0 against what the graphs of models_on_cuda.py returned on a card.

    $ tools/dev/truth/compare_on_cuda.py --fakeprop bazel-bin/tools/fakeprop answers.json GRAPH...

Compares sizes, dtype, device and the strides that address something, of every tensor of every node that ran. Prints the
differences, and counts them by operator.
"""
import argparse
import collections
import json
import pathlib
import subprocess


def is_contiguous_like(sizes, strides, other):
    """Whether strides and other address the same elements: sizes of 1, and empty tensors, tell nothing."""
    return 0 in sizes or all(size == 1 or a == b for size, a, b in zip(sizes, strides, other))


def tensors_of_annotation(value):
    if isinstance(value, dict):
        return [value] if value.get("type") == "tensor" else [None]
    return [t for v in value for t in tensors_of_annotation(v)] if isinstance(value, list) else [None]


def tensors_of_answer(value):
    if value is None:
        return [None]
    if len(value) == 4 and isinstance(value[2], str):
        return [value]
    return [t for v in value for t in tensors_of_answer(v)]


def are_equal(ours, theirs):
    sizes, strides, dtype, device = theirs
    if ours["shape"] != sizes or ours["dtype"] != dtype or ours["device"] != device:
        return False
    return is_contiguous_like(sizes, strides, ours["stride"])


def compare(binary, path, answer):
    """(number of tensors compared, [(node, target, what a card gave, ours)])"""
    run = subprocess.run([binary, "propagate", path, "--device", "cuda:0", "--torch-build", "cuda", "--keep-going"],
                         capture_output=True, text=True)
    count, different = 0, []
    for node in json.loads(run.stdout)["nodes"]:
        if node["name"] not in answer["nodes"] or "error" in node or "meta" not in node:
            continue
        theirs = tensors_of_answer(answer["nodes"][node["name"]])
        ours = tensors_of_annotation(node["meta"].get("val"))
        for a, b in zip(ours, theirs):
            if a is None or b is None:
                continue
            count += 1
            if not are_equal(a, b):
                different.append((node["name"], node["target"], b, [a["shape"], a["stride"], a["dtype"], a["device"]]))
    return count, different


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fakeprop", required=True)
    parser.add_argument("answers")
    parser.add_argument("graphs", nargs="+")
    options = parser.parse_args()
    answers = json.loads(pathlib.Path(options.answers).read_text())
    total, by_target, equal = 0, collections.Counter(), 0
    for path in options.graphs:
        answer = answers["graphs"].get(pathlib.Path(path).name)
        if not answer or not answer["nodes"]:
            continue
        count, different = compare(options.fakeprop, path, answer)
        total += count
        equal += not different
        by_target.update(target for _, target, _, _ in different)
        for name, target, theirs, ours in different:
            print(f"{pathlib.Path(path).name} {name} {target}\n  card {theirs}\n  ours {ours}")
    print(f"{total} tensors on {answers['device']}, torch {answers['torch']}: {sum(by_target.values())} differ; "
          f"{equal} graphs without a difference")
    for target, count in by_target.most_common():
        print(f"{count:6} {target}")


if __name__ == "__main__":
    main()
