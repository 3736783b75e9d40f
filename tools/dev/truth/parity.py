#!/usr/bin/env python3
"""Writes docs/parity.md: how every aten operator is served, and what its answers have in common with PyTorch's.

    $ bazel build //tools:fakeprop //lib/libtorch_fallback:served
    $ tools/dev/truth/parity.py             writes the page
    $ tools/dev/truth/parity.py --check     fails where the page would change; needs no PyTorch (parity_test in tools/dev)
    $ tools/dev/truth/parity.py --complete  fails where `fakeprop ops` lacks an operator that the installed PyTorch has

The page is made of what `fakeprop ops` lists, of the calls in testdata/ops with PyTorch's answers to them, and of the
reasons that stand beside both. An operator that nothing serves needs a reason below (MISSING).
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys

from known_differences import known_differences

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/parity.md"
CALLS = ROOT / "testdata/ops"
RECORDED = "2.13+cpu"  # the torch whose answers these files have

# Why nothing serves an operator: the first pattern that its whole name matches.
MISSING = [
    (r"_cudnn_attention_.*", "kernels for one device, for which FakeTensorMode has no answer"),
    (r"_triton_.*", "Triton's kernels, which Python gives; LibTorch's own raise"),
    (r"_cudnn_rnn_flatten_weight", "moves its arguments into one buffer, which its schema does not say"),
    (r"(empty|_empty|_make_per).*quantized.*|quantized_(gru|lstm)\..*_legacy|dequantize\.(list|tensor)|int_repr|q_.*|qscheme"
     r"|quantized_batch_norm", "quantised tensors carry scales and zero points, which fakeprop's metadata does not have"),
    (r"_cslt_.*|.*_semi_structured.*",
     "kernels of cuda that pack 2:4 sparse matrices in a form of their own: FakeTensorMode 2.15 has no answer for them and "
     "tries the kernel; the products of such matrices are served"),
    (r"_?nested_.*|matmul_backward",
     "takes nested tensors, which torch.export 2.15 does not write: it refuses strided ones, and fails to save a graph with a "
     "jagged one. What TorchScript calls for them (`nn.TransformerEncoder`) is served"),
    (r"_copy_from.*|get_gradients|backward.*|grad|_no_grad_.*|manual_seed|.*autocast.*|(is|set)_grad_enabled"
     r"|is_scripting|_get_tracing_state|_get_cpu_capability|warn",
     "reads or changes the state of a process or of autograd's graph, not tensors"),
    (r"(\w+\.)?str\b.*|.*\.str(_list)?|capitalize|center|chr|bin|hex|oct|ord|count|endswith|startswith|expandtabs|r?find|r?index"
     r"|is(alnum|alpha|decimal|digit|identifier|lower|numeric|printable|space|title|upper)|join|[lr]?just|ljust|lower|upper"
     r"|[lr]?strip|r?partition|replace|r?split|splitlines|swapcase|title|zfill|list|__getitem__\.str",
     "TorchScript's operators on strings"),
    (r"(Bool|Float|Int|Complex|Scalar)(Implicit)?(\..*)?|.*_list|(sorted|count|any|all|sum|tensor|as_tensor|index)(\..*)?"
     r"|__contains__\..*|eq\.device|ne\.device|device.*|len\..*|Size|size|stride|sym_size|sym_stride|element_size|split"
     r"|_(list_to_tensor|tensor_to_list)|copy_\.(Tensor|float|int)|is_(non_overlapping_and_dense|strides_like_format)"
     r"|_?infer_size|_size_if_not_equal|broadcast_shapes|cpu|cuda|to\.prim_.*|mH\.a|mT\.a|matrix_H\.a|numpy_T\.a",
     "TorchScript's operators on numbers, lists and devices, and operators that it spells in another way"),
    (r"__?(interpolate|upsample).*|_ncf_.*|_grad_sum_to_size|_pack_sequence|.*hacked_twin",
     "TorchScript's own versions of operators"),
]


def ops_listed(binary):
    """Pairs of an aten operator and how it is served, as `fakeprop ops` lists them."""
    text = subprocess.run([binary, "ops"], check=True, capture_output=True, text=True).stdout
    rows = [re.split("  +", line) for line in text.splitlines()[1:]]
    return [(row[0].removeprefix("aten::"), row[1]) for row in rows if row[0].startswith("aten::")]


def kind_of(served):
    return "derived form" if served.startswith("rule (") else served


def reason_of(name):
    return next((why for pattern, why in MISSING if re.fullmatch(pattern, name)), None)


class Call:
    """A line of testdata/ops: a call, and PyTorch's answers to it."""

    def __init__(self, line):
        text, _, answers = line.partition(") -> ")
        self.text = text + ")"
        self.name = text.partition("(")[0]
        self.fake, differs, eager = answers.partition(" | ")
        self.eager = eager if differs else self.fake

    def kind(self):
        return tuple("error" if answer.startswith("!") else "value" for answer in (self.fake, self.eager))


