# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the metadata of machine code (an ELF file of ptxas): sections, attributes, notes."""

import re
import struct

REGISTER_COUNT, MAX_THREADS, REQUIRED_THREADS = 0x2F, 0x05, 0x10
# Other formats have their value in the attribute itself; values of this format have an explicit length.
LONG_VALUE = 4


def read_sections(data):
    """Returns the sections by their names."""
    table, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQII", data, table + size * i) for i in range(count)]
    text = headers[names][4]

    def name(offset):
        return data[text + offset:data.index(b"\0", text + offset)].decode()

    # A section of kind 8 (zeros) has no contents.
    return {name(one[0]): b"" if one[1] == 8 else data[one[4]:one[4] + one[5]] for one in headers}


def read_symbols(sections):
    names, table = sections[".strtab"], sections[".symtab"]
    for offset in range(0, len(table), 24):
        start, = struct.unpack_from("<I", table, offset)
        yield names[start:names.index(b"\0", start)].decode()


def read_attributes(info):
    """Yields the attributes of a section .nv.info as (number, contents)."""
    place = 0
    while place + 4 <= len(info):
        form, number, size = struct.unpack_from("<BBH", info, place)
        place += 4
        if form == LONG_VALUE:
            yield number, info[place:place + size]
            place += size


def read_launches(data):
    """Returns for each kernel the registers of a thread at entry, and the threads of a block or None."""
    sections = read_sections(data)
    symbols = list(read_symbols(sections))
    counts = {}
    for number, contents in read_attributes(sections.get(".nv.info", b"")):
        if number == REGISTER_COUNT:
            symbol, count = struct.unpack("<II", contents)
            counts[symbols[symbol]] = count
    launches = {}
    for name in counts:
        threads = None
        for number, contents in read_attributes(sections.get(f".nv.info.{name}", b"")):
            if number in (MAX_THREADS, REQUIRED_THREADS):
                x, y, z = struct.unpack_from("<III", contents)
                threads = x * y * z
        launches[name] = counts[name], threads
    return launches


def read_assembler(data):
    """Returns the version of the ptxas that made the code, and its optimisation level."""
    note = read_sections(data).get(".note.nv.tkinfo", b"")
    version = re.search(rb"V(\d+\.\d+\.\d+)", note)
    level = re.search(rb"-O ?(\d)", note)
    return version[1].decode() if version else "unknown", level[1].decode() if level else "3"
