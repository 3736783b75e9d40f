#!/usr/bin/env python3
"""fakeprop's job done by PyTorch: reads a static graph, propagates it, writes annotations, prints how long each took.

  tools/dev/benchmark/python_job.py GRAPH -o OUT
"""
import argparse
import json
import lzma
import os
import sys
import time

START = time.process_time()
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../export"))
import annotations  # noqa: E402  (its import of torch is part of what is timed)

IMPORTED = time.process_time()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("-o", required=True)
    args = parser.parse_args()
    opener = lzma.open if args.graph.endswith(".xz") else open
    with opener(args.graph, "rb") as file:
        graph_module = annotations.read_graph(file.read()).graph_module
    loaded = time.process_time()
    mode = annotations.FakeTensorMode()
    nodes = annotations.propagate(graph_module, mode, annotations._fresh_inputs(graph_module, mode))
    propagated = time.process_time()
    storages = annotations._number_storages([nodes])
    with open(args.o, "w") as file:
        json.dump({"nodes": nodes, "storages": storages}, file, default=str)
    print(json.dumps({"import_s": IMPORTED - START, "load_s": loaded - IMPORTED, "propagate_s": propagated - loaded,
                      "write_s": time.process_time() - propagated, "nodes": len(nodes)}), file=sys.stderr)


if __name__ == "__main__":
    main()
