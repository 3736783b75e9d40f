#!/usr/bin/env python3
"""Gives fakeprop the graphs of capture_libraries.py and compares each value with PyTorch's; by hand. Needs no torch.

    judge_libraries.py FAKEPROP FOLDER

Writes FOLDER/results.jsonl, a line for each model and form, and prints what is wrong; exits with 1 where something is.
library_table.py makes docs/zoo.md of the lines.
"""

import json
import pathlib
import sys

import library_judge


def detail(line):
    """What matters most of a line, in short."""
    return json.dumps(line["wrong"][0])[:300] if line["verdict"] == "wrong" else line["reason"][:300]


def main():
    fakeprop, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    lines = [library_judge.judge(fakeprop, path.parent) for path in sorted(folder.glob("*/*/capture.json"))]
    (folder / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    bad = [line for line in lines if line["verdict"] in ("wrong", "refused")]
    for line in bad:
        print(line["library"], line["model"], line["form"], line["verdict"], detail(line))
    print(f"{len(bad)} of {len(lines)} forms wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
