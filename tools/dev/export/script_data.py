"""Modules for export_scripts.py whose sizes, branches and loops depend on data."""

from typing import List

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from script_case import case


@case((5, 4), name="sizes_of_data")
class SizesOfData(nn.Module):
    def forward(self, x):
        rows = (x.sum(1) > 0).nonzero().squeeze(1)
        picked = x[rows]
        n = picked.size(0)
        wide = torch.cat([picked, torch.zeros(n, 2)], 1)
        return wide, torch.masked_select(x, x > 0), wide.t().contiguous().view(-1), torch.arange(n), x.repeat(n + 1, 1)


@case((3, 4), name="numbers_of_data")
class NumbersOfData(nn.Module):
    def forward(self, x):
        n = int(x.abs().sum())
        k = (x > 0).sum().item()
        counts: List[int] = (x > 0).sum(1).tolist()
        return torch.zeros(n, k), torch.arange(0, k, 2), torch.ones(counts[0], counts[1]), torch.full((2,), k), x * k


@case((3, 4), name="arange_of_data")
class ArangeOfData(nn.Module):
    def forward(self, x):
        return torch.arange(int(x.max() * 3))


@case((3, 4), name="arange_of_item", error="the argument `end`")
class ArangeOfItem(nn.Module):
    def forward(self, x):
        return torch.arange(0, x.max().item(), 2)


@case((6, 4), name="branches_on_sizes")
class BranchesOnSizes(nn.Module):
    """Both branches run if the size is not known. One that raises is not taken."""

    def forward(self, x):
        kept = x[x.sum(1) > 0]
        if kept.size(0) == 0:
            raise ValueError("nothing is left")
        if kept.shape == [2, 4]:
            y = kept * 2
        else:
            y = kept + 1
        n = kept.size(0)
        if n > 3:
            n = 3
        return y, torch.zeros(n), torch.topk(kept[:, 0], min(2, kept.size(0)))[0]


@case((6, 4), name="merged_sizes")
class MergedSizes(nn.Module):
    def forward(self, x):
        if bool(x.sum() > 0):
            y = x[:2]
        else:
            y = x[:5]
        if bool(x.max() > 0):
            z = torch.zeros(4, 2)
        else:
            z = torch.zeros(4, 3)
        return y.relu(), z + 1


@case((6, 4), name="loops_of_data")
class LoopsOfData(nn.Module):
    """What a loop counts is not known, in its rounds and after them."""

    def forward(self, x):
        rows = (x.sum(1) > 0).nonzero().squeeze(1)
        total = torch.zeros(4)
        seen = 0
        for i in range(rows.size(0)):
            total = total + x[i] + x[:seen].sum(0)
            seen += 2
        return total, torch.zeros(seen), torch.zeros(seen + 1, rows.size(0))


@case((6, 4), name="growth_of_data", error="each time changes what it carries: f32[0, 4] on cpu becomes f32[1, 4] on cpu")
class GrowthOfData(nn.Module):
    def forward(self, x):
        kept = torch.zeros(0, 4)
        for row in x[x.sum(1) > 0]:
            kept = torch.cat([kept, row[None]])
        return kept


@case((5, 4), name="traced_sizes_of_data", trace=True)
class TracedSizesOfData(nn.Module):
    def forward(self, x):
        rows = (x.sum(1) > 0).nonzero().squeeze(1)
        n = rows.size(0)
        y = x[rows]
        return y.reshape(n * 2, 2), y.new_zeros(n + 1, 3), y.view(-1), x.expand(n, 5, 4)[1:], torch.arange(n)


@case((3, 7, 8), name="packed_of_unknown_lengths", inputs=lambda: (torch.randn(3, 7, 8), torch.tensor([6, 4, 1])))
class PackedOfUnknownLengths(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 16, batch_first=True, bidirectional=True)
        self.score = nn.Linear(32, 4)

    def forward(self, x, lengths: Tensor):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        states, last = self.rnn(packed)
        padded, counts = pad_packed_sequence(states, batch_first=True)
        return self.score(padded), last, counts
