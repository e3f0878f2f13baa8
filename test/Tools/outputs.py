"""Checks that outputs are written completely or not at all. Usage: outputs.py SCRATCH

Every tool overwrites an existing file, once normally and once on a disk that is full after 8 KiB, simulated by a
limit on file sizes. Then it writes to devices and to a pipe.
"""

import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import threading

KERNEL = """kernel k(x: f32[N], out y: f32[N]) grid (n in tiles(N, 64)) { y[n] = x[n]; }
"""
RUN = ["tile-run", "k.tile", "--arg", "x=randn(4096)"]
# A tool with its output last, and the beginning of its error.
WRITERS = {
    "ptx": (["tilec", "k.tile", "--emit=ptx", "-o"], "tilec: error: "),
    "tpk": (["tilec", "k.tile", "--emit=package", "-o"], "tilec: error: "),
    "mlir": (["tilec", "many.tile", "-o"], "tilec: error: "),
    "opt.mlir": (["tile-opt", "many.mlir", "-o"], "tile-opt: error: "),
    "tile-ptx": (["tile-ptx", "many.nvvm.mlir", "-o"], "tile-ptx: error: "),
    "html": (["tilec", "k.tile", "--html"], "tilec: error: "),
    "npy": ([*RUN, "--save"], "tile-run: error: "),  # Status 2, as in docs/running.md.
    "json": ([*RUN, "--device=sim", "--trace"], "k.tile:1:8: error: "),
}

HELPFUL = ["tessera", "tilec", "tile-run", "tile-launch", "tile-bench", "tile-format", "tile-layout", "tile-ptx",
           "tile-lsp-server", "tile-opt"]


def run(command, limit=None):
    def prepare():
        if limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run(command, capture_output=True, text=True, preexec_fn=prepare, timeout=120)


def expect(condition, *what):
    if not condition:
        sys.exit("outputs.py: " + " ".join(map(str, what)))


def write(command, path, **options):
    name = "y=" + str(path) if command[-1] == "--save" else str(path)
    return run([*command, name], **options)


def check_closed_pipe(command):
    """Prints to a pipe without a reader, with SIGPIPE as a shell and as Python's os.execv leave it."""
    for action in (signal.SIG_DFL, signal.SIG_IGN):
        reader, writer = os.pipe()
        os.close(reader)
        result = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=120,
                                restore_signals=False, preexec_fn=lambda: signal.signal(signal.SIGPIPE, action))
        os.close(writer)
        expect(result.returncode == -signal.SIGPIPE and not result.stderr, command, result)


def main():
    folder = pathlib.Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    os.chdir(folder)
    pathlib.Path("k.tile").write_text(KERNEL)
    pathlib.Path("many.tile").write_text(
        "".join(KERNEL.replace(" k(", f" k{i}(") for i in range(100)))
    for phase, file in (("tile", "many.mlir"), ("nvvm", "many.nvvm.mlir")):
        expect(run(["tilec", "many.tile", "--emit=" + phase, "-o", file]).returncode == 0, phase)
    for suffix, (command, prefix) in WRITERS.items():
        # Machine code needs little space, and ptxas needs some for itself.
        limit = 1024 if suffix in ("ptx", "tpk") else 8192
        path = pathlib.Path("out." + suffix)
        path.write_text("yesterday's")
        before = sorted(os.listdir())
        if suffix != "tpk":
            result = write(command, path, limit=limit)
            expect(result.returncode == (2 if suffix == "npy" else 1), suffix, result)
            expect(result.stderr.startswith(f"{prefix}cannot write '{path}': File too large"),
                   suffix, result.stderr)
            expect(path.read_text() == "yesterday's", suffix, "is gone")
        result = write(command, path)
        expect(result.returncode == 0 and path.stat().st_size > limit, suffix, result)
        expect(sorted(os.listdir()) == before, suffix, "leaves", os.listdir())

        result = write(command, "/dev/full")
        expect(result.returncode == (2 if suffix == "npy" else 1), suffix, result)
        expect(result.stderr.startswith(f"{prefix}cannot write '/dev/full': No space left"), suffix,
               result.stderr)
        expect(write(command, "/dev/null").returncode == 0, suffix)
        expect(not pathlib.Path("/dev/null").is_file(), "/dev/null is a file now")
        os.mkfifo("pipe")
        got = []
        reader = threading.Thread(target=lambda: got.append(pathlib.Path("pipe").read_bytes()))
        reader.start()
        expect(write(command, "pipe").returncode == 0, suffix)
        reader.join()
        expect(pathlib.Path("pipe").is_fifo() and len(got[0]) == path.stat().st_size, suffix)
        os.remove("pipe")

    # Phases to a folder.
    before = run(["tilec", "many.tile", "--save-phases=phases", "-o", "/dev/null"])
    expect(before.returncode == 0, before)
    files = {path: path.read_bytes() for path in pathlib.Path("phases").iterdir()}
    result = run(["tilec", "many.tile", "--save-phases=phases", "-o", "/dev/null"], limit=8192)
    expect(result.returncode == 1, result)
    expect("error: cannot write 'phases/00-tile.mlir': File too large" in result.stderr,
           result.stderr)
    expect({path: path.read_bytes() for path in pathlib.Path("phases").iterdir()} == files,
           "phases are gone")

    # Standard output, and an error that cannot be reported.
    for command in (["tilec", "k.tile"], [*RUN, "--print", "y"], ["tile-opt", "many.mlir"],
                    ["tile-layout", "wgmma-acc", "64x16"], ["tile-ptx", "many.nvvm.mlir"],
                    ["tile-launch", "out.tpk", "--list"]):
        with open("/dev/full", "w") as full:
            result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
            expect(result.returncode == 1, command, result)
            expect(result.stderr.endswith(
                "error: cannot write to standard output: No space left on device\n"), result.stderr)
            silent = subprocess.run([command[0], "nothing.tile"], stderr=full)
            expect(silent.returncode == (1 if command[0] == "tile-opt" else 2), silent)
        check_closed_pipe(command)
    for name in HELPFUL:
        check_closed_pipe([name, "--help"])


main()
