"""The commands of the program as functions."""

import collections.abc
import contextlib
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
    with _files(graph, inputs) as files:
        status, document, said = run_for_json(["propagate", *files, *arguments])
    annotations = Annotations(document)
    if status and on_error == "raise":
        first = annotations.errors[0]
        raise PropagationError(f"node `{first.name}`: {first.error['message']}", said, annotations)
    return annotations


def lint(graph, inputs=None, *, options=()):
    """The findings of `fakeprop lint`, as the dict of its --format json (docs/lint.schema.json)."""
    with _files(graph, inputs) as files:
        return run_for_json(["lint", *files, "--format=json", *_options(options)])[1]


def prove(graph, inputs=None, *, options=()):
    """The verdict of `fakeprop prove`, as the dict of its --format json (docs/prove.schema.json)."""
    with _files(graph, inputs) as files:
        return run_for_json(["prove", *files, "--format=json", *_options(options)])[1]


def memory(graph, inputs=None, *, sizes=None, options=()):
    """What `fakeprop memory` counts, as the dict of its --format json (docs/memory.schema.json).

    `sizes` has numbers for symbols: {"batch": 8}.
    """
    with _files(graph, inputs) as files:
        return run_for_json(["memory", *files, "--format=json", *_settings(sizes), *_options(options)])[1]


def cost(graph, inputs=None, *, sizes=None, options=()):
    """What `fakeprop cost` counts, as the dict of its --format json (docs/cost.schema.json). `sizes` is as for `memory`."""
    with _files(graph, inputs) as files:
        return run_for_json(["cost", *files, "--format=json", *_settings(sizes), *_options(options)])[1]


def contract(graph, inputs=None, *, options=()):
    """What the graph demands of its callers, as the dict of `fakeprop contract --format json` (docs/contract.schema.json)."""
    with _files(graph, inputs) as files:
        return run_for_json(["contract", *files, "--format=json", *_options(options)])[1]


def diff(a, b, *, options=()):
    """What changed from `a` to `b`, as the dict of `fakeprop diff --format json` (docs/diff.schema.json).

    Each is a graph as `propagate` takes it, or Annotations.
    """
    with tempfile.TemporaryDirectory(prefix="fakeprop-") as folder:
        files = []
        for name, side in ("a", a), ("b", b):
            own = pathlib.Path(folder, name)  # both may be written under one name
            own.mkdir()
            files.append(_annotations_file(side, own) if isinstance(side, Annotations) else _graph_file(side, own))
        return run_for_json(["diff", *files, "--format=json", *_options(options)])[1]


def refine(annotations, sizes):
    """The annotations for these numbers of their symbols: {"batch": 8}.

    `annotations` are Annotations or a path. Raises FakepropError for a number outside of its range, and if a guard does not
    hold.
    """
    with tempfile.TemporaryDirectory(prefix="fakeprop-") as folder:
        if isinstance(annotations, Annotations):
            file = _annotations_file(annotations, pathlib.Path(folder))
        elif isinstance(annotations, (str, os.PathLike)):
            file = _path(annotations)
        else:
            raise TypeError(f"annotations are Annotations or a path, not {_class_of(annotations)}")
        return Annotations(run_for_json(["refine", file, *_settings(sizes)])[1])


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


def _annotations_file(annotations, folder):
    path = folder / "annotations.json"
    path.write_text(json.dumps(annotations.document), encoding="utf-8")
    return path


@contextlib.contextmanager
def _files(graph, inputs):
    """The arguments that name the graph and the spec; what is no file is written to a folder that is then removed."""
    with tempfile.TemporaryDirectory(prefix="fakeprop-") as folder:
        arguments = [_graph_file(graph, pathlib.Path(folder))]
        if inputs is not None:
            arguments += ["--inputs", _spec_file(inputs, pathlib.Path(folder))]
        yield arguments


def _graph_file(graph, folder):
    if isinstance(graph, (str, os.PathLike)):
        return _path(graph)
    torch = sys.modules.get("torch")
    if torch and isinstance(graph, torch.export.ExportedProgram):
        return _saved(torch.export.save, graph, folder / "graph.pt2")
    if torch and isinstance(graph, torch.jit.ScriptModule):
        return _saved(torch.jit.save, graph, folder / "graph.pt")
    if torch and isinstance(graph, torch.fx.GraphModule):
        import fakeprop_fx

        return _saved(fakeprop_fx.save, graph, folder / "graph.json")
    raise TypeError(
        "a graph is a path, a torch.export.ExportedProgram, a torch.fx.GraphModule or a torch.jit.ScriptModule, not "
        f"{_class_of(graph)}; torch.export.export(model, args) makes one of an nn.Module"
    )


def _saved(save, graph, path):
    save(graph, str(path))
    return path


def _spec_file(inputs, folder):
    if isinstance(inputs, (str, os.PathLike)):
        return _path(inputs)
    if not isinstance(inputs, collections.abc.Mapping):
        raise TypeError(f'an input spec is a path or a dict, as {{"inputs": {{"x": {{"shape": [8, 3]}}}}}}, not {_class_of(inputs)}')
    path = folder / "inputs.json"
    path.write_text(json.dumps({"format": "fakeprop.inputs/1", **inputs}), encoding="utf-8")
    return path
