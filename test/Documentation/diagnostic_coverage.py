"""Checks that some test expects every message of a diagnostic in lib/.

Usage: diagnostic_coverage.py ROOT [FOLDER...]

Takes the string literals of each reporting statement: emitError, emitRemark, makeError, fail…, or `<<` into a
diagnostic. The longest literal must occur in a file below test/. Interpolated values split a message into literals;
the longest one has the cause. Comments report nothing.
"""

import pathlib
import re
import sys

CALL = re.compile(
    r"\b(?:emitError|emitOpError|emitWarning|emitRemark|attachNote|createStringError|makeError|"
    r"reportUsageError|reportExpected|errorExpected|error|fail|failAt|failForm|failMap|failReduction|"
    r"report|reject|refuse|tell|warnOfUnmet)\("
    r"|\b(?:diagnostic|remark|warning|note)\s*<<")
# A comment, or a literal that may look like one: only group 1 is removed.
COMMENT = re.compile(r"""(//[^\n]*|/\*.*?\*/)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'""", re.DOTALL)
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
# Messages that no input reaches: they guard against a broken build or system.
UNREACHABLE = {
    # The attribute parser makes no other typed attribute of an element type.
    "expected fill to be a number",
    # tile-to-host makes nothing that these steps do not know.
    "is not compiled for the processor (",
    "the lowering to the llvm dialect failed",
    "the translation to LLVM IR failed",
    # No warning of the code generator is known.
    "code generation:",
    # The places that are searched depend on the machine.
    "cannot find ptxas: looked at TESSERA_PTXAS, PATH, /usr/local/cuda*/bin and the Python package nvidia-cuda-nvcc",
}


def strip_comments(text):
    """Returns the text without comments and quoted characters, with the same lines."""

    def blank(match):
        if match[1]:
            return "\n" * match[1].count("\n")
        return "0" if match[0].startswith("'") else match[0]

    return COMMENT.sub(blank, text)


def statements(text):
    """Yields each reporting statement, with its first line."""
    for match in CALL.finditer(text):
        depth, position, in_string = 0, match.start(), False
        while position < len(text):
            char = text[position]
            if in_string:
                if char == "\\":
                    position += 1
                elif char == '"':
                    in_string = False
            elif char == '"':
                in_string = True
            elif char == "{" and depth == 0:
                break  # The definition of a function of that name.
            elif char in "({[":
                depth += 1
            elif char in ")}]":
                depth -= 1
                if depth < 0:
                    break
            elif char == ";" and depth <= 0:
                break
            position += 1
        if text[position : position + 1] == "{":
            continue
        yield text.count("\n", 0, match.start()) + 1, text[match.start() : position]


def message(statement):
    """Returns the longest run of adjacent literals, unescaped."""
    joined = re.sub(r'"\s*\n?\s*"', "", statement)
    literals = [m.replace('\\"', '"').replace("\\n", "\n") for m in LITERAL.findall(joined)]
    parts = [p for l in literals for p in re.split(r"%\w+|\{\d\}", l)]
    return max((p.strip(" '") for p in parts), key=len, default="")


def main():
    root = pathlib.Path(sys.argv[1])
    folders = sys.argv[2:] or ["lib"]
    tests = "\n".join(
        # C++ breaks long literals.
        re.sub(r'"\s+"', "", p.read_text(errors="replace")) if p.suffix == ".cpp" else p.read_text(errors="replace")
        for p in (root / "test").rglob("*")
        if p.suffix in (".mlir", ".tile", ".test", ".cpp", ".py", ".md")
    )
    # A FileCheck pattern may break a line or match a value, and a C++ literal may continue on the next line; compare
    # without both.
    tests = re.sub(r'"\n\s*"', "", tests)
    tests = re.sub(r"\s+", " ", tests)
    missing = checked = 0
    for folder in folders:
        for path in sorted((root / folder).rglob("*.cpp")):
            for line, statement in statements(strip_comments(path.read_text())):
                text = re.sub(r"\s+", " ", message(statement))
                if len(text) < 8 or text in UNREACHABLE:
                    continue
                checked += 1
                if text in tests:
                    continue
                name = str(path.relative_to(root))
                missing += 1
                print(f"{name}:{line}: no test expects \"{text}\"")
    print(f"{checked} messages, {missing} without a test")
    return 1 if missing or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
