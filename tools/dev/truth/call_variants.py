"""Calls made from another call: of sibling overloads, and with other strides, dtypes, ranks, sizes, devices, dims."""

import torch

from answers import run, fake_tensor
from call_text import Call, NoText, TensorSpec, contiguous_strides, find_operator
from torch._subclasses.fake_tensor import FakeTensorMode

DTYPES = [torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.bool, torch.complex64]
RANK_LIMIT = 6


# ---- siblings

def siblings(call, names, rng):
    """Texts of calls of the overloads that take (nearly) these arguments."""
    packet = call.name.partition(".")[0]
    bound = bind(call)
    for other in sibling_names(packet, call.name, names):
        try:
            made = call_of(other, bound, call, rng)
            if made:
                yield str(made)
        except (NoText, NotImplementedError):
            continue


def sibling_names(packet, name, names):
    packets = {packet, packet + "_", packet + "_copy", packet.rstrip("_"), packet.removesuffix("_copy")}
    table = sibling_names.table
    if not table:
        for n in names:
            table.setdefault(n.partition(".")[0], []).append(n)
    return [n for p in sorted(packets) for n in table.get(p, []) if n != name]


sibling_names.table = {}


def bind(call):
    """The arguments by name."""
    schema = find_operator(call.name)._schema
    bound = {a.name: v for a, v in zip(schema.arguments, call.args)}
    return bound | call.kwargs


def call_of(name, bound, origin, rng):
    """The sibling's call; None where an argument has no value to be made of."""
    schema = find_operator(name)._schema
    args, kwargs, outs = [], {}, []
    for a in schema.arguments:
        if a.is_out:
            outs.append(a)
            continue
        if a.name not in bound:
            if not a.has_default_value():
                return None
            continue
        value = adapted(bound[a.name], str(a.real_type if hasattr(a, "real_type") else a.type), rng)
        if value is NotImplemented:
            return None
        if a.kwarg_only or len(args) < position(schema, a):
            kwargs[a.name] = value
        else:
            args.append(value)
    made = Call(name, args, kwargs)
    if outs:
        results = result_specs(origin)
        if results is None or len(results) < len(outs):
            return None
        for a, result in zip(outs, results):
            made.kwargs[a.name] = out_tensor(result, rng)
    return made


def position(schema, argument):
    return [a.name for a in schema.arguments].index(argument.name)


def adapted(value, type_name, rng):
    """The value for a parameter of this type; NotImplemented where it does not fit."""
    wants_tensor = type_name in ("Tensor", "Optional[Tensor]")
    wants_number = type_name in ("number", "Optional[number]")
    if isinstance(value, TensorSpec) and wants_number:
        return rng.choice([2, 0.5, 3]) if value.dtype.is_floating_point else rng.choice([2, 1, 3])
    if isinstance(value, TensorSpec) != wants_tensor and value is not None:
        return NotImplemented
    if isinstance(value, list) and not type_name.startswith(("List", "Optional[List")):
        return NotImplemented
    if not isinstance(value, list) and type_name.startswith("List") and value is not None:
        return NotImplemented
    return value


def result_specs(call):
    """The layouts of what the call returns; None where it fails or returns no tensors."""
    made = []
    mode = FakeTensorMode()
    try:
        with mode:
            op = find_operator(call.name)
            ready = call.mapped(lambda spec: fake_tensor(spec, mode))
            result = op(*ready.args, **ready.kwargs)
    except Exception:  # whatever PyTorch refuses has no out= form either
        return None
    for value in result if isinstance(result, (list, tuple)) and len(op._schema.returns) > 1 else [result]:
        if isinstance(value, torch.Tensor):
            made.append(TensorSpec.of(value))
        elif isinstance(value, (list, tuple)) and all(isinstance(v, torch.Tensor) for v in value):
            made.append([TensorSpec.of(v) for v in value])
        else:
            return None
    return made


def out_tensor(result, rng):
    """Mostly what fits; else one to be resized, one of other strides, one of another dtype."""
    if isinstance(result, list):
        return [out_tensor(r, rng) for r in result]
    spec = TensorSpec.contiguous(result.sizes, result.dtype, result.device)
    kind = rng.choice(["fits", "fits", "empty", "wrong", "strides", "dtype"])
    if kind == "empty":
        return TensorSpec.contiguous([0], spec.dtype, spec.device)
    if kind == "wrong":
        return TensorSpec.contiguous([5], spec.dtype, spec.device)
    if kind == "strides":
        return restride(spec, rng.choice(["transposed", "gapped"]))
    if kind == "dtype":
        return spec.replaced(dtype=rng.choice([torch.float64, torch.int64, torch.float32]))
    return spec


# ---- variants

def variants(call, rng):
    """The text of one variant; None where the chosen change does not apply."""
    tensors = call.tensors()
    if not tensors:
        return None
    kind = rng.choices(["strides", "dtype", "zerodim", "rank+", "rank-", "dim", "cuda", "baddim"],
                       [7, 5, 1, 3, 2, 2, 4, 1])[0]
    changed = CHANGES[kind](call, tensors, rng)
    try:
        text = str(changed) if changed else None
    except NoText:
        return None
    return text if text != str(call) else None


