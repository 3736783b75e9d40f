#!/usr/bin/env bash
# Installs the wheels of `tools/package --torch` beside a torch that is there, and runs a graph with custom operators, by hand.
#
#   check_torch.sh FOLDER PYTHON    # FOLDER as tools/package writes it; PYTHON has torch, such as that of another venv
#
# A library of operators is compiled against that torch, as a user's is. The wheels go into an environment of their own,
# which finds torch by a .pth file.
set -euo pipefail
folder=$(realpath "$1") python=$2
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../..")
cases=$root/testdata/custom_ops
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$python" -m venv "$work/venv"
here=$("$work/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$site" >"$here/torch.pth"
# What torch itself depends on need not be there.
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps --find-links "$folder" fakeprop fakeprop-torch

include=$site/torch/include
g++ -std=c++20 -shared -fPIC -O1 -I"$include" -I"$include/torch/csrc/api/include" "$cases/custom_ops.cc" -o "$work/libcustom_ops.so" \
  -L"$site/torch/lib" -ltorch_cpu -lc10

run() { "$@" "$cases/graph.json" --load-library "$work/libcustom_ops.so" --op-rules "$cases/rules.txt" --inputs "$cases/inputs.json"; }
env -i "$work/venv/bin/python" -c 'import fakeprop_torch; print(*fakeprop_torch.find())'
run env -i "$work/venv/bin/fakeprop" show
run env -i "$work/venv/bin/python" -m fakeprop propagate >"$work/annotations.json"
run env -i "$work/venv/bin/fakeprop" propagate | cmp - "$work/annotations.json"
echo "custom operators: well"
