"""Writes packages for the fake driver: make_packages.py FOLDER.

The layout is written out here, from the description in KernelPackage.h, so that the tests do not
read what the same code wrote.
"""

import json
import pathlib
import struct
import sys
import zlib


def tensor(name, dtype, dims, access="read"):
    return {"kind": "tensor", "name": name, "dtype": dtype, "access": access, "dims": dims}


def scalar(name, dtype):
    return {"kind": "scalar", "name": name, "dtype": dtype}


def kernel(name, entry, sizes, parameters, arguments, grid, **rest):
    return {
        "name": name,
        "entry": entry,
        "sizes": sizes,
        "parameters": parameters,
        "arguments": arguments,
        "grid": [grid, "1", "1"],
        "cluster": [1, 1, 1],
        "threads": 128,
        "sharedMemory": 0,
        **rest,
    }


def package(*kernels, target="sm_90a", code=b"\x7fELF"):
    metadata = json.dumps({"target": target, "kernels": kernels}).encode()
    contents = [(1, metadata), (2, code)]
    table, body = b"", b""
    for kind, data in contents:
        offset = 24 + 24 * len(contents) + len(body)
        table += struct.pack("<IIQQ", kind, 0, offset, len(data))
        body += data
    tail = struct.pack("<I", 0) + table + body
    return b"TESSERAK" + struct.pack("<III", 1, len(contents), zlib.crc32(tail)) + tail


def address(index):
    return {"kind": "address", "index": index}


def size(text, dtype="i32"):
    return {"kind": "size", "size": text, "type": dtype}


# The fake driver carries out the entry fake_scale: y[i] = by * x[i].
scale = kernel(
    "scale",
    "fake_scale",
    ["N"],
    [tensor("x", "f32", ["N"]), scalar("by", "f32"), tensor("y", "f32", ["N"], "write")],
    [address(0), address(2), {"kind": "scalar", "index": 1}, size("N")],
    "N ceildiv 128",
)
matmul = kernel(
    "matmul",
    "matmul",
    ["M", "K", "N"],
    [tensor("a", "bf16", ["M", "K"]), tensor("b", "bf16", ["K", "N"]), tensor("c", "bf16", ["M", "N"], "write")],
    [address(0), address(1), address(2)],
    "M ceildiv 128",
    equalities=[{"left": "K mod 8", "right": "0"}],
)
update = kernel("update", "update", ["N"], [tensor("x", "i32", ["N"], "readwrite")], [address(0)], "1")
parts = kernel(
    "parts",
    "parts",
    ["N", "S"],
    [tensor("x", "f32", ["N + 2"]), tensor("y", "f32", ["S"], "write"), tensor("z", "f32", ["N - 2"], "write")],
    [address(0), address(1), address(2)],
    "1",
)
narrow = kernel("narrow", "narrow", [], [scalar("by", "bf16"), scalar("n", "i8")], [], "1")
none = kernel("none", "none", [], [], [], "1")

folder = pathlib.Path(sys.argv[1])
(folder / "scale.tpk").write_bytes(package(scale))
(folder / "all.tpk").write_bytes(package(scale, matmul, update, parts, narrow, none))
(folder / "empty.tpk").write_bytes(package())
(folder / "blackwell.tpk").write_bytes(package(scale, target="sm_100a"))
(folder / "damaged.tpk").write_bytes(package(scale)[:-1] + b"?")
