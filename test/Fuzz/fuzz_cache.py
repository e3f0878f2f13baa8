#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages entries of the cache of compiled kernels, and reads them.

Usage: fuzz_cache.py FOLDER [--seconds S | --count N] [--seed N] [INPUT...]

The Python package must read any file of signatures and any package, or raise a TesseraError. The fuzzer mutates
bytes, JSON values and the sections of packages; packages get a valid checksum. A seed determines the mutations.
FOLDER/last is the current input, in case the process dies; an input that breaks the rule stays in FOLDER. With
INPUTs, the fuzzer reads these instead, by their suffix (.json or .tpk).
"""

import argparse
import json
import os
import pathlib
import random
import signal
import struct
import sys
import time
import zlib

SOURCE = b"""kernel copy<T: type = f32, BM: int = 64, FAST: bool = false>(x: T[M, N], s: f32, out y: T[M, N])
  grid (m in tiles(M, BM), n in tiles(N, 32)) {
  y[m, n] = x[m, n] * s;
}
"""
HEADER, ENTRY = 24, 24
WORDS = ["", "x", "M", "\ud800", "../x", "-1", "M * 2", "(" * 40, "M floordiv 0", "sm_90a", "tensor", "out", "\n"]
VALUES = [None, True, 0, -1, 1, 2**31, 2**64, 10**400, 0.5, 1e308, [], {}, [[]], {"name": "x"}]


class Found(Exception):
    """Reading took too long."""


def places(value, path=()):
    """Yields the paths to all values inside a JSON value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def mutate_value(draw, value):
    """Replaces, removes, renames or copies one value inside a JSON value."""
    inner = list(places(value))[1:]
    if not inner:
        return
    path, parent = draw.choice(inner), value
    for key in path[:-1]:
        parent = parent[key]
    key, kind = path[-1], draw.randrange(5)
    if kind == 0:
        del parent[key]
    elif kind == 1 and isinstance(parent, dict):
        parent[draw.choice([*parent, *WORDS])] = parent.pop(key)
    elif kind == 2 and isinstance(parent, list):
        parent.extend([parent[key]] * draw.choice([1, 2, 300]))
    elif kind == 3:
        other = draw.choice(list(places(value)))
        copy = value
        for step in other:
            copy = copy[step]
        parent[key] = json.loads(json.dumps(copy))
    else:
        parent[key] = draw.choice(VALUES + WORDS)


def mutate_json(draw, text):
    value = json.loads(text)
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        mutate_value(draw, value)
    text = json.dumps(value).encode()
    if draw.randrange(20) == 0:
        depth = draw.choice([50, 99, 101, 1000, 100000])
        at = draw.randrange(len(text))
        text = text[:at] + draw.choice([b"[", b'{"a":']) * depth + text[at:]
    return text


def mutate_bytes(draw, data):
    data = bytearray(data)
    for _ in range(draw.choice([1, 1, 2, 8])):
        at = draw.randrange(len(data) + 1)
        kind = draw.randrange(4)
        if kind == 0:
            data[at:at + 1] = bytes([draw.randrange(256)])
        elif kind == 1:
            del data[at:at + draw.choice([1, 8, 1000, len(data)])]
        elif kind == 2:
            data[at:at] = data[at:at + draw.choice([1, 8, 100])]
        else:
            data[at:at + 8] = struct.pack("<Q", draw.choice([0, 1, 24, len(data), 2**31, 2**32, 2**63, 2**64 - 1]))
    return bytes(data)


def read_sections(package):
    count, = struct.unpack_from("<I", package, 12)
    table = [struct.unpack_from("<IIQQ", package, HEADER + ENTRY * i) for i in range(count)]
    return [[kind, package[offset:offset + size]] for kind, _, offset, size in table]


def write_sections(draw, sections):
    """Returns a package, whose table may be wrong."""
    offset, table = HEADER + ENTRY * len(sections), []
    end = offset
    for kind, data in sections:
        table.append([kind, 0, end, len(data)])
        end += len(data)
    if draw.randrange(3) == 0:
        row = draw.choice(table)
        row[draw.choice([0, 2, 3])] = draw.choice([0, 1, 2, 3, 4, offset, end, 2**31]) + draw.randrange(2)
    rest = bytes(4) + b"".join([struct.pack("<IIQQ", *row) for row in table] + [data for _, data in sections])
    return b"TESSERAK" + struct.pack("<III", 2, len(sections), zlib.crc32(rest)) + rest


