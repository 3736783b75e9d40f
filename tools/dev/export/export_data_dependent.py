"""Writes testdata/data_dependent: graphs with the sizes that torch.export recorded, and what every node gives on data.

  python3 tools/dev/export/export_data_dependent.py [FOLDER] [--only NAME]
"""

import argparse
import json
import pathlib

import torch
from torch._export.serde import serialize

import export_graphs
from data_dependent_cases import CASES


def describe(value):
    """Sizes and strides of a tensor, a number itself, lists of them; null for the rest."""
    if isinstance(value, torch.Tensor):
        return {"size": list(value.shape), "stride": list(value.stride()), "offset": value.storage_offset()}
    if isinstance(value, (list, tuple)):
        return [describe(item) for item in value]
    return value if isinstance(value, (bool, int, float)) else None


class Interpreter(torch.fx.Interpreter):
    """Runs the graph on data and keeps what each node returns."""

    def __init__(self, module):
        super().__init__(module)
        self.seen = {}

    def run_node(self, node):
        result = super().run_node(node)
        self.seen[node.name] = describe(result)
        return result


def export(module, inputs, dynamic):
    """The serialized program, and what its nodes give for the inputs."""
    program = torch.export.export(module, inputs, dynamic_shapes=dynamic and {"args": dynamic}, strict=False)
    data = serialize.ExportedProgramSerializer().serialize(program)
    document = json.loads(json.dumps(serialize._dataclass_to_dict(data.exported_program), cls=serialize.EnumEncoder))
    text = export_graphs.without_paths(json.dumps(document, separators=(",", ":")).encode()).decode()
    read_back = serialize.ExportedProgramDeserializer().deserialize(
        data.exported_program, data.state_dict, data.constants, data.example_inputs)
    interpreter = Interpreter(read_back.graph_module)
    constants = [read_back.constants[spec.target] for spec in read_back.graph_signature.input_specs if spec.target]
    interpreter.run(*constants, *[x.clone() for x in inputs])
    return text, interpreter.seen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", default="testdata/data_dependent", type=pathlib.Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, (module, inputs, dynamic) in CASES.items():
        if options.only not in name:
            continue
        try:
            graph, truth = export(module, inputs, dynamic)
        except Exception as e:
            print(f"{name}: {type(e).__name__}: {str(e)[:300]}")
            continue
        (options.folder / f"{name}.json").write_text(graph + "\n")
        lines = ",\n".join(f"{json.dumps(node)}: {json.dumps(value)}" for node, value in truth.items())
        (options.folder / f"{name}.truth.json").write_text("{" + lines + "}\n")
        print(name)


if __name__ == "__main__":
    main()
