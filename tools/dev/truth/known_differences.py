"""The lists of known differences, lib/rules/compare/{meant,open}.txt: meant.txt explains their form."""

import collections
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "lib/rules/compare"

KnownDifference = collections.namedtuple("KnownDifference", "subject against what reason")


def known_differences(name):
    """The lines of `meant` or `open`."""
    lines = [line for line in (FOLDER / f"{name}.txt").read_text().splitlines() if line and line[0] != "#"]
    return [parsed(line) for line in lines]


def parsed(line):
    subject, kind, reason = line.split("\t")
    against, _, what = kind.partition(" ")
    return KnownDifference(subject, against, what, reason)


def line_of(difference):
    return f"{difference.subject}\t{difference.against} {difference.what}\t{difference.reason}"
