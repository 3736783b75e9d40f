"""Models of PyPI's libraries with random weights, for capture_libraries.py. A library that is not installed is left out.

Sizes are small: what counts is which operators a model calls, and in which order. A row has a library, a class as
`module:Class`, the arguments of its constructor and what makes its inputs.
"""

import importlib
import importlib.metadata
import importlib.util

import torch

from register import Model
import library_rows_other
import library_rows_sequence
import library_rows_vision


def allow_torchvision():
    """torchvision's wheel for CUDA has no kernels beside a torch for the CPU. Its Python code needs these names."""
    if importlib.util.find_spec("torchvision"):
        names = torch.library.Library("torchvision", "FRAGMENT")
        for name in ("nms", "qnms"):
            if not hasattr(torch.ops.torchvision, name):
                names.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        allow_torchvision.kept = names


def version(library):
    names = importlib.metadata.packages_distributions().get(library, [library])
    return f"{names[0]} {importlib.metadata.version(names[0])}"


def models():
    """Those of the libraries that are installed; names begin with the library's."""
    allow_torchvision()
    rows = [*library_rows_sequence.rows(), *library_rows_vision.rows(), *library_rows_other.rows()]
    for library, name, build, inputs in rows:
        if importlib.util.find_spec(library):
            yield Model(f"{library}.{name}", build, inputs)
