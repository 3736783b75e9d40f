"""What users install, as bytes: the wheels, and the tarball of the program and the library for C."""

import base64
import gzip
import hashlib
import io
import os
import pathlib
import re
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).absolute().parent.parent.parent
DATE = (1980, 1, 1, 0, 0, 0)  # the same in every archive, so that equal content gives equal bytes
TEXTS = ["LICENSE", "NOTICE"]
# Python files of the wheel that are not of the package: they are imported by their own names.
MODULES = ["tools/dev/export/fakeprop_fx.py", "tools/dev/export/fakeprop_annotate.py"]


def write_archives(program, library, platform, out):
    """Writes the wheel and the tarball for a platform, or the zip file for Windows, into a folder and gives their paths."""
    return [write_wheel(program, library, platform, out), write_folder(program, library, platform, out)]


def write_wheel(program, library, platform, out):
    """Writes the wheel for a platform into a folder and gives its path."""
    version = project_version()
    content = wheel(program, library, version, platform)
    return put(pathlib.Path(out, f"fakeprop-{version}-py3-none-{platform.tag}.whl"), content)


def write_folder(program, library, platform, out):
    """Writes the program, the library with its header, the license and the README in one folder, packed."""
    version = project_version()
    files = {
        platform.program: (program, 0o755),
        f"lib/{platform.library}": (library, 0o755),
        "include/fakeprop/c_api.h": ((ROOT / "fakeprop/c_api.h").read_bytes(), 0o644),
        **{name: ((ROOT / name).read_bytes(), 0o644) for name in [*TEXTS, "README.md", "CHANGELOG.md"]},
    }
    name = f"fakeprop-{version}-{platform.tag}"
    if not platform.is_windows:
        return put(pathlib.Path(out, f"{name}.tar.gz"), packed(f"fakeprop-{version}", files))
    contents = {f"fakeprop-{version}/{path}": content for path, (content, _) in files.items()}
    return put(pathlib.Path(out, f"{name}.zip"), zipped(contents, executable=None))


def write_torch_wheel(plugins, out):
    """Writes the wheel of the LibTorch plug-ins, given by the minor version of torch, and gives its path."""
    version, tag = project_version(), platform_tag(b"".join(plugins.values()))
    return put(pathlib.Path(out, f"fakeprop_torch-{version}-py3-none-{tag}.whl"), torch_wheel(plugins, version, tag))


def put(path, content):
    path.write_bytes(content)
    return path


def project_version():
    text = (ROOT / "lib/base/version.h").read_text(encoding="utf-8")
    return re.search(r'kVersion\[\] = "(.*)"', text).group(1)


def platform_tag(binaries):
    """The wheel's platform: the oldest glibc that has every symbol which the binaries need."""
    machine = os.uname().machine
    versions = [tuple(map(int, found)) for found in re.findall(rb"GLIBC_(\d+)\.(\d+)\b", binaries)]
    if not versions:
        return f"musllinux_1_1_{machine}"
    major, minor = max(versions)
    return f"manylinux_{major}_{minor}_{machine}"


# --- the wheel ---


def wheel(program, library, version, platform):
    """The bytes of the wheel. Format: packaging.python.org, "Binary distribution format" 1.0."""
    script = f"fakeprop-{version}.data/scripts/{platform.program}"
    files = {script: program, f"fakeprop/{platform.library}": library, **package_files("fakeprop")}
    for path in MODULES:
        files[pathlib.Path(path).name] = (ROOT / path).read_bytes()
    entries = {"entry_points.txt": b"[pytest11]\nfakeprop = fakeprop.pytest_plugin\n"}
    return wheel_of("fakeprop", files, metadata(version), entries, version, platform.tag, executable=script)


def torch_wheel(plugins, version, tag):
    """The bytes of the wheel fakeprop-torch. It needs the same version of fakeprop, whose structures the plug-ins share."""
    files = package_files("fakeprop_torch")
    for minor, plugin in sorted(plugins.items()):
        files[f"fakeprop_torch/libfakeprop_libtorch-{minor}.so"] = plugin
    return wheel_of("fakeprop_torch", files, torch_metadata(version), {}, version, tag)


def package_files(name):
    return {f"{name}/{path.name}": path.read_bytes() for path in sorted((ROOT / "python" / name).iterdir()) if path.is_file()}


def wheel_of(name, files, metadata_text, information, version, tag, executable=None):
    info = f"{name}-{version}.dist-info"
    kind = f"Wheel-Version: 1.0\nGenerator: fakeprop\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n"
    files = {**files, f"{info}/METADATA": metadata_text.encode(), f"{info}/WHEEL": kind.encode()}
    files |= {f"{info}/{entry}": content for entry, content in information.items()}
    files |= {f"{info}/licenses/{text}": (ROOT / text).read_bytes() for text in TEXTS}
    files[f"{info}/RECORD"] = record(files, f"{info}/RECORD").encode()
    return zipped(files, executable)


def metadata(version):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return (
        _metadata_head("fakeprop", version)
        + "Summary: What does every node of a PyTorch graph produce? Answered without running the model.\n"
        "Provides-Extra: torch\n"
        'Requires-Dist: torch ; extra == "torch"\n'
        f'Requires-Dist: fakeprop-torch=={version} ; extra == "torch"\n'
        "Provides-Extra: z3\n"
        'Requires-Dist: z3-solver ; extra == "z3"\n'
        "Description-Content-Type: text/markdown\n"
        "\n" + readme
    )


def torch_metadata(version):
    return (
        _metadata_head("fakeprop-torch", version)
        + "Summary: The LibTorch plug-ins of fakeprop, for the torch that is installed.\n"
        f"Requires-Dist: fakeprop=={version}\n"
        "\nfakeprop's operators without a rule, TorchScript and custom operators, by the torch that is installed beside it.\n"
    )


def _metadata_head(name, version):
    return f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nLicense: BSD-3-Clause\nRequires-Python: >=3.9\n"


def record(files, own_name):
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    return "".join([*lines, f"{own_name},,\n"])


def zipped(files, executable):
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if name == executable else 0o100644) << 16
            archive.writestr(entry, content)
    return memory.getvalue()


# --- tarballs ---


def packed(folder, files):
    """The bytes of a tarball with one folder: content and mode of each file by its name there."""
    memory = io.BytesIO()
    with gzip.GzipFile(fileobj=memory, mode="wb", mtime=0) as compressed:
        with tarfile.open(fileobj=compressed, mode="w") as archive:
            for name, (content, mode) in files.items():
                entry = tarfile.TarInfo(f"{folder}/{name}")
                entry.size, entry.mode = len(content), mode
                archive.addfile(entry, io.BytesIO(content))
    return memory.getvalue()
