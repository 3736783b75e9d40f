#!/usr/bin/env python3
"""Checks the C++ code against the limits of the house (CONTRIBUTING.md, "Limits").

  tools/dev/house.py              names each place that breaks a limit; the status is 1 where there is one
  tools/dev/house.py --figures    also prints how long functions and files are
  tools/dev/house.py --names      lists things of one name: classes, functions and classes, headers. Not all are wrong
"""
import argparse
import collections
import os
import re
import statistics
import subprocess
import sys

import cxx_outline

MEDIAN_FUNCTION = 6
LONGEST_FUNCTION = 60
LONGEST_FILE = 400  # lines outside of tables
LONGEST_LINE = 120
SHORTEST_BODY_COMPARED = 4  # lines; shorter bodies may be written twice
# Headers that Windows does not have, or that it alone has. The C library for Windows has <unistd.h> and <sys/stat.h>.
OF_ONE_SYSTEM = re.compile(
    r"(sys/(?!stat\.|types\.).*|dlfcn|fnmatch|link|poll|pthread|sched|spawn|termios|windows|io|mach-o/.*)\.h")
# What is built for Linux alone: on LibTorch, or for developers.
LINUX_ALONE = re.compile(r"lib/(fake|fuzzer|dispatch|deferred_init|testing|libtorch_fallback/plugin)/|tools/dev/|examples/")


class House:
    """The outlines of all files, and what is wrong with them."""

    def __init__(self, outlines):
        self.outlines = outlines
        self.findings = []

    def check(self):
        for outline in self.outlines:
            self._check_lines(outline)
            self._check_functions(outline)
            self._check_length(outline)
        self._check_median()
        self._check_bodies()
        self._check_headers()
        self._check_systems()
        self._check_classes()
        self._check_function_names()
        self._check_cycles()
        return self.findings

    def _report(self, place, text):
        self.findings.append(f"{place}: {text}")

    def functions(self):
        return [(o, f) for o in self.outlines for f in o.functions]

    def _check_lines(self, outline):
        raw = {n for first, last in outline.raw_strings for n in range(first, last + 1)}
        for number, line in enumerate(outline.lines, 1):
            if len(line) > LONGEST_LINE and number not in raw:
                self._report(f"{outline.path}:{number}", f"{len(line)} columns; at most {LONGEST_LINE}")

    def _check_functions(self, outline):
        for f in outline.functions:
            if f.lines > LONGEST_FUNCTION:
                self._report(f"{outline.path}:{f.first_line}", f"{f.name} has {f.lines} lines; at most {LONGEST_FUNCTION}")

    def _check_length(self, outline):
        lines = code_lines(outline)
        if lines > LONGEST_FILE:
            self._report(outline.path, f"{lines} lines outside of tables; at most {LONGEST_FILE}")

    def _check_median(self):
        median = statistics.median(f.lines for _, f in self.functions() if not f.is_lambda)
        if median > MEDIAN_FUNCTION:
            self._report("all functions", f"the median has {median} lines; at most {MEDIAN_FUNCTION}")

    def _check_bodies(self):
        same_body = collections.defaultdict(list)
        for o, f in self.functions():
            same_body[f.body].append((f.body_lines, f"{o.path}:{f.first_line} {f.name}"))
        for same in same_body.values():
            if max(lines for lines, _ in same) >= SHORTEST_BODY_COMPARED:
                self._report_same("one body", [place for _, place in same])

    def _check_headers(self):
        for name, same in self.headers().items():
            self._report_same(f"headers named {name}", same)

    def headers(self):
        places = collections.defaultdict(list)
        for o in self.outlines:
            if o.path.endswith(".h"):
                places[os.path.basename(o.path)].append(o.path)
        return places

    def _check_systems(self):
        for o in self.outlines:
            if LINUX_ALONE.match(o.path) or is_for_tests(o.path) or of_any_system(o.path) != o.path:
                continue
            for header in re.findall(r"^#include <([^>]+)>", "\n".join(o.lines), re.MULTILINE):
                if OF_ONE_SYSTEM.fullmatch(header):
                    self._report(o.path, f"<{header}> is of some systems alone; files called so have it (docs/architecture.md)")

    # Several files may each have a class of one name in an unnamed namespace, but not one that hides a visible class.
    def _check_classes(self):
        for name, same in self.classes().items():
            if not all(is_internal for _, is_internal in same):
                self._report_same(f"classes named {name}", [place for place, _ in same])

    def classes(self):
        places = collections.defaultdict(list)
        for o in self.outlines:
            for c in o.classes:
                places[c.name].append((f"{o.path}:{c.line}", c.is_internal))
        return places

    def _check_function_names(self):
        places = collections.defaultdict(list)
        for o, f in self.functions():
            if not f.is_internal and o.path.endswith(".cc") and "::" in f.name and not f.name.endswith("main"):
                places[f.name + f.parameters].append((o.path, f.first_line))
        for name, same in places.items():
            if len({of_any_system(path) for path, _ in same}) > 1:
                self._report_same(f"functions {name}", [f"{path}:{line}" for path, line in same])

    def _report_same(self, what, places):
        if len(places) > 1:
            self._report(places[0], f"{what}, also {', '.join(places[1:])}")

    def _check_cycles(self):
        includes = folder_includes(self.outlines)
        for cycle in cycles({folder: set(targets) for folder, targets in includes.items()}):
            steps = [includes[a][b] for a, b in zip(cycle, cycle[1:] + cycle[:1])]
            self._report(" -> ".join(cycle + cycle[:1]), "folders include each other: " + ", ".join(steps))


