"""Builds the program, the library and the LibTorch plug-ins for this machine, by Bazel and g++."""

import pathlib
import re
import subprocess
import tempfile

from package_steps import bazel, elf

_TARGETS = ["//tools:fakeprop", "//fakeprop:libfakeprop.so"]
_PLUGIN = ("lib/libtorch_fallback/plugin", "libfakeprop_libtorch.so")
# Libraries of LibTorch that a plug-in is linked with and does not use. Each build of torch has others.
_UNUSED = ("libcudart", "libcupti", "libgomp")


def build(root):
    """The paths of the program and the library."""
    subprocess.run([root / "tools/setup", "--core"], check=True)
    bazel.build(root, "--config=release", *_TARGETS)
    return root / "bazel-bin/tools/fakeprop", root / "bazel-bin/fakeprop/libfakeprop.so"


def build_plugin(root, libtorch):
    """The path of the plug-in for a LibTorch, until the next one is built."""
    folder, name = _PLUGIN
    bazel.build(root, "--config=release", f"--repo_env=LIBTORCH={libtorch.absolute()}", f"//{folder}:{name}")
    return root / "bazel-bin" / folder / name


def libtorch_version(libtorch):
    """The version of the LibTorch in a folder, as "2.15.0"."""
    text = (libtorch / "include/torch/headeronly/version.h").read_text(encoding="utf-8")
    parts = [re.search(rf"^#define TORCH_VERSION_{part} (\d+)", text, re.MULTILINE) for part in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(part.group(1) for part in parts)


def portable_plugin(path):
    """The bytes of a plug-in for any build of its version of torch: the program opens that torch before it."""
    return elf.without_libraries(stripped(path), lambda name: name.startswith(_UNUSED))


def stripped(binary):
    """The bytes of a binary without its symbols for debuggers."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "binary")
        subprocess.run(["strip", "--strip-all", "-o", copy, binary], check=True)
        return copy.read_bytes()
