"""Models for testdata/control_flow: each of the higher-order operators that torch.export writes, once plain, once nested.

EXPORTED: name -> (module, inputs), for torch.export. TRACED: name -> a function that gives (graph module, inputs), graphs
that torch.export does not write, for FX JSON.
"""

import operator

import torch
from torch import nn
from torch.nn import functional
from torch._higher_order_ops import auto_functionalize, map as map_op, out_dtype, scan, while_loop
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.flex_attention import flex_attention, flex_attention_backward
from torch._higher_order_ops.foreach_map import foreach_map
from torch._higher_order_ops.hints_wrap import hints_wrapper
from torch._higher_order_ops.inline_asm_elementwise import inline_asm_elementwise
from torch._higher_order_ops.strict_mode import strict_mode
from torch._prims import rng_prims


class Cond(nn.Module):
    """Branches with parameters, two results."""

    def __init__(self):
        super().__init__()
        self.left = nn.Linear(4, 3)
        self.right = nn.Linear(4, 3)

    def forward(self, x):
        def if_true(x):
            return self.left(x).relu(), x.sum(-1)

        def if_false(x):
            return self.right(x), x.mean(-1)

        y, z = torch.cond(x.sum() > 0, if_true, if_false, (x,))
        return y * 2, z.unsqueeze(0)


class CondPlain(nn.Module):
    """Nothing requires grad; results in channels-last order."""

    def forward(self, flag, x):
        return torch.cond(flag, lambda x: (x.sin().contiguous(memory_format=torch.channels_last),),
                          lambda x: ((x + 1).to(memory_format=torch.channels_last),), (x,))


class CondNested(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        def inner_true(x):
            with torch.no_grad():
                return self.fc(x)

        def if_true(x):
            return torch.cond(x.max() > 1, inner_true, lambda x: x * 2, (x,)).tanh()

        return torch.cond(x.sum() > 0, if_true, lambda x: x.cos(), (x,))


class WhileLoop(nn.Module):
    def forward(self, count, x):
        return while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, x @ x.t() @ x), (count, x))


class WhileLoopWithBuffers(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.randn(4, 4))

    def forward(self, count, x):
        def body(i, x):
            return i + 1, (x @ self.weight).relu()

        return while_loop(lambda i, x: (i < 5).all(), body, (count, x))


class WhileLoopTrained(nn.Module):
    """A parameter: the results stand at an offset that depends on how often the body ran."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4))

    def forward(self, count, x):
        return while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, (x * self.weight).sin()), (count, x * self.weight))


class WhileLoopNested(nn.Module):
    def forward(self, i, j, x):
        def inner(j, x):
            return j + 1, torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))

        def outer(i, j, x):
            j, x = while_loop(lambda j, x: j < 3, inner, (j, x))
            return i + 1, j.clone(), x * 2

        return while_loop(lambda i, j, x: i < 4, outer, (i, j, x))


class Scan(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 5)

    def forward(self, h, xs):
        def step(h, x):
            h = self.cell(x, h)
            return h, h.t().relu()

        return scan(step, h, xs)


class ScanPlain(nn.Module):
    """Along another dimension, backwards, several results of different dtypes."""

    def forward(self, total, xs, ys):
        def step(total, both):
            x, y = both
            return total + x, (total > 0, y.t() * 2)

        return scan(step, total, (xs, ys), dim=1, reverse=True)


class ScanNested(nn.Module):
    def forward(self, h, xs):
        def step(h, x):
            y, _ = scan(lambda a, b: (a + b, b.clone()), h, x)
            return y, torch.cond(y.sum() > 0, lambda y: y.sin(), lambda y: y.cos(), (y,))

        return scan(step, h, xs)


class Map(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, xs, y):
        return map_op(lambda x, y: (self.fc(x).relu() + y).t(), xs, y)


class MapNested(nn.Module):
    def forward(self, xs, y):
        return map_op(lambda x, y: map_op(lambda a, y: (a * y, a.sum()), x, y), xs, y)


@torch.compiler.nested_compile_region
def layer(x, w):
    return torch.relu(x @ w) + x


@torch.compiler.nested_compile_region
def inner_region(x):
    return x.sin() + 1


@torch.compiler.nested_compile_region
def outer_region(x):
    return inner_region(inner_region(x)) * 2


class Layers(nn.Module):
    """Three calls of one region on equal metadata."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 4))

    def forward(self, x):
        for _ in range(3):
            x = layer(x, self.weight)
        return x


