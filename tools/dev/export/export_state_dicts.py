#!/usr/bin/env python3
"""Writes testdata/state_dicts: the weights of a small module, in every form that MaterializeFrom reads.

Needs torch, and safetensors for the file of that kind.
"""

import pathlib
import sys

import torch


class Net(torch.nn.Module):
    """A linear layer whose weights count upwards, and a normalisation with buffers."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 2)
        self.norm = torch.nn.BatchNorm1d(2)
        with torch.no_grad():
            self.linear.weight.copy_(torch.arange(6.0).view(2, 3))
            self.linear.bias.copy_(torch.tensor([10.0, 20.0]))
            self.norm.running_mean.copy_(torch.tensor([0.5, 0.25]))

    def forward(self, x):
        return self.norm(self.linear(x))


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "testdata/state_dicts")
    net = Net().eval()
    torch.save(net.state_dict(), folder / "net.pt")
    torch.save({"state_dict": net.state_dict(), "epoch": 3}, folder / "nested.pt")
    torch.save({"rates": torch.ones(3, dtype=torch.complex64).conj()}, folder / "conjugated.pt")
    program = torch.export.export(net, (torch.zeros(4, 3),))
    for node in program.graph.nodes:
        node.meta.pop("stack_trace", None)  # names files of this machine
    torch.export.save(program, folder / "net.pt2")
    from safetensors.torch import save_file

    save_file(net.state_dict(), folder / "net.safetensors", metadata={"format": "pt"})


if __name__ == "__main__":
    main()
