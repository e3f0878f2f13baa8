"""Tests sources as text, and what Python and notebooks show of kernels. Usage: interactive.py SCRATCH"""

import copy
import functools
import inspect
import os
import pathlib
import pickle
import pydoc
import re
import subprocess
import sys
import traceback
import unittest
import warnings

import numpy as np
import tessera
from tessera import compiler
from tessera.notebook import magic

SCRATCH = pathlib.Path(sys.argv[1])
TEXT = """/// z = x + y.
///   For <all> n.
kernel add<T: type = f32, BN: int = 64, FAST: bool = true, SCALED: bool>(
    x: T[N], y: T[N], scale: f32 if SCALED, out z: T[N])
  grid (n in tiles(N, BN))
{
  z[n] = x[n] + y[n];
}
kernel twice(x: f32[N, 2 * N], lambda: f32, out y: f32[N]) grid (n in tiles(N, 4)) {
  y[n] = lambda;
}
"""


class Shell:
    """The part of IPython's shell that the magic uses."""

    execution_count = 7

    def __init__(self):
        self.names, self.magics = {}, {}

    def register_magic_function(self, function, kind, name):
        self.magics[kind, name] = function

    def push(self, names):
        self.names.update(names)


class Interactive(unittest.TestCase):
    def setUp(self):
        self.source = tessera.compile(TEXT, device="cpu")
        self.add = self.source["add"]

    def refuse(self, kind, text, call, *values, **named):
        with self.assertRaisesRegex(kind, re.escape(text)):
            call(*values, **named)

    def test_text(self):
        x = np.arange(5, dtype="f4")
        np.testing.assert_array_equal(self.add(x, x, SCALED=False), 2 * x)
        self.assertIs(tessera.compile(TEXT.encode(), device="cpu")["add"], self.add)
        self.assertEqual(self.source.keys(), {"add", "twice"})
        wrong = TEXT.replace("x[n] +", "w[n] +")
        for device in ("sim", None):
            self.refuse(tessera.CompileError, "mine.tile:7:10: error: unknown name `w`", tessera.compile, wrong,
                        file="mine.tile", device=device)
        (SCRATCH / "mine.tile").write_text(wrong)
        self.refuse(tessera.CompileError, "mine.tile:7:10: error: unknown name `w`",
                    lambda: tessera.load(SCRATCH / "mine.tile")["twice"])
        # Wrong for this type only, so only the call can tell.
        roots = tessera.compile(TEXT.replace("x[n] +", "sqrt(x[n]) +"), file="mine.tile", device="cpu")["add"]
        np.testing.assert_array_equal(roots(x, x, SCALED=False), np.sqrt(x) + x)
        integers = x.astype("i4")
        self.refuse(tessera.CompileError, "mine.tile:7:15: error: `sqrt` is for floats, got `i32[64]`", roots, integers,
                    integers, SCALED=False)
        self.refuse(tessera.CompileError, "kernel.tile:1:9: error: ", tessera.compile, "kernel f{")
        for kind, value in (("int", "f32"), ("int", "1.5"), ("float", "true"), ("bool", "3"), ("type", "3")):
            wrong = TEXT.replace("kernel add<", f"kernel add<S: {kind} = {value}, ")
            kernel = tessera.compile(wrong, file="mine.tile", device="cpu")["add"]
            self.refuse(tessera.CompileError, "error: the default of `S` is ", kernel, x, x, SCALED=False)
        self.refuse(tessera.CompileError, "expected `kernel`, `fn` or `use`, got `def`", tessera.compile, "def f(x):")
        self.refuse(TypeError, "load has no argument 'sead'; did you mean 'seed'?", tessera.compile, TEXT, sead=1)
        self.refuse(TypeError, "did you mean 'configuration'?", tessera.compile, TEXT, configuraton="default")
        self.refuse(TypeError, "load() takes 1 positional argument but 2 were given", tessera.load, "absent", "cpu")
        self.refuse(TypeError, "compile() takes 1 positional argument but 2 were given", tessera.compile, TEXT, "mine")
        self.refuse(TypeError, "load: expected a path, got None", tessera.load, None)
        self.refuse(TypeError, "load: expected a path, got 3", tessera.load, 3)
        self.refuse(TypeError, "compile(file=): expected a path, got 3", tessera.compile, TEXT, file=3)
        self.refuse(TypeError, "load has no argument 'nonsense'", tessera.load, "absent.tile", nonsense=1)

    def test_places(self):
        x = np.ones(30, "f4")
        text = "kernel f(x: f32[N], out y: f32[N]) grid (n in tiles(N, 1048576)) {\n  y[n] = x[n] + max(x[n], axis = 0);\n}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tessera.CompilerWarning)
            for device, call in (("ptx", lambda kernel: kernel(x)), ("cuda", lambda kernel: kernel.compile())):
                with self.assertRaises(tessera.CompileError) as caught:
                    call(tessera.compile(text, file="mine.tile", device=device, options=["--ptx-only"])["f"])
                error = pickle.loads(pickle.dumps(caught.exception))
                self.assertEqual((error.file, error.line), ("mine.tile", 2))
                self.assertRegex(str(error), r"(?s)^mine.tile:2:10: error: cannot hold .*\n  y\[n\] = .*\n *\^\n"
                                             r"mine.tile:2:10: warning: .*\nmine.tile:2:10: note: .*"
                                             r"\nmine.tile:2:17: warning: ")
        with self.assertRaises(tessera.ArgumentError) as caught:
            self.add(x, x.astype("f8"), SCALED=False)
        self.assertEqual((caught.exception.file, caught.exception.line), ("kernel.tile", 4))
        for text in ("no tilec", "cannot run x: error 3", "a\n b: warning: 3"):
            error = tessera.CompileError(text)
            self.assertEqual((str(error), error.file, error.line), (text, None, None))

    def test_options_of_tilec(self):
        x = np.arange(5, dtype="f4")
        wrong = "options=: tilec has no option '--ptx-onl'; did you mean '--ptx-only'? expected --allow-hazards, "
        for device in ("cpu", "interpreter", "sim", "ptx"):
            self.refuse(tessera.ArgumentError, wrong, tessera.compile, TEXT, device=device, options=["--ptx-onl"])
        # The arguments of the call choose the device.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tessera.DeviceWarning)
            add = tessera.compile(TEXT, options=["--ptx-onl"])["add"]
            self.refuse(tessera.ArgumentError, wrong, add, x, x, SCALED=False)
        for options in (["ptx-only"], ["--fetch-stages=2", "x"], ["--fetch-stages", "2", "3"], ["--nothing"]):
            self.refuse(tessera.ArgumentError, "options=: tilec has no option", tessera.compile, TEXT, device="sim",
                        options=options)
        self.refuse(TypeError, "options= takes a list of texts; write options=['--ptx-only']", tessera.compile, TEXT,
                    options="--ptx-only")
        self.refuse(TypeError, "cache= takes a tessera.Cache; write cache=tessera.Cache('folder')", tessera.compile,
                    TEXT, cache="folder")
        options = ["--ptx-only", "--fetch-stages", "2", "--raster-group=4", "-D", "BN=64", "-DBN=64", "-ptx-only"]
        add = tessera.compile(TEXT, device="cpu", options=options, target="sm_90a")["add"]
        np.testing.assert_array_equal(add(x, x, SCALED=False), 2 * x)
        # The list has the options of tilec that compile.
        text = subprocess.run([os.environ["TESSERA_TILEC"], "--help"], capture_output=True, text=True, check=True).stdout
        compiling, rest = re.search("\nCompiling:\n(.*?)\nInspecting:\n(.*?)\nOutput:", text, re.DOTALL).groups()
        names = r"^  (--?[\w-]+)"
        self.assertLessEqual(set(re.findall(names, compiling, re.M)) - {"--kernel"}, set(compiler.OPTIONS))
        self.assertLessEqual(set(compiler.OPTIONS), set(re.findall(names, compiling + rest, re.M)))

    def test_scalars_that_are_sizes(self):
        text = "kernel places(n: int, out y: i32[n]) grid (m in tiles(n, 32)) { y[m] = m.index; }"
        places = tessera.compile(text, device="cpu")["places"]
        np.testing.assert_array_equal(places(np.int64(3)), np.arange(3))
        np.testing.assert_array_equal(places(True), np.arange(1))
        self.refuse(tessera.ArgumentError, "kernel 'places': expected 'n' to be int, got a float", places, float("nan"))
        self.refuse(tessera.ArgumentError, "kernel 'places': 8589934592 for the size 'n' does not fit 32 bits", places,
                    1 << 33)

    def test_other_files(self):
        self.refuse(tessera.PackageError, "'x.tpk' is not a source; tessera.Package(path) opens a package",
                    tessera.load, "x.tpk")
        self.refuse(tessera.PackageError, "'x.py' is not a source; kernels are in .tile files", tessera.load, "x.py")
        self.refuse(tessera.PackageError, "tessera.compile(text) takes a source as text", tessera.load, TEXT)
        self.refuse(tessera.ArgumentError, "compile takes the text of a source, got the path 'x.tile'", tessera.compile,
                    "x.tile")
        self.refuse(TypeError, "got function; tessera.load(path) reads a file", tessera.compile, lambda: None)

    def test_signature(self):
        self.assertEqual(self.add.__doc__, self.add.signature.declaration() + "\n\nz = x + y.\nFor <all> n.")
        self.assertEqual(self.source["twice"].__doc__, "kernel twice(x: f32[N, …], lambda: f32, out y: f32[N])")
        self.assertEqual(self.add.signature.declaration(),
                         "kernel add<T: type = f32, BN: int = 64, FAST: bool = true, SCALED: bool>"
                         "(x: T[N], y: T[N], scale: f32 if SCALED, out z: T[N])")
        self.assertTrue(pydoc.plain(pydoc.render_doc(self.source["twice"])).endswith(
            "twice = <kernel twice of kernel.tile>\n    kernel twice(x: f32[N, …], lambda: f32, out y: f32[N])\n"))
        self.assertEqual(str(inspect.signature(self.add)),
                         "(x: 'T[N]', y: 'T[N]', *, scale: 'f32' = None, z: 'T[N]' = None, T: 'type' = 'f32', "
                         "BN: 'int' = 64, FAST: 'bool' = True, SCALED: 'bool', N=None, out=None, stream=None)")
        # lambda is a keyword of Python.
        self.assertEqual(str(inspect.signature(self.source["twice"])),
                         "(x: 'f32[N, …]', *, y: 'f32[N]' = None, N=None, out=None, stream=None)")

    def test_defaults(self):
        kernel = tessera.compile("""kernel f<T: type, D: int, B: int = -1, C: int = 2  * B, E: float = 1e-5, F: float = 2,
            S: float>(x: T[N, D], out y: T[N, D]) grid (n in tiles(N, 8)) { y[n, :] = x[n, :]; }""", device="cpu")["f"]
        self.assertEqual(str(inspect.signature(kernel)),
                         "(x: 'T[N, D]', *, y: 'T[N, D]' = None, T: 'type' = None, D: 'int' = None, B: 'int' = -1, "
                         "C: 'int' = 2 * B, E: 'float' = 1e-05, F: 'float' = 2.0, S: 'float', N=None, out=None, stream=None)")
        self.assertEqual(kernel.signature.declaration(), "kernel f<T: type, D: int, B: int = -1, C: int = 2 * B, "
                         "E: float = 1e-5, F: float = 2, S: float>(x: T[N, D], out y: T[N, D])")
        self.assertEqual(kernel.signature.defaults, {"B": "-1", "E": "1e-05", "F": "2.0"})

    def test_copies(self):
        softmax = tessera.load(tessera.examples / "02-softmax" / "kernel.tile", device="cpu")["softmax"]
        for kernel in (self.add, softmax):
            for copied in (copy.copy(kernel), copy.deepcopy([kernel])[0], pickle.loads(pickle.dumps(kernel))):
                self.assertIs(copied, kernel)
            self.assertIs(copy.deepcopy(kernel.source), kernel.source)
        program = "import pickle, sys; print(pickle.load(sys.stdin.buffer))"
        done = subprocess.run([sys.executable, "-c", program], input=pickle.dumps(self.add), capture_output=True)
        self.assertEqual(done.stdout, b"<kernel add of kernel.tile>\n", done)

    def test_html(self):
        shown = self.add._repr_html_()
        for text in ("<b>kernel add</b> of kernel.tile", "For &lt;all&gt; n.", ">T[N]</td>", "bool", "int = 64",
                     "out z: T[N])", "<code>kernel.page(SCALED=…)</code>"):
            self.assertIn(text, shown)
        page = self.add.page(SCALED=False)
        self.assertIn("<!doctype html>", page.path.read_text())
        self.assertRegex(page._repr_html_(), '(?s)^<iframe srcdoc="&lt;!doctype html&gt;[^"]*" style="[^"]*"></iframe>$')
        self.assertEqual(repr(page), f"<page {page.path}>")
        self.refuse(tessera.ArgumentError, "kernel 'add': 'SCALED' has no default", self.add.page)

    def test_magic(self):
        shell = Shell()
        tessera.load_ipython_extension(shell)
        tile = shell.magics["cell", "tile"]
        tile("--device sim order=random seed=3", TEXT)
        x = np.arange(5, dtype="f4")
        np.testing.assert_array_equal(shell.names["add"](x, x, SCALED=False), 2 * x)
        self.assertEqual(shell.names["add"].source.device, "sim")
        tile("", TEXT)
        self.assertEqual(repr(shell.names["twice"]), "<kernel twice of cell-7.tile>")
        self.refuse(tessera.CompileError, "cell-7.tile:1:9: error: ", tile, "", "kernel f{")
        self.refuse(ValueError, "%%tile: expected OPTION=VALUE, got 'sim'; usage: %%tile [--device NAME]", tile, "sim", TEXT)
        self.refuse(ValueError, "%%tile: write --device sim instead of device=sim; usage:", tile, "device=sim", TEXT)
        self.refuse(ValueError, "%%tile: write --file a.tile instead of file=a.tile; usage:", tile, "file=a.tile", TEXT)
        self.refuse(ValueError, "%%tile: argument --device: expected one argument", tile, "--device", TEXT)
        self.refuse(ValueError, "%%tile: there is no option 'sed'; did you mean 'seed'? usage: %%tile [--device NAME]", tile,
                    "--device cpu sed=3", TEXT)
        for name in ("zebra", "cache", "tuned"):
            self.refuse(ValueError, f"%%tile: there is no option '{name}'; usage:", tile, f"{name}=3", TEXT)
        tile("'options=--ptx-only --raster-group=4'", TEXT)
        self.assertEqual(shell.names["add"].source.options, ("--ptx-only", "--raster-group=4"))
        self.refuse(tessera.ArgumentError, "tilec has no option '--ptx-onl'", tile, "--device cpu options=--ptx-onl", TEXT)
        self.assertIn("%%tile --device sim order=random", tile.__doc__)
        self.assertTrue(callable(magic.define))

    def test_habits(self):
        x = np.arange(5, dtype="f4")
        self.refuse(tessera.ArgumentError, "kernel.tile:3:8: kernel 'add' takes no grid, since the source declares it; "
                                           "call add(…) without [(4,)]", lambda: self.add[(4,)](x, x))
        kernels = tessera.compile("""
            kernel one(x: f32[N], out y: f32[N]) grid (n in tiles(N, 4)) { y[n] = x[n]; }
            kernel none(out y: f32[N]) grid (n in tiles(N, 4)) { y[n] = 1.0; }""", device="cpu")
        self.refuse(tessera.ArgumentError, "takes 1 argument by position (x), got 2; pass outputs (y) by out=",
                    kernels["one"], x, x)
        self.refuse(tessera.ArgumentError, "takes 0 arguments by position (none), got 1", kernels["none"], x)
        self.refuse(tessera.ArgumentError, "size 'N' is bound by no argument; pass N= with its value", kernels["none"])
        add = functools.partial(self.add, x, x, SCALED=False)
        self.refuse(tessera.ArgumentError, "takes 2 arguments by position (x, y), got 3; pass scale= by name and "
                                           "outputs (z) by out=",
                    add, x)
        bits = tessera.compile("kernel keep(u: u64, out y: u64[1]) { y[0] = u; }", device="cpu")["keep"]
        self.assertEqual(bits(2**63 - 1)[0], 2**63 - 1)
        self.refuse(tessera.ArgumentError, "18446744073709551615 for 'u' is too large: a u64 argument is at most "
                                           "2^63 - 1; pass a larger number in a tensor", bits, 2**64 - 1)
        for name, text in (("num_warps", "the schedule of the source sets it: schedule (warps = …)"),
                           ("grid", "the source declares the grid"), ("device", "pass it to load")):
            self.refuse(tessera.ArgumentError, f"kernel 'add' has no parameter '{name}'; {text}", add, **{name: 4})
            self.refuse(tessera.ArgumentError, f"kernel 'add' has no compile-time parameter '{name}'; {text}",
                        self.add.compile, **{name: 4})
        self.assertEqual(repr(self.source), "<source kernel.tile with the kernels add, twice>")
        self.refuse(AttributeError, "load(path)[\"add\"] is the kernel of that name", lambda: self.source.add)
        self.refuse(TypeError, "kernel.tile has the kernels add, twice; call one of them: load(path)[\"name\"](…)",
                    self.source, x)
        for function in (self.add.compile, self.add.page):
            name = function.__name__
            self.refuse(TypeError, f"add.{name} takes compile-time parameters by name, as in add.{name}(T=…), and no "
                                   "arrays; a call add(…) compiles for its arguments and runs the kernel",
                        function, x, x)
        self.refuse(AttributeError, "a kernel has no attribute 'run'; add(…) compiles and runs the kernel, and "
                                    "add.compile() only compiles it", lambda: self.add.run)
        self.refuse(TypeError, "by name, as in none.compile(), and no arrays", kernels["none"].compile, x)
        on_gpu = tessera.compile(TEXT, device="cuda", options=["--ptx-only"])["add"]
        device_array = type("Array", (), {"__cuda_array_interface__": {
            "shape": (3,), "typestr": "<f4", "data": (64, False), "version": 3}})()
        self.refuse(tessera.DeviceError, "load(path, device=\"cpu\") runs kernels on arrays of the host without a GPU",
                    on_gpu, device_array, device_array, SCALED=False)
        assembled = tessera.compile(TEXT, device="cuda")["add"]
        os.environ["TESSERA_PTXAS"] = "/nonexistent/ptxas"
        self.refuse(tessera.CompileError, "tessera.load(path, options=[\"--ptx-only\"]) compiles without ptxas",
                    assembled.compile, SCALED=True)

    def test_frames(self):
        x, y, wide = np.zeros(5, "f4"), np.zeros(4, "f4"), {"SCALED": False, "BN": 1 << 30}
        moved = tessera.compile("""kernel f(inout x: f32[N]) grid (n in tiles(N, 64)) {
          x[n] = 1.0;
          x[n] = x[n + 1];
        }""", device="sim")["f"]
        for kind, call in ((tessera.ArgumentError, lambda: self.add(x, y, SCALED=False)),
                           (tessera.CompileError, lambda: self.add(x, x, **wide)),
                           (tessera.KernelError, lambda: moved(np.zeros(64, "f4")))):
            try:
                call()
                self.fail(f"no {kind}")
            except kind as error:
                names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
                self.assertEqual(names, ["test_frames", "<lambda>", "__call__", "run_eagerly"])
                self.assertTrue(error.__suppress_context__)

    def test_module(self):
        done = subprocess.run([sys.executable, "-m", "tessera", "help"], capture_output=True, text=True)
        self.assertTrue(done.stdout.startswith("usage: tessera COMMAND"), done)


unittest.main(argv=["interactive.py"])
