#!/usr/bin/env bash
# tools/setup on machines that lack something: the commands it calls are stand-ins that write down how they were called.
set -uo pipefail

source_root=$PWD
failures=0 cases=0

# A machine where everything is installed and LibTorch is in place. Each case takes something away.
machine() {
  cases=$((cases + 1)) name=$1
  work=$TEST_TMPDIR/$cases
  repo=$work/repo bin=$work/bin calls=$work/calls
  mkdir -p "$repo/tools" "$repo/third_party" "$bin"
  cp -L "$source_root"/tools/{setup,environment.sh} "$repo/tools"
  cp -L "$source_root/third_party/torch.bzl" "$repo/third_party"
  touch "$calls"
  local tool
  for tool in bash cat cp dirname env flock grep mkdir mv rm sed tail; do
    ln -s "$(PATH=/bin:/usr/bin command -v "$tool")" "$bin/$tool"
  done
  not_installed='' user_id=0
  command_stub apt-get 'echo "apt-get $*" >>"$CALLS"'
  command_stub sudo 'echo "sudo $*" >>"$CALLS"; "$@"'
  command_stub id 'echo "$USER_ID"'
  command_stub dpkg-query 'shift 2; for p; do [[ " $NOT_INSTALLED " == *" $p "* ]] || echo "installed $p"; done'
  command_stub python3 '
    [ "$3" != --version ] || exit 0
    while [ "$1" != --target ]; do shift; done
    echo "pip $*" | sed "s|$REPO/||" >>"$CALLS"
    echo "constraint $PIP_CONSTRAINT" >>"$CALLS"
    for wheel in "${@:3}"; do cp -r "$WHEELS/$wheel/." "$2" 2>/dev/null || { mkdir -p "$2" && cp -r "$WHEELS/$wheel/." "$2"; }; done'
  libtorch "$repo/.libtorch/torch" 15
}

command_stub() {
  printf '#!/bin/bash\n%s\n' "$2" >"$bin/$1"
  chmod +x "$bin/$1"
}

# A folder that looks like LibTorch 2.<minor>.0.
libtorch() {
  mkdir -p "$1/lib" "$1/include/torch/headeronly"
  touch "$1"/lib/lib{c10.so,torch_cpu.so,gomp.so.1}
  printf '#define TORCH_VERSION_%s\n' 'MAJOR 2' "MINOR $2" 'PATCH 0' 'ABI_TAG 0' >"$1/include/torch/headeronly/version.h"
}

# What pip finds where it takes the CUDA build of a release: cuda_wheels RELEASE CUPTI_VERSION RUNTIME_VERSION
cuda_wheels() {
  local wheel
  touch "$work/wheels/torch==$1/torch/lib/libtorch_cuda.so"
  for wheel in nvidia-cuda-cupti==$2:libcupti nvidia-cuda-runtime==$3:libcudart; do
    mkdir -p "$work/wheels/${wheel%:*}/nvidia/cu13/lib"
    touch "$work/wheels/${wheel%:*}/nvidia/cu13/lib/${wheel#*:}.so.13"
  done
}

# Runs tools/setup with the environment variables that are given.
set_up() {
  output=$(env -i PATH="$bin" CALLS="$calls" REPO="$repo" WHEELS="$work/wheels" NOT_INSTALLED="$not_installed" \
    USER_ID="$user_id" "$@" "$repo/tools/setup" 2>&1)
  status=$?
}

expect() {
  if ! "$@"; then
    failures=$((failures + 1))
    printf '%s: not so: %s\nstatus %s, output:\n%s\ncalls:\n%s\n\n' "$name" "$*" "$status" "$output" "$(cat "$calls")"
  fi
}
status_is() { [ "$status" = "$1" ]; }
says() { [[ $output == *"$1"* ]]; }
says_nothing() { [ -z "$output" ]; }
called() { grep -qF -- "$1" "$calls"; }
called_nothing() { [ ! -s "$calls" ]; }
remembers() { grep -qxF "build --repo_env=LIBTORCH=$1" "$repo/user.bazelrc"; }
exists() { [ -e "$1" ]; }
is_gone() { [ ! -e "$1" ]; }

machine 'nothing is missing'
set_up
expect status_is 0
expect says_nothing
expect called_nothing
expect remembers "$repo/.libtorch/torch"

machine 'packages are missing'
not_installed='libgtest-dev zlib1g-dev'
set_up
expect status_is 0
expect says 'setup: installing Debian packages: libgtest-dev zlib1g-dev'
expect called 'apt-get update'
expect called 'apt-get install -y --no-install-recommends libgtest-dev zlib1g-dev'

machine 'packages are missing, and the user is not root'
not_installed=libgtest-dev user_id=1000
set_up
expect status_is 0
expect called 'sudo env DEBIAN_FRONTEND=noninteractive apt-get install'

machine 'packages are missing, and there is no way to become root'
not_installed='libgtest-dev zlib1g-dev' user_id=1000
rm "$bin/sudo"
set_up
expect status_is 3
expect says 'apt-get install --no-install-recommends libgtest-dev zlib1g-dev'
expect called_nothing

