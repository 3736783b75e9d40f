#!/usr/bin/env bash
# Installs a wheel in a Debian with nothing but Python and pip, and lints graphs there, by hand and as root.
#
#   check_bare_system.sh WHEEL GRAPH... [--chroot FOLDER]
#
# debootstrap makes the system; with --chroot it stays in FOLDER, and is taken from there if it is. Prints the graphs for
# which the status is not 0, and exits with 1 if there are any.
set -euo pipefail
graphs=() chroot=""
wheel=$1
shift
while [ $# -gt 0 ]; do
  if [ "$1" = --chroot ]; then chroot=$2 && shift; else graphs+=("$1"); fi
  shift
done
if [ -z "$chroot" ]; then
  chroot=$(mktemp -d)
  trap 'rm -rf "$chroot"' EXIT
fi
[ -e "$chroot/usr/bin/pip3" ] || debootstrap --variant=minbase --include=python3,python3-pip bookworm "$chroot" >/dev/null

rm -rf "$chroot/check"
mkdir "$chroot/check"
cp "$wheel" "${graphs[@]}" "$chroot/check"
chroot "$chroot" pip3 install --quiet --no-index --break-system-packages --root-user-action=ignore --force-reinstall \
  "/check/$(basename "$wheel")"
failed=0
for graph in "${graphs[@]}"; do
  said=$(chroot "$chroot" /usr/local/bin/fakeprop lint "/check/$(basename "$graph")" --recorded 2>&1) || {
    failed=$((failed + 1))
    printf '%s\n%s\n' "$graph" "$(tail -n 3 <<<"$said")"
  }
done
echo "${#graphs[@]} graphs, $failed with findings"
[ "$failed" = 0 ]
