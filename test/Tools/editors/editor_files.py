"""Checks that the files in editors/ are well-formed and know the words of the front end.

Usage: editor_files.py ROOT

The words come from tile-lsp-server, whose lists are those of the lexer and of the table of built-in functions. The
words of the examples must have the colours of the server's semantic tokens: by the grammar of VS Code, and by Vim
itself if it is installed.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tile-lsp-server"))
from lsp_client import Client, Source  # noqa: E402

# The server's name for a kind of word, and the beginnings of the editors' names for it.
SCOPES = {
    "function declaration": (("entity.name.function",), ("tileName",)),
    "function defaultLibrary": (("support.function",), ("tileFunction",)),
    "type defaultLibrary": (("support.type",), ("tileType",)),
    "keyword": (
        ("keyword.control", "keyword.other", "storage.", "constant.language"),
        ("tileKeyword", "tileDeclaration", "tileConstant", "tileClause", "tileModifier"),
    ),
}
FUNCTION, STRUCT, KEYWORD, PROPERTY = 3, 22, 14, 10

# Runs the extension in an editor with settings that change once, and prints the servers that it starts.
HOST = """
const [file, settings] = process.argv.slice(1), clients = [];
const workspace = {
  getConfiguration: (section) => ({ get: (name) => JSON.parse(settings)[section + "." + name] }),
  onDidChangeConfiguration: (listener) => { workspace.change = listener; },
};
class LanguageClient {
  constructor(...given) { this.log = given; clients.push(given); }
  async start() { this.log.push("started"); }
  async stop() { this.log.push("stopped"); }
}
const modules = { vscode: { workspace }, "vscode-languageclient/node": { LanguageClient } };
const Module = require("module"), load = Module._load;
Module._load = (name, ...rest) => modules[name] || load(name, ...rest);
const extension = require(file);
(async () => {
  await extension.activate({ subscriptions: [] });
  await workspace.change({ affectsConfiguration: (section) => section == "tile" });
  await extension.deactivate();
  console.log(JSON.stringify(clients));
})();
"""


def expect(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: got {found}, expected {expected}")


def ask_words(client):
    """Returns the words by their kind."""
    source = Source("file:///words.tile", "kernel f(out y: f32[M]) {\n  y.\n}\n")
    client.open(source.uri, source.text)

    def complete(words, kind):
        items = client.ask("completion", source.uri, position=source.at(words, 2))["items"]
        return sorted(item["label"] for item in items if item["kind"] == kind and item["label"] != "f")

    functions = client.ask("completion", source.uri, position=source.at("  y", 2))["items"]
    lacking = [f["label"] for f in functions if f["kind"] == FUNCTION and "documentation" not in f]
    expect(lacking, [], "functions without a text")
    return {
        "keywords": complete("  y", KEYWORD),
        "types": complete("  y", STRUCT),
        "functions": complete("  y", FUNCTION),
        "members": complete("y.", PROPERTY),
    }


def check_language_page(root, words):
    page = (root / "docs/language.md").read_text()
    reserved = re.search(r"The words\s+`([^`]*)`", page)[1].split()
    expect(sorted(reserved), words["keywords"], "docs/language.md: reserved words")
    # The names of functions in its table.
    table = page[page.index("| function | value |") : page.index("Sums of `f16`")]
    calls = {name for cell in re.findall(r"^\|(.*?)\|", table, re.MULTILINE) for name in re.findall(r"\w+(?=\()", cell)}
    listed = {name for words in re.findall(r"^\| `([\w ]+)` \|", table, re.MULTILINE) for name in words.split()}
    ranges = {"tiles", "tile", "range"}
    expect(sorted(calls | listed | ranges), words["functions"], "docs/language.md: functions")


def check_grammar(folder, words):
    grammar = json.loads((folder / "syntaxes/tile.tmLanguage.json").read_text())
    repository = grammar["repository"]
    included = [pattern["include"] for pattern in grammar["patterns"]]
    expect(sorted(included), sorted("#" + name for name in repository), "what the grammar includes")

    def list_words(*names):
        patterns = [p["match"] for name in names for p in repository[name]["patterns"]]
        groups = [re.search(r"\\b\(\?:([\w|]+)\)\\b", pattern) for pattern in patterns]
        return sorted(word for group in groups if group for word in group[1].split("|"))

    expect(list_words("keywords", "declarations", "constants"), words["keywords"], "keywords of the grammar")
    for kind in ("types", "functions", "members"):
        expect(list_words(kind), words[kind], f"{kind} of the grammar")
    return [pattern for name in included for pattern in repository[name[1:]]["patterns"]]


def check_extension(folder):
    package = json.loads((folder / "package.json").read_text())
    json.loads((folder / "language-configuration.json").read_text())
    contributes = package["contributes"]
    (language,), (grammar,) = contributes["languages"], contributes["grammars"]
    for name in (package["main"], language["configuration"], grammar["path"]):
        expect((folder / name).is_file(), True, name)
    script = (folder / package["main"]).read_text()
    used = {"tile." + name for name in re.findall(r'settings\.get\("([^"]+)"\)', script)}
    properties = contributes["configuration"]["properties"]
    expect(used, set(properties), "settings")
    # A workspace, trusted or not, cannot choose the program that is started.
    names_program = {"tile.server.path", "tile.server.arguments"}
    restricted = package["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    expect(set(restricted), names_program, "restricted settings")
    of_machine = {name for name, value in properties.items() if value.get("scope") == "machine"}
    expect(of_machine, names_program, "settings of the machine")
    modules = set(re.findall(r'require\("([\w-]+)', script)) - {"vscode"}
    expect(modules, set(package["dependencies"]), "modules")
    if not shutil.which("node"):
        return
    defaults = {name: value["default"] for name, value in properties.items()}
    for given, languages in (({}, ["tile"]), ({"tile.server.mlir": True, "tile.defines": {"BM": "64"}}, ["tile", "mlir"])):
        settings = {**defaults, **given}
        node = ["node", "-e", HOST, folder / package["main"], json.dumps(settings)]
        options = {
            "documentSelector": [{"language": name} for name in languages],
            "initializationOptions": {"defines": settings["tile.defines"]},
        }
        client = ["tile", "Tessera", {"command": "tile-lsp-server", "args": []}, options, "started", "stopped"]
        clients = json.loads(subprocess.run(node, capture_output=True, check=True).stdout)
        expect(clients, [client, client], "what the extension starts")


def colour_line(patterns, line):
    """Returns the scope of each character, as an editor finds it: the first match, and for equal starts the first
    pattern."""
    scopes, at = [""] * len(line), 0
    while at < len(line):
        matches = [(found.start(), i, found) for i, p in enumerate(patterns) if (found := p["regex"].search(line, at))]
        if not matches:
            break
        _, i, found = min(matches, key=lambda match: match[:2])
        parts = {int(group): part["name"] for group, part in patterns[i].get("captures", {}).items()}
        for group, name in ({0: patterns[i]["name"]} if "name" in patterns[i] else parts).items():
            scopes[found.start(group) : found.end(group)] = [name] * (found.end(group) - found.start(group))
        at = max(found.end(), at + 1)
    return scopes


def colour_by_vim(root, path):
    """Returns the group of each character of each line, from Vim; None without Vim or its syntax support."""
    program = shutil.which("vim")
    if not program or "+syntax" not in subprocess.run([program, "--version"], capture_output=True, text=True).stdout:
        return None
    script = (
        "let lines = [] | for l in range(1, line('$')) | let row = [] | for c in range(1, len(getline(l))) | "
        "call add(row, synIDattr(synID(l, c, 1), 'name')) | endfor | call add(lines, row) | endfor | "
        "call add(lines, [&formatprg, &shiftwidth, &textwidth]) | "
        "call writefile([json_encode(lines)], '/dev/stdout') | quitall!"
    )
    vim = [program, "-N", "-u", "NONE", "-i", "NONE", "-n", "-es", "--cmd", f"set runtimepath^={root}/editors/vim"]
    vim += ["-c", "filetype plugin on", "-c", "syntax on", "-c", f"edit {path}", "-c", script]
    lines = json.loads(subprocess.run(vim, capture_output=True, check=True).stdout)
    expect(lines.pop(), ["tile-format", 2, 110], "settings of Vim")
    return lines


def check_colours(root, client, patterns):
    legend = client.capabilities["semanticTokensProvider"]["legend"]
    for pattern in patterns:
        pattern["regex"] = re.compile(pattern["match"])
    counts = {kind: 0 for kind in SCOPES}
    for path in sorted((root / "examples").rglob("*.tile")):
        source = Source.read(path)
        client.open(source.uri, source.text)
        data = client.ask("semanticTokens/full", source.uri)["data"]
        lines = source.text.splitlines()
        by_grammar = [colour_line(patterns, line) for line in lines]
        by_vim = colour_by_vim(root, path)
        number = character = 0
        for delta, step, length, kind, modifiers in zip(*[iter(data)] * 5):
            number, character = number + delta, step if delta else character + step
            names = [name for bit, name in enumerate(legend["tokenModifiers"]) if modifiers >> bit & 1]
            what = " ".join([legend["tokenTypes"][kind], *names])
            place = f"{path}:{number + 1}:{character + 1}: {what}"
            # Code has wide characters only in comments, after all tokens of a line.
            (scope,) = set(by_grammar[number][character : character + length]) or {""}
            group = by_vim[number][character] if by_vim else None
            if scope.startswith(("comment", "string")) or group in ("tileComment", "tileString"):
                sys.exit(f"{place}: {scope}, {group}")
            if what not in SCOPES:
                continue
            counts[what] += 1
            scopes, groups = SCOPES[what]
            if not scope.startswith(scopes) or (by_vim and group not in groups):
                sys.exit(f"{place}: {scope}, {group}")
    print(counts)
    assert min(counts.values()) > 30


def check_vim(folder, words):
    text = (folder / "syntax/tile.vim").read_text()
    keywords = re.findall(r"^syntax keyword tile(?:Keyword|Declaration|Constant) (.*)", text, re.MULTILINE)
    expect(sorted(" ".join(keywords).split()), words["keywords"], "keywords of Vim")
    expect(re.search(r"^syntax keyword tileType (.*)", text, re.MULTILINE)[1].split(), words["types"], "types of Vim")
    for kind, group in (("functions", "Function"), ("members", "Member")):
        listed = re.search(rf"^syntax match tile{group} .*?%\((.*?)\\\)", text, re.MULTILINE)[1].split(r"\|")
        expect(listed, words[kind], f"{kind} of Vim")
    groups = set(re.findall(r"^syntax \w+ (tile\w+)", text, re.MULTILINE))
    expect(set(re.findall(r"^highlight default link (tile\w+)", text, re.MULTILINE)), groups, "groups of Vim")


def main():
    root = pathlib.Path(sys.argv[1])
    client = Client()
    words = ask_words(client)
    check_language_page(root, words)
    check_extension(root / "editors/vscode")
    check_vim(root / "editors/vim", words)
    check_colours(root, client, check_grammar(root / "editors/vscode", words))
    expect(client.end(), 0, "the exit status")


if __name__ == "__main__":
    main()
