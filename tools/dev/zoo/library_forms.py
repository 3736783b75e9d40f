"""A model in one form: the graph that PyTorch makes of it, PyTorch's values, eager's values and ours, compared one by one.

Each form returns what `outcome` makes. FakeTensorProp's answer is the first to compare with; wherever it or ours differs from
eager on real tensors, eager decides.
"""

import copy
import inspect
import json
import re
import subprocess

import torch
from torch._export.serde import serialize
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export.graph_signature import InputKind
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils import _pytree as pytree

import annotations
import check_fx
import check_zoo
import export_fx
import export_scripts
import fakeprop_fx


class Refused(Exception):
    """fakeprop ends with an error."""


def propagate(fakeprop, graph, folder, *options):
    out = folder / "out.json"
    run = subprocess.run([fakeprop, str(graph), "-o", str(out), *map(str, options)], capture_output=True, text=True, check=False, timeout=300)
    if run.returncode:
        raise Refused(run.stderr[:1500])
    return json.loads(out.read_text())["nodes"]


# ---- values


class EagerRecorder(torch.fx.Interpreter):
    """Runs a graph on real tensors and describes each value the moment its node returns."""

    def __init__(self, module):
        super().__init__(module, garbage_collect_values=False)
        self.entries = []

    def run_node(self, node):
        result = super().run_node(node)
        if not isinstance(result, torch.fx.GraphModule):
            self.entries.append({"name": node.name, "meta": {"val": annotations._describe(result)}})
        return result


def eager_entries(module, inputs):
    """What eager gives each node, up to the first that fails, and its error."""
    recorder, error = EagerRecorder(module), ""
    try:
        recorder.run(*inputs)
    except Exception as raised:
        error = first_line(raised)
    annotations._number_storages([recorder.entries])
    return recorder.entries, error


def by_name(entries):
    return {entry["name"]: entry["meta"]["val"] for entry in entries if "val" in entry.get("meta", {})}


def leaves(value):
    """A described value in parts: each tensor or number."""
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    if isinstance(value, dict) and value.get("type") == "dict":
        return leaves(value["items"])
    return [value]


FIELDS = ("shape", "storage_offset", "dtype", "device", "layout", "requires_grad", "is_conj", "is_neg")


class Comparison:
    """Whether two descriptions say the same, storages by which tensors share them."""

    def __init__(self):
        self.there, self.back = {}, {}

    def is_same(self, a, b):
        if not isinstance(a, dict) or not isinstance(b, dict) or a.get("type") != "tensor" or b.get("type") != "tensor":
            return a == b or (isinstance(a, float) and isinstance(b, (int, float)))
        return all(a.get(key) == b.get(key) for key in FIELDS) and same_strides(a, b) and self.same_storage(a, b)

    def same_storage(self, a, b):
        there, back = self.there.setdefault(a["storage"], b["storage"]), self.back.setdefault(b["storage"], a["storage"])
        return there == b["storage"] and back == a["storage"]


def same_strides(a, b):
    if 0 in a["shape"]:
        return True
    return all(x == y for size, x, y in zip(a["shape"], a["stride"], b["stride"]) if size != 1)


def differing(ours, theirs):
    """The names of nodes that both have with different values."""
    comparison, names = Comparison(), set()
    for name, value in ours.items():
        if name in theirs:
            a, b = leaves(value), leaves(theirs[name])
            if len(a) != len(b) or not all([comparison.is_same(x, y) for x, y in zip(a, b)]):
                names.add(name)
    return names


def outcome(ours, fake, eager=None, note=""):
    """The counts of one form, and each difference with all three answers."""
    ours, fake, eager = by_name(ours), by_name(fake), by_name(eager or [])
    missing = sorted(set(fake) - set(ours))
    from_fake, from_eager = differing(ours, fake), differing(ours, eager)
    result = {"values": sum(len(leaves(value)) for value in fake.values()), "eager_values": sum(len(leaves(ours[n])) for n in eager if n in ours)}
    row = lambda name: {"node": name, "ours": ours[name], "fake": fake.get(name), "eager": eager.get(name)}
    result["as_eager"] = [row(name) for name in ours if name in from_fake and name in eager and name not in from_eager][:20]
    wrong = [name for name in ours if name in from_eager or (name in from_fake and name not in eager)]
    result["wrong"] = [row(name) for name in wrong][:20] + [{"node": name, "ours": None} for name in missing[:3]]
    if note:
        result["note"] = note
    return result


