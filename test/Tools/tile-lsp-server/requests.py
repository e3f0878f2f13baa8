"""Sends each request about .tile files for a small source, and checks the answer.

Usage: requests.py
"""

import sys

from lsp_client import Client, Source

KERNELS = """\
/// Many times v.
///
/// By a number known at compile time.
fn times(v, by: int) {
  assert by > 0, "× at least 1 😀"; let many = v * by;
  return many;
}

/// y = erf(x) + b.
kernel shifted<T: type = f16, BM: int = 32, BN: int = 64>(
    x: T[M, N], b: f32[N], scale: f32, out y: f32[M, N])
  grid (m in tiles(M, BM))
  schedule (warpgroups = 2, stages = 2)
{
  var total = zeros(f32[BM]);
  for n in tiles(N, BN) {
    let t = erf(x[m, n] as f32) * scale;
    let moved = times(t, by = 2) + b[n][_, :];
    total += sum(moved, axis = 1);
    y[m, n] = moved - m.start as f32;
  }
  barrier();
  for i in range(0, 2) {
    let t = times(total, 3);
    y[m, i] = t;
  }
}
"""
SOURCE = Source("file:///kernels.tile", KERNELS)
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 1000, "character": 0}}


def expect(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: got {found!r}, expected {expected!r}")


def hover(client, words, inside=0):
    answer = client.ask("hover", SOURCE.uri, position=SOURCE.at(words, inside))
    return answer and (SOURCE.slice(answer["range"]), answer["contents"]["value"])


def check_hover(client):
    def code(text, more):
        return f"```tile\n{text}\n```\n{more}"

    # A word, the offset of the request in it, and the expected answer.
    for words, inside, word, text in [
        ("moved, axis", 0, "moved", code("let moved: f32[32, 64]", "let, over `M, N`")),
        ("moved, axis", 5, "moved", code("let moved: f32[32, 64]", "let, over `M, N`")),
        ("total +=", 2, "total", code("var total: f32[32]", "var")),
        ("many =", 0, "many", code("let many", "let\\\n`f32[32, 64]`, over `M, N`\\\n`f32[32]`")),
        ("x[m, n]", 0, "x", code("x: T[M, N]", "parameter\\\n`f16[M, N]`")),
        ("y[m, n]", 0, "y", code("out y: f32[M, N]", "parameter\\\n`f32[M, N]`")),
        ("BM])", 0, "BM", code("BM: int = 32", "compile-time parameter\\\n`int = 32`")),
        ("N, BN", 0, "N", code("N: int", "size")),
        ("m, n]", 0, "m", code("m in tiles(M, BM)", "grid axis\\\n`range of 32`, over `M`")),
        ("n in", 0, "n", code("n: range of 64", "loop variable, over `N`")),
        ("times(t", 0, "times", code("fn times(v, by: int)", "Many times v.\n\nBy a number known at compile time.")),
        ("sum(", 1, "sum", code("sum(x, axis = n)", "The sum along an axis, which is dropped. Sums of `f16`, `bf16` and "
                                "f8 are rounded after every addition.")),
        ("m.start", 3, "start", code("m.start", "The first position of a range, an `int`.")),
        ("stages", 0, "stages", code("stages = 1 … 16", "Depth of the pipelines that tiles arrive through, at most.")),
    ]:  # fmt: skip
        expect(hover(client, words, inside), (word, text), f"hover at {words}")
    name, text = hover(client, "shifted")
    expect((name, text.splitlines()[-1]), ("shifted", "y = erf(x) + b."), "hover at a kernel")
    expect(hover(client, "as f32"), None, "hover at a keyword")
    expect(hover(client, "*"), None, "hover at an operator")


def check_names(client):
    def define(words):
        place = client.ask("definition", SOURCE.uri, position=SOURCE.at(words))
        return place and place["range"]["start"]

    # Equal names in different blocks have their own definitions.
    for words, declaration in [
        ("t, by = 2", "t = erf"), ("by = 2", "by: int"),
        ("t;\n  }\n}", "t = times"), ("times(total", "times(v"), ("BN) {", "BN: int"),
        ("N, BN)", "N], b"), ("v * by", "v, by"), ("m.start", "m in"), ("i] =", "i in"), ("T[M", "T: type"),
    ]:  # fmt: skip
        expect(define(words), SOURCE.at(declaration), f"definition at {words}")
    expect(define("erf(x[m"), None, "definition of a built-in function")

    def refer(words, declaration):
        places = client.ask(
            "references", SOURCE.uri, position=SOURCE.at(words), context={"includeDeclaration": declaration}
        )
        return [place["range"]["start"]["line"] for place in places]

    expect(refer("total +=", True), [14, 18, 23], "references with the declaration")
    expect(refer("total +=", False), [18, 23], "references without the declaration")
    expect(refer("times(v", True), [3, 17, 23], "references of a fn")
    # Columns count UTF-16 units: a character of two bytes and one of four come before.
    expect(define("many;"), {"line": 4, "character": 40}, "definition after wide characters")

    symbols = client.ask("documentSymbol", SOURCE.uri)
    expect([s["name"] for s in symbols], ["times", "shifted"], "symbols")
    expect(symbols[0]["range"], {"start": SOURCE.at("fn"), "end": SOURCE.at("}\n\n///", 1)}, "the range of a symbol")
    inner = {s["name"]: s.get("detail") for s in symbols[1]["children"]}
    expect(list(inner), "T BM BN x b scale y m M N total n t moved i".split(), "inner symbols")
    expect((inner["moved"], inner["T"], inner["x"]), ("f32[32, 64]", "type = f16", "f16[M, N]"), "their types")


def apply(text, edits):
    """Returns the text after edits of parts of its lines."""
    lines = [line.encode("utf-16-le") for line in text.split("\n")]
    for edit in reversed(edits):
        begin, end = edit["range"]["start"], edit["range"]["end"]
        line = lines[begin["line"]]
        new = edit["newText"].encode("utf-16-le")
        lines[begin["line"]] = line[: 2 * begin["character"]] + new + line[2 * end["character"] :]
    return "\n".join(line.decode("utf-16-le") for line in lines)


def check_rename(client):
    def rename(words, new, inside=0):
        params = {"textDocument": {"uri": SOURCE.uri}, "position": SOURCE.at(words, inside), "newName": new}
        reply = client.answer("textDocument/rename", params)
        if "error" in reply:
            return reply["error"]["code"], reply["error"]["message"]
        return apply(KERNELS, reply["result"]["changes"][SOURCE.uri])

    # Each name is changed with its uses, and no other word.
    for words, new, parts in [
        ("times(v", "scaled", [("fn times", "fn scaled"), ("times(t", "scaled(t"), ("times(total", "scaled(total")]),
        ("by: int", "k", [("by: int", "k: int"), ("assert by", "assert k"), ("v * by", "v * k"), ("by = 2", "k = 2")]),
        ("by = 2", "k", [("by: int", "k: int"), ("assert by", "assert k"), ("v * by", "v * k"), ("by = 2", "k = 2")]),
        ("N, BN", "Width", [("x: T[M, N]", "x: T[M, Width]"), ("f32[N]", "f32[Width]"),
                            ("f32[M, N]", "f32[M, Width]"), ("tiles(N,", "tiles(Width,")]),
        ("t = times", "u", [("t = times", "u = times"), ("= t;", "= u;")]),
        ("many =", "more", [("many =", "more ="), ("return many", "return more")]),
    ]:  # fmt: skip
        expected = KERNELS
        for old, changed in parts:
            expected = expected.replace(old, changed)
        expect(rename(words, new), expected, f"rename at {words}")
    for words, new, message in [
        ("total +=", "moved", "`moved` is declared already in line 18"),
        ("total +=", "n", "declared already in line 16"),
        ("total +=", "for", "`for` cannot be the name of a declaration"), ("total +=", "1x", "cannot be the name"),
        ("total +=", "erf", "cannot be the name"), ("total +=", "", "cannot be the name"),
        ("total +=", "f32", "cannot be the name"), ("times(t", "shifted", "declared already in line 10"),
        ("erf(x[m", "f", "there is no declared name here"),
    ]:  # fmt: skip
        code, found = rename(words, new)
        expect((code, message in found), (-32803, True), f"rename at {words} to {new!r}: {found}")
    code, found = rename("total +=", "f32")
    expected = (
        "`f32` cannot be the name of a declaration; expected letters, digits and `_`, and no word of the language"
    )
    expect(found, expected, "rename to a type")
    # A word without a declaration would refer to the new name.
    wrong = Source("file:///wrong.tile", KERNELS.replace("* scale", "* scal"))
    client.open(wrong.uri, wrong.text)
    params = {"textDocument": {"uri": wrong.uri}, "position": wrong.at("scale: f32"), "newName": "scal"}
    found = client.answer("textDocument/rename", params)["error"]["message"]
    expect(found, "`scal` occurs in this file with another meaning", "rename to an unknown name")
    place = client.ask("prepareRename", SOURCE.uri, position=SOURCE.at("total +=", 2))
    expect(SOURCE.slice(place), "total", "the name that a rename changes")
    expect(client.ask("prepareRename", SOURCE.uri, position=SOURCE.at("erf(x")), None, "the rename of a built-in name")


def check_signatures(client):
    def help_at(source, words, inside):
        found = client.ask("signatureHelp", source.uri, position=source.at(words, inside))
        if found is None:
            return None
        signature = found["signatures"][found["activeSignature"]]
        parameters = [signature["label"][begin:end] for begin, end in (p["label"] for p in signature["parameters"])]
        active = found["activeParameter"]
        return signature["label"], parameters[active] if active < len(parameters) else None

    fn = "times(v, by: int)"
    for words, inside, expected in [
        ("times(t, by", 6, (fn, "v")), ("times(t, by", 8, (fn, "by: int")), ("times(t, by = 2", 14, (fn, "by: int")),
        ("times(total, 3", 13, (fn, "by: int")), ("sum(moved, axis = 1", 19, ("sum(x, axis = n)", "axis = n")),
        ("erf(x[m, n]", 9, ("erf(x)", "x")), ("zeros(f32[BM]", 10, ("zeros(type)", "type")),
        ("times(t, by = 2)", 16, None), ("times(v, by", 8, None), ("shifted<", 1, None),
    ]:  # fmt: skip
        expect(help_at(SOURCE, words, inside), expected, f"signature at {words}")
    found = client.ask("signatureHelp", SOURCE.uri, position=SOURCE.at("times(t", 6))
    expect(found["signatures"][0]["documentation"].split("\n")[0], "Many times v.", "the text of a signature")
    # Incomplete calls, among them calls with several forms.
    for call, expected in [
        ("max(t, ", ("max(x, y)", "y")), ("max(t, axis = ", ("max(x, axis = n)", "axis = n")),
        ("times(sum(t, ", ("sum(x, axis = n)", "axis = n")),
        ("times(sum(t, axis = 1), ", (fn, "by: int")),
        ("load(x[m, n], fill = ", ("load(x[…], fill = v)", "fill = v")),
        ("times(t, 1, ", (fn, None)), ("unknown(t, ", None),
    ]:  # fmt: skip
        typed = Source("file:///typed.tile", KERNELS.replace("sum(moved, axis = 1);", call))
        client.open(typed.uri, typed.text)
        expect(help_at(typed, call, len(call)), expected, f"signature in {call}")


def check_completion(client):
    def complete(words, inside=0):
        answer = client.ask("completion", SOURCE.uri, position=SOURCE.at(words, inside))
        return {item["label"]: item for item in answer["items"]}

    found = complete("total +=")
    expect(found["moved"]["detail"], "f32[32, 64]", "a proposed name")
    expect(found["times"]["documentation"]["value"], "Many times v.\n\nBy a number known at compile time.", "a fn")
    expect(found["zeros"]["detail"], "zeros(type)", "a built-in function")
    # Names that are not visible, not declared yet, or cannot be called, are not proposed.
    for name, visible in [("n", True), ("i", False), ("v", False), ("shifted", False), ("let", True), ("f16", True)]:
        expect(name in found, visible, f"whether {name} is proposed")
    expect("t" in complete("t = erf"), False, "whether a name is proposed in its own declaration")
    expect(sorted(complete("m.start", 2)), ["T", "end", "index", "limit", "start", "valid"], "members")
    expect("pingpong" in complete("stages"), True, "entries of schedule")
    expect("pingpong" in found, False, "entries of schedule elsewhere")


def check_hints(client):
    hints = client.ask("inlayHint", SOURCE.uri, range=WHOLE)
    lines = KERNELS.split("\n")
    expect(
        [(lines[hint["position"]["line"]].split("=")[0].split()[-1], hint["label"]) for hint in hints][1:],
        [("total", ": f32[32]"), ("t", ": f32[32, 64]"), ("moved", ": f32[32, 64]"), ("t", ": f32[32]")],
        "hints",
    )
    expect(hints[0]["label"], ": f32[32, 64], …", "the hint in a fn of two types")
    expect(hints[1]["position"], SOURCE.at("total", 5), "the position of a hint")
    line = {"start": SOURCE.at("    let moved"), "end": SOURCE.at("    total")}
    expect(len(client.ask("inlayHint", SOURCE.uri, range=line)), 1, "hints of one line")


def check_tokens(client):
    legend = client.capabilities["semanticTokensProvider"]["legend"]
    data = client.ask("semanticTokens/full", SOURCE.uri)["data"]
    line = character = 0
    found = {}
    for delta, step, length, kind, modifiers in zip(*[iter(data)] * 5):
        character = step if delta else character + step
        line += delta
        place = {"start": {"line": line, "character": character}, "end": {"line": line, "character": character + length}}
        names = [name for bit, name in enumerate(legend["tokenModifiers"]) if modifiers >> bit & 1]
        found.setdefault(SOURCE.slice(place), []).append(" ".join([legend["tokenTypes"][kind], *names]))
    for word, kinds in [
        ("times", ["function declaration", "function", "function"]), ("erf", ["function defaultLibrary"]),
        ("total", ["variable declaration", "variable", "variable"]), ("out", ["keyword"]), ("grid", ["keyword"]),
        ("moved", ["variable declaration readonly", "variable readonly", "variable readonly"]),
        ("BM", ["typeParameter declaration readonly"] + 2 * ["typeParameter readonly"]), ("stages", ["property"]),
        ("start", ["property"]), ("scale", ["parameter declaration", "parameter"]), ("axis", ["property"]),
        ("many", ["variable declaration readonly", "variable readonly"]), ("type", ["type defaultLibrary"]),
    ]:  # fmt: skip
        expect(found.get(word), kinds, f"tokens {word}")


def check_diagnostics(client):
    def show(source, diagnostics):
        return [
            (source.slice(found["range"]), found["severity"], found["message"].split("; the names")[0])
            + tuple(source.slice(note["location"]["range"]) for note in found.get("relatedInformation", []))
            for found in diagnostics
        ]

    wrong = Source(SOURCE.uri, KERNELS.replace("* scale", "* scal").replace("moved, axis", "movd, axis"))
    expect(
        show(wrong, client.change(wrong.uri, wrong.text, 2)),
        [
            ("scal", 1, "unknown name `scal`; did you mean `scale`?"),
            ("movd", 1, "unknown name `movd`; did you mean `moved`?"),
        ],
        "two diagnostics",
    )
    actions = client.ask("codeAction", wrong.uri, range=WHOLE, context={"diagnostics": []})
    expect([action["title"] for action in actions], ["Change to `scale`", "Change to `moved`"], "actions")
    (edit,) = actions[0]["edit"]["changes"][wrong.uri]
    expect((wrong.slice(edit["range"]), edit["newText"]), ("scal", "scale"), "the edit of an action")
    place = {"start": wrong.at("movd", 1), "end": wrong.at("movd", 1)}
    actions = client.ask("codeAction", wrong.uri, range=place, context={"diagnostics": []})
    expect([action["title"] for action in actions], ["Change to `moved`"], "actions in one place")

    # The first use of an unknown name is reported, and its action changes all uses.
    twice = KERNELS.replace("total += sum", "totl += sum").replace("times(total", "times(totl")
    (found,) = client.change(wrong.uri, twice, 3)
    expect(Source(wrong.uri, twice).slice(found["range"]), "totl", "the first use")
    (action,) = client.ask("codeAction", wrong.uri, range=WHOLE, context={"diagnostics": []})
    expect(apply(twice, action["edit"]["changes"][wrong.uri]), KERNELS, "an action for all uses")

    # A note has a second location; in a function it is the call, and two calls are one error.
    wrong = Source(SOURCE.uri, KERNELS.replace("v * by", "v * N"))
    expect(
        show(wrong, client.change(wrong.uri, wrong.text, 3)),
        [("N", 1, "unknown name `N`", "times", "N")],
        "a diagnostic with notes",
    )
    # One mistake is one diagnostic: an unknown name that is used again, and what follows a syntax error.
    for right, wrong in [
        ("let moved", "let move"), ("T: type = f16, ", ""), ("for n in tiles(N, BN) {", "for n in tiles(N, BN)"),
        ("* scale;", "* scale);"), ("axis = 1);", "axis = 1;"), ("  for i in range(0, 2) {", "{  for i in range(0, 2) {"),
        ("return many;\n}", "return many;"), ("moved - m.start", "moved - , m.start"),
    ]:  # fmt: skip
        found = client.change(SOURCE.uri, KERNELS.replace(right, wrong, 1), 4)
        expect(len([d for d in found if d["severity"] == 1]), 1, f"diagnostics of {wrong!r}: {found}")
    expect(client.change(SOURCE.uri, KERNELS, 4), [], "diagnostics of what is right again")
    # Types remain known while a line is incomplete.
    wrong = Source(SOURCE.uri, KERNELS.replace("total += sum(moved, axis = 1);", "total += sum(mo"))
    expect(len(client.change(wrong.uri, wrong.text, 4)), 1, "what is half written")
    found = client.ask("completion", wrong.uri, position=wrong.at("sum(mo", 6))["items"]
    details = {item["label"]: item.get("detail") for item in found}
    expect((details["moved"], details["n"]), ("f32[32, 64]", "range of 64"), "proposals in what is half written")

    # A kernel without the values that it needs is not wrong; -D and the editor's settings provide some.
    bare = Source("file:///bare.tile", "kernel f<BM: int, T: type, BN: int in {1, (2)} = 1>(out y: T[M]) grid (m in tiles(M, BM)) {\n  y = 1;\n}\n")
    found = client.open(bare.uri, bare.text)
    expect([(bare.slice(d["range"]), d["severity"]) for d in found], [("BM", 3), ("T", 3)], "a kernel without values")
    expect("`BM` has no default" in found[0]["message"], True, "what is said of it")
    expect(client.change(bare.uri, KERNELS, 2), [], "diagnostics of another text")
    client.notify("textDocument/didClose", {"textDocument": {"uri": bare.uri}})
    expect(client.wait_for_diagnostics(bare.uri, 3), [], "diagnostics of a closed file")
    reply = client.answer("textDocument/documentSymbol", {"textDocument": {"uri": bare.uri}})
    expect("is not open" in reply["error"]["message"], True, "a file that is not open")
    reply = client.answer("textDocument/hover", {"textDocument": {"uri": SOURCE.uri}})
    expect("position" in reply["error"]["message"], True, "a request without its position")


def check_formatting(client):
    def formatted(text):
        """Returns the text after the edits, and the edits."""
        client.change(SOURCE.uri, text, 9)
        edits = client.ask("formatting", SOURCE.uri, options={"tabSize": 8, "insertSpaces": False})
        lines = text.splitlines(keepends=True)
        for edit in edits:
            begin, end = edit["range"]["start"], edit["range"]["end"]
            expect((begin["character"], end["character"]), (0, 0), "edits of whole lines")
            lines[begin["line"] : end["line"]] = [edit["newText"]]
        return "".join(lines), edits

    tidy = KERNELS.replace('"; let', '";\n  let')
    expect(formatted(KERNELS)[0], tidy, "formatting")
    expect(formatted(tidy), (tidy, []), "formatting of what is formatted")
    untidy = tidy.replace("let moved = times", "let  moved=times").replace("y[m, n] =", "\n\n\n y[m,n]=")
    result, (edit,) = formatted(untidy)
    expect(result, tidy.replace("    y[m, n]", "\n    y[m, n]"), "formatting of some lines")
    expect(edit["range"]["start"], {"line": 18, "character": 0}, "the first line that changes")
    expect(formatted("kernel f( {")[1], [], "formatting of what cannot be read")


def check_combiners(client):
    """Several names of one statement, and a fn that is named without a call."""
    text = ("fn merge(_a, b, c, d) { return c, b + d; }\n\nkernel k(x: f32[M, 8], out y: f32[M]) grid (m in tiles(M, 32)) {\n"
            "  let last, total = reduce(x[m, :], 1.0, axis = 1, with = merge);\n  y[m] = total + last;\n}\n")
    source = Source("file:///combined.tile", text)
    expect(client.open(source.uri, text), [], "diagnostics of a reduction by a fn")
    for words, declaration in [("merge);", "merge(_a"), ("total + last", "total ="), ("last;", "last, total")]:
        place = client.ask("definition", source.uri, position=source.at(words))
        expect(place and place["range"]["start"], source.at(declaration), f"definition at {words}")


CHECKS = [check_hover, check_names, check_rename, check_signatures, check_completion]
CHECKS += [check_combiners, check_hints, check_tokens, check_diagnostics, check_formatting]


def main():
    client = Client()
    expect(client.open(SOURCE.uri, KERNELS), [], "diagnostics of what is right")
    for check in CHECKS:
        check(client)
    expect(client.end(), 0, "the exit status")
    settings = {"initializationOptions": {"defines": {"T": "f16", "NONE": "1"}}}
    client = Client("-DBM=64", initialize=settings)
    text = "kernel f<BM: int, T: type>(out y: T[M]) grid (m in tiles(M, BM)) {\n  y[m] = zeros(T[BM]) + q;\n}\n"
    found = [diagnostic["message"] for diagnostic in client.open(SOURCE.uri, text)]
    expect(found, ["unknown name `q`; the names here are `BM`, `T`, `y`, `m` and `M`"], "with given values")
    expect(client.end(), 0, "the exit status")
    print(f"{len(CHECKS)} kinds of requests")


if __name__ == "__main__":
    main()