def recorded_calls():
    lines = [line for path in sorted(CALLS.glob("*.calls")) for line in path.read_text().splitlines()]
    return [Call(line) for line in lines if line and not line.startswith("#")]


def our_answers(binary, calls):
    """By call."""
    texts = "".join(c.text + "\n" for c in calls)
    result = subprocess.run([binary.absolute(), RECORDED], input=texts, check=True, capture_output=True, text=True, cwd=ROOT)
    return dict(zip((c.text for c in calls), (line.partition(") -> ")[2] for line in result.stdout.splitlines())))


def comparable(answer):
    """The answer without what cannot be compared: autograd of views, since eager's arguments required no grad."""
    return answer.replace("alias(", "view(")


def outcome(call, ours):
    """Whom our answer follows: "both", "eager", "fake", "error" (with a reason), or "neither"."""
    if ours.startswith("!"):
        says_why = not ours.startswith(("!UnsupportedOperator", "!Internal"))
        return "error" if says_why and "error" in call.kind() else "neither"
    as_fake = comparable(ours) == comparable(call.fake)
    as_eager = comparable(ours) == comparable(call.eager)
    return {(True, True): "both", (False, True): "eager", (True, False): "fake"}.get((as_fake, as_eager), "neither")


def table(titles, rows):
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def names_text(names):
    return ", ".join(f"`{name}`" for name in sorted(names))


def served_section(listed):
    meaning = {
        "rule": "a row of a family in lib/rules",
        "derived form": "in-place, `out=` and `_copy` forms, by the rule of their functional operator",
        "composite": "LibTorch's decomposition; rules serve the operators that it calls",
        "meta kernel": "LibTorch's kernel on metadata",
        "none": "nothing: an `UnsupportedOperator` error names the operator; the reasons are below",
    }
    counts = collections.Counter(kind_of(served) for _, served in listed)
    unknown = set(counts) - set(meaning)
    if unknown:
        sys.exit(f"parity.py: `fakeprop ops` says {sorted(unknown)}, which the page has no words for")
    lines = ["## How operators are served", "",
             f"`fakeprop ops` lists {len(listed)} aten operators, overload by overload: all that LibTorch's dispatcher has, and "
             "those that TorchScript's interpreter adds.", ""]
    return lines + table(["served by", "operators", ""], [(kind, counts[kind], meaning[kind]) for kind in meaning]) + [""]


def agreement_section(calls, outcomes):
    cases = [
        ("FakeTensorMode and eager give one value", lambda c: c.kind() == ("value", "value") and c.fake == c.eager),
        ("they give different values", lambda c: c.kind() == ("value", "value") and c.fake != c.eager),
        ("both raise", lambda c: c.kind() == ("error", "error")),
        ("FakeTensorMode alone raises", lambda c: c.kind() == ("error", "value")),
        ("eager alone raises", lambda c: c.kind() == ("value", "error")),
    ]
    rows = []
    for words, holds in cases:
        chosen = [outcomes[c.text] for c in calls if holds(c)]
        count = collections.Counter(chosen)
        rows.append((words, len(chosen), count["both"], count["eager"], count["fake"], count["error"], count["neither"]))
    total = [sum(row[i] for row in rows) for i in range(1, 7)]
    overloads = len({c.name for c in calls})
    lines = ["## What matches", "",
             f"The table counts {len(calls)} calls of {overloads} overloads, those in testdata/ops (`bazel test //lib/libtorch_fallback:ops_test`). "
             "A row says what PyTorch answers, a column whose answer fakeprop gives. An error of fakeprop counts as `an error` if "
             "FakeTensorMode or eager raises as well, and if the error says why.",
             ""]
    titles = ["PyTorch", "calls", "as both", "as eager", "as FakeTensorMode", "an error", "as neither"]
    return lines + table(titles, rows + [("all", *total)]) + [""]


