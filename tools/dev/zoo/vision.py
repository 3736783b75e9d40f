"""Vision models, small, each written as its authors write it: what check_zoo.py exports."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from register import model


def image(n=2, size=32, channels=3):
    return torch.randn(n, channels, size, size)


class ConvNeXtBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dwconv = nn.Conv2d(dim, dim, 7, padding=3, groups=dim)
        self.norm = nn.LayerNorm(dim, eps=1e-6)
        self.pw1, self.pw2 = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)
        self.gamma = nn.Parameter(1e-6 * torch.ones(dim))

    def forward(self, x):
        y = self.norm(self.dwconv(x).permute(0, 2, 3, 1))
        y = self.gamma * self.pw2(F.gelu(self.pw1(y)))
        return x + y.permute(0, 3, 1, 2)


@model(lambda: (image(),))
class ConvNeXt(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 4, stride=4)
        self.stages = nn.Sequential(ConvNeXtBlock(8), nn.GroupNorm(1, 8), nn.Conv2d(8, 16, 2, 2), ConvNeXtBlock(16))
        self.norm, self.head = nn.LayerNorm(16), nn.Linear(16, 10)

    def forward(self, x):
        return self.head(self.norm(self.stages(self.stem(x)).mean([-2, -1])))


class SqueezeExcite(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.fc1, self.fc2 = nn.Conv2d(c, c // 4, 1), nn.Conv2d(c // 4, c, 1)

    def forward(self, x):
        s = F.adaptive_avg_pool2d(x, 1)
        return x * torch.sigmoid(self.fc2(F.silu(self.fc1(s), inplace=True)))


class MBConv(nn.Module):
    def __init__(self, cin, cout, expand, stride):
        super().__init__()
        mid = cin * expand
        self.body = nn.Sequential(
            nn.Conv2d(cin, mid, 1, bias=False), nn.BatchNorm2d(mid), nn.SiLU(inplace=True),
            nn.Conv2d(mid, mid, 3, stride, 1, groups=mid, bias=False), nn.BatchNorm2d(mid), nn.SiLU(inplace=True),
            SqueezeExcite(mid), nn.Conv2d(mid, cout, 1, bias=False), nn.BatchNorm2d(cout))
        self.use_residual = cin == cout and stride == 1

    def forward(self, x):
        y = self.body(x)
        if self.use_residual:
            y += x
        return y


@model(lambda: (image(),))
class EfficientNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.SiLU(), MBConv(8, 8, 2, 1), MBConv(8, 16, 4, 2))
        self.classifier = nn.Sequential(nn.Dropout(0.2, inplace=True), nn.Linear(16, 7))

    def forward(self, x):
        x = self.features(x)
        x = F.adaptive_avg_pool2d(x, (1, 1))
        return self.classifier(torch.flatten(x, 1))


def window_partition(x, w: int):
    b, h, ww, c = x.shape
    return x.view(b, h // w, w, ww // w, w, c).permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, w * w, c)


class SwinBlock(nn.Module):
    def __init__(self, dim, heads, window, shift):
        super().__init__()
        self.heads, self.window, self.shift = heads, window, shift
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.table = nn.Parameter(torch.zeros((2 * window - 1) ** 2, heads))
        coords = torch.stack(torch.meshgrid(torch.arange(window), torch.arange(window), indexing="ij")).flatten(1)
        relative = (coords[:, :, None] - coords[:, None, :]).permute(1, 2, 0) + window - 1
        self.register_buffer("index", relative[..., 0] * (2 * window - 1) + relative[..., 1])
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        b, h, w, c = x.shape
        y = self.norm1(x)
        if self.shift > 0:
            y = torch.roll(y, shifts=(-self.shift, -self.shift), dims=(1, 2))
        y = window_partition(y, self.window)
        n = y.shape[1]
        qkv = self.qkv(y).reshape(-1, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        bias = self.table[self.index.view(-1)].view(n, n, -1).permute(2, 0, 1).contiguous()
        attn = (q @ k.transpose(-2, -1)) * (c // self.heads) ** -0.5 + bias.unsqueeze(0)
        y = self.proj((attn.softmax(-1) @ v).transpose(1, 2).reshape(-1, n, c))
        y = y.view(b, h // self.window, w // self.window, self.window, self.window, c).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, c)
        if self.shift > 0:
            y = torch.roll(y, shifts=(self.shift, self.shift), dims=(1, 2))
        x = x + y
        return x + self.mlp(self.norm2(x))


@model(lambda: (image(),))
class Swin(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Conv2d(3, 16, 4, 4)
        self.blocks = nn.Sequential(SwinBlock(16, 2, 4, 0), SwinBlock(16, 2, 4, 2))
        self.reduce = nn.Linear(64, 32, bias=False)

    def forward(self, x):
        x = self.blocks(self.embed(x).permute(0, 2, 3, 1))
        x = torch.cat([x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]], -1)
        return self.reduce(x)


@model(lambda: (image(),))
class MlpMixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 12, 8, 8)
        self.norm = nn.LayerNorm(12)
        self.token = nn.Sequential(nn.Linear(16, 24), nn.GELU(), nn.Linear(24, 16))
        self.channel = nn.Sequential(nn.Linear(12, 24), nn.GELU(), nn.Linear(24, 12))

    def forward(self, x):
        x = self.patch(x).flatten(2).mT
        x = x + self.token(self.norm(x).mT).mT
        x = x + self.channel(self.norm(x))
        return x.amax(1), x.std(1, unbiased=False)


@model(lambda: (image(3, 33),))
class ShuffleNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(3, 8, 3, 2, 1)
        self.branch = nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.Conv2d(4, 4, 3, 1, 1, groups=4), nn.ReLU6())

    def forward(self, x):
        x = F.max_pool2d(self.c1(x), 3, 2, 1)
        a, b = x.chunk(2, dim=1)
        y = torch.cat((a, self.branch(b)), dim=1)
        n, c, h, w = y.size()
        return y.view(n, 2, c // 2, h, w).transpose(1, 2).contiguous().view(n, -1, h, w)


@model(lambda: (image(1, 64),))
class Fpn(nn.Module):
    """A detector's head: pyramid, anchors, deltas applied to boxes, top scores."""

    def __init__(self):
        super().__init__()
        self.c2, self.c3, self.c4 = nn.Conv2d(3, 8, 3, 4, 1), nn.Conv2d(8, 16, 3, 2, 1), nn.Conv2d(16, 32, 3, 2, 1)
        self.lateral = nn.ModuleList([nn.Conv2d(c, 8, 1) for c in (8, 16, 32)])
        self.cls, self.box = nn.Conv2d(8, 3 * 2, 3, padding=1), nn.Conv2d(8, 3 * 4, 3, padding=1)

    def forward(self, x):
        f2 = self.c2(x)
        f3 = self.c3(f2.relu())
        f4 = self.c4(f3.relu())
        p = [conv(f) for conv, f in zip(self.lateral, [f2, f3, f4])]
        for i in range(2, 0, -1):
            p[i - 1] = p[i - 1] + F.interpolate(p[i], size=p[i - 1].shape[-2:], mode="nearest")
        scores, boxes = [], []
        for level in p:
            n, _, h, w = level.shape
            scores.append(self.cls(level).view(n, 3, 2, h, w).permute(0, 3, 4, 1, 2).reshape(n, -1, 2))
            deltas = self.box(level).view(n, 3, 4, h, w).permute(0, 3, 4, 1, 2).reshape(n, -1, 4)
            ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
            centers = torch.stack([xs, ys, xs, ys], -1).reshape(-1, 1, 4).expand(-1, 3, 4).reshape(1, -1, 4).to(deltas)
            boxes.append(centers + deltas.clamp(max=4.0).exp())
        scores, boxes = torch.cat(scores, 1).sigmoid(), torch.cat(boxes, 1)
        best, index = scores[..., 0].topk(10, dim=1)
        return best, boxes.gather(1, index.unsqueeze(-1).expand(-1, -1, 4))


