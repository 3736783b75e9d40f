#!/usr/bin/env python3
"""Writes a torch.fx.GraphModule as FX JSON for fakeprop, and puts fakeprop's annotations back on its nodes.

It needs torch alone: copy it and fakeprop_annotate.py to where your model is.

    import fakeprop_fx
    graph_module = torch.fx.symbolic_trace(model)           # or make_fx(f)(*inputs), or what Dynamo gives a backend
    fakeprop_fx.save(graph_module, "model.json")
    # fakeprop model.json --inputs spec.json -o annotations.json
    fakeprop_fx.annotate(graph_module, "annotations.json")   # node.meta["val"], as FakeTensorProp leaves it

From a shell, for a function that returns a module:

    fakeprop_fx.py package.model:build model.json
"""

import argparse
import copy
import enum
import functools
import importlib.util
import inspect
import json
import math
import operator
import pathlib
import sys
import types
import warnings

import torch
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily
from torch.nn.utils import parametrize

FORMAT = "fakeprop.fx/1"
MOST_ELEMENTS = 64  # of an integer or bool tensor whose elements are written


def save(graph_module, path):
    """Writes the graph to a file."""
    document = to_dict(graph_module)
    with open(path, "w", encoding="utf-8") as file:
        file.write(to_text(document))


def to_dict(graph_module, with_meta=True):
    """The graph as the document that fakeprop reads; without meta it has neither traces nor recorded values."""
    writer = _Writer(graph_module, with_meta)
    graph = writer.graph(graph_module, "")
    document = {"format": FORMAT, "torch_version": torch.__version__, "nodes": graph.pop("nodes")}
    if symbols := input_symbols(graph_module):
        document["symbols"] = symbols
    if writer.attributes:
        document["attributes"] = writer.attributes
    if writer.modules:
        document["modules"] = writer.modules
    return document | graph


def to_text(document):
    """JSON with one line for each node, attribute and module."""
    parts = []
    for key, value in document.items():
        if key == "nodes":
            rows = ",\n".join("  " + json.dumps(node) for node in value)
            parts.append(f'"nodes": [\n{rows}\n]')
        elif isinstance(value, dict):
            rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in value.items())
            parts.append(f"{json.dumps(key)}: {{\n{rows}\n}}")
        else:
            parts.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{" + ",\n".join(parts) + "}\n"


def annotate(graph_module, annotations, mode=None, on_error="raise"):
    """Sets node.meta["val"] of every node to what the annotations (a dict, or a file's path) say of it.

    Tensors are fakes of one mode, those of one storage share it, and, as FakeTensorProp leaves them, they are detached.
    Sizes and numbers over symbols are SymInt, SymFloat and SymBool of the mode's ShapeEnv. A symbol of the ShapeEnv that has
    the name is taken, with its own range and hint; others are added with the range and the hint of the annotations. Nodes
    that make unbacked symbols get node.meta["unbacked_bindings"].

    mode: the FakeTensorMode. Without one it is the mode of the values that the graph's nodes have already, else a new one.
    on_error: what to do with nodes that failed or were skipped, which have no value. "raise": PropagationError (a
    ValueError) with all of them in `errors`, and no node is touched. "mark": node.meta["fakeprop_error"] is
    {"class", "code", "message"}, or {"skipped": the failed node's name}, and there is no "val".

    Returns the mode. Throws ValueError if the annotations are another graph's.
    """
    return _beside("fakeprop_annotate").annotate(graph_module, annotations, mode, on_error)


