"""Modules for export_scripts.py, small ones that bring what TorchScript has and torch.export has not."""

import math
from enum import Enum
from typing import Any, Dict, List, Optional, Tuple, Union

import torch
import torch.nn.functional as F
from torch import Tensor, nn

import script_data  # noqa: F401
import script_libraries  # noqa: F401
import script_networks  # whose cases come first
import script_quantized  # noqa: F401
import script_strings  # noqa: F401
from script_case import CASES, Case, case


@case((3, 4))
class Branches(nn.Module):
    def forward(self, x):
        if x.size(0) > 2:
            y = x.t()
        else:
            y = x
        if x.dim() == 3:
            y = y.unsqueeze(0)
        elif x.dim() == 2:
            y = y.sum(0)
        return y


@case((3, 4), name="unknown_condition")
class UnknownCondition(nn.Module):
    def forward(self, x):
        if bool(x.sum() > 0):
            y = x * 2
        else:
            y = x - 1
        z = x.max()
        if float(z) > 1e9:
            raise ValueError("too large")
        return y * float(z)


@case((3, 4), name="list_in_tuple")
class ListInTuple(nn.Module):
    def forward(self, x):
        sizes = [2]
        pairs = [(sizes, 1)]
        if bool(x.sum() > 0):
            pairs[0][0].append(3)
        else:
            pairs[0][0].append(3)
        return torch.zeros(sizes)


@case((3, 4), name="branches_disagree", error="two branches give different results")
class Disagree(nn.Module):
    def forward(self, x):
        if bool(x.sum() > 0):
            y = x.t()
        else:
            y = x
        return y + 1


@case((3, 4), name="scaled_by_data")
class ScaleByData(nn.Module):
    def forward(self, x):
        n = x.argmax().item()
        return x * x.max().item(), x.argmax() * n, torch.full((2,), int(n)), x.clamp(min=float(x.min()))


@case((4, 3))
class Loops(nn.Module):
    def forward(self, x):
        total = torch.zeros(3)
        for i in range(x.size(0)):
            if i == 2:
                continue
            total = total + x[i]
        n = 1
        while n < 20:
            n = n * 3
            if n == 9:
                break
        for row in x:
            total = total + row
        return total.repeat(n)


@case((4, 3), name="unknown_loop")
class UnknownLoop(nn.Module):
    def forward(self, x):
        while bool(x.abs().max() > 0.1):
            x = x * 0.5
        return x + 1


@case((4, 3))
class Lists(nn.Module):
    def forward(self, x):
        parts: List[Tensor] = []
        alias = parts
        for i in range(3):
            parts.append(x.narrow(0, i, 2))
        alias.append(x[:2])
        sizes: List[int] = [2, 3]
        sizes.extend([1, 1])
        sizes.insert(0, 7)
        first = sizes.pop(0)
        sizes[1] = 12
        sizes.reverse()
        sizes.sort()
        more = sizes[1:] + [4] * 2
        y = torch.cat(alias)
        pieces = list(torch.split(y, [2, 3, 3]))
        pieces.append(pieces[0])
        a, b = x.unbind(1)[:2]
        return torch.cat(pieces), y.view(-1)[: first + len(more)], a + b, torch.zeros(sizes)


@case((2, 3))
class Dicts(nn.Module):
    def forward(self, x):
        d: Dict[str, Tensor] = {"a": x, "b": x.t()}
        d["c"] = x + 1
        if "b" in d:
            d["b"] = d["b"].contiguous()
        keys = list(d.keys())
        out: List[Tensor] = []
        for k, v in d.items():
            if k != "a":
                out.append(v.flatten())
        counts: Dict[int, int] = {}
        for i in range(4):
            counts[i % 2] = counts.get(i % 2, 0) + 1
        e = d.pop("a")
        return torch.stack(out), e.repeat(counts[0], len(keys)), d


