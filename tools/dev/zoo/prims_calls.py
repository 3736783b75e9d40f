"""Calls of the operators of torch._prims and of those that Inductor adds, with several ranks, layouts and dtypes."""

import torch
import torch._inductor.inductor_prims  # noqa: F401
import torch._prims  # noqa: F401

PRIMS = torch.ops.prims
UNARY = """abs acos acosh asin asinh atan atanh bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1 bitwise_not cbrt
    ceil conj_physical cos cosh digamma erf erf_inv erfc erfcx exp exp2 expm1 floor frexp isfinite lgamma log log10 log1p log2
    ndtri neg reciprocal round rsqrt sign signbit sin sinh spherical_bessel_j0 sqrt tan tanh trunc real imag conj clone view_of
    item""".split()
BINARY = """add atan2 bitwise_and bitwise_or bitwise_xor div eq fmax fmin fmod gcd ge gt hypot igamma igammac le lt maximum minimum
    mul ne nextafter pow remainder shift_left shift_right_arithmetic sub zeta""".split()
REDUCTIONS = "amax amin sum prod var xor_sum".split()
CPU = torch.device("cpu")


def of(dtype, *sizes):
    return torch.ones(sizes).to(dtype)


def operands():
    yield of(torch.float32, 2, 3)
    yield of(torch.float64, 3, 4, 2).permute(2, 0, 1)
    yield of(torch.bfloat16, 1, 6)[:, ::2]
    yield of(torch.float32)
    yield of(torch.complex64, 2, 2)
    yield of(torch.int64, 5)
    yield of(torch.int32, 2, 0)
    yield of(torch.bool, 3)


def elementwise():
    for name in UNARY:
        for x in operands():
            if name != "item" or x.numel() == 1:
                yield getattr(PRIMS, name), (x,)
    for name in BINARY:
        for x in operands():
            yield getattr(PRIMS, name), (x, torch.ones_like(x))
    for x in operands():
        yield PRIMS.fma, (x, x, x)
        yield PRIMS.fill, (x, 2)
        yield PRIMS.where, (torch.ones(x.shape, dtype=torch.bool), x, x)
        for dtype in (torch.float16, torch.int32, torch.complex64, torch.bool):
            yield PRIMS.convert_element_type, (x, dtype)
    yield PRIMS.add, (of(torch.float32, 2), of(torch.float32, 3))


def views():
    x, y = of(torch.float32, 2, 3, 4), of(torch.float32, 4, 6).t()
    yield PRIMS.broadcast_in_dim, (of(torch.float32, 3), [2, 3], [1])
    yield PRIMS.broadcast_in_dim, (of(torch.float32, 3), [3, 2], [0])
    yield PRIMS.broadcast_in_dim, (of(torch.float32, 2, 1), [2, 5, 4], [0, 2])
    yield PRIMS.broadcast_in_dim, (of(torch.int64), [2, 3], [])
    for t in (x, y):
        yield PRIMS.collapse, (t, 0, 1)
        yield PRIMS.collapse_view, (t, 0, 1)
        yield PRIMS.split_dim, (t, 1, 2 if t is y else 3)
        yield PRIMS.transpose, (t, list(reversed(range(t.dim()))))
        yield PRIMS.rev, (t, [0])
        yield PRIMS.reshape, (t, [-1])
        yield PRIMS.reshape, (t, [24])
        yield PRIMS.as_strided, (t, [2, 2], [1, 3], 2)
        yield PRIMS.copy_strided, (t, [1, 6, 2] if t is x else [1, 6])
        yield PRIMS.inductor_force_stride_order, (t, [1, 6, 2] if t is x else [1, 6])
        yield PRIMS.view_of_dtype, (t, torch.int32)
        yield PRIMS.device_put, (t, CPU)
        yield PRIMS.copy_to, (t, of(torch.int64, *t.shape))
    yield PRIMS.split_dim, (x, 1, 2)
    yield PRIMS.collapse, (x, 2, 1)
    yield PRIMS.squeeze, (of(torch.float32, 1, 3, 1), [0, 2])
    yield PRIMS.squeeze, (of(torch.float32, 1, 3, 1), [0])
    yield PRIMS.resize, (of(torch.float32, 6), [2, 3])
    yield PRIMS.as_strided_scatter, (x, of(torch.float32, 2, 2), [2, 2], [1, 3], 2)
    yield PRIMS.cat, ([x, x], 1)
    yield PRIMS.cat, ([y, y.contiguous()], 0)
    yield PRIMS._unsafe_index_put_, (x, [torch.tensor([0, 1])], of(torch.float32, 2, 3, 4))


