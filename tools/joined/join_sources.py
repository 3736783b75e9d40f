#!/usr/bin/env python3
"""Joins C++ sources into a few files that include them, so that a header is parsed a few times instead of hundreds.

    join_sources.py --headers FILE... --sources FILE... --out FILE...

As many files are written as --out names, of about the same length. Names that a source keeps to itself (in an unnamed
namespace, or static) may occur in other sources too: such a name gets another spelling in the joined file, by a macro.
If the source uses the same word for something else, what a header of its own declares or what stands behind `::`, `.`
or `->`, the sources go into different files. So do a source that opens a namespace (`using namespace calls;`) and one
that means something else by a name of that namespace.

What a source is called says which systems have it: NAME_linux.cc, NAME_macos.cc or NAME_windows.cc, NAME_posix.cc (all
but Windows), NAME_other.cc (all but Linux). The joined files have it for these alone, with its includes. It stands at
the end of its file, as do sources that include headers which take common words for macros.
"""

import argparse
import itertools
import pathlib
import re
import sys

_INCLUDE = re.compile(r'^#include [<"]([^>"]+)[>"].*$', re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*")
_END = "}  // namespace\n"  # of an unnamed one
_NOISE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"([^()\s\\]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'""", re.DOTALL
)
_CLASS = re.compile(r"(?:class|struct|union|enum(?: class)?|namespace) (\w+)|using (\w+) =")
_DECLARED = re.compile(r"(?<![:\w])([A-Za-z_]\w*)(?=\(| = |\[|\{|;)")
_ENUMERATORS = re.compile(r"^enum \w+[^{;]*\{([^}]*)\}", re.MULTILINE)
_GENERATED = re.compile(r"^bazel-out/[^/]+/bin/")  # found without it, and different for each configuration
_FREE = re.compile(r"(?<![\w:.>])([A-Za-z_]\w*)")
_MEMBER = re.compile(r"(?:::|\.|->)~?([A-Za-z_]\w*)")
_ATTRIBUTES = re.compile(r"^(?:\[\[[^\]]*\]\] )+")
_NAMESPACE = re.compile(r"^namespace fakeprop::(\w+) \{", re.MULTILINE)
_OPENED = re.compile(r"^using namespace (\w+);", re.MULTILINE)
_SYSTEMS = {
    "linux": "defined(__linux__)",
    "macos": "defined(__APPLE__)",
    "other": "!defined(__linux__)",
    "posix": "!defined(_WIN32)",
    "windows": "defined(_WIN32)",
}
_NOISY_HEADERS = {"httplib.h"}  # on Windows it includes windows.h
_NO_NAMES = set(
    "if for while switch return sizeof decltype alignas noexcept operator static_assert void bool int auto char".split()
)


class Headers:
    """The project's headers: what each declares, with those that it includes."""

    def __init__(self, paths):
        self.texts = {_GENERATED.sub("", str(path)): path.read_text(encoding="utf-8") for path in paths}
        self.closures = {}
        self.names = set().union(*map(_declared_names, self.texts.values()))
        self.namespaces = {}
        for text in self.texts.values():
            for namespace in _NAMESPACE.findall(text):
                self.namespaces.setdefault(namespace, set()).update(_declared_names(text) - {"fakeprop"})

    def names_of(self, includes):
        """What the headers of these #include lines declare."""
        return set().union(*(self.closure(path) for path in includes))

    def closure(self, path):
        if path not in self.texts:
            return set()
        if path not in self.closures:
            self.closures[path] = set()
            self.closures[path] = _declared_names(self.texts[path]) | self.names_of(_INCLUDE.findall(self.texts[path]))
        return self.closures[path]


class Source:
    """One source: its length, what it includes, all its words, those that mean a header's name, the names that it
    keeps to itself, of which some are fixed (a macro would change other uses of the word), and those of the namespaces
    that it opens."""

    def __init__(self, path, headers):
        text = path.read_text(encoding="utf-8")
        code = _NOISE.sub('""', _INCLUDE.sub("", text.replace(_END, "@\n")))
        known = headers.names_of(_INCLUDE.findall(text))
        self.path = path
        self.length = text.count("\n")
        self.includes = [line.group() for line in _INCLUDE.finditer(text) if not line.group(1).endswith(".inc")]
        self.system = _SYSTEMS.get(path.stem.rpartition("_")[2])
        self.is_last = bool(self.system) or not _NOISY_HEADERS.isdisjoint(_INCLUDE.findall(text))
        self.words = set(_WORD.findall(code))
        self.free_words = set(_FREE.findall(code)) & known
        self.declared_names = _declared_names(code)
        self.own_names = _own_names(code)
        self.fixed_names = self.own_names & (known | set(_MEMBER.findall(code)))
        self.opened = {namespace: headers.namespaces.get(namespace, set()) for namespace in _OPENED.findall(code)}


