"""Hand-written steps of programs, which fit the values that are there: what the tables' calls seldom do."""

import torch

from program import Ref

SIZES = [1, 1, 2, 3, 4]


def dim_of(rng, t):
    return rng.randrange(-t.dim(), t.dim()) if t.dim() else 0


def permuted(rng, t):
    order = list(range(t.dim()))
    rng.shuffle(order)
    return order


def same_numel(rng, t):
    """Sizes of as many elements."""
    sizes = list(t.shape)
    choice = rng.random()
    if choice < 0.3:
        return [-1]
    if choice < 0.6 and len(sizes) > 1:
        d = rng.randrange(len(sizes) - 1)
        return sizes[:d] + [sizes[d] * sizes[d + 1]] + sizes[d + 2:]
    d = rng.randint(0, len(sizes))
    return sizes[:d] + [1] + sizes[d:]


def part(rng, t, d):
    size = t.shape[d] if t.dim() else 1
    start = rng.randint(-size, size)
    return start, rng.randint(-size, size + 1), rng.choice([1, 1, 1, 2])


def expandable(rng, t):
    sizes = [n if n != 1 else rng.choice(SIZES) for n in t.shape]
    return [rng.choice(SIZES)] * rng.randint(0, 1) + sizes


def strided(rng, t):
    rank = rng.randint(0, 3)
    return [rng.choice(SIZES) for _ in range(rank)], [rng.choice([0, 1, 1, 2, 3]) for _ in range(rank)], rng.choice([None, 0, 1])


def views(rng, t):
    d, e = dim_of(rng, t), dim_of(rng, t)
    start, end, step = part(rng, t, d)
    sizes, strides, offset = strided(rng, t)
    return [
        ("select.int", [d, rng.randint(-1, 1)]), ("slice.Tensor", [d, start, end, step]), ("permute", [permuted(rng, t)]),
        ("transpose.int", [d, e]), ("unsqueeze", [rng.randint(-t.dim() - 1, t.dim())]), ("squeeze", []),
        ("squeeze.dim", [d]), ("t", []), ("expand", [expandable(rng, t)]), ("view", [same_numel(rng, t)]),
        ("reshape", [same_numel(rng, t)]), ("narrow", [d, 0, rng.randint(0, 3)]), ("diagonal", [rng.randint(-1, 1), d, e]),
        ("unfold", [d, rng.randint(1, 2), rng.randint(1, 2)]), ("as_strided", [sizes, strides, offset]),
        ("split.Tensor", [rng.randint(1, 3), d]), ("chunk", [rng.randint(1, 3), d]), ("unbind.int", [d]),
        ("tensor_split.sections", [rng.randint(1, 3), d]), ("flatten.using_ints", [0, -1]), ("detach", []),
        ("view_as_real", []), ("view_as_complex", []), ("_conj", []), ("_neg_view", []), ("real", []), ("imag", []),
        ("view.dtype", [rng.choice([torch.int32, torch.float16, torch.float64, torch.uint8, torch.complex64])]),
        ("movedim.int", [d, e]), ("contiguous", []), ("alias", []), ("unflatten.int", [d, [1, -1]]),
        ("split_with_sizes", [[1, max(t.shape[d] - 1, 0) if t.dim() else 0], d]), ("hsplit.int", [1]),
        ("resolve_conj", []), ("resolve_neg", []), ("positive", []), ("mT", []),
    ]


def metadata(rng, t):
    d, e = dim_of(rng, t), dim_of(rng, t)
    sizes, strides, offset = strided(rng, t)
    return [
        ("t_", []), ("transpose_", [d, e]), ("unsqueeze_", [d]), ("squeeze_", []), ("squeeze_.dim", [d]),
        ("as_strided_", [sizes, strides, offset]), ("resize_", [[rng.choice(SIZES) for _ in range(rng.randint(0, 3))]]),
        ("detach_", []), ("requires_grad_", [rng.random() < 0.8]), ("requires_grad_", []), ("swapaxes_", [d, e]),
        ("set_", []), ("zero_", []), ("conj_physical_", []),
    ]


