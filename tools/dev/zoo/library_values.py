"""Described values of a graph's nodes, compared: ours, FakeTensorProp's and eager's. Needs no torch."""

FIELDS = ("shape", "storage_offset", "dtype", "device", "layout", "requires_grad", "is_conj", "is_neg")


def by_name(entries):
    return {entry["name"]: entry["meta"]["val"] for entry in entries if "val" in entry.get("meta", {})}


def by_script_name(entries):
    """The values of a TorchScript archive's nodes, each by the name that the archive gives it."""
    values = {}
    for entry in entries:
        names, value = entry.get("torchscript", {}).get("values", []), entry.get("meta", {}).get("val")
        values.update(zip(names, value if len(names) > 1 else [value]))
    return values


def leaves(value):
    """A described value in parts: each tensor or number."""
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    if isinstance(value, dict) and value.get("type") == "dict":
        return leaves(value["items"])
    return [value]


class Comparison:
    """Whether two descriptions say the same, storages by which tensors share them."""

    def __init__(self):
        self.there, self.back = {}, {}

    def is_same(self, a, b):
        if not isinstance(a, dict) or not isinstance(b, dict) or a.get("type") != "tensor" or b.get("type") != "tensor":
            return a == b or (isinstance(a, float) and isinstance(b, (int, float)))
        return all(a.get(key) == b.get(key) for key in FIELDS) and same_strides(a, b) and self.same_storage(a, b)

    def same_storage(self, a, b):
        there, back = self.there.setdefault(a["storage"], b["storage"]), self.back.setdefault(b["storage"], a["storage"])
        return there == b["storage"] and back == a["storage"]


def same_strides(a, b):
    if 0 in a["shape"]:
        return True
    return all(x == y for size, x, y in zip(a["shape"], a["stride"], b["stride"]) if size != 1)


def differing(ours, theirs):
    """The names of nodes that both have with different values."""
    comparison, names = Comparison(), set()
    for name, value in ours.items():
        if name in theirs:
            a, b = leaves(value), leaves(theirs[name])
            if len(a) != len(b) or not all([comparison.is_same(x, y) for x, y in zip(a, b)]):
                names.add(name)
    return names


def outcome(ours, fake, eager, note=""):
    """The counts of one form, and each difference with all three answers."""
    missing = sorted(set(fake) - set(ours))
    from_fake, from_eager = differing(ours, fake), differing(ours, eager)
    result = {"values": sum(len(leaves(value)) for value in fake.values()), "eager_values": sum(len(leaves(ours[n])) for n in eager if n in ours)}
    row = lambda name: {"node": name, "ours": ours[name], "fake": fake.get(name), "eager": eager.get(name)}
    result["as_eager"] = [row(name) for name in ours if name in from_fake and name in eager and name not in from_eager][:20]
    wrong = [name for name in ours if name in from_eager or (name in from_fake and name not in eager)]
    result["wrong"] = [row(name) for name in wrong][:20] + [{"node": name, "ours": None} for name in missing[:3]]
    if note:
        result["note"] = note
    return result
