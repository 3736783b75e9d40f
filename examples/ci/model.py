"""The model of this repository. `python3 model.py` exports it."""

import torch


class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.nn.Linear(16, 32)
        self.out = torch.nn.Linear(32, 4)

    def forward(self, x):
        x = torch.relu(self.hidden(x))
        return self.out(x)


if __name__ == "__main__":
    batch = torch.export.Dim("batch", max=64)
    program = torch.export.export(Classifier(), (torch.zeros(8, 16),), dynamic_shapes=({0: batch},))
    torch.export.save(program, "exported/classifier.pt2")
