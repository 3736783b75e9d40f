"""Models of text, speech and time: what check_zoo.py exports."""

import math
from typing import Dict, List, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from register import model


def ids(*shape, high=20):
    return torch.randint(0, high, shape)


@model(lambda: (ids(2, 9), ids(2, 7)), script=False)
class Seq2SeqTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.src, self.tgt = nn.Embedding(20, 16), nn.Embedding(20, 16)
        self.transformer = nn.Transformer(16, 2, 1, 1, 32, batch_first=True, activation="gelu", norm_first=True)
        self.out = nn.Linear(16, 20)
        position = torch.arange(32).unsqueeze(1) / 10000 ** (torch.arange(0, 16, 2) / 16)
        self.register_buffer("pe", torch.stack([position.sin(), position.cos()], -1).flatten(1), persistent=False)

    def forward(self, src, tgt):
        a = self.src(src) * math.sqrt(16) + self.pe[: src.size(1)]
        b = self.tgt(tgt) * math.sqrt(16) + self.pe[: tgt.size(1)]
        mask = nn.Transformer.generate_square_subsequent_mask(tgt.size(1))
        return self.out(self.transformer(a, b, tgt_mask=mask, src_key_padding_mask=src == 0))


class Attention(nn.Module):
    def __init__(self, dim: int, rnn: int):
        super().__init__()
        self.w, self.v = nn.Linear(dim + rnn, rnn), nn.Linear(rnn, 1, bias=False)

    def forward(self, hidden, memory):
        h = hidden.unsqueeze(1).expand(-1, memory.size(1), -1)
        a = self.v(torch.tanh(self.w(torch.cat((h, memory), 2)))).squeeze(2)
        return F.softmax(a, dim=1)


@model(lambda: (ids(2, 6), ids(2, 5)))
class Seq2SeqAttention(nn.Module):
    """A loop over target positions with Bahdanau's attention."""

    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 8)
        self.encoder = nn.GRU(8, 8, bidirectional=True, batch_first=True)
        self.attention = Attention(16, 10)
        self.cell, self.bridge, self.out = nn.LSTMCell(24, 10), nn.Linear(16, 10), nn.Linear(34, 20)

    def forward(self, src, tgt):
        memory, h = self.encoder(self.emb(src))
        state = torch.tanh(self.bridge(torch.cat([h[-2], h[-1]], 1)))
        c = torch.zeros_like(state)
        outputs: List[Tensor] = []
        for t in range(tgt.size(1)):
            e = self.emb(tgt[:, t])
            w = self.attention(state, memory)
            context = torch.bmm(w.unsqueeze(1), memory).squeeze(1)
            state, c = self.cell(torch.cat([e, context], 1), (state, c))
            outputs.append(self.out(torch.cat([state, context, e], 1)))
        return torch.stack(outputs, 1)


@model(lambda: (torch.randn(2, 11, 12), ids(2, 4)))
class RnnTransducer(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.embed = nn.LSTM(12, 8, 2, batch_first=True, dropout=0.1), nn.Embedding(20, 8)
        self.predictor, self.joint = nn.LSTM(8, 8, batch_first=True, proj_size=4), nn.Linear(12, 20)

    def forward(self, audio, text):
        enc, _ = self.encoder(audio)
        pred, _ = self.predictor(self.embed(F.pad(text, (1, 0))))
        t, u = enc.size(1), pred.size(1)
        joined = torch.cat([enc.unsqueeze(2).expand(-1, -1, u, -1), pred.unsqueeze(1).expand(-1, t, -1, -1)], -1)
        return F.log_softmax(self.joint(F.relu(joined)), -1)


@model(lambda: (torch.randn(2, 400),))
class Wav2Vec(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv1d(1, 8, 10, 5, bias=False), nn.Conv1d(8, 8, 3, 2, bias=False)])
        self.norm = nn.GroupNorm(8, 8)
        self.position = nn.utils.parametrizations.weight_norm(nn.Conv1d(8, 8, 4, padding=2, groups=2), dim=2)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, activation="gelu")
        self.quantizer = nn.Parameter(torch.randn(1, 2 * 5, 4))
        self.project = nn.Linear(8, 10)

    def forward(self, wave):
        x = (wave - wave.mean(-1, keepdim=True)) / torch.sqrt(wave.var(-1, keepdim=True) + 1e-5)
        x = x.unsqueeze(1)
        for i, conv in enumerate(self.convs):
            x = conv(x)
            if i == 0:
                x = self.norm(x)
            x = F.gelu(x)
        x = x + F.gelu(self.position(x)[..., :-1])
        x = self.layer(x.transpose(1, 2))
        b, t, _ = x.shape
        logits = self.project(x).view(b * t * 2, 5)
        index = logits.argmax(-1)
        hard = logits.new_zeros(logits.shape).scatter_(-1, index.view(-1, 1), 1.0).view(b * t, -1)
        code = (hard.unsqueeze(-1) * self.quantizer).view(b * t, 2, 5, 4).sum(-2).view(b, t, -1)
        return x, code