def first_line(error):
    return f"{type(error).__name__}: " + (str(error).strip().splitlines() or [""])[0][:200]


# ---- forms


class Forms(check_zoo.EntryCase):
    def __init__(self, fakeprop, entry, folder):
        super().__init__(fakeprop, entry, folder)
        self.program = None

    def exported(self):
        if self.program is None:
            self.program = torch.export.export(self.model(), self.inputs(), strict=False)
        return self.program

    def save(self, program, name):
        data = serialize.serialize(program, serialize_state_dict=False, serialize_constants=False).exported_program
        path = self.folder / f"{name}.json"
        path.write_bytes(data)
        return path, data

    def of_program(self, program, name):
        path, data = self.save(program, name)
        fake = annotations.annotate(data, path.name, FakeTensorMode(shape_env=ShapeEnv()))["nodes"]
        check_fake(fake)
        eager, error = eager_entries(annotations.read_graph(data).graph_module, real_inputs(program, data, self.inputs()))
        return outcome(propagate(self.fakeprop, path, self.folder), fake, eager, error)

    def eager(self):
        """Whether the model runs at all."""
        with torch.no_grad():
            self.model()(*self.inputs())
        return {"values": 0, "wrong": []}

    def export(self):
        return self.of_program(self.exported(), "export")

    def train(self):
        return self.of_program(torch.export.export(self.model(True), self.inputs(), strict=False), "train")

    def joint(self):
        from torch.export.experimental import _export_forward_backward
        program = torch.export.export(check_zoo.Loss(self.model(True)), self.inputs(), strict=False)
        return self.of_program(_export_forward_backward(program), "joint")

    def cuda(self):
        """The exported graph with every device a cuda one, without autograd, which asks for a GPU. Eager has no say."""
        path, data = self.save(self.exported(), "cuda")
        moved = json.dumps(to_cuda(json.loads(data))).encode()
        with torch.no_grad():
            fake = annotations.annotate(moved, path.name, FakeTensorMode(shape_env=ShapeEnv()))["nodes"]
        check_fake(fake)
        return outcome(propagate(self.fakeprop, path, self.folder, "--device", "cuda:0", "--grad", "off"), fake)

    def dynamic(self):
        """Every size dynamic that can be: against what export recorded, and with the example's sizes against eager."""
        inputs = self.inputs()
        program = torch.export.export(self.model(), inputs, dynamic_shapes=all_dynamic(self.model(), inputs), strict=False)
        path, data = self.save(program, "dynamic")
        lint = subprocess.run([self.fakeprop, "lint", "--recorded", str(path)], capture_output=True, text=True, check=False, timeout=300)
        eager, error = eager_entries(annotations.read_graph(data).graph_module, real_inputs(program, data, inputs))
        if error:
            raise RuntimeError(f"the graph fails in eager: {error}")
        ours = self.at_hints(path)
        result = outcome(ours, [], eager)
        result["values"] = len(json.loads(data)["graph_module"]["graph"]["tensor_values"])
        if lint.returncode:
            result["as_eager"] = as_eager(lint.stdout, by_name(ours), by_name(eager))
        if lint.returncode and not result["as_eager"]:
            result["wrong"].append({"node": "lint --recorded", "ours": (lint.stdout + lint.stderr)[:1500]})
        return result

    def at_hints(self, path):
        """The values with the example's sizes; none where a number depends on data and has only a symbol."""
        try:
            return propagate(self.fakeprop, path, self.folder, "--no-symbolic")
        except Refused as refused:
            if "FP3010" in str(refused):
                return []
            raise

    def fx(self, capture):
        inputs = self.inputs()
        module, flat = capture(self.model(), inputs)
        fake = export_fx.expect(module, flat)["nodes"]
        check_fake(fake)
        graph, spec = self.folder / "fx.json", self.folder / "fx_inputs.json"
        fakeprop_fx.save(module, graph)
        spec.write_text(json.dumps(export_fx.input_spec(module, flat)))
        eager, error = eager_entries(copy.deepcopy(module), flat)
        return outcome(propagate(self.fakeprop, graph, self.folder, "--inputs", spec), fake, eager, error)

    def make_fx(self):
        return self.fx(check_fx.CAPTURES["make_fx"])

    def symbolic_trace(self):
        return self.fx(check_fx.CAPTURES["symbolic_trace"])

    def archive(self, module, name):
        path, spec, out = (self.folder / file for file in (f"{name}.pt", "script_inputs.json", "out.json"))
        torch.jit.save(module, str(path))
        inputs = self.inputs()
        loaded = torch.jit.load(str(path))
        values, _ = export_scripts.run(loaded, "forward", inputs)
        for name in changed_later(loaded.inlined_graph):
            values.pop(name, None)
        spec.write_text(json.dumps(export_scripts.spec_of(inputs)))
        propagate(self.fakeprop, path, self.folder, "--inputs", spec)
        wrong = check_zoo.compare_values(values, [], json.loads(out.read_text()))
        count = sum(value is not None for value in values.values())
        return {"values": count, "eager_values": count, "as_eager": [], "wrong": [{"node": "run", "ours": wrong}] if wrong else []}

    def trace(self):
        return self.archive(torch.jit.trace(self.model(), self.inputs(), check_trace=False, strict=False), "trace")

    def script(self):
        return self.archive(torch.jit.script(self.model()), "script")


