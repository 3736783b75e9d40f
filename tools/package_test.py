#!/usr/bin/env python3
"""The wheel and the tarball of tools/package: installs them into an empty folder and uses them.

    package_test.py PACKAGE PROGRAM GRAPH
"""

import csv
import hashlib
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

PACKAGE, PROGRAM, GRAPH = (os.path.abspath(path) for path in sys.argv[1:4])


def build(folder):
    subprocess.run([sys.executable, PACKAGE, "--program", PROGRAM, "--out", folder], check=True, stdout=subprocess.DEVNULL)
    return {path.name: path for path in pathlib.Path(folder).iterdir()}


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.files = build(os.path.join(cls.folder.name, "dist"))
        cls.wheel = next(path for name, path in cls.files.items() if name.endswith(".whl"))
        cls.installed = os.path.join(cls.folder.name, "installed")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check"]
        subprocess.run([*pip, "--target", cls.installed, str(cls.wheel)], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def python(self, code):
        environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": self.installed}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_same_program_gives_the_same_bytes(self):
        for name, path in build(os.path.join(self.folder.name, "again")).items():
            self.assertEqual(path.read_bytes(), self.files[name].read_bytes(), name)

    def test_sums_are_those_of_the_files(self):
        for line in self.files["SHA256SUMS"].read_text().splitlines():
            digest, name = line.split("  ")
            self.assertEqual(hashlib.sha256(self.files[name].read_bytes()).hexdigest(), digest)

    def test_record_lists_every_file(self):
        with zipfile.ZipFile(self.wheel) as archive:
            record = next(name for name in archive.namelist() if name.endswith("/RECORD"))
            rows = list(csv.reader(archive.read(record).decode().splitlines()))
            self.assertEqual({row[0] for row in rows}, set(archive.namelist()))

    def test_wheel_is_small(self):
        self.assertLess(self.wheel.stat().st_size, 8 << 20)

    def test_program_of_the_wheel_runs(self):
        said = subprocess.run([os.path.join(self.installed, "bin", "fakeprop"), "--version"], capture_output=True, text=True, check=True)
        self.assertRegex(said.stdout, r"^fakeprop \d+\.\d+\.\d+\n")

    def test_module_runs_the_program(self):
        environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": self.installed}
        done = subprocess.run([sys.executable, "-m", "fakeprop", "--nonsense"], env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--nonsense", done.stderr)

    def test_tarball_holds_the_program(self):
        name = next(name for name in self.files if name.endswith(".tar.gz"))
        with tarfile.open(self.files[name]) as archive:
            member = next(m for m in archive.getmembers() if m.name.endswith("/fakeprop"))
            self.assertEqual(member.mode, 0o755)

    def test_propagates_a_file(self):
        code = f"""
import fakeprop
annotations = fakeprop.propagate({GRAPH!r})
node = annotations["conv2d"]
print(node.target, node.value.shape, node.value.dtype, annotations.errors)
"""
        self.assertEqual(self.python(code), "torch.ops.aten.conv2d.default (2, 16, 32, 32) float32 []\n")

    def test_takes_a_spec_as_a_dict(self):
        code = f"""
import fakeprop
try:
    fakeprop.propagate({GRAPH!r}, {{"inputs": {{"image": {{"shape": [2, 5, 64, 64]}}}}}})
except fakeprop.PropagationError as error:
    print(error.annotations.errors[0].error["code"], "error[" in error.diagnostics)
print(len(fakeprop.propagate({GRAPH!r}, {{"inputs": {{"image": {{"shape": [2, 5, 64, 64]}}}}}}, on_error="return").errors))
"""
        self.assertRegex(self.python(code), r"^FP\d{4} True\n1\n$")

    def test_wrong_use_is_an_exception(self):
        code = """
import fakeprop
for graph in "/no/such/file", 3:
    try:
        fakeprop.propagate(graph)
    except (fakeprop.UsageError, TypeError) as error:
        print(type(error).__name__, error)
"""
        lines = self.python(code).splitlines()
        self.assertIn("UsageError error[FP1001]: cannot read `/no/such/file`", lines[0])
        self.assertIn("TypeError a graph is a path", lines[1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
