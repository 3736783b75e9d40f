#!/usr/bin/env python3
"""Records testdata/memory/peaks.json: the peak of live bytes of the graphs in graphs/ and testdata/joint, as PyTorch runs them.

    record_peaks.py [--check]

torch.fx.Interpreter runs each graph over fake tensors and drops a value after its last user. After each node, before what
died with it is dropped, the script sums the bytes of all storages that a live value or a placeholder stands on.
"""
import argparse
import json
import pathlib
import sys

import torch
from torch._export.serde import schema, serialize
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_leaves

ROOT = pathlib.Path(__file__).resolve().parents[3]
PEAKS = ROOT / "testdata/memory/peaks.json"


def load(path):
    program = serialize._bytes_to_dataclass(schema.ExportedProgram, path.read_bytes())
    return serialize.GraphModuleDeserializer().deserialize(program.graph_module, {}, {}).graph_module


class LiveBytes(torch.fx.Interpreter):
    def __init__(self, graph):
        super().__init__(graph)
        self.peak, self.node, self.held = 0, None, {}

    @staticmethod
    def storages(values):
        tensors = [value for value in tree_leaves(values) if isinstance(value, torch.Tensor)]
        return {tensor.untyped_storage()._cdata: tensor.untyped_storage().nbytes() for tensor in tensors}

    def run_node(self, node):
        for unused in [n for n in self.env if not n.users and n.op != "placeholder"]:
            del self.env[unused]
        result = super().run_node(node)
        if node.op == "placeholder":
            self.held.update(self.storages(result))
            return result
        alive = sum((self.held | self.storages([list(self.env.values()), result])).values())
        if alive > self.peak:
            self.peak, self.node = alive, node.name
        return result


def peak(path):
    graph, mode = load(path), FakeTensorMode()
    inputs = []
    for node in graph.graph.nodes:
        if node.op == "placeholder":
            value = node.meta["val"]
            with mode:
                inputs.append(torch.empty_strided(value.size(), value.stride(), dtype=value.dtype) if isinstance(value, torch.Tensor) else value)
    run = LiveBytes(graph)
    with mode:
        run.run(*inputs)
    return {"bytes": run.peak, "node": run.node}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    check = parser.parse_args().check
    peaks = {}
    for path in sorted([*ROOT.glob("graphs/*/graph.json"), *ROOT.glob("testdata/joint/*/graph.json")]):
        try:
            peaks[str(path.relative_to(ROOT))] = peak(path)
        except Exception as error:
            print(f"{path}: left out: {type(error).__name__}: {str(error)[:100]}", file=sys.stderr)
    text = json.dumps(peaks, indent=1) + "\n"
    if check:
        return text != PEAKS.read_text()
    PEAKS.parent.mkdir(exist_ok=True)
    PEAKS.write_text(text)
    return 0


sys.exit(main())