def following_section(calls, outcomes):
    followed = collections.defaultdict(set)
    for c in calls:
        if c.kind() == ("value", "value") and c.fake != c.eager:
            followed[outcomes[c.text]].add(c.name)
    lines = ["## Where FakeTensorMode and eager give different values", "",
             "On the cpu, fakeprop follows eager's kernels where the two differ, those that a process with one thread "
             "chooses: with several, oneDNN serves small convolutions of volumes too. The second list has the exceptions; "
             "`lib/rules/compare/meant.txt` says why. On cuda devices it follows FakeTensorMode, even where a card's kernel "
             "differs ([compatibility.md](compatibility.md#builds)). The lists come from the calls above. Eager kernels are "
             "asked on cpu tensors only.", "",
             f"As eager: {names_text(followed['eager'])}.", "",
             f"As FakeTensorMode: {names_text(followed['fake'])}.", "",
             "On whole graphs, fakeprop differs from FakeTensorProp in three more points, on purpose. An in-place write to an "
             "expanded tensor is an error, as in eager; FakeTensorProp lets it pass. So is a number that a kernel converts to a "
             "dtype which does not hold it, such as -1e9 for float16 in `masked_fill`. A view of a tensor that is then transposed "
             "in place keeps working, as in eager; FakeTensorProp raises once autograd asks for the view again.", ""]
    return lines


def reasons_section():
    meant = known_differences("meant")
    lines = ["## Answers that follow neither, on purpose", ""]
    lines += [f"- `{d.subject}`: {d.reason}" for d in meant if d.against == "recorded"]
    lines += ["", "## Where a rule differs from LibTorch's kernel", "",
              "`--crossref` reports these as warnings. `lib/rules/compare/meant.txt` has the list. The first column names the operator "
              "whose row serves the call.", ""]
    rows = [("any" if d.subject == "*" else f"`{d.subject.removeprefix('aten::')}`", d.reason) for d in meant
            if d.against == "meta" and d.what != "some-calls"]
    return lines + table(["operator", "why"], rows) + [""]


def missing_section(listed):
    groups = collections.defaultdict(list)
    for name, served in listed:
        if served == "none":
            groups[reason_of(name)].append(name)
    if None in groups:
        sys.exit(f"parity.py: no reason why nothing serves {', '.join(groups[None])}: give one in MISSING")
    lines = ["## What is missing, and why", ""]
    for why in dict.fromkeys(why for _, why in MISSING):
        if why in groups:
            lines += [f"**{why[0].upper() + why[1:]}** ({len(groups[why])}): {names_text(groups[why])}.", ""]
    return lines


def wrapped(line, width=120):
    """Prose to width; tables and headings as they are."""
    if line.startswith(("|", "#")) or len(line) <= width:
        return [line]
    out, indent = [], "  " if line.startswith("- ") else ""
    for word in line.split(" "):
        if out and len(out[-1]) + 1 + len(word) <= width:
            out[-1] += " " + word
        else:
            out.append((indent if out else "") + word)
    return out


def page(options):
    listed = ops_listed(options.fakeprop)
    calls = recorded_calls()
    answers = our_answers(options.served, calls)
    outcomes = {c.text: outcome(c, answers[c.text]) for c in calls}
    lines = ["# Parity with PyTorch", "",
             "This page says how fakeprop serves every aten operator, and where its answers differ from PyTorch's. "
             "`tools/dev/truth/parity.py` writes it; do not edit. [zoo.md](zoo.md) compares whole models.", ""]
    lines += served_section(listed) + agreement_section(calls, outcomes) + following_section(calls, outcomes)
    lines += reasons_section() + missing_section(listed)
    lines += ["", *(ROOT / "tools/dev/truth/derivatives.md").read_text().splitlines()]
    # Written by hand: no recorded answers tell it.
    lines += ["", *(ROOT / "tools/dev/truth/fake_tensor_mode.md").read_text().splitlines()]
    return "\n".join(part for line in lines for part in wrapped(line)).rstrip("\n") + "\n"


def check_complete(options):
    import torch
    listed = {name for name, _ in ops_listed(options.fakeprop)}
    known = {n.removeprefix("aten::") for n in torch._C._dispatch_get_all_op_names() if n.startswith("aten::")}
    if known - listed:
        sys.exit(f"`fakeprop ops` lacks {', '.join(sorted(known - listed))}")
    print(f"`fakeprop ops` lists all {len(known)} aten operators of the dispatcher")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail where the page would change")
    parser.add_argument("--complete", action="store_true", help="compare `fakeprop ops` with the installed PyTorch")
    parser.add_argument("--fakeprop", type=pathlib.Path, default=ROOT / "bazel-bin/tools/fakeprop")
    parser.add_argument("--served", type=pathlib.Path, default=ROOT / "bazel-bin/lib/libtorch_fallback/served")
    options = parser.parse_args()
    if options.complete:
        return check_complete(options)
    text = page(options)
    if not options.check:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        sys.exit("docs/parity.md is not what it would be written as now: run tools/dev/truth/parity.py")


if __name__ == "__main__":
    main()
