#!/usr/bin/env python3
"""Runs the commands in docs/formats.md and docs/diagnostics.md and compares what they print.

    docs_test.py FAKEPROP [--python | --update]

A block that begins with `$ ` holds commands, each followed by what it prints. The files that they read are those of
graphs/kinds and testdata/cli. With --python (needs torch) those of formats.md are made by the page's own Python instead.
--update writes what the commands of diagnostics.md print into the page (read the diff before you keep it).
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("TEST_SRCDIR", pathlib.Path(__file__).resolve().parents[2]), os.environ.get("TEST_WORKSPACE", "."))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = {"block.json": "export_json/graph.json", "block.json.xz": "export_json_xz/graph.json.xz", "block.pt2": "pt2/graph.pt2",
         "block_fx.json": "fx_json/graph.json", "block.pt": "torchscript/graph.pt", "spec.json": "fx_json/inputs.json", "specs/block_fx.json": "fx_json/inputs.json",
         "specs/block.json": "pt2/inputs.json"}
# Of diagnostics.md; what else it names lies in testdata/cli/graphs.
ELSEWHERE = {"typos.json": "testdata/cli/typos_in_fields/inputs.json"}


def commands(text):
    """Each command of a block, and what it prints."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed.rstrip("\n")


def make_files(folder, page, by_python):
    for name, source in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(ROOT / "graphs/kinds" / source, folder / name)
    code = "\n".join(text for language, text in BLOCK.findall(page) if language == "python" and "annotate(" not in text)
    if by_python:
        (folder / "page.py").write_text(code)
        environment = os.environ | {"PYTHONPATH": str(ROOT / "tools/dev/export")}
        subprocess.run([sys.executable, "page.py"], cwd=folder, env=environment, check=True)


def copy_files(folder):
    for source in (ROOT / "testdata/cli/graphs").iterdir():
        shutil.copyfile(source, folder / source.name)
    for name, source in ELSEWHERE.items():
        shutil.copyfile(ROOT / source, folder / name)


def run(command, folder, fakeprop):
    environment = os.environ | {"PATH": f"{os.path.dirname(os.path.abspath(fakeprop))}:{os.environ['PATH']}"}
    ran = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return ran.stdout + ran.stderr


def check(page, folder, fakeprop):
    """How many commands the page has, and how many of them print something else."""
    wrong = count = 0
    for language, text in BLOCK.findall(page):
        for command, printed in commands(text) if not language else ():
            got = run(command, folder, fakeprop)
            count += 1
            # The spec stands there in one line.
            is_same = "".join(got.split()) == "".join(printed.split()) if command.startswith("cat") else got.rstrip("\n") == printed
            if not is_same:
                wrong += 1
                print(f"$ {command}\n{got}--- but the page has\n{printed}")
    return count, wrong


def updated(page, folder, fakeprop):
    def block(match):
        if match[1] or not match[2].startswith("$ "):
            return match[0]
        return "```\n" + "".join(f"$ {c}\n{run(c, folder, fakeprop).rstrip()}\n" for c, _ in commands(match[2])) + "```"
    return BLOCK.sub(block, page)


def main(fakeprop, options):
    formats, diagnostics = ROOT / "docs/formats.md", ROOT / "docs/diagnostics.md"
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as temporary:
        of_formats, of_diagnostics = pathlib.Path(temporary, "formats"), pathlib.Path(temporary, "diagnostics")
        of_formats.mkdir()
        of_diagnostics.mkdir()
        make_files(of_formats, formats.read_text(), "--python" in options)
        copy_files(of_diagnostics)
        if "--update" in options:
            diagnostics.write_text(updated(diagnostics.read_text(), of_diagnostics, fakeprop))
        found = [check(formats.read_text(), of_formats, fakeprop), check(diagnostics.read_text(), of_diagnostics, fakeprop)]
    for count, wrong in found:
        print(f"{count} commands, {wrong} wrong")
    return 1 if any(wrong or not count for count, wrong in found) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
