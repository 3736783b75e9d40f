#!/usr/bin/env bash
# tools/format with a stand-in for clang-format, which changes files that hold the word `wrong`.
set -uo pipefail

source_root=$PWD
failures=0 cases=0

# A machine with the commands that tools/format calls, and a checkout with two files.
machine() {
  cases=$((cases + 1)) name=$1
  work=$TEST_TMPDIR/$cases
  repo=$work/repo bin=$work/bin calls=$work/calls
  mkdir -p "$repo/tools" "$bin"
  cp -L "$source_root"/tools/{format,environment.sh} "$repo/tools"
  printf 'right\n' >"$repo/a.cc"
  printf 'wrong\n' >"$repo/b.h"
  touch "$calls"
  local tool
  for tool in bash cat chmod cp dirname env grep nproc sed sort tail wc xargs; do
    ln -s "$(PATH=/bin:/usr/bin command -v "$tool")" "$bin/$tool"
  done
  stub git '[ "$1" = ls-files ] && printf "%s\n" a.cc b.h'
  clang_format 14
}

stub() {
  printf '#!/bin/bash\n%s\n' "$2" >"$bin/$1"
  chmod +x "$bin/$1"
}

clang_format() {
  stub clang-format '
    [ "$1" != --version ] || { echo "Debian clang-format version '"$1"'.0.6"; exit; }
    for file in "${@:3}"; do
      [ -e "$file" ] || { echo "No such file: $file" >&2; exit 1; }
      case $2 in
        -i) sed -i s/wrong/right/ "$file" ;;
        *) ! grep -q wrong "$file" || echo "$file:1:2: warning: code should be clang-formatted [-Wclang-format-violations]" >&2 ;;
      esac
    done'
}

format() {
  output=$(cd "$repo" && env -i PATH="$bin" CALLS="$calls" BIN="$bin" tools/format "$@" 2>&1)
  status=$?
}

expect() {
  if ! "$@"; then
    failures=$((failures + 1))
    printf '%s: not so: %s\nstatus %s, output:\n%s\n\n' "$name" "$*" "$status" "$output"
  fi
}
status_is() { [ "$status" = "$1" ]; }
says() { [[ $output == *"$1"* ]]; }
says_nothing() { [ -z "$output" ]; }
holds() { grep -qx "$2" "$repo/$1"; }

machine 'check'
format --check
expect status_is 1
expect says $'b.h\nformat: 1 of 2 files differ'
expect holds b.h wrong
format --check a.cc
expect status_is 0
expect says_nothing
format --check none.cc
expect status_is 3
expect says 'No such file: none.cc'

machine 'apply'
format a.cc
expect status_is 0
expect holds b.h wrong
format
expect status_is 0
expect says_nothing
expect holds b.h right

machine 'another version, and no way to install ours'
clang_format 16
format --check
expect status_is 3
expect says "there is no clang-format 14 on the PATH"
expect says "pip install 'clang-format==14.*'"

machine 'the package gets installed'
mv "$bin/clang-format" "$work"
cp "$work/clang-format" "$work/clang-format-14"
stub apt-get 'echo "$*" >>"$CALLS"; [ "$1" = update ] || cp '"$work"'/clang-format-14 "$BIN"'
stub dpkg-query ''
stub id 'echo 0'
format --check
expect status_is 1
expect says 'format: installing Debian packages: clang-format-14'
expect grep -qx 'install -y --no-install-recommends clang-format-14' "$calls"

echo "$cases cases, $failures failures"
[ "$failures" = 0 ]
