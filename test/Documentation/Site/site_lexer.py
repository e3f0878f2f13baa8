"""Checks that the lexers of the site know every character of our sources, and distinguish keywords from names.

Usage: site_lexer.py ROOT
"""

import pathlib
import sys

ROOT = pathlib.Path(sys.argv[1])
sys.path.append(str(ROOT / "site"))

import hooks  # noqa: E402, F401
from pygments.lexers import get_lexer_by_name  # noqa: E402
from pygments.token import Comment, Error, Keyword, Name, Number, String  # noqa: E402

EXPECTED = {
    "tile": [
        ("kernel", Keyword.Declaration), ("f", Name.Function), ("x", Name), ("bf16", Keyword.Type),
        ("out", Keyword.Declaration), ("grid", Keyword), ("tiles", Name.Builtin), ("64", Number),
        ("index", Name.Attribute), ("// why", Comment.Single), ("inf", Keyword.Constant),
    ],
    "mlir": [
        ("tile.load", Keyword), ("%x", Name.Variable), ("@f", Name.Function), ("tensor", Keyword.Type),
        ('"s"', String.Double), ("64x8xf32", Keyword.Type), ("#acc", Keyword.Type),
    ],
}
SOURCES = {
    "tile": "kernel f(x: bf16[N], out y: bf16[N]) grid (n in tiles(N, 64)) { y[n] = n.index; } // why\ninf",
    "mlir": 'func.func @f() { %0 = tile.load %x : tensor<64x8xf32, #acc> {a = "s"} }',
}
FILES = {"tile": "examples/*/kernel.tile", "mlir": "test/Kernels/*.mlir"}


def main():
    failures = files = 0

    def fail(message):
        nonlocal failures
        failures += 1
        print(message)

    for name, source in SOURCES.items():
        lexer = get_lexer_by_name(name)
        tokens = [(text, kind) for kind, text in lexer.get_tokens(source)]
        for token in EXPECTED[name]:
            if token not in tokens:
                fail(f"{name}: {token} is not among {tokens}")
        for path in sorted(ROOT.glob(FILES[name])):
            files += 1
            wrong = [text for kind, text in lexer.get_tokens(path.read_text()) if kind is Error]
            if wrong:
                fail(f"{path}: cannot read {wrong[0]!r}")
    print(f"{files} files, {failures} failures")
    return 1 if failures or files < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
