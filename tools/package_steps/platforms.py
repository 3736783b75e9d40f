"""The platforms that tools/package builds for: what zig calls them, and what pip does."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Platform:
    name: str  # as users type it
    target: str  # zig's -target: machine, system, C library and its version
    tag: str  # of the wheel
    program_flags: tuple = ()  # for the linker
    compile_flags: tuple = ()
    program: str = "fakeprop"
    library: str = "libfakeprop.so"


# spdlog calls fstat64, which musl declares on demand alone.
_MUSL = {"program_flags": ("-static", "-no-pie"), "compile_flags": ("-D_LARGEFILE64_SOURCE",)}

PLATFORMS = {
    platform.name: platform
    for platform in [
        Platform("linux-x86_64", "x86_64-linux-gnu.2.28", "manylinux_2_28_x86_64", ("-no-pie",)),
        Platform("linux-aarch64", "aarch64-linux-gnu.2.28", "manylinux_2_28_aarch64", ("-no-pie",)),
        Platform("musl-x86_64", "x86_64-linux-musl", "musllinux_1_2_x86_64", **_MUSL),
        Platform("musl-aarch64", "aarch64-linux-musl", "musllinux_1_2_aarch64", **_MUSL),
    ]
}
