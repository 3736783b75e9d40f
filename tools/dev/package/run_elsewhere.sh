#!/usr/bin/env bash
# Runs a program of another kind of processor by qemu-user: as NEW of tools/dev/compare_binaries.py.
#
#   PROGRAM=.package/linux-aarch64/fakeprop tools/dev/compare_binaries.py OLD tools/dev/package/run_elsewhere.sh --corpus DIR
#
# SYSROOT has the loader and libc (Debian: libc6-arm64-cross, in /usr/aarch64-linux-gnu); a static program needs none.
exec "qemu-${MACHINE:-aarch64}-static" ${SYSROOT:+-L "$SYSROOT"} "$PROGRAM" "$@"
