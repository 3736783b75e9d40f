"""The platforms that tools/package builds for: what zig calls them, and what pip does."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Platform:
    name: str  # as users type it
    target: str  # zig's -target: machine, system, C library and its version
    tag: str  # of the wheel
    link_flags: tuple = ("-Wl,--gc-sections", "-Wl,--as-needed")
    program_flags: tuple = ()  # for the linker
    library_flags: tuple = ("-Wl,--version-script=fakeprop/c_api.lds", "-Wl,-soname,libfakeprop.so")
    compile_flags: tuple = ()
    program: str = "fakeprop"
    library: str = "libfakeprop.so"
    resources: tuple = ()  # of the program

    @property
    def is_windows(self):
        return "windows" in self.target


# spdlog calls fstat64, which musl declares on demand alone.
_MUSL = {"program_flags": ("-static", "-no-pie"), "compile_flags": ("-D_LARGEFILE64_SOURCE",)}
# The library has the functions of c_api.h for others, which say so. Python's come from the process that opens it.
_MACOS = {
    "link_flags": ("-Wl,-dead_strip", "-Wl,-x", "-Wl,-S"),
    "library_flags": ("-Wl,-undefined,dynamic_lookup", "-Wl,-install_name,@rpath/libfakeprop.dylib"),
    # Apple's float.h takes away a macro that toml++ asks for, and zig's that gives it back comes later.
    "compile_flags": ("-fvisibility=hidden", "-DTOML_DISABLE_ENVIRONMENT_CHECKS"),
    "library": "libfakeprop.dylib",
}
_WINDOWS = {
    "link_flags": ("-Wl,--gc-sections", "-lws2_32"),
    "library_flags": (),
    "compile_flags": ("-DWIN32_LEAN_AND_MEAN", "-DNOMINMAX", "-D_FILE_OFFSET_BITS=64"),
    "program": "fakeprop.exe",
    "resources": ("tools/cli/windows/fakeprop.rc",),
    "library": "fakeprop.dll",
}

PLATFORMS = {
    platform.name: platform
    for platform in [
        Platform("linux-x86_64", "x86_64-linux-gnu.2.28", "manylinux_2_28_x86_64", program_flags=("-no-pie",)),
        Platform("linux-aarch64", "aarch64-linux-gnu.2.28", "manylinux_2_28_aarch64", program_flags=("-no-pie",)),
        Platform("musl-x86_64", "x86_64-linux-musl", "musllinux_1_2_x86_64", **_MUSL),
        Platform("musl-aarch64", "aarch64-linux-musl", "musllinux_1_2_aarch64", **_MUSL),
        Platform("macos-arm64", "aarch64-macos.11.0", "macosx_11_0_arm64", **_MACOS),
        Platform("windows-x86_64", "x86_64-windows-gnu", "win_amd64", **_WINDOWS),
    ]
}


def native(tag):
    """This machine, for which Bazel builds."""
    return Platform("native", target="", tag=tag)
