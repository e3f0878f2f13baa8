# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A folder of files; the first process that needs a file makes it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib

from .errors import CacheError, CacheMissError

# Holds locks and unfinished files. It lies below the cache folder, so a finished file is renamed in one step.
_WORK = ".filling"


def _default_folder():
    named = os.environ.get("TESSERA_CACHE")
    if named:
        return named
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "tessera"


def _open_at_once(path, flags):
    """Opens a file for open(): a pipe without a reader raises an error instead of blocking."""
    return os.open(path, flags | os.O_NONBLOCK, 0o666)


class Cache:
    """A folder of compiled kernels. A read-only folder is never written, and serves its files without a compiler."""

    def __init__(self, folder: str | os.PathLike[str] | None = None, read_only: bool | None = None) -> None:
        self.folder = pathlib.Path(folder or _default_folder()).absolute()
        if read_only is None:
            read_only = os.environ.get("TESSERA_CACHE_READ_ONLY", "") not in ("", "0")
        self.read_only = bool(read_only)

    def path(self, stem, suffix, compiler=None):
        """Returns the path of a file. Its name includes the hash of the compiler, unless a user made the file by a
        command."""
        return self.folder / (f"{stem}-{compiler}{suffix}" if compiler else f"{stem}{suffix}")

    def find(self, stem, suffix, compiler, miss):
        """Returns a file of a read-only cache.

        `compiler` is None if there is no compiler. `miss` makes the text of the error from the expected path."""
        plain = self.path(stem, suffix)
        for path in ([self.path(stem, suffix, compiler)] if compiler else []) + [plain]:
            if path.exists():
                return path
        if compiler is None:
            others = sorted(self.folder.glob(f"{stem}-*{suffix}"))
            if len(others) > 1:
                raise CacheError(f"{self.folder} has {' and '.join(path.name for path in others)}, of "
                                 f"different compilers; name the compiler in TESSERA_TILEC, or rename "
                                 f"one of them to {plain.name}")
            if others:
                return others[0]
        raise CacheMissError(miss(plain))

    def fill(self, stem, suffix, compiler, make):
        """Returns a file of a writable cache. If it does not exist, `make` writes it to the path that it is passed."""
        path = self.path(stem, suffix, compiler)
        if path.exists():
            return path
        try:
            with self._lock(path.name):
                if not path.exists():
                    # This process holds the lock, so an unfinished file is left over from a process that died.
                    made = self.folder / _WORK / path.name
                    made.unlink(missing_ok=True)
                    make(made)
                    os.replace(made, path)
        except OSError as error:
            raise CacheError(f"cannot fill the cache {self.folder}: {error}; TESSERA_CACHE names "
                             "another folder") from None
        return path

    def drop(self, path):
        """Deletes a damaged file."""
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _lock(self, name):
        """Holds the lock on a name against other processes and threads. The lock ends with its process."""
        work = self.folder / _WORK
        work.mkdir(parents=True, exist_ok=True)
        # Lock files are never deleted: deleting one would take it from the processes that wait for it.
        with open(work / f"{name}.lock", "a", opener=_open_at_once) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
