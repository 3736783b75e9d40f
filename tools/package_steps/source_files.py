"""The source distribution: what builds the wheel, without tests' data."""

import subprocess

from package_steps.archives import metadata, packed, project_version

_LEFT_OUT = ("testdata/", "graphs/", "examples/", "docs/images/", ".ci/", ".github/")
_LIST = "SOURCES.txt"  # of an unpacked source distribution


def source_archive(root):
    """Its name and bytes; the same files give the same bytes."""
    folder = f"fakeprop-{project_version()}"
    names = source_files(root)
    files = {name: _content(root / name) for name in names}
    written = {"PKG-INFO": metadata(project_version()), _LIST: "".join(f"{name}\n" for name in names)}
    return f"{folder}.tar.gz", packed(folder, files | {name: (text.encode(), 0o644) for name, text in written.items()})


def source_files(root):
    """The names of its files: those that git has in a checkout, or those of the unpacked source distribution."""
    if (root / _LIST).exists():
        return (root / _LIST).read_text(encoding="utf-8").splitlines()
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True).stdout
    return sorted(name for name in listed.split("\0") if name and not name.startswith(_LEFT_OUT))


def _content(path):
    return path.read_bytes(), 0o755 if path.stat().st_mode & 0o100 else 0o644
