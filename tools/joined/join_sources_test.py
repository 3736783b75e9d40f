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
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def join(self, headers, sources, count):
        """The files that these texts, by name, become; each of them compiles."""
        for name, text in {**headers, **sources}.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        out = [f"joined_{index}.cc" for index in range(count)]
        files = ["--headers", *headers, "--sources", *sources, "--out", *out]
        subprocess.run([sys.executable, JOIN, *files], check=True, cwd=self.folder)
        for name in out:
            compiled = subprocess.run(["c++", "-std=c++20", "-fsyntax-only", "-I.", name], cwd=self.folder, capture_output=True, text=True, check=False)
            self.assertEqual(compiled.stderr, "")
            self.assertEqual(compiled.returncode, 0)
        return [(self.folder / name).read_text(encoding="utf-8") for name in out]

    def test_names_that_two_sources_have(self):
        sources = {
            f"{name}.cc": f"{DECLARATIONS}int {name}() {{ if (Own() > 9) Fail(kFirst); return kLimit; }}\n"
            for name in ("one", "two")
        }
        self.join({"none.h": "#pragma once\n"}, sources, 1)

    def test_sources_that_open_namespaces_with_the_same_names(self):
        headers, sources = {}, {}
        for name in "calls", "trees":
            headers[f"{name}.h"] = f"#pragma once\nnamespace fakeprop::{name} {{\nstruct Arguments {{}};\n}}\n"
            sources[f"{name}.cc"] = (
                f'#include "{name}.h"\nnamespace fakeprop {{\nusing namespace {name};\nArguments Some_{name}();\n}}\n'
            )
        sources["zeros.cc"] = "int a;\n" + 20 * "\n"  # alone in its half by its length
        parts = self.join(headers, sources, 2)
        self.assertFalse(any("calls.cc" in part and "trees.cc" in part for part in parts), parts)

    def test_sources_of_other_systems(self):
        sources = {
            "all.cc": "int IsEof();\nint Eof() { return IsEof(); }\n",
            "stop_windows.cc": "#include <windows.h>\nint IsEof() { return GetLastError(); }\n",
            "stop_posix.cc": "#include <unistd.h>\nint IsEof() { return isatty(1); }\n",
            "start_linux.cc": "#include <sys/prctl.h>\nint Starts() { return PR_SET_PDEATHSIG; }\n",
            "start_other.cc": "#include <not_of_linux.h>\nint Starts() { return 0; }\n",
        }
        (text,) = self.join({"none.h": "#pragma once\n"}, sources, 1)
        lines = text.splitlines()
        for system, name in [("defined(_WIN32)", "windows.h"), ("!defined(_WIN32)", "unistd.h"),
                             ("defined(__linux__)", "sys/prctl.h"), ("!defined(__linux__)", "not_of_linux.h")]:
            self.assertEqual(lines[lines.index(f"#if {system}") + 1], f"#include <{name}>")

    def test_headers_full_of_macros_come_last(self):
        (self.folder / "httplib.h").write_text("#define LoadLibrary LoadLibraryA\n", encoding="utf-8")
        sources = {
            "a.cc": "#include <httplib.h>\nint Serve() { return 0; }\n",
            "b.cc": "int LoadLibrary();\nint Load() { return LoadLibrary(); }\n",
        }
        (text,) = self.join({"none.h": "#pragma once\n"}, sources, 1)
        self.assertLess(text.index("b.cc"), text.index("httplib.h"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
