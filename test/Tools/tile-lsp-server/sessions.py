"""Tests whole sessions of the server: both languages at once, texts of any kind, and response times.

Usage: sessions.py ROOT
"""

import pathlib
import re
import subprocess
import sys

from lsp_client import Client, Source

# Milliseconds for one request on the largest example. A busy machine gets more time.
BAR, SLACK = 100, 5
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 1000, "character": 0}}


def ask_everything(client, source, offsets):
    """Sends each request once, those about positions at each of some offsets; returns the results for the whole
    file."""
    for offset in offsets:
        place = source.position(offset)
        client.ask("hover", source.uri, position=place)
        client.ask("definition", source.uri, position=place)
        client.ask("references", source.uri, position=place, context={"includeDeclaration": True})
        client.ask("completion", source.uri, position=place)
        client.ask("signatureHelp", source.uri, position=place)
        if client.ask("prepareRename", source.uri, position=place):
            params = {"textDocument": {"uri": source.uri}, "position": place, "newName": "quite_new"}
            client.answer("textDocument/rename", params)
    client.ask("codeAction", source.uri, range=WHOLE, context={"diagnostics": []})
    client.ask("formatting", source.uri, options={})
    return [
        client.ask("documentSymbol", source.uri),
        client.ask("inlayHint", source.uri, range=WHOLE),
        client.ask("semanticTokens/full", source.uri),
    ]


def check_languages():
    client = Client()
    tile = Source("file:///kernel", "kernel f(out y: f32[M]) grid (m in tiles(M, 64)) {\n  y[m] = z;\n}\n")
    text = "tile.kernel @f(%x: !tile.global<[M] x f32>) grid(%n in tiles(N, 4)) {\n}\n"
    mlir = Source("file:///kernel.mlir", text)
    assert client.open(tile.uri, tile.text)[0]["message"].startswith("unknown name `z`")
    for language in ("mlir", "plaintext"):
        (found,) = client.open(mlir.uri, mlir.text, language)
        assert found["message"].startswith("'tile.kernel' op uses the size 'N'"), found
    # Requests of both in turn; a request that the other server lacks is not an error.
    assert client.ask("hover", tile.uri, position=tile.at("f32")) is None
    right = mlir.text.replace("%n in tiles(N", "%m in tiles(M")
    assert client.open(mlir.uri, right, "mlir") == []
    found = client.ask("hover", mlir.uri, position={"line": 0, "character": 2})
    assert "tile.kernel" in found["contents"]["value"], found
    assert client.ask("formatting", mlir.uri, options={}) is None
    assert client.ask("documentSymbol", tile.uri)[0]["name"] == "f"
    assert client.end() == 0
    # Without a shutdown, and in the middle of a message.
    for rest in (b"", b"Content-Length: 100\r\n\r\n{"):
        client = Client()
        client.open(mlir.uri, mlir.text, "mlir")
        client.server.stdin.write(rest)
        client.server.stdin.close()
        assert client.server.wait(timeout=60) == 1
    closed = subprocess.run("tile-lsp-server <&-", shell=True, capture_output=True, text=True)
    assert closed.returncode == 2 and "standard input is closed" in closed.stderr, closed


