"""fakeprop's LibTorch plug-ins, one for each minor version of torch that they were built with.

The program and the package `fakeprop` look here for the one that fits the installed torch. torch is found, not imported.
"""

import importlib.util
import pathlib
import re

_PLUGINS = pathlib.Path(__file__).parent


def find():
    """The paths of the plug-in and of the folder of the installed torch. Raises LookupError if there is no such pair."""
    found = importlib.util.find_spec("torch")
    if not found or not found.submodule_search_locations:
        raise LookupError("torch is not installed beside fakeprop-torch: pip install torch")
    torch = pathlib.Path(found.submodule_search_locations[0])
    version = _version(torch)
    plugin = _PLUGINS / f"libfakeprop_libtorch-{_minor(version)}.so"
    if not plugin.is_file():
        raise LookupError(f"{torch} is torch {version}, and this fakeprop-torch serves {', '.join(versions()) or 'no torch'}")
    return plugin, torch


def versions():
    """The minor versions of torch that are served, as "2.15"."""
    names = [path.stem.rpartition("-")[2] for path in _PLUGINS.glob("libfakeprop_libtorch-*.so")]
    return sorted(names, key=lambda name: [int(part) for part in name.split(".")])


def _version(torch):
    path = torch / "version.py"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    said = re.search(r"^__version__ = ['\"](.+)['\"]", text, re.MULTILINE)
    return said.group(1) if said else "of an unknown version"


def _minor(version):
    return ".".join(version.split(".")[:2])
