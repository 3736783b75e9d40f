#!/usr/bin/env python3
"""Compares FLOPs with torch.utils.flop_counter, node by node, over fake tensors.

    check_flops.py FAKEPROP GRAPH...     graphs of torch.export's JSON; sizes that are symbols have their hints

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
from torch.utils._sympy.value_ranges import ValueRanges
from torch.utils.flop_counter import FlopCounterMode


def load(path):
    data = (lzma.open if path.endswith(".xz") else open)(path, "rb").read()
    program = serialize._bytes_to_dataclass(schema.ExportedProgram, data)
    number = serialize._int_to_sympy_int
    ranges = {name: ValueRanges(number(r.min_val, -serialize.int_oo), number(r.max_val, serialize.int_oo))
              for name, r in program.range_constraints.items()}
    return serialize.GraphModuleDeserializer().deserialize(program.graph_module, {}, {}, None, ranges).graph_module


class Counted(torch.fx.Interpreter):
    def __init__(self, graph):
        super().__init__(graph)
        self.flops, self.subgraphs = {}, {}

    def run_node(self, node):
        if node.op != "call_function":
            return super().run_node(node)
        counter = FlopCounterMode(display=False)
        with counter:
            result = super().run_node(node)
        self.flops[node.name] = counter.get_total_flops()
        self.subgraphs[node.name] = [used.target for used in node.all_input_nodes if used.op == "get_attr"]
        return result


def number(size):
    return size if isinstance(size, (int, float, bool)) else size.node.hint


def concrete(value):
    if not isinstance(value, torch.Tensor):
        return number(value) if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)) else value
    return torch.empty_strided([number(s) for s in value.size()], [number(s) for s in value.stride()], dtype=value.dtype,
                               device=value.device)


def reference(path):
    graph, mode, inputs = load(path), FakeTensorMode(), []
    for node in graph.graph.nodes:
        if node.op == "placeholder":
            value = node.meta["val"]
            with mode:
                inputs.append(concrete(value))
    run = Counted(graph)
    with mode, torch.no_grad():
        run.run(*inputs)
    return run.flops, run.subgraphs


def run(*command):
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def compare(fakeprop, path):
    report = run(fakeprop, "cost", "--format", "json", path)
    if point := report.get("point"):
        report = run(fakeprop, "cost", "--format", "json", path, *(f"--set={name}={value}" for name, value in point.items()))
    ours = {node["name"]: node for node in report["nodes"]}
    compared = wrong = attention = 0
    reference_flops, subgraphs = reference(path)
    for name, flops in reference_flops.items():
        node = ours.get(name, {})
        got = node.get("flops", 0) if node.get("in_flop_counter") else 0
        if flops and not node:  # a condition: the nodes of its branch are listed
            got = sum(inner["flops"] for inner in report["nodes"]
                      if inner.get("subgraph", "").split(".")[0] in subgraphs[name] and inner.get("in_flop_counter"))
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
