#!/bin/sh
# compare.sh PRINT_OPERATORS KIND FILE [--update]: whether a file is what the tool prints; with --update writes it anew.
set -eu
printed=$(mktemp)
"$1" "$2" > "$printed"
if [ "${4:-}" = --update ]; then
  cp "$printed" "$(readlink -f "$3")"
else
  diff "$3" "$printed"
fi
