"""Recommenders, graphs, physics, quantized and odd models: what check_zoo.py exports."""

from typing import Dict, List, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from register import model


@model(lambda: (torch.randint(0, 30, (4, 3)), torch.randn(4, 5), torch.randint(0, 50, (10,)), torch.tensor([0, 2, 2, 7])))
class Dlrm(nn.Module):
    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(30, 8) for _ in range(3)])
        self.bag = nn.EmbeddingBag(50, 8, mode="mean")
        self.bottom, self.top = nn.Sequential(nn.Linear(5, 8), nn.ReLU()), nn.Linear(8 + 10, 1)
        self.register_buffer("pairs", torch.tril_indices(5, 5, -1))

    def forward(self, sparse, dense, values, offsets):
        x = self.bottom(dense)
        rows = [x, self.bag(values, offsets)]
        for i, table in enumerate(self.tables):
            rows.append(table(sparse[:, i]))
        t = torch.stack(rows, dim=1)
        z = torch.bmm(t, t.transpose(1, 2))
        flat = z[:, self.pairs[0], self.pairs[1]]
        return torch.sigmoid(self.top(torch.cat([x, flat], 1))).flatten()


@model(lambda: (torch.randn(10, 6), torch.randint(0, 10, (2, 24))))
class Gat(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.att, self.bias = nn.Linear(6, 8, bias=False), nn.Parameter(torch.randn(1, 2, 8)), nn.Parameter(torch.zeros(8))

    def forward(self, x, edge):
        src, dst = edge[0], edge[1]
        h = self.lin(x).view(-1, 2, 4)
        e = F.leaky_relu((torch.cat([h[src], h[dst]], -1) * self.att).sum(-1), 0.2)
        top = torch.full((x.size(0), 2), -1e9).scatter_reduce(0, dst[:, None].expand(-1, 2), e, reduce="amax", include_self=False)
        a = (e - top[dst]).exp()
        total = torch.zeros_like(top).index_add_(0, dst, a)
        a = a / total.index_select(0, dst)
        out = torch.zeros(x.size(0), 2, 4).index_add(0, dst, h[src] * a.unsqueeze(-1))
        degree = torch.zeros(x.size(0), dtype=torch.long).scatter_add_(0, dst, torch.ones_like(dst))
        return F.elu(out.flatten(1) + self.bias), degree


@model(lambda: (torch.randn(4, 28),))
class Vae(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.mu, self.logvar, self.dec = nn.Linear(28, 16), nn.Linear(16, 4), nn.Linear(16, 4), nn.Linear(4, 28)

    def forward(self, x) -> Dict[str, Tensor]:
        h = F.selu(self.enc(x))
        mu, logvar = self.mu(h), self.logvar(h)
        std = torch.exp(0.5 * logvar)
        z = mu + torch.randn_like(std) * std
        y = torch.sigmoid(self.dec(z))
        loss = F.binary_cross_entropy(y, x.sigmoid(), reduction="sum")
        kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        return {"recon": y, "loss": loss + kld, "z": z}


@model(lambda: (torch.randn(2, 8, 6, 6),))
class VqVae(nn.Module):
    def __init__(self):
        super().__init__()
        self.codebook = nn.Embedding(12, 8)

    def forward(self, z):
        flat = z.permute(0, 2, 3, 1).contiguous().view(-1, 8)
        d = torch.addmm(flat.pow(2).sum(1, keepdim=True) + self.codebook.weight.pow(2).sum(1), flat, self.codebook.weight.t(), alpha=-2)
        idx = torch.argmin(d, dim=1)
        q = self.codebook(idx).view(2, 6, 6, 8).permute(0, 3, 1, 2)
        loss = F.mse_loss(q.detach(), z) + 0.25 * F.mse_loss(q, z.detach())
        q = z + (q - z).detach()
        p = torch.zeros(idx.shape[0], 12).scatter(1, idx.unsqueeze(1), 1.0).mean(0)
        return q, loss, torch.exp(-(p * torch.log(p + 1e-10)).sum()), idx.view(2, -1)


next(m for m in __import__("register").MODELS if m.name == "VqVae").dynamic = False


@model(lambda: (torch.randn(5, 3),))
class Flow(nn.Module):
    """A coupling flow, with a log-determinant and a triangular solve."""

    def __init__(self):
        super().__init__()
        self.net, self.l = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 4)), nn.Parameter(torch.eye(3))

    def forward(self, x):
        a, b = torch.split(x, [1, 2], dim=1)
        s, t = self.net(a).chunk(2, 1)
        y = torch.cat([a, b * s.exp() + t], dim=1)
        low = self.l.tril(-1) + torch.diag_embed(torch.ones(3))
        z = torch.linalg.solve_triangular(low, y.T, upper=False).T
        return z, s.sum(1), -0.5 * (z ** 2).sum(-1) - torch.logdet(low)