UNARY = ("relu", "neg", "exp", "sin", "abs", "clone", "sigmoid", "square", "logical_not", "sign", "ceil", "hardtanh", "silu",
         "gelu", "relu6", "elu", "softplus", "leaky_relu", "sgn", "angle", "isnan", "cumsum:d", "softmax.int:d", "flip:l", "triu",
         "tril", "roll:rl", "sum.dim_IntList:l", "mean.dim:l", "amax:l", "argmax", "var", "sort:d", "cummax:d", "max.dim:d",
         "zeros_like", "empty_like", "ones_like", "rot90", "nan_to_num", "dropout:p", "logsumexp:l", "rrelu", "mish", "hardswish")
BINARY = ("add.Tensor", "mul.Tensor", "sub.Tensor", "div.Tensor", "maximum", "eq.Tensor", "gt.Tensor", "pow.Tensor_Tensor",
          "atan2", "logical_and", "remainder.Tensor", "fmod.Tensor", "copysign.Tensor", "bitwise_and.Tensor", "hypot", "prelu",
          "mse_loss", "huber_loss", "smooth_l1_loss", "l1_loss", "lerp.Scalar:w", "matmul", "dot", "mv", "mm", "bmm", "outer",
          "cdist", "expand_as", "view_as", "type_as", "fmax", "floor_divide", "heaviside", "binary_cross_entropy_with_logits",
          "where.self:m", "masked_fill.Tensor", "index_select:i", "gather:i", "take", "kron", "dist", "cosine_similarity")
INPLACE = ("add_.Tensor", "mul_.Tensor", "sub_.Tensor", "copy_", "div_.Tensor", "eq_.Tensor", "maximum.out", "add.out", "mul.out",
           "resize_as_", "set_.source_Tensor", "fill_.Tensor", "lt_.Tensor", "pow_.Tensor", "copysign_.Tensor", "logical_or_",
           "neg.out", "exp.out", "abs.out", "cat.out", "stack.out", "masked_fill_.Tensor:m", "index_put_:i", "scatter_.src:i",
           "put_:i", "relu.out", "logical_not.out", "clone.out", "sum.IntList_out:l")
LISTS = ("cat:d", "stack:d", "hstack", "vstack", "dstack", "_foreach_add.List:2", "_foreach_mul_.List:2", "broadcast_tensors",
         "_foreach_abs", "_foreach_neg_", "_foreach_copy_:2", "meshgrid", "block_diag", "_foreach_exp", "_foreach_sqrt",
         "column_stack", "atleast_2d.Sequence")
MAPS = ("adaptive_avg_pool2d", "avg_pool2d", "max_pool2d", "upsample_nearest2d.vec", "upsample_bilinear2d.vec",
        "upsample_bicubic2d.vec", "pixel_shuffle", "channel_shuffle", "batch_norm", "group_norm", "instance_norm", "pad", "layer_norm",
        "conv1x1", "max_pool3d", "adaptive_max_pool2d")


def moves_of(rng, pool):
    """(target, arguments, keyword arguments) of a random step on these values."""
    kind = rng.choice(KINDS)
    return kind(rng, pool)


def any_name(rng, pool):
    names = list(pool)
    return names[-1 - int(len(names) * rng.random() ** 1.7)] if rng.random() < 0.8 else rng.choice(names)


def of_one(table):
    def make(rng, pool):
        name = any_name(rng, pool)
        target, args = rng.choice(table(rng, pool[name]))
        return target, [Ref(name)] + args, {}
    return make


def extras(rng, t, how):
    d = dim_of(rng, t)
    return {"": [], "d": [d], "l": [[d]], "rl": [[1], [d]], "p": [0.5, rng.random() < 0.5], "w": [0.5]}[how]


def unary(rng, pool):
    target, _, how = rng.choice(UNARY).partition(":")
    name = any_name(rng, pool)
    return target, [Ref(name)] + extras(rng, pool[name], how), {}


def matching(rng, pool, name):
    """Another value that may broadcast with it: mostly of its sizes."""
    t = pool[name]
    same = [n for n, o in pool.items() if o.shape == t.shape]
    wide = [n for n, o in pool.items() if can_broadcast(o.shape, t.shape)]
    return rng.choice(same if rng.random() < 0.5 else wide if rng.random() < 0.9 else list(pool))


def can_broadcast(a, b):
    return all(x == y or 1 in (x, y) for x, y in zip(reversed(a), reversed(b)))


def of_dtype(rng, pool, dtypes, fallback):
    names = [n for n, t in pool.items() if t.dtype in dtypes]
    return Ref(rng.choice(names) if names else fallback)


