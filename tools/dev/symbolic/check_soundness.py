#!/usr/bin/env python3
"""Whether `fakeprop prove` proves too much.

  check_soundness.py --fakeprop BIN [--points 12] [--seed 0] GRAPH...

Each graph is proved with the ranges that `fakeprop inputs` proposes, with narrower ones and with wider ones. At random sizes
within the ranges of a proof that satisfy what it assumes, the graph has to propagate as numbers, and `refine` has to take
the sizes where the proof is one case. A counterexample has to fail as numbers, or be sizes that the graph refuses.
"""
import collections, copy, json, os, random, sys

from expressions import value_at
from run import run, run_checker, write_json

REACH = 40      # how far beyond its least size a symbol goes where it has no maximum
ATTEMPTS = 400  # for each point that is wanted


def narrower(symbol):
    hint = symbol.get("hint") or symbol.get("min", 2)
    low, high = min(symbol.get("min", 2) + 1, hint), min(symbol.get("max", 2**62), 3 * hint + 5)
    return {**symbol, "min": low, "max": max(high - 1, hint)}


def wider(symbol):
    out = {**symbol, "min": max(1, symbol.get("min", 2) // 2)}
    if "max" in symbol:
        out["max"] = 2 * symbol["max"] + 1
    return out


RANGES = {"equal": dict, "narrower": narrower, "wider": wider}


def sizes_at(spec, point):
    """The spec with numbers for its symbols."""
    concrete = copy.deepcopy(spec)
    concrete.pop("symbols", None)
    for entry in concrete["inputs"].values():
        for field in ("shape", "stride"):
            if field in entry:
                entry[field] = [value_at(d, point) if isinstance(d, str) else d for d in entry[field]]
        for field in ("storage_offset", "value"):
            if isinstance(entry.get(field), str):
                entry[field] = value_at(entry[field], point)
    return concrete


def random_point(symbols, rng):
    point = {}
    for name, symbol in symbols.items():
        low, step = symbol.get("min", 0), symbol.get("multiple_of", 1)
        high = min(symbol.get("max", 2**62), low + rng.choice((2, 9, REACH)))
        point[name] = max(-(-low // step), rng.choice((rng.randint(low, high), symbol.get("max", high))) // step) * step
    if len(point) > 1 and rng.random() < 0.5:
        one, other = rng.sample(sorted(point), 2)
        point[one] = point[other]
    return point


def is_within(point, symbols):
    return all(s.get("min", 0) <= point[n] <= s.get("max", 2**62) for n, s in symbols.items())


class Checker:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.tally, self.wrong = collections.Counter(), []

    def file(self, name):
        return os.path.join(self.folder, name)

    def propagates(self, graph, spec, point):
        """Exit status and messages at these sizes."""
        write_json(self.file("point.json"), sizes_at(spec, point))
        status, _, err = run(self.args.fakeprop, graph, "--inputs", self.file("point.json"), "-o", os.devnull)
        return status, err

    def fail(self, graph, ranges, why):
        self.wrong.append(f"{os.path.basename(graph)}, {ranges}: {why}")

    def check_proved(self, graph, ranges, spec, proof, rng):
        one_case = proof["cases"] == 1
        run(self.args.fakeprop, graph, "--inputs", self.file("spec.json"), "-o", self.file("symbolic.json"))
        assumed = [a["expr"] for a in proof["assumptions"]] + [a["expr"] for a in proof["assertions"]]
        taken = 0
        for _ in range(ATTEMPTS * self.args.points):
            point = random_point(proof["symbols"], rng)
            if taken == self.args.points:
                break
            if not is_within(point, proof["symbols"]) or not all(holds(a, point) for a in assumed):
                continue
            taken += 1
            self.tally["points"] += 1
            status, err = self.propagates(graph, spec, point)
            if status:
                self.fail(graph, ranges, f"{point} is refused: {err.strip().splitlines()[0]}")
            sets = [x for n, v in point.items() for x in ("--set", f"{n}={v}")]
            status, _, err = run(self.args.fakeprop, "refine", self.file("symbolic.json"), "-o", os.devnull, *sets)
            if one_case and status:
                self.fail(graph, ranges, f"refine refuses {point}: {err.strip().splitlines()[0]}")
        if taken < self.args.points:
            self.tally["proofs with too few points"] += 1

    def check(self, graph):
        status, out, _ = run(self.args.fakeprop, "inputs", graph)
        spec = json.loads(out) if status == 0 else {}
        if not spec.get("symbols"):
            self.tally["graphs without symbols"] += 1
            return
        self.tally["graphs"] += 1
        for ranges, change in RANGES.items():
            rng = random.Random(f"{self.args.seed} {os.path.basename(graph)} {ranges}")
            given = {**spec, "symbols": {n: change(s) for n, s in spec["symbols"].items()}}
            write_json(self.file("spec.json"), given)
            status, out, err = run(self.args.fakeprop, "prove", graph, "--inputs", self.file("spec.json"), "--format", "json")
            verdict = json.loads(out)["verdict"] if out else "refused"
            self.tally[f"{ranges} {verdict}"] += 1
            print(f"{os.path.basename(graph)}, {ranges}: {verdict}", flush=True)
            if verdict == "refused":
                if ranges != "wider":
                    self.fail(graph, ranges, err.strip().splitlines()[0])
            elif verdict == "proved":
                self.check_proved(graph, ranges, given, json.loads(out), rng)
            elif verdict == "counterexample":
                proof = json.loads(out)
                if "error" in proof and self.propagates(graph, given, proof["point"])[0] == 0:
                    self.fail(graph, ranges, f"the counterexample {proof['point']} propagates")


def holds(text, point):
    try:
        return bool(value_at(text, point))
    except (NameError, KeyError):  # about what data decides
        return True
    except ZeroDivisionError:
        return False


if __name__ == "__main__":
    sys.exit(run_checker(__doc__, Checker, points=12))