@functools.cache
def _beside(name):
    """A module from the file beside this one, wherever this one was loaded from."""
    spec = importlib.util.spec_from_file_location(name, pathlib.Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def __getattr__(name):
    if name == "PropagationError":
        return _beside("fakeprop_annotate").PropagationError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def plain_call(node):
    """The target of a node and its arguments. A namedtuple's class is known to Python alone: what it makes is a tuple."""
    target = node.target
    if isinstance(target, type) and issubclass(target, tuple) and hasattr(target, "_fields"):
        fields = inspect.signature(target).bind(*node.args, **node.kwargs)
        fields.apply_defaults()
        return "collections.namedtuple", (tuple(fields.arguments.values()),), {}
    return target_name(target), node.args, node.kwargs


def target_name(target):
    """`torch.ops.ns.op.overload` of an operator; of any other function its dotted path."""
    if isinstance(target, str):
        return target
    if isinstance(target, torch._ops.HigherOrderOperator):
        return f"torch.ops.higher_order.{target.name()}"
    if isinstance(target, torch._ops.OpOverload):
        return f"torch.ops.{target}"
    if isinstance(target, torch._ops.OpOverloadPacket):
        return f"torch.ops.{target._qualified_op_name.replace('::', '.')}"
    if isinstance(target, type):
        return f"{target.__module__}.{target.__qualname__}"
    if getattr(target, "__module__", None) == "builtins" or getattr(target, "__self__", None) is sys.modules["builtins"]:
        return f"builtins.{target.__name__}"
    return torch.fx.node._get_qualified_name(target)


def guards_graph(module, owner):
    """The guards of ep.module() as a graph of torch._assert calls: in torch they are a function without source."""
    function = next(cell.cell_contents for cell in module.forward.__closure__ if inspect.isfunction(cell.cell_contents))
    call = next(node for node in owner.graph.nodes if node.op == "call_module" and owner.get_submodule(node.target) is module)
    tracer = _GuardTracer()
    tracer.root, tracer.graph = torch.nn.Module(), torch.fx.Graph(tracer_cls=_GuardTracer)
    arguments = [tracer.create_proxy("placeholder", node.name, (), {}) for node in call.args]
    try:
        types.FunctionType(function.__code__, function.__globals__ | tracer.names())(*arguments)
    except Exception as error:
        warnings.warn(f"guards of the module are not in the file, so fakeprop does not check them: {error}")
    tracer.graph.output(None)
    return torch.fx.GraphModule(tracer.root, tracer.graph)


class _GuardTracer(torch.fx.Tracer):
    """Traces guards. Python decides on each part of `a and b` and of `a <= b <= c`; all of them have to hold."""

    def __init__(self):
        super().__init__()
        self.parts = []

    def to_bool(self, condition):
        self.parts.append(condition)
        return True

    def names(self):
        """What the guards' code calls, so that no function decides on a size."""
        torch_names = types.SimpleNamespace(**vars(torch) | {"_assert": self.check})
        return {"torch": torch_names, "max": torch.sym_max, "min": torch.sym_min}

    def check(self, condition, message):
        parts, self.parts = [*self.parts, condition], []
        if len(parts) > 1 and any(word in message.split() for word in ("or", "not", "if")):
            raise ValueError(f"{message}: it is more than conditions that all have to hold")
        for part in parts:
            torch._assert(part, message)


class _Writer:
    """Writes graphs, and collects the tensors and modules that they name under their paths in the root."""

    def __init__(self, root, with_meta):
        self.root = root
        self.with_meta = with_meta
        self.attributes = {}
        self.modules = {}
        self.storages = {}  # the first attribute on each
        self.made = []  # modules; while they live, no other storage has the address of one of theirs

    def graph(self, graph_module, prefix):
        graphs = {}
        nodes = [self.node(node, graph_module, prefix, graphs) for node in graph_module.graph.nodes]
        return {"nodes": nodes} | ({"graphs": graphs} if graphs else {})

    def node(self, node, owner, prefix, graphs):
        target, args, kwargs = plain_call(node)
        entry = {"name": node.name, "op": node.op, "target": target}
        if node.op in ("get_attr", "call_module"):
            self.member(node.op, node.target, owner, prefix, graphs)
        if args:
            entry["args"] = [argument(item) for item in args]
        if kwargs:
            entry["kwargs"] = {key: argument(item) for key, item in kwargs.items()}
        if self.with_meta and (meta := _meta(node)):
            entry["meta"] = meta
        return entry

    def member(self, op, target, owner, prefix, graphs):
        value = functools.reduce(getattr, target.split("."), owner)
        if _class_name(type(value)) == "torch.export._unlift.GuardsFn":
            value = guards_graph(value, owner)
        if isinstance(value, torch.fx.GraphModule):
            if target not in graphs:
                graphs[target] = self.graph(value, f"{prefix}{target}.")
        elif op == "call_module":
            self.module(prefix + target, value)
        else:
            self.attribute(prefix + target, value)

    def module(self, path, module):
        if path in self.modules:
            return
        module = _without_parametrizations(module)
        self.made.append(module)
        self.modules[path] = module_entry(module)
        for tensors in (module.named_parameters(remove_duplicate=False), module.named_buffers(remove_duplicate=False)):
            for name, tensor in tensors:
                if not torch.nn.parameter.is_lazy(tensor):  # of lazy modules: made of the input's size
                    self.attribute(f"{path}.{name}", tensor)

    def attribute(self, path, value):
        if path in self.attributes:
            return
        if not isinstance(value, torch.Tensor):
            self.attributes[path] = {"value": argument(value)}
            return
        if value.layout != torch.strided:
            self.attributes[path] = _of_other_layout(value)
            return
        entry = {"shape": _sizes(value.shape), "dtype": _short(value.dtype), "stride": _sizes(value.stride())}
        if value.storage_offset():
            entry["storage_offset"] = value.storage_offset()
        entry["device"] = str(value.device)
        entry["requires_grad"] = value.requires_grad
        owner = self.storages.setdefault(value.untyped_storage()._cdata, path)
        if owner != path:
            entry["shares_storage_with"] = owner
        if _has_elements(value):
            with unset_fake_temporarily():
                entry["value"] = value.tolist()
        self.attributes[path] = entry


def _of_other_layout(tensor):
    """Sparse tensors and oneDNN's have neither strides nor a storage."""
    layout = str(tensor.layout).removeprefix("torch.")
    entry = {"shape": _sizes(tensor.shape), "dtype": _short(tensor.dtype), "layout": layout}
    return entry | {"device": str(tensor.device), "requires_grad": tensor.requires_grad}


def _has_elements(tensor):
    is_discrete = not tensor.is_floating_point() and not tensor.is_complex()
    is_real = not isinstance(tensor, FakeTensor) and tensor.device.type != "meta"
    return is_discrete and is_real and tensor.numel() <= MOST_ELEMENTS


def _meta(node):
    meta = {}
    if trace := node.meta.get("stack_trace"):
        meta["stack_trace"] = trace
    if stack := node.meta.get("nn_module_stack"):
        meta["nn_module_stack"] = ";".join(",".join((key, path, _class_name(kind))) for key, (path, kind) in stack.items())
    for key in ("val", "example_value"):
        described = _recorded(node.meta.get(key))
        if described is not None:
            meta["val"] = described
            break
    return meta


def _recorded(value):
    """What was recorded for a node, where it is a tensor or a number."""
    if isinstance(value, torch.SymInt):
        return {"type": "symint", "expr": str(value)}
    if isinstance(value, (bool, int)):
        return value
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return None
    return {
        "type": "tensor",
        "shape": _sizes(value.shape),
        "stride": _sizes(value.stride()),
        "storage_offset": _size(value.storage_offset()),
        "dtype": _short(value.dtype),
        "device": str(value.device),
        "requires_grad": value.requires_grad,
    }


def _size(size):
    return size if isinstance(size, int) else str(size)


def input_symbols(graph_module):
    """The symbols of the inputs' recorded sizes, each with its range and its value in the trace."""
    symbols = {}
    for node in graph_module.graph.nodes:
        if node.op == "placeholder":
            for size in _symbolic_sizes(node.meta.get("val", node.meta.get("example_value"))):
                for symbol in sorted(size.node.expr.free_symbols, key=str):
                    symbols.setdefault(str(symbol), _symbol(symbol, size.node.shape_env))
    return symbols


def _symbolic_sizes(value):
    sizes = [*value.shape, *value.stride(), value.storage_offset()] if isinstance(value, torch.Tensor) else [value]
    return [size for size in sizes if isinstance(size, torch.SymInt)]


def _symbol(symbol, shape_env):
    sizes = shape_env.var_to_range.get(symbol)
    hints = getattr(shape_env, "backed_var_to_val", None) or getattr(shape_env, "var_to_val", {})
    entry = {"min": sizes and sizes.lower, "max": sizes and sizes.upper, "hint": hints.get(symbol)}
    return {key: int(value) for key, value in entry.items() if getattr(value, "is_Integer", False)}


def _sizes(sizes):
    return [_size(size) for size in sizes]


def _short(name):
    return str(name).removeprefix("torch.")


def _class_name(kind):
    return kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}"


