"""Runs the fuzzers for a time and reports their findings.

Usage: run_fuzzers.py BUILD_DIR SECONDS [frontend|opt|interpreter|array|literal|package|message|cache]

Each starts from the kept corpus, the examples and the test inputs; new inputs go to
BUILD_DIR/fuzz/<name>. Exit status 1 if a fuzzer stopped on a crash, a hang or a leak; its input is
then in BUILD_DIR/fuzz. The fuzzers run in parallel. `cache` is fuzz_cache.py, which uses tilec and
the runtime library of build/.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FUZZERS = {
    "frontend": ["examples/**/*.tile", "test/**/*.tile", "docs/*.md"],
    "opt": ["test/**/*.mlir"],
    "interpreter": ["test/**/*.mlir"],
    "array": ["test/Fuzz/Fuzzers/array.dict"],
    "literal": [],
    "package": [],
    "message": [],
}
# The other fuzzers encode long inputs by repetition (Repetition.h); a source contains long numbers literally.
LONG_INPUTS = {"frontend": 65536}
# The answer of the language server to each malformed message.
SILENT = {"message": ["-close_fd_mask=2"]}
# The interpreter reads what opt reads.
DICTIONARIES = {"interpreter": "opt.dict"}
BLOCK = re.compile(r"```(?:tile|tile-error|mlir)\n(.*?)```", re.S)
SPLIT = re.compile(r"^// -----.*$", re.M)


def seeds(patterns):
    """The inputs of the suite, split where a file holds several."""
    for pattern in patterns:
        for path in sorted(ROOT.glob(pattern)):
            text = path.read_text(errors="replace")
            parts = BLOCK.findall(text) if path.suffix == ".md" else SPLIT.split(text)
            yield from (part for part in parts if part.strip())


def start_cache(build, seconds):
    work = build / "fuzz"
    command = [sys.executable, pathlib.Path(__file__).parent / "fuzz_cache.py", work / "cache", "--seconds", seconds]
    shutil.rmtree(work / "cache", ignore_errors=True)
    work.mkdir(parents=True, exist_ok=True)
    log = open(work / "cache.log", "w")
    return subprocess.Popen([str(c) for c in command], stdout=log, stderr=subprocess.STDOUT,
                            env={**os.environ, "PYTHONPATH": str(ROOT / "python")})


def start(name, build, seconds):
    if name == "cache":
        return start_cache(build, seconds)
    work = build / "fuzz"
    corpus = work / name
    shutil.rmtree(corpus, ignore_errors=True)
    corpus.mkdir(parents=True)
    for number, text in enumerate(seeds(FUZZERS[name])):
        (corpus / f"seed-{number}").write_text(text)
    log = open(work / f"{name}.log", "w")
    kept = pathlib.Path(__file__).parent / "corpus" / name
    command = [
        build / "bin" / f"tessera-{name}-fuzzer",
        corpus,
        *([kept] if kept.is_dir() else []),
        f"-max_total_time={seconds}",
        f"-artifact_prefix={work}/{name}-",
        f"-dict={pathlib.Path(__file__).parent / 'Fuzzers' / DICTIONARIES.get(name, name + '.dict')}",
        # The sanitizers are slow: a test of tile-opt that takes 0.7 s takes 15 s with them.
        "-timeout=60",
        "-rss_limit_mb=4096",
        f"-max_len={LONG_INPUTS.get(name, 8192)}",
        *SILENT.get(name, []),
        "-print_final_stats=1",
        "-verbosity=1",
    ]
    # The MLIR we link is not instrumented: containers that cross into it look overflown, and
    # allocators that its inlined half poisons are never unpoisoned by the other.
    environment = {
        "ASAN_OPTIONS": "detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=1:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PATH": "/usr/lib/llvm-22/bin:/usr/bin:/bin",
    }
    return subprocess.Popen(
        [str(c) for c in command], stdout=log, stderr=subprocess.STDOUT, env=environment
    )


def main():
    build, seconds = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2])
    only = sys.argv[3:] or [*FUZZERS, "cache"]
    running = {name: start(name, build, seconds) for name in only}
    status = 0
    for name, process in running.items():
        failed = process.wait() != 0
        log = (build / "fuzz" / f"{name}.log").read_text(errors="replace")
        runs = re.findall(r"number_of_executed_units:\s*(\d+)", log)
        print(f"{name}: {'FOUND SOMETHING' if failed else 'no finding'}, "
              f"{runs[-1] if runs else '?'} inputs in {seconds} s")
        if failed:
            print("\n".join(log.splitlines()[-40:]))
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
