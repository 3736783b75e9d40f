#!/usr/bin/env python3
"""Writes lib/schema/python_schemas.inc: schemas of operators that PyTorch registers from Python, which LibTorch lacks.

They are those of quantized_decomposed, which graphs quantized with torch.ao's PT2E flow are full of, those of torch.nn, and
those of torch.distributed.
Usage: tools/dev/truth/python_schemas.py, with each supported version of torch (lib/schema/generate/by_version.py)
"""
import pathlib
import sys

import torch

# Importing them registers the operators.
import torch.ao.quantization.fx._decomposed
import torch.distributed._functional_collectives
import torch.distributed._symmetric_memory
import torch.distributed.fsdp
import torch.distributed.tensor
import torch.nn.attention.varlen
import torch.nn.modules.linear_cross_entropy

sys.path.append(str(pathlib.Path(__file__).parents[3] / "lib/schema/generate"))
import by_version

NAMESPACES = ("quantized_decomposed::", "torch_attn::", "torch_nn::", "c10d_functional::", "fsdp::")
# Of namespaces that LibTorch has as well.
NAMES = (
    "_c10d_functional::_wrap_tensor_autograd",
    "_dtensor::mesh_get_process_group",
    "symm_mem::_low_contention_",
    "symm_mem::fused_",
    "symm_mem::get_remote_tensors",
)


def main():
    schemas = [s for s in torch._C._jit_get_all_schemas() if s.name.startswith(NAMESPACES + NAMES)]
    lines = []
    for schema in schemas:
        text = str(schema).replace("PyObject", "Any").replace('"', '\\"')  # torch's parser of schemas knows no PyObject
        lines.append(f'{{"{text}"}},')
    by_version.record("lib/schema/python_schemas.inc", int(torch.__version__.split(".")[1]), lines)


if __name__ == "__main__":
    main()
