#!/usr/bin/env bash
# The Bazel project in outside/bazel loads the WORKSPACE macro of this repository, all of its targets resolve, and its program
# compiles against the public headers. With `--whole` it is built and its tests run, which compiles fakeprop once more.
#
#   outside_bazel_test.sh WORKSPACE [--whole]    # the file of this repository
#   bazel test --test_env=BAZEL_DISK_CACHE //examples:outside_bazel_whole_test
set -euo pipefail
root=$(dirname "$(realpath "$1")")
project=$TEST_TMPDIR/project
export HOME=$TEST_TMPDIR

cp -rL "$root/examples/outside/bazel" "$project"
rm -rf "$project"/bazel-*
sed -i "s|path = \"../../..\"|path = \"$root\"|" "$project/WORKSPACE"
cd "$project"

run_bazel() {
  local command=$1
  shift
  bazel --output_base="$TEST_TMPDIR/output" --max_idle_secs=5 "$command" ${BAZEL_DISK_CACHE:+--disk_cache="$BAZEL_DISK_CACHE"} "$@" \
    >"$TEST_TMPDIR/log" 2>&1 || { cat "$TEST_TMPDIR/log" >&2; exit 1; }
}
trap 'bazel --output_base="$TEST_TMPDIR/output" shutdown >/dev/null 2>&1' EXIT

if [ "${2:-}" = --whole ]; then
  run_bazel test //...
  run_bazel build //:shapes
  bazel-bin/shapes net.json | grep -q "^conv2d f32\[2, 16, 32, 32\] on cpu$" || { echo "not the shapes of the graph" >&2; exit 1; }
else
  run_bazel build --nobuild //...
  run_bazel build --output_groups=compilation_outputs //:shapes
fi
