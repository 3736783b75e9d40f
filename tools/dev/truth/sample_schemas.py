"""Calls of an overload made from its schema alone, for those that no sample reaches."""

import random
import zlib

import torch

from answers import fake_answer
from call_text import Call, NoText, TensorSpec, find_operator

SHAPES = [[], [4], [2, 3], [3, 3], [2, 4, 3], [3, 3, 3], [2, 4, 6, 6], [1, 3, 4, 4], [2, 2, 4, 4, 4]]
TRIES = 40


def calls_by_schema(name, count, seed):
    """Up to `count` calls that FakeTensorMode accepts, and one that it refuses."""
    rng = random.Random(seed * 1_000_003 + zlib.crc32(name.encode()))
    accepted, refused = {}, {}
    for _ in range(TRIES):
        try:
            call = made_call(name, rng)
            text = str(call)
        except NoText:
            return []
        (refused if fake_answer(call)[1] else accepted).setdefault(text)
        if len(accepted) >= count:
            break
    return list(accepted) + list(refused)[:1]


def made_call(name, rng):
    schema = find_operator(name)._schema
    shape = rng.choice(SHAPES)
    dtype = rng.choice([torch.float32, torch.float32, torch.float32, torch.int64, torch.float64, torch.bool])
    args, kwargs = [], {}
    by_name = False
    for a in schema.arguments:
        if a.has_default_value() and rng.random() < 0.7:
            by_name = True
            continue
        value = made_value(str(a.real_type), a.name, shape, dtype, rng)
        if a.kwarg_only or by_name:
            kwargs[a.name] = value
        else:
            args.append(value)
    return Call(name, args, kwargs)


def made_tensor(name, shape, dtype, rng):
    if rng.random() < 0.2:
        shape = rng.choice(SHAPES)
    if "ind" in name or "target" in name or "offsets" in name or "lengths" in name:
        dtype = torch.int64
    elif "mask" in name:
        dtype = torch.bool
    return TensorSpec.contiguous(shape, dtype)


def made_value(type_name, name, shape, dtype, rng):
    if type_name.startswith("Optional["):
        if rng.random() < 0.4:
            return None
        return made_value(type_name[len("Optional["):-1], name, shape, dtype, rng)
    if type_name.startswith("List["):
        inner = type_name[len("List["):-1]
        length = rng.choice([len(shape), 2, 1, 3])
        return [made_value(inner, name, shape, dtype, rng) for _ in range(length)]
    if type_name == "Tensor":
        return made_tensor(name, shape, dtype, rng)
    choices = {
        "int": [0, 1, 2, 3, -1, 4], "SymInt": [0, 1, 2, 3, -1, 4], "float": [0.5, 1.0, 0.0, 2.0], "bool": [True, False],
        "number": [1, 2, 0.5, 0], "Scalar": [1, 2, 0.5, 0], "str": ["mean", "none", "linear", "reflect", "max"],
        "ScalarType": [torch.float32, torch.int64, torch.float64], "Device": [torch.device("cpu")],
        "Layout": [torch.strided], "MemoryFormat": [torch.contiguous_format, torch.preserve_format],
    }
    if type_name not in choices:
        raise NoText(f"an argument of type {type_name}")
    return rng.choice(choices[type_name])