@case((2, 3))
class Tuples(nn.Module):
    def pair(self, x) -> Tuple[Tensor, Tensor]:
        return x, x.t()

    def forward(self, x):
        a, b = self.pair(x)
        nested = ((a, b), x.size())
        (c, _), size = nested
        values, indices = c.max(dim=1)
        return nested[0][1], values, indices, torch.zeros(size)


@case(name="tuple_input", inputs=lambda: (torch.randn(3, 2), (torch.randn(1, 2), torch.randn(2))))
class TupleInput(nn.Module):
    def forward(self, x, state: Tuple[Tensor, Tensor]):
        h, c = state
        return x + h, (x * c, h)


@case((2, 3), 2, 0.5, True, name="numbers")
class Numbers(nn.Module):
    def forward(self, x, n: int, p: float, flag: bool, mode: str = "mean"):
        if flag and mode == "mean":
            x = x.mean(0)
        k = (n * 7 + 3) // 2 % 5 + int(p * 4) + max(n, 3) - abs(-n) + min([4, 2, 3])
        r = round(2.6) + math.floor(3.7)
        text = "{} of {}".format(k, mode) + "x".upper()
        return x.repeat(k), x.new_zeros(len(text), int(r)), float(k) ** 2 * x


@case(name="list_inputs", inputs=lambda: ([torch.randn(2, 3), torch.randn(4, 3)], [4, -1]))
class ListInputs(nn.Module):
    def forward(self, xs: List[Tensor], sizes: List[int]):
        xs.append(xs[0].t().contiguous().t())
        sizes[0] = 2
        return torch.cat(xs).view(sizes), xs


@case(name="dict_inputs", inputs=lambda: ({"a": torch.randn(2, 3), "b": torch.randn(2, 5)}, {3: [torch.randn(2), torch.randn(4)]}))
class DictInputs(nn.Module):
    def forward(self, feats: Dict[str, Tensor], parts: Dict[int, List[Tensor]]):
        whole = torch.cat([feats[k] for k in feats.keys()], 1)
        feats["c"] = whole.view(-1)
        rows: List[Tensor] = []
        for k, v in parts.items():
            for t in v:
                rows.append(t.repeat(k))
        return whole, feats, rows


@case(name="pair_inputs", inputs=lambda: ([(torch.randn(2, 3), torch.randn(3, 4)), (torch.randn(5, 3), torch.randn(3, 6))], "sum", torch.device("cpu")))
class PairInputs(nn.Module):
    def forward(self, pairs: List[Tuple[Tensor, Tensor]], mode: str, device: torch.device):
        out: List[Tensor] = []
        for a, b in pairs:
            out.append((a @ b).to(device))
        return out[0].sum(0) if mode == "sum" else out[1]


@case((3, 20, 30), name="size_of_tensors")
class SizeOfTensors(nn.Module):
    """Sizes that are computed on small tensors whose elements are known, in float32."""

    def forward(self, x):
        shape = torch.tensor(x.shape[-2:])
        small, large = torch.min(shape).to(torch.float32), torch.max(shape).to(torch.float32)
        scale = torch.min(16 / small, 21 / large).item()
        y = F.interpolate(x[None], scale_factor=scale, mode="bilinear", recompute_scale_factor=True, align_corners=False)[0]
        whole = torch.tensor([1, 2, 3, 4])
        n = int(whole[-2:][0]) + int(whole[1]) + int(whole[::2].sum())
        return y, x.repeat(n, 1, 1), x.new_zeros(int(whole.prod()))


class Color(Enum):
    RED = 1
    GREEN = 2


@case((2, 3), name="enums")
class Enums(nn.Module):
    def __init__(self):
        super().__init__()
        self.color = Color.GREEN

    def pick(self, color: Color, x: Tensor):
        return x.t() if color == Color.RED else x.repeat(color.value, 1)

    def forward(self, x):
        y = self.pick(self.color, x)
        if self.color != Color.RED:
            y = y.repeat(1, len(self.color.name))
        for color in Color:
            y = torch.cat([y, y[: color.value]])
        return y, self.pick(Color.RED, x)


