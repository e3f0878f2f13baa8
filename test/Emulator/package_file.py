"""Reads and writes packages (include/tessera/Runtime/KernelPackage.h), for tests that change them."""

import json
import struct
import zlib

MAGIC = b"TESSERAK"
METADATA, PTX = 1, 3


def read(data):
    """The sections of a package: pairs of kind and contents."""
    if data[:8] != MAGIC:
        raise ValueError("this is no package")
    (count,) = struct.unpack_from("<I", data, 12)
    headers = [struct.unpack_from("<IIQQ", data, 24 + 24 * number) for number in range(count)]
    return [(kind, data[offset:offset + size]) for kind, _, offset, size in headers]


def write(sections):
    """The package that holds `sections`."""
    place = 24 + 24 * len(sections)
    headers = b""
    for kind, contents in sections:
        headers += struct.pack("<IIQQ", kind, 0, place, len(contents))
        place += len(contents)
    rest = struct.pack("<I", 0) + headers + b"".join(contents for _, contents in sections)
    return MAGIC + struct.pack("<III", 2, len(sections), zlib.crc32(rest)) + rest


def read_metadata(data):
    return json.loads(dict(read(data))[METADATA])


def change_metadata(data, change):
    """The package with the text of its metadata changed by a function."""
    sections = read(data)
    changed = [(kind, change(contents.decode()).encode() if kind == METADATA else contents)
               for kind, contents in sections]
    json.loads(dict(changed)[METADATA])
    return write(changed)