def reductions():
    x = of(torch.float32, 2, 3, 4)
    for name in REDUCTIONS:
        for t in (x, x.permute(2, 0, 1), of(torch.float32), of(torch.int64, 3, 2), of(torch.bfloat16, 1, 3)):
            for dims in ([0], list(range(t.dim()))):
                if t.dim() or not dims:
                    yield getattr(PRIMS, name), (t, dims), {"correction": 1} if name == "var" else {}
    for dim in (0, 2):
        yield PRIMS.prepare_softmax_online, (x, dim)
    yield PRIMS.svd, (of(torch.float32, 2, 4, 3),), {"full_matrices": True}
    yield PRIMS.svd, (of(torch.float64, 4, 3),), {"full_matrices": False}
    yield PRIMS._low_memory_max_pool_with_offsets, (of(torch.float32, 1, 2, 6, 6), [2, 2], [2, 2], [0, 0], [1, 1], False)
    yield PRIMS._low_memory_max_pool_with_offsets, (of(torch.float32, 1, 2, 7, 6), [3, 2], [2, 2], [1, 0], [1, 1], True)
    yield PRIMS._low_memory_max_pool_offsets_to_indices, (
        of(torch.int8, 1, 2, 3, 3), [2, 2], [6, 6], [2, 2], [0, 0], [1, 1])


def transforms():
    for x in (of(torch.float32, 2, 3, 4), of(torch.float64, 4, 6).t()):
        last = x.dim() - 1
        for onesided in (True, False):
            yield PRIMS.fft_r2c, (x,), {"dim": [0, last], "onesided": onesided}
        z = x.to(torch.complex64)
        yield PRIMS.fft_c2c, (z,), {"dim": [0], "forward": True}
        yield PRIMS.fft_c2c, (z,), {"dim": [0, last], "forward": False}
        yield PRIMS.fft_c2r, (z,), {"dim": [last], "last_dim_size": 6}


def factories():
    here = {"dtype": torch.float32, "device": CPU}
    made = {**here, "requires_grad": False}
    yield PRIMS.empty, ([2, 3],), made
    yield PRIMS.empty_strided, ([2, 3], [1, 4]), made
    yield PRIMS.empty_permuted, ([2, 3, 4], [1, 0, 2]), made
    yield PRIMS.full, ([2, 3], 1.5), made
    yield PRIMS.full_like, (of(torch.int64, 3, 2).t(), 1.5), made
    yield PRIMS.scalar_tensor, (2,), here
    yield PRIMS.normal, ([2, 3],), {"mean": 0.0, "std": 1.0, **made}
    yield PRIMS.uniform, ([2, 3],), {"low": 0.0, "high": 1.0, **here, "stride": [3, 1]}
    for length, start, step in ((5, 0, 1), (4, 3, 2), (0, 0, 1), (3, 5, -2)):
        yield PRIMS.iota, (length,), {"start": start, "step": step, "dtype": torch.int64, "device": CPU,
                                      "requires_grad": False}
    yield PRIMS._make_token, ()
    yield PRIMS.inductor_seed, (CPU,)
    yield PRIMS.inductor_seeds, (4, CPU)
    seeds = torch.tensor([1, 2, 3, 4])
    yield PRIMS.inductor_lookup_seed, (seeds, 1)
    yield PRIMS.inductor_random, ([2, 3], seeds[0], "rand")
    yield PRIMS.inductor_randint, (0, 5, [2, 3], seeds[0])
    yield PRIMS.inductor_rand_eager_offset, (5, CPU)
    yield PRIMS.inductor_rand_eager_offsets, ([5, 6, 7], CPU)
    for x in operands():
        yield PRIMS.inductor_cvt_e8m0_rceil, (x,)


def numbers():
    yield PRIMS._sink_tokens, ([torch.empty(0)],)
    for dtype in (torch.bool, torch.uint8, torch.int8, torch.int16, torch.uint16, torch.int32, torch.int64, torch.float32,
                  torch.bfloat16, torch.float8_e4m3fn, torch.complex64):
        yield PRIMS.maximum_value, (dtype,)
        yield PRIMS.minimum_value, (dtype,)


def prims_calls():
    for calls in (elementwise, views, reductions, transforms, factories, numbers):
        yield from calls()
