#!/usr/bin/env python3
"""Runs exported graphs on a CUDA device, with random weights and inputs, and writes what each node returned.

    $ tools/dev/truth/models_on_cuda.py answers.json GRAPH...        needs a card, and torch built for it

GRAPH is the JSON of an exported program without symbols, compressed or not. Its tensors and device arguments are moved to
cuda:0, as `fakeprop --device cuda:0` moves them. compare_on_cuda.py compares the answers with fakeprop's.
"""
import json
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "values"))
from check_models import INTEGERS, graph_module_of, read  # noqa: E402


def moved(value, device):
    return torch.device(device) if isinstance(value, torch.device) else value


def move_arguments(module, device):
    for part in module.modules():
        if isinstance(part, torch.fx.GraphModule):
            for node in part.graph.nodes:
                node.args = torch.fx.node.map_aggregate(node.args, lambda v: moved(v, device))
                node.kwargs = torch.fx.node.map_aggregate(node.kwargs, lambda v: moved(v, device))
            part.recompile()


def tensor_like(fake, device):
    """A tensor of that layout: small numbers, and zeros for integers, which may be indices."""
    made = torch.empty_strided(list(fake.shape), list(fake.stride()), dtype=fake.dtype, device=device)
    return made.zero_() if fake.dtype in INTEGERS or fake.is_complex() else made.copy_(torch.rand(fake.shape, device=device) * 0.1)


def metadata(value):
    if isinstance(value, torch.Tensor):
        return [list(value.shape), list(value.stride()), str(value.dtype).removeprefix("torch."), str(value.device)]
    if isinstance(value, (list, tuple)):
        return [metadata(v) for v in value]
    return None


class Recorder(torch.fx.Interpreter):
    def __init__(self, module, found):
        super().__init__(module)
        self.found = found

    def run_node(self, node):
        result = super().run_node(node)
        if node.op == "call_function":
            self.found[node.name] = metadata(result)
        return result


def answers(path, device):
    module = graph_module_of(json.loads(read(path)))
    inputs = []
    for node in module.graph.find_nodes(op="placeholder"):
        fake = node.meta.get("val")
        inputs.append(tensor_like(fake, device) if isinstance(fake, torch.Tensor) else fake)
    move_arguments(module, device)
    found = {}
    try:
        with torch.no_grad():
            Recorder(module, found).run(*inputs)
        if device != "cpu":
            torch.cuda.synchronize()
        return {"nodes": found}
    except Exception as error:
        return {"nodes": found, "error": str(error).splitlines()[0][:200]}


def main():
    device = "cuda:0" if torch.cuda.is_available() else "cpu"
    name = torch.cuda.get_device_name() if device != "cpu" else "cpu"
    result = {"torch": torch.__version__, "device": name, "graphs": {}}
    for path in sys.argv[2:]:
        try:
            result["graphs"][pathlib.Path(path).name] = answers(path, device)
        except Exception as error:
            result["graphs"][pathlib.Path(path).name] = {"nodes": {}, "error": str(error).splitlines()[0][:200]}
        pathlib.Path(sys.argv[1]).write_text(json.dumps(result, separators=(",", ":")))
        print(path, len(result["graphs"][pathlib.Path(path).name]["nodes"]), result["graphs"][pathlib.Path(path).name].get("error", ""))


if __name__ == "__main__":
    main()
