#!/usr/bin/env python3
"""Whether `fakeprop refine` says what concrete propagation says.

  check_refine.py --fakeprop BIN [--points 20] [--seed 0] GRAPH...

Each graph is propagated over symbols once. At random sizes within the symbols' ranges that `refine` accepts, its annotations
are compared with those of a propagation with these numbers as input shapes: every node, storage and subgraph. Sizes that
`refine` refuses have to be outside of a guard, by its own evaluation, which the message names with its node.
"""
import collections, json, os, random, re, sys

from run import read_json, run, run_checker, write_json

REACH = 40     # how far beyond its least size a symbol goes where it has no maximum
ATTEMPTS = 60  # for each point that is wanted


def random_point(symbols, rng):
    point = {}
    for name, s in symbols.items():
        if s.get("kind") == "unbacked":
            continue
        low, hint, step = s.get("min", 0), s.get("hint", 1), s.get("multiple_of", 1)
        high = min(s.get("max", 2**62), max(low + REACH, 2 * hint))
        value = rng.choice([rng.randint(low, high), rng.randint(low, min(high, low + 4)), hint])
        point[name] = max(-(-low // step), value // step) * step
    # Equal sizes, and sizes that differ by one, are where guards tell apart.
    if len(point) > 1 and rng.random() < 0.3:
        a, b = rng.sample(sorted(point), 2)
        point[a] = point[b] + rng.choice([0, 0, 1])
    return point


def has_symbols(value):
    return isinstance(value, dict) and (str(value.get("type", "")).startswith("sym") or any(
        isinstance(d, str) for d in value.get("shape", []) + value.get("stride", []) + [value.get("storage_offset")]))


def spec_of(symbolic, refined):
    """The inputs as numbers, where they had symbols."""
    inputs = {}
    for before, after in zip(symbolic["nodes"], refined["nodes"]):
        if before["op"] != "placeholder" or not has_symbols(before.get("meta", {}).get("val")):
            continue
        value = after["meta"]["val"]
        inputs[before["name"]] = {k: value[k] for k in ("shape", "stride", "storage_offset")} if isinstance(
            value, dict) else {"value": value}
    return {"format": "fakeprop.inputs/1", "inputs": inputs}


def settle(symbolic, point):
    """Symbols that a guard makes equal to another take its value, so that points exist at all."""
    for guard in symbolic["guards"]:
        if match := re.fullmatch(r"Eq\((\w+), (\w+)\)", guard["expr"]):
            a, b = match.groups()
            if b.isdigit():
                point[a] = int(b)
            elif a in point and b in point:
                point[a] = point[b]
    return point


class Checker:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.tally = collections.Counter()
        self.wrong = []

    def file(self, name):
        return os.path.join(self.folder, name)

    def refine(self, point):
        sets = [x for n, v in point.items() for x in ("--set", f"{n}={v}")]
        return run(self.args.fakeprop, "refine", self.file("symbolic.json"), "-o", self.file("refined.json"), *sets)

    def fail(self, graph, point, why):
        self.tally["differ"] += 1
        self.wrong.append(f"{os.path.basename(graph)} at {point}: {why}")

    def check_accepted(self, graph, symbolic, point):
        refined = read_json(self.file("refined.json"))
        write_json(self.file("spec.json"), spec_of(symbolic, refined))
        status, _, err = run(self.args.fakeprop, graph, "--keep-going", "--inputs", self.file("spec.json"), "-o", self.file("concrete.json"))
        self.tally["accepted"] += 1
        if status == 2:
            return self.fail(graph, point, err.strip().splitlines()[0])
        concrete = read_json(self.file("concrete.json"))
        self.tally["values"] += len(concrete["nodes"])
        for ours, theirs in zip(refined["nodes"], concrete["nodes"]):
            ours.pop("unbacked_bindings", None), theirs.pop("unbacked_bindings", None)
            if ours != theirs:
                return self.fail(graph, point, f"{ours['name']}:\n    refine   {json.dumps(ours)[:400]}\n    concrete {json.dumps(theirs)[:400]}")
        for part in ("storages", "subgraphs"):
            if refined.get(part) != concrete.get(part):
                return self.fail(graph, point, f"{part} differ")

    def check_refused(self, graph, symbolic, point, err):
        self.tally["refused"] += 1
        named = [g for g in symbolic["guards"] if f"`{g['expr']}`" in err and (not g.get("node") or f"`{g['node']}`" in err)]
        if "FP7005" not in err and "FP7004" not in err:
            self.fail(graph, point, "refused with " + err.strip().splitlines()[0])
        elif "FP7005" in err and not named:
            self.fail(graph, point, "no guard is named: " + err)

    def check(self, graph):
        status, _, err = run(self.args.fakeprop, graph, "--keep-going", "-o", self.file("symbolic.json"))
        self.tally["graphs"] += 1
        if status == 2:
            return self.fail(graph, {}, err.strip().splitlines()[0])
        symbolic = read_json(self.file("symbolic.json"))
        rng = random.Random(f"{self.args.seed} {os.path.basename(graph)}")
        accepted = refused = 0
        wanted = self.args.points if any(s.get("kind") != "unbacked" for s in symbolic["symbols"].values()) else 1
        for attempt in range(ATTEMPTS * wanted):
            if accepted == wanted:
                break
            point = random_point(symbolic["symbols"], rng)
            if attempt % 2:
                point = settle(symbolic, point)
            status, _, err = self.refine(point)
            if status == 0 or os.path.exists(self.file("refined.json")):
                accepted += 1
                self.check_accepted(graph, symbolic, point)
                os.remove(self.file("refined.json"))
            elif refused < wanted:
                refused += 1
                self.check_refused(graph, symbolic, point, err)
        if accepted < wanted:
            self.tally["graphs with too few points"] += 1
            self.wrong.append(f"{os.path.basename(graph)}: {accepted} of {wanted} points found")
        print(f"{os.path.basename(graph)}: {len(symbolic['guards'])} guards, {accepted} points, {refused} refused", flush=True)


if __name__ == "__main__":
    sys.exit(run_checker(__doc__, Checker, points=20))
