"""What pip calls to build the wheel or the source distribution from the source (PEP 517).

Building needs what tools/setup installs on Debian. The wheel is that of tools/package.
"""

import pathlib
import sys

_ROOT = pathlib.Path(__file__).absolute().parent.parent.parent
sys.path.insert(0, str(_ROOT / "tools"))

from package_steps import archives, native_build, platforms, source_files


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    program, library = map(native_build.stripped, native_build.build(_ROOT))
    platform = platforms.native(archives.platform_tag(program + library))
    return archives.write_wheel(program, library, platform, wheel_directory).name


def build_sdist(sdist_directory, config_settings=None):
    name, content = source_files.source_archive(_ROOT)
    return archives.put(pathlib.Path(sdist_directory, name), content).name
