"""A click predictor: bags of categories and dense features, and how they interact pairwise."""

import torch
from torch import nn


def mlp(*widths):
    layers = []
    for in_width, out_width in zip(widths, widths[1:]):
        layers += [nn.Linear(in_width, out_width), nn.ReLU()]
    return nn.Sequential(*layers)


class PairwiseInteraction(nn.Module):
    """The dot products of all pairs of feature vectors, beside the dense vector."""

    def forward(self, dense, sparse):
        vectors = torch.stack([dense, *sparse], dim=1)
        products = torch.bmm(vectors, vectors.transpose(1, 2))
        count = vectors.shape[1]
        rows, columns = torch.tril_indices(count, count, offset=-1, device=dense.device)
        return torch.cat((dense, products[:, rows, columns]), dim=1)


class Recommender(nn.Module):
    """The probability of a click, from dense features and one bag of ids for each table."""

    def __init__(self, dense_features, table_sizes, width):
        super().__init__()
        self.bottom = mlp(dense_features, 64, width)
        self.tables = nn.ModuleList(
            nn.EmbeddingBag(size, width, mode=mode) for size, mode in table_sizes
        )
        vectors = len(table_sizes) + 1
        self.interaction = PairwiseInteraction()
        self.top = mlp(width + vectors * (vectors - 1) // 2, 64, 32)
        self.head = nn.Linear(32, 1)

    def forward(self, dense, ids, offsets):
        dense = self.bottom(dense)
        sparse = [
            table(table_ids, table_offsets)
            for table, table_ids, table_offsets in zip(self.tables, ids, offsets)
        ]
        hidden = self.top(self.interaction(dense, sparse))
        return torch.sigmoid(self.head(hidden)).squeeze(-1)


def build():
    tables = ((1000, "sum"), (400, "mean"), (50, "max"))
    return Recommender(dense_features=13, table_sizes=tables, width=16)


def example_inputs():
    batch = 8
    ids = [torch.zeros(length, dtype=torch.int64) for length in (24, 16, 8)]
    offsets = [torch.arange(batch) * (len(bag) // batch) for bag in ids]
    return (torch.zeros(batch, 13), ids, offsets)
