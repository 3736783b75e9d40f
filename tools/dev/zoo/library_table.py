#!/usr/bin/env python3
"""Writes docs/zoo.md from the lines of judge_libraries.py: library_table.py RESULTS

Differences where eager does not agree with us need a reason in library_verdicts.py; without one they are counted as open.
"""

import collections
import json
import pathlib
import string
import sys

import library_verdicts

ROOT = pathlib.Path(__file__).resolve().parents[3]
FORMS = {
    "export": "torch.export, static", "cuda": "the same graph with fake cuda tensors", "decomposed": "torch.export, decomposed to core ATen",
    "dynamic": "torch.export, every size dynamic that can be", "train": "torch.export in training mode", "joint": "torch.export with a loss and its backward graph",
    "joint_cuda": "the same graph with fake cuda tensors", "aot": "AOTAutograd's joint graph of a loss", "make_fx": "make_fx",
    "step": "make_fx of a step of training: loss, gradients, SGD with momentum", "symbolic_trace": "torch.fx.symbolic_trace", "trace": "torch.jit.trace", "script": "torch.jit.script",
}
HEAD = """# Models of other libraries

Models of PyPI's libraries, most of them small, with random weights, were captured in {forms} forms, and every value of every
graph was compared with PyTorch's: {models} models of {libraries} libraries, {graphs} graphs, {values:,} values. {sentence}
{training} models have a form with gradients (joint, AOTAutograd's, or a step).
`tools/dev/zoo/capture_libraries.py` and `judge_libraries.py` do this by hand; `tools/dev/zoo/library_table.py` writes this
page; do not edit.

    python3 tools/dev/zoo/capture_libraries.py FOLDER                          # needs torch and the libraries
    python3 tools/dev/zoo/judge_libraries.py bazel-bin/tools/fakeprop FOLDER    # needs fakeprop alone
    python3 tools/dev/zoo/library_table.py FOLDER/results.jsonl

Each value is compared with FakeTensorProp's (in dynamic graphs: with what torch.export recorded; in TorchScript: with a run)
and, on the cpu, with a run of the same graph on real tensors: shape, strides, dtype, device, storage offset, requires_grad (not
in TorchScript), and which tensors share storage. Strides of dimensions of size 1, and those of empty tensors, do not count.
Where FakeTensorProp and eager differ, eager decides. PyTorch {torch}.
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
    yield "| form | column below | graphs | PyTorch has none, or no answer | values | graphs where FakeTensorProp differs from eager, and we do not |"
    yield "|---|---|---|---|---|---|"
    for form, text in FORMS.items():
        mine = [line for line in lines if line["form"] == form]
        captured = [line for line in mine if is_captured(line)]
        values, eager = sum(line.get("values", 0) for line in captured), sum(bool(line.get("as_eager")) for line in captured)
        yield f"| {text} | {form} | {len(captured)} | {len(mine) - len(captured)} | {values:,} | {eager or ''} |"


def letters(lines):
    """A letter for each reason why PyTorch has no graph, the most frequent first."""
    counts = collections.Counter(library_verdicts.absence(line) for line in lines if not is_captured(line))
    return {text: (string.ascii_lowercase[i], count) for i, (text, count) in enumerate(counts.most_common())}


def cell(line, reasons):
    """What the table has for a model in a form."""
    if line is None:
        return ""
    if not is_captured(line):
        return reasons[library_verdicts.absence(line)][0]
    wrong = len(open_rows(line))
    return f"{line.get('values', 0):,}" + (f", {wrong} open" if wrong else "")


def by_model(lines):
    """The lines by library and model, each with a graph in one form at least."""
    models = collections.defaultdict(dict)
    for line in lines:
        models[line["version"], line["model"]][line["form"]] = line
    return {key: forms for key, forms in sorted(models.items(), key=lambda item: (item[0][0].lower(), item[0][1])) if any(map(is_captured, forms.values()))}


def table_of_models(lines, reasons):
    yield "| library | model | " + " | ".join(FORMS) + " |"
    yield "|---|---|" + "---|" * len(FORMS)
    before = ""
    for (version, model), forms in by_model(lines).items():
        yield f"| {version if version != before else ''} | {model} | " + " | ".join(cell(forms.get(form), reasons) for form in FORMS) + " |"
        before = version


def table_of_reasons(reasons):
    yield "| | forms | why |"
    yield "|---|---|---|"
    for text, (letter, count) in reasons.items():
        yield f"| {letter} | {count} | {text} |"


GRADIENTS = ("joint", "joint_cuda", "aot", "step")


def page(lines):
    counted = [line for forms in by_model(lines).values() for line in forms.values()]
    captured, reasons = [line for line in counted if is_captured(line)], letters(counted)
    wrong = [line for line in captured if open_rows(line)]
    models = lambda those: len({(line["library"], line["model"]) for line in those})
    sentence = f"In {len(wrong)} graphs a difference is not explained." if wrong else "No difference is without an explanation."
    yield HEAD.format(forms=len(FORMS), models=models(captured), libraries=len({line["library"] for line in captured}), graphs=len(captured),
                      values=sum(line.get("values", 0) for line in captured), sentence=sentence, torch=library_verdicts.TORCH,
                      training=models(line for line in captured if line["form"] in GRADIENTS))
    yield "## Forms\n"
    yield from table_of_forms(counted)
    yield "\n## Where we differ\n"
    yield "| graphs | what, and why |\n|---|---|"
    for text, count in explained(captured).most_common():
        yield f"| {count} | {text} |"
    yield "\n## Models\n"
    yield "The number of values that were compared. A letter says why PyTorch has no graph, or no answer; an empty cell was not run.\n"
    yield from table_of_models(counted, reasons)
    yield ""
    yield from table_of_reasons(reasons)


def main():
    lines = sorted(lines_of(sys.argv[1]), key=lambda line: (line["library"], line["model"], line["form"]))
    (ROOT / "docs" / "zoo.md").write_text("\n".join(page(lines)) + "\n")
    for line in lines:
        for row in open_rows(line)[:2]:
            print(line["library"], line["model"], line["form"], json.dumps(row)[:600])


if __name__ == "__main__":
    main()
