"""Plants defects of past compilers in the output of this one, and checks that the emulator reports them.

    planted.py FILE.toml SCRATCH [NAME…] [--show] [--page PAGE.md]

Each [[defect]] of the file reverts a repair of the compiler. Its edits of the text of a phase, of the PTX or of a
package's metadata turn today's output into that before `commit`. An edit must match as often as its `count`: once by
default, any number of times if it is 0. Before the edits the kernel must run without a finding and agree with the
interpreter, in four orders. After the edits the emulator must report the defect:

    reported = "finding"    stop with an error that contains `message`, at the line of the kernel's
                            text that contains `at`
    reported = "numbers"    compute another result than the interpreter

Prints a table, which PAGE must have.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tomllib

import numpy as np

import package_file

ORDERS = "program,late,early,random"


def run(*command):
    """Runs a command; returns its exit status and its output."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def require(*command):
    status, text = run(*command)
    if status:
        sys.exit(f"exit status {status}: {' '.join(map(str, command))}\n{text}")
    return text


def apply_edits(text, edits, where):
    """Returns `text` after all edits. Each edit must match exactly `count` times."""
    for edit in edits:
        text, count = re.subn(edit["find"], edit["replace"], text, flags=re.MULTILINE | re.DOTALL)
        expected = edit.get("count", 1)
        if count != expected and not (expected == 0 and count):
            raise ValueError(f"{where}: '{edit['find']}' matches {count} times, expected {expected}")
    return text


def find_phase(folder, name):
    (file,) = folder.glob(f"*-{name}.mlir")
    return file


def compile_with(edits, source, options, folder, plants):
    """Makes a package and its PTX through the stages that edits change; with `plants`, applies the edits."""
    folder.mkdir(parents=True, exist_ok=True)
    stages = list(dict.fromkeys(edit["stage"] for edit in edits))

    def change(text, stage):
        return apply_edits(text, [edit for edit in edits if plants and edit["stage"] == stage], stage)

    given, words = source, options
    for number, stage in enumerate(stages):
        if stage in ("ptx", "metadata"):
            continue
        phases = folder / f"before-{number}"
        require("tilec", given, *words, "--print-locations", f"--save-phases={phases}", "--emit=nvvm",
                "-o", folder / "nvvm.mlir")
        text = find_phase(phases, stage).read_text()
        given, words = folder / f"{number}-{stage}.mlir", []
        given.write_text(change(text, stage))
    package, ptx = folder / "kernel.tpk", folder / "kernel.ptx"
    require("tilec", given, *words, "--line-tables", "--ptx-only", "--emit=package", "-o", package)
    if "ptx" in stages:
        require("tilec", given, *words, "--line-tables", "--emit=ptx", "-o", ptx)
        ptx.write_text(change(ptx.read_text(), "ptx"))
    if "metadata" in stages:
        package.write_bytes(package_file.change_metadata(
            package.read_bytes(), lambda text: change(text, "metadata")))
    return [package, *(["--ptx", ptx] if "ptx" in stages else [])]


def write_arguments(defect, folder):
    """Returns the words for arguments; lists become arrays of i32."""
    words = ["--seed", "5"]
    for name, value in defect["arguments"].items():
        if isinstance(value, list):
            np.save(folder / f"{name}.npy", np.array(value, np.int32))
            value = f"@{folder / name}.npy"
        words += ["--arg", f"{name}={value}"]
    return words


def get_expectations(defect, source, options, words, folder):
    """Returns the results of the interpreter, as words for the comparison."""
    names = defect["results"]
    saves = [word for name in names for word in ("--save", f"{name}={folder / name}.expected.npy")]
    require("tile-run", source, *options, *words, *saves)
    return [word for name in names for word in ("--expect", f"{name}=@{folder / name}.expected.npy")]


def find_line(source, part):
    """Returns the number of the only line that contains `part`."""
    lines = [number for number, line in enumerate(source.read_text().splitlines(), 1) if part in line]
    if len(lines) != 1:
        raise ValueError(f"{len(lines)} lines hold '{part}', expected 1")
    return lines[0]


def judge(defect, source, status, text):
    """Returns how the planted defect was reported; raises if that is not as expected."""
    errors = re.findall(r"^(\S+?):(\d+):\d+: error: (.*)", text, re.MULTILINE)
    differences = re.findall(r"error: ('\w+': \d+ of \d+ elements) .*; first at (.*)", text)
    if defect["reported"] == "numbers":
        if status != 1 or errors or not differences:
            raise ValueError(f"expected wrong numbers, got status {status}\n{text}")
        return "{} differ, first at {}".format(*differences[0])
    line = find_line(source, defect["at"])
    if status != 1 or not errors:
        raise ValueError(f"expected a finding at line {line}, got status {status}\n{text}")
    file, number, message = errors[0]
    if pathlib.Path(file).name != source.name or int(number) != line or defect["message"] not in message:
        raise ValueError(f"expected '{defect['message']}' at line {line}\n{text}")
    # Readers do not need addresses and register names.
    message = re.sub(r"0x[0-9a-f]+", "0x…", re.sub(r"%\w+?\d+", "%…", message))
    return f"line {line}: {message}"


def check(defect, scratch, show):
    """Returns the row of the table; raises if a check fails."""
    folder = scratch / defect["name"]
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{defect['name']}.tile"
    source.write_text(defect["kernel"])
    options = [word for value in defect.get("defines", []) for word in ("-D", value)]
    words = write_arguments(defect, folder)
    expectations = get_expectations(defect, source, options, words, folder)
    launch = ["--device", "ptx", "--order", ORDERS, *words, *expectations, *defect.get("options", [])]
    clean = compile_with(defect["edits"], source, options, folder / "clean", plants=False)
    status, text = run("tile-launch", *clean, *launch)
    if status:
        raise ValueError(f"without edits: status {status}\n{text}")
    planted = compile_with(defect["edits"], source, options, folder / "planted", plants=True)
    status, text = run("tile-launch", *planted, *launch)
    if show:
        print(text)
    return judge(defect, source, status, text)


def describe(defect, how):
    stages = ", ".join(dict.fromkeys(edit["stage"] for edit in defect["edits"]))
    kind = "alike" if defect.get("alike") else "as then"
    return f"| {defect['what']} | `{defect['commit']}` | {stages}, {kind} | {how} |"


def check_page(page, lines):
    """Whether the page has the table."""
    missing = [line for line in lines if line not in page.read_text().splitlines()]
    for line in missing:
        print(f"{page}: this line is missing; add it:\n{line}")
    return not missing


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--show", action="store_true", help="print the output of the emulator")
    parser.add_argument("--page", type=pathlib.Path, help="the page that must have the table")
    options = parser.parse_args()
    defects = tomllib.loads(options.table.read_text())["defect"]
    chosen = [defect for defect in defects if not options.names or defect["name"] in options.names]
    lines = ["| defect | repaired in | planted in | reported |", "| --- | --- | --- | --- |"]
    print("\n".join(lines))
    reported = collections.Counter()
    for defect in chosen:
        try:
            lines.append(describe(defect, check(defect, options.scratch, options.show)))
            reported[defect["reported"]] += 1
            print(lines[-1], flush=True)
        except ValueError as error:
            print(f"{defect['name']}: FAILS: {error}", flush=True)
    lines.append(f"{len(chosen)} planted defects: {reported['finding']} are reported at their line, "
                 f"{reported['numbers']} by wrong numbers.")
    print(lines[-1])
    is_whole = reported.total() == len(chosen)
    return 0 if is_whole and (not options.page or check_page(options.page, lines)) else 1


if __name__ == "__main__":
    sys.exit(main())
