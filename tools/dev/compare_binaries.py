#!/usr/bin/env python3
"""Compares what two builds of fakeprop write, byte by byte: for changes that must not change behaviour.

  tools/dev/compare_binaries.py OLD NEW --corpus DIR... [--only TEXT] [--allow FILE] [--remember FILE] [--jobs N]

Each graph below the folders is given to both programs in all forms (FORMS). Compared are stdout, stderr and the exit
status. A graph `X.json` with an `X.truth.json` that lists `cases` is a container of single operator calls: what it records
for results is stripped, and inputs share storage as the truth says. `inputs.json` beside `graph.*` is its input spec.

Differences are printed with the first line that differs, then how many lines differ; the status is 1 where there is one.
--allow names a file of regular expressions, one a line. A difference is allowed if each of its lines matches one, written
as `FORM FILE: -old line` or `+new line`. --remember keeps digests of what OLD wrote, and the next run asks OLD again only
where NEW differs.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

GRAPH_ENDINGS = (".json", ".json.xz", ".json.gz", ".json.zst", ".pt", ".pt2")
NO_GRAPHS = ("truth.json", "inputs.json", "expected.json", "MANIFEST.json", "BROKEN.json", "programs.json", "memory.json")
FORMS = {
    "propagate": ["{graph}"],
    "keep-going": ["{graph}", "--keep-going"],
    "numbers": ["{graph}", "--keep-going", "--no-symbolic"],
    "recorded": ["lint", "{graph}", "--recorded", "--format", "json"],
    "show": ["show", "{graph}"],
    "inputs": ["inputs", "{graph}"],
    "ops": ["ops", "--graph", "{graph}"],
}
CALL_FORMS = {"calls": ["{graph}", "--keep-going"], "calls, no grad": ["{graph}", "--keep-going", "--grad", "off"]}
WITH_SPEC = {"propagate", "keep-going", "recorded", "show", "prove", *CALL_FORMS}
PROVE = ["prove", "{graph}"]


@dataclasses.dataclass
class Graph:
    name: str  # its path below the corpus
    path: str  # of the file that the programs get
    spec: str = ""  # path of an input spec
    holds_calls: bool = False


@dataclasses.dataclass
class Result:
    status: object  # a number, or "timed out"
    out: str
    err: str

    def lines(self):
        return [f"status {self.status}", *self.out.splitlines(), *self.err.splitlines()]

    def digest(self):
        return hashlib.sha256(repr(self).encode()).hexdigest()


class Comparison:
    def __init__(self, arguments, folder):
        self._arguments = arguments
        self._folder = folder
        self._lock = threading.Lock()
        self._allowed = read_patterns(arguments.allow)
        self._memory = read_memory(arguments.remember, arguments.old)
        self.seconds = collections.Counter()
        self.counts = collections.Counter()
        self.ignored = []

    def run_all(self, graphs):
        with concurrent.futures.ThreadPoolExecutor(self._arguments.jobs) as pool:
            list(pool.map(self._compare_graph, graphs))
        write_memory(self._arguments.remember, self._memory)

    def _compare_graph(self, graph):
        forms = CALL_FORMS if graph.holds_calls else FORMS
        for form, command in forms.items():
            self._compare(form, graph, self._command(form, command, graph))
        if not graph.holds_calls:
            self._compare_with_symbols(graph)

    def _command(self, form, command, graph):
        filled = [part.format(graph=graph.path) for part in command]
        return filled + ["--inputs", graph.spec] if graph.spec and form in WITH_SPEC else filled

    # `refine` gets what OLD wrote, at sizes near the hints; `prove` is asked where there are symbols.
    def _compare_with_symbols(self, graph):
        annotations = self._run(self._arguments.old, self._command("propagate", FORMS["propagate"], graph)).out
        symbols = symbols_of(annotations)
        if not symbols:
            return
        file = flat_name(graph.name) + ".annotations"
        with open(os.path.join(self._folder, file), "w", encoding="utf-8") as written:
            written.write(annotations)
        for form, sizes in sizes_near(symbols).items():
            options = [part for name, size in sizes.items() for part in ("--set", f"{name}={size}")]
            self._compare(form, graph, ["refine", file, *options])
        os.remove(os.path.join(self._folder, file))
        self._compare("prove", graph, self._command("prove", PROVE, graph))

    def _compare(self, form, graph, command):
        key = f"{form} {graph.name}"
        begun = time.monotonic()
        new = self._run(self._arguments.new, command)
        if self._memory.get(key) != new.digest():
            self._compare_results(form, graph, key, self._run(self._arguments.old, command), new)
        with self._lock:
            self.counts[form] += 1
            self.seconds[form] += time.monotonic() - begun

    def _compare_results(self, form, graph, key, old, new):
        if "timed out" in (old.status, new.status):
            self.ignored.append(f"{form} {graph.name}: OLD {old.status}, NEW {new.status}")
            return
        self._memory[key] = old.digest()
        if old == new:
            return
        differing = differing_lines(old.lines(), new.lines())
        if self._is_allowed(f"{form} {graph.name}: ", differing):
            self.counts["allowed"] += 1
            return
        self._print(form, graph, old, new, len(differing))

    def _is_allowed(self, prefix, differing):
        return bool(differing) and all(any(p.search(prefix + line) for p in self._allowed) for line in differing)

    def _print(self, form, graph, old, new, count):
        index, pair = first_difference(old.lines(), new.lines())
        with self._lock:
            self.counts["differences"] += 1
            print(f"{form} {graph.name}: line {index} of status, stdout, stderr; {count} lines differ")
            for sign, line in zip("-+", pair):
                print(f"  {sign}{line[:self._arguments.width]}")
            sys.stdout.flush()

    def _run(self, binary, command):
        try:
            process = subprocess.run([binary, *command], capture_output=True, timeout=self._arguments.timeout, check=False,
                                     stdin=subprocess.DEVNULL, cwd=self._folder)
        except subprocess.TimeoutExpired:
            return Result("timed out", "", "")
        decode = lambda text: text.decode(errors="backslashreplace")
        return Result(process.returncode, decode(process.stdout), decode(process.stderr))


# Lines of one result that the other has not, or has less often, with - or +.
def differing_lines(old, new):
    old, new = collections.Counter(old), collections.Counter(new)
    return ["-" + line for line in (old - new).elements()] + ["+" + line for line in (new - old).elements()]


def first_difference(old, new):
    for index, pair in enumerate(zip(old, new)):
        if pair[0] != pair[1]:
            return index, pair
    shorter = min(len(old), len(new))
    return shorter, ([*old, "(end)"][shorter], [*new, "(end)"][shorter])


def symbols_of(annotations):
    try:
        return json.loads(annotations).get("symbols", {})
    except ValueError:
        return {}


# Two sets of sizes: the hints, and the next larger sizes that the ranges allow.
def sizes_near(symbols):
    hints = {name: s["hint"] for name, s in symbols.items() if isinstance(s.get("hint"), int)}
    larger = {name: min(hint + 1, symbols[name].get("max", hint + 1)) for name, hint in hints.items()}
    return {"refine at hints": hints, "refine above hints": larger} if hints else {}


def read_patterns(path):
    if not path:
        return []
    with open(path, encoding="utf-8") as file:
        return [re.compile(line.rstrip("\n")) for line in file if line.strip() and not line.startswith("#")]


# Digests of what OLD wrote; none if OLD is another program than the one they are of.
def read_memory(path, binary):
    memory = {"binary": digest_of_file(binary)}
    if path and os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        return kept if kept["binary"] == memory["binary"] else memory
    return memory


def write_memory(path, memory):
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(memory, file, indent=0, sort_keys=True)


def digest_of_file(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def load_json(path):
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as file:
        return json.load(file)


def find_graphs(corpus, only, folder):
    for directory, subfolders, files in os.walk(corpus):
        subfolders.sort()
        for file in sorted(files):
            path = os.path.join(directory, file)
            name = os.path.relpath(path, os.path.dirname(os.path.abspath(corpus)))
            if file.endswith(GRAPH_ENDINGS) and not file.endswith(NO_GRAPHS) and only in name:
                yield read_graph(name, os.path.abspath(path), folder)


def read_graph(name, path, folder):
    truth = re.sub(r"\.\w+(\.xz)?$", ".truth.json", path)
    if lists_cases(truth):
        return container_of_calls(name, path, load_json(truth), folder)
    spec = os.path.join(os.path.dirname(path), "inputs.json")
    has_spec = os.path.basename(path).startswith("graph.") and os.path.exists(spec)
    return Graph(name, path, spec if has_spec else "")


# Told from the file's beginning: the truth of a model is long.
def lists_cases(truth):
    if not os.path.exists(truth):
        return False
    with open(truth, encoding="utf-8") as file:
        return '"cases"' in file.read(4096)


def container_of_calls(name, path, truth, folder):
    document = load_json(path)
    spec = spec_of_views(truth, document["graph_module"]["graph"])
    strip_results(document["graph_module"]["graph"])
    copy = flat_name(name)
    write_json(os.path.join(folder, copy), document)
    if spec:
        write_json(os.path.join(folder, copy + ".inputs"), spec)
    return Graph(name, copy, copy + ".inputs" if spec else "", holds_calls=True)


# The programs run in the folder of the copies and name them without it: what they write is then the same each time.
def flat_name(name):
    return name.replace("/", ".")


def write_json(path, document):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)


# Removes what a graph records of the results of its nodes.
def strip_results(graph):
    inputs = {value.get("name") or value.get("as_name") for argument in graph["inputs"] for value in argument.values()
              if isinstance(value, dict)}
    for table in ("tensor_values", "sym_int_values", "sym_bool_values", "sym_float_values"):
        graph[table] = {name: value for name, value in graph.get(table, {}).items() if name in inputs}
    for node in graph["nodes"]:
        for argument in node["inputs"]:
            subgraph = argument["arg"].get("as_graph")
            if subgraph:
                strip_results(subgraph["graph"])


# An input spec that makes inputs views of one another where the cases had them so; None where none is.
def spec_of_views(truth, graph):
    values = graph["tensor_values"]
    inputs = {}
    for case in truth["cases"].values():
        for group in case.get("input_alias_groups", []):
            base = max(group, key=lambda name: reach(values[name]))
            for view in group:
                if view != base:
                    inputs[view] = {"view_of": base, "shape": integers(values[view]["sizes"]),
                                    "stride": integers(values[view]["strides"]),
                                    "storage_offset": values[view]["storage_offset"]["as_int"]}
    return {"format": "fakeprop.inputs/1", "inputs": inputs} if inputs else None


def integers(items):
    return [item["as_int"] for item in items]


# The last element that a tensor sees of its storage.
def reach(value):
    spans = zip(integers(value["sizes"]), integers(value["strides"]))
    return value["storage_offset"]["as_int"] + sum((size - 1) * stride for size, stride in spans if size > 0)


def print_summary(comparison, seconds):
    for form, count in comparison.counts.items():
        if form in comparison.seconds:
            print(f"{form}: {count} graphs, {comparison.seconds[form]:.0f} s")
    print(*(f"not compared: {line}" for line in comparison.ignored), sep="\n", end="\n" if comparison.ignored else "")
    print(f"{sum(comparison.counts[form] for form in comparison.seconds)} comparisons, "
          f"{comparison.counts['differences']} differences, {comparison.counts['allowed']} allowed, "
          f"{len(comparison.ignored)} not compared, {seconds:.0f} s")


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=os.path.abspath)
    parser.add_argument("new", type=os.path.abspath)
    parser.add_argument("--corpus", nargs="+", required=True, help="folders of graphs")
    parser.add_argument("--only", default="", help="only graphs whose path contains this")
    parser.add_argument("--allow", help="file of regular expressions: differences that are meant")
    parser.add_argument("--remember", help="file that keeps digests of what OLD wrote")
    parser.add_argument("--jobs", type=int, default=2, help="comparisons at a time (default: 2)")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one run of one program (default: 60)")
    parser.add_argument("--width", type=int, default=300, help="how much of a line is printed (default: 300)")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(arguments, folder)
        graphs = [graph for corpus in arguments.corpus for graph in find_graphs(corpus, arguments.only, folder)]
        comparison.run_all(graphs)
    print_summary(comparison, time.monotonic() - begun)
    return 1 if comparison.counts["differences"] or not graphs else 0


if __name__ == "__main__":
    sys.exit(main())