model_wav = next(m for m in __import__("register").MODELS if m.name == "Wav2Vec")
model_wav.script = False


@model(lambda: (torch.randn(2, 800),), script=False)
class Spectrogram(nn.Module):
    """stft, mel bands, inverse: complex tensors."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(64))
        self.register_buffer("mel", torch.rand(33, 12))

    def forward(self, wave):
        s = torch.stft(wave, 64, 16, window=self.window, return_complex=True, center=True)
        power = s.abs().pow(2)
        mel = torch.matmul(power.transpose(1, 2), self.mel).clamp_min(1e-10).log10()
        dct = torch.fft.rfft(mel, dim=-1).real
        back = torch.istft(s * torch.polar(torch.ones_like(power), s.angle()), 64, 16, window=self.window)
        return mel, dct, back, torch.view_as_real(s)


@model(lambda: (torch.randn(2, 16, 8),))
class Fnet(nn.Module):
    def __init__(self):
        super().__init__()
        self.filter = nn.Parameter(torch.randn(9, 8, 2))
        self.norm, self.ff = nn.LayerNorm(8), nn.Linear(8, 8)

    def forward(self, x):
        y = torch.fft.fft(torch.fft.fft(x, dim=-1), dim=-2).real
        z = torch.fft.rfft(x, dim=1, norm="ortho") * torch.view_as_complex(self.filter)
        return self.ff(self.norm(x + y)) + torch.fft.irfft(z, n=16, dim=1, norm="ortho")


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat([-b, a], -1) * sin


class LlamaBlock(nn.Module):
    def __init__(self, dim=16, heads=4, kv=2):
        super().__init__()
        self.heads, self.kv, self.d = heads, kv, dim // heads
        self.norm = nn.RMSNorm(dim)
        self.wq, self.wk, self.wv, self.wo = nn.Linear(dim, dim, bias=False), nn.Linear(dim, kv * self.d, bias=False), nn.Linear(dim, kv * self.d, bias=False), nn.Linear(dim, dim, bias=False)
        self.gate, self.up, self.down = nn.Linear(dim, 40, bias=False), nn.Linear(dim, 40, bias=False), nn.Linear(40, dim, bias=False)

    def forward(self, x, cos, sin, mask):
        b, t, _ = x.shape
        h = self.norm(x)
        q = rotate(self.wq(h).view(b, t, self.heads, self.d).transpose(1, 2), cos, sin)
        k = rotate(self.wk(h).view(b, t, self.kv, self.d).transpose(1, 2), cos, sin)
        v = self.wv(h).view(b, t, self.kv, self.d).transpose(1, 2)
        k = k[:, :, None].expand(b, self.kv, self.heads // self.kv, t, self.d).reshape(b, self.heads, t, self.d)
        v = v.repeat_interleave(self.heads // self.kv, dim=1)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + self.wo(y.transpose(1, 2).reshape(b, t, -1))
        h = self.norm(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


@model(lambda: (ids(2, 10),))
class Llama(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 16)
        self.layers = nn.ModuleList([LlamaBlock(), LlamaBlock()])
        self.register_buffer("inv", 1.0 / 10000 ** (torch.arange(0, 4, 2).float() / 4))

    def forward(self, tokens):
        x = self.embed(tokens)
        t = tokens.shape[1]
        freqs = torch.outer(torch.arange(t, device=tokens.device, dtype=self.inv.dtype), self.inv)
        emb = torch.cat([freqs, freqs], -1)
        mask = torch.full((t, t), float("-inf")).triu(1)
        for layer in self.layers:
            x = layer(x, emb.cos(), emb.sin(), mask)
        return F.linear(x, self.embed.weight)


@model(lambda: (torch.randn(2, 6, 8),))
class SoftMoe(nn.Module):
    """Experts as batched matrices; dispatch by one-hot of the top two."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4, bias=False)
        self.w1, self.w2 = nn.Parameter(torch.randn(4, 8, 16)), nn.Parameter(torch.randn(4, 16, 8))

    def forward(self, x):
        flat = x.reshape(-1, x.size(-1))
        p = self.gate(flat).softmax(-1)
        w, i = torch.topk(p, 2, dim=-1)
        w = w / w.sum(-1, keepdim=True)
        route = torch.einsum("nk,nke->ne", w, F.one_hot(i, 4).to(w.dtype))
        h = torch.einsum("nd,edf->enf", flat, self.w1)
        y = torch.baddbmm(torch.zeros(4, 1, 8), F.gelu(h, approximate="tanh"), self.w2)
        balance = (route > 0).float().mean(0).mul(p.mean(0)).sum() * 4
        return torch.einsum("ne,end->nd", route, y).view_as(x), balance, torch.bincount(i.flatten(), minlength=4).cumsum(0) if False else i