@model(lambda: (image(2, 16, 4), torch.tensor([3, 7]), torch.randn(2, 5, 8)))
class DiffusionUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 16))
        self.inp, self.down, self.up = nn.Conv2d(4, 16, 3, padding=1), nn.Conv2d(16, 16, 3, 2, 1), nn.ConvTranspose2d(16, 16, 4, 2, 1)
        self.norm = nn.GroupNorm(4, 16)
        self.q, self.kv, self.out = nn.Linear(16, 16, bias=False), nn.Linear(8, 32, bias=False), nn.Conv2d(32, 4, 3, padding=1)

    def forward(self, x, t, context):
        freq = torch.exp(-torch.arange(0, 8, dtype=torch.float32, device=x.device) * 0.5)
        args = t[:, None].float() * freq[None]
        emb = self.time(torch.cat([args.cos(), args.sin()], dim=-1))
        h0 = self.inp(x)
        h = self.down(F.silu(self.norm(h0 + emb[:, :, None, None])))
        b, c, hh, ww = h.shape
        q = self.q(h.flatten(2).transpose(1, 2)).view(b, -1, 2, 8).transpose(1, 2)
        k, v = self.kv(context).chunk(2, -1)
        k, v = k.view(b, -1, 2, 8).transpose(1, 2), v.view(b, -1, 2, 8).transpose(1, 2)
        a = F.scaled_dot_product_attention(q, k, v)
        h = h + a.transpose(1, 2).reshape(b, hh * ww, c).transpose(1, 2).view(b, c, hh, ww)
        return self.out(torch.cat([self.up(h), h0], 1))


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        spectral = nn.utils.parametrizations.spectral_norm
        self.main = nn.Sequential(spectral(nn.Conv2d(3, 8, 4, 2, 1, bias=False)), nn.LeakyReLU(0.2, inplace=True),
                                  nn.Conv2d(8, 16, 4, 2, 1), nn.InstanceNorm2d(16), nn.LeakyReLU(0.2), nn.Conv2d(16, 1, 4))

    def forward(self, x):
        return self.main(x).view(-1, 1).squeeze(1)


