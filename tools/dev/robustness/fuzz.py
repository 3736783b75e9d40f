#!/usr/bin/env python3
"""Runs fakeprop on damaged files: graphs of every kind, archives, input specs. Deterministic by seed.

    fuzz.py FAKEPROP [--seed N] [--count N] [--first N] [--crossref N] [--calls] [--archives TEXT] [--keep FOLDER]

Whatever it is given, the program has to end by itself with exit status 0, 1 or 2, say one thing on 2 (specs: each mistake),
print whole JSON on 0 and 1, and never report a bug of its own. Every N-th case (--crossref) runs LibTorch's kernels too;
with --calls all cases are graphs of operator calls with odd arguments, with --archives TorchScript archives of testdata
whose name has this text (quantized) and of which a member or two are damaged.
A case that breaks this is printed, and its files are kept in FOLDER.
"""

import argparse
import io
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import zipfile

import big_models
import calls
import mutate

ROOT = pathlib.Path(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"]) if "TEST_SRCDIR" in os.environ else pathlib.Path(__file__).resolve().parents[3]
SECONDS = 60
MEMORY = "1G"
MOST_BYTES = 120_000  # of a seed: small graphs try more in the same time


class Seeds:
    """The good files that bad ones are made of."""

    def __init__(self, fakeprop):
        graphs = [*ROOT.glob("graphs/*/graph.json"), *ROOT.glob("testdata/fx/*/graph.json"), *ROOT.glob("testdata/inplace/*/graph.json")]
        self.graphs = [path for path in sorted(graphs) if path.stat().st_size <= MOST_BYTES]
        listed = subprocess.run([fakeprop, "ops"], capture_output=True, text=True, check=True).stdout
        lines = [path.read_text().splitlines() for path in [*ROOT.glob("testdata/ops/*.calls"), *ROOT.glob("lib/rules/expected_calls/*.calls")]]
        self.archives = sorted(ROOT.glob("testdata/torchscript/*/graph.pt"))
        self.calls = sorted(line for file in lines for line in file if "(" in line)
        self.operators = [line.split()[0] for line in listed.splitlines()[1:] if "::" in line]

    def spec(self, graph):
        path = graph.with_name("inputs.json")
        return path.read_bytes() if path.exists() else None


def archive_of(graph):
    """A .pt2 around a graph of torch.export."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("net/archive_format", "pt2")
        archive.writestr("net/models/model.json", graph)
        archive.writestr("net/data/weights/model_weights_config.json", '{"config": {}}')
        archive.writestr("net/byteorder", "little")
    return file.getvalue()


def torchscript_of(rng):
    """A TorchScript archive whose code or pickle is damaged."""
    code, pickled = big_models.torchscript_code().encode(), big_models.pickled_module()
    if rng.random() < 0.6:
        code = mutate.mutate_bytes(rng, code)
    else:
        pickled = mutate.mutate_bytes(rng, pickled)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in (("data.pkl", pickled), ("code/__torch__.py", code), ("constants.pkl", b"\x80\x02)."), ("version", b"3\n")):
            archive.writestr(f"net/{name}", data)
        for i, (_, shape) in enumerate(big_models.weights()):
            archive.writestr(f"net/data/{i}", bytes(4 * shape[0] * shape[1]))
    return file.getvalue()


def damaged_members(rng, path):
    """An archive of which a member or two are damaged; code and pickles more often than tensors."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    read = [name for name in members if name.endswith((".py", ".pkl"))]
    for _ in range(rng.choice([1, 1, 2])):
        name = rng.choice(read if rng.random() < 0.8 else list(members))
        members[name] = mutate.mutate_bytes(rng, members[name])
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def make_case(rng, seeds, options):
    """The bytes of a graph and of its spec (or None), and whether the spec is damaged."""
    if options.archives:
        path = rng.choice([path for path in seeds.archives if options.archives in path.parent.name])
        return damaged_members(rng, path), seeds.spec(path), False
    if options.calls or rng.random() < 0.3:
        return calls.make_graph(rng, seeds.calls, 20), None, False
    if rng.random() < 0.05:
        spec = {"format": "fakeprop.inputs/1", "inputs": [{"shape": [2, big_models.WIDTH], "dtype": "float32"}]}
        return torchscript_of(rng), json.dumps(spec).encode(), False
    path = rng.choice(seeds.graphs)
    graph, spec = path.read_bytes(), seeds.spec(path)
    how = rng.randrange(10)
    if how == 0:
        return mutate.mutate_bytes(rng, graph), spec, False
    if how == 1 and spec:
        return graph, mutate.mutate_bytes(rng, spec), True
    if how == 2 and spec:
        return graph, mutate.mutate_json(rng, spec, None), True
    if how == 3 and b"graph_module" in graph:
        return mutate.mutate_bytes(rng, archive_of(graph)), spec, False
    if how == 4 and b"graph_module" in graph:
        return archive_of(mutate.mutate_json(rng, graph, seeds.operators)), spec, False
    return mutate.mutate_json(rng, graph, seeds.operators), spec, False


def run(command):
    return subprocess.run(command, capture_output=True, timeout=SECONDS, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))


