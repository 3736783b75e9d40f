#!/usr/bin/env python3
"""Times counting memory beside propagation, by propagate_benchmark: the fastest of several runs in one process.

  tools/dev/benchmark/memory_benchmark.py GRAPH... [--repeat N]

Counting includes the lifetimes, the peak as expressions and at the hints; for a step of training also the backward pass.
It has to take at most as long as propagation. Needs a built //tools/dev/benchmark:propagate_benchmark.
"""
import argparse
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", nargs="+")
    parser.add_argument("--repeat", type=int, default=20)
    args = parser.parse_args()
    benchmark = os.path.join(ROOT, "bazel-bin/tools/dev/benchmark/propagate_benchmark")
    print(f"{'graph':40} {'nodes':>6} {'propagation ms':>15} {'memory ms':>10} {'':>6} {'training ms':>12} {'':>6}")
    slow = {"memory_ms": [], "training_ms": []}
    for graph in args.graphs:
        done = subprocess.run([benchmark, graph, "--repeat", str(args.repeat)], capture_output=True, text=True)
        if done.returncode:
            print(f"{os.path.basename(graph)[:40]:40} left out: {done.stderr.strip()[:100]}")
            continue
        times = json.loads(done.stdout)
        shares = {}
        for what in slow:
            shares[what] = times[what] / times["propagate_ms"]
            if shares[what] > 1:
                slow[what].append(os.path.basename(graph))
        print(f"{os.path.basename(graph)[:40]:40} {times['nodes']:6} {times['propagate_ms']:15.3f} {times['memory_ms']:10.3f} "
              f"{shares['memory_ms']:6.0%} {times['training_ms']:12.3f} {shares['training_ms']:6.0%}", flush=True)
    for what, graphs in slow.items():
        print(f"{what.split('_')[0]} takes longer than propagation on {len(graphs)} graphs {', '.join(graphs)}")
    return any(slow.values())


if __name__ == "__main__":
    sys.exit(main())
