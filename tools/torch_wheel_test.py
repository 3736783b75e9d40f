#!/usr/bin/env python3
"""`pip install 'fakeprop[torch]'` from a folder: the plug-in of the wheel fakeprop-torch serves operators of a user's library.

    torch_wheel_test.py PACKAGE PROGRAM LIBRARY PLUGIN TORCH_HEADER CUSTOM_OPS

The torch that is installed has what the plug-in takes of one: its version and its libraries. As with system packages, it
stands in another folder than fakeprop, which a .pth file names.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PACKAGE, PROGRAM, LIBRARY, PLUGIN, HEADER, CUSTOM_OPS = (os.path.abspath(path) for path in sys.argv[1:7])
LIBTORCH = pathlib.Path(os.path.realpath(HEADER)).parents[3]
FILES = pathlib.Path("testdata/custom_ops").absolute()
COMMAND = ["--load-library", CUSTOM_OPS, "--op-rules", FILES / "rules.txt", "--inputs", FILES / "inputs.json", FILES / "graph.json"]
PLAIN = {"PATH": "/usr/bin:/bin"}
NO_CONFIGURATION = {**PLAIN, "PIP_CONFIG_FILE": "/dev/null", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def run(*command, environment=PLAIN):
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def libtorch_version():
    sys.path.insert(0, str(pathlib.Path(PACKAGE).parent))
    from package_steps.native_build import libtorch_version as version

    return version(LIBTORCH)


class TorchWheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        cls.dist = cls.root / "dist"
        built = [sys.executable, PACKAGE, "--program", PROGRAM, "--library", LIBRARY, "--torch", LIBTORCH, "--plugin", PLUGIN]
        subprocess.run([*built, "--out", cls.dist], check=True, stdout=subprocess.DEVNULL)
        cls.version = libtorch_version()
        cls.packages = cls.root / "packages"
        cls.write_torch(cls.version)
        cls.venv = cls.root / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", cls.venv], check=True)
        site = next(cls.venv.glob("lib/python3*/site-packages"))
        (site / "torch.pth").write_text(f"{cls.packages}\n")
        pip = [sys.executable, "-m", "pip", "--isolated", "--python", cls.venv / "bin/python", "install", "--quiet", "--no-index"]
        subprocess.run([*pip, "--find-links", cls.dist, "fakeprop[torch]"], check=True, env=NO_CONFIGURATION)
        cls.program = cls.venv / "bin/fakeprop"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def write_torch(cls, version):
        info = cls.packages / f"torch-{cls.version}.dist-info"
        info.mkdir(parents=True, exist_ok=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: {cls.version}\n")
        torch = cls.packages / "torch"
        torch.mkdir(exist_ok=True)
        (torch / "__init__.py").write_text("raise ImportError('torch is found, not imported')\n")
        (torch / "version.py").write_text(f"__version__ = '{version}+cpu'\n")
        if not (torch / "lib").exists():
            (torch / "lib").symlink_to(LIBTORCH / "lib")

    def test_program_serves_custom_operators_by_the_installed_torch(self):
        expected = run(PROGRAM, *COMMAND, environment={**PLAIN, "FAKEPROP_LIBTORCH": PLUGIN})
        self.assertEqual(expected.returncode, 0, expected.stderr)
        said = run(self.program, *COMMAND)
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        self.assertEqual(said.stdout, expected.stdout)

    def test_python_takes_the_torch_that_it_would_import(self):
        code = f"""
import fakeprop
options = ["--load-library", {CUSTOM_OPS!r}, "--op-rules", {str(FILES / 'rules.txt')!r}]
annotations = fakeprop.propagate({str(FILES / 'graph.json')!r}, {str(FILES / 'inputs.json')!r}, options=options)
print(annotations["row_sums"].value.dtype)
"""
        said = run(self.venv / "bin/python", "-c", code)
        self.assertEqual((said.stdout, said.stderr), ("float64\n", ""))
        said = run(self.venv / "bin/python", "-m", "fakeprop", *COMMAND)
        self.assertEqual(said.returncode, 0, said.stderr)

    def test_a_torch_of_another_version_is_named(self):
        self.write_torch("2.1.0")
        self.addCleanup(self.write_torch, self.version)
        said = run(self.program, *COMMAND)
        self.assertEqual(said.returncode, 2)
        self.assertIn("is torch 2.1.0+cpu, and this fakeprop-torch serves " + self.version.rpartition(".")[0], said.stderr)

    def test_code_of_the_current_folder_does_not_run(self):
        here = self.root / "here"
        here.mkdir()
        for name in ("fakeprop_torch", "runpy", "pathlib"):
            (here / f"{name}.py").write_text(f"open({str(here / 'ran')!r}, 'w')\n")
        said = subprocess.run([self.program, *COMMAND], cwd=here, env=PLAIN, capture_output=True, text=True, check=False)
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        self.assertFalse((here / "ran").exists())

    def test_without_torch_the_message_says_what_to_install(self):
        away = self.packages.rename(self.root / "away")
        self.addCleanup(away.rename, self.packages)
        said = run(self.program, *COMMAND)
        self.assertEqual(said.returncode, 2)
        self.assertIn("torch is not installed beside fakeprop-torch: pip install torch", said.stderr)

    def test_without_the_wheel_the_message_says_what_to_install(self):
        target = self.root / "alone"
        pip = [sys.executable, "-m", "pip", "--isolated", "install", "--quiet", "--no-index", "--target", target]
        subprocess.run([*pip, "--find-links", self.dist, "fakeprop"], check=True, env=NO_CONFIGURATION)
        said = run(target / "bin/fakeprop", *COMMAND)
        self.assertEqual(said.returncode, 2)
        self.assertIn("(pip install 'fakeprop[torch]')", said.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
