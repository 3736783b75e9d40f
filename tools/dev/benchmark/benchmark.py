#!/usr/bin/env python3
"""Times fakeprop beside PyTorch on the same graphs in the same run.

  tools/dev/benchmark/benchmark.py GRAPH... [--runs N]

For each graph: nanoseconds a node of propagation alone (fakeprop's own benchmark program, and FakeTensorProp), and the
processor time of whole processes from start to written file (fakeprop, and a Python script that does the same job). Needs a
built //tools:fakeprop and //tools/dev/benchmark:propagate_benchmark, and torch for the Python side.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PYTHON_JOB = os.path.join(ROOT, "tools/dev/benchmark/python_job.py")


def processor(command, runs):
    """The least processor time of a run of a command, in seconds, and its last standard error."""
    best, errors = float("inf"), ""
    for _ in range(runs):
        before = used_by_children()
        process = subprocess.run(command, capture_output=True, text=True)
        best = min(best, used_by_children() - before)
        errors = process.stderr
        if process.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)}: {errors}")
    return best, errors


def used_by_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


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
            our_time, _ = processor([fakeprop, graph, "--keep-going", "-o", out], args.runs)
            python_time, errors = processor([sys.executable, PYTHON_JOB, graph, "-o", out], 1)
        python = json.loads(errors.strip().splitlines()[-1])
        print(f"{os.path.basename(graph)[:32]:32} {ours['nodes']:6} {ours['propagate_ns_per_node']:13.0f} "
              f"{python['propagate_s'] * 1e9 / python['nodes']:15.0f} {our_time:8.4f} {python_time:9.2f} {python_time / our_time:6.0f}")


if __name__ == "__main__":
    main()
