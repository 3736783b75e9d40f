"""The noise predictor of a diffusion model: a U-Net told the time step."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def sinusoidal_embedding(steps, width):
    """Sines and cosines of the step at geometrically spaced frequencies."""
    exponents = torch.arange(width // 2, device=steps.device) / (width // 2)
    angles = steps[:, None] * torch.exp(-math.log(10000.0) * exponents)
    return torch.cat((angles.sin(), angles.cos()), dim=-1)


class ResidualBlock(nn.Module):
    """Two normalised convolutions; the time embedding is added between them."""

    def __init__(self, in_channels, out_channels, time_width):
        super().__init__()
        self.norm1 = nn.GroupNorm(4, in_channels)
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, padding=1)
        self.time = nn.Linear(time_width, out_channels)
        self.norm2 = nn.GroupNorm(4, out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1)
        self.shortcut = nn.Identity()
        if in_channels != out_channels:
            self.shortcut = nn.Conv2d(in_channels, out_channels, 1)

    def forward(self, x, time):
        hidden = self.conv1(F.silu(self.norm1(x)))
        hidden = hidden + self.time(F.silu(time))[:, :, None, None]
        hidden = self.conv2(F.silu(self.norm2(hidden)))
        return hidden + self.shortcut(x)


class SelfAttention(nn.Module):
    """Attention between the pixels of a small image."""

    def __init__(self, channels):
        super().__init__()
        self.norm = nn.GroupNorm(4, channels)
        self.qkv = nn.Conv2d(channels, 3 * channels, 1)
        self.output = nn.Conv2d(channels, channels, 1)

    def forward(self, x):
        query, key, value = self.qkv(self.norm(x)).flatten(2).transpose(1, 2).chunk(3, dim=-1)
        mixed = F.scaled_dot_product_attention(query, key, value)
        return x + self.output(mixed.transpose(1, 2).unflatten(2, x.shape[2:]))


class Upsample(nn.Module):
    """Doubles the image and smooths it."""

    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return self.conv(F.interpolate(x, scale_factor=2.0, mode="nearest"))


class UNet(nn.Module):
    """Two levels down, attention in the middle, two levels up with skip connections."""

    def __init__(self, channels, width):
        super().__init__()
        self.width = width
        time_width = 4 * width
        self.time = nn.Sequential(
            nn.Linear(width, time_width), nn.SiLU(), nn.Linear(time_width, time_width)
        )
        self.stem = nn.Conv2d(channels, width, 3, padding=1)
        self.down1 = ResidualBlock(width, width, time_width)
        self.shrink1 = nn.Conv2d(width, width, 3, stride=2, padding=1)
        self.down2 = ResidualBlock(width, 2 * width, time_width)
        self.shrink2 = nn.AvgPool2d(2)
        self.middle1 = ResidualBlock(2 * width, 2 * width, time_width)
        self.attention = SelfAttention(2 * width)
        self.middle2 = ResidualBlock(2 * width, 2 * width, time_width)
        self.grow2 = nn.ConvTranspose2d(2 * width, 2 * width, 4, stride=2, padding=1)
        self.up2 = ResidualBlock(4 * width, width, time_width)
        self.grow1 = Upsample(width)
        self.up1 = ResidualBlock(2 * width, width, time_width)
        self.norm = nn.GroupNorm(4, width)
        self.head = nn.Conv2d(width, channels, 3, padding=1)

    def forward(self, image, step):
        time = self.time(sinusoidal_embedding(step, self.width))
        fine = self.down1(self.stem(image), time)
        coarse = self.down2(self.shrink1(fine), time)
        x = self.middle1(self.shrink2(coarse), time)
        x = self.middle2(self.attention(x), time)
        x = self.up2(torch.cat((self.grow2(x), coarse), dim=1), time)
        x = self.up1(torch.cat((self.grow1(x), fine), dim=1), time)
        return self.head(F.silu(self.norm(x)))


def build():
    return UNet(channels=3, width=16)


def example_inputs():
    return (torch.zeros(2, 3, 32, 32), torch.zeros(2))
