"""Sends requests about fns of other files, and changes these files.

Usage: used_files.py FOLDER
"""

import pathlib
import sys

from lsp_client import Client, Source

LIBRARY = """\
/// Many times v.
fn times(v, by: int) {
  return v * by;
}
fn square(v) {
  return v @ v;
}
"""
KERNEL = """\
use "lib/times.tile" (times, square);
use "std/activations.tile" (gelu);

kernel k(x: f32[N], out y: f32[N]) grid (n in tiles(N, 64)) {
  let t = times(gelu(x[n]), by = 2);
  y[n] = t;
}
"""


def expect(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: got {found!r}, expected {expected!r}")


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    (folder / "lib").mkdir(parents=True, exist_ok=True)
    file = folder / "lib" / "times.tile"
    file.write_text(LIBRARY)
    library = Source(file.as_uri(), LIBRARY)
    kernel = Source((folder / "kernel.tile").as_uri(), KERNEL)
    client = Client()
    expect(client.open(kernel.uri, KERNEL), [], "diagnostics")
    expect(client.open(library.uri, LIBRARY), [], "diagnostics of a file without kernels")

    def ask(method, words, **more):
        return client.ask(method, kernel.uri, position=kernel.at(words), **more)

    start = library.at("times(v")
    for words in ("times, square", "times(gelu"):
        place = ask("definition", words)
        expect((place["uri"], place["range"]["start"]), (library.uri, start), f"definition at {words}")
    place = ask("definition", "gelu(x")
    expect((place["uri"], place["range"]["start"]), (kernel.uri, kernel.at("gelu")), "definition in the standard library")
    expect(ask("hover", "times(gelu")["contents"]["value"], "```tile\nfn times(v, by: int)\n```\nMany times v.", "hover")
    expect("distribution function" in ask("hover", "gelu(x")["contents"]["value"], True, "hover at the standard library")
    expect(ask("signatureHelp", "by = 2")["signatures"][0]["label"], "times(v, by: int)", "signature")
    expect([p["range"]["start"]["line"] for p in ask("references", "times(gelu", context={"includeDeclaration": True})],
           [0, 4], "references")
    items = {item["label"]: item for item in ask("completion", "t;\n")["items"]}
    expect(items["times"]["detail"], "fn times(v, by: int)", "completion")
    expect([symbol["name"] for symbol in client.ask("documentSymbol", kernel.uri)], ["k"], "symbols")
    reply = client.answer("textDocument/rename", {"textDocument": {"uri": kernel.uri}, "position": kernel.at("times(gelu"),
                                                  "newName": "many"})
    expect(reply["error"]["message"], "`times` is declared in `lib/times.tile`, and a file uses a fn by its own name", "rename")

    # An error in the other file is shown at the call; its place is in the message.
    text = KERNEL.replace("y[n] = t", "y[n] = square(t)")
    [found] = client.change(kernel.uri, text, 2)
    expect(found["message"].split(" the operands")[0], f"{file}:6:12:", "the message of an error in another file")
    expect(Source(kernel.uri, text).slice(found["range"]), "square", "its place")

    # A saved file is read again.
    file.write_text("fn times(v, by: int) {\n  return v * b;\n}\nfn square(v) { return v; }\n")
    count = len(client.published[kernel.uri]) + 1
    client.notify("textDocument/didSave", {"textDocument": {"uri": library.uri}})
    [found] = client.wait_for_diagnostics(kernel.uri, count)
    expect(found["message"].split(";")[0], f"{file}:2:14: unknown name `b`", "after a change of the other file")
    file.unlink()
    count = len(client.published[kernel.uri]) + 1
    client.notify("textDocument/didSave", {"textDocument": {"uri": library.uri}})
    [found] = client.wait_for_diagnostics(kernel.uri, count)
    expect(found["message"], f"cannot read `{file}`: No such file or directory", "without the other file")
    expect(ask("definition", "times(gelu")["uri"], kernel.uri, "definition without the other file")
    expect(client.end(), 0, "the exit status")
    print("all answers are correct")


if __name__ == "__main__":
    main()
