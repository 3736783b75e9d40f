"""Builds the program and the library for another platform: zig compiles the sources that Bazel joined.

Bazel's BUILD files stay the one list of sources (tools/joined). zig, from PyPI, brings a compiler, linker and C and C++
libraries for every platform. Small libraries are compiled of Debian's source packages.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

from package_steps import bazel, third_party

ZIG_VERSION = "0.17.1"
_BAZEL_TARGET = "//tools/joined:release_sources"
# By itself -Os inlines so much that the code is a sixth larger.
_SMALL = ["-Os", "-mllvm", "-inline-threshold=15"]
_OPTIMIZE = [*_SMALL, "-DNDEBUG", "-fPIC", "-ffunction-sections", "-fdata-sections", "-fmerge-all-constants", "-g0"]
_CXX = ["-std=c++20", "-fvisibility-inlines-hidden", "-DFMT_HEADER_ONLY", "-DSPDLOG_FMT_EXTERNAL"]
_LINK = ["-Os", "-s"]


class ZigBuild:
    """`root` is the repository, `work` a folder for what is fetched and compiled."""

    def __init__(self, root, work, jobs):
        self.root = root
        self.work = work
        self.fetched = work / "sources"
        self.jobs = jobs
        self.zig = _zig(work / "zig")
        self.sources = _joined_sources(root)

    def build(self, platform):
        """The paths of the program and the library."""
        folder = self.work / platform.name
        folder.mkdir(parents=True, exist_ok=True)
        flags = self.cxx_flags()
        own = [(part, folder / f"{part.stem}.o", flags) for part in self.sources.parts]
        own += [
            (self.root / name, folder / f"{pathlib.Path(name).stem}.o", ["-w"])
            for name in third_party.kept_sources(platform)
        ]
        kept = [job for library in third_party.COMPILED for job in self.library_jobs(library, folder)]
        self.compile_all(platform, own + kept)
        objects = [target for _, target, _ in own + kept]
        program, library = folder / platform.program, folder / platform.library
        self.link(platform, [*objects, *platform.program_flags, *platform.resources], program)
        exports = [_write_exports(self.root, folder)] if platform.is_windows else []
        self.link(platform, [*objects, "-shared", *platform.library_flags, *exports], library)
        return program, library

    def toolchain(self, platform):
        """The libraries that zig links in: name, version and license."""
        llvm = [
            (name, f"zig {ZIG_VERSION}", "Apache-2.0 WITH LLVM-exception")
            for name in ("compiler-rt", "libc++", "libunwind")
        ]
        c_library = {"musl": "MIT", "mingw-w64": "ZPL-2.1"}
        name = "mingw-w64" if platform.is_windows else "musl" if "musl" in platform.target else None
        return llvm + ([(name, f"zig {ZIG_VERSION}", c_library[name])] if name else [])

    def cxx_flags(self):
        headers = [self.sources.external / library / "include" for library in self.sources.libraries]
        compiled = [f"-I{include}" for library in third_party.COMPILED for include in self.includes(library)]
        quoted = [str(self.root), str(self.sources.generated), str(self.sources.generated.parent.parent.parent)]
        return [
            *_CXX,
            *(f"-iquote{folder}" for folder in quoted),
            *compiled,
            *(f"-isystem{folder}" for folder in headers),
            *(f"-isystem{self.root / 'third_party' / name}" for name in ("httplib", "termbox2")),
        ]

    def library_jobs(self, library, folder):
        source = third_party.fetch(library, self.fetched)
        flags = ["-w", *library.flags, *(f"-I{include}" for include in self.includes(library))]
        files = [path for pattern in library.sources for path in sorted(source.glob(pattern))]
        return [(path, folder / f"{library.name}-{path.stem}.o", flags) for path in files]

    def includes(self, library):
        return [self.fetched / library.package / include for include in library.includes]

    def compile_all(self, platform, jobs):
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for done in [pool.submit(self.compile, platform, *job) for job in jobs]:
                done.result()

    def compile(self, platform, source, target, flags):
        paths = [f"-ffile-prefix-map={self.root}=.", f"-ffile-prefix-map={self.work}=packages"]
        self.run(
            "cc" if source.suffix == ".c" else "c++", platform, [*_OPTIMIZE, *platform.compile_flags, *flags, *paths, "-c", source, "-o", target]
        )

    def link(self, platform, arguments, target):
        self.run("c++", platform, [*_LINK, *platform.link_flags, *arguments, "-o", target])

    def run(self, command, platform, arguments):
        environment = {
            **os.environ,
            "ZIG_GLOBAL_CACHE_DIR": self.work / "zig-cache",
            "ZIG_LOCAL_CACHE_DIR": self.work / "zig-cache",
        }
        subprocess.run(
            [*self.zig, command, "-target", platform.target, *arguments], check=True, env=environment, cwd=self.root
        )


def _write_exports(root, folder):
    """The module-definition file with the functions that a library for Windows has for others."""
    names = re.findall(r"^[\w* ]*\b(fakeprop_\w+)\(", (root / "fakeprop/c_api.h").read_text(encoding="utf-8"), re.MULTILINE)
    names += re.findall(r'^extern "C" .*\b(fakeprop_\w+)\(', (root / "lib/api/python_api.cc").read_text(encoding="utf-8"), re.MULTILINE)
    path = folder / "c_api.def"
    path.write_text("".join(["EXPORTS\n", *(f"  {name}\n" for name in sorted(set(names)))]), encoding="utf-8")
    return path


class JoinedSources:
    """What Bazel writes, and where headers of libraries are."""

    def __init__(self, root, output_base):
        self.generated = (root / "bazel-bin").resolve()
        self.parts = sorted((root / "bazel-bin/tools/joined/release_sources").glob("part_*.cc"))
        self.external = output_base / "external"
        self.libraries = ["json", "cli11", "spdlog", "tomlplusplus", "absl", "z3"]


def _joined_sources(root):
    shutil.rmtree(root / "bazel-bin/tools/joined/release_sources", ignore_errors=True)  # of an earlier number of files
    bazel.build(root, _BAZEL_TARGET)
    return JoinedSources(root, pathlib.Path(bazel.output_base(root)))


def _zig(folder):
    """The command for zig, which pip installs where it is not there yet."""
    if not (folder / "ziglang").is_dir():
        pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
        subprocess.run([*pip, "--target", folder, f"ziglang=={ZIG_VERSION}"], check=True)
    return [folder / "ziglang" / "zig"]
