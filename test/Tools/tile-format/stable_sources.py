"""Checks that tile-format changes only white space, is idempotent, and reports unreadable input.

Usage: stable_sources.py ROOT FOLDER

Formats copies, in FOLDER, of every .tile file of the repository, and of the kernel blocks in docs/language.md and
README.md. Also formats variants of these with other white space, and the kept inputs of the front end's fuzzer. The
sources of the repository are already formatted, except intentionally wrong ones.
"""

import pathlib
import random
import re
import subprocess
import sys

TOKEN = re.compile(
    r"""//[^\n]*|"(?:\\.|[^"\\\n])*"|[A-Za-z_]\w*|0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"""
    r"|[=!<>+\-*/]=|&&|\|\||\.\.|\S",
    re.ASCII,
)
BLOCK = re.compile(r"^```tile(?:-error)?\n(.*?)^```", re.MULTILINE | re.DOTALL)


def tokens(text):
    found = TOKEN.findall(text.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))
    return [token.rstrip() for token in found]


def mangle(text, source):
    """Returns the same tokens with unusual white space."""
    blanks = random.Random(source).choices(
        [" ", "   ", "\n", "\n      ", "\n\n\n", "\t", "\r\n"], [60, 5, 5, 5, 2, 2, 2], k=len(text)
    )
    words = [word + ("\n" if word.startswith("//") else "") + blank for word, blank in zip(tokens(text), blanks)]
    return "".join(words).encode("utf-8", "surrogateescape")


def collect(root):
    """Yields names, texts, and whether the text is expected to be formatted already."""
    for folder in ("examples", "test"):
        for path in sorted((root / folder).rglob("*.tile")):
            yield str(path.relative_to(root)), path.read_bytes(), True
    for page in ("docs/language.md", "README.md"):
        for number, match in enumerate(BLOCK.finditer((root / page).read_text())):
            yield f"{page}-{number}", match[1].encode(), True
    for path in sorted((root / "test/Fuzz/corpus/frontend").iterdir()):
        yield f"corpus/{path.name}", path.read_bytes(), False


def main():
    root, folder = map(pathlib.Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    sources = {}
    for name, text, is_ours in collect(root):
        path = folder / (re.sub(r"\W", "_", name) + ".tile")
        path.write_bytes(text)
        sources[str(path)] = (name, text, is_ours)
        if is_ours:
            path = path.with_name("mangled_" + path.name)
            path.write_bytes(mangle(text, name))
            sources[str(path)] = (path.name, path.read_bytes(), False)

    def run(option, paths):
        return subprocess.run(["tile-format", option, *paths], capture_output=True, text=True, errors="replace")

    problems = []
    first = run("-i", sources)
    refused = set(re.findall(r"^(\S+\.tile):\d+:\d+: error: ", first.stderr, re.MULTILINE))
    read = [path for path in sources if path not in refused]
    for path, (name, text, is_ours) in sources.items():
        formatted = pathlib.Path(path).read_bytes()
        if path in refused and formatted != text:
            problems.append(f"{name}: refused, and yet written")
        if tokens(formatted) != tokens(text):
            problems.append(f"{name}: other tokens or comments than before")
        if is_ours and formatted != text:
            problems.append(f"{name}: not formatted; run tile-format -i on it")
        if path in refused or not is_ours:
            continue
        # Comments keep their length.
        longest = max((len(line) for line in formatted.decode().splitlines() if "//" not in line), default=0)
        if longest > 110:
            problems.append(f"{name}: a line of {longest} characters")
    second = run("--check", read)
    problems += [f"{sources[path][0]}: changes a second time" for path in second.stdout.split()]
    if second.returncode or second.stderr:
        problems.append(f"--check: exit status {second.returncode}, {second.stderr}")
    print("\n".join(problems))
    print(f"{len(sources)} sources, {len(refused)} refused, {len(problems)} problems")
    # Neither of the two may have become empty.
    return 1 if problems or len(read) < 150 or not 10 < len(refused) < len(sources) else 0


if __name__ == "__main__":
    sys.exit(main())
