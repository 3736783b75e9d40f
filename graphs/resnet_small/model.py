"""An image classifier: residual blocks with batch norm and in-place relu."""

import torch
from torch import nn


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions beside a shortcut, which is projected where shapes change."""

    def __init__(self, in_channels, out_channels, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.relu = nn.ReLU(inplace=True)
        self.shortcut = nn.Identity()
        if stride != 1 or in_channels != out_channels:
            self.shortcut = nn.Sequential(
                nn.Conv2d(in_channels, out_channels, 1, stride, bias=False),
                nn.BatchNorm2d(out_channels),
            )

    def forward(self, x):
        out = self.relu(self.norm1(self.conv1(x)))
        out = self.norm2(self.conv2(out))
        out += self.shortcut(x)
        return self.relu(out)


class ResNet(nn.Module):
    """A stem, stages of residual blocks that halve the image, and a linear head."""

    def __init__(self, widths, blocks_per_stage, classes):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, widths[0], 7, stride=2, padding=3, bias=False),
            nn.BatchNorm2d(widths[0]),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(3, stride=2, padding=1),
        )
        self.stages = nn.Sequential()
        channels = widths[0]
        for index, width in enumerate(widths):
            for block in range(blocks_per_stage):
                stride = 2 if block == 0 and index > 0 else 1
                self.stages.append(ResidualBlock(channels, width, stride))
                channels = width
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(channels, classes)

    def forward(self, image):
        features = self.stages(self.stem(image))
        return self.head(torch.flatten(self.pool(features), 1))


def build():
    return ResNet(widths=(16, 32, 64), blocks_per_stage=2, classes=10)


def example_inputs():
    return (torch.zeros(2, 3, 64, 64),)
