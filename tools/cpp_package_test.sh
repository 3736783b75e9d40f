#!/usr/bin/env bash
# Installs the C++ package into an empty folder and builds examples/outside with it: by CMake, and with the flags of
# fakeprop.pc. LIBTORCH_HEADER is a header of the LibTorch that FAKE_LIBRARY was built with.
#
#   cpp_package_test.sh CPP_PACKAGE CORE_LIBRARY GRAPH FAKE_LIBRARY LIBTORCH_HEADER
set -euo pipefail
package=$PWD/$1 core=$PWD/$2 graph=$PWD/$3 fake=$PWD/$4 header=$(realpath "$5")
libtorch=${header%/include/torch/*}
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
refuses() {
  if cmake -S examples/outside/cmake -B "$build-$1" -DCMAKE_PREFIX_PATH="$3" -DWITH_FAKE=ON > "$TEST_TMPDIR/$1.log" 2>&1; then
    fail "a component was found that cannot be used: $1"
  fi
  tr -s ' \n' ' ' < "$TEST_TMPDIR/$1.log" | grep -q "$2" || fail "$(cat "$TEST_TMPDIR/$1.log")"
}
refuses no-fake "there is no component fake" "$prefix"

"$package" --core "$core" --fake "$fake" --libtorch "$libtorch" "$prefix"
refuses no-libtorch "the component fake needs LibTorch" "$prefix"
other=$TEST_TMPDIR/other_libtorch
mkdir -p "$other/include/torch/headeronly" "$other/lib"
sed 's/\(define TORCH_VERSION_MINOR\) .*/\1 1/' "$libtorch/include/torch/headeronly/version.h" > "$other/include/torch/headeronly/version.h"
ln -s "$libtorch"/lib/*.so "$other/lib"
refuses other-libtorch "but .* is of 2\.1\." "$prefix;$other"

cmake -S examples/outside/cmake -B "$build" -DCMAKE_PREFIX_PATH="$prefix;$libtorch" -DWITH_FAKE=ON > "$TEST_TMPDIR/cmake.log" || cat "$TEST_TMPDIR/cmake.log"
cmake --build "$build" > "$TEST_TMPDIR/build.log" || cat "$TEST_TMPDIR/build.log"
[ "$("$build/fakes")" = "[64, 1024] on cuda:0" ] || fail "not the layer on a GPU: $("$build/fakes")"
