#!/usr/bin/env python3
"""Sources that keep the same names to themselves become one file that a compiler takes.

    join_sources_test.py JOIN_SOURCES
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

JOIN = str(pathlib.Path(sys.argv[1]).absolute())

# What a source declares for itself, in the ways that the project writes it.
DECLARATIONS = """
namespace {
constexpr int kLimit = 3;
struct State { int value; };
enum Kind { kFirst, kSecond };
[[noreturn]] void Fail(int) { throw 1; }
[[maybe_unused]] int Unused() { return kLimit; }
template <typename T>
T Twice(T value) { return 2 * value; }
}  // namespace
static int Own() { return Twice(State{kSecond}.value); }
"""


class JoinSourcesTest(unittest.TestCase):
    def test_names_that_two_sources_have(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in "one", "two":
            source = f"{DECLARATIONS}int {name}() {{ if (Own() > 9) Fail(kFirst); return kLimit; }}\n"
            (folder / f"{name}.cc").write_text(source, encoding="utf-8")
        (folder / "none.h").write_text("#pragma once\n", encoding="utf-8")
        files = ["--headers", "none.h", "--sources", "one.cc", "two.cc", "--out", "joined.cc"]
        subprocess.run([sys.executable, JOIN, *files], check=True, cwd=folder)
        compiled = subprocess.run(["c++", "-std=c++20", "-fsyntax-only", "-I.", "joined.cc"], cwd=folder, capture_output=True, text=True, check=False)
        self.assertEqual(compiled.stderr, "")
        self.assertEqual(compiled.returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
