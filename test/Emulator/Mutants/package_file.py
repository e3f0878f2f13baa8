"""Reads and writes packages (include/tessera/Runtime/KernelPackage.h), for tests that change them."""

import json
import pathlib
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Runtime" / "Inputs"))
from package_writer import write_sections  # noqa: E402

MAGIC = b"TESSERAK"
METADATA, PTX = 1, 3


def read(data):
    """Returns the sections of a package: pairs of kind and contents."""
    if data[:8] != MAGIC:
        raise ValueError("this is not a package")
    (count,) = struct.unpack_from("<I", data, 12)
    headers = [struct.unpack_from("<IIQQ", data, 24 + 24 * number) for number in range(count)]
    return [(kind, data[offset:offset + size]) for kind, _, offset, size in headers]


def read_metadata(data):
    return json.loads(dict(read(data))[METADATA])


def change_metadata(data, change):
    """Returns the package with the text of its metadata changed by a function."""
    sections = read(data)
    changed = [(kind, change(contents.decode()).encode() if kind == METADATA else contents)
               for kind, contents in sections]
    json.loads(dict(changed)[METADATA])
    return write_sections(changed)
