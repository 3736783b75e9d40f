"""A message passing network over the edges of a graph, with a score for each edge and class."""

import torch
import torch.nn.functional as F
from torch import nn


class MessagePassing(nn.Module):
    """Adds up messages along edges, weighted by the degree of the receiving node."""

    def __init__(self, in_width, out_width):
        super().__init__()
        self.message = nn.Linear(in_width, out_width)
        self.own = nn.Linear(in_width, out_width)

    def forward(self, x, sender, receiver):
        messages = self.message(x).index_select(0, sender)
        total = messages.new_zeros(x.shape[0], messages.shape[1])
        total.index_add_(0, receiver, messages)
        degree = total.new_zeros(x.shape[0])
        degree.scatter_add_(0, receiver, torch.ones_like(receiver, dtype=total.dtype))
        return self.own(x) + total / degree.clamp(min=1).unsqueeze(1)


class EdgeAttention(nn.Module):
    """A softmax over the edges that meet in a node."""

    def __init__(self, width):
        super().__init__()
        self.score = nn.Linear(2 * width, 1)

    def forward(self, x, sender, receiver):
        pairs = torch.cat((x[sender], x[receiver]), dim=-1)
        scores = F.leaky_relu(self.score(pairs), 0.2).squeeze(-1)
        highest = scores.new_full((x.shape[0],), float("-inf"))
        highest = highest.scatter_reduce(0, receiver, scores, reduce="amax")
        weights = (scores - highest[receiver]).exp()
        sums = torch.zeros_like(highest).scatter_add(0, receiver, weights)
        weights = weights / sums[receiver]
        return torch.zeros_like(x).index_add(0, receiver, weights.unsqueeze(1) * x[sender])


class GraphNetwork(nn.Module):
    """Class scores of each node, and the classes that fit the whole graph best."""

    def __init__(self, features, width, classes):
        super().__init__()
        self.first = MessagePassing(features, width)
        self.norm = nn.LayerNorm(width)
        self.attention = EdgeAttention(width)
        self.second = MessagePassing(width, classes)

    def forward(self, nodes, edges):
        sender, receiver = edges.unbind(0)
        x = F.elu(self.norm(self.first(nodes, sender, receiver)))
        x = x + F.dropout(self.attention(x, sender, receiver), 0.5, self.training)
        scores = self.second(x, sender, receiver)
        best, classes = scores.amax(0).topk(3)
        return scores, best, classes


def build():
    return GraphNetwork(features=12, width=24, classes=6)


def example_inputs():
    return (torch.zeros(20, 12), torch.zeros(2, 64, dtype=torch.int64))
