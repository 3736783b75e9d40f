"""Zip archives as PyTorch writes them, for tests: stored records on 64-byte boundaries, data descriptors, zip64 where needed.

Unlike Python's zipfile it can leave a record as a hole in the file, so that an archive of 20 GB takes no room and no time,
and write what no honest writer would.
"""

import struct
import zlib

LIMIT = 0xFFFFFFFF


class ZipWriter:
    """Writes to an open file: `add` and `add_hole` members, then `close` the directory."""

    def __init__(self, file):
        self.file = file
        self.directory = []

    def add(self, name, data, packed=None, size=None, crc=None):
        """A member of bytes. `packed` replaces them in the file (deflate). `size` and `crc` replace the true values."""
        offset = self._start(name, bool(packed))
        self.file.write(data if packed is None else packed)
        self._end(name, offset, len(data if packed is None else packed), len(data) if size is None else size,
                  zlib.crc32(data) if crc is None else crc, bool(packed))

    def add_hole(self, name, size):
        """A member of zeros, left as a hole in the file. Its checksum is wrong, since nothing should read them."""
        offset = self._start(name, False)
        self.file.seek(size, 1)
        self._end(name, offset, size, size, 0, False)

    def _start(self, name, is_packed):
        offset = self.file.tell()
        header = 30 + len(name.encode())
        padding = -(offset + header + 4) % 64
        self.file.write(struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0x808, 8 * is_packed, 0, 0, 0, 0, 0, len(name.encode()), 4 + padding))
        self.file.write(name.encode() + struct.pack("<HH", 0x4246, padding) + b"Z" * padding)  # "FB", as PyTorch pads
        return offset

    def _end(self, name, offset, packed_size, size, crc, is_packed):
        is_big = max(packed_size, size) >= LIMIT
        self.file.write(struct.pack("<IIQQ" if is_big else "<IIII", 0x08074B50, crc, packed_size, size))
        self.directory.append((name.encode(), offset, packed_size, size, crc, is_packed))

    def close(self):
        start = self.file.tell()
        for name, offset, packed_size, size, crc, is_packed in self.directory:
            wide = [n for n in (size, packed_size, offset) if n >= LIMIT]
            extra = struct.pack(f"<HH{len(wide)}Q", 1, 8 * len(wide), *wide) if wide else b""
            short = [min(n, LIMIT) for n in (packed_size, size, offset)]
            self.file.write(struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0x808, 8 * is_packed, 0, 0, crc, short[0], short[1],
                                        len(name), len(extra), 0, 0, 0, 0, short[2]) + name + extra)
        end, count = self.file.tell(), len(self.directory)
        self.file.write(struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, end - start, start))
        self.file.write(struct.pack("<IIQI", 0x07064B50, 0, end, 1))
        self.file.write(struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, min(count, 0xFFFF), min(count, 0xFFFF), min(end - start, LIMIT),
                                    min(start, LIMIT), 0))
