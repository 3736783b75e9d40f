"""Finds the program and runs it."""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

# How the files of shared libraries end on this system.
LIBRARY_SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


class FakepropError(Exception):
    """The program ended with an error. `diagnostics` is what it wrote to stderr."""

    def __init__(self, message, diagnostics=""):
        super().__init__(message)
        self.diagnostics = diagnostics


class UsageError(FakepropError):
    """Wrong arguments, or a file that is missing, unreadable, malformed or of an unknown version (exit status 2)."""


class PropagationError(FakepropError):
    """The graph was read but does not propagate (exit status 1). `annotations` has what is known of each node."""

    def __init__(self, message, diagnostics, annotations):
        super().__init__(message, diagnostics)
        self.annotations = annotations


def find_program():
    """The path of the program: FAKEPROP if it is set, that of this package, else the first on the PATH."""
    named = os.environ.get("FAKEPROP")
    if named:
        return named
    name = "fakeprop" + (sysconfig.get_config_var("EXE") or "")
    folders = [sysconfig.get_path("scripts"), pathlib.Path(__file__).parent.parent / "bin"]
    folders += [sysconfig.get_path("scripts", scheme) for scheme in ("posix_user", "nt_user") if scheme in sysconfig.get_scheme_names()]
    for folder in folders:
        path = pathlib.Path(folder) / name
        if path.is_file():
            return str(path)
    found = shutil.which("fakeprop")
    if found:
        return found
    raise UsageError("the program is neither beside this package nor on the PATH: install fakeprop again, or set FAKEPROP")


def run(arguments, names=None):
    """Runs the program. Returns its exit status (0 or 1), what it printed and what it said on stderr.

    `names` has what stands in the latter for a path. Raises UsageError for every other exit status.
    """
    program = find_program()
    command = [program, *map(os.fspath, arguments)]
    try:
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, encoding="utf-8", check=False)
    except OSError as error:
        raise UsageError(f"{program} does not run: {error.strerror}: install fakeprop again, or set FAKEPROP to the program") from None
    said = _with_names(done.stderr, names)
    if done.returncode not in (0, 1):
        raise UsageError(first_line(said) or f"fakeprop ended with status {done.returncode}", said)
    return done.returncode, done.stdout, said


def _with_names(text, names, written=str):
    """`written` gives how a text stands in this one."""
    for path, name in (names or {}).items():
        text = text.replace(written(path), written(name))
    return text


def _in_json(text):
    return json.dumps(text, ensure_ascii=False)[1:-1]


def run_for_json(arguments, names=None):
    """Runs the program. Returns its exit status (0 or 1), the JSON that it printed, and what it said on stderr.

    `names` has what stands in both for a path. Raises FakepropError for an error on stderr alone.
    """
    status, printed, said = run(arguments, names)
    if status and said and not printed:
        raise FakepropError(first_line(said), said)
    try:
        return status, json.loads(_with_names(printed, names, _in_json)), said
    except ValueError:
        raise UsageError(
            f"{find_program()} printed no JSON: is it fakeprop, and none of the options, as --help or -o, changes what it prints?", said
        ) from None


def environment():
    """That of this process, with Z3's library of z3-solver, the plug-in of fakeprop-torch and the torch that this Python
    would import. The program looks for them beside itself, which may be elsewhere."""
    return {**_z3(), **_plugin(), **os.environ}


def _z3():
    package = importlib.util.find_spec("z3")
    if not package or not package.origin:
        return {}
    library = pathlib.Path(package.origin).parent / "lib" / f"libz3{LIBRARY_SUFFIX}"
    return {"FAKEPROP_Z3": str(library)} if library.is_file() else {}


def _plugin():
    if "FAKEPROP_LIBTORCH" in os.environ or not importlib.util.find_spec("fakeprop_torch"):
        return {}
    import fakeprop_torch

    try:
        plugin, torch = fakeprop_torch.find()
    except LookupError:  # the program says it where it needs one
        return {}
    return {"FAKEPROP_LIBTORCH": str(plugin), "FAKEPROP_TORCH": str(torch)}


def version():
    """The version of the program, as "0.1.0"."""
    return run(["--version"])[1].split()[1]


def first_line(text):
    return text.strip().split("\n")[0]