def trouble(result, command, spec_is_bad):
    """What is wrong with the program's answer; nothing where all is well."""
    errors = [line for line in result.stderr.decode(errors="replace").splitlines() if line.startswith("error[")]
    if result.returncode not in (0, 1, 2):
        return f"exit status {result.returncode}"
    if any("FP9001" in line or "a bug in fakeprop" in line for line in errors) or b'"Internal"' in result.stdout:
        return "an error of class Internal"
    if result.returncode == 2:
        if not errors or (len(errors) > 1 and not spec_is_bad):
            return f"{len(errors)} diagnostics"
        return "something on stdout" if result.stdout else None
    if "show" in command:
        return None if result.stdout else "no table"
    try:
        json.loads(result.stdout)
    except ValueError as error:
        return f"its JSON is broken: {error}"
    return None


def run_case(options, seeds, number, folder):
    rng = random.Random(f"{options.seed}:{number}")
    graph, spec, spec_is_bad = make_case(rng, seeds, options)
    (folder / "graph").write_bytes(graph)
    command = [options.fakeprop, folder / "graph", "--max-memory", MEMORY]
    if spec is not None:
        (folder / "spec").write_bytes(spec)
        command += ["--inputs", folder / "spec"]
    command += rng.choice([[], ["--keep-going"], ["--keep-going"], ["--grad", "off"]])
    if options.crossref and number % options.crossref == 0:
        command += ["--crossref", "--keep-going"][: 1 if "--keep-going" in command else 2]
    elif rng.random() < 0.1:
        command = [options.fakeprop, "show", *(word for word in command[1:] if word != "--keep-going")]
    try:
        result = run(command)
        wrong = trouble(result, command, spec_is_bad)
    except subprocess.TimeoutExpired:
        return f"no end after {SECONDS} s", command, None
    return wrong, command, result


def keep(options, number, folder, wrong, command, result):
    words = " ".join(str(word) for word in command)
    if options.keep:
        kept = pathlib.Path(options.keep, f"{options.seed}_{number}")
        kept.mkdir(parents=True, exist_ok=True)
        for path in folder.iterdir():
            (kept / path.name).write_bytes(path.read_bytes())
        words = words.replace(str(folder), str(kept))
    print(f"case {number} of seed {options.seed}: {wrong}\n  {words}", flush=True)
    for line in (result.stderr.decode(errors="replace").splitlines()[:4] if result else []):
        print(f"  {line[:300]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fakeprop", type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--crossref", type=int, default=10)
    parser.add_argument("--calls", action="store_true")
    parser.add_argument("--archives", metavar="TEXT")
    parser.add_argument("--keep")
    options = parser.parse_args()
    big_models.make_small()
    seeds = Seeds(options.fakeprop)
    statuses, wrongs = {}, 0
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as temporary:
        for number in range(options.first, options.first + options.count):
            wrong, command, result = run_case(options, seeds, number, pathlib.Path(temporary))
            status = result.returncode if result else "hangs"
            statuses[status] = statuses.get(status, 0) + 1
            if wrong:
                wrongs += 1
                keep(options, number, pathlib.Path(temporary), wrong, command, result)
    counts = ", ".join(f"{count} times {status}" for status, count in sorted(statuses.items(), key=str))
    print(f"seed {options.seed}: {options.count} cases, exit status {counts}; {wrongs} wrong")
    return 1 if wrongs else 0


if __name__ == "__main__":
    sys.exit(main())
