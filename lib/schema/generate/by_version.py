#!/usr/bin/env python3
"""Tables whose lines hold for some versions of torch: the schema table, python_schemas.inc, differentiability.inc.

A line is `{"KEY", ...},`. If it does not hold for all versions of lib/base/version.h, it ends with their range: `, {13, 14}},`
until torch 2.14, `, {15}},` from torch 2.15 on. Lines are sorted by key. Several lines of a key stand newest first.

    by_version.py PRINT_SCHEMAS TABLE            # is the schema table what this LibTorch prints, for its version?
    by_version.py PRINT_SCHEMAS TABLE --update   # writes it, and keeps the other versions
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys

VERSION = "lib/base/version.h"
ROOT = next(folder for folder in pathlib.Path(__file__).absolute().parents if (folder / VERSION).exists())
VERSION_HEADER = (ROOT / VERSION).read_text(encoding="utf-8")
OLDEST, NEWEST = (int(re.search(rf"{name} = (\d+);", VERSION_HEADER)[1]) for name in ("kOldestTorch", "kNewestTorch"))

LINE = re.compile(r"^\{(?P<body>.*?)(?:, \{(?P<since>\d+)(?:, (?P<until>\d+))?\})?\},$")

HEADER = """// Printed by generate/print_schemas.cc from each version of LibTorch: by_version.py beside it says how.
// clang-format off
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

// Made before the program starts, so it holds no more than a pointer and numbers.
struct Row {
  // The name stands here for readers: the text starts with it.
  constexpr Row(const char* /*full_name*/, const char* text, uint32_t flags, TorchRange versions = {})
      : text(text), flags(flags), versions(versions) {}

  const char* text;
  uint32_t flags;
  TorchRange versions;
};

constinit const Row kRows[] = {
"""
FOOTER = """};

}  // namespace

extern const size_t kSchemaTableSize = std::size(kRows);

SchemaEntry SchemaTableEntry(size_t index) {
  const Row& row = kRows[index];
  const std::string_view text = row.text;
  return {text.substr(0, text.find('(')), text, row.flags, row.versions};
}

}  // namespace fakeprop
"""


class Table:
    """What each key has in each version."""

    def __init__(self, lines=()):
        self.bodies = {}  # key -> {version: body}
        for line in lines:
            if match := LINE.match(line):
                versions = range(int(match["since"] or OLDEST), int(match["until"] or NEWEST) + 1)
                self.bodies.setdefault(key_of(match["body"]), {}).update(dict.fromkeys(versions, match["body"]))

    def of(self, version):
        return {key: versions[version] for key, versions in self.bodies.items() if version in versions}

    def set(self, version, lines):
        for versions in self.bodies.values():
            versions.pop(version, None)
        for line in lines:
            body = LINE.match(line)["body"]
            self.bodies.setdefault(key_of(body), {})[version] = body

    def lines(self):
        return [line for key in sorted(self.bodies) for line in self.lines_of(key)]

    def lines_of(self, key):
        versions = self.bodies[key]
        until = None
        for version in range(NEWEST, OLDEST - 1, -1):
            body = versions.get(version)
            if body is None:
                continue
            until = version if versions.get(version + 1) != body else until
            if versions.get(version - 1) != body:
                yield "{" + body + range_text(version, until) + "},"


def range_text(since, until):
    if until < NEWEST:
        return f", {{{since}, {until}}}"
    return f", {{{since}}}" if since > OLDEST else ""


def key_of(body):
    """The text between the first quotes, without the arguments of a schema."""
    return body.split('"')[1].split("(")[0]


def record(path, version, lines, first_line=""):
    """Writes what a version has into a file of the repository. The other versions stay."""
    path = ROOT / path
    table = Table(path.read_text(encoding="utf-8").splitlines())
    table.set(version, lines)
    path.write_text(first_line + "".join(line + "\n" for line in table.lines()), encoding="utf-8")


def main(print_schemas, path, *update):
    minor, *lines = subprocess.run([print_schemas], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    version = int(minor)
    before = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    table = Table(before)
    table.set(version, lines)
    text = HEADER + "".join(line + "\n" for line in table.lines()) + FOOTER
    if update:
        (pathlib.Path(os.environ["BUILD_WORKSPACE_DIRECTORY"]) / path).write_text(text, encoding="utf-8")
    elif before != text.splitlines():
        print("\n".join(difflib.unified_diff(before, text.splitlines(), path, f"LibTorch 2.{version}", n=0, lineterm="")))
        sys.exit("the table is not LibTorch's: bazel run //lib/schema:schema_table_data_test -- --update")


if __name__ == "__main__":
    main(*sys.argv[1:])
