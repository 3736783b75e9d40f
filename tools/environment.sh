# What tools/setup, tools/run and tools/test share. Sourced, never run.

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
