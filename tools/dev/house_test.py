#!/usr/bin/env python3
"""Tests of house.py and cxx_outline.py on small files."""
import sys
import unittest

import cxx_outline
import house


def outline(text, path="lib/a/a.cc"):
    return cxx_outline.read_outline(path, text)


def names(text):
    return [(f.name, f.lines) for f in outline(text).functions]


def findings(*files):
    return house.House([outline(text, path) for path, text in files]).check()


class Outline(unittest.TestCase):
    def test_functions(self):
        self.assertEqual(names("namespace a::b {\nint F(int x = {}) { return x; }\n}\n"), [("a::b::F", 1)])
        self.assertEqual(names("template <typename T = int, int n = (2 > 1)>\nauto F(T) -> A<T> {\n}"), [("F", 2)])
        self.assertEqual(names("bool A::operator==(const A& a) const {\n\n}"), [("A::operator==", 3)])
        self.assertEqual(names("A::~A() {}\nint G();\nint F() {}"), [("A::~A", 1), ("F", 1)])
        self.assertEqual(names("TEST(Suite, Case) {\n}"), [("TEST( Suite , Case )", 2)])
        self.assertEqual(names("A::A(int x)\n    : x_{x}, y_(x), z_{} {\n  Do();\n}"), [("A::A", 4)])
        self.assertEqual(names("A::A() try {\n} catch (const B& b) {\n}\nint F() {}"), [("A::A", 2), ("F", 1)])

    def test_classes(self):
        text = "namespace a {\nnamespace {\nclass B final : public C {\n public:\n  int F() { return 1; }\n  int x{2};\n};\n}\n}"
        self.assertEqual([(c.name, c.line, c.is_internal) for c in outline(text).classes], [("a::B", 3, True)])
        self.assertEqual(names(text), [("a::B::F", 1)])
        self.assertEqual([c.name for c in outline("enum class E : int { kA = 1, kB };").classes], ["E"])

    def test_what_is_no_code(self):
        self.assertEqual(names('// int F() {\nconst char* s = "{";  /* { */\nauto r = R"x(int G() {)")x";\nchar c = \'{\';'), [])
        self.assertEqual(names("#define F() { \\\n  {\nint G() { return 1'000; }"), [("G", 1)])

    def test_tables(self):
        read = outline("constexpr Row kRows[] = {\n    {1, [](Call& c) {\n      c.F();\n    }},\n};\nint x;\n")
        self.assertEqual(read.tables, [(1, 5)])
        self.assertEqual([(f.name, f.lines, f.is_lambda) for f in read.functions], [("kRows", 3, True)])
        self.assertEqual(house.code_lines(read), 2)