def argument(value):
    """An argument as the format spells it."""
    if isinstance(value, torch.fx.Node):
        return {"node": value.name}
    if value is None or isinstance(value, (bool, int, str)) and not isinstance(value, enum.Enum):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, torch.SymInt):
        return {"symint": str(value)}
    if isinstance(value, tuple):
        return {"tuple": [argument(item) for item in value]}
    if isinstance(value, list):
        return [argument(item) for item in value]
    if isinstance(value, dict):
        return {"dict": [[argument(key), argument(item)] for key, item in value.items()]}
    if isinstance(value, slice):
        return {"slice": [argument(bound) for bound in (value.start, value.stop, value.step)]}
    if value is Ellipsis:
        return {"ellipsis": True}
    for kind, tag in ((torch.dtype, "dtype"), (torch.layout, "layout"), (torch.memory_format, "memory_format")):
        if isinstance(value, kind):
            return {tag: _short(value)}
    if isinstance(value, torch.device):
        return {"device": str(value)}
    if isinstance(value, torch.ScriptObject):  # which has no ==
        return {"object": value._type().qualified_name()}
    if value in (float, int, bool, complex):
        return {"dtype": {float: "float64", int: "int64", bool: "bool", complex: "complex128"}[value]}
    if isinstance(value, torch.nn.Module):
        return {"module": module_entry(value)}
    is_function = callable(value) and hasattr(value, "__name__") and not isinstance(value, type)
    if is_function or isinstance(value, torch._ops.OperatorBase):
        return {"operator": target_name(value)}
    return {"object": _class_name(type(value))}


