#!/usr/bin/env python3
"""Whether `fakeprop prove` is right about broken graphs.

  check_prove.py --fakeprop BIN [--count 3] [--points 25] [--seed 0] GRAPH...

Each GRAPH, a torch.export JSON with symbolic sizes, is altered in `--count` places, one at a time, by what people get wrong:
a size that is written as a number, heads that do not divide, a window that is too long, a bound or a number off by one.
A variant that fails at one of a number of random sizes within the ranges must not be proved; a counterexample has to fail
at its sizes as numbers. Neither a proof nor a counterexample is a difference, too.
"""
import argparse, collections, copy, json, lzma, os, random, sys, tempfile

from run import run, write_json

SIZES = {"Symbol": lambda name, **_: name, "Integer": int}
END = 2**40  # slices end there where nothing is written


def read(path):
    with (lzma.open if path.endswith(".xz") else open)(path) as file:
        return json.load(file)


def hint_of(graph, name):
    value = graph["sym_int_values"].get(name, {})
    return value.get("as_int", (value.get("as_expr", {}).get("hint") or {}).get("as_int"))


def replace(holder, key, value):
    holder[key] = value


def size_as_number(graph, node, argument):
    sizes = argument["arg"].get("as_sym_ints", [])
    for i, size in enumerate(sizes):
        hint = hint_of(graph, size.get("as_name"))
        if hint is not None:
            yield lambda i=i, hint=hint: replace(sizes, i, {"as_int": hint})


def heads(graph, node, argument):
    if not any(word in node["target"] for word in ("view", "reshape")):
        return
    numbers, sizes = argument["arg"].get("as_ints", []), argument["arg"].get("as_sym_ints", [])
    for i, number in enumerate(numbers):
        if number > 3 and -1 in numbers:
            yield lambda i=i, number=number: replace(numbers, i, number + 1)
    for i, size in enumerate(sizes):
        if size.get("as_int", 0) > 3:
            yield lambda i=i, size=size: replace(sizes, i, {"as_int": size["as_int"] + 1})


def window(graph, node, argument):
    numbers = argument["arg"].get("as_ints")
    if "conv" in node["target"] and argument["name"] in ("padding", "dilation") and numbers:
        yield lambda: numbers.__setitem__(slice(None), [0 if argument["name"] == "padding" else x + 6 for x in numbers])


def bound(graph, node, argument):
    if "slice" not in node["target"] or argument["name"] not in ("start", "end"):
        return
    number, hint = argument["arg"].get("as_int"), hint_of(graph, argument["arg"].get("as_sym_int", {}).get("as_name"))
    if number is not None and 0 < number < END:
        yield lambda: replace(argument["arg"], "as_int", number - 1)
    if hint is not None:
        yield lambda: replace(argument, "arg", {"as_int": hint})


def number(graph, node, argument):
    if not node["target"].startswith("_operator."):
        return
    holder = argument["arg"].get("as_sym_int", argument["arg"])
    if "as_int" in holder:
        yield lambda: replace(holder, "as_int", holder["as_int"] + 1)


def mistakes(graph):
    """Functions that each alter the graph in one place, by kind."""
    found = collections.defaultdict(list)
    for node in graph["nodes"]:
        for argument in node["inputs"]:
            for kind in (size_as_number, heads, window, bound, number):
                found[kind.__name__] += [(node["target"], alter) for alter in kind(graph, node, argument)]
    return found


def pick(kinds, count, rng):
    """Indices into the mistakes, one of each kind in turn."""
    left = [(kind, i) for kind in kinds for i in range(len(kinds[kind]))]
    rng.shuffle(left)
    seen = collections.Counter()
    return sorted(left, key=lambda at: (seen.update([at[0]]), seen[at[0]])[1])[:count]


def input_sizes(exported):
    """Each tensor of the user's with its sizes, a symbol by its name; null where a size is more than a symbol."""
    graph, found = exported["graph_module"]["graph"], {}
    for spec in exported["graph_module"]["signature"]["input_specs"]:
        argument = spec.get("user_input", {}).get("arg", {})
        if "as_sym_int" in argument:
            return None
        if "as_tensor" in argument:
            name = argument["as_tensor"]["name"]
            sizes = graph["tensor_values"][name]["sizes"]
            found[name] = [s["as_int"] if "as_int" in s else s["as_expr"]["expr_str"] for s in sizes]
    try:
        return {name: [s if isinstance(s, int) else eval(s, {}, SIZES) for s in sizes] for name, sizes in found.items()}
    except (NameError, TypeError):
        return None


def random_point(exported, sizes, rng):
    point = {}
    for name in sorted({s for shape in sizes.values() for s in shape if isinstance(s, str)}):
        allowed = exported["range_constraints"].get(name, {})
        low = max(2, allowed.get("min_val") or 2)
        high = low + rng.choice((1, 3, 8, 40, 130))
        point[name] = rng.randint(low, min(high, allowed.get("max_val") or high))
    return point


def fails_at(args, graph, sizes, point, folder):
    """Whether the graph does not propagate at these sizes; null where it has no such inputs."""
    inputs = {name: {"shape": [point.get(s, s) for s in shape]} for name, shape in sizes.items()}
    spec = os.path.join(folder, "spec.json")
    write_json(spec, {"format": "fakeprop.inputs/1", "inputs": inputs})
    status, _, _ = run(args.fakeprop, graph, "--inputs", spec, "-o", os.devnull)
    return None if status == 2 else status == 1


def difference(args, exported, sizes, folder, rng):
    """(verdict, what is wrong with it or null)"""
    graph = os.path.join(folder, "graph.json")
    write_json(graph, exported)
    _, out, err = run(args.fakeprop, "prove", graph, "--format", "json")
    if not out:
        return "none", err
    proof = json.loads(out)
    if proof["verdict"] == "counterexample":
        is_one = fails_at(args, graph, sizes, proof["point"], folder)
        return proof["verdict"], None if is_one else f"{proof['point']} propagates"
    points = [random_point(exported, sizes, rng) for _ in range(args.points)]
    failing = next((p for p in points if fails_at(args, graph, sizes, p, folder)), None)
    if failing or proof["verdict"] != "proved":
        return proof["verdict"], f"fails at {failing}" if failing else proof.get("reason", "")
    return proof["verdict"], None


def check(args, path, verdicts, rng):
    exported = read(path)
    sizes = input_sizes(exported)
    if sizes is None:
        print(f"{path}: left out, inputs are numbers or expressions")
        return 0
    wrong = 0
    for kind, i in pick(mistakes(exported["graph_module"]["graph"]), args.count, rng):
        altered = copy.deepcopy(exported)
        target, alter = mistakes(altered["graph_module"]["graph"])[kind][i]
        alter()
        with tempfile.TemporaryDirectory() as folder:
            verdict, why = difference(args, altered, sizes, folder, rng)
        verdicts[verdict] += 1
        if why is not None:
            wrong += 1
            print(f"{path}: {kind} of {target} ({i}): {verdict}: {why}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", nargs="+")
    parser.add_argument("--fakeprop", required=True)
    parser.add_argument("--count", type=int, default=3)
    parser.add_argument("--points", type=int, default=25)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng, verdicts = random.Random(args.seed), collections.Counter()
    wrong = sum(check(args, path, verdicts, rng) for path in args.graphs)
    print(", ".join(f"{verdict} {count}" for verdict, count in sorted(verdicts.items())) + f"; wrong {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