machine 'packages are missing, and so is the network'
not_installed=libgtest-dev
command_stub apt-get 'echo "Temporary failure resolving"; exit 100'
set_up
expect status_is 3
expect says 'Temporary failure resolving'
expect says 'apt-get install --no-install-recommends libgtest-dev'

machine 'a package does not exist in this release'
not_installed=bazel-bootstrap
command_stub apt-get '[ "$1" = update ] || { echo "E: Unable to locate package bazel-bootstrap"; exit 100; }'
set_up
expect status_is 3
expect says 'Unable to locate package bazel-bootstrap'
expect says 'could not install all of: bazel-bootstrap'

machine 'not Debian'
rm "$bin"/{apt-get,dpkg-query}
set_up
expect status_is 3
expect says 'these commands are missing: bazel g++'
expect says nlohmann-json3-dev

machine 'not Debian, with all commands'
rm "$bin"/{apt-get,dpkg-query}
command_stub bazel ''
command_stub g++ ''
set_up
expect status_is 0
expect says_nothing

machine 'no LibTorch'
rm -r "$repo/.libtorch"
libtorch "$work/wheels/torch==2.15.0/torch" 15
touch "$work/wheels/torch==2.15.0/torch/lib/libtorch_python.so"
set_up
expect status_is 0
expect says 'installing LibTorch 2.15.0 from the torch wheel into .libtorch'
expect called 'torch==2.15.0'
expect exists "$repo/.libtorch/torch/lib/libtorch_cpu.so"
expect is_gone "$repo/.libtorch/torch/lib/libtorch_python.so"
expect is_gone "$repo/.libtorch.partial"
expect remembers "$repo/.libtorch/torch"

machine 'an old LibTorch, and pip finds a CUDA build'
libtorch "$repo/.libtorch/torch" 13
echo "build --repo_env=LIBTORCH=$repo/.libtorch/torch" >"$repo/user.bazelrc"
libtorch "$work/wheels/torch==2.15.0/torch" 15
cuda_wheels 2.15.0 13.2.86 13.2.86
set_up
expect status_is 0
expect exists "$repo/.libtorch/torch/lib/libcupti.so.13"
expect exists "$repo/.libtorch/torch/lib/libcudart.so.13"
expect is_gone "$repo/.libtorch/torch/lib/libtorch_cuda.so"
set_up
expect says_nothing

machine 'pip is told to stay below a version'
rm -r "$repo/.libtorch"
libtorch "$work/wheels/torch==2.15.0/torch" 15
set_up PIP_CONSTRAINT=/etc/constraints.txt
expect status_is 0
expect called 'constraint /dev/null'

machine 'another version is asked for'
libtorch "$work/wheels/torch==2.13.0/torch" 13
cuda_wheels 2.13.0 13.0.85 13.0.96
set_up LIBTORCH_VERSION=2.13
expect status_is 0
expect says 'installing LibTorch 2.13.0 from the torch wheel into .libtorch-2.13.0'
expect exists "$repo/.libtorch-2.13.0/torch/lib/libcudart.so.13"
expect exists "$repo/.libtorch/torch/lib/libtorch_cpu.so"
expect remembers "$repo/.libtorch-2.13.0/torch"
set_up LIBTORCH_VERSION=2.13.0
expect says_nothing
set_up # the default again
expect status_is 0
expect says_nothing
expect remembers "$repo/.libtorch/torch"

machine 'a version that is not supported is asked for'
set_up LIBTORCH_VERSION=2.12
expect status_is 3
expect says 'LIBTORCH_VERSION=2.12 is no version that fakeprop builds with: 2.15, 2.14 or 2.13'
expect called_nothing

machine 'pip fails'
rm -r "$repo/.libtorch"
command_stub python3 '[ "$3" = --version ] || { mkdir -p "$REPO/.libtorch.partial"; echo "No matching distribution found"; exit 1; }'
set_up
expect status_is 3
expect says 'No matching distribution found'
expect says 'LIBTORCH=/that/folder tools/setup'
expect is_gone "$repo/.libtorch.partial"

machine 'no pip'
rm -r "$repo/.libtorch"
command_stub python3 'exit 1'
set_up
expect status_is 3
expect says 'python3 has no pip'

machine 'a LibTorch of the user'
rm -r "$repo/.libtorch"
libtorch "$work/own" 14
echo 'build --jobs=1' >"$repo/user.bazelrc"
set_up LIBTORCH="$work/own"
expect status_is 0
expect called_nothing
expect remembers "$work/own"
expect grep -qx 'build --jobs=1' "$repo/user.bazelrc"
set_up # without LIBTORCH
expect status_is 0
expect says_nothing
expect remembers "$work/own"

machine 'a LibTorch of another version'
libtorch "$work/own" 12
set_up LIBTORCH="$work/own"
expect status_is 3
expect says "LIBTORCH=$work/own is LibTorch 2.12.0; fakeprop needs 2.15, 2.14 or 2.13"

machine 'LIBTORCH names something else'
set_up LIBTORCH="$work"
expect status_is 3
expect says "LIBTORCH=$work holds no LibTorch"

echo "$cases cases, $failures failures"
[ "$failures" = 0 ]