class LayersNested(nn.Module):
    def forward(self, x):
        return outer_region(outer_region(x))


class Regions(nn.Module):
    """Autocast inside no_grad and the other way round."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        with torch.no_grad():
            y = self.fc(x)
            with torch.autocast("cpu", torch.bfloat16):
                y = self.fc(y)
        with torch.autocast("cpu", torch.bfloat16):
            z = self.fc(x)
            with torch.no_grad():
                z = self.fc(z)
            with torch.autocast("cpu", enabled=False):
                w = self.fc(x)
        return y, z, w


class AutocastParts(nn.Module):
    """Composite operators whose inner operators autocast casts, on activations in float32 and in the region's dtype."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.norm = nn.BatchNorm1d(4)
        self.recurrent = nn.ModuleList(kind(4, 4, 2, batch_first=True) for kind in (nn.GRU, nn.LSTM, nn.RNN))
        self.cells = nn.ModuleList(kind(4, 4) for kind in (nn.GRUCell, nn.LSTMCell, nn.RNNCell))

    def forward(self, x, labels):
        with torch.autocast("cpu", torch.bfloat16):
            y = self.fc(x)
            results = [layer(t) for layer in self.recurrent for t in (x, y)]
            results += [cell(t[:, 0]) for cell in self.cells for t in (x, y)]
            for t in (x, y):
                results += [torch.einsum(e, *((t,) * (e.count(",") + 1)))
                            for e in ("bij,bkj->bik", "bij,bij->bij", "bij->bi", "bij,bik,bil->bjkl", "bij,bij->b", "bij,bik->j")]
                results += [functional.pad(t, (1, 1), mode) for mode in ("constant", "reflect", "replicate", "circular")]
                results += [functional.mse_loss(t, x), functional.mse_loss(y, t, reduction="none"), functional.cross_entropy(t[:, 0], labels),
                            functional.l1_loss(t, y), functional.cosine_similarity(t, y), self.norm(t[:, 0]), functional.softmax(t, -1),
                            torch.tensordot(t, t, ([2], [2])), torch.kron(t, t), torch.quantile(t, 0.5), torch.fft.rfft(t),
                            torch.outer(t[0, 0], t[0, 0]), torch.meshgrid(t[0, 0], t[0, 0], indexing="ij"), functional.rms_norm(t, (4,)),
                            torch.where(t > 0, t, 1.0), functional.interpolate(t, scale_factor=2), torch.std_mean(t), torch.diff(t)]
        return results


class Strict(nn.Module):
    def forward(self, x):
        return strict_mode(lambda x: (x.sin(), x.t() + 1), (x,))


class Hints(nn.Module):
    def forward(self, x, y):
        return hints_wrapper(lambda x, y: (x.relu() + y).abs(), (x, y), {}, hints={"outer": True})


class OutDtype(nn.Module):
    def forward(self, x, w, s):
        y = out_dtype(torch.ops.aten.mm.default, torch.int32, x, w)
        return y, out_dtype(torch.ops.aten.mul.Tensor, torch.int32, y, s)


class StrictNested(nn.Module):
    def forward(self, x):
        return strict_mode(lambda x: strict_mode(lambda x: x.sin(), (x,)).t() + 1, (x,))


class HintsNested(nn.Module):
    def forward(self, x):
        def outer(x):
            return hints_wrapper(lambda x: x.sin(), (x,), {}, hints={"inner": 1}) + 1

        return hints_wrapper(outer, (x,), {}, hints={"outer": "x"})


class OutDtypeNested(nn.Module):
    """As one of two branches."""

    def forward(self, x, w):
        return torch.cond(x.sum() > 0, lambda x, w: out_dtype(torch.ops.aten.mm.default, torch.int32, x, w),
                          lambda x, w: (x.sum(1, keepdim=True) + w.sum(0)).int(), (x, w))


class Printed(nn.Module):
    """torch.export takes it in the outermost graph only."""

    def forward(self, x):
        torch._higher_order_ops.print("{} of {}", x, 2)
        return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x * 2, (x,))


class Effects(nn.Module):
    """Two calls in a row: decomposed, a token goes in, from one to the next, and out."""

    def forward(self, x):
        torch.ops.aten._print("before")
        y = x.sin()
        torch.ops.aten._print("after")
        return y + 1


class ForeachMap(nn.Module):
    def forward(self, x, y):
        return foreach_map(torch.add, [x, y], [y, x])