@model(lambda: (torch.randn(6, 4),))
class GaussianProcess(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        k = torch.exp(-torch.cdist(x, x).square() / (2 * self.scale.exp())) + 1e-3 * torch.eye(x.size(0))
        l = torch.linalg.cholesky(k)
        alpha = torch.cholesky_solve(x[:, :1], l)
        w, v = torch.linalg.eigh(k)
        u, s, vh = torch.linalg.svd(x, full_matrices=False)
        return alpha, w, v @ v.mT, u * s, torch.linalg.inv(k), torch.linalg.qr(x)[0], torch.linalg.norm(k)


@model(lambda: (torch.randn(3, 2, 4), torch.randn(3, 4)))
class Capsules(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(1, 2, 5, 6, 4))

    def forward(self, x, y):
        u = (self.w @ x[:, :, None, :, None]).squeeze(-1)
        b = x.new_zeros(x.size(0), 2, 5, 1)
        v = u.sum(1)
        for _ in range(3):
            s = (b.softmax(2) * u).sum(1)
            n = s.norm(dim=-1, keepdim=True)
            v = n ** 2 / (1 + n ** 2) * s / n
            b = b + (u * v.unsqueeze(1)).sum(-1, keepdim=True)
        return v, F.cosine_similarity(x[:, 0], y), torch.kron(y[0], y[1]), torch.tensordot(x, y, dims=([2], [1]))


@model(lambda: (torch.randn(4, 6), torch.randn(4, 2)), script=False)
class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.mean, self.log_std, self.value = nn.Sequential(nn.Linear(6, 8), nn.Tanh()), nn.Linear(8, 2), nn.Parameter(torch.zeros(2)), nn.Linear(8, 1)

    def forward(self, obs, action):
        h = self.body(obs)
        normal = torch.distributions.Normal(self.mean(h), self.log_std.exp().expand(obs.size(0), 2), validate_args=False)
        probs = torch.distributions.Categorical(logits=h, validate_args=False)
        return normal.log_prob(action).sum(-1), normal.entropy(), self.value(h).squeeze(-1), probs.entropy(), probs.log_prob(action[:, 0].long().clamp(0, 7))


@model(lambda: (torch.randn(2, 3, 8, 8),), script=False, trace=False, train=False)
class FakeQuantized(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.register_buffer("scale", torch.tensor([0.1, 0.2, 0.1, 0.3]))
        self.register_buffer("zero", torch.zeros(4, dtype=torch.int32))
        self.register_buffer("w8", torch.randint(-127, 127, (5, 4), dtype=torch.int8))

    def forward(self, x):
        w = torch.fake_quantize_per_channel_affine(self.conv.weight, self.scale, self.zero, 0, -128, 127)
        y = F.conv2d(x, w, self.conv.bias)
        y = torch.fake_quantize_per_tensor_affine(y, 0.1, 0, 0, 255)
        p = y.mean((2, 3)).mul(10).round().to(torch.int8)
        return torch._int_mm(p.repeat(9, 2), self.w8.t().repeat(2, 8)[:, :16].contiguous()), F.linear(p.float(), self.w8.float()) * self.scale.mean()


@model(lambda: (torch.randn(3, 4), torch.randint(0, 5, (3,))))
class MixedPrecision(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 6), nn.Linear(6, 5)

    def forward(self, x, target):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            h = F.relu(self.a(x))
            y = self.b(h)
            z = torch.softmax(y, -1)
        loss = F.cross_entropy(y.float(), target, label_smoothing=0.1, ignore_index=-100)
        return loss, z, F.nll_loss(F.log_softmax(y.float(), 1), target), F.multi_margin_loss(y.float(), target)


next(m for m in __import__("register").MODELS if m.name == "MixedPrecision").script = False


@model(lambda: ({"x": torch.randn(2, 3), "pair": (torch.randn(3), [torch.ones(2, 1)])}, 2), script=False, trace=False)
class Nested(nn.Module):
    """Inputs in dicts and tuples, a number, views that are written to."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros((), dtype=torch.long))
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, batch, k):
        x = batch["x"].clone()
        self.count += 1
        self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        x[:, 0] = 0
        x[:, 1:].mul_(batch["pair"][0][1:])
        x.t()[k].add_(batch["pair"][1][0][:, 0])
        return {"y": [x, x.view(-1)[::2]], "z": (self.mean * self.count,)}


@model(lambda: (torch.randn(2, 5), torch.randn(5)), script=False, trace=False, train=False)
class Functional(nn.Module):
    """torch.func inside: vmap, grad, jacrev."""

    def forward(self, x, w):
        per = torch.func.vmap(torch.func.grad(lambda w, r: (w * r).sum().sin()), (None, 0))(w, x)
        jac = torch.func.jacrev(lambda v: v.tanh() * 2)(w)
        return per, jac, torch.func.vmap(torch.dot)(x, x)


@model(lambda: (torch.randn(2, 8), torch.randn(2, 8)), train=False)
class Hashing(nn.Module):
    def forward(self, a, b):
        bits = (a > 0).to(torch.uint8)
        packed = (bits.long() << torch.arange(8)).sum(-1)
        other = (b > 0).long()
        same = torch.bitwise_xor(bits.long(), other).sum(-1)
        order = torch.argsort(a, dim=-1, descending=True, stable=True)
        rank = torch.searchsorted(a.sort(-1).values.contiguous(), b.contiguous())
        q = torch.quantile(a, torch.tensor([0.25, 0.5]), dim=-1)
        h = torch.histc(a, bins=4, min=-1, max=1)
        return packed % 7, same.remainder(3), order, rank, q, h, torch.bucketize(b, a[0].sort()[0]), a.isfinite().all(), a.nan_to_num().frac()
