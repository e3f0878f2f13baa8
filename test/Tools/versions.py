"""Compares all statements of a version with the line that defines it. Usage: versions.py ROOT BUILD"""

import json
import pathlib
import re
import subprocess
import sys

root, build = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(root / "python"))
import tessera  # noqa: E402

said = {"tessera.__version__": tessera.__version__}
for path in sorted(build.glob("bin/ti*")):
    text = subprocess.run([str(path), "--version"], check=True, capture_output=True, text=True).stdout
    said[f"{path.name} --version"] = re.match(r"Tessera (\S+)$", text, re.MULTILINE)[1]
assert len(said) > 10, list(said)
for name, pattern in (("TesseraConfigVersion.cmake", r'PACKAGE_VERSION "(.*?)"'),
                      ("tessera-runtime.pc", r"^Version: (.*)$")):
    said[name] = re.search(pattern, (build / name).read_text(), re.MULTILINE)[1]
# The version of the wheel; hatchling finds this line by itself.
settings = (root / "pyproject.toml").read_text()
path = re.search(r'^\[tool\.hatch\.version\]\npath = "(.*)"$', settings, re.MULTILINE)[1]
said["pyproject.toml"] = re.search(r'^__version__ = "(.*)"$', (root / path).read_text(), re.MULTILINE)[1]
said["CHANGELOG.md"] = re.search(r"^## (\d\S*?),", (root / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
said["editors/vscode"] = json.loads((root / "editors" / "vscode" / "package.json").read_text())["version"]

wrong = {name: version for name, version in said.items() if version != tessera.__version__}
if wrong or not re.fullmatch(r"\d+\.\d+\.\d+", tessera.__version__):
    sys.exit(f"version.py states {tessera.__version__}; others say {wrong}")
