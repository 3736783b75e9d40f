"""The commands of the program as functions."""

import contextlib
import json
import os
import pathlib
import sys
import tempfile

from fakeprop._annotations import Annotations
from fakeprop._program import FakepropError, PropagationError, first_line, run


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
    arguments = [*(["--keep-going"] if keep_going else []), *options]
    with _files(graph, inputs) as files:
        status, output, said = run(["propagate", *files, *arguments])
    annotations = Annotations.from_json(output)
    if status and on_error == "raise":
        first = annotations.errors[0]
        raise PropagationError(f"node `{first.name}`: {first.error['message']}", said, annotations)
    return annotations


def lint(graph, inputs=None, *, options=()):
    """The findings of `fakeprop lint`, as the dict of its --format json (docs/lint.schema.json)."""
    with _files(graph, inputs) as files:
        return json.loads(run(["lint", *files, "--format=json", *options])[1])


def prove(graph, inputs=None, *, options=()):
    """The verdict of `fakeprop prove`, as the dict of its --format json (docs/prove.schema.json)."""
    with _files(graph, inputs) as files:
        return json.loads(run(["prove", *files, "--format=json", *options])[1])


def memory(graph, inputs=None, *, sizes=None, options=()):
    """What `fakeprop memory` counts, as the dict of its --format json (docs/memory.schema.json).

    `sizes` has numbers for symbols: {"batch": 8}.
    """
    with _files(graph, inputs) as files:
        return json.loads(run(["memory", *files, "--format=json", *_settings(sizes), *options])[1])


def cost(graph, inputs=None, *, sizes=None, options=()):
    """What `fakeprop cost` counts, as the dict of its --format json (docs/cost.schema.json). `sizes` is as for `memory`."""
    with _files(graph, inputs) as files:
        return json.loads(run(["cost", *files, "--format=json", *_settings(sizes), *options])[1])


def contract(graph, inputs=None, *, options=()):
    """What the graph demands of its callers, as the dict of `fakeprop contract --format json` (docs/contract.schema.json)."""
    with _files(graph, inputs) as files:
        return json.loads(run(["contract", *files, "--format=json", *options])[1])


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
        return json.loads(run(["diff", *files, "--format=json", *options])[1])


def refine(annotations, sizes):
    """The annotations for these numbers of their symbols: {"batch": 8}.

    `annotations` are Annotations or a path. Raises FakepropError for a number outside of its range, and if a guard does not
    hold.
    """
    with tempfile.TemporaryDirectory(prefix="fakeprop-") as folder:
        file = _annotations_file(annotations, pathlib.Path(folder)) if isinstance(annotations, Annotations) else annotations
        status, refined, said = run(["refine", file, *_settings(sizes)])
    if status:
        raise FakepropError(first_line(said), said)
    return Annotations.from_json(refined)


def _settings(sizes):
    return [f"--set={name}={size}" for name, size in (sizes or {}).items()]


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
        return graph
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
        f"{type(graph).__module__}.{type(graph).__qualname__}; torch.export.export(model, args) makes one of an nn.Module"
    )


def _saved(save, graph, path):
    save(graph, str(path))
    return path


def _spec_file(inputs, folder):
    if isinstance(inputs, (str, os.PathLike)):
        return inputs
    path = folder / "inputs.json"
    path.write_text(json.dumps({"format": "fakeprop.inputs/1", **inputs}), encoding="utf-8")
    return path