class InlineAsm(nn.Module):
    def forward(self, x, y):
        return inline_asm_elementwise(x, y.t(), asm_str="add $0, $1, $2", constraints="=r,r,r", dtype=torch.int32)


class SavedRandomState(nn.Module):
    def forward(self, x):
        return rng_prims.run_and_save_rng_state(torch.ops.aten.rand_like.default, x)


class AssociativeScan(nn.Module):
    """The form for any device, which goes by slices and torch.vmap."""

    def forward(self, x, gate):
        def step(left, right):
            return left[0] * right[0], (left[1] * right[0] + right[1]).relu()

        return associative_scan(step, (gate, x), 1, combine_mode="generic")


class Vmap(nn.Module):
    """torch.vmap twice, one in the other, over other dimensions, with a tensor that has none."""

    def forward(self, x, y, table):
        def row(a, b, c):
            return (a * b).exp() + c

        rows = torch.vmap(torch.vmap(row, in_dims=(0, 0, None)), in_dims=(0, None, None), out_dims=1)
        columns = torch.vmap(lambda a: (a * 2).sum(0).exp(), in_dims=1, out_dims=-1)
        return rows(x, table, y), columns(x)


class NestedInputs(nn.Module):
    """What its caller hands over in dicts, lists and tuples."""

    def forward(self, inputs, feats, *rest, scale=1.0):
        return inputs["mask"] + inputs["ids"] * scale + feats["b"][0] + feats["b"][1][0] + rest[0]


class FlexGemm(nn.Module):
    """Products of matrices with what follows them: one result, and a pair of results in a batch."""

    def forward(self, a, b, bias, batch):
        from torch._higher_order_ops.flex_gemm import flex_gemm  # from torch 2.15 on
        first = flex_gemm(torch.addmm, (bias, a, b), lambda product: (product + 1).relu().to(torch.bfloat16))
        pair = flex_gemm(torch.bmm, (batch, batch.transpose(1, 2)), lambda product: (product.sin(), product.sum(-1)))
        return first, *pair


EXPORTED = {
    "flex_gemm": (FlexGemm, (torch.randn(2, 3), torch.randn(3, 4), torch.randn(4), torch.randn(5, 2, 3))),
    "cond": (Cond, (torch.randn(2, 4),)),
    "cond_plain": (CondPlain, (torch.tensor(True), torch.randn(2, 3, 4, 5))),
    "cond_nested": (CondNested, (torch.randn(2, 4),)),
    "while_loop": (WhileLoop, (torch.tensor(0), torch.randn(3, 4))),
    "while_loop_with_buffers": (WhileLoopWithBuffers, (torch.zeros(1), torch.randn(3, 4))),
    "while_loop_trained": (WhileLoopTrained, (torch.tensor(0), torch.randn(3, 4))),
    "while_loop_nested": (WhileLoopNested, (torch.tensor(0), torch.tensor(0), torch.randn(3, 4))),
    "scan": (Scan, (torch.randn(2, 5), torch.randn(6, 2, 3))),
    "scan_plain": (ScanPlain, (torch.zeros(2, dtype=torch.int64), torch.ones(2, 7, dtype=torch.int64), torch.randn(3, 7, 4))),
    "scan_nested": (ScanNested, (torch.randn(3), torch.randn(5, 4, 3))),
    "map": (Map, (torch.randn(5, 2, 4), torch.randn(3))),
    "map_nested": (MapNested, (torch.randn(5, 2, 4), torch.randn(4))),
    "invoke_subgraph": (Layers, (torch.randn(2, 4),)),
    "invoke_subgraph_nested": (LayersNested, (torch.randn(2, 4),)),
    "regions": (Regions, (torch.randn(2, 4),)),
    "autocast_parts": (AutocastParts, (torch.randn(2, 3, 4), torch.tensor([1, 2]))),
    "strict_mode": (Strict, (torch.randn(2, 3),)),
    "hints_wrapper": (Hints, (torch.randn(2, 3), torch.randn(3))),
    "strict_mode_nested": (StrictNested, (torch.randn(2, 3),)),
    "hints_wrapper_nested": (HintsNested, (torch.randn(2, 3),)),
    "out_dtype_nested": (OutDtypeNested, (torch.ones(2, 3, dtype=torch.int8), torch.ones(3, 4, dtype=torch.int8))),
    "printed": (Printed, (torch.randn(2, 3),)),
    "foreach_map": (ForeachMap, (torch.randn(3, 3), torch.randn(3, 3))),
    "inline_asm": (InlineAsm, (torch.randn(2, 3), torch.randn(3, 2))),
    "run_and_save_rng_state": (SavedRandomState, (torch.randn(2, 3),)),
    "effects_exported": (Effects, (torch.randn(2, 3),)),
    "out_dtype": (OutDtype, (torch.ones(2, 3, dtype=torch.int8), torch.ones(3, 4, dtype=torch.int8), torch.ones(4, dtype=torch.int8))),
}

