#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the installed wheel and the C++ example on a GPU. The wheel runs the program of the README and gradients of
attention; the example is built with an installed tree.

    ./tessera wheel && gpu/checks/check_installed.py --pack build/installed      # machine with the build
    gpu/checks/check_installed.py build/installed                                # machine with the GPU

On the machine with the GPU, pip installs the wheel into a folder of its own, with the ptxas of the extra [ptxas];
torch is that of the machine. The program's call may take 3 s if it compiles the kernel and 50 ms if the kernel is in
the cache. Its result and attention with gradients (example 11) must agree with torch. Without torch both checks are
skipped. The exit status is 1 if a check fails.
"""

import argparse
import gzip
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLD, CACHED = 3.0, 0.05

# Code before and after the call of the README.
BEFORE = "import time; torch.cuda.synchronize(); started = time.perf_counter()"
AFTER = """torch.cuda.synchronize(); seconds = time.perf_counter() - started
s = (q[:, :2].double() @ k[:, :2].double().mT) * 128 ** -0.5
s.masked_fill_(torch.ones_like(s, dtype=torch.bool).triu(1), float("-inf"))
expected = s.softmax(-1) @ v[:, :2].double()
print(seconds, ((o[:, :2].double() - expected).norm() / expected.norm()).item())
"""

GRADIENTS = """import torch, torch_attention
dense = torch.nn.functional.scaled_dot_product_attention
make = lambda: torch.randn(2, 4, 1000, 128, device="cuda", dtype=torch.bfloat16, requires_grad=True)
inputs, do = [make() for _ in range(3)], make().detach()
ours = [torch_attention.attention(*inputs, 128 ** -0.5, causal=True)[0]]
ours += torch.autograd.grad(ours[0], inputs, do)
copies = [x.detach().double().requires_grad_() for x in inputs]
exact = [dense(*copies, is_causal=True)]
exact += torch.autograd.grad(exact[0], copies, do.double())
print(max(((a.double() - b).norm() / b.norm()).item() for a, b in zip(ours, exact)))
"""


def run(*command, **options):
    subprocess.run([str(part) for part in command], check=True, **options)


def pack(folder, build, wheel):
    """Packs everything that the machine with the GPU lacks."""
    if wheel is None:
        wheel = next((build / "wheel").glob("*.whl"), None)
        if wheel is None:
            sys.exit(f"no wheel in {build / 'wheel'}; './tessera wheel' makes it")
    found = subprocess.run([str(build / "bin" / "tilec"), "--find-ptxas"], capture_output=True, text=True)
    if found.returncode:
        sys.exit(found.stderr.strip())
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(wheel, folder)
    ptxas = found.stdout.splitlines()[0]
    with open(ptxas, "rb") as source, gzip.open(folder / "ptxas.gz", "wb", 6) as packed:
        shutil.copyfileobj(source, packed)
    with tempfile.TemporaryDirectory() as scratch:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        for component in ("Runtime", "Tools"):
            run("cmake", "--install", build, "--component", component, "--prefix", f"{scratch}/tree", **quiet)
        run("cmake", "-G", "Ninja", "-S", ROOT / "examples" / "cmake", "-B", f"{scratch}/example",
            f"-DCMAKE_PREFIX_PATH={scratch}/tree", "-DCMAKE_BUILD_TYPE=Release", f"-DTILEC_OPTIONS=--ptxas={ptxas}",
            "-DCMAKE_EXE_LINKER_FLAGS=-static-libstdc++ -static-libgcc", **quiet)
        run("cmake", "--build", f"{scratch}/example", stdout=subprocess.DEVNULL)
        for path in ("example/softmax", "example/softmax_kernels-package/softmax_kernels.tpk",
                     "tree/lib/libtessera_runtime.so"):
            shutil.copy(f"{scratch}/{path}", folder)
    size = sum(path.stat().st_size for path in folder.iterdir())
    print(f"{folder}: {size / 2**20:.0f} MiB")


def check_example(folder, driver):
    done = subprocess.run([str(folder / "softmax"), str(folder / "softmax_kernels.tpk"), *([driver] if driver else [])],
                          env={**os.environ, "LD_LIBRARY_PATH": str(folder)}, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    print("example of C++:", done.stdout.strip())
    return done.returncode == 0


def install(folder, packages):
    wheel = next(folder.glob("*.whl"), None)
    if wheel is None:
        sys.exit(f"{folder} has no wheel; make the folder with --pack")
    run(sys.executable, "-m", "pip", "install", "--quiet", "--root-user-action=ignore",
        "--disable-pip-version-check", "--no-index", "--no-deps", "--target", packages, wheel)
    ptxas = packages / "nvidia" / "cu13" / "bin" / "ptxas"
    ptxas.parent.mkdir(parents=True)
    with gzip.open(folder / "ptxas.gz") as packed, ptxas.open("wb") as program:
        shutil.copyfileobj(packed, program)
    ptxas.chmod(0o755)
    tools = {**os.environ, "PYTHONPATH": str(packages)}
    for command in (["tessera", "--version"], ["tilec", "--find-ptxas"]):
        run(packages / "bin" / command[0], *command[1:], env=tools)


def readme_program():
    """Returns the program of the README, extended to print the seconds of its call and its error."""
    text = (ROOT / "README.md").read_text()
    program = re.search(r"python3 -c '(import tessera, torch\n.*?)'$", text, re.DOTALL | re.MULTILINE)[1]
    *before, call = program.splitlines()
    return "\n".join([*before, BEFORE, call, AFTER])


def check_readme(packages, cache):
    if importlib.util.find_spec("torch") is None:
        print("program of the README: skipped, torch is not installed")
        return True
    results = []
    for _ in range(6):
        done = subprocess.run([sys.executable, "-c", readme_program()], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                              env={**os.environ, "PYTHONPATH": str(packages), "TESSERA_CACHE": str(cache)})
        if done.returncode:
            print("program of the README: fails")
            return False
        results.append([float(number) for number in done.stdout.split()])
    cold, cached, error = results[0][0], min(row[0] for row in results[1:]), max(row[1] for row in results)
    print(f"program of the README: first call {cold * 1e3:.0f} ms, {cached * 1e3:.1f} ms from the cache; "
          f"relative error {error:.1e}")
    return cold <= COLD and cached <= CACHED and error <= 5e-3


def check_gradients(packages, cache):
    if importlib.util.find_spec("torch") is None:
        print("attention with gradients: skipped, torch is not installed")
        return True
    example = ROOT / "examples" / "11-attention-backward"
    done = subprocess.run([sys.executable, "-c", GRADIENTS], text=True, stdout=subprocess.PIPE,
                          env={**os.environ, "PYTHONPATH": f"{packages}:{example}", "TESSERA_CACHE": str(cache)})
    if done.returncode:
        print("attention with gradients: fails")
        return False
    error = float(done.stdout)
    print(f"attention with gradients: relative error {error:.1e} against scaled_dot_product_attention in float64")
    return error <= 1e-2


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--pack", action="store_true", help="make the folder, on the machine with the build")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--wheel", type=pathlib.Path, help="default: the wheel of build/wheel")
    parser.add_argument("--driver", help="for the example, instead of libcuda.so.1")
    options = parser.parse_args()
    folder = options.folder.resolve()
    if options.pack:
        pack(folder, options.build.resolve(), options.wheel)
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        packages = pathlib.Path(scratch, "packages")
        install(folder, packages)
        cache = pathlib.Path(scratch, "cache")
        passed = [check_example(folder, options.driver), check_readme(packages, cache),
                  check_gradients(packages, cache)]
    print("ok" if all(passed) else "failed")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
