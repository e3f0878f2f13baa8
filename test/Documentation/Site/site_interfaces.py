"""Checks the references of the interfaces and the list of versions of the site.

Usage: site_interfaces.py ROOT SCRATCH
"""

import ast
import json
import pathlib
import re
import shutil
import sys

ROOT, SCRATCH = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
sys.path.append(str(ROOT / "site"))
import versions  # noqa: E402
from api import ApiError  # noqa: E402
from c_api import write_c_api  # noqa: E402
from python_api import write_python_api  # noqa: E402

FAILURES = []


def expect(holds, message):
    if not holds:
        FAILURES.append(message)


def check_names():
    """Each public name has a heading; the names come from other readers than those of the site."""
    page = write_python_api(ROOT)
    exports = re.search(r"__all__ = \[(.*?)\]", (ROOT / "python/tessera/__init__.py").read_text(), re.S)[1]
    for name in re.findall(r'"(\w+)"', exports):
        expect(f"\n### {name}\n" in page or name.startswith("__"), f"the reference for Python lacks {name}")
    expect("\nerror.file\n" in page, "the reference for Python shows a property as a call")
    load = re.search(r"^```python\ntessera.load(\(.*?\))\n```$", page, re.M | re.S)[1]
    tree = ast.parse(f"def f{load}: pass")
    expect(tree.body[0].args.args[0].arg == "path", "the signature of load has another first parameter")
    page = write_c_api(ROOT)
    headers = "".join(path.read_text() for path in sorted((ROOT / "include/tessera-c").glob("*.h")))
    code = re.sub(r"/\*.*?\*/", "", headers, flags=re.S)
    functions = re.findall(r"\b(tessera_\w+)\(", code)
    expect(len(functions) > 15, f"the headers have {len(functions)} functions")
    for name in [*functions, *re.findall(r"\} (tessera_\w+);", code)]:
        expect(page.count(f"\n### {name}\n") == 1, f"the reference for C lacks {name}")
    expect("TESSERA_EXPORT" not in page, "the reference for C has the macro of visibility")
    return len(functions)


def check_defects():
    """A public name without a docstring, and a class that no longer exists, are errors."""
    for path, text, changed, message in [
            ("targets.py", '"""Raises', 'b"""Raises',
             "targets.py:LINE: 'require_targets' is public and has no docstring"),
            ("sources.py", "class SourceKernel", "class Another",
             "python/tessera has no class SourceKernel; see RETURNED in site/python_api.py")]:
        shutil.rmtree(SCRATCH, ignore_errors=True)
        shutil.copytree(ROOT / "python/tessera", SCRATCH / "python/tessera")
        module = SCRATCH / "python/tessera" / path
        expect(text in module.read_text(), f"{path} has no {text}")
        module.write_text(module.read_text().replace(text, changed))
        try:
            write_python_api(SCRATCH)
            FAILURES.append(f"no error: {message}")
        except ApiError as error:
            expect(re.sub(r":\d+:", ":LINE:", str(error)) == message, f"{error}; expected {message}")


def check_versions():
    shutil.rmtree(SCRATCH, ignore_errors=True)
    for name in ("0.1.0", "0.10.0", "0.9.1", "main"):
        (SCRATCH / name).mkdir(parents=True)
        (SCRATCH / name / "index.html").touch()
    versions.write(SCRATCH)
    rows = json.loads((SCRATCH / "versions.json").read_text())
    expect([row["version"] for row in rows] == ["main", "0.10.0", "0.9.1", "0.1.0"], f"the versions are {rows}")
    expect([row["version"] for row in rows if row["aliases"]] == ["0.10.0"], f"the newest release is of {rows}")
    expect("url=0.10.0/index.html" in (SCRATCH / "index.html").read_text(), "the first page opens another version")


count = check_names()
check_defects()
check_versions()
print("\n".join(FAILURES))
print(f"{count} functions of C, {len(FAILURES)} failures")
sys.exit(1 if FAILURES else 0)
