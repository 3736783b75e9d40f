"""Builds the program and the library for this machine, by Bazel and g++."""

import pathlib
import subprocess
import tempfile

from package_steps import bazel

_TARGETS = ["//tools:fakeprop", "//fakeprop:libfakeprop.so"]


def build(root):
    """The paths of the program and the library."""
    subprocess.run([root / "tools/setup", "--core"], check=True)
    bazel.build(root, "--config=release", *_TARGETS)
    return root / "bazel-bin/tools/fakeprop", root / "bazel-bin/fakeprop/libfakeprop.so"


def stripped(binary):
    """The bytes of a binary without its symbols for debuggers."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "binary")
        subprocess.run(["strip", "--strip-all", "-o", copy, binary], check=True)
        return copy.read_bytes()