def _without_parametrizations(module):
    """The module as one of its named class, with the weights that its parametrizations (weight_norm ...) compute."""
    if not any(map(parametrize.is_parametrized, module.modules())):
        return module
    plain = copy.deepcopy(module).eval()
    for part in list(plain.modules()):
        if parametrize.is_parametrized(part):
            tensors = {name: _computed(part, name) for name in part.parametrizations}
            del part.parametrizations
            part.__class__ = type(part).__mro__[1]  # of this object alone; torch removes them from the class, for all
            for name, tensor in tensors.items():
                part.register_parameter(name, tensor)
    return plain.train(module.training)


def _computed(module, name):
    requires_grad = any(original.requires_grad for original in module.parametrizations[name].parameters(recurse=False))
    return torch.nn.Parameter(getattr(module, name).detach(), requires_grad)


def module_entry(module):
    """A module by its class and the arguments that made it, as far as the module still tells them.

    Of a class that is not torch's own, also which classes it computes the same as, and its plain attributes.
    """
    arguments = {}
    torchs = next((kind for kind in type(module).__mro__ if _is_torchs(kind)), type(module))
    for name in dict.fromkeys(_parameters_of(type(module)) + _parameters_of(torchs)):
        found, value = _constructor_argument(module, name)
        if found and not isinstance(value, torch.Tensor):
            arguments[name] = argument(value)
    entry = {"class": _class_name(type(module))}
    if not _is_torchs(type(module)):
        if bases := _bases(module):
            entry["bases"] = bases
        arguments |= _plain_attributes(module)
    return entry | {"arguments": arguments, "training": module.training}


def _is_torchs(kind):
    return kind.__module__.partition(".")[0] == "torch"


# What a class may define anew and still compute the same as its base: what makes, prints and saves a module.
_NO_PART_OF_FORWARD = {
    "__init__", "__new__", "__repr__", "extra_repr", "_get_name", "reset_parameters", "_reset_parameters", "init_weights",
    "_init_weights", "state_dict", "load_state_dict", "_load_from_state_dict", "_save_to_state_dict", "__getstate__",
    "__setstate__", "__constants__", "__module__", "__doc__", "__annotations__", "__dict__", "__weakref__", "__slots__",
    "__parameters__", "__orig_bases__", "__init_subclass__", "__classcell__", "__qualname__", "__firstlineno__",
    "__static_attributes__", "__annotate__", "__annotate_func__", "__annotations_cache__", "__abstractmethods__", "_abc_impl",
}


