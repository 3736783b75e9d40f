#!/usr/bin/env bash
# Installs the C++ package into an empty folder and builds examples/outside with it: by CMake, and with the flags of
# fakeprop.pc.
#
#   cpp_package_test.sh CPP_PACKAGE CORE_LIBRARY GRAPH
set -euo pipefail
package=$PWD/$1 core=$PWD/$2 graph=$PWD/$3
prefix=$TEST_TMPDIR/prefix build=$TEST_TMPDIR/build

fail() {
  echo "$*" >&2
  exit 1
}

"$package" --core "$core" "$prefix"
cmake -S examples/outside/cmake -B "$build" -DCMAKE_PREFIX_PATH="$prefix" > "$TEST_TMPDIR/cmake.log" || cat "$TEST_TMPDIR/cmake.log"
cmake --build "$build" > "$TEST_TMPDIR/build.log" || cat "$TEST_TMPDIR/build.log"
said=$("$build/shapes" "$graph")
grep -q "^conv2d f32\[2, 16, 32, 32\] on cpu$" <<< "$said" || fail "not the shapes of the graph: $said"
grep -q "^inputs of another graph: the inputs are of" <<< "$said" || fail "no exception: $said"

flags=$(sed "s|^prefix=.*|prefix=$prefix|; s|\${prefix}|$prefix|g" "$prefix/lib/pkgconfig/fakeprop.pc")
cflags=$(sed -n 's/^Cflags: //p' <<< "$flags") libs=$(sed -n 's/^Libs: //p' <<< "$flags")
# shellcheck disable=SC2086 # flags are words
g++ $cflags examples/outside/shapes.cc $libs -Wl,-rpath,"$prefix/lib" -o "$TEST_TMPDIR/shapes"
[ "$("$TEST_TMPDIR/shapes" "$graph")" = "$said" ] || fail "pkg-config's flags build another program"

# A component that is not there is an error that says so.
if cmake -S examples/outside/cmake -B "$build-fake" -DCMAKE_PREFIX_PATH="$prefix" -DWITH_FAKE=ON > "$TEST_TMPDIR/fake.log" 2>&1; then
  fail "a component was found that is not there"
fi
grep -q "there is no component fake" "$TEST_TMPDIR/fake.log" || fail "$(cat "$TEST_TMPDIR/fake.log")"
