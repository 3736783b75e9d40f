"""The models of testdata/cli/graphs: a product, with a module around it; powers of a transposed tensor."""
import torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(7))

    def forward(self, x, y):
        a = torch.relu(x * self.scale)
        return torch.mm(a, y)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.register_buffer("offset", torch.zeros(3))

    def forward(self, x, y):
        product = self.block(x, y)
        ahead, rest = (product + self.offset).split(1)
        return ahead, rest.t(), torch.zeros(3, device="cpu")


class Shuffles(torch.nn.Module):
    def forward(self, x):
        small = torch.pixel_shuffle(x, 2)
        return small, torch.pixel_shuffle(x + 1, 2) + small
