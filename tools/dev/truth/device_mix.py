#!/usr/bin/env python3
"""Lists operators that take tensors on two devices under FakeTensorMode, although eager mode on cuda raises.

    $ bazel run //lib/fuzzer:device_mix > /tmp/mix
    $ tools/dev/truth/device_mix.py /tmp/mix        needs PyTorch, for native_functions.yaml

In eager mode the generated wrapper of a cuda kernel demands that all tensors are on one device, unless the operator's
entry in native_functions.yaml says `device_check: NoCheck`; the kernel then looks by itself, or takes both.
"""
import collections
import pathlib
import sys

import torchgen
from torchgen.gen import parse_native_yaml
from torchgen.model import DeviceCheckType, DispatchKey

PACKAGED = pathlib.Path(torchgen.__file__).parent / "packaged/ATen/native"


def checked_operators():
    """The operators whose cuda wrapper demands one device."""
    parsed = parse_native_yaml(str(PACKAGED / "native_functions.yaml"), str(PACKAGED / "tags.yaml"))
    cuda = parsed.backend_indices[DispatchKey.CUDA]
    checked = set()
    for function in parsed.native_functions:
        structured = function.structured_delegate is not None or function.structured
        if (cuda.has_kernel(function) or structured) and function.device_check is not DeviceCheckType.NoCheck:
            checked.add("aten::" + str(function.func.name))
    return checked


def main():
    checked = checked_operators()
    found, asked = collections.defaultdict(list), set()
    for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
        op, argument, call = line.split("\t")
        if op in checked:
            asked.add(op)
            if argument:
                found[op].append((argument, call))
    for op, places in sorted(found.items()):
        print(op, ", ".join(argument for argument, _ in places), " e.g.", places[0][1], sep="\t")
    print(f"# {len(found)} operators take two devices, of {len(asked)} that ran with two tensors or more and whose cuda "
          "kernel demands one device", file=sys.stderr)


if __name__ == "__main__":
    main()
