"""Bazel with the settings of the other scripts (tools/environment.sh)."""

import subprocess


def build(root, *targets):
    _run(root, "build", "--show_result=0", *targets)


def output_base(root):
    return _run(root, "info", "output_base", capture_output=True, text=True).stdout.strip()


def _run(root, *arguments, **options):
    command = ["bash", "-c", '. "$0" && run_bazel "$@"', root / "tools/environment.sh", *arguments]
    return subprocess.run(command, check=True, **options)
