# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds the build products of CMake to the wheel: the tools as one program, the runtime, the emulator, and their bill
of materials.

TESSERA_BUILD names the build folder, `build` by default. Existing build products are reused.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.builders.utils import get_reproducible_timestamp

sys.path.append(str(pathlib.Path(__file__).resolve().parent))

import sbom  # noqa: E402


class WheelHook(BuildHookInterface):
    def initialize(self, version, build_data):
        if version == "editable":
            return  # The package finds `build` in the same checkout.
        root = pathlib.Path(self.root)
        build = root / os.environ.get("TESSERA_BUILD", "build")
        self._staged = tempfile.mkdtemp(prefix="tessera-wheel-")
        if not (build / "CMakeCache.txt").exists():
            self._run("cmake", "--preset", "dev", "-S", str(root), "-B", str(build))
        self._run("cmake", "--build", str(build), "--target", "tessera-wheel")
        self._run("cmake", "--install", str(build), "--component", "Wheel", "--strip",
                  "--prefix", self._staged)
        program = pathlib.Path(self._staged, "bin", "tessera")
        # All tools are in this library.
        library = pathlib.Path(self._staged, "libtessera_compiler.so")
        program.with_suffix(".sha256").write_text(hashlib.sha256(library.read_bytes()).hexdigest())
        staged = sorted(path for path in pathlib.Path(self._staged).rglob("*") if path.is_file())
        programs = [path for path in staged if sbom.is_program(path)]
        bill = pathlib.Path(tempfile.mkdtemp(dir=self._staged), f"{sbom.NAME}.cdx.json")
        bill.write_text(sbom.make_bill(build.resolve(), self.metadata.version, programs, get_reproducible_timestamp()))
        build_data["sbom_files"].append(str(bill))
        for path in staged:
            build_data["force_include"][str(path)] = f"tessera/{path.relative_to(self._staged)}"
        # No file of the wheel depends on the version of Python.
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data.update(pure_python=False, tag=f"py3-none-{platform}")

    def finalize(self, version, build_data, artifact_path):
        shutil.rmtree(getattr(self, "_staged", ""), ignore_errors=True)

    def _run(self, *command):
        try:
            subprocess.run(command, check=True)
        except FileNotFoundError:
            raise RuntimeError("cmake is not installed; './tessera build' installs all build tools") from None
        except subprocess.CalledProcessError as error:
            raise RuntimeError(f"'{' '.join(command)}' failed, see above; './tessera build' installs all "
                               f"build tools (status {error.returncode})") from None
