#!/usr/bin/env python3
"""A run never overwrites a file that it reads, and leaves no unfinished file: kept_files_test.py FAKEPROP"""

import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

FAKEPROP = ""


def chain(nodes):
    """FX JSON of that many additions to one input."""
    entries = [{"name": "x", "op": "placeholder", "target": "x"}]
    for i in range(nodes):
        entries.append({"name": f"add_{i}", "op": "call_function", "target": "torch.add",
                        "args": [{"node": entries[-1]["name"]}, 1]})
    entries.append({"name": "output", "op": "output", "target": "output", "args": [{"node": entries[-1]["name"]}]})
    return json.dumps({"format": "fakeprop.fx/1", "nodes": entries})


def cubes():
    """FX JSON with a demand that is Fermat's theorem for cubes, on which Z3 works for a second."""
    nodes = [{"name": "x", "op": "placeholder", "target": "x"}]

    def add(name, op, target, *args):
        nodes.append({"name": name, "op": op, "target": target, "args": list(args)})
        return {"node": name}

    def arithmetic(name, function, a, b):
        return add(name, "call_function", f"_operator.{function}", a, b)

    def cube(dim):
        size = add(f"size{dim}", "call_method", "size", {"node": "x"}, dim)
        return arithmetic(f"cube{dim}", "mul", arithmetic(f"square{dim}", "mul", size, size), size)

    off = arithmetic("off", "sub", arithmetic("sum", "add", cube(0), cube(1)), cube(2))
    numbers = add("numbers", "call_function", "torch.zeros", arithmetic("square", "mul", off, off))
    add("output", "output", "output", add("first", "call_method", "select", numbers, 0, 0))
    return json.dumps({"format": "fakeprop.fx/1", "nodes": nodes})


CUBES_SPEC = json.dumps({
    "format": "fakeprop.inputs/1",
    "symbols": {name: {"min": 3, "max": 100000, "hint": hint} for name, hint in zip("abc", (3, 4, 5))},
    "inputs": {"x": {"shape": ["a", "b", "c"], "dtype": "float32"}}})
SPEC = json.dumps({"format": "fakeprop.inputs/1", "inputs": {"x": {"shape": [2, 3], "dtype": "float32"}}})


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR")))
        self.addCleanup(shutil.rmtree, self.folder)
        self.write("net.json", chain(3))
        self.write("spec.json", SPEC)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def run_program(self, *arguments, **options):
        return subprocess.run([FAKEPROP, *arguments], cwd=self.folder, capture_output=True, text=True, **options)


