"""Networks for export_scripts.py: convolutions, recurrent layers, attention; scripted, traced and frozen."""

from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from script_case import case


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(width)

    def forward(self, x):
        return F.relu(self.bn(self.conv(x)) + x, inplace=True)


@case((2, 3, 8, 8), name="cnn_scripted")
@case((2, 3, 8, 8), name="cnn_traced", trace=True)
@case((2, 3, 8, 8), name="cnn_frozen", freeze=True)
class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, stride=2, padding=1)
        self.blocks = nn.Sequential(Block(4), nn.MaxPool2d(2), Block(4))
        self.head = nn.Linear(4, 5)

    def forward(self, x):
        x = self.blocks(self.stem(x))
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


@case((2, 5, 8), name="lstm_scripted")
@case((2, 5, 8), name="lstm_traced", trace=True)
class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(8, 6, num_layers=2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(12, 3)

    def forward(self, x):
        y, (h, c) = self.rnn(x)
        return self.out(y[:, -1]), h, c


@case((5, 2, 8), name="gru_with_state")
class Gru(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 6)

    def forward(self, x: Tensor, h: Optional[Tensor] = None):
        y, h = self.rnn(x, h)
        return y + 1, h


@case((2, 6, 16), name="encoder_layer", trace=True)
@case((2, 6, 16), name="encoder_layer_scripted")
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)

    def forward(self, x):
        return self.layer(x)


@case(name="attention_traced", trace=True, inputs=lambda: (torch.randint(0, 30, (2, 7)),))
class Attention(nn.Module):
    """Shapes computed in Python: tracing keeps them as tensors of one element."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(30, 16)
        self.q, self.k, self.v = nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16)

    def split(self, x):
        return x.view(x.size(0), x.size(1), 4, x.size(-1) // 4).permute(0, 2, 1, 3)

    def forward(self, ids):
        x = self.embed(ids)
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        scores = q @ k.transpose(-1, -2) / (x.shape[-1] // 4) ** 0.5
        mask = torch.arange(x.shape[1])[None, :] > torch.arange(x.shape[1])[:, None]
        scores = scores.masked_fill(mask, float("-inf"))
        y = scores.softmax(-1) @ v
        return y.permute(0, 2, 1, 3).contiguous().view(x.size(0), x.size(1), -1)


def padded():
    mask = torch.zeros(3, 5, dtype=torch.bool)
    mask[1, 3:] = mask[2, 1:] = True
    return torch.randn(3, 5, 16), mask


@case(name="encoder_padded_traced", trace=True, inputs=padded)
@case(name="encoder_padded_scripted", inputs=padded)
class PaddedEncoder(nn.Module):
    """The fast path: the layers run on nested tensors."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(16)).eval()

    def forward(self, x, mask):
        return self.encoder(x, src_key_padding_mask=mask)


@case((3, 5, 8), name="packed_scripted")
class Packed(nn.Module):
    """Sequences of known lengths, which packing has to sort."""

    def __init__(self):
        super().__init__()
        self.layer = nn.GRU(8, 6, batch_first=True)

    def forward(self, x):
        lengths = torch.tensor([2, 5, 3])
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        y, h = self.layer(packed)
        z, kept = nn.utils.rnn.pad_packed_sequence(y, batch_first=True)
        return z, kept, h
