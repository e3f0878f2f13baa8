"""Checks that every example kernel becomes a planned sm.kernel that verifies.

Its compile-time parameters are those of its cases, and the defaults. Usage: examples.py ROOT
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "examples"))
import check  # noqa: E402


def find_variants(folder):
    """Returns the sets of compile-time parameters: for each kernel, and the defaults of all."""
    module = check.load_example(folder)
    variants = {("", ())}
    for case in check.load_cases(folder):
        for kernel, parameters, _, _ in module.launches(case):
            values = tuple(f"{name}={check.spell(value)}"
                           for name, value in check.read_parameters(case, parameters).items())
            variants.add((kernel, values))
    return sorted(variants)


def convert(job):
    """Returns the error of one variant, or nothing."""
    folder, kernel, values = job
    command = ["tilec", folder / "kernel.tile", "--emit=sm", "-o", "-"]
    command += ["--kernel", kernel] if kernel else []
    for value in values:
        command += ["-D", value]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 or "sm.kernel" not in done.stdout or "tile.kernel" in done.stdout:
        return f"{folder.name} {kernel} {' '.join(values)}: {done.stderr}"
    return None


def main():
    root = pathlib.Path(sys.argv[1], "examples")
    folders = sorted(path.parent for path in root.glob("*/kernel.tile"))
    jobs = [(folder, *variant) for folder in folders for variant in find_variants(folder)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [text for text in pool.map(convert, jobs) if text]
    for text in failures:
        print(text)
    print(f"{len(folders)} examples, {len(jobs)} variants, {len(failures)} failures")
    return 1 if failures or len(folders) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
