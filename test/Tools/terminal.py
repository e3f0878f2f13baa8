"""Runs a command on a terminal and checks its progress lines.

Usage: terminal.py TEXT... -- COMMAND...

Each text must occur in such a line, which must be cleared before other output is printed.
"""

import os
import pty
import subprocess
import sys


def main() -> None:
    split = sys.argv.index("--")
    texts, command = sys.argv[1:split], sys.argv[split + 1:]
    reader, terminal = pty.openpty()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal,
                               env={**os.environ, "TERM": "xterm"})
    os.close(terminal)
    output = b""
    while True:
        try:
            part = os.read(reader, 1 << 16)
        except OSError:  # The other side is closed.
            break
        if not part:
            break
        output += part
    process.wait()
    shown = output.decode()
    # A line starts with a carriage return, and ends by clearing the rest of the previous line.
    lines = [part.split("\x1b[K")[0] for part in shown.split("\r") if part.startswith("[")]
    for text in texts:
        if not any(text in line for line in lines):
            sys.exit(f"no line of progress has {text!r}: {shown!r}")
    last = shown.rindex("\r[")
    if not shown[last:].split("\x1b[K", 1)[1].startswith("\r\x1b[K"):
        sys.exit(f"the last line of progress is still there: {shown[last:]!r}")


if __name__ == "__main__":
    main()