def binary(rng, pool):
    target, _, how = rng.choice(BINARY).partition(":")
    a = any_name(rng, pool)
    b = matching(rng, pool, a)
    if how == "m":
        return target, [of_dtype(rng, pool, [torch.bool], a), Ref(a), Ref(b)], {}
    if how == "i":
        return target, [Ref(a), dim_of(rng, pool[a]), of_dtype(rng, pool, [torch.int64], b)], {}
    return target, [Ref(a), Ref(b)] + extras(rng, pool[a], how), {}


def writing(rng, pool):
    target, _, how = rng.choice(INPLACE).partition(":")
    a = any_name(rng, pool)
    b, c = matching(rng, pool, a), matching(rng, pool, a)
    if how == "m":
        return target, [Ref(a), of_dtype(rng, pool, [torch.bool], b), Ref(c)], {}
    if how == "i":
        return indexed(rng, pool, target, a, b, c)
    if how == "l":
        return target, [Ref(a), [dim_of(rng, pool[a])]], {"out": Ref(b)}
    if target in ("cat.out", "stack.out"):
        return target, [[Ref(a), Ref(b)]], {"out": Ref(c)}
    if target in ("neg.out", "exp.out", "abs.out", "relu.out", "logical_not.out", "clone.out"):
        return target, [Ref(a)], {"out": Ref(b)}
    if target.endswith(".out"):
        return target, [Ref(a), Ref(b)], {"out": Ref(c)}
    return target, [Ref(a), Ref(b)], {}


def indexed(rng, pool, target, a, b, c):
    index = of_dtype(rng, pool, [torch.int64], b)
    if target == "index_put_":
        return target, [Ref(a), [index], Ref(c)], {}
    if target == "put_":
        return target, [Ref(a), index, Ref(c)], {}
    return target, [Ref(a), dim_of(rng, pool[a]), index, Ref(c)], {}


def of_list(rng, pool):
    target, _, how = rng.choice(LISTS).partition(":")
    a = any_name(rng, pool)
    items = [Ref(a)] + [Ref(matching(rng, pool, a)) for _ in range(rng.randint(0, 2))]
    args = [items] * 2 if how == "2" else [items] + extras(rng, pool[a], how)
    return target, args, {}


def of_map(rng, pool):
    maps = [n for n, t in pool.items() if t.dim() == 4 and t.is_floating_point()]
    name = any_name(rng, {n: pool[n] for n in maps} or pool)
    x, t = Ref(name), pool[name]
    channels = t.shape[1] if t.dim() > 1 else 1
    ways = {
        "adaptive_avg_pool2d": [x, [rng.choice([1, 1, 2])] * 2], "avg_pool2d": [x, [1, 1]], "max_pool2d": [x, [1, 1]],
        "upsample_nearest2d.vec": [x, None, [2.0, 2.0]], "upsample_bilinear2d.vec": [x, None, False, [2.0, 2.0]],
        "upsample_bicubic2d.vec": [x, None, True, [2.0, 2.0]], "pixel_shuffle": [x, 1], "channel_shuffle": [x, 1],
        "batch_norm": [x, None, None, None, None, True, 0.1, 1e-5, False], "group_norm": [x, 1],
        "instance_norm": [x, None, None, None, None, True, 0.1, 1e-5, False], "pad": [x, [1, 1], "constant", 0.0],
        "layer_norm": [x, list(t.shape[-1:])], "max_pool3d": [x, [1, 1, 1]], "adaptive_max_pool2d": [x, [1, 1]],
        "conv1x1": [x, of_sizes(rng, pool, [None, channels, 1, 1], name)],
    }
    target = rng.choice(MAPS)
    return ("conv2d" if target == "conv1x1" else target), ways[target], {}


def of_sizes(rng, pool, sizes, fallback):
    names = [n for n, t in pool.items() if t.dim() == len(sizes) and all(w in (None, s) for w, s in zip(sizes, t.shape))]
    return Ref(rng.choice(names) if names else fallback)


def grad_mode(rng, pool):
    return "torch._C._set_grad_enabled", [rng.random() < 0.6], {}


KINDS = ([of_one(views)] * 8 + [of_one(metadata)] * 3 + [unary] * 4 + [binary] * 5 + [writing] * 5 + [of_list] * 2 + [of_map] * 3 +
         [grad_mode])