@case((2, 3), name="questions_of_type")
class QuestionsOfType(nn.Module):
    def joined(self, v: Union[int, Tensor, List[Tensor]], x: Tensor):
        if isinstance(v, int):
            return x.repeat(v, 1)
        elif isinstance(v, Tensor):
            return x + v
        return torch.stack(v)

    def size(self, v: Any) -> int:
        if isinstance(v, int):
            return v
        if isinstance(v, (float, str)):
            return 7
        return len(v) if isinstance(v, List[int]) else 1

    def forward(self, x):
        n = self.size(2) + self.size("a") + self.size([1, 2, 3]) + self.size(x) + self.size(2.5)
        return self.joined(2, x), self.joined(x, x), self.joined([x, x], x), x.repeat(n, 1)


@case((2, 3), name="autocast")
class Autocast(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.fc(x)
            z = torch.softmax(y, -1) + (y @ y.t()).sum()
            with torch.autocast("cpu", enabled=False):
                w = self.fc(x.float())
            v = self.fc(x * w.sum())
        return y, z, w, v, self.fc(x)


@case((2, 3), name="default_device", method="placed")
class DefaultDevice(nn.Module):
    @torch.jit.export
    def placed(self, x, device: torch.device = torch.device("cpu")):
        return x.to(device), torch.zeros(2, device=device)

    def forward(self, x):
        return x


@case((2, 3), None, name="optional_none")
@case((2, 3), (3,), name="optional_given")
class Optionals(nn.Module):
    def forward(self, x, bias: Optional[Tensor] = None, scale: Optional[float] = None):
        if bias is not None:
            x = x + bias
        if scale is None:
            scale = 2.0
        return x * scale


@case((2, 3), name="raises", error="the code raises ValueError: expected 3 dimensions, got 2")
class Raises(nn.Module):
    def forward(self, x):
        if x.dim() != 3:
            raise ValueError("expected 3 dimensions, got {}".format(x.dim()))
        return x + 1


@case((2, 3), name="asserts", error="the code raises AssertionError: odd")
class Asserts(nn.Module):
    def forward(self, x):
        assert x.size(1) % 2 == 0, "odd"
        return x + 1


@case((4, 3))
class ForkWait(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)
        self.b = nn.Linear(3, 2)

    def forward(self, x):
        future = torch.jit.fork(self.a, x)
        y = self.b(x)
        futures = [torch.jit.fork(torch.relu, y), torch.jit.fork(torch.neg, y)]
        results: List[Tensor] = []
        for f in futures:
            results.append(torch.jit.wait(f))
        return torch.jit.wait(future), torch.cat(results, 1)


@case((2, 3), name="state")
class State(nn.Module):
    """Attributes that change while the code runs."""

    calls: int
    seen: List[Tensor]

    def __init__(self):
        super().__init__()
        self.calls = 2
        self.seen = torch.jit.annotate(List[Tensor], [])
        self.sizes = [1, 2]
        self.table = {"a": 1, "b": 4}
        self.register_buffer("last", torch.zeros(1))

    def forward(self, x):
        self.calls += 1
        self.last = x.repeat(self.calls, 1)
        self.seen.append(x)
        self.sizes.append(self.calls)
        return self.last, torch.stack(self.seen), x.new_zeros(self.sizes), x.repeat(self.table["b"], 1)


@torch.jit.script
class Pair:
    def __init__(self, a: Tensor, b: Tensor):
        self.a = a
        self.b = b
        self.count = 0

    def swap(self):
        self.a, self.b = self.b, self.a
        self.count += 1

    def joined(self, dim: int) -> Tensor:
        return torch.cat([self.a, self.b], dim)


@case((2, 3), name="objects")
class Objects(nn.Module):
    def forward(self, x):
        pair = Pair(x, x.repeat(2, 1))
        same = pair
        same.swap()
        return pair.a, pair.joined(0), x.repeat(pair.count + 1, 1)


class Other(nn.Module):
    def forward(self, x):
        return x.mean(0)


@case((2, 3), name="other_method", method="encode")
class OtherMethod(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 4), nn.Linear(4, 5)])
        self.heads = nn.ModuleDict({"one": Other(), "two": nn.Identity()})

    def forward(self, x):
        return self.encode(x)

    @torch.jit.export
    def encode(self, x):
        for layer in self.layers:
            x = layer(x)
        for name, head in self.heads.items():
            x = head(x)
        return x


