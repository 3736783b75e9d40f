#!/usr/bin/env python3
"""Files that are damaged, or made to do harm: bad_files_test.py FAKEPROP

Each has to end in exit status 2 with one diagnostic, within bounds of time and memory, and to leave nothing behind.
"""

import gzip
import io
import json
import os
import pathlib
import pickle
import struct
import subprocess
import sys
import tempfile
import zlib

import big_models
import measure
from zip_writer import ZipWriter

SECONDS, RESIDENT_MB = 10, 800
CUTS = 50


def archive(members, **last):
    """A zip of (name, bytes) pairs; `last` goes to the writer for the last of them."""
    file = io.BytesIO()
    writer = ZipWriter(file)
    for name, data in members[:-1]:
        writer.add(name, data)
    writer.add(*members[-1], **last)
    writer.close()
    return file.getvalue()


def small_model(write):
    """An archive without weights to speak of."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "net")
        write(path)
        return path.read_bytes()


def deflated(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


class Harm:
    """Unpickled by Python, this runs a command."""

    def __reduce__(self):
        return os.system, ("touch harm_was_done",)


# Pickles that no model needs.
PICKLES = {
    "of os.system": lambda: pickle.dumps(Harm(), 2),
    "of os.system, protocol 4": lambda: pickle.dumps(Harm(), 4),
    "of builtins.eval": lambda: b"\x80\x02cbuiltins\neval\n(X\x04\0\0\0exittR.",
    "of getattr": lambda: b"\x80\x02cbuiltins\ngetattr\n(cos\npath\nX\x04\0\0\0jointR.",
    "of torch.load": lambda: b"\x80\x02ctorch\nload\n(X\x01\0\0\0xtR.",
    "by INST": lambda: b"(S'touch harm_was_done'\nios\nsystem\n.",
    "nested deeply": lambda: b"\x80\x02" + b"]" * 2_000_000 + b"a" * 1_999_999 + b".",
    "nested deeply in tuples": lambda: b"\x80\x02N" + b"\x85" * 2_000_000 + b".",
    "with marks alone": lambda: b"\x80\x02" + b"(" * 30_000_000 + b".",
    "that grows by its memo": lambda: memo_bomb(),
    "that grows by copies": lambda: b"\x80\x02N" + b"2" * 30_000_000 + b".",
    "of a long string that is not there": lambda: b"\x80\x04\x8d" + struct.pack("<Q", 1 << 62) + b"x.",
    "of nothing": lambda: b"",
}


def memo_bomb():
    """Each list holds the one before ten times."""
    level = b"]" + b"(" + b"h\0" * 10 + b"e" + b"q\0"
    return b"\x80\x02]q\0" + level * 100_000 + b"."


def pt2_with_constants(data):
    """A .pt2 of the layout of torch 2.8, whose constants are pickled by torch.save."""
    saved = archive([("archive/data.pkl", data), ("archive/data/0", bytes(8))])
    graph = json.dumps(big_models.graph_json()).encode()
    return archive([("net/models/model.json", graph), ("net/data/constants/model.pt", saved)])


def torchscript(data_pickle, code=b"class Net(Module):\n  pass\n"):
    return archive([("net/data.pkl", data_pickle), ("net/code/__torch__.py", code), ("net/constants.pkl", b"\x80\x02)."), ("net/version", b"3\n")])


def enums(count):
    """A module whose attribute is a value of an enum of a value of an enum ..."""
    code = (b"class E(Enum):\n  A = 1\nclass Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  e : __torch__.E\n"
            b"  def forward(self: __torch__.Net) -> int:\n    return 1\n")
    value = b"c__torch__\nE\n" * count + b"K\x01" + b"R" * count
    return torchscript(b"\x80\x02c__torch__\nNet\n)\x81}X\x01\0\0\0e" + value + b"sb.", code)


def bomb(**claims):
    spaces = 300 << 20
    return archive([("net/models/model.json", b"")], packed=deflated(b" " * spaces), crc=0, **{"size": spaces} | claims)


def good_members():
    return [("net/archive_format", b"pt2"), ("net/models/model.json", json.dumps(big_models.graph_json()).encode())]


def graph_text():
    return json.dumps(big_models.graph_json())


def million_nodes():
    """A graph in one line, a million nodes long, whose last node is a number."""
    first = json.dumps(big_models.graph_json()["graph_module"]["graph"]["nodes"][0])
    node = '{"target": "torch.ops.aten.relu.default", "inputs": [], "outputs": [], "metadata": {}}'
    return graph_text().replace(first, ", ".join([node] * 1_000_000) + ", 5", 1).encode()


# What is to be refused.
FILES = {
    "a wrong checksum": lambda: archive(good_members(), crc=1),
    "an absolute member": lambda: archive([("/etc/passwd", b"x"), *good_members()]),
    "a member that climbs": lambda: archive([("net/../../x", b"x"), *good_members()]),
    "a member twice": lambda: archive([*good_members(), good_members()[1]]),
    "a size beyond the file": lambda: archive(good_members(), size=1 << 40),
    "a size beyond int64": lambda: archive(good_members(), size=(1 << 64) - 1),
    "a bomb": bomb,
    "a bomb that says it is small": lambda: bomb(size=1000),
    "a member packed to nothing": lambda: archive([("net/models/model.json", b"")], packed=b"\x03", size=1 << 33),
    "many members": lambda: archive([(f"net/{i}", b"") for i in range(300_000)]),
    "lists nested deeply": lambda: b"[" * 10_000_000,
    "objects nested deeply": lambda: b'{"a":' * 2_000_000,
    "lists nested deeply in a graph": lambda: graph_text().replace("[]", "[" * 100_000 + "]" * 100_000, 1).encode(),
    "a long number": lambda: graph_text().replace('"as_int": 16', '"as_int": ' + "9" * 1_000_000, 1).encode(),
    "a million nodes in one line": million_nodes,
    "gzip of gzip": lambda: gzip.compress(gzip.compress(graph_text().encode())),
    "gzip of spaces": lambda: gzip.compress(b" " * (200 << 20)),
}


def files():
    """Every file that is to be refused, and what makes it."""
    yield from FILES.items()
    for kind, write in (("pt2", big_models.write_pt2), ("TorchScript", big_models.write_torchscript)):
        for i in range(CUTS):
            yield f"a {kind} archive cut off at {i}/{CUTS}", lambda: (data := small_model(write))[: len(data) * i // CUTS]
    for name, make in PICKLES.items():
        yield f"TorchScript with a pickle {name}", lambda: torchscript(make())


class Checker:
    def __init__(self, fakeprop, folder):
        self.fakeprop, self.folder, self.count, self.wrong = fakeprop, folder, 0, 0

    def run(self, make):
        path, log = self.folder / "file", self.folder / "log"
        if (child := os.fork()) == 0:  # what is made must not count as memory of the program, which inherits the peak of this process
            path.write_bytes(make())
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        with open(log, "wb") as out:
            result = measure.run([self.fakeprop, path], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=out)
        return result, log.read_text(errors="replace")

    def expect(self, name, holds, result, log):
        self.count += 1
        if holds and result.cpu_seconds < SECONDS and result.resident_mb < RESIDENT_MB and not (self.folder / "harm_was_done").exists():
            return
        self.wrong += 1
        print(f"WRONG: {name}: {result}\n  {log[:300]}")

    def refused(self, name, make):
        result, log = self.run(make)
        errors = [line for line in log.splitlines() if line.startswith("error[")]
        self.expect(name, result.status == 2 and len(errors) == 1 and "FP9001" not in log, result, log)

    def survives(self, name, make):
        """What is well formed where it counts: read, or refused."""
        result, log = self.run(make)
        self.expect(name, result.status in (0, 2) and "FP9001" not in log, result, log)


def main(fakeprop):
    big_models.make_small()
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as temporary:
        checker = Checker(os.path.abspath(fakeprop), pathlib.Path(temporary))
        for name, make in files():
            checker.refused(name, make)
        # Constants that cannot be read leave their elements unknown; nothing of them is built either.
        for name, make in PICKLES.items():
            checker.survives(f".pt2 with a pickle {name}", lambda make=make: pt2_with_constants(make()))
        checker.survives("TorchScript with enums nested deeply", lambda: enums(1_000_000))
        print(f"{checker.count} files, {checker.wrong} wrong")
        return 1 if checker.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