def code_lines(outline):
    """How many lines a file has outside of tables."""
    return len(outline.lines) - 1 - sum(last - first for first, last in outline.tables)


def folder_includes(outlines):
    """folder of lib/ -> folder that it includes -> one place where. Tests may include what they like."""
    includes = collections.defaultdict(dict)
    for outline in outlines:
        folder = os.path.dirname(outline.path)
        if not folder.startswith("lib/") or is_for_tests(outline.path):
            continue
        for header in outline.includes:
            target = os.path.dirname(header)
            if target.startswith("lib/") and target != folder:
                includes[folder].setdefault(target, f"{outline.path} includes {header}")
    return includes


def of_any_system(path):
    """One name for the files that have the same for different systems (tools/joined/join_sources.py)."""
    return re.sub(r"_(linux|macos|other|posix|windows)\.cc$", ".cc", path)


def is_for_tests(path):
    return "_test." in path or "/testing/" in path


def cycles(graph):
    """A shortest cycle through each folder that is on one; each set of folders once."""
    found = {}
    for folder in sorted(graph):
        cycle = shortest_cycle(graph, folder)
        if cycle:
            found.setdefault(frozenset(cycle), cycle)
    return list(found.values())


def shortest_cycle(graph, start):
    paths = collections.deque([[start]])
    seen = {start}
    while paths:
        path = paths.popleft()
        for target in sorted(graph.get(path[-1], ())):
            if target == start:
                return path
            if target not in seen:
                seen.add(target)
                paths.append(path + [target])
    return None


def print_figures(house):
    lengths = [f.lines for _, f in house.functions() if not f.is_lambda]
    files = [code_lines(o) for o in house.outlines]
    print(f"{len(files)} files, median {statistics.median(files):g} lines outside of tables, longest {max(files)}")
    print(f"{len(lengths)} functions, median {statistics.median(lengths):g} lines, mean {statistics.mean(lengths):.1f}, "
          f"longest {max(lengths)}, over 35: {sum(n > 35 for n in lengths)}")


def print_names(house):
    places = collections.defaultdict(set)
    for o in house.outlines:
        for c in o.classes:
            places[last_name(c.name)].add(("class", c.name, o.path))
    for o, f in house.functions():
        if last_name(f.name) in places and not is_special(f.name):
            places[last_name(f.name)].add(("function", f.name, o.path))
    for name, same in sorted(places.items()):
        if len({(kind, qualified) for kind, qualified, _ in same}) > 1 or len({path for _, _, path in same}) > 1:
            print(name)
            for kind, qualified, path in sorted(same):
                print(f"  {kind} {qualified}  {path}")


def last_name(name):
    return name.split("::")[-1]


# A constructor or a destructor.
def is_special(name):
    parts = name.split("::")
    return len(parts) > 1 and parts[-1].lstrip("~") == parts[-2]


def cxx_files():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.cc", "*.h", ":!third_party"], check=True,
                            capture_output=True, text=True).stdout.split()
    return sorted({path for path in listed if os.path.exists(path) and not os.path.islink(path)})


def read_outline(path):
    with open(path, encoding="utf-8") as file:
        return cxx_outline.read_outline(path, file.read())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", action="store_true", help="also print how long functions and files are")
    parser.add_argument("--names", action="store_true", help="list things of one name instead")
    arguments = parser.parse_args()
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    house = House([read_outline(path) for path in cxx_files()])
    if arguments.names:
        print_names(house)
        return 0
    if arguments.figures:
        print_figures(house)
    findings = house.check()
    print(*findings, sep="\n", end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
