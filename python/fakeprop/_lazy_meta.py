"""node.meta whose "val" is made when it is looked at."""


class LazyMeta(dict):
    """A dict with a "val" that a function makes at the first look. Copies look."""

    @classmethod
    def of(cls, meta, make):
        lazy = cls(dict.items(meta)) if isinstance(meta, LazyMeta) else cls(meta)
        dict.__setitem__(lazy, "val", None)
        lazy._make = make
        return lazy

    def _look(self):
        make, self._make = getattr(self, "_make", None), None
        if make is not None:
            dict.__setitem__(self, "val", make())

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
            self._make = None
        dict.__setitem__(self, key, value)

    def __delitem__(self, key):
        if key == "val":
            self._make = None
        dict.__delitem__(self, key)

    def pop(self, key, *default):
        if key == "val":
            self._look()
        return dict.pop(self, key, *default)

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
