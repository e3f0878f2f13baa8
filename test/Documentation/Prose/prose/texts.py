"""Takes the prose out of files: paragraphs without code, tables, IR and licences, each with its first line."""

import ast
import io
import re
import tokenize

# Kinds of files: a name, patterns below the root, and the function that reads them.
PATTERNS = {
    "pages": ("*.md", "docs/**/*.md", "examples/**/*.md", "gpu/**/*.md", "python/**/*.md", "lib/**/*.md",
              "editors/**/*.md"),
    "dialects": ("dialects/**/*.md",),
    "comments": ("lib/**/*.cpp", "lib/**/*.h", "include/**/*.h", "tools/**/*.cpp", "tools/**/*.h"),
    "ods": ("dialects/**/*.td", "include/**/*.td", "lib/**/*.td"),
    "messages": ("lib/**/*.cpp", "tools/**/*.cpp"),
    "python": ("gpu/**/*.py", "python/**/*.py", "test/**/*.py", "site/**/*.py", "examples/**/*.py"),
}
# Texts of others, lists of changes, and generated tables.
SKIPPED = re.compile(r"(^|/)(build[^/]*|corpus|node_modules|LICENSE|CHANGELOG\.md|RESULTS\.md)(/|$)")
LICENCE = re.compile(r"Apache License v2|SPDX-License|LLVM Exceptions")
FENCE = re.compile(r"^\s*(```|~~~)")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+")
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
CPP = re.compile(r'(?P<raw>R"(?P<mark>[^()\s]*)\(.*?\)(?P=mark)")|(?P<text>' + LITERAL + r"(?:\s*" + LITERAL + r")*)"
                 r"|(?P<char>'(?:[^'\\\n]|\\.)+')|(?P<line>//[^\n]*)|(?P<block>/\*.*?\*/)", re.S)
ODS = re.compile(r"\[\{(?P<body>.*?)\}\]|summary\s*=\s*(?P<text>" + LITERAL + r"(?:\s*" + LITERAL
                 + r")*)|(?P<line>//[^\n]*)", re.S)


def find_files(root, kind):
    """Yields the files of a kind, as paths below the root."""
    found = {path.relative_to(root) for pattern in PATTERNS[kind] for path in root.glob(pattern)}
    yield from (path for path in sorted(found) if not SKIPPED.search(path.as_posix()))


def read_markdown(text, first=1):
    """Yields (line, paragraph) of a page; a paragraph keeps its line ends."""
    start, lines, fenced = first, [], False
    for number, line in enumerate([*text.split("\n"), ""], first):
        if FENCE.match(line):
            fenced, line = not fenced, ""
        elif fenced or line.lstrip().startswith(("|", "#", "<!--", "![")) or re.match(r"^ {4,}\S", line) and not lines:
            line = ""
        item = ITEM.match(line)
        if lines and (item or not line.strip()):
            yield start, "\n".join(lines)
            lines = []
        if line.strip():
            start = start if lines else number
            lines.append(line[item.end():] if item else line)


def read_comment(lines, first):
    """Yields the paragraphs of one comment: lines without their marks. Deeper indentation is code or IR."""
    kept = []
    for line in lines:
        code = line.startswith("   ") or re.match(r"^ *(\\code|=+|-+|%|\^bb)", line)
        kept.append("" if code or LICENCE.search(line) else line)
    yield from read_markdown("\n".join(line.strip() for line in kept), first)


def join_lines(comments):
    """Yields (line, [text]) of line comments that follow each other: [(line, column, text)]."""
    group, last = [], None
    for number, column, text in comments:
        if group and (number != last[0] + 1 or column != last[1]):
            yield group[0][0], [text for _, text in group]
            group = []
        group.append((number, text))
        last = number, column
    if group:
        yield group[0][0], [text for _, text in group]


def place(text, offset):
    """Returns the line and the column of an offset."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def read_comments(text):
    comments = []
    for match in CPP.finditer(text):
        if match["line"]:
            words = match["line"].lstrip("/").removeprefix("<").removeprefix("!")
            comments.append((*place(text, match.start()), "" if "===" in words else words))
        elif match["block"]:
            lines = [line.strip().lstrip("*") for line in match["block"][2:-2].split("\n")]
            yield from read_comment(lines, place(text, match.start())[0])
    for line, lines in join_lines(comments):
        yield from read_comment(lines, line)


def read_literal(literals):
    """Returns the text of string literals that follow each other."""
    parts = re.findall(LITERAL, literals)
    return re.sub(r"\\(.)", lambda match: " " if match[1] in "nt" else match[1], "".join(part[1:-1] for part in parts))


def read_messages(text):
    """Yields string literals of three words and more: diagnostics, remarks, help."""
    for match in CPP.finditer(text):
        if match["text"]:
            words = read_literal(match["text"])
            if len(re.findall(r"[A-Za-z]{2,}", words)) >= 3 and not re.search(r"[%@$]\w|\{\d|->|;|==", words):
                yield place(text, match.start())[0], words


def read_ods(text):
    comments = []
    for match in ODS.finditer(text):
        line, column = place(text, match.start())
        if match["line"]:
            words = match["line"].lstrip("/")
            comments.append((line, column, "" if "===" in words else words))
        elif match["text"]:
            yield line, read_literal(match["text"])
        elif re.search(r"(description|summary)\s*=\s*$", text[max(0, match.start() - 40):match.start()]):
            body = match["body"].split("\n")
            depth = min((len(row) - len(row.lstrip()) for row in body if row.strip()), default=0)
            yield from read_markdown("\n".join(row[depth:] for row in body), line)
    for line, lines in join_lines(comments):
        yield from read_comment(lines, line)


def read_python(text):
    comments = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith(("#!", "# noqa", "# type")):
            comments.append((token.start[0], token.start[1], token.string.lstrip("#")))
    for line, lines in join_lines(comments):
        yield from read_comment(lines, line)
    documented = (ast.Module, ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented) and ast.get_docstring(node):
            yield from read_markdown(ast.get_docstring(node), node.body[0].lineno)


READERS = {"pages": read_markdown, "dialects": read_markdown, "comments": read_comments, "ods": read_ods,
           "messages": read_messages, "python": read_python}


def read_kind(root, kind):
    """Yields (path, line, paragraph) of all files of a kind."""
    for path in find_files(root, kind):
        try:
            for line, paragraph in READERS[kind]((root / path).read_text(encoding="utf-8")):
                yield path, line, paragraph
        except (SyntaxError, UnicodeDecodeError, tokenize.TokenError):
            continue
