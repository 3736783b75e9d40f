"""Models for the lint rules, a bad and a good one for each. export_broken.py records them for //testdata/lint_rules.

CASES has for each: the module, its inputs, the codes that lint finds at default settings, and the options of the program.
The line of the finding is the one with the comment `# FP8...`. Inputs on cuda are written as FX JSON, all others are exported."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


def f(*shape):
    return torch.zeros(shape)


class Regression(nn.Module):
    def __init__(self, squeezes):
        super().__init__()
        self.head = nn.Linear(4, 1)
        self.squeezes = squeezes

    def forward(self, x, target):
        y = self.head(x)
        if self.squeezes:
            y = y.squeeze(-1)
        return ((y - target) ** 2).mean()  # FP8001


class RegressionLoss(nn.Module):
    def forward(self, y, target):
        return F.mse_loss(y * 2, target)  # FP8001


class PairwiseDifferences(nn.Module):
    """Meant: the line makes the dimension."""

    def forward(self, x):
        y = x * 2
        return y.unsqueeze(1) - y + (y[:, None] - x)


class Scaled(nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.register_buffer("scale", torch.from_numpy(np.array([0.5, 2.0, 1.0, 1.0], dtype)))
        self.fc = nn.Parameter(f(4))

    def forward(self, x):
        x = x + 1
        x = x * self.scale  # FP8002
        return x + self.fc


class Steps(nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype

    def forward(self, ids):
        ids = ids.clamp(min=1)
        return ids + torch.arange(4, dtype=self.dtype)  # FP8002


class HalfTimesScalar(nn.Module):
    """A tensor without dimensions, a Python number and a mean of integers promote nothing that counts."""

    def forward(self, x, ids):
        return x * torch.tensor(0.5, dtype=torch.float64) + x * 2.5, ids.float().mean()


class Distances(nn.Module):
    def forward(self, a, b):
        a = a + 1
        return ((a[:, None] - b[None, :]) ** 2).sum(-1)  # FP8003


class Cdist(nn.Module):
    def forward(self, a, b):
        a = a + 1
        return torch.cdist(a, b) ** 2


class Outer(nn.Module):
    def forward(self, a):
        b = a + 1
        return (b[:, None] * a).sum(0)  # FP8003


class Scores(nn.Module):
    def forward(self, q, k):
        q = q * 0.125
        return (q @ k.transpose(-2, -1)).sum(-1)  # FP8004


class CopyInTheMiddle(nn.Module):
    def __init__(self, copies):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.copies = copies

    def forward(self, x):
        x = self.fc(x)
        if self.copies == "clone":
            x = x.clone()  # FP8005
        if self.copies == "to":
            x = x.to(torch.float32, copy=True)  # FP8005
        if self.copies == "twice":
            x = x.t().contiguous().clone().t()  # FP8005
        return self.fc(x)


class UsefulCopies(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.dropout = nn.Dropout()

    def forward(self, x):
        y = self.dropout(self.fc(x))
        z = y.clone()
        z[0] = 1
        return z.t().contiguous().view(-1), y.clone(), y.contiguous() + 1, y.to(torch.float32) + 1


class WriteToReshaped(nn.Module):
    def __init__(self, is_lost):
        super().__init__()
        self.is_lost = is_lost

    def forward(self, x):
        y = x + 1
        if self.is_lost:
            y.t().reshape(-1).mul_(2)  # FP8006
        else:
            y.reshape(-1).mul_(2)
        return y * 3


class WriteToReshapedAndRead(nn.Module):
    def forward(self, x):
        y = (x + 1).t().reshape(-1)
        y.mul_(2)
        return y * 3


class Reshaped(nn.Module):
    def forward(self, x):
        y = x + 1
        return y.transpose(0, 1).reshape(-1) + 1  # FP8007


class ReturnsView(nn.Module):
    def forward(self, x):
        y = x[:, 0]  # FP8008
        return y


class ReturnsInput(nn.Module):
    def forward(self, x):
        return x, x + 1


class ReturnsParameter(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(f(4, 4))

    def forward(self, x):
        return x + self.table, self.table.t()


class ReturnsCopies(nn.Module):
    def forward(self, x):
        return x[:, 0].clone(), x + 1


class WritesInput(nn.Module):
    def forward(self, x):
        x += 1  # FP8009
        x.relu_()
        return x * 2


class WritesBuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("steps", f(4))

    def forward(self, x):
        self.steps += 1
        y = x * 2
        y += self.steps
        return y * 1


class UnusedResult(nn.Module):
    def forward(self, x):
        x = x + 1
        torch.relu(x)  # FP8010
        return x * 2


class UsesAll(nn.Module):
    def forward(self, x):
        values, _ = x.max(0)
        return values + torch.relu(x)


class UnusedInput(nn.Module):
    def forward(self, x, mask):
        return x + 1


class UnusedParameter(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.pooler = nn.Linear(4, 4)
        self.norm = nn.BatchNorm1d(4).eval()

    def forward(self, x):
        return self.norm(self.fc(x))


class FixedRows(nn.Module):
    def forward(self, x, y):
        x = x * 2
        return x + y  # FP8013


class MovesScalar(nn.Module):
    def forward(self, x, scale):
        x = x + 1
        return x * scale  # FP8014


class LosesLayout(nn.Module):
    def __init__(self, loses):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 8, 3, padding=1)
        self.loses = loses

    def forward(self, x):
        x = self.conv1(x).relu()
        if self.loses:
            x = x.cumsum(1)  # FP8015
        else:
            x = x * 2
        return self.conv2(x)


class Nonzero(nn.Module):
    def forward(self, x):
        x = x + 1
        return x.nonzero().sum()  # FP8016


class HalfSum(nn.Module):
    def forward(self, x):
        x = x * 2
        return x.softmax(-1) + x.sum(-1, keepdim=True)  # FP8017


class HalfSumInFloat(nn.Module):
    def forward(self, x):
        x = x * 2
        return x.softmax(-1, dtype=torch.float32) + x.float().sum(-1, keepdim=True)


class HalfUnderAutocast(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.float16):
            return self.fc(x).softmax(-1)


class LanguageModel(nn.Module):
    """The embedding's weight is the head's too: by a copy or, as is meant, tied."""

    def __init__(self, is_copied):
        super().__init__()
        torch.manual_seed(0)
        self.embedding = nn.Embedding(8, 4)
        self.norm = nn.LayerNorm(4)
        self.scale1, self.scale2 = nn.Parameter(torch.ones(4, 4)), nn.Parameter(torch.ones(4, 4))
        self.head = nn.Linear(4, 8, bias=False)
        self.head.weight = nn.Parameter(self.embedding.weight.detach().clone()) if is_copied else self.embedding.weight

    def forward(self, ids):
        x = self.norm(self.embedding(ids) @ self.scale1 @ self.scale2)
        return self.head(x)


class Layers(nn.Module):
    """One mistake in a module that is called four times: one finding."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([CopyInTheMiddle("clone") for _ in range(4)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


