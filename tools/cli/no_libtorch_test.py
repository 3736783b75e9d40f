#!/usr/bin/env python3
"""Propagates every graph of the test data without LibTorch: rules serve all of PyTorch's own operators.

    no_libtorch_test.py FAKEPROP"""

import os
import pathlib
import subprocess
import sys
import unittest

FAKEPROP = pathlib.Path(sys.argv[1]).absolute()
FOLDERS = ("graphs", "testdata")
# TorchScript archives whose code LibTorch compiles.
NEED_IT = ("forkwait", "packed_of_unknown_lengths", "packed_scripted", "questions_of_type",
           "string_missing")
SAYS_IT_IS_NEEDED = "could not be opened"  # the program's words for a LibTorch that it does not find


def graphs():
    """What is not a graph among these files is an error that does not speak of LibTorch."""
    for folder in FOLDERS:
        for suffix in ("json", "pt2", "pt"):
            yield from sorted(p for p in pathlib.Path(folder).rglob(f"*.{suffix}") if "expected" not in p.name)


def run(graph):
    return subprocess.run([FAKEPROP, graph], env=os.environ | {"FAKEPROP_LIBTORCH": "/no/such/file"}, check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


class NoLibTorch(unittest.TestCase):
    def test_code_that_needs_it_says_so(self):
        ran = run("testdata/torchscript/forkwait/graph.pt")
        self.assertEqual(ran.returncode, 2)
        for words in ("error[FP5005]", "a `def` statement", "code/__torch__/", SAYS_IT_IS_NEEDED, "fakeprop[torch]"):
            self.assertIn(words, ran.stderr)

    def test_no_graph_opens_it(self):
        needing, propagated = [], 0
        for graph in graphs():
            ran = run(graph)
            propagated += ran.returncode == 0
            if SAYS_IT_IS_NEEDED in ran.stderr and graph.parent.name not in NEED_IT:
                needing.append(str(graph))
        self.assertEqual(needing, [])
        self.assertGreater(propagated, 150)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