def _bases(module):
    """The classes that a module's class derives from and whose forward it keeps, with all that this calls; nearest first."""
    names, defined = [], set(vars(module)) - set(vars(torch.nn.Module()))
    defined -= {name for name in defined if not callable(vars(module)[name])}
    for kind in type(module).__mro__:
        if kind in (torch.nn.Module, object):
            break
        is_module = issubclass(kind, torch.nn.Module) and kind.forward is not torch.nn.Module.forward
        if is_module and kind is not type(module) and not any(hasattr(kind, name) for name in defined):
            names.append(_class_name(kind))
        defined |= vars(kind).keys() - _NO_PART_OF_FORWARD
    return names


def _plain_attributes(module):
    """Numbers, strings and the like that a rule for the module may ask for, of its classes and its own; None for no tensor."""
    found = {}
    for kind in reversed(type(module).__mro__):
        if not _is_torchs(kind) and kind is not object:
            found |= {name: value for name, value in vars(kind).items() if not name.startswith("__")}
    found |= {name: value for name, value in vars(module).items() if name not in vars(torch.nn.Module())}
    found |= {name: None for kind in (module._parameters, module._buffers) for name, tensor in kind.items() if tensor is None}
    return {name: argument(value) for name, value in found.items() if _is_plain(value)}


def _is_plain(value):
    if isinstance(value, (tuple, list)):
        return len(value) <= MOST_ELEMENTS and all(map(_is_plain, value))
    kinds = (bool, int, float, complex, str, torch.dtype, torch.device, torch.layout, torch.memory_format)
    return value is None or isinstance(value, kinds) and not isinstance(value, enum.Enum)


def _parameters_of(kind):
    """The names of a constructor's parameters; those of its base where it only passes them on."""
    names = []
    for base in kind.__mro__:
        if base in (torch.nn.Module, object) or "__init__" not in vars(base):
            continue
        parameters = inspect.signature(base.__init__).parameters.values()
        names += [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)][1:]
        if not any(p.kind == p.VAR_KEYWORD for p in parameters):
            break
    return [name for name in dict.fromkeys(names) if name not in ("self", "device", "dtype", "size_average", "reduce")]


# Arguments that a module keeps under another name or not at all.
_KEPT_ELSEWHERE = {
    "PairwiseDistance.p": lambda m: m.norm,
    "MultiheadAttention.bias": lambda m: m.in_proj_bias is not None,
    "MultiheadAttention.add_bias_kv": lambda m: m.bias_k is not None,
    "Transformer.custom_encoder": lambda m: m.encoder,
    "Transformer.custom_decoder": lambda m: m.decoder,
    "TransformerDecoder.decoder_layer": lambda m: m.layers[0],
    "TransformerEncoder.encoder_layer": lambda m: m.layers[0],
}
for _layer in ("TransformerEncoderLayer", "TransformerDecoderLayer"):
    _KEPT_ELSEWHERE |= {
        f"{_layer}.d_model": lambda m: m.self_attn.embed_dim,
        f"{_layer}.nhead": lambda m: m.self_attn.num_heads,
        f"{_layer}.dim_feedforward": lambda m: m.linear1.out_features,
        f"{_layer}.dropout": lambda m: m.dropout.p,
        f"{_layer}.layer_norm_eps": lambda m: m.norm1.eps,
        f"{_layer}.batch_first": lambda m: m.self_attn.batch_first,
        f"{_layer}.bias": lambda m: m.linear1.bias is not None,
    }


def _constructor_argument(module, name):
    if kept := _KEPT_ELSEWHERE.get(f"{type(module).__name__}.{name}"):
        return True, kept(module)
    if name == "bias" and not isinstance(getattr(module, name, None), bool):
        return hasattr(module, name), getattr(module, name, None) is not None
    return hasattr(module, name), getattr(module, name, None)


def main(arguments):
    parser = argparse.ArgumentParser(description="Writes a module, traced symbolically, as FX JSON for fakeprop.")
    parser.add_argument("module", help="package.module:function, a function that returns the module")
    parser.add_argument("output", help="the file to write")
    options = parser.parse_args(arguments)
    path, _, function = options.module.partition(":")
    sys.path.insert(0, "")
    model = operator.attrgetter(function)(importlib.import_module(path))()
    if not isinstance(model, torch.fx.GraphModule):
        model = torch.fx.symbolic_trace(model)
    save(model, options.output)


if __name__ == "__main__":
    main(sys.argv[1:])
