"""A classifier in integers, as PT2E quantization converts one: static for its convolutions, dynamic for its head."""

import torch
import torch.ao.quantization.fx._decomposed  # registers the operators
import torch.nn.functional as F
from torch import nn

ops = torch.ops.quantized_decomposed
INT8 = (-128, 127, torch.int8)


class Quantized(nn.Module):
    """Rounds what passes through it to integers and back, with one scale."""

    def __init__(self, scale, zero_point):
        super().__init__()
        self.scale = scale
        self.zero_point = zero_point

    def forward(self, x):
        q = ops.quantize_per_tensor(x, self.scale, self.zero_point, *INT8)
        return ops.dequantize_per_tensor(q, self.scale, self.zero_point, *INT8)


class ChannelWeight(nn.Module):
    """A weight of integers with a scale for each of its rows."""

    def __init__(self, *sizes):
        super().__init__()
        self.register_buffer("weight", torch.zeros(sizes, dtype=torch.int8))
        self.register_buffer("scales", torch.ones(sizes[0]))
        self.register_buffer("zero_points", torch.zeros(sizes[0], dtype=torch.int64))

    def forward(self):
        return ops.dequantize_per_channel(self.weight, self.scales, self.zero_points, 0, *INT8)


class Convolution(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.weight = ChannelWeight(outputs, inputs, 3, 3)
        self.bias = nn.Parameter(torch.zeros(outputs))
        self.round = Quantized(0.02, -3)
        self.stride = stride

    def forward(self, x):
        x = F.conv2d(x, self.weight(), self.bias, self.stride, 1)
        return self.round(F.relu(x))


class DynamicLinear(nn.Module):
    """Chooses the scale of its input by the input's range."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = ChannelWeight(outputs, inputs)

    def forward(self, x):
        scale, zero_point = ops.choose_qparams.tensor(x, -128, 127, 1.1920928955078125e-07, torch.int8)
        q = ops.quantize_per_tensor.tensor(x, scale, zero_point, *INT8)
        return F.linear(ops.dequantize_per_tensor.tensor(q, scale, zero_point, *INT8), self.weight())


class TokenLinear(nn.Module):
    """A scale for each row of the input, and groups of columns in the weight."""

    def __init__(self, inputs, outputs, group):
        super().__init__()
        self.group = group
        self.register_buffer("weight", torch.zeros(outputs, inputs, dtype=torch.int8))
        self.register_buffer("scales", torch.ones(outputs, inputs // group))

    def forward(self, x):
        scales, zero_points = ops.choose_qparams_per_token_asymmetric(x, torch.int8)
        q = ops.quantize_per_token(x, scales, zero_points, *INT8)
        x = ops.dequantize_per_token(q, scales, zero_points, *INT8, torch.float32)
        weight = ops.dequantize_per_channel_group(self.weight, self.scales, None, -8, 7, torch.int8, self.group, torch.float32)
        return F.linear(x, weight)


def build():
    return nn.Sequential(
        Quantized(0.01, 5),
        Convolution(3, 8, 1),
        Convolution(8, 16, 2),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        DynamicLinear(64, 32),
        TokenLinear(32, 10, 8),
    )


def example_inputs():
    return (torch.zeros(2, 3, 32, 32),)
