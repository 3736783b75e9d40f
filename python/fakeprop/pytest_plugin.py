"""Tests graph files by pytest, without code: `pytest --fakeprop` collects them.

A file `net.pt2` gives up to three tests:

    net.pt2::lint      what `fakeprop lint` finds
    net.pt2::golden    if there is a net.golden.json: the annotations are as written there
    net.pt2::prove     if net.inputs.json has symbols: the graph propagates for all their sizes

net.inputs.json is the input spec of all three, if it is there. `--fakeprop-update` writes the golden files, also new ones.
"""

import json

import pytest

from fakeprop._program import UsageError, run


def pytest_addoption(parser):
    group = parser.getgroup("fakeprop", "graphs of PyTorch")
    group.addoption("--fakeprop", action="store_true", help="test graph files (those that `fakeprop_graphs` names)")
    group.addoption("--fakeprop-update", action="store_true", help="as --fakeprop, and write the golden files of the graphs")
    parser.addini("fakeprop_graphs", "globs of the graph files that --fakeprop tests", type="args", default=["*.pt2"])


def pytest_collect_file(file_path, parent):
    options = parent.config.option
    if not (options.fakeprop or options.fakeprop_update):
        return None
    if not any(file_path.match(glob) for glob in parent.config.getini("fakeprop_graphs")):
        return None
    return GraphFile.from_parent(parent, path=file_path)


class GraphFile(pytest.File):
    def collect(self):
        spec = self.beside("inputs")
        inputs = ["--inputs", spec] if spec.exists() else []
        yield GraphTest.from_parent(self, name="lint", command=["lint", self.path, *inputs])
        golden, update = self.beside("golden"), self.config.option.fakeprop_update
        if golden.exists() or update:
            command = ["lint", self.path, *inputs, "--golden", golden, *(["--update-golden"] if update else [])]
            yield GraphTest.from_parent(self, name="golden", command=command)
        if spec.exists() and _has_symbols(spec):
            yield GraphTest.from_parent(self, name="prove", command=["prove", self.path, *inputs])

    def beside(self, kind):
        """net.golden.json of net.pt2."""
        return self.path.with_name(f"{self.path.name.split('.')[0]}.{kind}.json")


def _has_symbols(spec):
    try:
        return bool(json.loads(spec.read_text(encoding="utf-8")).get("symbols"))
    except (ValueError, AttributeError):  # the program says what is wrong with it
        return False


class _Findings(Exception):
    """What the program printed."""


class GraphTest(pytest.Item):
    """A run of the program that has to end with status 0."""

    def __init__(self, *, command, **given):
        super().__init__(**given)
        self.command = command

    def runtest(self):
        try:
            status, printed, said = run(self.command)
        except UsageError as error:
            raise _Findings(error.diagnostics or str(error)) from None
        if status:
            raise _Findings(f"{printed}{said}".strip())

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, _Findings):
            return f"{excinfo.value}\n\nto see it again: fakeprop {' '.join(map(str, self.command))}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, None, self.name
