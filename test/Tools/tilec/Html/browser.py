"""A headless Chromium for tests: opens a file, clicks, types, and reads the page.

It uses the DevTools protocol through two pipes, so it needs no port and no package. `browser.py --find` exits with 0
if there is a browser: TESSERA_BROWSER, or the one of Debian.
"""

import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any, Dict, Optional

NAMES = ("chromium-headless-shell", "chromium")


def find_browser() -> Optional[str]:
    return os.environ.get("TESSERA_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page. Use as a context; an exception in the page fails the next request."""

    def __init__(self, width: int = 1500, height: int = 900, limit: float = 60):
        self.limit = limit
        self.size = (width, height)
        self.number = 0
        self.pending = b""
        self.problems = []

    def __enter__(self) -> "Browser":
        self.profile = tempfile.mkdtemp(prefix="tessera-browser-")
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        # The browser reads commands from descriptor 3 and writes answers to 4; move ours away.
        inner = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 100) for descriptor in (commands, answers)]

        def connect() -> None:
            os.dup2(inner[0], 3)
            os.dup2(inner[1], 4)

        self.process = subprocess.Popen(
            [find_browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=(3, 4), preexec_fn=connect)
        for descriptor in (commands, answers, *inner):
            os.close(descriptor)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=self.size[0], height=self.size[1], deviceScaleFactor=1,
                  mobile=False)
        return self

    def __exit__(self, *_: Any) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self, deadline: float) -> Dict[str, Any]:
        while b"\0" not in self.pending:
            if not select.select([self.answers], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError(f"the browser sent no message for {self.limit} s")
            part = os.read(self.answers, 1 << 20)
            if not part:
                raise EOFError("the browser has ended")
            self.pending += part
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def call(self, method: str, **parameters: Any) -> Dict[str, Any]:
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        deadline = time.monotonic() + self.limit
        while True:
            message = self.receive(deadline)
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.note(message)

    def note(self, event: Dict[str, Any]) -> None:
        """Records forbidden events: errors of the page, and accesses to a network."""
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        elif event.get("method") == "Network.requestWillBeSent":
            url = parameters["request"]["url"]
            if not url.startswith(("file:", "about:", "data:")):
                self.problems.append("the page asks for " + url)

    def open(self, path: str, fragment: str = "") -> None:
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri() + fragment)
        self.wait("document.readyState === 'complete' && location.protocol === 'file:'")
        self.settle()

    def evaluate(self, expression: str) -> Any:
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['result'].get('description', answer['exceptionDetails']['text'])}")
        if self.problems:
            raise RuntimeError("; ".join(self.problems))
        return answer["result"].get("value")

    def wait(self, condition: str) -> None:
        deadline = time.monotonic() + self.limit
        while not self.evaluate(condition):
            if time.monotonic() > deadline:
                raise TimeoutError(condition)
            time.sleep(0.02)

    def settle(self) -> None:
        """Waits until all changes are drawn."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def place(self, element: str) -> Dict[str, float]:
        """Returns the middle of an element, which must be the element under the pointer there."""
        found = self.evaluate(
            f"(() => {{ const element = {element}; if (!element) return null; const box = element.getBoundingClientRect();"
            " const x = box.left + Math.min(box.width / 2, 200), y = box.top + box.height / 2;"
            " const met = document.elementFromPoint(x, y);"
            " return element.contains(met) || (met && met.contains(element)) ? {x, y} : null; })()")
        if not found:
            raise LookupError("nothing to point at: " + element)
        return found

    def click(self, element: str, modifiers: int = 0) -> None:
        """Clicks on the element that an expression returns, as a user does."""
        at = self.place(element)
        self.mouse("mouseMoved", **at)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, **at, button="left", clickCount=1, modifiers=modifiers)
        self.settle()

    def hover(self, element: str) -> None:
        self.mouse("mouseMoved", **self.place(element))
        self.settle()

    def press(self, key: str, text: str = "") -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **({"text": text} if text and kind == "keyDown" else {}))
        self.settle()

    def use_dark(self, is_dark: bool) -> None:
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])
        self.settle()

    def save_screenshot(self, path: str) -> None:
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))


if __name__ == "__main__":
    sys.exit(0 if sys.argv[1:] == ["--find"] and find_browser() else 1)
