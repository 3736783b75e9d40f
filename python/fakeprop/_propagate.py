"""The commands of the program as functions."""

import collections.abc
import json
import os
import pathlib
import sys
import tempfile

from fakeprop._annotations import Annotations
from fakeprop._program import PropagationError, run_for_json


def propagate(graph, inputs=None, *, keep_going=False, on_error="raise", options=()):
    """The annotations of a graph.

    `graph` is a path, a torch.export.ExportedProgram, a torch.fx.GraphModule or a torch.jit.ScriptModule. `inputs` is an
    input spec: a path, or a dict of the format fakeprop.inputs/1 (its "format" may be left out). `options` are further
    arguments of the program, such as "--device=cuda:0".

    Raises PropagationError if a node has an error, with the annotations in it; with on_error="return" the annotations
    are returned. Raises UsageError for wrong arguments and for files that cannot be read.
    """
    if on_error not in ("raise", "return"):
        raise ValueError(f'on_error is "raise" or "return", not {on_error!r}')
    arguments = [*(["--keep-going"] if keep_going else []), *_options(options)]
    with _Files() as files:
        status, document, said = files.run(["propagate", *files.of(graph, inputs), *arguments])
    annotations = Annotations(document)
    if status and on_error == "raise":
        first = annotations.errors[0]
        raise PropagationError(f"node `{first.name}`: {first.error['message']}", said, annotations)
    return annotations


def lint(graph, inputs=None, *, options=()):
    """The findings of `fakeprop lint`, as the dict of its --format json (docs/lint.schema.json)."""
    with _Files() as files:
        return files.run(["lint", *files.of(graph, inputs), "--format=json", *_options(options)])[1]


def prove(graph, inputs=None, *, options=()):
    """The verdict of `fakeprop prove`, as the dict of its --format json (docs/prove.schema.json)."""
    with _Files() as files:
        return files.run(["prove", *files.of(graph, inputs), "--format=json", *_options(options)])[1]


def memory(graph, inputs=None, *, sizes=None, options=()):
    """What `fakeprop memory` counts, as the dict of its --format json (docs/memory.schema.json).

    `sizes` has numbers for symbols: {"batch": 8}.
    """
    with _Files() as files:
        return files.run(["memory", *files.of(graph, inputs), "--format=json", *_settings(sizes), *_options(options)])[1]


def cost(graph, inputs=None, *, sizes=None, options=()):
    """What `fakeprop cost` counts, as the dict of its --format json (docs/cost.schema.json). `sizes` is as for `memory`."""
    with _Files() as files:
        return files.run(["cost", *files.of(graph, inputs), "--format=json", *_settings(sizes), *_options(options)])[1]


def contract(graph, inputs=None, *, options=()):
    """What the graph demands of its callers, as the dict of `fakeprop contract --format json` (docs/contract.schema.json)."""
    with _Files() as files:
        return files.run(["contract", *files.of(graph, inputs), "--format=json", *_options(options)])[1]


def diff(a, b, *, options=()):
    """What changed from `a` to `b`, as the dict of `fakeprop diff --format json` (docs/diff.schema.json).

    Each is a graph as `propagate` takes it, or Annotations.
    """
    with _Files() as files:
        sides = [files.annotations(side) if isinstance(side, Annotations) else files.graph(side) for side in (a, b)]
        return files.run(["diff", *sides, "--format=json", *_options(options)])[1]


def refine(annotations, sizes):
    """The annotations for these numbers of their symbols: {"batch": 8}.

    `annotations` are Annotations or a path. Raises FakepropError for a number outside of its range, and if a guard does not
    hold.
    """
    with _Files() as files:
        if isinstance(annotations, Annotations):
            file = files.annotations(annotations)
        elif isinstance(annotations, (str, os.PathLike)):
            file = _path(annotations)
        else:
            raise TypeError(f"annotations are Annotations or a path, not {_class_of(annotations)}")
        return Annotations(files.run(["refine", file, *_settings(sizes)])[1])


def _settings(sizes):
    if sizes is None:
        return []
    if not isinstance(sizes, collections.abc.Mapping):
        raise TypeError(f'sizes are numbers by symbol, as {{"batch": 8}}, not {_class_of(sizes)}')
    return [f"--set={name}={size}" for name, size in sizes.items()]


def _options(options):
    if isinstance(options, (str, bytes)):
        raise TypeError(f'options are a list of arguments, as ["--device=cuda:0"], not {_class_of(options)}')
    return options


def _path(path):
    """As an argument: no option, and not standard input."""
    text = os.fspath(path)
    return f"./{text}" if isinstance(text, str) and text.startswith("-") else text


def _class_of(value):
    return f"{type(value).__module__}.{type(value).__qualname__}"


class _Files:
    """Writes what is no file to a folder that is removed at the end. Where the program names such a file, what the caller
    gave is named instead."""

    def __init__(self):
        self.names = {}  # by path

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="fakeprop-")
        return self

    def __exit__(self, *error):
        self.folder.cleanup()

    def run(self, arguments):
        return run_for_json(arguments, self.names)

    def of(self, graph, inputs):
        """The arguments that name the graph and the spec."""
        return [self.graph(graph), *(["--inputs", self.spec(inputs)] if inputs is not None else [])]

    def path(self, file, name):
        folder = pathlib.Path(self.folder.name, str(len(self.names)))  # two files may have one name
        folder.mkdir()
        self.names[str(folder / file)] = name
        return folder / file

    def written(self, file, name, document):
        path = self.path(file, name)
        path.write_text(json.dumps(document), encoding="utf-8")
        return path

    def annotations(self, annotations):
        source = annotations.document.get("graph", {}).get("source", "a graph")
        return self.written("annotations.json", f"annotations of {source}", annotations.document)

    def graph(self, graph):
        if isinstance(graph, (str, os.PathLike)):
            return _path(graph)
        torch = sys.modules.get("torch")
        if torch and isinstance(graph, torch.export.ExportedProgram):
            return self.saved(torch.export.save, graph, "graph.pt2")
        if torch and isinstance(graph, torch.jit.ScriptModule):
            return self.saved(torch.jit.save, graph, "graph.pt")
        if torch and isinstance(graph, torch.fx.GraphModule):
            import fakeprop_fx

            return self.saved(fakeprop_fx.save, graph, "graph.json")
        raise TypeError(
            "a graph is a path, a torch.export.ExportedProgram, a torch.fx.GraphModule or a torch.jit.ScriptModule, not "
            f"{_class_of(graph)}; torch.export.export(model, args) makes one of an nn.Module"
        )

    def saved(self, save, graph, file):
        path = self.path(file, f"the {type(graph).__name__}")
        save(graph, str(path))
        return path

    def spec(self, inputs):
        if isinstance(inputs, (str, os.PathLike)):
            return _path(inputs)
        if not isinstance(inputs, collections.abc.Mapping):
            raise TypeError(f'an input spec is a path or a dict, as {{"inputs": {{"x": {{"shape": [8, 3]}}}}}}, not {_class_of(inputs)}')
        return self.written("inputs.json", "the inputs", {"format": "fakeprop.inputs/1", **inputs})
