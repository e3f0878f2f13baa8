"""Writes kernel packages from their metadata: a second implementation of the format in
include/tessera/Runtime/KernelPackage.h."""

import json
import struct
import zlib


def write_sections(sections):
    """Returns the bytes of a package with these sections, pairs of a kind and contents."""
    offset = 24 + 24 * len(sections)
    table, contents = b"", b""
    for kind, data in sections:
        table += struct.pack("<IIQQ", kind, 0, offset + len(contents), len(data))
        contents += data
    rest = struct.pack("<I", 0) + table + contents
    return b"TESSERAK" + struct.pack("<III", 2, len(sections), zlib.crc32(rest)) + rest


def write_package(path, kernels, cubin=b"\x7fELF machine code", target="sm_90a",
                  ptxas="13.5.37", ptx=b""):
    """Writes a package; empty machine code or PTX is omitted."""
    metadata = json.dumps({"target": target, "ptxas": ptxas, "kernels": kernels}).encode()
    sections = [(1, metadata)] + [(kind, data) for kind, data in ((2, cubin), (3, ptx)) if data]
    with open(path, "wb") as file:
        file.write(write_sections(sections))


def tensor(name, dtype, dims, access="read", dense=True):
    return {"kind": "tensor", "name": name, "dtype": dtype, "access": access, "dims": dims,
            "dense": dense}


def scalar(name, dtype):
    return {"kind": "scalar", "name": name, "dtype": dtype}


def kernel(name, parameters, sizes, grid=("1", "1", "1"), **rest):
    """Returns a kernel that takes the addresses of its tensors and the values of its scalars."""
    arguments = [{"kind": "address" if p["kind"] == "tensor" else "scalar", "index": i}
                 for i, p in enumerate(parameters)]
    return {"name": name, "entry": name + "_entry", "sizes": list(sizes), "parameters": parameters,
            "equalities": [], "tensorMaps": [], "arguments": arguments, "grid": list(grid),
            "cluster": [1, 1, 1], "threads": 128, "sharedMemory": 0, "registers": 0, **rest}
