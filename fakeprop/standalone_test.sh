#!/bin/bash
# Compiles each public header by itself. Of fakeprop, nothing but a copy of these headers is on the include path. Headers
# after --core have to do with the standard library, those after --libtorch can use LibTorch's headers, which lie around
# the first file there.
set -eu
include=$TEST_TMPDIR/include
failed=0

# compile HEADER FLAG...
compile() {
  local name=fakeprop/$(basename "$1")
  shift
  printf '#include "%s"\n#include <%s>\n' "$name" "$name" > "$include/uses.cc"
  "${CXX:-g++}" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I "$include" "$@" "$include/uses.cc" && return
  echo "$name does not compile by itself"
  failed=1
}

core=() with_libtorch=()
for word; do
  case $word in
    --core) list=core ;;
    --libtorch) list=with_libtorch ;;
    *) if [ $list = core ]; then core+=("$word"); else with_libtorch+=("$word"); fi ;;
  esac
done
torch=$(dirname "$(dirname "$(dirname "$(readlink -f "${with_libtorch[0]}")")")")
with_libtorch=("${with_libtorch[@]:1}")

mkdir -p "$include/fakeprop"
cp "${core[@]}" "${with_libtorch[@]}" "$include/fakeprop"
for header in "${core[@]}"; do compile "$header"; done
for header in "${with_libtorch[@]}"; do compile "$header" -isystem "$torch"; done
exit $failed
