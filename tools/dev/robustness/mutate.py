"""Damage to graph files and specs: of JSON by value, of anything by byte. Deterministic by the random generator given."""

import copy
import json

NUMBERS = [0, 1, -1, 2, 3, 7, 64, 255, 2**31 - 1, 2**31, -(2**31), 2**53, 2**62, 2**63 - 1, -(2**63), 2**63, 2**64, 10**30,
           0.0, -0.5, 1.5, 1e308, 5e-324]
TEXTS = ["", "x", "cpu", "cuda:7", "s0", "float32", "9" * 40, "a" * 5000, "\u0000", "\ud7ff\U0001f600", "../../etc/passwd",
         "torch.ops.aten.add.Tensor", "builtins.getattr", "os.system", "operator", "-1", "..."]
OTHERS = [None, True, False, [], {}, [[]], [None], {"": None}, [0] * 70]


def places(tree):
    """Every (container, key) of a JSON document."""
    found, rest = [], [tree]
    while rest:
        container = rest.pop()
        keys = container.keys() if isinstance(container, dict) else range(len(container))
        for key in keys:
            found.append((container, key))
            if isinstance(container[key], (dict, list)) and container[key]:
                rest.append(container[key])
    return found


def pick_place(random, tree, wanted=lambda value: True):
    """A place whose value is wanted; of equal chance by the key's name first, so that rare fields get their share."""
    by_key = {}
    for container, key in places(tree):
        if wanted(container[key]):
            by_key.setdefault(key if isinstance(key, str) else type(container[key]), []).append((container, key))
    return random.choice(random.choice(list(by_key.values()))) if by_key else None


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def change_number(random, tree):
    if place := pick_place(random, tree, is_number):
        container, key = place
        container[key] = container[key] + random.choice([1, -1]) if random.random() < 0.4 else random.choice(NUMBERS)


def change_text(random, tree):
    if place := pick_place(random, tree, lambda value: isinstance(value, str)):
        place[0][place[1]] = random.choice(TEXTS)


def change_any(random, tree):
    if place := pick_place(random, tree):
        place[0][place[1]] = copy.deepcopy(random.choice(random.choice([NUMBERS, TEXTS, OTHERS])))


def delete(random, tree):
    if place := pick_place(random, tree):
        del place[0][place[1]]


def duplicate(random, tree):
    """An element of a list once more, or a copy of one value in another's place."""
    if place := pick_place(random, tree, lambda value: isinstance(value, list) and value):
        items = place[0][place[1]]
        items.insert(random.randrange(len(items) + 1), copy.deepcopy(random.choice(items)))


def swap(random, tree):
    """Two values of one kind change places."""
    place = pick_place(random, tree)
    other = place and pick_place(random, tree, lambda value: type(value) is type(place[0][place[1]]))
    if other and not isinstance(place[0][place[1]], (dict, list)):
        (a, i), (b, j) = place, other
        a[i], b[j] = b[j], a[i]


def change_operator(random, tree, operators):
    """Another operator for some node: its arguments are then of any kind."""
    if place := pick_place(random, tree, lambda value: isinstance(value, str) and value.startswith("torch.ops.")):
        name = random.choice(operators)
        place[0][place[1]] = "torch.ops." + name.replace("::", ".") + ("" if "." in name else ".default")


def mutate_json(random, text, operators):
    tree = json.loads(text)
    kinds = [change_number, change_number, change_text, change_any, delete, duplicate, swap]
    for _ in range(random.choice([1, 1, 1, 2, 3, 8])):
        if operators and random.random() < 0.3:
            change_operator(random, tree, operators)
        else:
            random.choice(kinds)(random, tree)
    return json.dumps(tree).encode()


def mutate_bytes(random, data):
    data = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 5])):
        if not data:
            break
        at = random.randrange(len(data))
        kind = random.randrange(6)
        if kind == 0:
            data[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            data[at] = random.choice(b'\x00\xff[]{}",:0-.e\\\n')
        elif kind == 2:
            del data[at : at + random.choice([1, 4, 1000])]
        elif kind == 3:
            data[at:at] = data[at : at + random.choice([1, 4, 1000])]
        elif kind == 4:
            del data[at:]
        else:
            data[at:at] = bytes(random.randrange(256) for _ in range(4))
    return bytes(data)
