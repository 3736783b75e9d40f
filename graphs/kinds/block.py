"""The model of docs/formats.md, small enough to be kept in every format that fakeprop reads."""

import torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, x):
        y = self.conv(x).relu()
        return y.flatten(1) @ y.new_ones(y.shape[1] * 16, 2)


def build():
    torch.manual_seed(0)
    return Block()


def example_inputs():
    return (torch.zeros(2, 3, 4, 4),)