class WhatIsRead(InFolder):
    def refused(self, kept, *arguments):
        before = (self.folder / kept).read_bytes()
        result = self.run_program(*arguments)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("would write over", result.stderr)
        self.assertEqual((self.folder / kept).read_bytes(), before)

    def update(self, golden, *more):
        return ("lint", "net.json", "--inputs", "spec.json", *more, "--golden", golden, "--update-golden")

    def test_the_graph_as_golden(self):
        self.refused("net.json", *self.update("net.json"))
        self.refused("net.json", *self.update("./net.json"))

    def test_the_spec_as_golden(self):
        self.refused("spec.json", *self.update("spec.json"))

    def test_links(self):
        (self.folder / "soft.json").symlink_to("net.json")
        (self.folder / "hard.json").hardlink_to(self.folder / "spec.json")
        self.refused("net.json", *self.update("soft.json"))
        self.refused("spec.json", *self.update("hard.json"))

    def test_the_graphs_folder_as_folder_of_goldens(self):
        self.write("models/a.json", chain(2))
        self.write("models/b.json", chain(4))
        self.write("specs/a.json", SPEC)
        self.write("specs/b.json", SPEC)
        graphs = ("lint", "models/a.json", "models/b.json", "--inputs", "specs", "--update-golden")
        self.refused("models/a.json", *graphs, "--golden", "models")
        self.refused("specs/b.json", *graphs, "--golden", "specs")

    def test_a_graph_that_comes_later(self):
        self.write("models/a.json", chain(2))
        self.write("models/b.json", chain(4))
        (self.folder / "golden").mkdir()
        (self.folder / "golden/a.json").symlink_to("../models/b.json")
        self.refused("models/b.json", "lint", "models/a.json", "models/b.json", "--golden", "golden", "--update-golden")

    def test_a_golden_of_a_folder_as_output(self):
        self.write("golden/net.json", self.run_program("net.json", "--inputs", "spec.json").stdout)
        self.refused("golden/net.json", "lint", "net.json", "--inputs", "spec.json", "--golden", "golden",
                     "-o", "golden/net.json")

    def test_one_file_for_findings_and_golden(self):
        result = self.run_program(*self.update("new.json", "-o", "new.json"))
        self.assertEqual(result.returncode, 2)
        self.assertIn("which `--output` writes", result.stderr)
        self.assertFalse((self.folder / "new.json").exists())

    def test_only_goldens_are_goldens(self):
        for text in ("weights", "[1, 2]", '{"format": "fakeprop.fx/1"}', '{"format": 3}'):
            self.write("other.json", text)
            self.refused("other.json", *self.update("other.json"))

    def test_a_golden_or_nothing_is_written_over(self):
        self.assertEqual(self.run_program(*self.update("golden.json")).returncode, 0)
        first = (self.folder / "golden.json").read_text()
        self.write("golden.json", first.replace("float32", "float64"))
        self.assertEqual(self.run_program(*self.update("golden.json")).returncode, 0)
        self.assertEqual((self.folder / "golden.json").read_text(), first)
        self.write("empty.json", "")
        self.assertEqual(self.run_program(*self.update("empty.json")).returncode, 0)
        self.assertEqual((self.folder / "empty.json").read_text(), first)

    def test_devices_hold_nothing(self):
        self.assertEqual(self.run_program("net.json", "--inputs", "spec.json", "-o", "/dev/null").returncode, 0)

    def test_a_dash_is_stdout(self):
        plain = self.run_program("net.json", "--inputs", "spec.json")
        dash = self.run_program("net.json", "--inputs", "spec.json", "-o", "-")
        self.assertEqual(dash.stdout, plain.stdout)
        self.assertFalse((self.folder / "-").exists())


class WhatIsUnfinished(InFolder):
    def test_a_limit_on_file_size(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        result = self.run_program("net.json", "--inputs", "spec.json", "-o", "out.json", preexec_fn=limit)
        self.assertEqual((result.returncode, result.stderr),
                         (2, "error[FP5002]: cannot write `out.json`: file too large\n"))
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["net.json", "spec.json"])

    def test_signals(self):
        self.write("net.json", chain(20000))
        start = time.monotonic()
        self.run_program("net.json", "--inputs", "spec.json", "-o", "out.json")
        whole = time.monotonic() - start
        draw = random.Random(7)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) * 8:
            run = subprocess.Popen([FAKEPROP, "net.json", "--inputs", "spec.json", "-o", "out.json"], cwd=self.folder)
            time.sleep(whole * draw.uniform(0.5, 1.0))
            run.send_signal(number)
            self.assertIn(run.wait(), (0, -number))
            self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["net.json", "out.json", "spec.json"])

    def seconds_of(self, *arguments):
        start = time.monotonic()
        self.run_program(*arguments)
        return time.monotonic() - start

    def test_ctrl_c_while_z3_works(self):
        self.write("net.json", cubes())
        self.write("spec.json", CUBES_SPEC)
        prove = ["prove", "net.json", "--inputs", "spec.json"]
        whole = min(self.seconds_of(*prove) for _ in range(3))
        for share in (0.15, 0.2, 0.3, 0.4, 0.5, 0.6):
            run = subprocess.Popen([FAKEPROP, *prove], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
            time.sleep(whole * share)
            run.send_signal(signal.SIGINT)
            self.assertEqual(run.wait(), -signal.SIGINT)


if __name__ == "__main__":
    FAKEPROP = os.path.abspath(sys.argv.pop(1))
    unittest.main()
