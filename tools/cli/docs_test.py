#!/usr/bin/env python3
"""Runs the commands in docs/formats.md, docs/diagnostics.md and docs/commands and compares what they print, and those of
EXCERPTS on graphs of this repository. Compares the options that each page of
docs/commands lists with those that `fakeprop COMMAND --help` prints.

    docs_test.py FAKEPROP [--python | --update]

A block that begins with `$ ` holds commands, each followed by what it prints. The files that they read are those of
graphs/kinds and testdata/cli. With --python (needs torch) those of formats.md are made by the page's own Python instead.
--update writes what the commands print into the pages, except formats.md (read the diff before you keep it).
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
# Of diagnostics.md and the commands; what else they name lies in testdata/cli/graphs.
ELSEWHERE = {"typos.json": "testdata/cli/typos_in_fields/inputs.json", "block.pt": "graphs/kinds/torchscript/graph.pt"}
COMMANDS = ROOT / "docs/commands"
EXCERPTS = ("README.md", "docs/cost.md", "docs/memory.md", "docs/symbolic_shapes.md", "docs/tour.md", "docs/value_ranges.md")
SHARED = ("Graphs", "Inputs", "Operators", "Runs", "Symbols")  # sections of the index with options of several commands


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
    """What a command prints, as a terminal shows it."""
    environment = os.environ | {"PATH": f"{os.path.dirname(os.path.abspath(fakeprop))}:{os.environ['PATH']}"}
    ran = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, check=False)
    return ran.stdout


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
        return "```\n" + "".join(f"$ {c}\n{run(c, folder, fakeprop)}".rstrip() + "\n" for c, _ in commands(match[2])) + "```"
    return BLOCK.sub(block, page)


def section(page, title):
    """The text below a heading of a page; empty where it has none."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def listed(text):
    """The options in the items of a list, as they are spelled: "- `--model NAME`, `--method NAME`: ..."."""
    items = re.findall(r"^- ((?:`[^`]+`(?:, )?)+): ", text, re.MULTILINE)
    return {option for item in items for option in re.findall(r"`([^`]+)`", item)}


def help_of(command, fakeprop):
    """What --help prints of a command: its usage, its own options, and those of every command."""
    text = run(f"fakeprop {command} --help", None, fakeprop)
    own, _, common = text.partition("\nCommon options:")
    usage = re.search(r"^Usage: (.*)$", text, re.MULTILINE)[1]
    return usage, *(set(re.findall(r"^  (-\S+(?: \S+)?)(?: +|$)", part, re.MULTILINE)) for part in (own, common))


def missing(options, where, known, elsewhere):
    """What is wrong with options that stand in one place, but are not known in the other."""
    return [f"{where} has `{option}`, {elsewhere} does not" for option in sorted(options - known)]


def differences(where, listed_there, printed):
    return missing(listed_there, where, printed, "--help") + missing(printed, "--help", listed_there, where)


def check_page(command, index, usage, own):
    """What is wrong with the options on a command's page, and with its synopsis."""
    page = (COMMANDS / f"{command}.md").read_text()
    found = differences(f"{command}.md", listed(section(page, "Options")), own)
    if section(page, "Synopsis").strip() not in (usage, f"fakeprop [propagate] {usage.removeprefix('fakeprop ')}"):
        found.append(f"the synopsis of {command}.md is not `{usage}`")
    for options, title in re.findall(r"^- (`.*): see \[.*\]\(README.md#(\w+)\)", page, re.MULTILINE):
        found += missing(set(re.findall(r"`([^`]+)`", options)), f"{command}.md", listed(section(index, title.capitalize())),
                         f"its section {title} in README.md")
    return found


def check_options(fakeprop):
    """What is wrong with the options that the pages of the commands and their index list."""
    index = (COMMANDS / "README.md").read_text()
    summaries = run("fakeprop --help", None, fakeprop).partition("\nArguments:")[0]
    commands_of_help = set(re.findall(r"^  (\w+) {2,}", summaries, re.MULTILINE))
    found = differences("docs/commands", {page.stem for page in COMMANDS.glob("*.md")} - {"README"}, commands_of_help)
    shared = set().union(*(listed(section(index, title)) for title in SHARED))
    for command in sorted(commands_of_help) if not found else ():
        usage, own, common = help_of(command, fakeprop)
        shared -= own
        found += check_page(command, index, usage, own)
        found += differences("Common options of README.md", listed(section(index, "Common options")), common)
    return found + missing(shared, "README.md", set(), "--help")


def check_excerpts(page, fakeprop):
    """What is wrong with the indented commands of a page on graphs of this repository. The page shows the first lines that they
    print, up to `...` or the end of the block."""
    found = []
    for block in re.findall(r"(?:^    .*\n)+", page, re.MULTILINE):
        lines = [line[4:] for line in block.splitlines()]
        if not re.match(r"\$ fakeprop .*\b(graphs|testdata)/", lines[0]):
            continue
        shown = lines[1 : lines.index("...") if "..." in lines else None]
        got = run(lines[0][2:], ROOT, fakeprop).splitlines()[: len(shown)]
        if got != shown:
            found.append("\n".join([lines[0], *got, "--- but the page has", *shown]))
    return found


def pages_of(temporary):
    """Each page with the folder that its commands run in."""
    folder = {name: temporary / name for name in ("formats", "diagnostics", "commands")}
    for path in folder.values():
        path.mkdir()
    copy_files(folder["diagnostics"])
    copy_files(folder["commands"])
    return {ROOT / "docs/formats.md": folder["formats"], ROOT / "docs/diagnostics.md": folder["diagnostics"]} | {
        page: folder["commands"] for page in sorted(COMMANDS.glob("*.md"))}


def main(fakeprop, options):
    formats = ROOT / "docs/formats.md"
    wrong = check_options(fakeprop)
    for page in EXCERPTS:
        wrong += check_excerpts((ROOT / page).read_text(), fakeprop)
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as temporary:
        pages = pages_of(pathlib.Path(temporary))
        make_files(pages[formats], formats.read_text(), "--python" in options)
        for page, folder in pages.items():
            if "--update" in options and page != formats:
                page.write_text(updated(page.read_text(), folder, fakeprop))
            count, others = check(page.read_text(), folder, fakeprop)
            print(f"{page.name}: {count} commands, {others} wrong")
            if others or not count:
                wrong.append(page.name)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
