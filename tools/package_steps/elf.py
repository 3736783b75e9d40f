"""Takes names out of the list of libraries that a shared library asks the loader for (64-bit ELF, little-endian)."""

import struct

_DYNAMIC = 2  # the type of its segment
_NULL, _NEEDED, _STRTAB, _RPATH, _RUNPATH = 0, 1, 5, 15, 29
_LOAD = 1


def without_libraries(content, is_left_out):
    """The same library, which does not ask for those of these names, and looks in no folders of its own."""
    content = bytearray(content)
    if content[:6] != b"\x7fELF\x02\x01":
        raise OSError("a plug-in is no 64-bit ELF file")
    segments = list(_segments(content))
    start, size = next((offset, size) for kind, offset, _, size in segments if kind == _DYNAMIC)
    entries = [struct.unpack_from("<QQ", content, at) for at in range(start, start + size, 16)]
    names = _file_offset(segments, next(value for tag, value in entries if tag == _STRTAB))

    def is_kept(tag, value):
        return tag not in (_RPATH, _RUNPATH) and not (tag == _NEEDED and is_left_out(_text(content, names + value)))

    kept = [entry for entry in entries if is_kept(*entry)]
    kept += [(_NULL, 0)] * (len(entries) - len(kept))
    for index, entry in enumerate(kept):
        struct.pack_into("<QQ", content, start + 16 * index, *entry)
    return bytes(content)


def _segments(content):
    """Type, place in the file, address and size of each."""
    table, (entry_size, count) = struct.unpack_from("<Q", content, 32)[0], struct.unpack_from("<HH", content, 54)
    for at in range(table, table + entry_size * count, entry_size):
        kind, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", content, at)
        yield kind, offset, address, size


def _file_offset(segments, address):
    return next(offset + address - start for kind, offset, start, size in segments
                if kind == _LOAD and start <= address < start + size)


def _text(content, at):
    return content[at : content.index(0, at)].decode()