@case((2, 3), name="constants", trace=True)
class Constants(nn.Module):
    def __init__(self):
        super().__init__()
        self.offset = torch.tensor([1.0, 2.0, 3.0])

    def forward(self, x):
        return x + torch.tensor([[1.0], [2.0]]) + self.offset, torch.tensor(3) * x, torch.ones(2, 2)[0]


# A table of which only a part is used keeps its storage; views that are conjugated or negated stay such.
@case((2, 3), name="stored_views", trace=True)
class StoredViews(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("positions", torch.arange(40.0).view(8, 5)[:2, 1:4])
        self.register_buffer("rates", torch.ones(3, dtype=torch.complex64).conj())
        self.register_buffer("steps", torch._neg_view(torch.arange(3)))

    def forward(self, x):
        return x + self.positions, self.rates, self.steps, x * self.rates, torch.arange(8)[2:4]


# Names that torch replaces, overloads that several names fit, and complex numbers.
@case((3, 3), name="names_of_operators", trace=True)
class NamesOfOperators(nn.Module):
    def forward(self, x):
        ops = torch.ops.aten
        drawn = ops.bernoulli.out(x.sigmoid(), out=torch.empty(3, 3, dtype=torch.float64))
        det = ops.linalg_det.out(x, out=torch.empty(()))
        scaled = torch._foreach_mul([x, x], 0.5 - 2j)
        return drawn, det, torch.det(x), ops.rsub.Tensor(x, det, alpha=2), scaled[0]


@case((3, 4), name="in_place")
class InPlace(nn.Module):
    def forward(self, x):
        y = x.clone()
        v = y[0]
        v.add_(1)
        y[1] = 0
        y[:, 1:3] += 2
        z = y.t()
        z.mul_(2)
        return y, v, z


@case((2, 3, 4), name="dtypes")
class Dtypes(nn.Module):
    def forward(self, x):
        a = torch.zeros(x.shape, dtype=torch.int32, device=x.device)
        b = x.to(torch.float16)
        c = torch.empty_like(x, dtype=torch.double)
        d = torch.full((2, 3), 1.5, dtype=x.dtype)
        e = a.to(b.dtype) if b.dtype == torch.float16 else a
        f = x.contiguous(memory_format=torch.contiguous_format)
        g = torch.tensor([[1, 2], [3, 4]])
        h = torch.arange(5, dtype=torch.float32)
        return a, b, c, d, e, f, g, h, x.to(torch.bool), x.type_as(c)


@case((2, 3), name="no_grad")
class NoGrad(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(3))

    def forward(self, x):
        with torch.no_grad():
            y = x * self.w
        return y + self.w


@case((6, 4), name="indexing")
class Indexing(nn.Module):
    def forward(self, x):
        index = torch.tensor([0, 2, 4])
        y = x[index]
        y = y[:, [1, 3]]
        z = x[None, ::2, ..., -1]
        return y, z, x[1:, None], x[torch.tensor(1)], x[..., :2].flatten()


@case((2, 8), name="interpolated", inputs=lambda: (torch.randn(1, 2, 8, 8),))
class Interpolated(nn.Module):
    def forward(self, x):
        a = F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False)
        b = F.interpolate(x, size=(5, 7), mode="nearest")
        c = F.pad(x, [1, 2, 0, 1])
        return a, b, c, F.max_pool2d(x, 2, return_indices=True)


