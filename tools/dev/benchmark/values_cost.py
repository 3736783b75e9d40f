#!/usr/bin/env python3
"""What value ranges cost beside propagation, graph by graph.

    bazel build //tools/dev/benchmark:propagate_benchmark
    tools/dev/benchmark/values_cost.py [--repeat N] GRAPH...

prints for each graph the fastest of N propagations, the fastest of N analyses of its value ranges, and their ratio, and
at the end the median and the largest ratio. In a graph of torch.fx the operators that Python functions call are kept for
the analysis; keeping them counts as part of it. An inputs.json beside a graph is its spec.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
BENCHMARK = ROOT / "bazel-bin/tools/dev/benchmark/propagate_benchmark"


def measure(graph, repeat):
    """The benchmark's figures in milliseconds, or nothing if it cannot read the graph."""
    spec = pathlib.Path(graph).parent / "inputs.json"
    inputs = ["--inputs", str(spec)] if spec.exists() else []
    run = subprocess.run([BENCHMARK, graph, "--repeat", str(repeat), *inputs], capture_output=True, text=True)
    return json.loads(run.stdout) if run.returncode == 0 else None


def keeps_calls(graph):
    """Whether the graph is one of torch.fx: in others no node calls operators inside."""
    with open(graph, "rb") as file:
        return b"fakeprop.fx" in file.read(200)


def cost_of(figures, with_calls):
    """Milliseconds of propagation, and of all that value ranges add."""
    plain = figures["propagate_ms"]
    if not with_calls:
        return plain, figures["values_ms"]
    return plain, figures["values_of_calls_ms"] + max(figures["propagate_with_calls_ms"] - plain, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=100)
    parser.add_argument("graphs", nargs="+")
    options = parser.parse_args()
    ratios = []
    for graph in options.graphs:
        figures = measure(graph, options.repeat)
        if not figures:
            print(f"{graph}: unreadable", file=sys.stderr)
            continue
        plain, added = cost_of(figures, keeps_calls(graph))
        ratios.append((added / plain, graph))
        print(f"{plain:9.4f} ms  {added:8.4f} ms  {added / plain:6.1%}  {figures['nodes']:6} nodes  {graph}")
    if ratios:
        print(f"{len(ratios)} graphs: median {statistics.median(r for r, _ in ratios):.1%}, "
              f"largest {max(ratios)[0]:.1%} ({max(ratios)[1]})")


if __name__ == "__main__":
    main()