@model(lambda: (torch.randn(2, 7, 8),))
class Mamba(nn.Module):
    """A selective scan as a plain loop."""

    def __init__(self):
        super().__init__()
        self.inp, self.dt, self.bc, self.out = nn.Linear(8, 16), nn.Linear(8, 8), nn.Linear(8, 6), nn.Linear(8, 8)
        self.conv = nn.Conv1d(8, 8, 3, groups=8, padding=2)
        self.a, self.d = nn.Parameter(torch.rand(8, 3).log()), nn.Parameter(torch.ones(8))

    def forward(self, x):
        u, z = self.inp(x).split(8, dim=-1)
        u = F.silu(self.conv(u.mT)[..., : x.size(1)]).mT
        dt = F.softplus(self.dt(u))
        b, c = self.bc(u).tensor_split(2, dim=-1)
        da = torch.exp(dt.unsqueeze(-1) * -self.a.exp())
        dbu = dt.unsqueeze(-1) * b.unsqueeze(2) * u.unsqueeze(-1)
        state = torch.zeros(x.size(0), 8, 3, device=x.device)
        ys = []
        for t in range(7):
            state = da[:, t] * state + dbu[:, t]
            ys.append(torch.einsum("bdn,bn->bd", state, c[:, t]))
        return self.out((torch.stack(ys, 1) + u * self.d) * F.silu(z))


@model(lambda: (torch.randn(2, 4, 24),))
class Tcn(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Conv1d(4 if i == 0 else 6, 6, 3, dilation=2 ** i) for i in range(3)])
        self.skip, self.norm = nn.Conv1d(4, 6, 1), nn.InstanceNorm1d(6, affine=True)

    def forward(self, x):
        y = x
        for i, layer in enumerate(self.layers):
            y = F.dropout(torch.relu(layer(F.pad(y, (2 * 2 ** i, 0)))), 0.1, self.training)
        y = self.norm(y + self.skip(x))
        return F.avg_pool1d(y, 2), F.adaptive_max_pool1d(y, 3), y.cummax(-1).values, y.flip(-1).diff(dim=-1)


@model(lambda: (ids(3, 5), torch.randn(3, 5, 5)))
class Crf(nn.Module):
    """Viterbi: max over tags, back pointers."""

    def __init__(self):
        super().__init__()
        self.transitions = nn.Parameter(torch.randn(5, 5))

    def forward(self, tokens, emissions):
        score = emissions[:, 0]
        history: List[Tensor] = []
        for i in range(1, emissions.size(1)):
            total = score.unsqueeze(2) + self.transitions + emissions[:, i].unsqueeze(1)
            score, index = total.max(dim=1)
            history.append(index)
        best = score.argmax(1, keepdim=True)
        path = [best]
        for index in history[::-1]:
            best = index.gather(1, best)
            path.append(best)
        norm = torch.logsumexp(score, 1)
        return torch.cat(path[::-1], 1), norm, (tokens != 0).sum(1)


@model(lambda: (torch.randn(3, 8, 6), torch.tensor([8, 5, 3])), dynamic=False)
class PackedTagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.fc = nn.GRU(6, 5, batch_first=True, bidirectional=True), nn.Linear(10, 3)

    def forward(self, x, lengths):
        mask = torch.arange(x.size(1)).unsqueeze(0) < lengths.unsqueeze(1)
        y, h = self.rnn(x)
        y = y.masked_fill(~mask.unsqueeze(-1), 0.0)
        last = y[torch.arange(y.size(0)), lengths - 1]
        return self.fc(y), last, h.transpose(0, 1).flatten(1)
