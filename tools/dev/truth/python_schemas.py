#!/usr/bin/env python3
"""Writes lib/schema/python_schemas.inc: schemas of operators that PyTorch registers from Python, which LibTorch lacks.

They are those of quantized_decomposed, which graphs quantized with torch.ao's PT2E flow are full of, and those of torch.nn.
Usage: tools/dev/truth/python_schemas.py > lib/schema/python_schemas.inc
"""
import torch

# Importing them registers the operators.
import torch.ao.quantization.fx._decomposed
import torch.nn.attention.varlen
import torch.nn.modules.linear_cross_entropy

NAMESPACES = ("quantized_decomposed::", "torch_attn::", "torch_nn::")


def main():
    schemas = [s for s in torch._C._jit_get_all_schemas() if s.name.startswith(NAMESPACES)]
    for schema in sorted(schemas, key=lambda s: (s.name, s.overload_name)):
        print(f'"{schema}",')


if __name__ == "__main__":
    main()