@case((3, 5), name="recursion_of_modules")
class Deep(nn.Module):
    """Names through containers, and modules called twice."""

    def __init__(self):
        super().__init__()
        shared = nn.Linear(5, 5)
        self.left = nn.Sequential(shared, nn.ReLU(), nn.Sequential(nn.LayerNorm(5), nn.Dropout(0.1)))
        self.right = shared
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return self.left[2][0](self.left(x)) + self.drop(self.right(x))


@case((4, 6), name="strings")
class Strings(nn.Module):
    def forward(self, x):
        names = "a,b,,c".split(",")
        joined = "-".join(names)
        n = len(joined) + joined.find("c") + int(joined.startswith("a")) + len(names[-1:])
        out: Dict[str, Tensor] = {}
        for i, name in enumerate(names):
            out[name + str(i)] = x[i : i + 1]
        return x.repeat(n, 1), [out[k] for k in sorted(out.keys())]


@case((4, 6), name="kinds_of_strings")
class KindsOfStrings(nn.Module):
    """A number for each answer that strings give of themselves."""

    def forward(self, x):
        found: List[Tensor] = []
        for i, text in enumerate(["", "a", "A b", "12", "-1", "bAna na", "a\nb", " "]):
            kinds = [text.isprintable(), text.islower(), text.isupper(), text.isnumeric(), text.isdecimal()]
            made = [text.swapcase(), text.capitalize(), text.title(), text.ljust(5, "."), text.rjust(5, "."), text.zfill(5), text.center(6, "*")]
            n = 0
            for holds in kinds:
                n = 2 * n + int(holds)
            m = 0
            for c in "/".join(made):
                m = (3 * m + ord(c)) % 1009
            found.append(x.new_zeros([i, n, m]))
        return found


@case((2, 3, 8, 8), name="sizes_in_place", trace=True)
class SizesInPlace(nn.Module):
    """A product of sizes that grows in place, as einops makes it."""

    def forward(self, x):
        count = 1
        for size in x.shape[:1] + (x.shape[2] // 4, x.shape[3] // 4):
            count *= size
        return x.reshape(count, -1)


@case((), name="number_constants", trace=True)
@case((), name="number_constants_frozen", freeze=True)
class NumberConstants(nn.Module):
    """A constant of rank 0 on the right of an arithmetic operator acts as a number. On the left, and elsewhere, it does not."""

    def __init__(self):
        super().__init__()
        self.register_buffer("coef", torch.tensor(0.5, dtype=torch.float64))
        self.register_buffer("two", torch.tensor(2))

    def forward(self, x):
        i = x.to(torch.int32)
        a = x * self.coef, self.coef * x, x + self.coef, x - self.coef, x / self.coef, torch.where(x > 0, x, self.coef)
        b = i + self.two, i * self.coef, i / self.two, i - self.two, self.two * i, torch.maximum(i, self.two)
        return a, b, x * -0.5, i * 0.5, i + 1


@torch.jit.interface
class Layer(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        pass


class Transposed(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.t()


@case((2, 3), name="interfaces", error="is called through an interface")
@case((2, 3), name="interfaces_frozen", freeze=True)
class Interfaces(nn.Module):
    layer: Layer

    def __init__(self):
        super().__init__()
        self.layer = Transposed()

    def forward(self, x):
        return self.layer.forward(x)


class Quantized(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, x):
        return self.fc(x.t()).relu()


def build_quantized():
    return torch.jit.script(torch.ao.quantization.quantize_dynamic(Quantized().eval(), {nn.Linear}))


CASES.append(Case("quantized", build_quantized, lambda: (torch.randn(3, 2),)))
