"""The core in this process: the library for C by its interface (fakeprop/c_api.h)."""

import collections
import ctypes
import functools
import json
import os
import pathlib
import sys

from fakeprop._program import LIBRARY_SUFFIX, UsageError, first_line

_VERSION = 4  # FAKEPROP_C_API_VERSION
_LIBRARY = ("fakeprop" if sys.platform == "win32" else "libfakeprop") + LIBRARY_SUFFIX


class _Options(ctypes.Structure):
    _fields_ = [
        ("inputs", ctypes.c_char_p),
        ("op_rules", ctypes.c_char_p),
        ("keep_going", ctypes.c_int),
        ("no_grad", ctypes.c_int),
        ("concrete", ctypes.c_int),
        ("use_libtorch", ctypes.c_int),
    ]


class _Values(ctypes.Structure):
    _fields_ = [("numbers", ctypes.c_void_p), ("count", ctypes.c_size_t), ("names", ctypes.c_char_p),
                ("expressions", ctypes.c_char_p), ("symbols", ctypes.c_char_p)]


PlainAnswer = collections.namedtuple("PlainAnswer", "numbers names expressions conditions")


class _FxObjects(ctypes.Structure):
    _fields_ = [(name, ctypes.py_object) for name in ("nodes", "kinds", "target", "describe", "inputs", "rest")]


class _FxInputs(ctypes.Structure):
    _fields_ = [(name, ctypes.py_object) for name in ("values", "describe", "rest", "mode", "constants", "names")]


def find_library():
    """The path of the library: FAKEPROP_LIBRARY if it is set, else that of this package."""
    named = os.environ.get("FAKEPROP_LIBRARY")
    path = pathlib.Path(named) if named else pathlib.Path(__file__).with_name(_LIBRARY)
    if not path.is_file():
        raise UsageError(f"there is no {path}: install fakeprop again, or set FAKEPROP_LIBRARY to a {_LIBRARY}")
    return str(path)


@functools.cache
def library():
    """The library, opened at the first call. Raises UsageError if it is not there or of another version."""
    library = ctypes.CDLL(find_library())
    text, graph, annotations, said = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)
    for name, result, parameters in [
        ("fakeprop_c_api_version", ctypes.c_int, []),
        ("fakeprop_free_text", None, [text]),
        ("fakeprop_read_graph", graph, [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, said]),
        ("fakeprop_free_graph", None, [graph]),
        ("fakeprop_input_spec", text, [graph]),
        ("fakeprop_annotate", annotations, [graph, ctypes.POINTER(_Options), said]),
        ("fakeprop_free_annotations", None, [annotations]),
        ("fakeprop_annotations_json", text, [annotations]),
        ("fakeprop_annotations_values", ctypes.POINTER(_Values), [annotations]),
    ]:
        function = getattr(library, name)
        function.restype, function.argtypes = result, parameters
    if library.fakeprop_c_api_version() != _VERSION:
        raise UsageError(f"{find_library()} is of another version of fakeprop than this package")
    return library


@functools.cache
def _on_objects():
    """The library for functions that read Python's objects. They run with Python's lock, and may raise."""
    library, said = ctypes.PyDLL(find_library()), ctypes.POINTER(ctypes.c_void_p)
    library.fakeprop_read_fx.restype = library.fakeprop_annotate_fx.restype = ctypes.c_void_p
    library.fakeprop_read_fx.argtypes = [ctypes.POINTER(_FxObjects), ctypes.c_char_p, said]
    library.fakeprop_annotate_fx.argtypes = [ctypes.c_void_p, ctypes.POINTER(_FxInputs), ctypes.c_int, said]
    return library


class Graph:
    """A graph that was read from the bytes of a file of any kind. Raises UsageError if they cannot be read."""

    def __init__(self, content, name="graph"):
        said = ctypes.c_void_p()
        self._graph = library().fakeprop_read_graph(content, len(content), name.encode(), ctypes.byref(said))
        if not self._graph:
            raise _usage_error(said)

    @classmethod
    def of_objects(cls, objects, name="graph"):
        """A graph of torch.fx. `objects` has the values of FxObjects in lib/api/fx_objects.h, by name."""
        said = ctypes.c_void_p()
        graph = cls.__new__(cls)
        graph._graph = _on_objects().fakeprop_read_fx(ctypes.byref(_FxObjects(**objects)), name.encode(), ctypes.byref(said))
        if not graph._graph:
            raise _usage_error(said)
        return graph

    def __del__(self):
        if getattr(self, "_graph", None):
            library().fakeprop_free_graph(self._graph)

    def input_spec(self):
        """A spec to start from, as a dict."""
        return json.loads(_take(library().fakeprop_input_spec(self._graph)))

    def propagate(self, inputs=None, **options):
        """The annotations as a dict, errors of nodes included, and what the program would say of them on stderr.

        The arguments are those of `annotate`.
        """
        answer = self.annotate(inputs, **options)
        return answer.annotations(), answer.said

    def annotate(self, inputs=None, *, op_rules=None, keep_going=False, no_grad=False, concrete=False, use_libtorch=False):
        """What the core answers, as an Answer.

        `inputs` is a spec and `op_rules` are rules for custom operators, both as dicts or as JSON. Raises UsageError if they
        are malformed or do not fit the graph.
        """
        options = _Options(_json(inputs), _json(op_rules), keep_going, no_grad, concrete, use_libtorch)
        said = ctypes.c_void_p()
        annotations = library().fakeprop_annotate(self._graph, ctypes.byref(options), ctypes.byref(said))
        if not annotations:
            raise _usage_error(said)
        return Answer(annotations, _take(said.value))

    def annotate_objects(self, inputs, *, no_grad=False):
        """As `annotate`, past nodes with errors. `inputs` has the values of FxInputs in lib/api/fx_inputs.h, in order."""
        said = ctypes.c_void_p()
        annotations = _on_objects().fakeprop_annotate_fx(self._graph, ctypes.byref(_FxInputs(*inputs)), no_grad, ctypes.byref(said))
        if not annotations:
            raise _usage_error(said)
        return Answer(annotations, _take(said.value))


class Answer:
    """Annotations in the core's memory. `said` is what the program would say of errors on stderr."""

    def __init__(self, annotations, said):
        self._annotations = annotations
        self.said = said

    def __del__(self):
        library().fakeprop_free_annotations(self._annotations)

    def annotations(self):
        """All of it, as a dict (fakeprop.annotations/1)."""
        return json.loads(_take(library().fakeprop_annotations_json(self._annotations)))

    def values(self):
        """The values as a memoryview of integers, laid out as fakeprop/c_api.h says, with what they refer to; or None.

        The conditions are the symbols and guards as in the annotations, or nothing.
        """
        found = library().fakeprop_annotations_values(self._annotations)
        if not found:
            return None
        values = found.contents
        numbers = ctypes.string_at(values.numbers, 8 * values.count)
        names, expressions = values.names.decode().splitlines(), values.expressions.decode().splitlines()
        return PlainAnswer(memoryview(numbers).cast("q"), names, expressions, json.loads(values.symbols) if values.symbols else {})


def _take(text):
    if not text:
        return ""
    try:
        return ctypes.string_at(text).decode()
    finally:
        library().fakeprop_free_text(text)


def _usage_error(said):
    text = _take(said.value)
    return UsageError(first_line(text), text)


def _json(value):
    if value is None:
        return None
    return (value if isinstance(value, str) else json.dumps(value)).encode()
