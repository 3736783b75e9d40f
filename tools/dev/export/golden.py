"""The command line of the scripts that record expectations: write the files, or compare them with those on disk."""

import argparse
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]


def run(description, folder, source, record):
    """Records every subfolder of `folder` that holds a `source`, or those that the command line names.

    `record` takes a subfolder and returns {file name: bytes}. Returns the exit status.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a file would change")
    options = parser.parse_args()
    names = options.names or sorted(path.name for path in folder.iterdir() if (path / source).exists())
    changes = [change for name in names for change in _changes(folder / name, record(folder / name))]
    for path, content in changes:
        print(f"{'differs' if options.check else 'wrote'}: {path.relative_to(ROOT)}")
        if not options.check:
            path.write_bytes(content)
    return 1 if options.check and changes else 0


def _changes(folder, files):
    for name, content in files.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != content:
            yield path, content
