"""A model in one form: the graph that PyTorch makes of it, FakeTensorProp's values and eager's, in files of a folder.

Each method of `Captures` that FORMS names returns what library_judge.py needs to know: the files, the options of fakeprop,
and the expected values.
"""

import copy
import inspect
import json

import torch
from torch._export.serde import serialize
from torch._functorch.aot_autograd import aot_export_module
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export.experimental import _export_forward_backward
from torch.export.graph_signature import InputKind
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils import _pytree as pytree

import annotations
import check_fx
import check_zoo
import export_fx
import export_scripts
import fakeprop_fx
import library_values


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


def run_eager(module, inputs):
    """What eager gives each node, up to the first that fails, and its error."""
    recorder, error = EagerRecorder(module), ""
    try:
        recorder.run(*inputs)
    except Exception as raised:
        error = first_line(raised)
    annotations._number_storages([recorder.entries])
    return library_values.by_name(recorder.entries), error


def first_line(error):
    return f"{type(error).__name__}: " + (str(error).strip().splitlines() or [""])[0][:200]


class Captures(check_zoo.EntryCase):
    """What FORMS names makes a form; files go to `folder`, which the caller changes from form to form."""

    def __init__(self, entry, folder=None):
        super().__init__(None, entry, folder)
        self.kept = {}

    def once(self, name, make):
        """An exported program, or why there is none: more than one form needs it."""
        if name not in self.kept:
            try:
                self.kept[name] = make()
            except Exception as error:
                self.kept[name] = error
        if isinstance(self.kept[name], Exception):
            raise self.kept[name]
        return self.kept[name]

    def exported(self):
        return self.once("export", lambda: torch.export.export(self.model(), self.inputs(), strict=False))

    def trained(self):
        return self.once("train", lambda: torch.export.export(self.model(True), self.inputs(), strict=False))

    def joined(self):
        export = lambda: torch.export.export(check_zoo.Loss(self.model(True)), self.inputs(), strict=False)
        return self.once("joint", lambda: _export_forward_backward(export()))

    def eager(self):
        """Whether the model runs at all."""
        with torch.no_grad():
            self.model()(*self.inputs())

    # ---- torch.export

    def export(self):
        return self.of_program(self.exported())

    def decomposed(self):
        return self.of_program(self.exported().run_decompositions())

    def train(self):
        return self.of_program(self.trained())

    def joint(self):
        return self.of_program(self.joined())

    def cuda(self):
        return self.on_cuda(self.exported())

    def joint_cuda(self):
        return self.on_cuda(self.joined())

    def save(self, program):
        data = serialize.serialize(program, serialize_state_dict=False, serialize_constants=False).exported_program
        (self.folder / "graph.json").write_bytes(data)
        return data

    def of_program(self, program):
        data = self.save(program)
        fake = fake_values(annotations.annotate(data, "graph.json", FakeTensorMode(shape_env=ShapeEnv())))
        eager, note = run_eager(annotations.read_graph(data).graph_module, real_inputs(program, data, self.inputs()))
        return graph("graph.json", fake, eager, note)

    def on_cuda(self, program):
        """The exported graph with every device a cuda one, without autograd, which asks for a GPU. Eager has no say."""
        moved = json.dumps(to_cuda(json.loads(self.save(program)))).encode()
        with torch.no_grad():
            fake = fake_values(annotations.annotate(moved, "graph.json", FakeTensorMode(shape_env=ShapeEnv())))
        return graph("graph.json", fake, {}, "", "--device", "cuda:0", "--grad", "off")

    def dynamic(self):
        """Every size dynamic that can be."""
        inputs = self.inputs()
        program = torch.export.export(self.model(), inputs, dynamic_shapes=all_dynamic(self.model(), inputs), strict=False)
        data = self.save(program)
        eager, error = run_eager(annotations.read_graph(data).graph_module, real_inputs(program, data, inputs))
        if error:
            raise RuntimeError(f"the graph fails in eager: {error}")
        recorded = len(json.loads(data)["graph_module"]["graph"]["tensor_values"])
        return {"kind": "dynamic", "graph": "graph.json", "options": [], "eager": eager, "recorded": recorded}

    # ---- torch.fx

    def make_fx(self):
        return self.fx(*check_fx.CAPTURES["make_fx"](self.model(), self.inputs()))

    def symbolic_trace(self):
        return self.fx(*check_fx.CAPTURES["symbolic_trace"](self.model(), self.inputs()))

    def aot(self):
        """The joint graph of AOTAutograd: the loss and the gradients of all parameters."""
        model, inputs = InTuple(check_zoo.Loss(self.model(True))), self.inputs()
        module, _ = aot_export_module(model, inputs, trace_joint=True, output_loss_index=0)
        state = [*dict(model.named_parameters()).values(), *dict(model.named_buffers()).values()]
        return self.fx(without_values(module), [x.detach() for x in state] + pytree.tree_leaves(inputs))

    def step(self):
        """make_fx of a step of training: the loss, its gradients, the parameters after SGD with momentum."""
        model, inputs = check_zoo.Loss(self.model(True)), self.inputs()
        parameters = {name: x.detach() for name, x in model.named_parameters()}
        momentum = {name: torch.zeros_like(x) for name, x in parameters.items()}
        return self.fx(*check_fx.CAPTURES["make_fx"](Step(model), (parameters, momentum, dict(model.named_buffers()), inputs)))

    def fx(self, module, flat):
        fake = fake_values(export_fx.expect(module, flat))
        fakeprop_fx.save(module, self.folder / "graph.json")
        (self.folder / "inputs.json").write_text(json.dumps(export_fx.input_spec(module, flat)))
        eager, note = run_eager(copy.deepcopy(module), flat)
        return graph("graph.json", fake, eager, note, "--inputs", "inputs.json")

    # ---- TorchScript

    def trace(self):
        return self.archive(torch.jit.trace(self.model(), self.inputs(), check_trace=False, strict=False))

    def script(self):
        return self.archive(torch.jit.script(self.model()))

    def archive(self, module):
        path = self.folder / "graph.pt"
        torch.jit.save(module, str(path))
        inputs = self.inputs()
        (self.folder / "inputs.json").write_text(json.dumps(export_scripts.spec_of(inputs)))
        loaded = torch.jit.load(str(path))
        run, _ = export_scripts.run(loaded, "forward", inputs)
        changed = set(changed_later(loaded.inlined_graph))
        entries = [{"name": name, "meta": {"val": annotations._describe(x)}} for name, x in run.items() if x is not None and name not in changed]
        annotations._number_storages([entries])
        return {"kind": "script", "graph": "graph.pt", "options": ["--inputs", "inputs.json"], "eager": library_values.by_name(entries)}


