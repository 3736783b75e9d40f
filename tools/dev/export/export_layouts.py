#!/usr/bin/env python3
"""Writes models with tensors of other layouts than strided as FX JSON into testdata/cli/graphs, by hand.

A model with a sparse gradient of an embedding (forward and backward), one with a CSR weight, and one that
torch.utils.mkldnn converted. PyTorch runs each on real tensors; the script prints the layouts and shapes of all values,
to compare with the goldens of testdata/cli/layout_*.
"""

import os
import warnings

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import mkldnn

import fakeprop_fx

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../testdata/cli/graphs")


def sparse_embedding(table, head, words):
    hidden = torch.nn.functional.embedding(words, table, sparse=True)
    scores = torch.relu(hidden.mean(1) @ head)
    table_grad, head_grad = torch.autograd.grad(scores.sum(), [table, head])
    return scores, table_grad, head_grad, table.add(table_grad, alpha=-0.1), table_grad.coalesce().values()


def csr_weight(weight, x):
    hidden = torch.relu(torch.mm(weight, x))
    return hidden, (weight * 2).to_dense(), torch.mv(weight, x[:, 0])


def mkldnn_model():
    layers = [torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.MaxPool2d(2)]
    model = torch.nn.Sequential(*layers, torch.nn.Flatten(), torch.nn.Linear(36, 5)).eval()
    converted = mkldnn.to_mkldnn(model)
    return lambda x: converted(x.to_mkldnn()).to_dense()


def show(value):
    if isinstance(value, (list, tuple)):
        return [show(item) for item in value]
    return f"{value.layout} {tuple(value.shape)}" if isinstance(value, torch.Tensor) else value


class Shown(torch.fx.Interpreter):
    def run_node(self, node):
        result = super().run_node(node)
        print(f"  {node.name}: {show(result)}")
        return result


def capture(function, inputs):
    """make_fx asks tensors for their strides, which compressed ones do not have."""
    if any(t.layout == torch.sparse_csr for t in inputs):
        return torch.fx.symbolic_trace(function)
    return make_fx(function)(*inputs)


def write(name, function, inputs):
    module = capture(function, inputs)
    fakeprop_fx.save(module, os.path.join(FOLDER, f"{name}.json"))
    print(name)
    Shown(module).run(*inputs)


def main():
    warnings.simplefilter("ignore")
    weight = torch.randn(6, 8)
    weight[weight < 0.3] = 0
    table, head = torch.randn(50, 8, requires_grad=True), torch.randn(8, 3, requires_grad=True)
    write("layout_sparse_embedding", sparse_embedding, [table, head, torch.randint(0, 50, (2, 4))])
    write("layout_csr_weight", csr_weight, [weight.to_sparse_csr(), torch.randn(8, 4)])
    write("layout_mkldnn", mkldnn_model(), [torch.randn(2, 3, 8, 8)])


if __name__ == "__main__":
    main()
