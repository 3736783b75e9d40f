"""Writes the graphs of this folder: models.py, in a folder of its own, with torch 2.13."""
import torch
from torch.export import Dim, export
from torch._export.serde.serialize import serialize


class Positions(torch.nn.Module):
    """Ids of at most 16 positions."""
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(16, 4)

    def forward(self, ids):
        length = ids.shape[1]
        where = torch.arange(length).clamp(max=15)
        return self.table(where).unsqueeze(0) + ids.unsqueeze(-1)


class Pairs(torch.nn.Module):
    def forward(self, x):
        torch._check(x.shape[0] % 2 == 0)
        return x.view(x.shape[0] // 2, 2, x.shape[1])


class TwoOfOne(torch.nn.Module):
    def forward(self, a, b):
        return a + b


def write(name, model, args, shapes):
    program = export(model, args, dynamic_shapes=shapes)
    with open(name, "wb") as file:
        file.write(serialize(program).exported_program)
    print(name, program.range_constraints)


write("positions.json", Positions(), (torch.zeros(2, 8, dtype=torch.int64),), ({0: Dim("batch"), 1: Dim("len", max=16)},))
write("two_of_one.json", TwoOfOne(), (torch.zeros(4, 3), torch.zeros(4, 3)), ({0: Dim.DYNAMIC}, {0: Dim.DYNAMIC}))
write("pairs.json", Pairs(), (torch.zeros(4, 3),), ({0: Dim.DYNAMIC},))
