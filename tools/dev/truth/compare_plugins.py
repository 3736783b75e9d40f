#!/usr/bin/env python3
"""Compares what the program prints with the LibTorch fallbacks of two versions of LibTorch. It has to be the same.

    $ tools/dev/truth/compare_plugins.py bazel-bin/tools/fakeprop A/libfakeprop_libtorch.so B/libfakeprop_libtorch.so [GRAPH...]

The graphs hold the calls of testdata/ops, lib/rules/expected_calls and lib/rules/words.calls; graphs can be given instead. Prints the
lines that differ. Both libraries have to be built from the same sources as the program.
"""

import argparse
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools/dev/robustness"))

from calls import GraphMaker, NoCall  # noqa: E402

CALLS_OF_A_GRAPH = 60  # a run asks eager PyTorch about 64 errors


class Unchanged:
    """Stands for random numbers with which GraphMaker leaves the calls as they are."""

    @staticmethod
    def random():
        return 0.5


def call_lines():
    files = [*sorted(ROOT.glob("testdata/ops/*.calls")), *sorted(ROOT.glob("lib/rules/expected_calls/*.calls")), ROOT / "lib/rules/words.calls"]
    return [line for file in files for line in file.read_text().splitlines() if " -> " in line and not line.startswith("#")]


def graphs_of(lines):
    for start in range(0, len(lines), CALLS_OF_A_GRAPH):
        maker = GraphMaker(Unchanged)
        for line in lines[start:start + CALLS_OF_A_GRAPH]:
            try:
                maker.add_call(line)
            except NoCall:
                continue
        yield maker.text()


def printed(fakeprop, plugin, graph):
    """The annotations and the diagnostics, by line."""
    ran = subprocess.run([fakeprop, graph, "--keep-going"], env=os.environ | {"FAKEPROP_LIBTORCH": plugin}, capture_output=True,
                         text=True, check=False)
    return (ran.stdout + ran.stderr).splitlines()


def differing(options, graph):
    a, b = (printed(options.fakeprop, plugin, graph) for plugin in (options.a, options.b))
    return [line for line in difflib.unified_diff(a, b, lineterm="", n=0) if line[:1] in "+-" and line[:3] not in ("+++", "---")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("fakeprop", "a", "b"):
        parser.add_argument(name)
    parser.add_argument("graphs", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        graphs = list(options.graphs)
        for number, text in enumerate(() if graphs else graphs_of(call_lines())):
            graphs.append(f"{folder}/{number}.json")
            pathlib.Path(graphs[-1]).write_bytes(text)
        lines = [line for graph in graphs for line in differing(options, graph)]
    print(*lines, f"{len(graphs)} graphs, {len(lines)} lines differ", sep="\n")
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
