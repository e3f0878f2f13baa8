# The configuration of the lit suite; the site file in the build folder fills in the paths.
import filecmp
import os
import platform
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(config.tessera_source_dir, "test", "Suite"))
import measured  # noqa: E402

config.name = "Tessera"
config.test_format = measured.MeasuredTest(execute_external=False)
config.suffixes = [".mlir", ".tile", ".test"]
config.excludes = ["corpus", "lit.cfg.py", "Inputs", "unittests", "CMakeLists.txt"]
config.test_source_root = os.path.join(config.tessera_source_dir, "test")
config.test_exec_root = os.path.join(config.tessera_build_dir, "test")

# A tool that never ends fails by name. The longest test takes two minutes.
if lit_config.maxIndividualTestTimeIsSupported[0]:
    lit_config.maxIndividualTestTime = 1200


def find_static_tools():
    """Returns the folder of links to the program `tessera`, which starts in 6 ms; a tool that loads libMLIR.so
    takes 35 ms. Returns no folder if its library is older than the libraries in it: then the tools of bin run."""
    program = os.path.join(config.tessera_build_dir, "lib", "libtessera_compiler.so")
    query = ["ninja", "-C", config.tessera_build_dir, "-t", "query", "lib/libtessera_compiler.so"]
    inputs = subprocess.run(query, capture_output=True, text=True).stdout.split()
    libraries = [os.path.join(config.tessera_build_dir, word) for word in inputs if word.endswith(".a")]
    if not os.path.exists(program) or not libraries:
        return []
    age = os.path.getmtime(program)
    if any(not os.path.exists(library) or os.path.getmtime(library) > age for library in libraries):
        lit_config.note("bin/tessera is older than its libraries: tests run the tools of bin")
        return []
    return [os.path.join(config.test_exec_root, "tools")]


config.environment["PATH"] = os.pathsep.join(
    [
        *find_static_tools(),
        os.path.join(config.tessera_build_dir, "bin"),
        config.llvm_tools_dir,
        "/usr/bin",  # The system Python, which has NumPy, before any other.
        config.environment["PATH"],
    ]
)
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.substitutions.append(("%python", "/usr/bin/python3"))
config.substitutions.append(("%root", config.tessera_source_dir))
config.substitutions.append(("%build", config.tessera_build_dir))
# A seed that differs between commits, for tests of random programs: run_suite.py --seed.
config.substitutions.append(("%{fresh-seed}", lit_config.params.get("seed", "0")))
config.substitutions.append(("%llvm", os.path.dirname(config.llvm_tools_dir)))

# `REQUIRES: ptxas`: the ptxas that tile-ptx itself would run.
if "TESSERA_PTXAS" in os.environ:
    config.environment["TESSERA_PTXAS"] = os.environ["TESSERA_PTXAS"]
tile_ptx = os.path.join(config.tessera_build_dir, "bin", "tile-ptx")
if (
    os.path.exists(tile_ptx)
    and subprocess.run([tile_ptx, "--find-ptxas"], env=config.environment, capture_output=True).returncode == 0
):
    config.available_features.add("ptxas")

# `REQUIRES: wheel-tools`: the tools that `./tessera test` installs to build the wheel.
wheel_tools = os.path.join(config.tessera_build_dir, "wheel-tools", "bin")
if all(os.path.exists(os.path.join(wheel_tools, name)) for name in ("abi3audit", "auditwheel", "hatchling", "vermin")):
    config.available_features.add("wheel-tools")

# `wheel-libc`: a C library that the wheel can be built with (python/build_wheel.py).
if tuple(map(int, platform.libc_ver()[1].split("."))) <= (2, 36):
    config.available_features.add("wheel-libc")

# `REQUIRES: nvdisasm`: the program that gpu/machine_code/sass.py itself would run.
if "TESSERA_NVDISASM" in os.environ:
    config.environment["TESSERA_NVDISASM"] = os.environ["TESSERA_NVDISASM"]
sass = os.path.join(config.tessera_source_dir, "gpu", "machine_code", "sass.py")
if subprocess.run(["/usr/bin/python3", sass, "--find"], env=config.environment, capture_output=True).returncode == 0:
    config.available_features.add("nvdisasm")

# `REQUIRES: triton` and `REQUIRES: nvcc`: the compilers that the script itself would run.
foreign = os.path.join(config.tessera_source_dir, "test", "Emulator", "Foreign", "foreign_ptx.py")
for peer in ("triton", "nvcc"):
    variable = "TESSERA_" + peer.upper()
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]
    found = subprocess.run(["/usr/bin/python3", foreign, "--find", peer], env=config.environment, capture_output=True)
    if found.returncode == 0:
        config.available_features.add(peer)

# `REQUIRES: site`: the packages that `./tessera site` installed to build the documentation.
requirements = [
    os.path.join(config.tessera_build_dir, "site", "requirements.txt"),
    os.path.join(config.tessera_source_dir, "site", "requirements.txt"),
]
if os.path.exists(requirements[0]) and filecmp.cmp(*requirements, shallow=False):
    config.available_features.add("site")
config.substitutions.append(
    ("%site-python", os.path.join(config.tessera_build_dir, "site", "python", "bin", "python"))
)

# `REQUIRES: browser`: the browser that the test of the page of tilec would run.
if "TESSERA_BROWSER" in os.environ:
    config.environment["TESSERA_BROWSER"] = os.environ["TESSERA_BROWSER"]
browser = os.path.join(config.tessera_source_dir, "test", "Tools", "tilec", "Html", "browser.py")
if subprocess.run(["/usr/bin/python3", browser, "--find"]).returncode == 0:
    config.available_features.add("browser")

# `REQUIRES: tessera-calls`: the extension for calls from Python, which is built if Python's headers exist.
if os.path.exists(os.path.join(config.tessera_build_dir, "lib", "tessera_calls.abi3.so")):
    config.available_features.add("tessera-calls")

# `REQUIRES: torch`: a Python with torch, which TESSERA_TORCH_PYTHON names.
torch_python = os.environ.get("TESSERA_TORCH_PYTHON", "/usr/bin/python3")
find_torch = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
if subprocess.run([torch_python, "-c", find_torch], capture_output=True).returncode == 0:
    config.available_features.add("torch")
config.substitutions.append(("%torch-python", torch_python))
