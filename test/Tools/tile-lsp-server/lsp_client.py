"""A client of tile-lsp-server: starts it, sends requests, and measures response times."""

import json
import pathlib
import subprocess
import time


class Client:
    def __init__(self, *options, initialize=None):
        self.server = subprocess.Popen(["tile-lsp-server", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = 0
        self.latencies = {}
        self.published = {}
        self.capabilities = self.request("initialize", {"capabilities": {}, **(initialize or {})})["capabilities"]
        self.notify("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.server.stdin.flush()

    def receive(self):
        length = 0
        while line := self.server.stdout.readline().strip():
            name, value = line.split(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            raise EOFError("the server has ended")
        message = json.loads(self.server.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            self.published.setdefault(message["params"]["uri"], []).append(message["params"])
        return message

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def answer(self, method, params):
        """Returns the whole reply, result or error."""
        self.last += 1
        begin = time.perf_counter()
        self.send({"method": method, "params": params, "id": self.last})
        while (message := self.receive()).get("id") != self.last:
            pass
        self.latencies.setdefault(method, []).append(time.perf_counter() - begin)
        return message

    def request(self, method, params):
        reply = self.answer(method, params)
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply['error']}")
        return reply["result"]

    def wait_for_diagnostics(self, uri, count):
        """Returns the latest diagnostics of a file after `count` of its texts."""
        while len(self.published.get(uri, [])) < count:
            self.receive()
        return self.published[uri][-1]["diagnostics"]

    def open(self, uri, text, language="tile"):
        begin = time.perf_counter()
        document = {"uri": uri, "languageId": language, "version": 1, "text": text}
        count = len(self.published.get(uri, [])) + 1
        self.notify("textDocument/didOpen", {"textDocument": document})
        diagnostics = self.wait_for_diagnostics(uri, count)
        self.latencies.setdefault("textDocument/didOpen", []).append(time.perf_counter() - begin)
        return diagnostics

    def change(self, uri, text, version):
        begin = time.perf_counter()
        count = len(self.published.get(uri, [])) + 1
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})
        diagnostics = self.wait_for_diagnostics(uri, count)
        self.latencies.setdefault("textDocument/didChange", []).append(time.perf_counter() - begin)
        return diagnostics

    def ask(self, method, uri, **params):
        return self.request("textDocument/" + method, {"textDocument": {"uri": uri}, **params})

    def end(self):
        """Asks the server to end; returns its exit status."""
        self.request("shutdown", None)
        self.notify("exit", None)
        self.server.stdin.close()
        return self.server.wait(timeout=30)


class Source:
    """A text with its URI; finds positions by words."""

    def __init__(self, uri, text):
        self.uri, self.text = uri, text

    @staticmethod
    def read(path):
        return Source(pathlib.Path(path).resolve().as_uri(), pathlib.Path(path).read_text())

    def position(self, offset):
        before = self.text[:offset]
        last = before[before.rfind("\n") + 1 :]
        return {"line": before.count("\n"), "character": len(last.encode("utf-16-le")) // 2}

    def at(self, words, inside=0):
        """Returns the position `inside` characters after the first occurrence of the words."""
        return self.position(self.text.index(words) + inside)

    def slice(self, range):
        lines = self.text.split("\n")

        def part(line, begin, end):
            return lines[line].encode("utf-16-le")[2 * begin : 2 * end].decode("utf-16-le")

        start, end = range["start"], range["end"]
        assert start["line"] == end["line"], range
        return part(start["line"], start["character"], end["character"])