# torch.vmap: FakeTensorProp cannot run these, so that what torch.export recorded is PyTorch's answer.
RECORDED = {
    "associative_scan_generic": (AssociativeScan, (torch.randn(3, 5), torch.rand(3, 5))),
    "vmap": (Vmap, (torch.randn(2, 3, 4), torch.randn(4), torch.randn(3, 4))),
}

# Those that only torch.export's other ways write.
NOT_STRICT = {"flex_gemm", "run_and_save_rng_state", "while_loop_trained"}
DECOMPOSED = {"effects_exported"}


class Builder:
    """An FX graph by hand."""

    def __init__(self, **subgraphs):
        self.root = nn.Module()
        self.graph = torch.fx.Graph()
        for name, module in subgraphs.items():
            setattr(self.root, name, module)

    def input(self, name):
        return self.graph.placeholder(name)

    def get(self, name):
        return self.graph.get_attr(name)

    def call(builder, target, /, *args, **kwargs):
        return builder.graph.call_function(target, args, kwargs)

    def finish(self, *results):
        self.graph.output(results)
        return torch.fx.GraphModule(self.root, self.graph)


def subgraph(function):
    """A function of tensors as a graph of ATen's operators on anything: traced by symbolic_trace."""
    return torch.fx.symbolic_trace(function)


def associative_scans():
    b = Builder(combine=subgraph(lambda a, b, c, d: (a * c, b * c + d)))
    x, y = b.input("x"), b.input("y")
    made = b.call(torch.ops.higher_order.associative_scan, b.get("combine"), [x, y], ())
    return b.finish(made), (torch.randn(4, 3, requires_grad=True), torch.randn(3, 4).t())


def associative_scan_nested():
    inner = Builder(combine=subgraph(lambda a, b: (torch.maximum(a, b),)))
    scanned = inner.call(torch.ops.higher_order.associative_scan, inner.get("combine"), [inner.input("x")], ())
    b = Builder(left=inner.finish(inner.call(operator.getitem, scanned, 0)),
                right=subgraph(lambda x: (x.clone(),)))
    flag, x = b.input("flag"), b.input("x")
    made = b.call(torch.ops.higher_order.cond, flag, b.get("left"), b.get("right"), [x])
    return b.finish(made), (torch.tensor(True), torch.randn(3, 4))


def effects():
    b = Builder()
    token, x = b.input("token"), b.input("x")
    printed = b.call(torch.ops.higher_order.with_effects, token, torch.ops.aten._print.default, "hello")
    done = b.call(torch.ops.higher_order.with_effects, b.call(operator.getitem, printed, 0),
                  torch.ops.aten.sin.default, x)
    said = b.call(torch.ops.higher_order.print, "x {}", x)
    return b.finish(printed, done, said), (torch.empty(0), torch.randn(2, 3, requires_grad=True))


def random_states():
    b = Builder()
    x, state, w = b.input("x"), b.input("state"), b.input("w")
    saved = b.call(rng_prims.run_and_save_rng_state, torch.ops.aten.native_dropout.default, x, 0.5, True)
    again = b.call(rng_prims.run_with_rng_state, state, torch.ops.aten.rand_like.default, w)
    return b.finish(saved, again), (torch.randn(2, 3), torch.empty(5056, dtype=torch.uint8), torch.randn(3, requires_grad=True))


