"""Annotations of an exported graph as PyTorch's own FakeTensorProp computes them.

The graph is read back from its serialized bytes by torch's deserializer, so that nodes carry the names which PyTorch
builds from the file. Every value is described the moment its node returns: a later change of metadata in place does
not reach it. `requires_grad` is that of the live value.
"""

import json
import math

import torch
from torch._export.serde import schema, serialize
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.passes.fake_tensor_prop import FakeTensorProp


def read_graph(data):
    """The deserialized graph module with its signature, from the bytes of a serialized exported program."""
    program = serialize._bytes_to_dataclass(schema.ExportedProgram, data)
    return serialize.GraphModuleDeserializer().deserialize(program.graph_module, {}, {}, None, {})


def annotate(data, source, mode=None):
    """The annotations of a static graph. Where a node raises, its entry says so and is the last."""
    graph_module = read_graph(data).graph_module
    mode = mode or FakeTensorMode()
    return annotate_module(graph_module, mode, _fresh_inputs(graph_module, mode), source, "torch.export")


def annotate_module(graph_module, mode, inputs, source, kind):
    """The same, of a graph module whose tensors are fakes of the mode."""
    subgraphs = {}
    _record_subgraphs(graph_module, mode, subgraphs)
    nodes = propagate(graph_module, mode, inputs)
    storages = _number_storages([nodes, *subgraphs.values()])
    annotations = {
        "format": "fakeprop.annotations/1",
        "generator": {"torch": torch.__version__.split("+")[0]},
        "graph": {"source": source, "kind": kind},
        "storages": storages,
        "nodes": nodes,
    }
    if subgraphs:
        annotations["subgraphs"] = {path: {"nodes": entries} for path, entries in subgraphs.items()}
    return annotations


def propagate(graph_module, mode, inputs):
    """Runs the graph on fakes of the mode. Returns an entry for each node, up to the first that raises."""
    entries = []
    try:
        Recorder(graph_module, mode, entries).propagate_dont_convert_inputs(*inputs)
    except Exception:
        if "error" not in entries[-1]:
            raise
    return entries


def input_spec(data):
    """The input spec that names shape and dtype of each user input."""
    result = read_graph(data)
    user_inputs = set(result.signature.user_inputs)
    inputs = {}
    for node in result.graph_module.graph.find_nodes(op="placeholder"):
        if node.name in user_inputs:
            value = node.meta["val"]
            inputs[node.name] = {"shape": list(value.shape), "dtype": _short(value.dtype)}
    return {"format": "fakeprop.inputs/1", "inputs": inputs}


def to_text(document):
    """JSON with one line for each storage, node and input."""
    return _to_text(document, "") + "\n"


class Recorder(FakeTensorProp):
    """Appends an entry for each node that runs, the failing one included."""

    def __init__(self, graph_module, mode, entries):
        super().__init__(graph_module, mode)
        self.entries = entries

    def run_node(self, node):
        entry = {"name": node.name, "op": node.op, "target": _target(node)}
        self.entries.append(entry)
        if node.target is torch.ops.higher_order.invoke_subgraph:
            # Else FakeTensorProp runs the first call on detached snapshots of its arguments.
            self.seen_subgraphs.add(node.args[1])
        try:
            result = super().run_node(node)
        except Exception:
            entry["error"] = True
            raise
        if isinstance(result, torch.fx.GraphModule):
            entry["meta"] = {"val": {"type": "graph", "name": node.target}}
        else:
            entry["meta"] = {"val": _describe(result)}
        return result


def _record_subgraphs(graph_module, mode, subgraphs):
    """Has each subgraph run under a recorder of its own, the first time that an operator calls it.

    Runs that trace the graph for a gradient do not count.
    """
    for path, module in graph_module.named_modules():
        if path and isinstance(module, torch.fx.GraphModule):
            module.forward = _recording_forward(path, module, mode, subgraphs)


def _recording_forward(path, module, mode, subgraphs):
    def forward(*args):
        entries = []
        if torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.PROXY) is None:
            subgraphs.setdefault(path, entries)
        return Recorder(module, mode, entries).run(*args)

    return forward


def _fresh_inputs(graph_module, mode):
    """A fake for each placeholder, on a storage of its own; those that require grad are leaves."""
    for node in graph_module.graph.find_nodes(op="placeholder"):
        value = node.meta["val"]
        if not isinstance(value, torch.Tensor):
            yield value
            continue
        with mode:
            fake = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)
        yield fake.requires_grad_(value.requires_grad)


def _describe(value):
    if isinstance(value, torch.Tensor):
        return _describe_tensor(value)
    if isinstance(value, (list, tuple)):
        return [_describe(item) for item in value]
    if isinstance(value, dict):
        return {"type": "dict", "items": [[_describe(key), _describe(item)] for key, item in value.items()]}
    if isinstance(value, float) and not math.isfinite(value):
        return {"type": "float", "value": {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    for kind in (torch.dtype, torch.device, torch.layout, torch.memory_format):
        if isinstance(value, kind):
            return {"type": kind.__name__, "value": _short(value)}
    if isinstance(value, torch.ScriptObject):
        return {"type": "object", "class": value._type().qualified_name()}
    raise TypeError(f"no spelling for a value of type {type(value).__name__}")


def _describe_tensor(value):
    described = {
        "type": "tensor",
        "shape": [_size(size) for size in value.shape],
        "stride": [_size(stride) for stride in value.stride()],
        "storage_offset": _size(value.storage_offset()),
        "dtype": _short(value.dtype),
        "device": str(value.device),
        "layout": _short(value.layout),
        "requires_grad": value.requires_grad,
        "storage": value.untyped_storage(),  # a number takes its place once all nodes have run
    }
    for bit in ("is_conj", "is_neg"):
        if getattr(value, bit)():
            described[bit] = True
    return described


def _size(size):
    """A number, or the text of an expression over symbols."""
    return size if isinstance(size, int) else str(size)


def _number_storages(graphs):
    """Replaces storages by numbers in first-seen order; returns the table of their final sizes."""
    numbers, table = {}, []
    for entries in graphs:
        for entry in entries:
            for tensor in _tensors(entry.get("meta", {}).get("val")):
                storage = tensor["storage"]
                number = numbers.setdefault(storage._cdata, len(table))
                if number == len(table):
                    table.append({"id": number, "nbytes": _size(storage.nbytes()), "device": tensor["device"]})
                tensor["storage"] = number
    return table


def _tensors(described):
    if isinstance(described, list):
        for item in described:
            yield from _tensors(item)
    elif isinstance(described, dict) and described["type"] == "tensor":
        yield described
    elif isinstance(described, dict) and described["type"] == "dict":
        yield from _tensors(described["items"])


def _target(node):
    """The target as the serialized graph spells it."""
    if isinstance(node.target, str):
        return node.target
    return serialize.GraphModuleSerializer.serialize_operator(None, node.target)


def _short(name):
    return str(name).removeprefix("torch.")


def _to_text(value, indent):
    """Opens what holds objects, and writes everything else, and each item of a list, on one line."""
    if not _holds_objects(value):
        return json.dumps(value)
    inner = indent + "  "
    if isinstance(value, list):
        rows = [f"{inner}{json.dumps(item)}" for item in value]
        return "[\n" + ",\n".join(rows) + f"\n{indent}]"
    rows = [f"{inner}{json.dumps(key)}: {_to_text(item, inner)}" for key, item in value.items()]
    return "{\n" + ",\n".join(rows) + f"\n{indent}}}"


def _holds_objects(value):
    if isinstance(value, dict):
        return any(isinstance(item, dict) or _holds_objects(item) for item in value.values())
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)
