#!/usr/bin/env bash
# Builds the wheel of the source distribution by pip, as `pip install fakeprop-*.tar.gz` does, by hand.
#
#   check_source.sh GRAPH    # is linted with --recorded
set -euo pipefail
graph=$(realpath "$1")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$root/tools/package" --source --out "$work/source"
python3 -m venv "$work/plain"
"$work/plain/bin/pip" install --quiet --disable-pip-version-check --no-index "$work"/source/fakeprop-*.tar.gz
"$work/plain/bin/fakeprop" --version | head -n 1
"$work/plain/bin/fakeprop" lint "$graph" --recorded
echo "source distribution: well"
