"""Writes the packages of these tests: make_packages.py FOLDER."""

import pathlib
import struct
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Runtime" / "Inputs"))
import package_writer
from package_writer import scalar, tensor, write_package


def address(index):
    return {"kind": "address", "index": index}


def size(text, dtype="i32"):
    return {"kind": "size", "size": text, "type": dtype}


# The fake driver executes the entry fake_scale: y[i] = by * x[i].
scale = package_writer.kernel(
    "scale",
    [tensor("x", "f32", ["N"]), scalar("by", "f32"), tensor("y", "f32", ["N"], "write")],
    ["N"],
    ["N ceildiv 128", "1", "1"],
    entry="fake_scale",
    arguments=[address(0), address(2), {"kind": "scalar", "index": 1}, size("N")],
)
# A variant for multiples of 4, and a second one for even sizes.
fours = {**scale, "entry": "fake_fours", "conditions": ["N mod 4"]}
twos = {**scale, "conditions": ["N mod 2"]}
matmul = package_writer.kernel(
    "matmul",
    [
        tensor("a", "bf16", ["M", "K"], dense=False),
        tensor("b", "bf16", ["K", "N"]),
        tensor("c", "bf16", ["M", "N"], "write"),
    ],
    ["M", "K", "N"],
    ["M ceildiv 128", "1", "1"],
    equalities=[{"left": "K mod 8", "right": "0"}],
)
update = package_writer.kernel("update", [tensor("x", "i32", ["N"], "readwrite")], ["N"])
parts = package_writer.kernel(
    "parts",
    [tensor("x", "f32", ["N + 2"]), tensor("y", "f32", ["S"], "write"), tensor("z", "f32", ["N - 2"], "write")],
    ["N", "S"],
)
narrow = package_writer.kernel("narrow", [scalar("by", "bf16"), scalar("n", "i8")], [])
none = package_writer.kernel("none", [], [])
# The fake driver reports a fault at the next wait.
fault = package_writer.kernel("fault", [], [], entry="fake_fault")
# Names that are words of C, and extents that C has no operator for.
words = package_writer.kernel(
    "new",
    [
        tensor("int", "f8E4M3FN", ["(n + 3) ceildiv 4 * 4", "-(1 - n)", "n mod 3 + n floordiv 2"], dense=False),
        scalar("n", "i64"),
        scalar("class", "i1"),
        tensor("*/ x", "i8", []),
    ],
    ["n"],
)

folder = pathlib.Path(sys.argv[1])
write_package(folder / "scale.tpk", [scale])
write_package(folder / "all.tpk", [scale, matmul, update, parts, narrow, none])
write_package(folder / "variants.tpk", [fours, twos])
write_package(folder / "words.tpk", [words])
write_package(folder / "fault.tpk", [fault])
write_package(folder / "terminal.tpk", [package_writer.kernel("a\x1b[2Jb", [], [])])
write_package(folder / "terminal-dim.tpk",
              [package_writer.kernel("k", [tensor("x", "i8", ["a\x1b[2Jb"])], [])])
write_package(folder / "terminal-target.tpk", [none], target="sm_90a\x1b[2J")
write_package(folder / "empty.tpk", [])
write_package(folder / "blackwell.tpk", [scale], target="sm_100a")
whole = (folder / "scale.tpk").read_bytes()
(folder / "damaged.tpk").write_bytes(whole[:-1] + b"?")
# With a valid checksum: deeply nested metadata, and a second section that overlaps the first one.
(folder / "deep.tpk").write_bytes(package_writer.write_sections([(1, b"[" * 100000)]))
overlap = whole[:56] + whole[32:40] + whole[64:]
(folder / "overlap.tpk").write_bytes(overlap[:16] + struct.pack("<I", zlib.crc32(overlap[20:])) + overlap[20:])
# With PTX, for the emulator; the machine code next to it is invalid.
ptx = (pathlib.Path(__file__).parent / "scale.ptx").read_bytes()
emulated = {**scale, "entry": "scale_entry"}
write_package(folder / "ptx.tpk", [emulated], ptx=ptx)
write_package(folder / "ptx-only.tpk", [emulated], cubin=b"", ptx=ptx)
write_package(folder / "ptx-beyond.tpk", [emulated], ptx=ptx.replace(b"setp.ge", b"setp.gt"))
write_package(folder / "ptx-unknown.tpk", [emulated], ptx=ptx.replace(b"mul.f32", b"frobnicate.f32"))
write_package(folder / "ptx-short.tpk", [emulated], ptx=ptx.replace(b"%p1, %r4, %r5", b"%p1, %r4, 3"))
