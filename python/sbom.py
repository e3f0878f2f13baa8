# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the software bill of materials of the wheel as CycloneDX JSON.

The link command of each program names the archives that are linked into it, and Ninja's log of headers the objects with
libraries that consist of headers. The package database of Debian or Ubuntu names the package and the version of each
file. The bill depends only on its inputs, so two builds write the same
bytes.
"""

import datetime
import hashlib
import json
import pathlib
import re
import shlex
import subprocess

NAME = "tessera-compiler"
LICENCE = "Apache-2.0 WITH LLVM-exception"
# The licences of source packages, without the version in their names.
LICENCES = {
    "gcc": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libzstd": "BSD-3-Clause",
    "llvm-toolchain": LICENCE,
    "tomlplusplus": "MIT",
    "zlib": "Zlib",
}
# Libraries of GCC that an option of the link command selects.
GCC = {"-static-libstdc++": ("libstdc++.a",), "-static-libgcc": ("libgcc.a", "libgcc_eh.a")}


def _print(*command):
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True).stdout


def _read_cache(build, name):
    match = re.search(rf"^{name}:\w+=(.+)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    return match[1] if match else None


def is_program(path):
    """Checks whether a file is a program or a shared library."""
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def _ninja(build, *words):
    return _print("ninja", "-C", build, "-t", *words).splitlines()


def find_target(build, name):
    """Returns the path in the build folder of the program with a name."""
    rules = (line.rsplit(": ", 1) for line in _ninja(build, "targets", "all"))
    return next(path for path, rule in rules if pathlib.Path(path).name == name and "_LINKER_" in rule)


def find_objects(build, header):
    """Returns the objects that include a header."""
    objects, current = set(), None
    for line in _ninja(build, "deps"):
        if not line.startswith(" "):
            current = line.partition(": #deps")[0]
        elif line.strip() == header:
            objects.add(current)
    return objects


def find_archives(build, target):
    """Returns the archives of other projects that the link command of a target names."""
    command = shlex.split(_ninja(build, "commands", target)[-1])
    archives = {word for word in command if word.startswith("/") and word.endswith(".a")
                and not pathlib.Path(word).is_relative_to(build)}
    compiler = _read_cache(build, "CMAKE_CXX_COMPILER")
    for option in set(GCC) & set(command):
        archives.update(_print(compiler, f"-print-file-name={name}").strip() for name in GCC[option])
    return {str(pathlib.Path(archive).resolve()) for archive in archives}


def find_packages(files):
    """Returns the package of each file: {file: (name, version, source package, architecture)}.

    A file without a package, as on a system without dpkg, gets its own name and no version."""
    owners = {}
    try:
        # The status is 1 if some file has no package.
        said = subprocess.run(["dpkg-query", "-S", *sorted(files)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True).stdout
        owners = {file: names.split(",")[0] for names, file in (line.split(": ", 1) for line in said.splitlines())}
        form = "${binary:Package}\t${Package}\t${Version}\t${source:Package}\t${Architecture}\n"
        rows = [line.split("\t") for line in _print("dpkg-query", "-W", "-f", form, *sorted(set(owners.values())))
                .splitlines()] if owners else []
    except FileNotFoundError:
        rows = []
    facts = {key: tuple(rest) for name, *rest in rows for key in (name, rest[0])}
    return {file: facts.get(owners.get(file), (pathlib.Path(file).stem, None, None, None)) for file in files}


def _read_distribution():
    match = re.search(r'^ID="?(\w+)"?$', pathlib.Path("/etc/os-release").read_text(), re.MULTILINE)
    return match[1] if match else "linux"


def _describe(package):
    """Returns the component of a package."""
    name, version, source, architecture = package
    component = {"type": "library", "bom-ref": name, "name": name}
    if version is None:
        return component
    component["version"] = version
    licence = LICENCES.get(re.sub(r"-[\d.]+$", "", source))
    if licence:
        component["licenses"] = [{"expression": licence}]
    component["purl"] = (f"pkg:deb/{_read_distribution()}/{name.replace('+', '%2B')}"
                         f"@{version.replace('+', '%2B').replace(':', '%3A')}?arch={architecture}")
    return component


def make_bill(build, version, programs, seconds):
    """Returns the bill as text.

    `build` is the build folder, `programs` are the files of the wheel with machine code, and `seconds` is the time of
    the bill in seconds of the epoch."""
    header = str(pathlib.Path(_read_cache(build, "TESSERA_TOMLPLUSPLUS"), "toml++", "toml.h"))
    objects = find_objects(build, header)
    used = {}
    for program in programs:
        target = find_target(build, program.name)
        used[program] = find_archives(build, target)
        if objects & set(_ninja(build, "inputs", target)):
            used[program].add(str(pathlib.Path(header).resolve()))
    packages = find_packages(set().union(*used.values()))
    files = [{"type": "file", "bom-ref": program.name, "name": program.name,
              "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(program.read_bytes()).hexdigest()}]}
             for program in sorted(programs, key=lambda program: program.name)]
    needs = {program.name: sorted({packages[file][0] for file in used[program]}) for program in programs}
    whole = {"type": "application", "bom-ref": NAME, "name": NAME, "version": version,
             "licenses": [{"expression": LICENCE}], "purl": f"pkg:pypi/{NAME}@{version}"}
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat(),
            "component": whole,
        },
        "components": files + [_describe(package) for package in sorted(set(packages.values()), key=str)],
        "dependencies": [{"ref": NAME, "dependsOn": sorted(needs)},
                         *({"ref": name, "dependsOn": needs[name]} for name in sorted(needs))],
    }
    return json.dumps(bill, indent=2) + "\n"
