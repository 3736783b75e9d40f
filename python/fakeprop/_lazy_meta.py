"""node.meta whose "val" is made when it is looked at."""


_set = dict.__setitem__


def set_lazily(late, values):
    """Has the "val" of each of these nodes made by values.of_node(what stands beside it)."""
    set_attribute = object.__setattr__  # Node's own looks for the node in its graph's table first
    for node, of_node in late:
        meta = node.meta
        lazy = LazyMeta(dict.items(meta) if type(meta) is LazyMeta else meta)
        _set(lazy, "val", None)
        lazy._values, lazy._of_node = values, of_node
        set_attribute(node, "meta", lazy)


class LazyMeta(dict):
    """A dict with a "val" that is made at the first look. Copies look."""

    __slots__ = ("_of_node", "_values")

    def _look(self):
        values, self._values = self._values, None
        if values is not None:
            _set(self, "val", values.of_node(self._of_node)[0])

    def __getitem__(self, key):
        if key == "val":
            self._look()
        return dict.__getitem__(self, key)

    def get(self, key, default=None):
        if key == "val":
            self._look()
        return dict.get(self, key, default)

    def __setitem__(self, key, value):
        if key == "val":
            self._forget()
        _set(self, key, value)

    def __delitem__(self, key):
        if key == "val":
            self._forget()
        dict.__delitem__(self, key)

    def pop(self, key, *default):
        if key == "val":
            self._look()
            self._forget()
        return dict.pop(self, key, *default)

    def popitem(self):
        self._look()
        self._forget()
        return dict.popitem(self)

    def clear(self):
        self._forget()
        dict.clear(self)

    def _forget(self):
        """The "val" is somebody else's from now on."""
        self._values = None
        self.__class__ = WrittenMeta

    def update(self, *given, **more):
        for key, value in dict(*given, **more).items():
            self[key] = value

    def setdefault(self, key, default=None):
        if key == "val":
            self._look()
        return dict.setdefault(self, key, default)

    # Whatever goes over all items looks first. dict(meta) asks for an iterator where a class has one of its own.

    def __iter__(self):
        return dict.__iter__(self)

    def items(self):
        self._look()
        return dict.items(self)

    def values(self):
        self._look()
        return dict.values(self)

    def copy(self):
        self._look()
        return dict(dict.items(self))

    __copy__ = copy

    def __reduce__(self):
        return dict, (self.copy(),)

    def __eq__(self, other):
        self._look()
        return dict.__eq__(self, other)

    __hash__ = None

    def __repr__(self):
        self._look()
        return dict.__repr__(self)

    def __ior__(self, other):
        self.update(other)
        return self


class WrittenMeta(LazyMeta):
    """A LazyMeta whose "val" was written or removed."""

    __slots__ = ()
