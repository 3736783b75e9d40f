"""What does every node of a PyTorch graph produce? Answers it without running the model.

    import fakeprop
    annotations = fakeprop.propagate("model.pt2")
    annotations["relu"].value.shape            # (8, 64, 56, 56)

`propagate` takes a file, a torch.export.ExportedProgram, a torch.fx.GraphModule or a torch.jit.ScriptModule. It runs the
program `fakeprop`, which this package brings; torch is imported only where a graph is an object of torch.

`FakeTensorProp` is torch.fx.passes.fake_tensor_prop.FakeTensorProp by fakeprop's core, in this process.
"""

from fakeprop._annotations import Annotations, Node, Storage, Symbol, SymbolicNumber, Tensor
from fakeprop._program import FakepropError, PropagationError, UsageError, find_program, version
from fakeprop._propagate import contract, cost, diff, lint, memory, propagate, prove, refine

__all__ = [
    "Annotations",
    "FakeTensorProp",
    "FakepropError",
    "Node",
    "PropagationError",
    "Storage",
    "Symbol",
    "SymbolicNumber",
    "Tensor",
    "UsageError",
    "contract",
    "cost",
    "diff",
    "find_program",
    "lint",
    "memory",
    "propagate",
    "prove",
    "refine",
    "version",
]


def __getattr__(name):
    if name == "FakeTensorProp":  # which imports torch
        from fakeprop._fake_tensor_prop import FakeTensorProp

        return FakeTensorProp
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