def check_messages():
    """A message that is not JSON-RPC is answered with an error, and the server continues."""
    client = Client()
    wrong = [
        (b"[" * 100000 + b"]" * 100000, -32700, "the JSON has more than 100 levels of nesting at byte 100"),
        (b'{"a":' * 100000, -32700, "more than 100 levels"),
        (b'{"jsonrpc": "2.0", "id": 1,', -32700, "Expected object key"),
        (b"\xff", -32700, "Invalid UTF-8"),
        (b"[]", -32600, "expected a message of JSON-RPC 2.0"),
        (b"null", -32600, "expected a message of JSON-RPC 2.0"),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "shutdown"}', -32600, "expected a message of JSON-RPC 2.0"),
        (b'{"jsonrpc": "2.0"}', -32600, "expected a message of JSON-RPC 2.0"),
        (b'{"jsonrpc": "2.0", "id": 1}', -32600, "expected a message of JSON-RPC 2.0"),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', -32600, "expected a message of JSON-RPC 2.0"),
    ]
    wrong = [(b"Content-Length: %d\r\n\r\n" % len(body) + body, code, text) for body, code, text in wrong]
    for length in (b"0", b"abc", b"-5", b"99999999999"):
        wrong.append((b"Content-Length: " + length + b"\r\n\r\n", -32700, "expected the header 'Content-Length: N'"))
    wrong.append((b"Content: 5\r\n\r\n", -32700, "expected the header 'Content-Length: N'"))
    for message, code, text in wrong:
        client.server.stdin.write(message)
        client.server.stdin.flush()
        reply = client.receive()
        assert reply["id"] is None and reply["error"]["code"] == code, reply
        assert text in reply["error"]["message"], reply
    assert client.end() == 0


def check_texts(root):
    """Opens texts of people and of fuzzers, complete and as far as they are typed."""
    client = Client()
    count = 0
    for path in [*sorted((root / "test/Fuzz/corpus/frontend").iterdir()), *sorted((root / "test").rglob("*.tile"))]:
        source = Source(path.as_uri(), path.read_text(errors="replace"))
        client.open(source.uri, source.text)
        ask_everything(client, source, range(0, len(source.text), 1 + len(source.text) // 4))
        count += 1
    source = Source.read(root / "examples/05-layer-norm/kernel.tile")
    client.open(source.uri, source.text)
    for length in range(0, len(source.text), 7):
        typed = Source(source.uri, source.text[:length])
        client.change(typed.uri, typed.text, length)
        ask_everything(client, typed, [length])
        count += 1
    assert client.end() == 0
    return count


def check_mistakes(root):
    """Deletes, doubles and renames each word of a kernel: one mistake is one message. A wrong size in the header may
    have the same message at each use."""
    client = Client()
    source = Source.read(root / "examples/02-softmax/kernel.tile")
    assert client.open(source.uri, source.text) == []
    code = re.sub(r"//.*", lambda comment: " " * len(comment[0]), source.text)
    count = 0
    for word in re.finditer(r"\w+|[^\w\s]", code):
        for new in ("", 2 * (word[0] + " "), word[0] + "q", word[0] + ")", "{" + word[0]):
            text = source.text[: word.start()] + new + source.text[word.end() :]
            count += 1
            found = {d["message"] for d in client.change(source.uri, text, count) if d["severity"] == 1}
            assert len(found) <= 1, (word[0], new, source.position(word.start()), found)
    assert client.end() == 0
    return count


def check_latency(root):
    path = max((root / "examples").rglob("*.tile"), key=lambda path: path.stat().st_size)
    source = Source.read(path)
    client = Client()
    assert client.open(source.uri, source.text) == []
    client.latencies.clear()
    for version in range(2, 12):
        assert client.change(source.uri, source.text + version * "\n", version) == []
        middle = source.text.index("var ", len(source.text) // 2) + 4
        symbols, hints, tokens = ask_everything(client, source, [middle])
        assert len(symbols) > 5 and len(hints) > 30 and len(tokens["data"]) > 5000
    print(f"{path.relative_to(root)}, median and longest of {version - 1} in ms:")
    for method, times in sorted(client.latencies.items()):
        times = sorted(1000 * time for time in times)
        print(f"  {method:32} {times[len(times) // 2]:6.1f} {times[-1]:6.1f}")
        assert times[len(times) // 2] < BAR and times[-1] < SLACK * BAR, f"{method}: {times}"
    assert client.end() == 0


def main():
    root = pathlib.Path(sys.argv[1])
    check_languages()
    check_messages()
    print(check_texts(root), "texts")
    print(check_mistakes(root), "mistakes")
    check_latency(root)


if __name__ == "__main__":
    main()