def _own_names(code):
    """The names that begin at column 0 of an unnamed namespace, as clang-format lays them out."""
    names = set()
    is_unnamed = False
    for line in code.split("\n"):
        if line == "namespace {":
            is_unnamed = True
        elif line == "@":
            is_unnamed = False
        elif is_unnamed or line.startswith("static "):
            names |= _declared(_ATTRIBUTES.sub("", line))
    for enumerators in _ENUMERATORS.findall(code):
        names |= set(_WORD.findall(enumerators))
    return names


def _declared_names(text):
    return set().union(*map(_declared, _NOISE.sub("", text).split("\n")))


def _declared(line):
    if not re.match(r"[A-Za-z_]", line) or line.startswith(("using namespace", "using enum")):
        return set()
    if found := _CLASS.match(line):
        return {found.group(1) or found.group(2)}
    names = (match.group(1) for match in _DECLARED.finditer(line))
    return {next((name for name in names if name not in _NO_NAMES), "")} - {""}


class Part:
    """Sources that become one file."""

    def __init__(self):
        self.sources = []

    def takes(self, source):
        return source.rivals.isdisjoint(self.sources)

    def text(self, header_names):
        first = [source for source in self.sources if not source.is_last]
        last = [source for source in self.sources if source.is_last]
        blocks = ["// Written by join_sources.py.", *dict.fromkeys(line for source in first for line in source.includes)]
        for index, source in enumerate(first + last):
            others = header_names.union(*(other.words for other in self.sources if other is not source))
            blocks += _block(source, index, sorted(source.own_names & others - source.fixed_names))
        return "\n".join(blocks) + "\n"


def _block(source, index, renamed):
    """The lines that include a source, some of whose names get another spelling."""
    lines = list(source.includes) if source.is_last else []
    lines += [f"#define {name} {name}_{index}" for name in renamed]
    lines.append(f'#include "{_GENERATED.sub("", str(source.path))}"')
    lines += [f"#undef {name}" for name in renamed]
    return [f"#if {source.system}", *lines, "#endif"] if source.system else lines


def _find_rivals(sources):
    """Sets `rivals` of each source: those that can't be in a file with it."""
    for source in sources:
        source.rivals = set()
    for source in sources:
        if source.fixed_names or source.opened:
            for other in sources:
                if other is not source and _conflict(source, other):
                    source.rivals.add(other)
                    other.rivals.add(source)


def _conflict(source, other):
    renamed = other.own_names - other.fixed_names
    meant = (other.declared_names | other.own_names | other.free_words) - renamed
    opened = (names for namespace, names in source.opened.items() if namespace not in other.opened)
    return source.fixed_names.union(*opened) & meant


def distribute(sources, count):
    """Parts with neighbours beside each other, so that a part's sources share headers. Those with most rivals choose
    their part first."""
    _find_rivals(sources)
    parts = [Part() for _ in range(count)]
    share = sum(source.length for source in sources) / count
    before = itertools.accumulate((source.length for source in sources), initial=0)
    wanted = {source: min(int(done / share), count - 1) for source, done in zip(sources, before)}
    for source in sorted(sources, key=lambda source: -len(source.rivals)):
        around = sorted(range(count), key=lambda index: (abs(index - wanted[source]), index))
        part = next((parts[index] for index in around if parts[index].takes(source)), None)
        if part is None:
            sys.exit(f"join_sources: error: {source.path} has names of its own that every part has too")
        part.sources.append(source)
    for part in parts:
        part.sources.sort(key=lambda source: source.path)
    return parts


def main(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, fromfile_prefix_chars="@"
    )
    for option in ("--headers", "--sources", "--out"):
        parser.add_argument(option, nargs="+", required=True, type=pathlib.Path, metavar="FILE")
    options = parser.parse_args(arguments)
    headers = Headers(options.headers)
    sources = [Source(path, headers) for path in sorted(options.sources)]
    for part, out in zip(distribute(sources, len(options.out)), options.out):
        out.write_text(part.text(headers.names), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
