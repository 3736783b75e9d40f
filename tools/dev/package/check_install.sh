#!/usr/bin/env bash
# Installs a wheel as users do, by hand: pip, pipx and uvx take it from a folder as their only index.
#
#   check_install.sh FOLDER GRAPH    # FOLDER as tools/package writes it; GRAPH is linted with --recorded
#
# pipx and uv come from PyPI, into a temporary folder.
set -euo pipefail
folder=$(realpath "$1") graph=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/tools"
"$work/tools/bin/pip" install --quiet --disable-pip-version-check pipx uv
export PIP_NO_INDEX=1 PIP_FIND_LINKS=$folder UV_NO_INDEX=1 UV_FIND_LINKS=$folder
export UV_CACHE_DIR=$work/uv PIPX_HOME=$work/pipx PIPX_BIN_DIR=$work/bin PIP_DISABLE_PIP_VERSION_CHECK=1

python3 -m venv "$work/plain"
"$work/plain/bin/pip" install --quiet fakeprop
"$work/plain/bin/fakeprop" --version | head -n 1
"$work/plain/bin/python" -c 'import fakeprop, sys; print(len(fakeprop.propagate(sys.argv[1]).document["nodes"]), "nodes")' "$graph"
"$work/plain/bin/python" -m fakeprop lint "$graph" --recorded
echo "pip: well"
python3 -m venv "$work/z3"
PIP_NO_INDEX= "$work/z3/bin/pip" install --quiet 'fakeprop[z3]'
LD_DEBUG=files "$work/z3/bin/fakeprop" "$graph" --prove 2>&1 >"$work/proved.json" | grep -q "$work/z3/.*/z3/lib/libz3.so"
echo "pip with z3-solver: well"
"$work/tools/bin/uvx" fakeprop lint "$graph" --recorded
echo "uvx: well"
"$work/tools/bin/pipx" run --spec fakeprop fakeprop lint "$graph" --recorded
echo "pipx run: well"
