#!/usr/bin/env python3
"""Runs the commands in docs/formats.md and compares what they print: docs_test.py FAKEPROP [--python]

A block that begins with `$ ` holds commands, each followed by what it prints. The files that they read are those of
graphs/kinds; with --python (needs torch) they are made by the page's own Python instead.
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


def main(fakeprop, by_python):
    page = (ROOT / "docs/formats.md").read_text()
    wrong = count = 0
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as temporary:
        folder = pathlib.Path(temporary)
        make_files(folder, page, by_python)
        environment = os.environ | {"PATH": f"{os.path.dirname(os.path.abspath(fakeprop))}:{os.environ['PATH']}"}
        for language, text in BLOCK.findall(page):
            for command, printed in commands(text) if not language else ():
                run = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False)
                count += 1
                # The spec stands there in one line.
                got = "".join((run.stdout + run.stderr).split()) if command.startswith("cat") else (run.stdout + run.stderr).rstrip("\n")
                if got != ("".join(printed.split()) if command.startswith("cat") else printed):
                    wrong += 1
                    print(f"$ {command}\n{run.stdout}{run.stderr}--- but the page has\n{printed}")
    print(f"{count} commands, {wrong} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--python" in sys.argv))
