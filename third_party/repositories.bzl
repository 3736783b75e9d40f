"""Where each dependency comes from; nothing else in this repository knows.

LibTorch is the torch wheel, the rest are Debian packages. README.md says what to write here for other sources.
"""

load(":rules.bzl", "debian_rules_cc", "debian_rules_java", "no_coverage_tools")
load(":system.bzl", "system_library")
load(":torch.bzl", "libtorch_repository")

def fakeprop_dependencies():
    libtorch_repository(name = "libtorch")
    system_library(
        name = "json",
        headers = ["nlohmann"],
        package = "nlohmann-json3-dev",
        target = "json",
    )
    system_library(
        name = "cli11",
        headers = ["CLI"],
        package = "libcli11-dev",
        target = "cli11",
    )
    system_library(
        name = "absl",
        headers = ["absl/" + part for part in [
            "algorithm",
            "base",
            "container",
            "memory",
            "meta",
            "types",
            "utility",
        ]],
        package = "libabsl-dev",
        target = "inlined_vector",
    )
    system_library(
        name = "spdlog",
        defines = [
            "FMT_HEADER_ONLY",
            "SPDLOG_FMT_EXTERNAL",
        ],
        headers = [
            "fmt",
            "spdlog",
        ],
        package = "libspdlog-dev",
        target = "spdlog",
    )

    # Headers alone.
    system_library(
        name = "tomlplusplus",
        headers = ["toml++"],
        package = "libtomlplusplus-dev",
        target = "tomlplusplus",
    )
    system_library(
        name = "zlib",
        headers = ["zlib.h"],
        linkopts = ["-l:libz.a"],
        package = "zlib1g-dev",
        target = "zlib",
    )
    system_library(
        name = "zip",
        headers = [
            "zip.h",
            "zipconf.h",
        ],
        linkopts = ["-lzip"],
        package = "libzip-dev",
        target = "zip",
    )
    system_library(
        name = "xz",
        headers = [
            "lzma",
            "lzma.h",
        ],
        linkopts = ["-l:liblzma.a"],
        package = "liblzma-dev",
        target = "lzma",
    )
    system_library(
        name = "zstd",
        headers = [
            "zstd.h",
            "zstd_errors.h",
        ],
        linkopts = ["-l:libzstd.a"],
        package = "libzstd-dev",
        target = "zstd",
    )

    # Its headers alone: lib/prove opens the library when it is needed.
    system_library(
        name = "z3",
        headers = [
            "z3.h",
            "z3_algebraic.h",
            "z3_api.h",
            "z3_ast_containers.h",
            "z3_fixedpoint.h",
            "z3_fpa.h",
            "z3_macros.h",
            "z3_optimization.h",
            "z3_polynomial.h",
            "z3_rcf.h",
            "z3_spacer.h",
        ],
        package = "libz3-dev",
        target = "z3",
    )

    # Tests take googletest's main too.
    system_library(
        name = "googletest",
        headers = ["gtest"],
        linkopts = [
            "-lgtest_main",
            "-lgtest",
            "-lpthread",
        ],
        package = "libgtest-dev",
        target = "gtest",
    )
    debian_rules_cc(name = "rules_cc")
    debian_rules_java(name = "rules_java")
    no_coverage_tools(name = "remote_coverage_tools")
