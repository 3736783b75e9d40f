"""Quantized modules for export_scripts.py, dynamic and static: their weights are packed objects, of which archives have
the state. Modules of static layers set theirs by code of their own (`__setstate__`)."""

import torch
import torch.ao.quantization as quantization
from torch import nn

from script_case import CASES, Case

DYNAMIC = {nn.Linear, nn.LSTM, nn.GRU, nn.LSTMCell, nn.GRUCell, nn.RNNCell}


def dynamic(module, dtype=torch.qint8):
    return quantization.quantize_dynamic(module.eval(), DYNAMIC, dtype=dtype)


class Flat(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 6)

    def forward(self, x):
        return self.b(nn.functional.gelu(self.a(x)))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.gru = nn.LSTM(4, 6, 2, batch_first=True, bidirectional=True), nn.GRU(12, 5)

    def forward(self, x):
        y, _ = self.lstm(x)
        return self.gru(y)


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.gru, self.plain = nn.LSTMCell(4, 6), nn.GRUCell(4, 6), nn.RNNCell(4, 6)

    def forward(self, x):
        h, c = self.lstm(x)
        return h, c, self.gru(x), self.plain(x)


class Bags(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag, self.fc = nn.EmbeddingBag(10, 16, mode="sum", include_last_offset=True), nn.Linear(16, 3)

    def forward(self, indices, offsets):
        return self.fc(self.bag(indices, offsets))


def bags():
    module = Bags().eval()
    module.bag.qconfig, module.fc.qconfig = quantization.float_qparams_weight_only_qconfig, None
    return quantization.convert(quantization.prepare(module))


class Static(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.dequant, self.ops = quantization.QuantStub(), quantization.DeQuantStub(), nn.quantized.FloatFunctional()
        self.conv, self.relu = nn.Conv2d(3, 4, 3, stride=2, padding=1), nn.ReLU()
        self.grouped, self.up = nn.Conv2d(4, 4, 3, padding=1, groups=2), nn.ConvTranspose2d(4, 4, 2, 2)
        self.hard, self.pool, self.mean, self.fc = nn.Hardswish(), nn.MaxPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Linear(4, 5)

    def forward(self, x):
        x = self.relu(self.conv(self.quant(x)))
        y = self.grouped(x)
        x = self.ops.mul(self.ops.add(x, y), y)
        x = self.up(self.hard(x))
        x = torch.sigmoid(self.ops.cat([x, x], 1)[:, :4])
        return self.dequant(self.fc(torch.flatten(self.mean(self.pool(x)), 1)))


def static():
    torch.backends.quantized.engine = "fbgemm"
    module = quantization.fuse_modules(Static().eval(), [["conv", "relu"]])
    module.qconfig = quantization.get_default_qconfig("fbgemm")
    module.up.qconfig = quantization.QConfig(activation=quantization.HistogramObserver.with_args(reduce_range=True),
                                             weight=quantization.default_weight_observer)
    module = quantization.prepare(module)
    module(torch.randn(2, 3, 8, 8))
    return quantization.convert(module)


def add(name, build, inputs, forms):
    made = {
        "traced": lambda: torch.jit.trace(build(), inputs(), check_trace=False),
        "scripted": lambda: torch.jit.script(build()),
        "frozen": lambda: torch.jit.freeze(torch.jit.script(build())),
    }
    for form in forms:
        CASES.append(Case(f"quantized_{name}_{form}", made[form], inputs))


add("linear", lambda: dynamic(Flat()), lambda: (torch.randn(3, 6),), ("traced", "frozen"))
add("half", lambda: dynamic(Flat(), torch.float16), lambda: (torch.randn(3, 6),), ("scripted",))
add("recurrent", lambda: dynamic(Recurrent()), lambda: (torch.randn(2, 5, 4),), ("scripted", "frozen"))
add("cells", lambda: dynamic(Cells()), lambda: (torch.randn(3, 4),), ("scripted", "frozen"))
add("bags", bags, lambda: (torch.tensor([1, 2, 3]), torch.tensor([0, 1, 3])), ("frozen",))
add("static", static, lambda: (torch.randn(2, 3, 8, 8),), ("traced", "scripted", "frozen"))
