#!/usr/bin/env python3
"""The wheel and the tarball of tools/package: installs them into an empty folder and uses them.

    package_test.py PACKAGE PROGRAM LIBRARY GRAPH
"""

import csv
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

PACKAGE, PROGRAM, LIBRARY, GRAPH = (os.path.abspath(path) for path in sys.argv[1:5])
ROOT = pathlib.Path(PACKAGE).parent.parent
STEPS = sorted((ROOT / "tools/package_steps").glob("*.py"))


def build(folder):
    arguments = ["--program", PROGRAM, "--library", LIBRARY, "--out", folder]
    subprocess.run([sys.executable, PACKAGE, *arguments], check=True, stdout=subprocess.DEVNULL)
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

    def test_version_is_that_of_the_bazel_module(self):
        version = self.wheel.name.split("-")[1]
        self.assertIn(f'version = "{version}",', (ROOT / "MODULE.bazel").read_text())

    def test_record_lists_every_file(self):
        with zipfile.ZipFile(self.wheel) as archive:
            record = next(name for name in archive.namelist() if name.endswith("/RECORD"))
            rows = list(csv.reader(archive.read(record).decode().splitlines()))
            self.assertEqual({row[0] for row in rows}, set(archive.namelist()))

    def test_program_of_the_wheel_runs(self):
        said = subprocess.run([os.path.join(self.installed, "bin", "fakeprop"), "--version"], capture_output=True, text=True, check=True)
        self.assertRegex(said.stdout, r"^fakeprop \d+\.\d+\.\d+\n")

    def test_module_runs_the_program(self):
        environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": self.installed}
        done = subprocess.run([sys.executable, "-m", "fakeprop", "--nonsense"], env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--nonsense", done.stderr)

    def test_tarball_holds_the_program_and_the_library(self):
        name = next(name for name in self.files if name.endswith(".tar.gz"))
        with tarfile.open(self.files[name]) as archive:
            modes = {m.name.partition("/")[2]: m.mode for m in archive.getmembers()}
        executable, text = 0o755, 0o644
        self.assertEqual(modes, {"fakeprop": executable, "lib/libfakeprop.so": executable, "include/fakeprop/c_api.h": text,
                                 "LICENSE": text, "NOTICE": text, "README.md": text, "CHANGELOG.md": text})

    def test_source_distribution_gives_itself(self):
        tree = pathlib.Path(self.folder.name, "tree")
        names = ["README.md", "lib/base/version.h", "tools/package", *(f"tools/package_steps/{path.name}" for path in STEPS)]
        for name in names:
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
        (tree / "SOURCES.txt").write_text("".join(f"{name}\n" for name in names))
        archive = self.source_of(tree, "first")
        with tarfile.open(archive) as opened:
            opened.extractall(self.folder.name)
            inner = [pathlib.Path(name) for name in opened.getnames()]
        self.assertEqual({str(path.relative_to(inner[0].parts[0])) for path in inner}, {*names, "PKG-INFO", "SOURCES.txt"})
        unpacked = pathlib.Path(self.folder.name, inner[0].parts[0])
        self.assertTrue(os.access(unpacked / "tools/package", os.X_OK))
        self.assertEqual(self.source_of(unpacked, "second").read_bytes(), archive.read_bytes())

    def source_of(self, tree, folder):
        out = pathlib.Path(self.folder.name, folder)
        subprocess.run([sys.executable, tree / "tools/package", "--source", "--out", out], check=True, stdout=subprocess.DEVNULL)
        return next(out.glob("fakeprop-*.tar.gz"))

    def test_library_runs_in_this_process(self):
        code = f"""
from fakeprop._core import Graph
graph = Graph(open({GRAPH!r}, "rb").read(), "graph.json")
annotations, said = graph.propagate({{"format": "fakeprop.inputs/1", "inputs": {{"image": {{"shape": [2, 5, 64, 64]}}}}}})
print(len(graph.input_spec()["inputs"]), sum("error" in node for node in annotations["nodes"]), said.partition("[")[0])
"""
        self.assertEqual(self.python(code), "1 1 error\n")

    def test_library_needs_libc_and_libm_alone(self):
        said = subprocess.run(["ldd", os.path.join(self.installed, "fakeprop", "libfakeprop.so")], capture_output=True, text=True, check=True)
        needed = {line.split()[0].partition(".so")[0] for line in said.stdout.splitlines()}
        self.assertLessEqual(needed, {"linux-vdso", "libc", "libm", "/lib64/ld-linux-x86-64", "/lib/ld-linux-aarch64"})

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

    def test_all_commands(self):
        code = f"""
import fakeprop
spec = {{"inputs": {{"image": {{"shape": ["n", 3, 64, 64]}}}}, "symbols": {{"n": {{"min": 1, "max": 9, "hint": 2}}}}}}
symbolic = fakeprop.propagate({GRAPH!r}, spec)
at_5 = fakeprop.refine(symbolic, {{"n": 5}})
print(at_5["conv2d"].value.shape, "<td>float32[5, 16, 32, 32] on cpu</td>" in at_5._repr_html_())
print(fakeprop.lint({GRAPH!r})["format"], fakeprop.memory({GRAPH!r}, spec, sizes={{"n": 4}})["format"])
print(fakeprop.cost({GRAPH!r}, spec, sizes={{"n": 4}})["format"], fakeprop.contract({GRAPH!r})["format"])
print(fakeprop.diff({GRAPH!r}, {GRAPH!r})["format"], fakeprop.diff(at_5, fakeprop.refine(symbolic, {{"n": 6}}))["format"])
try:
    fakeprop.refine(symbolic, {{"n": 10}})
except fakeprop.FakepropError as error:
    print(error)
"""
        lines = self.python(code).splitlines()
        self.assertEqual(lines[0], "(5, 16, 32, 32) True")
        self.assertEqual(" ".join(lines[1:4]), "fakeprop.lint/1 fakeprop.memory/1 fakeprop.cost/1 fakeprop.contract/1 fakeprop.diff/1 fakeprop.diff/1")
        self.assertIn("FP7004", lines[4])

    def test_pytest_finds_the_plugin(self):
        environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": self.installed}
        command = [sys.executable, "-m", "pytest", "--help"]
        done = subprocess.run(command, env=environment, cwd=self.installed, capture_output=True, text=True, check=True)
        self.assertIn("--fakeprop-update", done.stdout)

    def test_program_takes_the_z3_of_this_python(self):
        library = pathlib.Path(self.folder.name, "packages/z3/lib/libz3.so")
        library.parent.mkdir(parents=True)
        library.touch()
        (library.parent.parent / "__init__.py").touch()
        code = f"""
import sys
sys.path.append({str(library.parent.parent.parent)!r})
from fakeprop._program import environment
print(environment()["FAKEPROP_Z3"])
"""
        self.assertEqual(self.python(code), f"{library}\n")

    def test_windows_gets_a_zip_file_and_its_own_names(self):
        sys.path.insert(0, str(ROOT / "tools"))
        from package_steps import archives, platforms

        written = archives.write_archives(b"program", b"library", platforms.PLATFORMS["windows-x86_64"], self.folder.name)
        wheel, folder = ({path.partition("/")[2] for path in zipfile.ZipFile(file).namelist()} for file in written)
        self.assertLessEqual({"scripts/fakeprop.exe", "fakeprop.dll", "_core.py"}, {name.removeprefix("data/") for name in wheel})
        self.assertLessEqual({"fakeprop.exe", "lib/fakeprop.dll", "include/fakeprop/c_api.h"}, folder)

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
