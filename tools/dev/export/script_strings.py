"""Modules for export_scripts.py whose code works on strings: each answer decides a size."""

from typing import List

import torch
from torch import nn

from script_case import case

TEXTS = ["", "a", "Hello World", "a,b,,c", " x\ty \n", "abcabc", "A1b", "aaa", "1a", "\x1e\x85", "it's"]


def digest(text: str) -> int:
    n = len(text)
    for c in text:
        n = (31 * n + ord(c)) % 1009
    return n


def digests(texts: List[str]) -> int:
    return digest(str(len(texts)) + "|" + "|".join(texts))


class Texts(nn.Module):
    def __init__(self):
        super().__init__()
        self.texts: List[str] = TEXTS


@case((1,), name="string_changes")
class StringChanges(Texts):
    def forward(self, x):
        found: List[torch.Tensor] = []
        for s in self.texts:
            fields = [s.ljust(6, "."), s.rjust(6, "."), s.center(6), s.center(7, "*"), s.zfill(5), s.expandtabs(), s.expandtabs(3), s.expandtabs(0)]
            cases = [s.lower(), s.upper(), s.swapcase(), s.capitalize(), s.title()]
            edges = [s.strip(), s.lstrip(), s.rstrip(), s.strip("a "), s.lstrip("ab"), s.rstrip("c\n")]
            replaced = [s.replace("a", "--"), s.replace("a", "", 1), s.replace(",", ";", 0), s.replace("aa", "a")]
            found.append(x.new_zeros([digests(fields), digests(cases), digests(edges), digests(replaced), 0]))
        return found


@case((1,), name="string_parts")
class StringParts(Texts):
    def forward(self, x):
        found: List[torch.Tensor] = []
        for s in self.texts:
            splits = [digests(s.split()), digests(s.split(",")), digests(s.split(",", 1)), digests(s.split(None, 1)), digests(s.split("a", 0))]
            reverse = [digests(s.rsplit()), digests(s.rsplit(",")), digests(s.rsplit(",", 1)), digests(s.rsplit("aa"))]
            lines = [digests(s.splitlines()), digests(s.splitlines(True))]
            a, b, c = s.partition("a")
            d, e, f = s.rpartition("a")
            slices = [s[1:3], s[-2:], s[::-1], s[::2], s[4:0:-2], s[2:1], s[-10:10]]
            found.append(x.new_zeros(splits + [0]))
            found.append(x.new_zeros(reverse + lines + [0]))
            found.append(x.new_zeros([digests([a, b, c]), digests([d, e, f]), digests(slices), digests(list(s)), 0]))
        return found


@case((1,), name="string_searches")
class StringSearches(Texts):
    def forward(self, x):
        found: List[torch.Tensor] = []
        for s in self.texts[1:]:
            places = [s.find("a"), s.find("a", 1), s.find("b", -2), s.find("c", 0, -2), s.find("b", 1, 2), s.find(""), s.find("z")]
            last = [s.rfind("a"), s.rfind("aa"), s.rfind("b", 0, 3), s.rfind(""), s.rfind("z", 0)]
            counts = [s.count("a"), s.count("a", 1), s.count("aa"), s.count("b", 0, 4), s.count("b", -2), s.count("l", 100)]
            edges = [s.startswith("a"), s.startswith("b", len(s) // 2), s.endswith("c"), s.endswith("b", 0, 2), s.endswith("ab", 0, -2), s.startswith("a", 0, 0)]
            kinds = [s.istitle(), s.isidentifier(), s.isprintable(), s.isalnum(), s.isspace(), s.islower(), s.isupper(), s.isalpha(), s.isdecimal()]
            n = 0
            for holds in edges + kinds:
                n = 2 * n + int(holds)
            found.append(x.new_zeros([place + 1 for place in places + last] + [0]))
            found.append(x.new_zeros(counts + [n % 1009, n // 1009, 0]))
        text = self.texts[5]
        found.append(x.new_zeros([text.index("c"), text.rindex("c"), text.index("b", 2), 0]))
        return found


@case((1,), name="string_missing", error="\"z\" is not in the string")
class StringMissing(nn.Module):
    def forward(self, x):
        return x.new_zeros(["abc".index("z")])


@case((1,), name="texts_of_values")
class TextsOfValues(nn.Module):
    def __init__(self):
        super().__init__()
        self.numbers: List[float] = [0.5, 1.0, -3.0, 1e10, 1e19, 0.1, 1e-5, 123456.789]

    def forward(self, x):
        found: List[torch.Tensor] = []
        for v in self.numbers:
            found.append(x.new_zeros([digests([str(v), "{}".format(v), "%s" % v, "%f" % v, "%e" % v, "%E" % v, "%d" % v, str([v]), str((v,)), str({"k": v})]), 0]))
        mixed = [str(True), str(None), str((1, "a")), str(["a", "b"]), "%d%% of %i" % (3, 4), "%c%c" % (97, "b"), "%s" % ["a"], "{}-{}".format("a", [1, 2]), "{}".format(1, 2), str(1 + 2j)]
        bases = [hex(255), hex(-10), oct(8), bin(-5), bin(0), str(int("-12")), str(float("1.5"))]
        found.append(x.new_zeros([digests(mixed), digests(bases), 0]))
        return found
