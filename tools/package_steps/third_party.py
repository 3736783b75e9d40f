"""The libraries that are linked into the binaries: versions, licenses, and the sources of those that are compiled."""

import dataclasses
import pathlib
import re
import subprocess


@dataclasses.dataclass(frozen=True)
class Library:
    name: str
    license: str  # an SPDX expression
    package: str  # Debian's: its headers, or its source
    sources: tuple = ()  # globs in the source package; none: headers alone
    includes: tuple = ()  # folders of the source package
    flags: tuple = ()


_XZ_DECODERS = [
    f"-DHAVE_DECODER_{name}" for name in "LZMA1 LZMA2 X86 POWERPC IA64 ARM ARMTHUMB ARM64 SPARC DELTA".split()
]
_XZ_CHECKS = [f"-DHAVE_CHECK_{name}" for name in "CRC32 CRC64 SHA256".split()]
_XZ_COMMON = """common block_util filter_common index stream_flags_common vli_size block_decoder block_header_decoder
    filter_decoder filter_flags_decoder index_hash stream_decoder stream_flags_decoder vli_decoder""".split()

COMPILED = [
    Library(
        "zlib",
        "Zlib",
        "zlib",
        sources=(
            "adler32.c",
            "compress.c",
            "crc32.c",
            "deflate.c",
            "inffast.c",
            "inflate.c",
            "inftrees.c",
            "trees.c",
            "uncompr.c",
            "zutil.c",
        ),
        includes=(".",),
        flags=("-Dfdopen=fdopen",),  # for macOS zlib 1.2 makes it a macro that breaks the system's header
    ),
    Library(
        "zstd",
        "BSD-3-Clause",
        "libzstd",
        sources=("lib/common/*.c", "lib/decompress/*.c"),
        includes=("lib",),
        flags=("-DZSTDLIB_VISIBLE=", "-DZSTD_DISABLE_ASM", "-DZSTD_LEGACY_SUPPORT=0", "-DZSTD_STRIP_ERROR_STRINGS=0"),
    ),
    Library(
        "liblzma",
        "LicenseRef-public-domain",
        "xz-utils",
        sources=(
            *(f"src/liblzma/common/{name}.c" for name in _XZ_COMMON),
            *(
                f"src/liblzma/check/{name}.c"
                for name in "check crc32_fast crc32_table crc64_fast crc64_table sha256".split()
            ),
            *(f"src/liblzma/delta/delta_{name}.c" for name in ("common", "decoder")),
            *(f"src/liblzma/lz{name}.c" for name in ("/lz_decoder", "ma/lzma_decoder", "ma/lzma2_decoder")),
            *(
                f"src/liblzma/simple/{name}.c"
                for name in "arm arm64 armthumb ia64 powerpc simple_coder simple_decoder sparc x86".split()
            ),
        ),
        includes=(
            "src/common",
            *(f"src/liblzma/{name}" for name in "api check common delta lz lzma rangecoder simple".split()),
        ),
        flags=(
            "-DHAVE_DECODERS",
            "-DHAVE_STDBOOL_H",
            "-DHAVE_STDINT_H",
            "-DHAVE_INTTYPES_H",
            "-DHAVE_STRING_H",
            "-DHAVE_LIMITS_H",
            "-DHAVE_VISIBILITY=0",
            "-DSIZEOF_SIZE_T=8",
            *_XZ_DECODERS,
            *_XZ_CHECKS,
        ),
    ),
]

HEADERS = [
    Library("nlohmann-json", "MIT", "nlohmann-json3-dev"),
    Library("CLI11", "BSD-3-Clause", "libcli11-dev"),
    Library("spdlog", "MIT", "libspdlog-dev"),
    Library("fmt", "MIT", "libfmt-dev"),
    Library("abseil-cpp", "Apache-2.0", "libabsl-dev"),
    Library("tomlplusplus", "MIT", "libtomlplusplus-dev"),
]

# In this repository: name, version and license.
_KEPT = [("cpp-httplib", "0.11.4", "MIT"), ("dagre", "0.8.5", "MIT")]
_KEPT_IN_C = ("termbox2", "918369f", "MIT")  # it does not know the terminals of Windows


def kept(platform):
    return _KEPT if platform.is_windows else [*_KEPT, _KEPT_IN_C]


def kept_sources(platform):
    """Those in C, which are not among the joined sources."""
    return [] if platform.is_windows else ["third_party/termbox2/termbox2.c"]


def version(library, folder):
    """Debian's version of the package: of the source that was fetched into the folder, where that is what is linked in."""
    if not library.sources:
        return _output(["dpkg-query", "-W", "-f=${Version}", library.package])
    latest = pathlib.Path(folder, library.package, "debian", "changelog").read_text().partition("\n")[0]
    return re.search(r"\((.*?)\)", latest)[1]


def fetch(library, folder):
    """The folder with the library's source; Debian's, where it is not there yet."""
    place = pathlib.Path(folder, library.package)
    if not place.is_dir():
        partial = pathlib.Path(folder, library.package + ".partial")
        subprocess.run(["rm", "-rf", partial], check=True)
        partial.mkdir(parents=True)
        subprocess.run([*_apt_get(pathlib.Path(folder)), "source", library.package], check=True, cwd=partial)
        next(path for path in partial.iterdir() if path.is_dir()).rename(place)
        subprocess.run(["rm", "-rf", partial], check=True)
    return place


def _apt_get(folder):
    """apt-get for the system's archives, with their source packages; it leaves the system's own lists as they are."""
    own = folder.absolute() / "apt"
    (own / "parts").mkdir(parents=True, exist_ok=True)
    (own / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    command = ["apt-get", "-qq"]
    for option, place in (("Etc::SourceList", "/dev/null"), ("Etc::SourceParts", own / "parts"),
                          ("State::Lists", own / "lists")):
        command += ["-o", f"Dir::{option}={place}"]
    for file in [*pathlib.Path("/etc/apt").glob("sources.list"), *pathlib.Path("/etc/apt").glob("sources.list.d/*")]:
        if file.suffix in (".list", ".sources"):
            (own / "parts" / file.name).write_text(_with_sources(file.read_text()))
    subprocess.run([*command, "update"], check=True)
    return command


def _with_sources(archives):
    """Both forms of a file of archives, with "deb-src" beside each "deb"."""
    archives = re.sub(r"^Types: *deb$", "Types: deb deb-src", archives, flags=re.MULTILINE)
    return re.sub(r"^deb( .*)$", r"deb\1\ndeb-src\1", archives, flags=re.MULTILINE)


def _output(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
