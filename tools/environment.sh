# What tools/setup, tools/run, tools/test, tools/format and tools/tidy share. Sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The status of tools/run and tools/setup when the machine or the build is at fault; the program's own are 0, 1 and 2.
readonly unable=3

# Bazel with this project's settings; BAZEL_OUTPUT_BASE and BAZEL_DISK_CACHE move its folders elsewhere.
run_bazel() {
  local command=$1
  shift
  local startup=() options=(--ui_event_filters=-info,-debug)
  [ -z "${BAZEL_OUTPUT_BASE:-}" ] || startup+=("--output_base=$BAZEL_OUTPUT_BASE")
  [ -z "${BAZEL_DISK_CACHE:-}" ] || options+=("--disk_cache=$BAZEL_DISK_CACHE")
  [ -t 2 ] || options+=(--noshow_progress)
  (cd "$root" && bazel "${startup[@]}" "$command" "${options[@]}" "$@" </dev/null)
}

# Builds and says nothing, unless it fails or takes long. On a terminal Bazel shows its progress.
build_quietly() {
  if [ -t 2 ]; then
    run_bazel build --show_result=0 "$@" >&2
    return
  fi
  local log build status
  log=$(mktemp)
  exec {build}< <(run_bazel build "$@" >"$log" 2>&1 && echo 0 || echo "$?")
  if ! read -r -t 5 -u "$build" status; then
    echo "building $*; the first time takes several minutes" >&2
    read -r -u "$build" status
  fi
  exec {build}<&-
  [ "$status" = 0 ] || cat "$log" >&2
  rm -f "$log"
  return "$status"
}

# --- Messages ---

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# The first argument is what is wrong, the others are lines that say what can be done.
fail() {
  printf '%s: error: %s\n' "${0##*/}" "$1" >&2
  shift
  [ $# = 0 ] || printf '  %s\n' "$@" >&2
  exit "$unable"
}

# Runs a command whose output matters only when it fails.
quietly() {
  local output
  output=$("$@" 2>&1 </dev/null) || {
    printf '%s\n' "$output" | tail -n 20 >&2
    return 1
  }
}

# --- Debian packages ---

has_debian_packages() { command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; }

# Installs those of these Debian packages that are missing, as root or through sudo.
install_packages() {
  local missing
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  local install="apt-get install --no-install-recommends $missing" as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "Debian packages are missing, and only root can install them:" "$install"
    as_root=(sudo)
  fi
  say "installing Debian packages: $missing"
  quietly "${as_root[@]}" apt-get update ||
    fail "apt-get update failed (is there a network?). What is missing, to be run as root:" "$install"
  # shellcheck disable=SC2086
  quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing ||
    fail "apt-get could not install all of: $missing" "Is there a network, and has this release all of them? README.md, \"Other systems\", has other ways"
}

missing_packages() {
  local installed package missing=()
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  for package; do
    [[ $'\n'$installed$'\n' == *$'\ninstalled '"$package"$'\n'* ]] || missing+=("$package")
  done
  printf '%s' "${missing[*]}"
}

# --- Tools of clang ---

# Versions of them disagree, so it is those of Debian 12.
readonly clang_version=14

# Prints the command for clang-format or clang-tidy. Where it is missing, its Debian package gets installed.
clang_tool() {
  ! find_clang_tool "$1" || return 0
  if has_debian_packages; then install_packages "$1-$clang_version"; fi
  find_clang_tool "$1" || fail "there is no $1 $clang_version on the PATH" \
    "This is not a Debian system. One way to get it: python3 -m pip install '$1==$clang_version.*'"
}

find_clang_tool() {
  local command
  for command in "$1-$clang_version" "$1"; do
    if [[ $("$command" --version 2>/dev/null) == *"version $clang_version."* ]]; then
      printf '%s' "$command"
      return
    fi
  done
  return 1
}