FORMS = ("export", "cuda", "dynamic", "train", "joint", "make_fx", "symbolic_trace", "trace", "script")


METADATA_CHANGES = {f"aten::{name}_" for name in ("unsqueeze", "squeeze", "transpose", "t", "swapaxes", "swapdims", "resize", "set", "detach", "as_strided")}


def changed_later(graph):
    """Values whose metadata another node changes in place: after the run they are what that node's result is."""
    for node in graph.nodes():
        if node.kind() in METADATA_CHANGES:
            yield next(node.inputs()).debugName()


def all_dynamic(model, inputs):
    dims = pytree.tree_map(lambda x: {i: torch.export.Dim.AUTO for i in range(x.dim())} if isinstance(x, torch.Tensor) else None, inputs)
    kinds = [parameter.kind for parameter in inspect.signature(model.forward).parameters.values()]
    return (dims,) if kinds == [inspect.Parameter.VAR_POSITIONAL] else dims


def as_eager(findings, ours, eager):
    """The nodes of lint's findings, if all that it finds is records which eager does not agree with, and eager agrees with us."""
    nodes = set(re.findall(r"of `(\S+)` is .* but was recorded as", findings))
    wrong = differing(ours, eager)
    is_explained = nodes and findings.count("error[") == findings.count("error[FP4001]") and nodes <= set(ours) & set(eager) - wrong
    return [{"node": node, "ours": ours[node], "eager": eager[node]} for node in sorted(nodes)] if is_explained else []


def check_fake(entries):
    if failed := [entry["name"] for entry in entries if "error" in entry]:
        raise RuntimeError(f"FakeTensorProp fails at {failed[0]}")


def real_inputs(program, data, example):
    """The graph's inputs as real tensors: parameters, buffers, constants, and the example."""
    flat = iter(pytree.tree_leaves(example))
    nodes = annotations.read_graph(data).graph_module.graph.find_nodes(op="placeholder")
    for spec, node in zip(program.graph_signature.input_specs, nodes):
        value = next(flat) if spec.kind is InputKind.USER_INPUT else program.state_dict.get(spec.target, program.constants.get(spec.target))
        if isinstance(value, torch.Tensor):
            value = with_strides(value.detach()).requires_grad_(node.meta["val"].requires_grad)
        yield value


def with_strides(value):
    """A copy that has the same strides, on a storage of its own."""
    if any(stride == 0 and size > 1 for size, stride in zip(value.shape, value.stride())):
        return value
    return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype).copy_(value)


def to_cuda(document):
    """An exported graph with cuda:0 for cpu."""
    if isinstance(document, list):
        return [to_cuda(item) for item in document]
    if not isinstance(document, dict):
        return document
    if document.get("type") == "cpu":
        return {"type": "cuda", "index": 0}
    return {key: to_cuda(item) for key, item in document.items()}