class Limits(unittest.TestCase):
    def test_nothing_to_say(self):
        self.assertEqual(findings(("lib/a/a.cc", "int F() { return 1; }\n")), [])

    def test_long_lines(self):
        line = "int " + "x" * 117 + ";\n"
        self.assertEqual(findings(("a.cc", "int F() {}\n" + line)), ["a.cc:2: 122 columns; at most 120"])
        self.assertEqual(findings(("a.cc", 'int F() {}\nauto s = R"(\n' + line + ')";\n')), [])

    def test_headers_of_one_system(self):
        text = "#include <dlfcn.h>\n#include <unistd.h>\nint F() {}\n"
        said = "lib/a/a.cc: <dlfcn.h> is of some systems alone; files called so have it (docs/architecture.md)"
        self.assertEqual(findings(("lib/a/a.cc", text)), [said])
        for path in "lib/a/a_posix.cc", "lib/a/a_test.cc", "lib/fake/a.cc":
            self.assertEqual(findings((path, text)), [])

    def test_functions_of_several_systems(self):
        text = "int A::F() {\n  return 1;\n}\n"
        self.assertEqual(findings(("lib/a/a_linux.cc", text), ("lib/a/a_other.cc", text)), [])

    def test_long_functions(self):
        text = "int F() {\n" + "  G();\n" * 59 + "}\n" + "int H() {}\n" * 2
        self.assertEqual(findings(("a.cc", text)), ["a.cc:1: F has 61 lines; at most 60"])
        self.assertEqual(findings(("a.cc", "int F() {\n  A();\n  B();\n  C();\n  D();\n  E();\n}\n")),
                         ["all functions: the median has 7 lines; at most 6"])

    def test_long_files(self):
        self.assertEqual(findings(("a.cc", "int F() {}\n" * 401)), ["a.cc: 401 lines outside of tables; at most 400"])
        self.assertEqual(findings(("a.cc", "int F() {}\nint k[] = {\n" + "    1,\n" * 401 + "};\n")), [])

    def test_one_body_twice(self):
        body = "() {\n  A();\n  B();\n  C();\n  D();\n}\n"
        other = "(int) { // why\n  A( ); B();\n  C();\n\n  D();\n}\n"
        short = "int H() {}\n" * 2
        self.assertEqual(findings(("a.cc", "int F" + body + short), ("b.cc", "int G" + body)),
                         ["a.cc:1 F: one body, also b.cc:1 G"])
        self.assertEqual(findings(("a.cc", "int F" + body + short), ("b.cc", "int G" + other)),
                         ["a.cc:1 F: one body, also b.cc:1 G"])

    def test_one_body_with_other_names(self):
        def text(function, parameter, variable, member):
            return (f"int {function}(int {parameter}) {{\n  int {variable} = {parameter};\n  {variable}.{member}();\n"
                    f"  H();\n  return {variable};\n}}\n")

        short = "int H() {}\n" * 2
        same = ["a.cc:1 F: one body, also b.cc:1 G"]
        self.assertEqual(findings(("a.cc", text("F", "a", "b", "f") + short), ("b.cc", text("G", "c", "d", "f"))), same)
        self.assertEqual(findings(("a.cc", text("F", "a", "b", "f") + short), ("b.cc", text("G", "c", "d", "g"))), [])
        self.assertEqual(findings(("a.cc", text("F", "a", "b", "f") + short), ("b.cc", text("G", "c", "c", "f"))), [])

    def test_one_name_twice(self):
        function = "int F() {}\n"
        self.assertEqual(findings(("a/x.h", function), ("b/x.h", "")), ["a/x.h: headers named x.h, also b/x.h"])
        self.assertEqual(findings(("a.cc", function + "struct S {};"), ("b.cc", "struct S {};")),
                         ["a.cc:2: classes named S, also b.cc:1"])
        inside = "namespace n { namespace { struct S {}; } }"
        self.assertEqual(findings(("a.cc", function + inside), ("b.cc", inside)), [])
        self.assertEqual(findings(("a.cc", function + "namespace n { struct S {}; }"), ("b.cc", inside)),
                         ["a.cc:2: classes named n::S, also b.cc:1"])
        visible = "namespace n { int F(int x) {} }"
        self.assertEqual(findings(("a.cc", visible), ("b.cc", visible)), ["a.cc:1: functions n::F( int x ), also b.cc:1"])

    def test_cycles(self):
        files = [("lib/a/a.cc", 'int F() {}\n#include "lib/b/b.h"\n'), ("lib/b/b.h", '#include "lib/c/c.h"\n'),
                 ("lib/c/c.h", ""), ("lib/c/c_test.cc", '#include "lib/a/a.h"\n')]
        self.assertEqual(findings(*files), [])
        files.append(("lib/c/c.cc", '#include "lib/a/a.h"\n'))
        self.assertEqual(findings(*files), [
            "lib/a -> lib/b -> lib/c -> lib/a: folders include each other: lib/a/a.cc includes lib/b/b.h, "
            "lib/b/b.h includes lib/c/c.h, lib/c/c.cc includes lib/a/a.h"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
