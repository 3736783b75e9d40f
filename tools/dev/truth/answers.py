"""PyTorch's answer to one operator call: under FakeTensorMode, and from the eager kernel on cpu tensors."""

import math

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

import quantized_tensors
from call_text import SHORT_NAMES, TensorSpec, contiguous_strides, dims_text, find_operator

# What eager's tensors hold, until one does: an index must be in range, a matrix must have an inverse.
FILLS = ("ones", "zeros", "eye")


def fake_tensor(spec, mode):
    """Made without a dispatch, so that tens of thousands of calls take a minute."""
    whole = torch.empty(spec.extent(), dtype=spec.dtype, device="meta")
    return FakeTensor(mode, whole.as_strided(spec.sizes, spec.strides, spec.offset).detach(), torch.device(spec.device))


def eager_tensor(spec, fill):
    if spec.dtype in quantized_tensors.DTYPES:
        return quantized_tensors.make(spec)
    whole = torch.zeros(spec.extent(), dtype=torch.uint8 if "float4" in str(spec.dtype) else spec.dtype)
    if "float4" in str(spec.dtype):
        whole = whole.view(spec.dtype)
    elif fill == "ones":
        whole.fill_(1)
    t = whole.as_strided(spec.sizes, spec.strides, spec.offset)
    if fill == "eye" and len(spec.sizes) > 1 and (spec.dtype.is_floating_point or spec.dtype.is_complex):
        t.diagonal(0, -2, -1).fill_(1)
    return t.detach()


def telling_strides(sizes, strides):
    """The strides with those that address nothing (of size 1, of empty tensors) as if the tensor were contiguous."""
    if 0 in sizes:
        return contiguous_strides(sizes)
    telling = list(strides)
    for d in reversed(range(len(sizes))):
        if sizes[d] == 1:
            telling[d] = telling[d + 1] * sizes[d + 1] if d + 1 < len(sizes) else 1
    return telling


class Writer:
    """Writes the effects of a call: what lib/rules/testing/call_text.cc writes of ours.

    With `telling_only` it leaves out strides that address nothing, changes that change nothing, and writes, which the
    schema states.
    """

    def __init__(self, inputs, telling_only=False):
        self.inputs = inputs
        self.storages = [t.untyped_storage() for t in inputs]
        self.telling_only = telling_only
        self.before = [self.meta(t) for t in inputs]

    def meta(self, t):
        if t.layout != torch.strided:
            return f"{SHORT_NAMES.get(t.dtype, t.dtype)}{dims_text(t.shape, '[]')} {t.layout}"
        text = SHORT_NAMES.get(t.dtype, str(t.dtype)) + dims_text(t.shape, "[]")
        strides = telling_strides(t.shape, t.stride()) if self.telling_only else list(t.stride())
        if strides != contiguous_strides(t.shape):
            text += dims_text(strides, "{}")
        if t.storage_offset():
            text += f"+{t.storage_offset()}"
        if t.device.type != "cpu":
            text += f"@{t.device}"
        return text + (" conj" if t.is_conj() else "") + (" neg" if t.is_neg() else "")

    def result(self, value):
        if isinstance(value, (list, tuple)):
            return "[" + ", ".join(self.result(v) for v in value) + "]"
        if isinstance(value, str):
            return f'"{value}"'
        if isinstance(value, complex):
            return f"({value.real} + {value.imag}j)"
        if isinstance(value, torch.ScriptObject):
            return "object"
        if not isinstance(value, torch.Tensor):
            return str(value).removeprefix("torch.")
        for i, t in enumerate(self.inputs):
            if value is t:
                return f"arg({i})"
        for i, storage in enumerate(self.storages):
            if value.layout == torch.strided and value.untyped_storage()._cdata == storage._cdata:
                # What autograd follows has a base; detach() and its kin share storage without one.
                return f"{'view' if value._is_view() else 'alias'}({i}) {self.meta(value)}"
        return self.meta(value)

    def effects(self, op, args, kwargs, result):
        several = len(op._schema.returns) > 1
        text = ", ".join(self.result(r) for r in (result if several else [result])) if op._schema.returns else ""
        changes_meta = torch.Tag.inplace_view in op.tags
        for i in self.written(op, args, kwargs):
            after = self.meta(self.inputs[i])
            if after != self.before[i] or changes_meta and not self.telling_only:
                text += f"; {i} := {after}"
            if not changes_meta and not self.telling_only:
                text += f"; writes {i}"
        return text

    def written(self, op, args, kwargs):
        """The indices of the inputs that the operator's schema says it writes to."""
        written = []
        for position, argument in enumerate(op._schema.arguments):
            if argument.alias_info is None or not argument.alias_info.is_write:
                continue
            value = args[position] if position < len(args) else kwargs.get(argument.name)
            for t in value if isinstance(value, (list, tuple)) else [value]:
                written += [i for i, candidate in enumerate(self.inputs) if candidate is t]
        return written


def run(call, make_tensor, telling_only=False):
    """The effects as text; raises what PyTorch raises."""
    op = find_operator(call.name)
    inputs = []
    def make(spec):
        inputs.append(make_tensor(spec))
        return inputs[-1]
    made = quantized_tensors.pack_objects(op, call.mapped(make))
    writer = Writer(inputs, telling_only)
    return writer.effects(op, made.args, made.kwargs, op(*made.args, **made.kwargs))


def error_line(error):
    """Class and first line of what PyTorch raised."""
    return f"{type(error).__name__}: {str(error).strip()}".splitlines()[0][:160]


def fake_answer(call, telling_only=False, allow_fallback_kernels=True):
    """(effects, None), or (None, the exception)."""
    mode = FakeTensorMode(allow_fallback_kernels=allow_fallback_kernels)
    mode.cache_enabled = False
    try:
        def run_in_mode():
            with mode:
                return run(call, lambda spec: fake_tensor(spec, mode), telling_only)
        return run_in_mode(), None
    except Exception as e:  # whatever PyTorch raises is an answer
        return None, e


def eager_answer(call, telling_only=False):
    """The effects for the first fill that PyTorch accepts. If it accepts none, the error for the first fill."""
    first = None
    for fill in FILLS:
        try:
            return run(call, lambda spec: eager_tensor(spec, fill), telling_only), None
        except Exception as e:
            first = first or e
    return None, first
