"""Tests the cache of compiled kernels, shared by processes and threads. Usage: cache.py SLOW_TILEC SCRATCH"""

import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

import tessera

SLOW_TILEC, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2]).absolute()
COPY = """// A copy.
kernel copy<T: type = f32, BM: int = 64>(x: T[M], out y: T[M]) grid (m in tiles(M, BM)) {
  y[m] = x[m];
}
kernel other(x: f32[M], out y: f32[M]) grid (m in tiles(M, 64)) {
  y[m] = x[m];
}
"""
COMPILE = """
import sys, tessera
print(tessera.load(sys.argv[1], options=["--ptx-only"])["copy"].compile(BM=32))
"""


class CacheTest(unittest.TestCase):
    def setUp(self):
        # One folder per test: a process keeps packages that it has loaded from a path.
        self.scratch = SCRATCH / self.id().rpartition(".")[2]
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir(parents=True)
        self.file = self.scratch / "copy.tile"
        self.file.write_text(COPY)
        self.log = self.scratch / "log"
        self.folder = self.scratch / "cache"
        self.tilec = self.scratch / "tilec"
        shutil.copy(SLOW_TILEC, self.tilec)
        os.environ.update(SLOW_TILEC_LOG=str(self.log), SLOW_TILEC_SECONDS="0",
                          TESSERA_TILEC=str(self.tilec), TESSERA_CACHE=str(self.folder),
                          TESSERA_CACHE_READ_ONLY="0")

    def load(self, **named):
        return tessera.load(self.file, options=["--ptx-only"], **named)

    def compiled(self, word="--kernel"):
        """Returns the new runs of tilec with a word in their command line."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return [line for line in lines if word in line.split() or word in line]

    def packages(self):
        return sorted(path.name for path in self.folder.glob("*.tpk"))

    def start(self, **environment):
        return subprocess.Popen([sys.executable, "-c", COMPILE, self.file], start_new_session=True,
                                env={**os.environ, **environment}, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_a_kernel_is_compiled_once(self):
        path = self.load()["copy"].compile(BM=32)
        self.assertEqual(self.packages(), [path.name])
        self.assertEqual(len(self.compiled()), 1)
        tessera.Package(path)
        # Again, and in a new process.
        self.assertEqual(self.load()["copy"].compile(BM=32), path)
        process = self.start()
        self.assertEqual(process.communicate()[0].strip(), str(path))
        self.assertEqual(self.compiled(), [])
        self.assertIs(self.load()["copy"], self.load()["copy"])

    def test_what_the_key_is_made_of(self):
        kernel = self.load()["copy"]
        names = {kernel.compile().name}

        def differs(path):
            self.assertNotIn(path.name, names)
            names.add(path.name)

        differs(kernel.compile(BM=32))
        differs(kernel.compile(T="f16"))
        differs(self.load()["other"].compile())
        differs(tessera.load(self.file, target="sm_90a", options=["--ptx-only"])["copy"].compile())
        self.file.write_text(COPY.replace("A copy", "The copy"))
        differs(self.load()["copy"].compile())
        with self.tilec.open("a") as file:
            file.write("# Another compiler.\n")
        differs(kernel.compile())
        # Another ptxas, of another version.
        ptxas = self.scratch / "ptxas"
        ptxas.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 13.9, V13.9.1'\n")
        ptxas.chmod(0o755)
        before = os.environ.get("TESSERA_PTXAS")
        os.environ["TESSERA_PTXAS"] = str(ptxas)
        try:
            differs(kernel.compile())
        finally:
            del os.environ["TESSERA_PTXAS"]
            if before is not None:
                os.environ["TESSERA_PTXAS"] = before
        self.assertEqual(len(self.packages()), len(names))

    def test_one_of_several_processes_compiles(self):
        processes = [self.start(SLOW_TILEC_SECONDS="0.5") for _ in range(5)]
        paths = {process.communicate()[0].strip() for process in processes}
        self.assertEqual([process.returncode for process in processes], [0] * 5)
        self.assertEqual(len(paths), 1)
        runs = self.compiled("")
        self.assertEqual(len([run for run in runs if "--kernel" in run]), 1)
        self.assertEqual(len([run for run in runs if "--emit=signatures" in run]), 1)
        tessera.Package(paths.pop())

    def test_one_of_several_threads_compiles(self):
        os.environ["SLOW_TILEC_SECONDS"] = "0.3"
        kernel = self.load()["copy"]
        found = []
        threads = [threading.Thread(target=lambda: found.append(kernel.compile(BM=32))) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 5)
        self.assertEqual(len(set(found)), 1)
        self.assertEqual(len(self.compiled()), 1)

    def test_a_process_that_dies_leaves_no_lock(self):
        process = self.start(SLOW_TILEC_SECONDS="600")
        while "--kernel" not in (self.log.read_text() if self.log.exists() else ""):
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        self.assertEqual(self.packages(), [])
        # An unfinished file is no obstacle either.
        (lock,) = (self.folder / ".filling").glob("copy-*.tpk.lock")
        half = lock.with_suffix("")
        half.write_bytes(b"half")
        path = self.load()["copy"].compile(BM=32)
        self.assertFalse(half.exists())
        tessera.Package(path)

    def test_what_the_compiler_refuses_is_not_kept(self):
        kernel = self.load()["copy"]
        for _ in range(2):
            with self.assertRaisesRegex(tessera.CompileError, "copy.tile:3:10: error: cannot hold"):
                kernel.compile(BM=2**20)
        self.assertEqual(len(self.compiled()), 2)
        self.assertEqual(self.packages(), [])
        self.file.write_text("kernel f(")
        with self.assertRaisesRegex(tessera.CompileError, f"^{self.file}:1:10: error: "):
            self.load()["f"]

    def test_a_cache_that_is_read_only(self):
        os.environ["TESSERA_CACHE_READ_ONLY"] = "1"
        with self.assertRaises(tessera.CacheMissError) as caught:
            self.load()["copy"]
        self.assertFalse(self.folder.exists())
        self.folder.mkdir()
        self.fill(caught, f"{self.file}: its signatures are not in the cache {self.folder}, which is read-only")
        kernel = self.load()["copy"]
        with self.assertRaises(tessera.CacheMissError) as caught:
            kernel.compile(BM=32, T="f16")
        self.assertEqual(self.packages(), [])
        self.fill(caught, f"{self.file}:2:8: kernel 'copy' is not in the cache {self.folder}, which is "
                          "read-only")
        self.assertEqual(kernel.compile(BM=32, T="f16").parent, self.folder)
        self.assertEqual(self.compiled("-o"), [])
        # No lock and no other file.
        self.assertFalse((self.folder / ".filling").exists())

    def fill(self, caught, head):
        """Runs the command in an error message."""
        first, command = str(caught.exception).split("; this command adds the file:\n  ")
        self.assertEqual(first, head)
        self.assertTrue(command.startswith("tilec "), command)
        subprocess.run(command, shell=True, check=True)

    def test_production_needs_no_compiler(self):
        path = self.load()["copy"].compile(BM=32)
        # Run by a user without write permission.
        copy = self.scratch / "production"
        shutil.copytree(self.folder, copy)
        environment = {"TESSERA_CACHE": str(copy), "TESSERA_CACHE_READ_ONLY": "1",
                       "TESSERA_RUNTIME_LIBRARY": os.environ.get("TESSERA_RUNTIME_LIBRARY", ""),
                       # A copy of the package without a build in the same checkout, and no tilec in PATH.
                       "PYTHONPATH": str(self.scratch / "site"), "PATH": "/nonexistent"}
        shutil.copytree(pathlib.Path(tessera.__file__).parent, self.scratch / "site" / "tessera")
        done = subprocess.run([sys.executable, "-c", COMPILE, self.file], env=environment, text=True,
                              capture_output=True)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, str(copy / path.name)), done.stderr)
        # Two compilers have filled it: the package must not choose one.
        shutil.copy(copy / path.name, copy / f"{path.stem[:-16]}0123456789abcdef.tpk")
        done = subprocess.run([sys.executable, "-c", COMPILE, self.file], env=environment, text=True,
                              capture_output=True)
        self.assertIn("of different compilers; name the compiler in TESSERA_TILEC, or rename one of them to "
                      f"{path.stem[:-17]}.tpk", done.stderr)
        del environment["TESSERA_CACHE_READ_ONLY"]
        environment["HOME"] = str(self.scratch / "home")
        done = subprocess.run([sys.executable, "-c", COMPILE, self.file], env=environment, text=True,
                              capture_output=True)
        self.assertIn("tessera.errors.CompileError: no tilec; looked for ", done.stderr)

    def test_other_errors(self):
        os.environ["TESSERA_TILEC"] = "/nonexistent/tilec"
        with self.assertRaisesRegex(tessera.CompileError, "no tilec at /nonexistent/tilec, which TESSERA_TILEC"):
            self.load()["copy"]
        os.environ["TESSERA_TILEC"] = str(self.tilec)
        # The classes are those of Python as well.
        for kind in (tessera.PackageError, KeyError):
            with self.assertRaisesRegex(kind, "^[^']*has no kernel 'cpoy'; did you mean 'copy'[?] it has copy, other$"):
                self.load()["cpoy"]
        with self.assertRaisesRegex(tessera.UnknownKernelError, "has no kernel 'matmul'; it has copy, other$"):
            self.load()["matmul"]
        for kind in (tessera.PackageError, FileNotFoundError):
            with self.assertRaisesRegex(kind, "^cannot read '/nonexistent.tile': No such file or directory$"):
                tessera.load("/nonexistent.tile")
        hint = r"; the examples are in the folder tessera.examples: load\(tessera.examples / '02-softmax/none.tile'\)$"
        with self.assertRaisesRegex(tessera.MissingFileError, hint):
            tessera.load("examples/02-softmax/none.tile")
        with self.assertRaisesRegex(OSError, "^cannot read '/': Is a directory$") as caught:
            tessera.load("/")
        self.assertNotIsInstance(caught.exception, FileNotFoundError)
        blocked = self.scratch / "blocked"
        blocked.write_text("a file")
        with self.assertRaisesRegex(tessera.CacheError, "cannot fill the cache .*; TESSERA_CACHE names another"):
            self.load(cache=tessera.Cache(blocked))["copy"]

    def test_files_that_a_source_uses(self):
        """The key includes their texts, and the compiler reads those that were loaded."""
        library, deep = self.scratch / "lib" / "twice.tile", self.scratch / "deep.tile"
        library.parent.mkdir()
        library.write_text('use "../deep.tile" (same); fn twice(x) { return same(x) * 2; }')
        deep.write_text("fn same(x) { return x; }")
        self.file.write_text('// A comment (.\nuse // and one here "x.tile" (y);\n  "lib/twice.tile" (twice, // )\n  );\n'
                             'use "std/activations.tile" (relu);\n' + COPY.replace("= x[m]", "= relu(twice(x[m]))"))
        first = self.load()["copy"]
        deep.write_text("fn same(x) { return x + 1; }")
        second = self.load()["copy"]
        self.assertIsNot(first, second)
        self.assertIs(second, self.load()["copy"])
        self.assertIs(pickle.loads(pickle.dumps(first)), first)
        paths = [kernel.compile(BM=32) for kernel in (first, second)]
        self.assertEqual(self.packages(), sorted(path.name for path in paths))
        ptx = [path.read_bytes() for path in paths]
        self.assertNotEqual(*ptx)
        # Another folder has the same key.
        moved = self.scratch / "moved"
        (moved / "lib").mkdir(parents=True)
        for file in (self.file, library, deep):
            shutil.copy(file, moved / file.relative_to(self.scratch))
        self.compiled()
        os.chdir(moved)
        self.assertEqual(tessera.load("copy.tile", options=["--ptx-only"])["copy"].compile(BM=32), paths[1])
        self.assertEqual(self.compiled(), [])
        # Messages have the paths of the files and not of their copies.
        deep.write_text("fn same(x) { return x + y; }")
        with self.assertRaisesRegex(tessera.CompileError, f"^{deep}:1:25: error: unknown name `y`") as caught:
            self.load()["copy"]
        self.assertIn(f"{library}:1:49: note: in this call of `same`", str(caught.exception))
        self.assertIn(f"{self.file}:8:15: note: in this call of `twice`", str(caught.exception))
        library.unlink()
        with self.assertRaisesRegex(tessera.CompileError, "cannot read `.*lib/twice.tile`: No such file or directory"):
            self.load()["copy"]
        with self.assertRaisesRegex(tessera.CompileError, "cannot read `nowhere/lib/twice.tile`"):
            tessera.compile(self.file.read_text(), file="nowhere/copy.tile", options=["--ptx-only"])
        text = (moved / "copy.tile").read_text()
        self.assertEqual(list(tessera.compile(text, options=["--ptx-only"])), ["copy", "other"])

    def compile_anew(self, read_only=False):
        """Returns the result of compile(), or its error, in a process that has loaded nothing yet."""
        cache = tessera.Cache(read_only=read_only)
        source = tessera.sources.Source(self.file, self.file.read_bytes(), cache, ("--ptx-only",))
        try:
            return str(source["copy"].compile(BM=32))
        except (tessera.CacheError, tessera.PackageError) as error:
            return f"refused: {error}"

    def test_damaged_files_are_made_again(self):
        path = self.load()["copy"].compile(BM=32)
        (signatures,) = self.folder.glob("copy-*.json")
        whole = {path: path.read_bytes(), signatures: signatures.read_bytes()}
        other = self.load()["other"].compile().read_bytes()
        texts = [b"", b"[]", b"null", b"{", b"[" * 100000, b'{"kernels": 5}', b'{"kernels": [{}]}', b"\xff",
                 whole[signatures].replace(b'"line"', b'"dims"'), whole[signatures].replace(b'"sizes"', b'"names"')]
        for damaged, contents in [(signatures, texts), (path, [b"", whole[path][:-7], b"x" * 100, other])]:
            for text in contents:
                damaged.write_bytes(text)
                self.assertRegex(self.compile_anew(read_only=True), f"^refused: .*{damaged.name}", text[:40])
                self.assertEqual(damaged.read_bytes(), text)
                self.assertEqual(self.compile_anew(), str(path), text[:40])
                self.assertEqual(damaged.read_bytes(), whole[damaged])

    def test_pipes_and_folders_in_the_place_of_files(self):
        path = self.load()["copy"].compile(BM=32)
        (signatures,) = self.folder.glob("copy-*.json")
        for damaged in (signatures, path):
            damaged.unlink()
            os.mkfifo(damaged)
            self.assertRegex(self.compile_anew(read_only=True), f"refused: .*{damaged.name}.* regular file")
            self.assertEqual(self.compile_anew(), str(path))
            self.assertTrue(damaged.is_file())
            damaged.unlink()
            damaged.symlink_to("/dev/zero")
            self.assertEqual(self.compile_anew(), str(path))
            self.assertTrue(damaged.is_file() and not damaged.is_symlink())
            damaged.unlink()
            damaged.mkdir()
            self.assertRegex(self.compile_anew(), f"^refused: .*{damaged.name}")
            damaged.rmdir()
            self.assertEqual(self.compile_anew(), str(path))
        # The lock is a pipe without a reader.
        path.unlink()
        lock = self.folder / ".filling" / f"{path.name}.lock"
        lock.unlink()
        os.mkfifo(lock)
        self.assertRegex(self.compile_anew(), f"^refused: cannot fill the cache .*{lock.name}")


unittest.main(argv=[sys.argv[0]])