def mutate_package(draw, package):
    if draw.randrange(8) == 0:
        return mutate_bytes(draw, package)
    sections = read_sections(package)
    kind = draw.randrange(6)
    if kind == 0:
        sections += [draw.choice(sections)] * draw.choice([1, 2, 200])
    elif kind == 1:
        sections.remove(draw.choice(sections))
    elif kind == 2:
        row = draw.choice(sections)
        row[1] = mutate_bytes(draw, row[1])
    else:
        row = next(row for row in sections if row[0] == 1)
        row[1] = mutate_json(draw, row[1])
    return write_sections(draw, sections)


def use(tessera, file, folder):
    """Runs all code that reads the cache, or trusts its contents."""
    source = tessera.sources.Source(file, SOURCE, tessera.Cache(folder, read_only=True), ("--ptx-only",))
    kernel = source["copy"]
    signature = kernel.signature
    call = signature.sort((1.0, 2), {"BM": 32}, None) if len(signature.by_position) == 2 else None
    for name in signature.parameters:
        signature.place(name)
    described = {name: tessera.tensors.Tensor(0, "f32", (8,) * len(row.get("dims", ())), None)
                 for name, row in signature.parameters.items() if "dims" in row}
    call = call or signature.sort((), dict.fromkeys(signature.by_position, 1), None)
    signature.sizes_of(call, described)
    values = signature.infer(call, described)
    package = kernel.compile(BM=32)
    tessera.Package(package)
    metadata = kernel.metadata(signature.choose({"BM": 32}))
    tessera.sizes.shapes(metadata, {"x": (8, 8), "s": 1.0}, {})
    return values


class Fuzzer:
    def __init__(self, folder):
        import tessera
        import tessera.sizes
        import tessera.sources
        import tessera.tensors
        self.tessera, self.folder = tessera, folder
        self.cache, self.file = folder / "cache", folder / "copy.tile"
        folder.mkdir(parents=True, exist_ok=True)
        self.file.write_bytes(SOURCE)
        source = tessera.sources.Source(self.file, SOURCE, tessera.Cache(self.cache, read_only=False), ("--ptx-only",))
        package = source["copy"].compile(BM=32)
        signatures, = self.cache.glob("copy-*.json")
        self.whole = {".json": (signatures, signatures.read_bytes()), ".tpk": (package, package.read_bytes())}
        self.read = self.refused = 0
        signal.signal(signal.SIGALRM, self._stop)

    @staticmethod
    def _stop(*_):
        raise Found("reading took 20 s")

    def run(self, suffix, data):
        """Reads one input; returns whether the rule holds."""
        path, whole = self.whole[suffix]
        (self.folder / "last").write_bytes(data)
        path.write_bytes(data)
        signal.alarm(20)
        try:
            use(self.tessera, self.file, self.cache)
            self.read += 1
        except self.tessera.TesseraError:
            self.refused += 1
        except Exception as error:
            kept = self.folder / f"found-{zlib.crc32(data):08x}{suffix}"
            kept.write_bytes(data)
            print(f"{kept}: {type(error).__name__}: {error}")
            return False
        finally:
            signal.alarm(0)
            path.write_bytes(whole)
        return True


def draw_inputs(fuzzer, options):
    """Yields the given inputs, or else mutations until the time or the count is reached."""
    for path in options.inputs:
        yield path.suffix, path.read_bytes()
    if options.inputs:
        return
    end, number = time.monotonic() + (options.seconds or 0), 0
    while number < options.count if options.count else time.monotonic() < end:
        draw = random.Random(f"{options.seed} {number}")
        suffix = draw.choice([".json", ".tpk"])
        whole = fuzzer.whole[suffix][1]
        if suffix == ".tpk":
            yield suffix, mutate_package(draw, whole)
        else:
            yield suffix, (mutate_json if draw.randrange(4) else mutate_bytes)(draw, whole)
        number += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("inputs", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if not (options.seconds or options.count or options.inputs):
        parser.error("expected --seconds, --count or inputs")
    os.environ.pop("TESSERA_CACHE_READ_ONLY", None)
    fuzzer = Fuzzer(options.folder.absolute())
    findings = sum(not fuzzer.run(*item) for item in draw_inputs(fuzzer, options))
    print(f"number_of_executed_units: {fuzzer.read + fuzzer.refused + findings}")
    print(f"{fuzzer.read} inputs read, {fuzzer.refused} refused, {findings} findings")
    return findings > 0


if __name__ == "__main__":
    sys.exit(main())
