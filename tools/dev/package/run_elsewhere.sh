#!/usr/bin/env bash
# Runs a program for another processor by qemu-user, or one for Windows by Wine: as NEW of tools/dev/compare_binaries.py.
#
#   PROGRAM=.package/linux-aarch64/fakeprop tools/dev/compare_binaries.py OLD tools/dev/package/run_elsewhere.sh --corpus DIR
#
# SYSROOT has the loader and libc (Debian: libc6-arm64-cross, in /usr/aarch64-linux-gnu); a static program needs none.
# WINE is the command of Wine (Debian's wine64: /usr/lib/wine/wine64).
if [[ $PROGRAM == *.exe ]]; then
  export WINEDEBUG=-all
  exec "${WINE:-wine}" "$PROGRAM" "$@"
fi
exec "qemu-${MACHINE:-aarch64}-static" ${SYSROOT:+-L "$SYSROOT"} "$PROGRAM" "$@"
