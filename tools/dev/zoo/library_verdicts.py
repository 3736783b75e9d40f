"""Why a value of judge_libraries.py's results differs from eager, where that is as it should be; why PyTorch has no graph."""

import re

TORCH = "2.13.0"


def reason(line, row):
    """The explanation of a row of `wrong`, or of a refusal (no row)."""
    for applies, text in REASONS:
        if applies(line, row):
            return text
    return None


def depends_on_data(line, row):
    return line["verdict"] == "refused" and re.search("FP3010|FP3011|FP3015", line["reason"])


def is_own_operator(line, row):
    """Whether the graph calls an operator that the library registers itself."""
    found = re.search(r"decomposition serves (\w+)::|Unknown builtin op: (\w+)::", line.get("reason", ""))
    return line["verdict"] == "refused" and found and not {"aten", "prims", "quantized"} & set(found.groups())


def leaves(value):
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, list) else [value]


def is_workspace(line, row):
    """Whether eager differs in tensors of bytes of one dimension alone."""
    if not row or not row.get("eager") or not row.get("ours"):
        return False
    plain = lambda t: {k: v for k, v in t.items() if k not in ("storage", "value")} if isinstance(t, dict) else t
    differing = [(a, b) for a, b in zip(leaves(row["ours"]), leaves(row["eager"])) if plain(a) != plain(b)]
    return bool(differing) and all(t.get("dtype") == "uint8" and len(t["shape"]) == 1 for pair in differing for t in pair)


def is_layout_of_shared_kernel(line, row):
    """Whether all that differs is the layout, on fake cuda, of what eager lays out as we do on the cpu."""
    if not row or row.get("eager") or not all(isinstance(row.get(key), dict) for key in ("ours", "fake", "on_cpu")):
        return False
    plain = lambda t: {k: v for k, v in t.items() if k not in ("storage", "value", "stride")}
    return plain(row["ours"]) == plain(row["fake"]) and row["ours"]["stride"] == row["on_cpu"]["stride"]


def is_symbol(value):
    return isinstance(value, str) and re.search(r"\bu\d", value)


def is_size_by_data(line, row):
    """Whether all that differs, in TorchScript, is that we have symbols for numbers that data decides."""
    if line["form"] not in ("trace", "script") or not row or row.get("eager") is None:
        return False
    ours, eager = leaves([row["ours"]]), leaves([row["eager"]])
    return len(ours) == len(eager) and all(is_known_alike(a, b) for a, b in zip(ours, eager))


def is_known_alike(a, b):
    if not isinstance(a, dict) or not isinstance(b, dict):
        return is_symbol(a) or a == b
    if "shape" not in a or "shape" not in b or (a["dtype"], a["device"]) != (b["dtype"], b["device"]):
        return False
    known = [size for size in a["shape"] if not is_symbol(size)]
    is_squeezed = known == b["shape"]
    return is_squeezed or len(a["shape"]) == len(b["shape"]) and all(is_symbol(x) or x == y for x, y in zip(a["shape"], b["shape"]))


REASONS = [
    (is_layout_of_shared_kernel, "A layout on fake cuda alone: eager lays out the same node of the same graph on the cpu as we do, and `angle` on an H200 too (torch 2.11)."),
    (is_workspace, "The workspace that oneDNN's recurrent layers hand to their backward: oneDNN alone knows its size. As FakeTensorProp, we say 0 bytes."),
    (is_size_by_data, "A size in TorchScript depends on data: a mask, unique elements, or a number that floating tensors hold. We have a symbol where a run has a number; everything else is equal. `squeeze` keeps a dimension of unknown size, as torch.export does."),
    (is_own_operator, "An operator of the library's own, whose code is in no file. Our error names it."),
    (depends_on_data, "A size or a branch depends on data. Our answer is the error FP3010, FP3011 or FP3015, which says which data; FakeTensorMode without symbols raises as well."),
]


# Why PyTorch has no graph, or no answer to compare with: what matches a reason, in which forms, and what the page says.
ABSENCES = [
    (r"DataDependent|data-dependent|local_scalar_dense|aten\.equal|tracing tensor", "", "Python code of the model asks for a number that depends on data."),
    (r"'int' object|does not require|not require grad|did not receive a gradient|do not require gradients", "joint|joint_cuda|aot|step", "No result has a gradient, or not each parameter gets one."),
    (r"SerializeError", "", "torch.export cannot write its graph, or not read it again."),
    (r"FakeTensorProp fails", "cuda", "FakeTensorProp cannot run the graph: it asks for a GPU, or an input is on the cpu."),
    (r"FakeTensorProp fails", "", "FakeTensorProp cannot run the graph."),
    (r"PyTorch takes more than", "", "PyTorch takes more than {seconds} seconds of the processor."),
    (r"Could not export Python function", "trace", "torch.jit.trace cannot write functions of torch.autograd.Function."),
    (r"", "symbolic_trace", "torch.fx.symbolic_trace does not follow the code: it branches on tensors, counts or unpacks them."),
    (r"", "script", "torch.jit.script does not compile the code: lambdas, variable arguments, types that it does not infer."),
    (r"", "trace", "torch.jit.trace fails: results that are no tensors, hooks, and the like."),
    (r"", "dynamic", "torch.export fails where sizes are symbols."),
    (r"", "export|cuda|decomposed|train|joint|joint_cuda", "torch.export fails otherwise."),
    (r"", "", "The capture fails otherwise."),
]


def absence(line):
    """What the page says of a form that PyTorch has no graph of."""
    for pattern, forms, text in ABSENCES:
        if re.search(pattern, line["reason"]) and (not forms or line["form"] in forms.split("|")):
            return text.format(seconds="".join(re.findall(r"more than (\d+) s", line["reason"])))
    return None
