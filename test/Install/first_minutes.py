#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs a wheel in a clean environment and does what a new user does in the first minutes, without a GPU.

Usage: first_minutes.py WHEEL FOLDER [--online] [--gpu]

The steps are Python code of the README, a planted race that device="sim" finds at its line, and the notebook of the
tutorial. NumPy is that of this Python. With --online, pip installs NumPy and Jupyter's nbclient, which then executes
the notebook. With --gpu, code of the README that needs a GPU also runs, with the torch of this Python, and a kernel
runs on CUDA tensors.
"""

import argparse
import pathlib
import re
import site
import subprocess
import sys
import time
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOTEBOOK = "first-kernels.ipynb"
RACE = '''
import numpy as np
import tessera

kernel = tessera.compile("""kernel shift(inout x: f32[N]) grid (n in tiles(64, 64)) {
  x[n] = 2.0 * x[n];
  x[n] = x[n + 1];
}""", file="shift.tile", device="sim")["shift"]
try:
    kernel(np.zeros(65, np.float32))
except tessera.KernelError as error:
    print(str(error).splitlines()[0])
    assert error.line == 3
else:
    raise SystemExit("the race is not found")
'''
GPU = '''
import tessera, torch

add = tessera.load(tessera.examples / "01-vector-add" / "kernel.tile", options=["--ptx-only"])["vector_add"]
x, y = (torch.randn(1000, device="cuda") for _ in range(2))
assert torch.equal(add(x, y), x + y) and torch.equal(add(x.cpu(), y.cpu()), (x + y).cpu())
print("CUDA tensors and CPU tensors agree")
'''
FILE = re.compile(r"^<!-- file: (?P<name>[^\n]*) -->\n```\w+\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^(?:<!-- (?P<mark>[^\n]*) -->\n)?```python\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)


class Environment:
    def __init__(self, folder, is_online):
        self.folder, self.python = folder, folder / "bin" / "python"
        venv.create(folder, clear=True, symlinks=True)
        if not is_online:
            # Packages of this Python, which may be that of an environment itself
            packages = self.run("", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
            paths = dict.fromkeys([*site.getsitepackages(), *(path for path in sys.path if path.endswith("-packages"))])
            pathlib.Path(packages, "this-python.pth").write_text("\n".join(paths))

    def install(self, *what):
        subprocess.run([sys.executable, "-m", "pip", "--python", str(self.python), "install", "--quiet",
                        "--disable-pip-version-check", *what], check=True)

    def run(self, step, *arguments):
        """Runs Python in the environment, which must succeed. Returns its output, and prints it if the step has a name."""
        start = time.monotonic()
        done = subprocess.run([str(self.python), *map(str, arguments)], cwd=self.folder, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin", "HOME": str(self.folder)})
        if step:
            print(f"{step} ({time.monotonic() - start:.1f} s): {' | '.join(done.stdout.strip().splitlines())}")
        if done.returncode:
            sys.exit(f"{step} fails with status {done.returncode}")
        return done.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--online", action="store_true")
    parser.add_argument("--gpu", action="store_true")
    options = parser.parse_args()
    environment = Environment(options.folder.resolve() / "first-minutes", options.online)
    environment.install("--no-index", "--no-deps", options.wheel)
    if options.online:
        environment.install("numpy", "nbclient", "ipykernel")
    environment.run("commands", "-m", "tessera", "--version")
    readme = (ROOT / "README.md").read_text()
    for file in FILE.finditer(readme):
        (environment.folder / file["name"]).write_text(file["text"])
    for block in BLOCK.finditer(readme):
        mark = block["mark"] or ""
        if mark.startswith("sketch") or (mark.startswith("needs: gpu") and not options.gpu):
            continue
        environment.run("README", "-c", block["code"])
    environment.run("race", "-c", RACE)
    examples = pathlib.Path(environment.run("", "-m", "tessera", "examples"))
    environment.run("notebook", ROOT / "test" / "Documentation" / "Notebooks" / "notebook.py", examples / NOTEBOOK)
    if options.gpu:
        environment.run("GPU", "-c", GPU)


if __name__ == "__main__":
    main()
