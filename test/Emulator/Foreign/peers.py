"""Finds other compilers on this machine."""

import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
# The versions that the kernels are written for.
TRITON_VERSIONS = ("3.6", "3.7")


def find_triton():
    """Returns the folder that contains the package."""
    folders = [os.environ.get("TESSERA_TRITON"), ROOT / "build" / "triton", *sys.path]
    for folder in filter(None, folders):
        if any(glob.glob(f"{folder}/triton-{version}.*.dist-info") for version in TRITON_VERSIONS):
            return pathlib.Path(folder)
    return None


def install_triton(version):
    folder = ROOT / "build" / "triton"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"]
    subprocess.run([*pip, "--target", folder, f"triton=={version}.*"], check=True)
    return folder


def find_nvcc():
    """Returns an nvcc that can compile: it needs headers and a host compiler."""
    programs = [os.environ.get("TESSERA_NVCC"), shutil.which("nvcc")]
    programs += sorted(glob.glob("/usr/local/cuda*/bin/nvcc"))
    for program in filter(None, programs):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "empty.cu"
            source.write_text("__global__ void empty() {}")
            command = [program, "-arch=sm_90a", "-ptx", "-o", source.with_suffix(".ptx"), source]
            if subprocess.run(command, capture_output=True).returncode == 0:
                return program
    return None


FIND = {"triton": find_triton, "nvcc": find_nvcc}
