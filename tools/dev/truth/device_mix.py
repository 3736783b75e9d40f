#!/usr/bin/env python3
"""Lists operators that take tensors on two devices under FakeTensorMode, although eager mode on cuda raises.

    $ bazel run //lib/fuzzer:device_mix > /tmp/mix
    $ tools/dev/truth/device_mix.py /tmp/mix        needs PyTorch and PyYAML, for native_functions.yaml

In eager mode the generated wrapper of a cuda kernel demands that all tensors are on one device, unless the operator's
entry in native_functions.yaml says `device_check: NoCheck`; the kernel then looks by itself, or takes both. Prints a table
for docs/parity.md (fake_tensor_mode.md beside this file): operators by their packets, and the arguments that may be 0-dim
tensors of the cpu.
"""
import collections
import pathlib
import sys

import torchgen
from torchgen.gen import parse_native_yaml
from torchgen.model import DeviceCheckType, DispatchKey

PACKAGED = pathlib.Path(torchgen.__file__).parent / "packaged/ATen/native"


def takes_several(function):
    """Returns true if a call can have two tensors."""
    arguments = [a for a in function.func.arguments.flat_all if a.type.is_tensor_like()]
    return len(arguments) > 1 or any(a.type.is_list_like() for a in arguments)


def checked_operators():
    """The operators of two tensors or more whose cuda wrapper demands one device."""
    parsed = parse_native_yaml(str(PACKAGED / "native_functions.yaml"), str(PACKAGED / "tags.yaml"))
    cuda = parsed.backend_indices[DispatchKey.CUDA]
    checked = set()
    for function in parsed.native_functions:
        structured = function.structured_delegate is not None or function.structured
        has_check = function.device_check is not DeviceCheckType.NoCheck
        if (cuda.has_kernel(function) or structured) and has_check and takes_several(function):
            checked.add("aten::" + str(function.func.name))
    return checked


def main():
    checked = checked_operators()
    asked, by_packet, larger = set(), collections.defaultdict(set), set()
    for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
        op, argument, dims, _ = line.split("\t")
        if op not in checked:
            continue
        asked.add(op)
        if argument and dims == "0":
            by_packet[op.removeprefix("aten::").split(".")[0]].add(argument)
        elif argument:
            larger.add(op)
    print("| operator | may be 0-dim on the cpu |\n|---|---|")
    for packet, arguments in sorted(by_packet.items()):
        print(f"| `{packet}` | " + ", ".join(f"`{a}`" for a in sorted(arguments)) + " |")
    missing = sorted(op.removeprefix("aten::") for op in checked - asked)
    print(f"# {len(checked)} demand one device, {len(asked)} ran; of two devices with other tensors: {sorted(larger)}; not "
          f"asked: {missing}", file=sys.stderr)


if __name__ == "__main__":
    main()
