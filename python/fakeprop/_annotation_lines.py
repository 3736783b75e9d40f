"""Annotations as the core writes them, of which a part is parsed when it is looked at.

The core writes each node on a line of its own. A run of FakeTensorProp that makes values late looks at few of them.
"""

import json

_NODES = '\n  "nodes": [\n'
_STORAGES = '\n  "storages": [\n'
_END = "]\n}\n"
_NO_VALUE = '"meta": {"val": null}}'


def parsed_late(text):
    """The annotations. Those that have errors or subgraphs, or no nodes, are parsed at once."""
    if '"error": {' in text or '"subgraphs": {' in text:
        return json.loads(text)
    head, found, nodes = text.rpartition(_NODES)
    head, has_storages, storages = head.rpartition(_STORAGES)
    if not found or not has_storages or not nodes.endswith(_END):
        return json.loads(text)
    return _Annotations(head, storages, nodes.removesuffix(_END))


class _Annotations(dict):
    def __init__(self, head, storages, nodes):
        super().__init__(json.loads(head.rstrip(",") + "}"), nodes=list(map(Entry, nodes.split("\n"))))
        self._storages = storages

    def __missing__(self, key):
        if key != "storages":
            raise KeyError(key)
        self[key] = json.loads("[" + self._storages.rstrip(","))
        return self[key]


class Entry:
    """What the annotations say of one node."""

    __slots__ = ("_line", "_entry")

    def __init__(self, line):
        self._line = line
        self._entry = None

    def __getitem__(self, key):
        if self._entry is None:
            self._entry = json.loads(self._line.rstrip(","))
        return self._entry[key]

    def __contains__(self, key):
        return f'"{key}": ' in self._line and self.get(key) is not None

    def get(self, key, default=None):
        self["name"]
        return self._entry.get(key, default)


def is_without_value(entry):
    """Whether the entry, a dict or an Entry, says that the node returned None."""
    if isinstance(entry, Entry):
        return entry._line.rstrip(",").endswith(_NO_VALUE)
    return entry["meta"]["val"] is None