HALF = torch.float16
CUDA = ["--device", "cuda:0"]
class LabelsOf(nn.Module):
    def __init__(self, label):
        super().__init__()
        self.label = label

    def forward(self, logits):
        labels = torch.full((4,), self.label)
        return F.cross_entropy(logits, labels)  # FP8019


class LearnedPositions(nn.Module):
    """A table of 16 positions."""

    def __init__(self, last):
        super().__init__()
        self.table = nn.Embedding(16, 4)
        self.last = last

    def forward(self, x):
        positions = torch.arange(x.shape[1])
        if self.last is not None:
            positions = positions.clamp(max=self.last)
        return x.unsqueeze(-1) + self.table(positions)  # FP8020


class WritesInputByPlace(nn.Module):
    """Operators that get all arguments by place."""

    def forward(self, x):
        torch.ops.aten.add_.Tensor(x, 1)  # FP8009
        return torch.ops.aten.mul.Tensor(x, 2)


class WritesToCopy(nn.Module):
    def forward(self, x):
        y = x.clone()
        torch.ops.aten.add_.Tensor(y, 1)
        return x * y


class WritesToCopyInScript(nn.Module):
    def forward(self, x):
        y = x.clone()
        y.add_(1)
        return x * y


CASES = {
    "silent_broadcast": (Regression(False), (f(8, 4), f(8)), ["FP8001"], []),
    "silent_broadcast_in_loss": (RegressionLoss(), (f(8, 1), f(8)), ["FP8001"], []),
    "silent_broadcast_mended": (Regression(True), (f(8, 4), f(8)), [], []),
    "broadcast_that_is_meant": (PairwiseDifferences(), (f(8),), [], []),
    "promoted_float": (Scaled(np.float64), (f(3, 4),), ["FP8002"], []),
    "promoted_float_mended": (Scaled(np.float32), (f(3, 4),), [], []),
    "promoted_integer": (Steps(torch.int64), (torch.zeros(4, dtype=torch.int32),), ["FP8002"], []),
    "promoted_integer_mended": (Steps(torch.int32), (torch.zeros(4, dtype=torch.int32),), [], []),
    "promotion_by_numbers": (HalfTimesScalar(), (f(3, 4), torch.zeros(4, dtype=torch.int64)), [], []),
    "broadcast_blow_up": (Distances(), (f(1024, 256), f(1024, 256)), ["FP8003"], []),
    "broadcast_blow_up_mended": (Cdist(), (f(1024, 256), f(1024, 256)), [], []),
    "broadcast_of_a_little": (Distances(), (f(100, 256), f(100, 256)), [], []),
    "outer_product": (Outer(), (f(20_000),), ["FP8003"], []),
    "large_intermediate": (Scores(), (f(20, 8192, 8), f(20, 8192, 8)), ["FP8004"], []),
    "large_intermediate_mended": (Scores(), (f(2, 8192, 8), f(2, 8192, 8)), [], []),
    "needless_clone": (CopyInTheMiddle("clone"), (f(4, 4),), ["FP8005"], []),
    "needless_to": (CopyInTheMiddle("to"), (f(4, 4),), ["FP8005"], []),
    "copied_twice": (CopyInTheMiddle("twice"), (f(4, 4),), ["FP8005"], []),
    "needless_copy_mended": (CopyInTheMiddle(""), (f(4, 4),), [], []),
    "useful_copies": (UsefulCopies().eval(), (f(4, 4),), [], []),
    "one_line_of_four_layers": (Layers(), (f(4, 4),), ["FP8005"], []),
    "lost_write": (WriteToReshaped(True), (f(3, 4),), ["FP8006"], []),
    "lost_write_mended": (WriteToReshaped(False), (f(3, 4),), [], []),
    "write_that_is_read": (WriteToReshapedAndRead(), (f(3, 4),), [], []),
    "copying_reshape": (Reshaped(), (f(3, 4),), ["FP8007"], ["--rule", "FP8007=warning"]),
    "copying_reshape_by_default": (Reshaped(), (f(3, 4),), [], []),
    "output_is_a_view": (ReturnsView(), (f(3, 4),), ["FP8008"], []),
    "output_is_the_input": (ReturnsInput(), (f(3, 4),), ["FP8008"], []),
    "output_is_a_parameter": (ReturnsParameter(), (f(4, 4),), ["FP8008"], []),
    "output_is_a_copy": (ReturnsCopies(), (f(3, 4),), [], []),
    "input_written": (WritesInput(), (f(4),), ["FP8009"], []),
    "input_written_by_place": (WritesInputByPlace(), (f(4),), ["FP8009"], []),
    "input_written_in_script": (WritesInput(), (f(4),), ["FP8009"], []),
    "copy_is_written_by_place": (WritesToCopy(), (f(4),), [], []),
    "copy_is_written_in_script": (WritesToCopyInScript(), (f(4),), [], []),
    "buffer_written": (WritesBuffer(), (f(4),), [], []),
    "unused_result": (UnusedResult(), (f(4),), ["FP8010"], []),
    "unused_result_mended": (UsesAll(), (f(4, 4),), [], []),
    "unused_input": (UnusedInput(), (f(4), f(4)), ["FP8011"], []),
    "unused_parameter": (UnusedParameter().eval(), (f(3, 4),), ["FP8012"], []),
    "fixed_dimension": (FixedRows(), (f(4, 3), f(4, 3)), ["FP8013"], ["--input", "x=nx3:float32", "--input", "y=13x3:float32"]),
    "fixed_dimension_mended": (FixedRows(), (f(4, 3), f(4, 3)), [], ["--input", "x=nx3:float32", "--input", "y=nx3:float32"]),
    "mixed_devices": (MovesScalar(), (f(4, 3), f()), ["FP8014"], ["--input", "x=4x3:float32@cuda:0", "--input", "scale=[]:float32"]),
    "mixed_devices_mended": (MovesScalar(), (f(4, 3), f()), [], CUDA),
    "lost_layout": (LosesLayout(True), (f(2, 3, 6, 6).to(memory_format=torch.channels_last),), ["FP8015"], []),
    "lost_layout_mended": (LosesLayout(False), (f(2, 3, 6, 6).to(memory_format=torch.channels_last),), [], []),
    "data_dependent_size": (Nonzero(), (f(4),), ["FP8016"], ["--rule", "DataDependentSize=error"]),
    "data_dependent_size_by_default": (Nonzero(), (f(4),), [], []),
    "half_reduction": (HalfSum(), (f(4, 8).half(),), ["FP8017"], []),
    "half_reduction_mended": (HalfSumInFloat(), (f(4, 8).half(),), [], []),
    "half_under_autocast": (HalfUnderAutocast(), (f(4, 8),), [], []),
    "duplicate_weight": (LanguageModel(True), (torch.zeros(2, 3, dtype=torch.int64),), ["FP8018"], []),
    "duplicate_weight_mended": (LanguageModel(False), (torch.zeros(2, 3, dtype=torch.int64),), [], []),
    "labels_of_a_class_too_many": (LabelsOf(10), (f(4, 10),), ["FP8019"], []),
    "labels_of_a_class_too_many_mended": (LabelsOf(9), (f(4, 10),), [], []),
    "labels_that_are_ignored": (LabelsOf(-100), (f(4, 10),), [], []),
    "learned_positions": (LearnedPositions(None), (f(2, 8),), ["FP8020"], []),
    "learned_positions_mended": (LearnedPositions(15), (f(2, 8),), [], []),
}
# Exported with these sizes dynamic.
DYNAMIC = {name: ({1: torch.export.Dim.DYNAMIC},) for name in ("learned_positions", "learned_positions_mended")}
ARCHIVES = {"duplicate_weight", "duplicate_weight_mended"}  # written as .pt2, whose weights count
FX = {"fixed_dimension", "fixed_dimension_mended", "mixed_devices", "mixed_devices_mended", "unused_result", "lost_write",
      "input_written_by_place", "copy_is_written_by_place"}
SCRIPTS = {"input_written_in_script", "copy_is_written_in_script"}