def functionalized():
    """In-place operators of ATen stand for the custom ones that these wrap in practice."""
    auto_functionalize.can_auto_functionalize = lambda op: True
    b = Builder()
    x, y, out = b.input("x"), b.input("y"), b.input("out")
    ops, hop = torch.ops.aten, torch.ops.higher_order
    first = b.call(hop.auto_functionalized, ops.add_.Tensor, self=x, other=y)
    views = {"_self_base_index": 0, "_self_slice_dim": 0, "_self_slice_start": 1, "_self_slice_end": 3}
    second = b.call(hop.auto_functionalized_v2, ops.relu_.default, _all_bases=[x], **views)
    strided = {"_self_base_index": 1, "_self_size": [2], "_self_stride": [3], "_self_storage_offset": 1}
    third = b.call(hop.auto_functionalized_v2, ops.add_.Tensor, _all_bases=[x, out], other=1.0, **strided)
    listed = {"_self_length": 2, "_self_0_base_index": 0, "_self_1_base_index": 1, "_self_1_alias": True}
    fourth = b.call(hop.auto_functionalized_v2, ops._foreach_add_.Scalar, _all_bases=[x, out], scalar=1.0, **listed)
    made = {"_out_size": [4, 3], "_out_stride": [1, 4], "_out_dtype": torch.float32, "_out_device": torch.device("cpu")}
    fifth = b.call(hop.auto_functionalized_v2, ops.sin.out, _all_bases=[], self=x, **made)
    return b.finish(first, second, third, fourth, fifth), (torch.randn(4, 3), torch.randn(3), torch.randn(3, 4).t())


def tracepoints():
    b = Builder()
    x, y = b.input("x"), b.input("y")
    seen = b.call(torch.ops.higher_order._export_tracepoint, x, y, kind="module_call_inputs", path="block")
    return b.finish(seen), (torch.randn(2, requires_grad=True), torch.ones(3, dtype=torch.int32))


def triton():
    b = Builder()
    x, y = b.input("x"), b.input("y")
    common = {"kernel_idx": 0, "constant_args_idx": 0, "grid": [(1, 1, 1)], "tma_descriptor_metadata": {}}
    made = b.call(torch.ops.higher_order.triton_kernel_wrapper_functional, kwargs={"in": x, "out": y},
                  tensors_to_clone=["out"], **common)
    out = b.call(operator.getitem, made, "out")
    none = b.call(torch.ops.higher_order.triton_kernel_wrapper_mutation, kwargs={"in": x, "out": y}, **common)
    return b.finish(out, none), (torch.randn(2, 3), torch.randn(4, 3).t())


def checkpoints():
    b = Builder(**{name: subgraph(lambda x, w: ((x @ w).relu(),)) for name in ("one", "two", "three")})
    x, w = b.input("x"), b.input("w")
    first = b.call(torch.ops.higher_order.tag_activation_checkpoint, b.get("one"), x, w, use_reentrant=False)
    second = b.call(torch.ops.higher_order.wrap_activation_checkpoint, b.get("two"), x, w)
    third = b.call(torch.ops.higher_order.wrap, b.get("three"), x, w)
    return b.finish(first, second, third), (torch.randn(2, 3), torch.randn(3, 3, requires_grad=True))


def invoke_quant():
    b = Builder(body=subgraph(lambda x, w: (x @ w, x.int())))
    x, w = b.input("x"), b.input("w")
    made = b.call(torch.ops.higher_order.invoke_quant, b.get("body"), x, w, scheme="nf4")
    return b.finish(made), (torch.randn(2, 3), torch.randn(3, 3, requires_grad=True))


def other_metadata():
    """One subgraph, called on arguments of two shapes."""
    b = Builder(repeated=subgraph(lambda x: (x.sin() + 1,)))
    x, y = b.input("x"), b.input("y")
    calls = [b.call(torch.ops.higher_order.invoke_subgraph, b.get("repeated"), "repeated", a) for a in (x, y, x)]
    return b.finish(*calls), (torch.randn(2, 3), torch.randn(4))


def _score(score, b, h, q, k, bias):
    return score + bias


def _mask(b, h, q, k):
    return q >= k


def _joint(score, b, h, q, k, grad, bias):
    return grad, None, None, None, None, grad


def _block_mask(b):
    return (8, 8, *[b.input(name) for name in ("kv_num_blocks", "kv_indices")], None, None,
            *[b.input(name) for name in ("q_num_blocks", "q_indices")], None, None, None, None, None, None, 8, 8,
            b.get("mask"))


def _flex_inputs(grad):
    def make(*shape):
        return torch.randn(*shape).transpose(1, 2).requires_grad_(grad)

    blocks = [torch.ones(1, 1, 1, dtype=torch.int32), torch.zeros(1, 1, 1, 1, dtype=torch.int32)]
    blocks += [block.clone() for block in blocks]
    return make(2, 8, 4, 16), make(1, 8, 2, 16), make(1, 8, 2, 32), torch.randn((), requires_grad=grad), blocks


