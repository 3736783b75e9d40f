"""Quantized tensors, and packed weights, for calls whose answers eager PyTorch gives.

A call text writes a packed object as the list that lib/rules/support/packed_items.h describes, a convolution as
[weight, bias, stride, padding, output_padding, dilation, groups, transposed].
"""

import torch

DTYPES = (torch.qint8, torch.quint8, torch.qint32, torch.quint4x2, torch.quint2x4)
OBJECT = "__torch__.torch.classes."


def make(spec):
    if spec.dtype in (torch.quint4x2, torch.quint2x4):
        return rows(spec.sizes, spec.dtype)
    whole = torch.quantize_per_tensor(torch.zeros(spec.extent()), 0.1, 0, spec.dtype)
    return whole.as_strided(spec.sizes, spec.strides, spec.offset)


def rows(sizes, dtype):
    """A table with a scale for each row."""
    return torch.quantize_per_channel(torch.zeros(sizes), torch.ones(sizes[0]), torch.zeros(sizes[0]), 0, dtype)


def pack(type_name, items):
    ops = torch.ops.quantized
    items = [pack_nested(item) for item in items]
    if type_name.endswith("LinearPackedParamsBase"):
        return (ops.linear_prepack if items[0].is_quantized else ops.linear_prepack_fp16)(*items)
    if type_name.endswith("EmbeddingPackedParamsBase"):
        return ops.embedding_bag_prepack(rows(items[0].shape, items[0].dtype))
    if type_name.endswith("CellParamsBase"):
        return (ops.make_quantized_cell_params_fp16 if len(items) == 2 else ops.make_quantized_cell_params_dynamic)(*items)
    weight, bias, stride, padding, output_padding, dilation, groups, transposed = items
    name = f"conv{'_transpose' if transposed else ''}{weight.dim() - 2}d_prepack"
    more = [output_padding] if transposed else []
    return getattr(ops, name)(weight, bias, stride, padding, *more, dilation, groups)


def pack_nested(item):
    """The weights of recurrent cells are packed for linear layers."""
    is_layer = isinstance(item, list) and len(item) == 2 and torch.is_tensor(item[0])
    return pack("LinearPackedParamsBase", item) if is_layer else item


def pack_objects(op, call):
    """The call with packed objects where its schema has them."""
    def packed(argument, value):
        text = str(argument.type)
        if text.startswith(OBJECT) and isinstance(value, list):
            return pack(text, value)
        if text.startswith("List[" + OBJECT) and isinstance(value, list):
            return [pack(text[5:-1], item) for item in value]
        return value
    arguments = op._schema.arguments
    call.args = [packed(a, v) for a, v in zip(arguments, call.args)]
    call.kwargs = {a.name: packed(a, call.kwargs[a.name]) for a in arguments if a.name in call.kwargs}
    return call
