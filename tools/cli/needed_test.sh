#!/usr/bin/env bash
# The program needs the C library alone; LibTorch and Z3 are opened on first need. The plug-in links LibTorch.
#   needed_test.sh PLUGIN PROGRAM
set -euo pipefail

needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

plugin=$1 program=$2
needed "$plugin" | grep -q '^libtorch_cpu' || { echo "$plugin does not need libtorch_cpu: this test sees nothing"; exit 1; }
if needed "$program" | grep -v '^lib\(c\|m\|dl\|pthread\)\.so\|^ld-linux'; then
  echo "$program needs the above too, and so does not run on a machine that lacks it"
  exit 1
fi