def flex(grad=False):
    b = Builder(score=subgraph(_score), mask=subgraph(_mask))
    q, k, v, bias = (b.input(name) for name in "qkvs")
    made = b.call(flex_attention, q, k, v, b.get("score"), _block_mask(b), 0.25, {}, (bias,), ())
    *tensors, blocks = _flex_inputs(grad)
    return b.finish(made), (*tensors, *blocks)


def flex_nested():
    """In a branch of a condition, its mask's graph closed over a tensor of the outside."""
    inner = Builder(score=subgraph(_score), mask=subgraph(lambda b, h, q, k, lengths: k < torch.ops.aten.index.Tensor(lengths, [b])))
    q, k, v, bias = (inner.input(name) for name in "qkvs")
    blocks, lengths = _block_mask(inner), inner.input("lengths")
    made = inner.call(flex_attention, q, k, v, inner.get("score"), blocks, 0.25, {}, (bias,), (lengths,))
    left = inner.finish(inner.call(operator.getitem, made, 0))
    right = subgraph(lambda q, k, v, s, a, b, c, d, lengths: (q.new_zeros(2, 8, 4, 32).transpose(1, 2),))
    b = Builder(left=left, right=right)
    operands = [b.input(name) for name in ("q", "k", "v", "s", "kv_num", "kv", "q_num", "q_indices", "lengths")]
    made = b.call(torch.ops.higher_order.cond, b.input("flag"), b.get("left"), b.get("right"), operands)
    *tensors, blocks = _flex_inputs(False)
    return b.finish(made), (*tensors, *blocks, torch.tensor([3, 8]), torch.tensor(True))


def checkpoints_nested():
    """One region in another, and both in a branch."""
    inner = subgraph(lambda x, w: ((x @ w).relu(),))
    middle = Builder(inner=inner)
    x, w = middle.input("x"), middle.input("w")
    made = middle.call(torch.ops.higher_order.tag_activation_checkpoint, middle.get("inner"), x, w, use_reentrant=False)
    outer = Builder(middle=middle.finish(middle.call(operator.getitem, made, 0)))
    x, w = outer.input("x"), outer.input("w")
    made = outer.call(torch.ops.higher_order.wrap_activation_checkpoint, outer.get("middle"), x, w)
    b = Builder(left=outer.finish(outer.call(operator.getitem, made, 0)), right=subgraph(lambda x, w: (x + w[0],)))
    flag, x, w = b.input("flag"), b.input("x"), b.input("w")
    made = b.call(torch.ops.higher_order.cond, flag, b.get("left"), b.get("right"), [x, w])
    return b.finish(made), (torch.tensor(True), torch.randn(2, 3), torch.randn(3, 3))


def flex_backward():
    b = Builder(score=subgraph(_score), mask=subgraph(_mask), joint=subgraph(_joint))
    q, k, v, bias, out, lse, grad = (b.input(name) for name in ("q", "k", "v", "s", "out", "lse", "grad"))
    made = b.call(flex_attention_backward, q, k, v, out, lse, grad, None, b.get("score"), b.get("joint"), _block_mask(b),
                  0.25, {}, (bias,), ())
    *tensors, blocks = _flex_inputs(False)
    return b.finish(made), (*tensors, torch.randn(2, 4, 8, 32), torch.randn(2, 4, 8), torch.randn(2, 4, 8, 32), *blocks)


class Switch(nn.Module):
    """One of several branches, by an index."""

    def forward(self, index, x):
        from torch._higher_order_ops.switch import switch  # from torch 2.15 on
        return switch(index, [lambda x: x.t() * 2, lambda x: x.t().sin(), lambda x: x.t().exp() + 1], (x,))


def switch_traced():
    """torch.export traces it, but does not write it."""
    inputs = (torch.tensor(1), torch.randn(3, 4))
    return torch.export.export(Switch(), inputs).graph_module, inputs


TRACED = {
    "switch": switch_traced,
    "associative_scan": associative_scans,
    "associative_scan_nested": associative_scan_nested,
    "auto_functionalized": functionalized,
    "checkpoints": checkpoints,
    "checkpoints_nested": checkpoints_nested,
    "flex_attention_nested": flex_nested,
    "flex_attention": flex,
    "flex_attention_backward": flex_backward,
    "flex_attention_trained": lambda: flex(True),
    "invoke_quant": invoke_quant,
    "other_metadata": other_metadata,
    "random_states": random_states,
    "tracepoints": tracepoints,
    "triton": triton,
    "with_effects": effects,
}
