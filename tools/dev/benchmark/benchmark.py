#!/usr/bin/env python3
"""Times fakeprop beside PyTorch on the same graphs in the same run.

  tools/dev/benchmark/benchmark.py GRAPH... [--runs N]

For each graph: nanoseconds a node of propagation alone (fakeprop's own benchmark program, and FakeTensorProp), and the
whole process from start to written file (fakeprop, and a Python script that does the same job). Needs a built
//tools:fakeprop and //tools/benchmark:propagate_benchmark, and torch for the Python side.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PYTHON_JOB = os.path.join(ROOT, "tools/dev/benchmark/python_job.py")


def wall(command, runs):
    """The fastest run of a command, in seconds, and its last standard error."""
    best, errors = float("inf"), ""
    for _ in range(runs):
        start = time.perf_counter()
        process = subprocess.run(command, capture_output=True, text=True)
        best = min(best, time.perf_counter() - start)
        errors = process.stderr
        if process.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)}: {errors}")
    return best, errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", nargs="+")
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    fakeprop = os.path.join(ROOT, "bazel-bin/tools/fakeprop")
    benchmark = os.path.join(ROOT, "bazel-bin/tools/dev/benchmark/propagate_benchmark")
    print(f"{'graph':32} {'nodes':>6} {'ours ns/node':>13} {'Python ns/node':>15} {'ours s':>8} {'Python s':>9} {'times':>6}")
    for graph in args.graphs:
        ours = json.loads(subprocess.run([benchmark, graph], capture_output=True, text=True, check=True).stdout)
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.json")
            our_wall, _ = wall([fakeprop, graph, "--keep-going", "-o", out], args.runs)
            python_wall, errors = wall([sys.executable, PYTHON_JOB, graph, "-o", out], 1)
        python = json.loads(errors.strip().splitlines()[-1])
        print(f"{os.path.basename(graph)[:32]:32} {ours['nodes']:6} {ours['propagate_ns_per_node']:13.0f} "
              f"{python['propagate_s'] * 1e9 / python['nodes']:15.0f} {our_wall:8.3f} {python_wall:9.2f} {python_wall / our_wall:6.0f}")


if __name__ == "__main__":
    main()