FORMS = ("export", "cuda", "decomposed", "dynamic", "train", "joint", "joint_cuda", "aot", "make_fx", "step", "symbolic_trace", "trace", "script")


class InTuple(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, *inputs):
        return (self.inner(*inputs),)


class Step(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.loss = [loss]  # in a list, so that its parameters are not this module's

    def forward(self, parameters, momentum, buffers, inputs):
        leaves = {name: x.detach().requires_grad_() for name, x in parameters.items()}
        loss = torch.func.functional_call(self.loss[0], (leaves, buffers), inputs)
        gradients = torch.autograd.grad(loss, list(leaves.values()), allow_unused=True)
        stepped = []
        for name, gradient in zip(leaves, gradients):
            if gradient is not None:
                moved = momentum[name].mul_(0.9).add_(gradient)
                stepped.append(parameters[name].add_(moved, alpha=-0.01))
        return loss, stepped


METADATA_CHANGES = {f"aten::{name}_" for name in ("unsqueeze", "squeeze", "transpose", "t", "swapaxes", "swapdims", "resize", "set", "detach", "as_strided")}


def changed_later(nodes):
    """Values whose metadata another node changes in place: after the run they are what that node's result is."""
    for node in nodes.nodes():
        if node.kind() in METADATA_CHANGES:
            yield next(node.inputs()).debugName()


def all_dynamic(model, inputs):
    dims = pytree.tree_map(lambda x: {i: torch.export.Dim.AUTO for i in range(x.dim())} if isinstance(x, torch.Tensor) else None, inputs)
    kinds = [parameter.kind for parameter in inspect.signature(model.forward).parameters.values()]
    return (dims,) if kinds == [inspect.Parameter.VAR_POSITIONAL] else dims


def graph(path, fake, eager, note, *options):
    return {"kind": "graph", "graph": path, "options": list(options), "fake": fake, "eager": eager, "note": note}


def fake_values(annotated):
    if failed := [entry["name"] for entry in annotated["nodes"] if "error" in entry]:
        raise RuntimeError(f"FakeTensorProp fails at {failed[0]}")
    return library_values.by_name(annotated["nodes"])


def without_values(module):
    for node in module.graph.nodes:
        node.meta.pop("val", None)  # so that nothing is recorded
    return module


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
