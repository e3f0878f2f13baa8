"""Checks that errors in a kernel.tune.toml, or in a file of winners, name the table and the way out.

Usage: invalid.py FOLDER"""

import pathlib
import sys

from tessera import TesseraError, tuned
from tessera.signature import Signature
from tessera.tune import space

SIGNATURES = {"f": Signature("k.tile", {
    "name": "f", "line": 1, "column": 8, "sizes": ["M", "N"],
    "compileTime": [{"name": name, "type": "int", "hasDefault": True, "default": "1"} for name in ("T", "BM", "BN")],
    "parameters": [{"name": "x", "access": "in", "conditional": False, "type": "f32", "dims": ["M", "N"]},
                   {"name": "s", "access": "in", "conditional": False, "type": "f32"}]})}

GOOD = {
    "kernels": '["f"]', "tolerance": "1e-3", "given": "{ T = 1 }", "arguments": "{ s = 0.5 }",
    "where": '["BM <= 64"]', "space": "[{ BM = [1, 32, 64] }]",
    "class": '[{ name = "all", shapes = [{ M = 8, N = 8 }] }]',
}
WRONG = [
    ({"kernels": '["g"]'}, "tune 1: there is no kernel 'g'; the file has f"),
    ({"kernels": "[]"}, "tune 1: 'kernels' is empty"),
    ({"kernels": '"f"'}, "tune 1: expected 'kernels' to be a list, got 'f'"),
    ({"tolerance": None}, "tune 1: 'tolerance' is missing"),
    ({"tolerance": "-1"}, "tune 1: expected 'tolerance' to be at least 0, got -1.0"),
    ({"tolerance": "true"}, "tune 1: expected 'tolerance' to be a number or an integer, got True"),
    ({"tolerence": "1"}, "tune 1: unknown key 'tolerence'; there is kernels, given, space, arguments, tolerance, "
                         "class, where, work"),
    ({"space": None, "spce": "[{ BM = 1 }]"}, "tune 1: unknown key 'spce'; there is kernels, given, space, arguments, "
                                              "tolerance, class, where, work"),
    ({"class": '[{ name = "a", shape = [{ M = 8, N = 8 }] }]'},
     "tune 1: class 1: unknown key 'shape'; there is name, sizes, shapes"),
    ({"given": "{ BK = 1 }"}, "tune 1: given: kernel 'f' has no compile-time parameter 'BK'; it has T, BM, BN"),
    ({"given": "{ T = [] }"}, "tune 1: given: 'T' has no values"),
    ({"given": "{ T = [[1]] }"}, "tune 1: given: expected 'T' to have numbers, true, false or types, got [1]"),
    ({"space": "[]"}, "tune 1: 'space' is missing: there is nothing to choose from"),
    ({"space": "[{ T = 2 }]"}, "tune 1: space 1: 'T' is given by callers and cannot be chosen"),
    ({"space": '[{ "--report" = 2 }]'}, "tune 1: space 1: kernel 'f' has no compile-time parameter '--report'; it has "
                                        "T, BM, BN"),
    ({"space": "[7]"}, "tune 1: space 1: expected a table, got 7"),
    ({"space": f"[{{ BM = {list(range(1, 200))}, BN = {list(range(1, 200))} }}]", "where": "[]"},
     "tune 1: there are more than 5000 candidates; 'where' can have conditions on them"),
    ({"arguments": "{ y = 1 }"}, "tune 1: 'arguments' has 'y', which is not a parameter of kernel 'f'"),
    ({"arguments": '{ s = "randn" }'}, "tune 1: expected the argument 's' to be a number, got 'randn'"),
    ({"arguments": '{ x = "rand" }'}, "tune 1: expected the argument 'x' to be 'randn', 'zeros', 'ones' or "
                                      "'randint(LO, HI)', got 'rand'"),
    ({"where": '["BM <"]'}, "tune 1: where: 'BM <' is not an expression"),
    ({"where": '["BK < 2"]'}, "tune 1: where: 'BK < 2' has 'BK', which is in neither 'given', 'space' nor the shapes"),
    ({"where": '["open(BM)"]'}, "tune 1: where: 'open(BM)' has more than names, integers, + - * // %, comparisons, "
                                "and, or, not"),
    ({"where": '["BM / 2 == 1"]'}, "tune 1: where: 'BM / 2 == 1' has more than names, integers, + - * // %, "
                                   "comparisons, and, or, not"),
    ({"where": '["BM < 1.5"]'}, "tune 1: where: 'BM < 1.5' has 1.5; there are integers, strings, True and False"),
    ({"where": '["BM % 0 == 1"]'}, "tune 1: where: 'BM % 0 == 1' divides by zero"),
    ({"where": "[\"BM < 'a'\"]"}, "tune 1: where: 'BM < 'a'' mixes types that cannot be compared or added"),
    ({"where": "[7]"}, "tune 1: expected 'where' to have strings, got 7"),
    ({"work": '"K"'}, "tune 1: work: 'K' has 'K', which is in neither 'given', 'space' nor the shapes"),
    ({"class": None}, "tune 1: 'class' is missing: there are no shapes to measure"),
    ({"class": '[{ name = "a", shapes = [] }]'}, "tune 1: class 1: 'shapes' is empty"),
    ({"class": '[{ name = "a", shapes = [7] }]'}, "tune 1: class 1: expected a shape to be sizes by name, such as "
                                                  "{ M = 64 }, got 7"),
    ({"class": '[{ name = "a", shapes = [{ M = 0, N = 8 }] }]'},
     "tune 1: class 1: expected a shape to be sizes by name, such as { M = 64 }, got M=0 N=8"),
    ({"class": '[{ name = "a", shapes = [{ M = 8 }] }]'},
     "tune 1: class 1: the shape M=8 is not of the sizes of kernel 'f', which are M, N"),
    ({"class": '[{ name = "a", sizes = { M = { max = 4 } }, shapes = [{ M = 8, N = 8 }] }]'},
     "tune 1: class 1: the shape M=8 N=8 is not within its 'sizes'"),
    ({"class": '[{ name = "a", sizes = { M = { most = 4 } }, shapes = [{ M = 8, N = 8 }] }]'},
     "tune 1: class 1: sizes: M: unknown key 'most'; there is min, max, multiple"),
    ({"class": '[{ name = "a", sizes = { M = { max = 0 } }, shapes = [{ M = 8, N = 8 }] }]'},
     "tune 1: class 1: sizes: M: expected 'max' to be positive, got 0"),
    ({"class": '[{ name = "a", shapes = [{ M = 8, N = 8 }] }, { name = "a", shapes = [{ M = 9, N = 8 }] }]'},
     "tune 1: class 2: there is another class 'a'"),
    ({"class": '[{ name = "a", shapes = [{ M = 8, N = 8 }] }, { name = "b", shapes = [{ M = 9, N = 8 }] }]'},
     "tune 1: class 2: the shape M=9 N=8 is one of the class 'a', which comes before"),
]
WINNERS = [
    ("winner = [{ class = 'a' }]", "winner 1: 'kernel' is missing"),
    ("winner = [{ kernel = 'f', choose = { '--report' = 1 } }]",
     "winner 1: 'choose' has '--report'; of tilec's options it may have --fetch-stages and --raster-group"),
    ("winner = [{ kernel = 'f', choose = { BM = [1] } }]",
     "winner 1: choose: expected 'BM' to be a truth value or an integer or a number or a string, got [1]"),
    ("winners = 1", "unknown key 'winners'; there is device, winner"),
    ("winner = [", "Invalid value (at end of document)"),
]


def write(path, changes):
    rows = {**GOOD, **changes}
    text = ", ".join(f"{key} = {value}" for key, value in rows.items() if value is not None)
    path.write_text(f"tune = [{{ {text} }}]")


def expect(what, read, path, message):
    try:
        read()
    except TesseraError as error:
        assert str(error) == f"{path}: {message}", f"{what}: {error}"
    else:
        raise AssertionError(f"{what} was accepted")


def main():
    path = pathlib.Path(sys.argv[1])
    write(path, {})
    (tuning,) = space.load(path, SIGNATURES)
    assert [space.format_choice(one) for one in tuning.candidates("f", {"T": 1})] == ["defaults", "BM=32", "BM=64"]
    for changes, message in WRONG:
        write(path, changes)

        def read():
            for tuning in space.load(path, SIGNATURES):
                for given in tuning.given:
                    tuning.candidates("f", given)

        expect(changes, read, path, message)
    for text, message in WINNERS:
        path.write_text(text)
        expect(text, lambda: tuned.Winners(path), path, message)
    path.write_text("")
    expect("an empty file", lambda: space.load(path, SIGNATURES), path, "'tune' is missing: there is no kernel to tune")


main()
