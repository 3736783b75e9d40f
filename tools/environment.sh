# What tools/setup, tools/run and tools/test share. Sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
torch_version=2.13.0

debian_packages=(
  bazel-bootstrap bazel-rules-cc bazel-rules-java bazel-rules-proto bazel-skylib default-jdk-headless g++
  libcli11-dev libgtest-dev liblzma-dev libspdlog-dev libzstd-dev nlohmann-json3-dev python3 python3-pip zlib1g-dev
)

# Bazel with this project's settings; BAZEL_OUTPUT_BASE and BAZEL_DISK_CACHE move its folders elsewhere.
run_bazel() {
  local command=$1
  shift
  local startup=() options=(--ui_event_filters=-info,-debug)
  [ -n "${BAZEL_OUTPUT_BASE:-}" ] && startup+=("--output_base=$BAZEL_OUTPUT_BASE")
  [ -n "${BAZEL_DISK_CACHE:-}" ] && options+=("--disk_cache=$BAZEL_DISK_CACHE")
  [ -t 2 ] || options+=(--noshow_progress)
  (cd "$root" && bazel "${startup[@]}" "$command" "${options[@]}" "$@")
}