def one_or_all(tensors, rng):
    """Mostly all, at times the first or the last."""
    kind = rng.choice(["all", "all", "all", "first", "last"])
    return {"all": tensors, "first": tensors[:1], "last": tensors[-1:]}[kind]


def changed_tensors(call, targets, change):
    """`change` on those of the call's tensors that are among the targets."""
    return call.mapped(lambda t: change(t) if any(t is x for x in targets) else t)


def vary_strides(call, tensors, rng):
    kind = rng.choice(["transposed", "reversed", "gapped", "expanded", "channels_last", "offset"])
    targets = one_or_all(tensors, rng)
    if kind == "expanded":  # kernels refuse to write to such; FakeTensorMode does not
        written = written_tensors(call)
        targets = [t for t in targets if not any(t is w for w in written)]
    return changed_tensors(call, targets, lambda t: restride(t, kind))


def written_tensors(call):
    schema = find_operator(call.name)._schema
    bound = bind(call)
    written = []
    for a in schema.arguments:
        if a.alias_info is not None and a.alias_info.is_write:
            value = bound.get(a.name)
            written += value if isinstance(value, list) else [value]
    return written


def restride(t, kind):
    n, rank = t.sizes, len(t.sizes)
    if kind == "offset":
        return t.replaced(offset=t.offset + 2)
    if kind == "gapped":
        return t.replaced(strides=[2 * s for s in t.strides])
    if kind == "expanded" and rank:
        longest = max(range(rank), key=lambda d: n[d])
        return t.replaced(strides=[0 if d == longest else s for d, s in enumerate(t.strides)])
    order = None
    if kind == "transposed" and rank > 1:
        order = [*range(rank - 2), rank - 1, rank - 2]
    elif kind == "reversed" and rank > 1:
        order = list(reversed(range(rank)))
    elif kind == "channels_last" and rank in (4, 5):
        order = [0, *range(2, rank), 1]
    if order is None:
        return t
    strides = [0] * rank
    for d, stride in zip(order, contiguous_strides([n[d] for d in order])):
        strides[d] = stride
    return t.replaced(strides=strides)


def vary_dtype(call, tensors, rng):
    targets = one_or_all(tensors, rng)
    before = rng.choice(targets).dtype
    dtype = rng.choice(DTYPES)
    return changed_tensors(call, targets, lambda t: t.replaced(dtype=dtype) if t.dtype == before else t)


def vary_zero_dim(call, tensors, rng):
    target, dtype = rng.choice(tensors), rng.choice(DTYPES)
    own = rng.random() < 0.4
    return changed_tensors(call, [target], lambda t: TensorSpec.contiguous([], t.dtype if own else dtype, t.device))


def vary_rank_up(call, tensors, rng):
    target = rng.choice(tensors[:3])
    if len(target.sizes) >= RANK_LIMIT:
        return None
    size = rng.choice([1, 1, 2])
    return changed_tensors(call, [target], lambda t: TensorSpec.contiguous([size, *t.sizes], t.dtype, t.device))


def vary_rank_down(call, tensors, rng):
    target = rng.choice(tensors[:3])
    return changed_tensors(call, [target], lambda t: TensorSpec.contiguous(t.sizes[1:], t.dtype, t.device))


def vary_dim(call, tensors, rng):
    target = rng.choice(tensors[:3])
    if not target.sizes:
        return None
    at, step = rng.randrange(len(target.sizes)), rng.choice([1, 2, -1])
    sizes = [max(0, n + step) if d == at else n for d, n in enumerate(target.sizes)]
    return changed_tensors(call, [target], lambda t: TensorSpec.contiguous(sizes, t.dtype, t.device))


def vary_device(call, tensors, rng):
    """All tensors on cuda, all but one, all but a number."""
    kind = rng.choice(["all", "all", "split", "scalar"])
    left = {"all": None, "split": rng.choice(tensors), "scalar": tensors[-1]}[kind]
    def move(t):
        if t is not left:
            return t.replaced(device="cuda:0")
        return t if kind == "split" else TensorSpec.contiguous([], t.dtype)
    moved = call.mapped(move)
    for name, value in moved.kwargs.items():
        if isinstance(value, torch.device):
            moved.kwargs[name] = torch.device("cuda:0")
    return moved


def vary_bad_dim(call, tensors, rng):
    """A dimension that no tensor has."""
    schema = find_operator(call.name)._schema
    positions = [i for i, a in enumerate(schema.arguments[:len(call.args)])
                 if a.name.startswith(("dim", "axis", "start_dim", "end_dim")) and type(call.args[i]) in (int, list)]
    if not positions:
        return None
    at = rng.choice(positions)
    bad = rng.choice([7, -7])
    args = list(call.args)
    args[at] = bad if isinstance(args[at], int) else [bad, *args[at][1:]]
    return Call(call.name, args, call.kwargs)


CHANGES = {
    "strides": vary_strides, "dtype": vary_dtype, "zerodim": vary_zero_dim, "rank+": vary_rank_up,
    "rank-": vary_rank_down, "dim": vary_dim, "cuda": vary_device, "baddim": vary_bad_dim,
}
