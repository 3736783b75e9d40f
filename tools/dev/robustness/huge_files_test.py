#!/usr/bin/env python3
"""Propagates files of 20 GB, made of holes: huge_files_test.py FAKEPROP

Each has to take less than 2 s and 300 MB, and to read less than 50 MB of its file.
"""

import json
import os
import pathlib
import sys
import tempfile

import big_models
import measure

SECONDS, RESIDENT_MB, READ_MB = 2, 300, 50
SPEC = {"format": "fakeprop.inputs/1", "inputs": [{"shape": [16, big_models.WIDTH], "dtype": "float32"}]}
RESULT = [16, big_models.VOCABULARY]


def check(fakeprop, folder, name, write):
    path, spec, out, log = (folder / part for part in (name, "spec.json", "out.json", "log"))
    write(path)
    spec.write_text(json.dumps(SPEC))
    size = path.stat().st_size
    assert size > 20 << 30, f"{name} has {size} bytes"
    for how, given in (("by name", path), ("on standard input", "-")):
        with open(path, "rb") as file:
            command = [fakeprop, given, "--inputs", spec, "-o", out]
            with open(log, "w", encoding="utf-8") as messages:
                result = measure.run(command, stdin=file, stderr=messages)
        print(f"{name} {how}: {size / (1 << 30):.1f} GB, {result}\n{log.read_text()}")
        expect(result, out, log.read_text())
    path.unlink()


def expect(result, out, messages):
    if "which this version does not read yet" in messages:
        assert result.status == 2
        return
    assert result.status == 0
    last = [node["meta"]["val"] for node in json.loads(out.read_text())["nodes"] if node["op"] == "call_function"][-1]
    assert last["shape"] == RESULT, last
    assert result.cpu_seconds < SECONDS and result.resident_mb < RESIDENT_MB and result.read_mb < READ_MB


if __name__ == "__main__":
    binary = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as temporary:
        check(binary, pathlib.Path(temporary), "net.pt2", big_models.write_pt2)
        check(binary, pathlib.Path(temporary), "net.pt", big_models.write_torchscript)