model(lambda: (image(2, 16),), script=False)(Discriminator)


@model(lambda: (torch.randn(3, 20),))
class StyleGan(nn.Module):
    """Modulated convolutions: weights that depend on the input, grouped by batch."""

    def __init__(self):
        super().__init__()
        self.mapping = nn.Sequential(nn.Linear(20, 16), nn.LeakyReLU(0.2), nn.Linear(16, 8))
        self.constant = nn.Parameter(torch.randn(1, 8, 4, 4))
        self.weight = nn.Parameter(torch.randn(6, 8, 3, 3))
        self.register_buffer("kernel", torch.tensor([1.0, 2.0, 1.0]))

    def forward(self, z):
        z = z * torch.rsqrt(torch.mean(z ** 2, dim=1, keepdim=True) + 1e-8)
        style = self.mapping(z)
        b = z.shape[0]
        w = self.weight[None] * style[:, None, :, None, None]
        w = w * torch.rsqrt(w.pow(2).sum([2, 3, 4], keepdim=True) + 1e-8)
        x = self.constant.repeat(b, 1, 1, 1).view(1, -1, 4, 4)
        y = F.conv2d(x, w.view(-1, 8, 3, 3), padding=1, groups=b).view(b, 6, 4, 4)
        y = F.interpolate(y, scale_factor=2.0, mode="bilinear", align_corners=False)
        kernel = torch.outer(self.kernel, self.kernel)
        y = F.conv2d(y, (kernel / kernel.sum())[None, None].expand(6, 1, 3, 3), padding=1, groups=6)
        return torch.tanh(y + torch.randn_like(y[:, :1]) * 0.1)


@model(lambda: (torch.randn(2, 1, 8, 16, 16),))
class VNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv3d(1, 4, 3, padding=1), nn.Conv3d(4, 8, 2, 2)
        self.bn, self.prelu, self.up = nn.BatchNorm3d(8), nn.PReLU(8), nn.ConvTranspose3d(8, 4, 2, 2)

    def forward(self, x):
        a = self.a(x)
        y = F.dropout3d(self.prelu(self.bn(self.b(a))), 0.2, self.training)
        y = F.interpolate(self.up(y), size=(8, 16, 16), mode="trilinear", align_corners=True)
        return F.log_softmax(torch.cat([a, y], 1), dim=1)


@model(lambda: (image(2, 24), torch.randn(2, 6)))
class SpatialTransformer(nn.Module):
    def forward(self, x, theta):
        grid = F.affine_grid(theta.view(-1, 2, 3), x.size(), align_corners=False)
        y = F.grid_sample(x, grid, padding_mode="border", align_corners=False)
        p = F.unfold(y, (3, 3), padding=1, stride=2)
        return F.fold(p, (24, 24), 3, padding=1, stride=2), F.pixel_unshuffle(y, 2)


@model(lambda: (image(1, 32),))
class DeepLab(nn.Module):
    """Dilated branches, a pooled one brought back to size, channels-last inside."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, 2, 1)
        self.aspp = nn.ModuleList([nn.Conv2d(8, 4, 1)] + [nn.Conv2d(8, 4, 3, padding=d, dilation=d) for d in (2, 4)])
        self.pool = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 4, 1), nn.Hardswish())
        self.head = nn.Conv2d(16, 3, 1)

    def forward(self, x):
        y = self.stem(x.to(memory_format=torch.channels_last))
        outs = [conv(y) for conv in self.aspp]
        outs.append(F.interpolate(self.pool(y), size=y.shape[2:], mode="bilinear", align_corners=False))
        y = F.interpolate(self.head(torch.cat(outs, 1)), size=x.shape[-2:], mode="bicubic")
        return {"out": y, "mask": y.argmax(1)}


@model(lambda: (torch.randn(2, 64, 3), torch.randint(0, 64, (2, 16))))
class PointNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.mlp = nn.Sequential(nn.Conv1d(3, 16, 1), nn.BatchNorm1d(16), nn.ReLU())
        self.fc = nn.Linear(16, 9)

    def forward(self, points, centers):
        d = torch.cdist(points, points)
        near = d.topk(4, largest=False).indices
        local = points.unsqueeze(1).expand(-1, 64, -1, -1).gather(2, near.unsqueeze(-1).expand(-1, -1, -1, 3))
        f = self.mlp(points.transpose(1, 2)).max(2, keepdim=False)[0]
        rot = self.fc(f).view(-1, 3, 3) + torch.eye(3).unsqueeze(0)
        picked = torch.take_along_dim(points, centers.unsqueeze(-1), 1)
        return torch.bmm(points, rot), (local - points.unsqueeze(2)).norm(dim=-1), picked, torch.linalg.det(rot)
