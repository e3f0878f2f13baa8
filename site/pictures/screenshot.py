#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes the README's screenshot of a compilation page: flash attention, with the lines of one product marked.

    screenshot.py [FILE.png]

Needs `tilec` in PATH and a headless Chromium, as the tests of the page do. The file depends on the fonts of the
machine, so no test compares it; a test takes the screenshot again and checks its size.
"""

import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test" / "Tools" / "tilec" / "Html"))

from browser import Browser  # noqa: E402

PICTURE = ROOT / "docs" / "pictures" / "compilation-page.png"
SIZE = (1240, 600)
EXAMPLE = ROOT / "examples" / "07-flash-attention"
# The state of the page: the phase on the right, and the marked line of the source.
PHASE, PRODUCT = "overlap", "qm @ k[b, g, n, :].T"
# The largest size of the file in bytes.
LARGEST = 300_000


def main():
    picture = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE
    lines = (EXAMPLE / "kernel.tile").read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if PRODUCT in text)
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder, Browser(*SIZE) as browser:
        page = f"{folder}/page.html"
        subprocess.run(["tilec", "kernel.tile", "-D", "CAUSAL=true", f"--html={page}"], cwd=EXAMPLE, check=True)
        browser.open(page, f"#right={PHASE}&line={line}")
        browser.save_screenshot(str(picture))
    size = picture.stat().st_size
    if size > LARGEST:
        sys.exit(f"error: {picture}: {size} bytes; the limit is {LARGEST}")
    print(f"{SIZE[0]}x{SIZE[1]}, {size // 1000} kB")


if __name__ == "__main__":
    main()
