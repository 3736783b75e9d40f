#!/usr/bin/env bash
# The program and the library that propagates link libc10 and nothing else of LibTorch, and no Z3; the plug-in links the rest.
#   needed_test.sh PLUGIN PROGRAM...
set -euo pipefail

needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

plugin=$1
shift
failed=0
needed "$plugin" | grep -q '^libtorch_cpu' || { echo "$plugin does not need libtorch_cpu: this test sees nothing"; failed=1; }
for program in "$@"; do
  needed "$program" | grep -q '^libc10\.so' || { echo "$program does not need libc10"; failed=1; }
  if needed "$program" | grep '^libtorch\|^libz3'; then
    echo "$program needs the above; only lib/libtorch_fallback may, and Z3 is opened on first need"
    failed=1
  fi
done
exit "$failed"
