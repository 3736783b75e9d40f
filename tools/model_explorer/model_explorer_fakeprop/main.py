"""An adapter for Model Explorer: PyTorch graphs with the shapes that fakeprop computes. fakeprop has to be on the PATH."""
import json
import subprocess

from model_explorer import Adapter, AdapterMetadata, ModelExplorerGraphs, graph_builder


def graph_of(data):
    """The graph that `fakeprop report --model-explorer` wrote, as Model Explorer's classes."""
    return graph_builder.Graph(id=data["id"], nodes=[node_of(node) for node in data["nodes"]])


def node_of(data):
    return graph_builder.GraphNode(
        id=data["id"], label=data["label"], namespace=data["namespace"], attrs=attributes(data["attrs"]),
        incomingEdges=[graph_builder.IncomingEdge(**edge) for edge in data["incomingEdges"]],
        outputsMetadata=[graph_builder.MetadataItem(id=item["id"], attrs=attributes(item["attrs"])) for item in data["outputsMetadata"]])


def attributes(data):
    return [graph_builder.KeyValue(**item) for item in data]


class FakepropAdapter(Adapter):
    metadata = AdapterMetadata(
        id="fakeprop", name="fakeprop", description="PyTorch graphs with the shapes that fakeprop computes",
        source_repo="", fileExts=["pt2", "pt", "json", "gz", "xz", "zst"])

    def convert(self, model_path: str, settings: dict) -> ModelExplorerGraphs:
        # A graph that does not propagate is shown all the same: fakeprop then ends with 1.
        ran = subprocess.run(["fakeprop", "report", "--model-explorer", "-q", model_path], capture_output=True, text=True, check=False)
        if ran.returncode not in (0, 1):
            raise RuntimeError(ran.stderr)
        return {"graphs": [graph_of(graph) for graph in json.loads(ran.stdout)["graphs"]]}
