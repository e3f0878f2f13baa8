# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Progress of a long run: a bar of tqdm on a terminal if tqdm is installed, and plain lines otherwise."""

import sys
import time

# Seconds between plain lines
_INTERVAL = 10


class Progress:
    def __init__(self, total, verb):
        self.total, self.verb, self.done = total, verb, 0
        self._bar, self._last = None, time.monotonic()
        if total and sys.stderr.isatty():
            try:
                from tqdm import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=total, desc=verb, unit="", dynamic_ncols=True)

    def advance(self, what):
        self.done += 1
        if self._bar:
            self._bar.set_postfix_str(what, refresh=False)
            self._bar.update()
        elif time.monotonic() > self._last + _INTERVAL:
            self._last = time.monotonic()
            print(f"{self.verb} {self.done} of {self.total}: {what}", file=sys.stderr, flush=True)

    def say(self, text):
        """Prints a line of the report; it stays above the bar."""
        if self._bar:
            self._bar.write(text)
        else:
            print(text, flush=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._bar:
            self._bar.close()
