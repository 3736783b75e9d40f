"""Writes testdata/values/*.pt2: models whose indices come from a buffer of the archive. Needs torch.

The archives hold the name of this file as Python knows it. To keep it short, run this in this folder:

    python3 -c 'exec(compile(open("export_buffers.py").read(), "export_buffers.py", "exec"))'
"""
import pathlib

import torch

FOLDER = pathlib.Path("../../../testdata/values")


class Positions(torch.nn.Module):
    """A table of positions, and a buffer that counts them."""

    def __init__(self, positions, rows):
        super().__init__()
        self.table = torch.nn.Parameter(torch.zeros(rows, 4))
        self.register_buffer("position_ids", torch.arange(positions))

    def forward(self, x):
        return x + torch.embedding(self.table, self.position_ids[: x.shape[1]])


class AllPositions(Positions):
    def forward(self, x):
        return x + torch.embedding(self.table, self.position_ids)


def export(name, model, length, dynamic):
    size = torch.export.Dim("length", min=2, max=16) if dynamic else None
    program = torch.export.export(
        model, (torch.randn(2, length, 4),), dynamic_shapes={"x": {1: size}} if dynamic else None, strict=False)
    torch.export.save(program, FOLDER / f"{name}.pt2")


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    export("positions_in_range", Positions(16, 16), 8, dynamic=True)
    export("positions_beyond_the_table", AllPositions(16, 12), 16, dynamic=False)


if __name__ == "__main__":
    main()
