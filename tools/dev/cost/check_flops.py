#!/usr/bin/env python3
"""Compares FLOPs with torch.utils.flop_counter, node by node, over fake tensors.

    check_flops.py FAKEPROP GRAPH...     static graphs of torch.export's JSON

Nodes whose operator flop_counter counts, itself or by its decomposition, have to have its number. Two kinds are left out:
attention on the CPU, whose kernel flop_counter does not count (its decomposition on other devices is counted), and products
with a vector, which flop_counter takes for zero.
"""
import json
import lzma
import subprocess
import sys

import torch
from torch._export.serde import schema, serialize
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils.flop_counter import FlopCounterMode


def load(path):
    data = (lzma.open if path.endswith(".xz") else open)(path, "rb").read()
    program = serialize._bytes_to_dataclass(schema.ExportedProgram, data)
    return serialize.GraphModuleDeserializer().deserialize(program.graph_module, {}, {}).graph_module


class Counted(torch.fx.Interpreter):
    def __init__(self, graph):
        super().__init__(graph)
        self.flops = {}

    def run_node(self, node):
        if node.op != "call_function":
            return super().run_node(node)
        counter = FlopCounterMode(display=False)
        with counter:
            result = super().run_node(node)
        self.flops[node.name] = counter.get_total_flops()
        return result


def reference(path):
    graph, mode, inputs = load(path), FakeTensorMode(), []
    for node in graph.graph.nodes:
        if node.op == "placeholder":
            value = node.meta["val"]
            with mode:
                inputs.append(torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device=value.device)
                              if isinstance(value, torch.Tensor) else value)
    run = Counted(graph)
    with mode, torch.no_grad():
        run.run(*inputs)
    return run.flops


def compare(fakeprop, path):
    text = subprocess.run([fakeprop, "cost", "--format", "json", path], capture_output=True, text=True, check=True).stdout
    report = json.loads(text)
    ours = {node["name"]: node for node in report["nodes"]}
    compared = wrong = attention = 0
    for name, flops in reference(path).items():
        node = ours.get(name, {})
        got = node.get("flops", 0) if node.get("in_flop_counter") else 0
        if flops == 0 and "attention" in node.get("op", ""):
            attention += 1
            continue
        if flops == 0 and node.get("op", "").startswith("aten.matmul"):
            continue
        if flops or got:
            compared += 1
        if flops != got and not (flops and node.get("subgraph")):
            wrong += 1
            print(f"{path}: {name} {node.get('op')}: {got}, flop_counter {flops}")
    print(f"{path}: {compared} nodes compared, {wrong} differ, {attention} attention calls left out; "
          f"{len(report['uncounted'])} uncounted of {len(ours)}: {sorted({ours[n]['op'] for n in report['uncounted']})}")
    return wrong


def main():
    fakeprop, *graphs = sys.argv[1:]
    wrong = 0
    for path in graphs:
        try:
            wrong += compare(fakeprop, path)
        except Exception as error:
            print(f"{path}: left out: {type(error).__name__}: {str(error)[:150]}")
    return wrong > 0


sys.exit(main())
