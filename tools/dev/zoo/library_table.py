#!/usr/bin/env python3
"""Writes docs/zoo.md from the lines of check_libraries.py: library_table.py RESULTS

Differences where eager does not agree with us need a reason in library_verdicts.py; without one they are counted as open.
"""

import collections
import json
import pathlib
import sys

import library_verdicts

ROOT = pathlib.Path(__file__).resolve().parents[3]
FORMS = {
    "export": "torch.export, static", "cuda": "the same graph with fake cuda tensors", "dynamic": "torch.export, every size dynamic that can be",
    "train": "torch.export in training mode", "joint": "torch.export with a loss and its backward graph", "make_fx": "make_fx",
    "symbolic_trace": "torch.fx.symbolic_trace", "trace": "torch.jit.trace", "script": "torch.jit.script",
}
HEAD = """# Models of other libraries

Models of PyPI's libraries, most of them small, with random weights, were captured in {forms} forms, and every value of every
graph was compared with PyTorch's: {models} models of {libraries} libraries, {graphs} graphs, {values:,} values. {sentence}
`tools/dev/zoo/check_libraries.py` does this by hand; `tools/dev/zoo/library_table.py` writes this page; do not edit.

    python3 tools/dev/zoo/check_libraries.py bazel-bin/tools/fakeprop --results results.jsonl
    python3 tools/dev/zoo/library_table.py results.jsonl

Each value is compared with FakeTensorProp's (in dynamic graphs: with what torch.export recorded; in TorchScript: with a run)
and, on the cpu, with a run of the same graph on real tensors: shape, strides, dtype, device, storage offset, requires_grad, and
which tensors share storage. Strides of dimensions of size 1, and those of empty tensors, do not count. Where FakeTensorProp and
eager differ, eager decides. A model of which PyTorch makes no graph in a form, or whose graph FakeTensorProp cannot run (on a
machine without a GPU: some of cuda), does not count in that form. Not every model was run in every form. PyTorch {torch}.
"""


def lines_of(path):
    """The last line for each model and form."""
    lines = map(json.loads, pathlib.Path(path).read_text().splitlines())
    return {(line["library"], line["model"], line["form"]): line for line in lines}.values()


def is_captured(line):
    return line["verdict"] != "none"


def open_rows(line):
    """What is wrong with a line and has no reason."""
    if line["verdict"] == "refused":
        return [] if library_verdicts.reason(line, None) else [line["reason"]]
    return [row for row in line.get("wrong", []) if not library_verdicts.reason(line, row)]


def explained(lines):
    counts = collections.Counter()
    for line in lines:
        rows = line.get("wrong", []) if line["verdict"] == "wrong" else [None] if line["verdict"] == "refused" else []
        counts.update({text for row in rows if (text := library_verdicts.reason(line, row))})
    return counts


def table_of_forms(lines):
    yield "| form | graphs | PyTorch has none, or no answer | values | graphs where FakeTensorProp differs from eager, and we do not |"
    yield "|---|---|---|---|---|"
    for form, text in FORMS.items():
        mine = [line for line in lines if line["form"] == form]
        captured = [line for line in mine if is_captured(line)]
        values, eager = sum(line.get("values", 0) for line in captured), sum(bool(line.get("as_eager")) for line in captured)
        yield f"| {text} | {len(captured)} | {len(mine) - len(captured)} | {values:,} | {eager or ''} |"


def table_of_libraries(lines):
    yield "| library | models | graphs | values | open |"
    yield "|---|---|---|---|---|"
    by_library = collections.defaultdict(list)
    for line in lines:
        if is_captured(line):
            by_library[line["version"]].append(line)
    for version, mine in sorted(by_library.items(), key=lambda item: item[0].lower()):
        models = sorted({line["model"] for line in mine})
        wrong = sum(bool(open_rows(line)) for line in mine)
        yield f"| {version} | {', '.join(models)} | {len(mine)} | {sum(line.get('values', 0) for line in mine):,} | {wrong or ''} |"


def page(lines):
    captured = [line for line in lines if is_captured(line)]
    wrong = [line for line in captured if open_rows(line)]
    sentence = f"In {len(wrong)} graphs a difference is not explained." if wrong else "No difference is without an explanation."
    yield HEAD.format(forms=len(FORMS), models=len({(line["library"], line["model"]) for line in captured}), libraries=len({line["library"] for line in captured}),
                      graphs=len(captured), values=sum(line.get("values", 0) for line in captured), sentence=sentence, torch=library_verdicts.TORCH)
    yield "## Forms\n"
    yield from table_of_forms(lines)
    yield "\n## Where we differ\n"
    yield "| graphs | what, and why |\n|---|---|"
    for text, count in explained(captured).most_common():
        yield f"| {count} | {text} |"
    yield "\n## Libraries\n"
    yield from table_of_libraries(lines)


def main():
    lines = sorted(lines_of(sys.argv[1]), key=lambda line: (line["library"], line["model"], line["form"]))
    (ROOT / "docs" / "zoo.md").write_text("\n".join(page(lines)) + "\n")
    for line in lines:
        for row in open_rows(line)[:2]:
            print(line["library"], line["model"], line["form"], json.dumps(row)[:600])


if __name__ == "__main__":
    main()
