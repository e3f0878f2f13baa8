# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that are made once per process."""

import threading


class _Entry:
    def __init__(self):
        self.lock = threading.Lock()
        self.is_made = False
        self.value = None


class Once:
    """Makes the value of each key in the first thread that asks for it; other threads wait.

    If making it fails, one of the waiting threads tries again."""

    def __init__(self):
        self._lock = threading.Lock()
        self._entries = {}

    def get(self, key, make):
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
        with entry.lock:
            if not entry.is_made:
                entry.value = make()
                entry.is_made = True
            return entry.value
