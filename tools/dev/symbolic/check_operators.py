#!/usr/bin/env python3
"""Operator calls over symbols: fakeprop's answers against those of PyTorch's FakeTensorMode with a ShapeEnv.

  check_operators.py --fakeprop BIN [--sym-ints | --unbacked] [--only REGEX] [--count N] [--seed 0] < CALLS

Reads call texts (lib/rules/testing/call_text.h), one a line; what follows `) -> ` is passed over. Every size of 2 or more is
a symbol of its own, strides are products of sizes where they can be (as tools/dev/truth/specialised.py has it). Calls that
neither takes with numbers say nothing of symbols. Prints, by kind:

  bad         a call that cannot be made or compared, with the reason
  error       fakeprop has none where PyTorch answers
  fixed       a size that fakeprop makes a number and PyTorch does not
  differs     sizes and strides at the hints, or at a point that the guards of both allow, are others
  untrue      at a point that our guards allow FakeTensorMode with numbers has another answer
  unguarded   there it refuses, and PyTorch's own guards would not allow the point
  narrow      our guards refuse a point where PyTorch's do not, and numbers are fine; one line for each operator and guard
"""
import argparse, collections, random, re, subprocess, sys, tempfile

from our_answers import our_answers
from points import at, candidates, hold
from symbolic_calls import concrete_answer, guarded_answer, has_sym_ints
from isolated import run_isolated  # of tools/truth, which symbolic_calls puts on the path
from record_calls import quiet

BATCH = 60  # calls in one run of fakeprop


class Report:
    def __init__(self):
        self.found = collections.defaultdict(list)
        self.counts = collections.Counter()

    def add(self, kind, call, text):
        self.found[kind].append((call.partition("(")[0], call, text))

    def print(self):
        for kind in ("bad", "error", "fixed", "differs", "untrue", "unguarded", "narrow"):
            rows = self.found[kind]
            print(f"## {kind}: {len(rows)} calls of {len({r[0] for r in rows})} operators")
            for name, call, text in sorted(rows):
                print(f"{kind}\t{call}\t{text}")
        print(dict(self.counts), {k: len(v) for k, v in self.found.items()})


def compare(call, theirs, ours, report, rng):
    """Returns points to ask numbers at: (point, whether PyTorch's guards hold there)."""
    report.counts["calls"] += 1
    if "error" in theirs:
        report.counts["PyTorch refuses"] += 1
        return []
    if ours["as numbers"] is None:  # an error of ours that has nothing to do with symbols
        report.counts["we refuse"] += 1
        return []
    if "error" in ours:
        report.add("error", call, ours["error"][:200])
        return []
    if at(ours["as numbers"], {}) == at(ours["values"], theirs["hints"]) != at(theirs["values"], theirs["hints"]):
        report.counts["other for numbers"] += 1  # known differences, of eager's kernels and FakeTensorMode
        return []
    fixed = sorted(set(ours["fixed"]) - set(theirs["fixed"]))
    if fixed:
        report.add("fixed", call, f"{fixed} by {ours['guards']} theirs {theirs['guards']}"[:500])
    points, narrow = [], []
    hints = theirs["hints"]
    told = False
    both = theirs["guards"] + ours["guards"]
    for point in [hints, *candidates(hints, both, rng), *candidates(hints, theirs["guards"], rng)]:
        by_ours, by_theirs = hold(ours["guards"], point), hold(theirs["guards"], point)
        if by_ours and by_theirs:
            report.counts["points"] += 1
            if not told and at(ours["values"], point) != at(theirs["values"], point):
                told = True
                moved = {n: v for n, v in point.items() if v != hints[n]}
                report.add("differs", call, f"at {moved or 'hints'} ours {ours['values']} theirs {theirs['values']} | "
                                            f"ours {ours['guards']} theirs {theirs['guards']}"[:900])
        if by_ours and len(points) < 6:
            points.append((point, True, by_theirs))
        elif not by_ours and by_theirs and len(narrow) < 3:
            narrow.append((point, False, by_theirs))
    return points + narrow


def ask_numbers(jobs, points, report, kind):
    """At the points, FakeTensorMode with numbers against our expressions."""
    todo = [(text, kind, theirs["inputs"], point) for (text, theirs, ours), some in zip(jobs, points) for point, *_ in some]
    answers = (answer for _, answer in run_isolated(concrete_answer, todo))
    told = set()
    for (text, theirs, ours), some in zip(jobs, points):
        for point, by_ours, by_theirs in some:
            answer = next(answers)
            moved = {n: v for n, v in point.items() if v != theirs["hints"][n]}
            refused = answer is None or isinstance(answer, str)
            if by_ours and refused and not by_theirs:
                kind, words = "unguarded", f"at {moved} {answer} | ours {ours['guards']} theirs {theirs['guards']}"
            elif by_ours and not refused and at(answer, {}) != at(ours["values"], point):
                kind, words = "untrue", f"at {moved} ours {ours['values']} numbers {answer} guards {ours['guards']}"
            elif not by_ours and not refused:
                broken = [g for g in ours["guards"] if not hold([g], point)]
                kind, words = "narrow", f"at {moved} {broken} theirs {theirs['guards']}"
            else:
                continue
            if (kind, text) not in told:
                told.add((kind, text))
                report.add(kind, text, words[:900])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fakeprop", required=True)
    parser.add_argument("--sym-ints", dest="kind", action="store_const", const="sym-ints", default="sizes",
                        help="symbols for SymInt arguments as well")
    parser.add_argument("--unbacked", dest="kind", action="store_const", const="unbacked", help="sizes that data decides")
    parser.add_argument("--only", default="", help="a regular expression for operators' names")
    parser.add_argument("--count", type=int, default=10**9, help="calls of one overload, at random")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    quiet()
    rng = random.Random(options.seed)
    by_name = collections.defaultdict(dict)
    for line in sys.stdin:
        if re.match(r"[\w.:]+\(", line) and re.search(options.only, line.partition("(")[0]):
            call = line.rstrip("\n").split(") -> ")[0]
            by_name[line.partition("(")[0]][call if call.endswith(")") else call + ")"] = None
    texts = [t for _, calls in sorted(by_name.items()) for t in rng.sample(sorted(calls), min(options.count, len(calls)))]
    if options.kind == "sym-ints":
        texts = [t for t in texts if has_sym_ints(t)]
    subprocess.run([options.fakeprop, "--version"], check=True, stdout=subprocess.DEVNULL)
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(texts), BATCH):
            check_batch([(t, options.kind) for t in texts[start:start + BATCH]], options, folder, report, rng)
            print(f"{start + BATCH}/{len(texts)}", file=sys.stderr, flush=True)
    report.print()


def check_batch(batch, options, folder, report, rng):
    answered = [(job, answer) for job, answer in run_isolated(guarded_answer, batch) if answer is not None]
    for (text, _), answer in answered:
        if "bad" in answer:
            report.add("bad", text, answer["bad"])
    answered = [(job, answer) for job, answer in answered if "bad" not in answer]
    if not answered:
        return
    ours = our_answers(options.fakeprop, [j for j, _ in answered], [a for _, a in answered], folder)
    jobs = [(text, theirs, mine) for ((text, _), theirs), mine in zip(answered, ours)]
    points = [compared(text, theirs, mine, report, rng) for text, theirs, mine in jobs]
    ask_numbers(jobs, points, report, options.kind)


def compared(text, theirs, ours, report, rng):
    try:
        return compare(text, theirs, ours, report, rng)
    except Exception as e:  # an expression that this script cannot evaluate
        report.add("bad", text, repr(e))
        return []


if __name__ == "__main__":
    main()
