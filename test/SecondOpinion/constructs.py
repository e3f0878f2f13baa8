# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the second opinion on each construct of the language against results worked out by hand."""

import pathlib
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from SecondOpinion import Illegal, NotUnderstood, Undecided, evaluate  # noqa: E402

nan, inf = np.nan, np.inf
X = np.array([1, 2, 3, 4, 5], np.float32)


class Case(unittest.TestCase):
    def check(self, text, expected, name="y", kernel=None, defines=None, **arguments):
        results, _ = evaluate(text, arguments, kernel, defines)
        np.testing.assert_array_equal(results[name], np.asarray(expected))

    def body(self, type_, text, expected, parameters="", before="", **arguments):
        """Checks the contents of `out y: type_` after `text`."""
        self.check(f"{before} kernel k({parameters}{', ' if parameters else ''}out y: {type_}) {{ {text} }}", expected, **arguments)

    def value(self, dtype, expression, expected, parameters="", **arguments):
        """Checks a scalar."""
        self.body(f"{dtype}[1]", f"y[0] = {expression};", [expected], parameters, **arguments)

    def fails(self, error, text, **arguments):
        with self.assertRaises(error):
            evaluate(text, arguments)


class Expressions(Case):
    def test_precedence(self):
        self.value("i64", "(2 + 3 * 4 - 20 / 3 % 4) as i64", 12)
        self.value("f32", "p + q as f32 * 2.0", 7.0, "p: f32, q: i32", p=1.0, q=3)
        self.value("i32", "-p as i32", -2, "p: f32", p=2.9)
        self.value("bool", "p < 1 || p > 3 && p != 5", False, "p: int", p=5)
        self.value("i64", "!c as i64", 0, "c: bool", c=True)
        self.value("i64", "(10 - p - 3) as i64", 2, "p: int", p=5)

    def test_product_binds_tighter_than_times(self):
        self.body("f32[2, 2]", "y[:, :] = 2.0 * a[:, :] @ a[:, :].T;", [[10, 22], [22, 50]], "a: f32[2, 2]", a=np.array([[1, 2], [3, 4]]))

    def test_floor_division(self):
        for a, b, quotient, remainder in ((7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -4, -1), (-7, -2, 3, -1)):
            self.body("i32[2]", "y[0] = a / b; y[1] = a % b;", [quotient, remainder], "a: i32, b: i32", a=a, b=b)
            self.body("i64[2]", "y[0] = (a / b) as i64; y[1] = (a % b) as i64;", [quotient, remainder], "a: int, b: int", a=a, b=b)
            self.body("i32[2]", f"y[0] = {a} / {b}; y[1] = ({a}) % ({b});", [quotient, remainder])

    def test_every_quotient_is_defined(self):
        for a, b, quotient, remainder in ((7, 0, 0, 7), (0, 0, 0, 0), (-(2**31), -1, -(2**31), 0), (-(2**31), 0, 0, -(2**31))):
            self.body("i32[2]", "y[0] = a / b; y[1] = a % b;", [quotient, remainder], "a: i32, b: i32", a=a, b=b)
            given = {"a": np.array([a, 5], np.int32), "b": np.array([b, 2], np.int32)}
            self.body("i32[2]", "y[:] = a[:] / b[:];", [quotient, 2], "a: i32[2], b: i32[2]", **given)
            self.body("i32[2]", "y[:] = a[:] % b[:];", [remainder, 1], "a: i32[2], b: i32[2]", **given)
        self.body("i64[2]", "y[0] = (a / b) as i64; y[1] = (a % b) as i64;", [0, 7], "a: int, b: int", a=7, b=0)

    def test_wrapping(self):
        self.value("i8", "x + x", -56, "x: i8", x=100)
        self.value("i32", "x * x", 1410065408, "x: i32", x=100000)
        self.value("i64", "(x * x) as i64", 10000000000, "x: int", x=100000)
        self.value("i64", "(x * x) as i64", 0, "x: int", x=2**32)
        self.value("i64", "-x", -(2**63), "x: i64", x=-(2**63))
        self.value("i8", "abs(x)", -128, "x: i8", x=-128)

    def test_known_numbers_take_the_type_of_what_they_meet(self):
        self.body("f16[5]", "y[:] = x[:] * 2 + 0.5;", [2.5, 4.5, 6.5, 8.5, 10.5], "x: f16[5]", x=X)
        self.body("i32[2]", "y[:] = where(iota(2) == 1, 7, 8);", [8, 7])
        self.value("f32", "1 / 2 + 0.5", 0.5)
        self.fails(NotUnderstood, "kernel k(x: i8[2], out y: i8[2]) { y[:] = x[:] + 300; }", x=np.zeros(2, np.int8))

    def test_run_time_ints(self):
        self.body("f32[2]", "let m = tile(0, N, 2); y[:] = x[m] / N + n;", [2.5, 3.0], "x: f32[N], n: int", x=X[:2], n=2)
        self.body("i32[2]", "y[:] = iota(2) + n;", [2, 3], "n: int", n=2**32 + 2)
        self.value("i64", "(n + x) as i64", 2**40 + 3, "n: int, x: i32", n=2**40, x=3)
        self.value("f32", "x * n", 6.0, "n: int, x: f32", n=3, x=2.0)

    def test_types_are_not_converted(self):
        self.fails(NotUnderstood, "kernel k(x: f16[2], y: f32[2], out z: f32[2]) { z[:] = x[:] + y[:]; }", x=X[:2], y=X[:2])
        self.fails(NotUnderstood, "kernel k(x: f32[2, 2], y: f32[2], out z: f32[2, 2]) { z[:, :] = x[:, :] + y[:]; }", x=np.ones((2, 2)), y=X[:2])

    def test_rounding_of_elements(self):
        # 2049 is not an f16, 257 is not a bf16; both are midpoints and round to even.
        self.value("f16", "x + 1", 2048.0, "x: f16", x=2048)
        self.value("bf16", "x + 1", 256.0, "x: bf16", x=256)
        self.value("bf16", "x + 3", 260.0, "x: bf16", x=256)
        self.value("f8e4m3", "x + 1", 16.0, "x: f8e4m3", x=16)
        self.value("f32", "x + 1", 16777216.0, "x: f32", x=16777216)
        # A product and a sum that are rounded once: (1 + 2^-12)^2 - 1 in f32.
        self.value("f32", "fma(x, x, -1)", 2.0**-11 + 2.0**-24, "x: f32", x=1 + 2.0**-12)
        self.value("f64", "fma(x, x, z)", 2.0**-60, "x: f64, z: f64", x=1 + 2.0**-30, z=-1 - 2.0**-29)
        self.value("f32", "x * x - 1", 2.0**-11, "x: f32", x=1 + 2.0**-12)

    def test_comparisons_with_nan(self):
        for sign, truth in (("==", False), ("!=", True), ("<", False), (">=", False)):
            self.value("bool", f"x {sign} x", truth, "x: f32", x=nan)
        self.value("f32", "max(x, 1.0)", nan, "x: f32", x=nan)
        self.body("f32[1]", "y[0] = min(x[:], axis = 0);", [nan], "x: f32[3]", x=np.array([1, nan, 0]))

    def test_choice(self):
        text = "y[0] = if c { let t = x * 2; t + 1 } else if x > 2 { 5 } else { -1 };"
        for c, x, expected in ((True, 3, 7), (False, 3, 5), (False, 1, -1)):
            self.body("i32[1]", text, [expected], "c: bool, x: i32", c=c, x=x)
        # A known number takes the type of the other branch.
        self.value("f32", "(if c { 2 } else { x }) / 4", 0.5, "c: bool, x: f32", c=True, x=1.0)
        self.value("i64", "((if c { 2 } else { 3 }) / 2) as i64", 1, "c: bool", c=False)

    def test_known_logic_leaves_the_rest_unchecked(self):
        self.value("bool", "false && 1 / 0 == 1", False)
        self.value("bool", "true || nothing", True)

    def test_functions(self):
        self.body("f32[4]", "y[0] = floor(x); y[1] = ceil(x); y[2] = abs(x); y[3] = sqrt(abs(x) + 1.75);", [-3, -2, 2.25, 2.0], "x: f32", x=-2.25)
        self.body("f32[4]", "y[0] = exp(x); y[1] = sigmoid(x); y[2] = exp2(x + 3.0); y[3] = rsqrt(x + 4.0);", [1, 0.5, 8, 0.5], "x: f32", x=0.0)
        self.body("i32[3]", "y[:] = where(x[:] > 1, x[:], 0 - x[:]);", [-1, 2, 3], "x: i32[3]", x=np.array([1, 2, 3], np.int32))
        self.value("f32", "max(2, 3) + exp2(3)", 11.0)

    def test_reductions(self):
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        self.body("f32[3]", "y[:] = sum(x[:, :], axis = 0);", [3, 5, 7], "x: f32[2, 3]", x=x)
        self.body("f32[2]", "y[:] = max(x[:, :], axis = 1);", [2, 5], "x: f32[2, 3]", x=x)
        self.body("f32[2, 3]", "y[:, :] = cumsum(x[:, :], axis = 1, reverse = true);", [[3, 3, 2], [12, 9, 5]], "x: f32[2, 3]", x=x)
        self.body("f32[2, 3]", "y[:, :] = cumsum(x[:, :], axis = 0);", [[0, 1, 2], [3, 5, 7]], "x: f32[2, 3]", x=x)
        self.body("i32[1]", "y[0] = sum(x[:], axis = 0);", [200], "x: i8[2]", x=np.array([100, 100], np.int8))
        self.body("i32[2]", "y[:] = cumsum(x[:], axis = 0);", [100, 200], "x: i8[2]", x=np.array([100, 100], np.int8))

    def test_tiles(self):
        self.body("f32[2, 3]", "y[:, :] = x[:][:, _] + full(f32[1, 3], 0.5) * iota(3)[_, :] as f32;", [[1, 1.5, 2], [2, 2.5, 3]], "x: f32[2]", x=X[:2])
        self.body("f32[3, 2]", "y[:, :] = x[:, :].T;", [[0, 3], [1, 4], [2, 5]], "x: f32[2, 3]", x=np.arange(6).reshape(2, 3))
        self.body("i32[2, 2]", "y[:, :] = x[:, :] @ x[:, :];", [[7, 10], [15, 22]], "x: i8[2, 2]", x=np.array([[1, 2], [3, 4]], np.int8))
        self.body("bool[2]", "y[:] = full(bool[2], true) && iota(2) == 0;", [True, False])


class Conversions(Case):
    def test_float_to_integer(self):
        x = np.array([2.9, -2.9, 127.5, 128, 1e30, -inf, nan], np.float32)
        self.body("i8[7]", "y[:] = x[:] as i8;", [2, -2, 127, 127, 127, -128, 0], "x: f32[7]", x=x)
        self.body("i32[7]", "y[:] = x[:] as i32;", [2, -2, 127, 128, 2**31 - 1, -(2**31), 0], "x: f32[7]", x=x)
        self.body("i64[7]", "y[:] = x[:] as i64;", [2, -2, 127, 128, 2**63 - 1, -(2**63), 0], "x: f32[7]", x=x)
        for dtype, largest in (("u64", 2**64 - 1), ("i64", 2**63 - 1), ("u8", 255)):
            self.value(dtype, f"p as {dtype}", largest, "p: f32", p=inf)

    def test_float_to_float(self):
        x = np.array([1000, -inf, nan, 17, 19, 2.0**-10, 3 * 2.0**-10], np.float32)
        self.body("f8e4m3[7]", "y[:] = x[:] as f8e4m3;", [448, -448, nan, 16, 20, 0, 2.0**-8], "x: f32[7]", x=x)
        self.body("f8e5m2[3]", "y[:] = x[:] as f8e5m2;", [57344, 10, 1.25 * 2.0**-14], "x: f32[3]", x=np.array([1e6, 9.5, 1.2 * 2.0**-14]))
        self.body("f16[3]", "y[:] = x[:] as f16;", [inf, 65504, 2048], "x: f32[3]", x=np.array([65520, 65519, 2049]))
        self.body("bf16[3]", "y[:] = x[:] as bf16;", [256, 260, inf], "x: f32[3]", x=np.array([257, 259, 3.4e38]))

    def test_integers(self):
        x = np.array([300, -129, 2**32 + 5, 2**53 + 1], np.int64)
        self.body("i8[4]", "y[:] = x[:] as i8;", [44, 127, 5, 1], "x: i64[4]", x=x)
        self.body("i32[4]", "y[:] = x[:] as i32;", [300, -129, 5, 1], "x: i64[4]", x=x)
        self.body("f32[4]", "y[:] = x[:] as f32;", [300, -129, 2**32, 2**53], "x: i64[4]", x=x)
        # Rounded once: after rounding to f64 this would be a tie.
        self.value("bf16", "x as bf16", 2.0**62 + 2.0**55, "x: i64", x=2**62 + 2**54 + 1)
        self.value("f8e4m3", "x as f8e4m3", 448.0, "x: int", x=2**40)

    def test_others(self):
        self.value("f16", "(x > 1) as f16", 1.0, "x: int", x=2)
        self.value("i64", "(x as int * 3) as i64", -6, "x: f32", x=-2.5)
        self.value("i8", "-2.7 as i8", -2)
        self.fails(NotUnderstood, "kernel k(out y: i8[1]) { y[0] = 300 as i8; }")


class Ranges(Case):
    def test_grid_and_partial_tiles(self):
        self.check("kernel k(x: f32[N], out y: f32[N], out z: f32[4]) grid (n in tiles(N, 4)) {"
                   "y[n] = x[n] + n.start; z[n.start / 4] = sum(x[n], axis = 0); }", [1, 2, 3, 4, 9], x=X)
        self.check("kernel k(x: f32[N], out y: f32[N], out z: f32[4]) grid (n in tiles(N, 4)) {"
                   "y[n] = x[n]; z[n.start / 4] = sum(load(x[n], fill = 2), axis = 0); }", [10, 11, nan, nan], "z", x=X)

    def test_members(self):
        self.body("i64[4]", "let r = tile(3, 6, 4); y[0] = r.start as i64; y[1] = r.limit as i64; y[2] = r.end as i64; "
                  "y[3] = sum(r.valid as i32, axis = 0) as i64;", [3, 6, 6, 3])
        self.body("i32[4]", "y[:] = (2 + tile(3, 6, 4)).index;", [5, 6, 7, 8])
        self.body("bool[3]", "y[:] = tile(n, n + 2, 3).valid;", [True, True, False], "n: int", n=2**31 - 1)
        # Positions beyond 64 bits are beyond any limit.
        text = "let r = tile(n as int, -5, 3); y[:] = where(r.valid, 7, r.index);"
        self.body("i32[3]", text, [-1, 0, 1], "n: i64", n=2**63 - 1)

    def test_loops(self):
        self.body("i64[1]", "var v = 0; for r in tiles(3, 17, 5) { v = v * 100 + r.start; } y[0] = v as i64;", [30813])
        self.body("i64[1]", "var v = 0; for i in range(-2, 5, 3) { v = v * 10 + i; } y[0] = v as i64;", [-186])
        # Five tiles in three parts: 0, 1 to 2, 3 to 4.
        text = "var v = 0; for r in tiles(n, 4, part = s of 3) { v = v * 100 + r.start + 1; } y[0] = v as i64;"
        for part, expected in enumerate((1, 509, 1317)):
            self.body("i64[1]", text, [expected], "n: int, s: int", n=18, s=part)

    def test_moved_ranges(self):
        self.body("f32[3]", "let r = tile(0, 2, 3); y[:] = x[3 + r];", [4, 5, 0], "x: f32[5]", x=X)
        self.body("f32[3]", "y[:] = x[tile(0, 2, 3) + n];", [0, 1, 0], "x: f32[5], n: int", x=X, n=-1)
        self.body("f32[3]", "y[:] = x[tile(0, 3, 3) + n];", [0, 0, 0], "x: f32[5], n: int", x=X, n=2**31 - 1)

    def test_grid_order_and_axes(self):
        self.check("kernel k(x: f32[N], b: int, inout y: i32[1]) grid (n in tiles(N, 2), i in b + 1) {"
                   "atomic_add(y[0], (n.start * 10 + i) as i32); }", [189], x=X, b=2, y=np.zeros(1, np.int32))


class Memory(Case):
    def test_gathers(self):
        positions = np.array([4, 0, -1, 5, 0], np.int32)
        self.body("f32[5]", "y[:] = x[p[:]];", [5, 1, 0, 0, 1], "x: f32[5], p: i32[5]", x=X, p=positions)
        self.body("f32[5]", "y[:] = load(x[p[:]], fill = -1);", [5, 1, -1, -1, 1], "x: f32[5], p: i32[5]", x=X, p=positions)
        self.body("f32[2, 2]", "y[:, :] = x[iota(2), 1 - iota(2)];", [[1, 0], [3, 2]], "x: f32[2, 2]", x=np.arange(4).reshape(2, 2))
        self.body("f32[2]", "y[:] = x[n, :];", [0, 0], "x: f32[3, 2], n: i64", x=np.ones((3, 2)), n=2**32)

    def test_paired_positions(self):
        x, p = np.arange(12).reshape(3, 4), np.array([[3, 0], [4, 1], [-1, 2]])
        self.check("kernel k(x: i32[M, N], p: i64[M, 2], out y: i32[M]) grid (m in tiles(M, 2)) { y[m] = x[(m, p[m, 1])]; }", [0, 5, 10], x=x, p=p)
        self.body("i32[3, 2]", "y[:, :] = x[(iota(3)[:, _], p[:, :])];", [[3, 0], [0, 5], [0, 10]], "x: i32[3, 4], p: i64[3, 2]", x=x, p=p)
        self.body("i32[2, 4]", "y[:, :] = load(x[(p[:], 1 - p[:], 0), :], fill = 9);", [[4, 5, 6, 7], [9, 9, 9, 9]], "x: i32[1, 3, 1, 4], p: u8[2]",
                  x=x.reshape(1, 3, 1, 4), p=np.array([0, 2], np.uint8))
        self.body("i32[2, 2]", "y[:, :] = x[p[:, :]];", [[3, 1], [2, 0]], "x: i32[4], p: i32[2, 2]", x=np.arange(4), p=np.array([[3, 1], [2, 4]]))
        # Positions past the end are none in two dimensions.
        self.check("kernel k(p: i32[M, 2], inout y: i32[9]) grid (m in tiles(M, 2)) { y[p[m, :]] = 5; }", [0, 5, 0, 5, 0, 5, 5, 5, 5],
                   p=np.array([[1, 3], [5, 6], [7, 8]]), y=np.zeros(9, np.int32))

    def test_scatters(self):
        self.check("kernel k(x: f32[3], p: i32[3], inout y: f32[4]) { y[p[:]] = x[:]; }", [2, 9, 9, 1], x=X[:3], p=np.array([3, 0, -1], np.int32), y=np.full(4, 9))
        self.check("kernel k(p: i32[4], inout y: i32[3]) { atomic_add(y[p[:]], 2); }", [4, 2, 0], p=np.array([0, 1, 0, 7], np.int32), y=np.zeros(3, np.int32))

    def test_atomic_operations(self):
        start, key = np.array([5, 1, -3, 7], np.int32), np.array([3, 0, 3, 9], np.int32)
        for name, expected in (("add", [7, 1, -3, 16]), ("max", [5, 1, -3, 8]), ("min", [2, 1, -3, 1]), ("and", [0, 1, -3, 0]),
                               ("or", [7, 1, -3, 15]), ("xor", [7, 1, -3, 14]), ("exchange", [2, 1, -3, 8])):
            self.check("kernel k(p: i32[4], x: i32[4], inout y: i32[4]) { atomic_%s(y[p[:]], x[:]); }" % name, expected, p=key,
                       x=np.array([1, 2, 8, 9], np.int32), y=start)
        self.check("kernel k(inout y: i32[4]) { atomic_cas(y[:], iota(4), 70); }", [5, 70, -3, 7], y=start)
        self.check("kernel k(x: u32[2], inout y: u32[2]) { atomic_max(y[:], x[:]); }", [2**31, 9], x=np.array([2**31, 3]), y=np.array([4, 9], np.uint32))
        self.body("i32[4]", "y[:] = atomic_add(z[:], 1); y[1] = atomic_cas(z[3], 8, 0) + z[3] * 100;", [5, 8, -3, 7],
                  "inout z: i32[4]", z=start)
        self.check("kernel k(inout l: i32[1], inout y: i32[1]) grid (i in 3) { while atomic_cas(l[0], 0, 1, order = acquire) != 0 {} "
                   "y[0] = y[0] * 2 + i; atomic_exchange(l[0], 0, order = release); }", [12], l=np.zeros(1, np.int32), y=np.ones(1, np.int32))
        self.fails(NotUnderstood, "kernel k(inout y: i32[1]) { atomic_add(y[0], 1, order = 2); }", y=np.zeros(1, np.int32))

    def test_positions_from_a_masked_load(self):
        text = "kernel k(x: f32[N], p: i32[N], inout y: f32[R]) grid (n in tiles(N, 2)) {{ y[{}] = x[n]; }}"
        given = dict(x=X[:3], p=np.array([1, 2, 3], np.int32), y=np.full(5, 9))
        self.check(text.format("p[n]"), [9, 1, 2, 3, 9], **given)
        self.check(text.format("p[n] * 1 + 0"), [9, 1, 2, 3, 9], **given)
        self.check(text.format("load(p[n], fill = 4)"), [9, 1, 2, 3, 0], **given)
        # Through other types, functions and variables; a `where` uses the masks of its condition and of the chosen
        # operand.
        self.check(text.format("(p[n] as f32 + 0.5) as i32"), [9, 1, 2, 3, 9], **given)
        self.check("fn f(q) { var v = q; v += 0; return v; }" + text.format("f(p[n])"), [9, 1, 2, 3, 9], **given)
        self.check(text.format("where(n.valid, p[n], 4)"), [9, 1, 2, 3, 0], **given)
        self.check(text.format("where(n.index < 3, p[n], 4)"), [9, 1, 2, 3, 9], **given)
        self.check(text.format("where(iota(2) == iota(2), 4 - iota(2), p[n])"), [9, 9, 9, 0, 3], **given)
        # An index beyond the limit is not a position either; reductions and sums along an axis yield positions.
        self.body("f32[4]", "y[:] = x[tile(0, 2, 4).index];", [1, 2, 0, 0], "x: f32[5]", x=X)
        self.body("f32[4]", "y[:] = x[cumsum(p[tile(0, 3, 4)], axis = 0)];", [2, 3, 4, 4], "x: f32[5], p: i32[3]", x=X, p=np.ones(3, np.int32))
        # As a value it is zero; elements that are not positions stay masked.
        self.body("f32[4]", "y[:] = x[p[tile(0, 3, 4)]];", [2, 2, 2, 0], "x: f32[5], p: i32[3]", x=X, p=np.ones(3, np.int32))

    def test_barriers(self):
        self.check("kernel k(inout y: f32[4]) { let t = y[:]; y[:] = t + 1; barrier(); let u = y[1 + tile(0, 3, 3)]; barrier();"
                   "y[tile(0, 3, 3)] = u; }", [3, 4, 5, 5], y=np.array([1, 2, 3, 4]))

    def test_barriers_of_the_grid(self):
        # Each program reads what its neighbour, which may run later, has written.
        self.check("kernel k(inout y: f32[N], out z: f32[N]) grid (n in N) { y[n] = y[n] + n as f32; barrier(grid);"
                   "z[n] = load(y[n + 1], fill = 9); }", [3, 5, 9], "z", y=np.array([1, 2, 3]))
        rounds = ("kernel k(inout y: f32[N]) grid (n in N) { for i in range(0, 2) { let t = load(y[n - 1], fill = 0);"
                  "barrier(grid); y[n] = y[n] + t; barrier(grid); } }")
        self.check(rounds, [1, 3, 4], y=np.ones(3))
        self.fails(Illegal, "kernel k(inout y: f32[N]) grid (n in N) { if n == 0 { barrier(grid); } y[n] = 1; }", y=np.ones(3))
        self.fails(NotUnderstood, "kernel k(inout y: f32[N]) grid (n in N) { barrier(all); }", y=np.ones(3))

    def test_scalars(self):
        self.body("f32[2]", "let t = x[7]; y[0] = t; y[1] = load(x[7], fill = 3);", [0, 3], "x: f32[N]", x=X)
        self.body("f32[2]", "y[:] = 1;", [1, 1])
        self.check("kernel k(n: int, out y: f32[3]) { y[n] = 1; y[n - 8] = 1; }", [nan] * 3, n=7)
        for index in ("7", "0 - 1"):
            with self.assertRaises(Illegal):
                evaluate(f"kernel k(out y: f32[3]) {{ y[{index}] = 1; }}", {})


class Statements(Case):
    def test_branches_that_assign(self):
        text = ("var v = x; var w = x; if c { v = x + 1; w = 7; } else if x > 2 { v = x + 1; } else { v = x + 1; w += 2; }"
                "y[0] = v; y[1] = w;")
        for c, x, expected in ((True, 1, [2, 7]), (False, 3, [4, 3]), (False, 1, [2, 3])):
            self.body("f32[2]", text, expected, "c: bool, x: f32", c=c, x=x)

    def test_same_value_in_both_branches(self):
        self.body("f32[5]", "let a = x[:] + 1; var v = x[:]; if c { v = a; } else { v = a; } y[:] = v;", X + 1, "x: f32[5], c: bool", x=X, c=False)

    def test_assignments(self):
        self.body("i32[1]", "var v = 7 as i32; v += 3; v -= 1; v *= 5; v /= 2; y[0] = v;", [22])
        self.fails(NotUnderstood, "kernel k(out y: f32[1]) { let v = 1.0; v = 2.0; y[0] = v; }")
        self.fails(NotUnderstood, "kernel k(out y: f32[1]) { var v = 1.0; v = zeros(f16[2]); y[0] = v; }")

    def test_compile_time_branches(self):
        text = "kernel k<C: int = 3, Q: bool = (C > 2)>(out y: f32[1]) { if Q { y[0] = 1; } else { y[0] = nothing; } }"
        self.check(text, [1])
        self.check("kernel k<C: int = 3, D: int = 2 * C>(out y: f32[D]) { assert D % C == 0, \"D\"; y[:] = D; }", [10] * 10, defines={"C": 5})
        self.check("kernel k<T: type = f32>(out y: f32[2]) { assert T == f32 && T != bf16, \"T\"; y[:] = 1.0; }", [1, 1])
        self.fails(NotUnderstood, "kernel k<C: int = 3>(out y: f32[1]) { assert C == 4; y[0] = 1; }")

    def test_types_as_parameters(self):
        self.check("kernel k<T: type = f32>(x: T[N], out y: T[N]) { let m = tile(0, N, 8); y[m] = x[m] + 1 as T; }", [1, 2048],
                   defines={"T": "f16"}, x=np.array([0, 2048]))


class Whiles(Case):
    def test_conditions(self):
        self.body("i32[2]", "var v = x; var n = 0; while v < 100 { v *= 2; n += 1; } y[0] = v; y[1] = n as i32;", [192, 6], "x: i32", x=3)
        self.body("i32[1]", "var v = x; while (v < 100) && true { if v > 20 { break; } v *= 2; } y[0] = v;", [24], "x: i32", x=3)
        self.body("i32[2]", "var v = x; var n = 0; for i in range(0, 5) while v + i < 12 { v *= 2; n += i; } y[0] = v as i32; y[1] = n as i32;", [12, 1], "x: int", x=3)
        self.body("i32[1]", "var while = x; while += 1; while while < 9 { while += 5; } y[0] = while;", [9], "x: i32", x=3)
        self.body("i32[1]", "var v = x; while v < 3 { v = 100; } y[0] = v;", [3], "x: i32", x=3)
        self.fails(NotUnderstood, "kernel k(x: f32[2], out y: f32[1]) { while x[:] > 1 { } y[0] = 1; }", x=X[:2])


class Checks(Case):
    def test_checks(self):
        text = 'kernel k(x: f32[N], s: f32, out y: f32[2]) { check s > 1, "a"; check x[tile(0, N, 2)] > s, "b"; y[:] = 1; }'
        self.check(text, [1, 1], x=X[2:4], s=2.0)
        self.fails(Illegal, text, x=X[2:4], s=1.0)
        self.fails(Illegal, text, x=X[2:4], s=3.0)
        # A zero past the end is an element of the tile.
        self.fails(Illegal, text, x=X[2:3], s=2.0)
        self.body("f32[1]", "var check = 1.0; check += x; y[0] = check;", [3], "x: f32", x=2.0)
        self.body("f32[1]", "if x > 3 { check false, \"a\"; } y[0] = x;", [2], "x: f32", x=2.0)
        self.fails(NotUnderstood, "kernel k(x: f32, out y: f32[1]) { check x > 1; y[0] = 1; }", x=2.0)

    def test_prints(self):
        self.body("f32[1]", 'print("x", x, 3); y[0] = x;', [2], "x: f32", x=2.0)
        self.fails(NotUnderstood, 'kernel k(x: f32, out y: f32[1]) { print(x); y[0] = 1; }', x=2.0)


class Functions(Case):
    def test_fns(self):
        before = ("fn twice(x: f32[..]) { return x * 2; } fn row(x, m, T: type, axis: int) { return sum(x[m, :] as T, axis = axis); }"
                  "fn put(y, m, value) { y[m] = value; }")
        self.check(before + "kernel k(x: f16[M, 2], out y: f32[M]) grid (m in tiles(M, 2)) { put(y, m, twice(row(x, m, axis = 1, T = f32))); }",
                   [2, 10, 18], x=np.arange(6).reshape(3, 2))

    def test_bodies(self):
        before = "fn f(x, n) { var v = x as int; for i in range(0, n) { if i % 2 == 0 { v += i; } else { v *= 2; } } return v - n; }"
        self.body("i32[1]", "y[0] = f(x, 4) as i32;", [12], "x: i32", before=before, x=3)

    def test_functions_as_arguments(self):
        before = ("fn twice(f, x) { return f(f(x)); } fn add(x) { return x + 1; } fn both(f, g, x) { return twice(f, g(x)); }"
                  "fn fold(x, merge) { return reduce(x, axis = 0, with = merge); } fn sub(a, b) { return a - b; }")
        self.body("f32[1]", "y[0] = both(add, abs, x);", [5], "x: f32", before=before, x=-3)
        self.body("f32[1]", "let abs = 2.0; y[0] = twice(add, abs);", [4], before=before)
        self.body("i32[1]", "y[0] = fold(x[:], last);", [9], "x: i32[3]", before=before + "fn last(a, b) { return b; }",
                  x=np.array([7, 8, 9], np.int32))
        self.fails(NotUnderstood, before + "kernel k(x: f32, out y: f32[1]) { y[0] = twice(x, x); }", x=1.0)
        self.fails(NotUnderstood, before + "kernel k(x: f32, out y: f32[1]) { y[0] = twice(add, add); }", x=1.0)

    def test_absent_arguments(self):
        text = ("fn added(t, b: f32[..], Q: bool) { return if Q { t + b } else { t }; }"
                "fn loaded(t, b, Q: bool) { return if Q { added(t, b[:], true) } else { added(t, b, Q = false) }; }"
                "kernel k<Q: bool = false>(x: f32[N], b: f32[2] if Q, out y: f32[2]) {"
                "  y[:] = loaded(x[tile(0, N, 2)], b, Q); }")
        self.check(text, [1, 2], x=X[:2])
        self.check(text, [4, 6], x=X[:2], b=X[2:4], defines={"Q": True})
        self.fails(NotUnderstood, text.replace("if Q { t", "if !Q { t"), x=X[:2])
        self.check("kernel k<Q: bool = false>(n: int if Q, x: f32[n], out y: f32[n]) {"
                   "  y[tile(0, n, 2)] = x[tile(0, n, 2)]; }", [1, 2], x=X[:2])
        self.fails(NotUnderstood, text.replace("loaded(x", "abs(b); y[:] = loaded(x"), x=X[:2])

    def test_several_values(self):
        before = "fn pair(x, n) { return x + n, n; } fn turned(x, n) { let a, b = pair(x, n); return b, a; } fn both(x) { return turned(x, 2); }"
        self.body("f32[2]", "let n, s = both(x); var u, v = pair(s, n); v += 1; y[0] = u; y[1] = (v as f32) * s;", [7, 15],
                  "x: f32", before=before, x=3)
        self.fails(NotUnderstood, "fn f(x) { return x, x; } kernel k(out y: f32[1]) { let a, b, c = f(1.0); y[0] = a; }")
        self.fails(NotUnderstood, "fn f(x) { return x, x; } kernel k(out y: f32[1]) { let a = f(1.0); y[0] = a; }")

    def test_names_are_their_own(self):
        self.body("f32[1]", "let max = max(x, 1); y[0] = max;", [3], "x: f32", x=3)
        self.fails(NotUnderstood, "fn f(x) { return x * s; } kernel k(s: f32, out y: f32[1]) { y[0] = f(s); }", s=1.0)
        # A known number stays known.
        self.body("f32[2]", "y[:] = f(2);", [2, 2], before="fn f(n) { return full(f32[n], n); }")


class Combinations(Case):
    AFFINE = "fn affine(a, x, b, y) { return a * b, b * x + y; }"

    def test_reductions(self):
        x = np.array([[2, 3], [5, 7]], np.int32)
        text = "let a, b = reduce(x[:, :], 1, axis = {}, with = affine); y[0, :] = a; y[1, :] = b;"
        self.body("i32[2, 2]", text.format(0), [[10, 21], [6, 8]], "x: i32[2, 2]", before=self.AFFINE, x=x)
        self.body("i32[2, 2]", text.format(1), [[6, 35], [4, 8]], "x: i32[2, 2]", before=self.AFFINE, x=x)
        self.body("i32[1]", "y[0] = reduce(x[:], axis = 0, with = last);", [9], "x: i32[3]", before="fn last(a, b: i32) { return b; }",
                  x=np.array([7, 8, 9], np.int32))
        self.fails(NotUnderstood, "fn f(a, b) { return a, b; } kernel k(x: f32[2], out y: f32[1]) { y[0] = reduce(x[:], axis = 0, with = f); }",
                   x=X[:2])

    def test_scans(self):
        x = np.array([2, 3, 5], np.int32)
        text = "let a, b = scan(x[:], 1, axis = 0, with = affine{}); y[0, :] = a; y[1, :] = b;"
        self.body("i32[2, 3]", text.format(""), [[2, 6, 30], [1, 4, 21]], "x: i32[3]", before=self.AFFINE, x=x)
        self.body("i32[2, 3]", text.format(", reverse = true"), [[30, 15, 5], [9, 4, 1]], "x: i32[3]", before=self.AFFINE, x=x)

    def test_built_in(self):
        x = np.array([[1, np.nan, 3], [4, 4, 2]], np.float32)
        self.body("i32[2]", "y[:] = argmax(x[:, :], axis = 1);", [1, 0], "x: f32[2, 3]", x=x)
        self.body("i32[3]", "y[:] = argmin(x[:, :], axis = 0);", [0, 0, 1], "x: f32[2, 3]", x=x)
        self.body("bool[2]", "y[0] = any(x[:] > 4, axis = 0); y[1] = all(x[:] > 4, axis = 0);", [True, False], "x: i32[3]",
                  x=np.array([1, 5, 9], np.int32))
        self.body("i32[1]", "y[0] = prod(x[:], axis = 0);", [16], "x: i8[3]", x=np.array([2, 2, 4], np.int8))
        for name, expected in (("cummax", [2, 5, 5]), ("cummin", [2, 2, 1]), ("cumprod", [2, 10, 10])):
            self.body("f32[3]", f"y[:] = {name}(x[:], axis = 0);", expected, "x: f32[3]", x=np.array([2, 5, 1], np.float32))


class Breaks(Case):
    def test_loops_end(self):
        self.body("i32[2]", "var v = 0 as i32; var n = 0 as i32; for i in range(0, 9) { n += 1; if v > x { v += 100; break; } v += i as i32; }"
                            "y[0] = v; y[1] = n;", [106, 5], "x: i32", x=3)
        # A break ends the loop around it, and no other one.
        self.body("i32[1]", "var v = 0 as i32; for i in range(0, 3) { for j in range(0, 9) { if j == i { break; } v += 1; } v += 10; } y[0] = v;", [33])
        self.body("i32[1]", "var v = 0 as i32; for i in range(0, 9) { if i > 2 { if x > 0 { break; } v += 100; } else { v += 1; } v += 10; } y[0] = v;",
                  [33], "x: i32", x=1)
        self.check("kernel k(x: f32[N], out y: f32[1]) { var s = 0.0; for n in tiles(N, 2) { if n.start > 3 { break; } s += sum(x[n], axis = 0); } y[0] = s; }",
                   [10], x=X)
        self.fails(NotUnderstood, "kernel k(out y: f32[1]) { break; }")
        self.fails(NotUnderstood, "fn f(x) { if x > 1 { break; } } kernel k(out y: f32[1]) { for i in range(0, 9) { f(i); } y[0] = 1; }")


class Modules(Case):
    KERNEL = "kernel k(x: i32[1], out y: i32[1]) { y[0] = g(x[0]); }"

    def evaluate(self, text, **files):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            (folder / "deep").mkdir()
            for name, content in files.items():
                (folder / name.replace("_", "/")).with_suffix(".tile").write_text(content)
            return evaluate(text, {"x": np.array([5], np.int32)}, folder=folder)[0]["y"][0]

    def test_each_file_sees_its_own_names(self):
        files = {"a": 'use "deep/b.tile" (twice); fn g(x) { return h(twice(x)); } fn h(x) { return x + 1; }',
                 "deep_b": 'use "../c.tile" (h); fn twice(x) { return h(x) + x; }', "c": "fn h(x) { return x; }"}
        fn = "fn h(x) { return x * 100; }"
        self.assertEqual(self.evaluate(f'use "a.tile" (g,); {fn} {self.KERNEL}', **files), 11)
        self.assertEqual(self.evaluate('use "std/activations.tile" (relu); ' + self.KERNEL.replace("g(x[0])", "relu(x[0])")), 5)
        for text in ('use "a.tile" (twice); ', 'use "a.tile" (g); fn g(x) { return x; } ', 'use "d.tile" (g); ', 'use "a.tile" (); '):
            self.assertRaises(NotUnderstood, self.evaluate, text + self.KERNEL, **files)

    def test_cycle(self):
        files = {"a": 'use "b.tile" (h); fn g(x) { return h(x); }', "b": 'use "a.tile" (g); fn h(x) { return g(x); }'}
        self.assertRaises(NotUnderstood, self.evaluate, 'use "a.tile" (g); ' + self.KERNEL, **files)


class Unsigned(Case):
    def test_scalars(self):
        self.value("u32", "x / 2", 2000000000, "x: u32", x=4000000000)
        self.value("bool", "x > 3000000000", True, "x: u32", x=4000000000)
        self.value("f32", "x as f32", 2.0**63, "x: u64", x=2**63 - 1)
        self.value("u8", "x + 100", 44, "x: u8", x=200)


class Bits(Case):
    def test_precedence(self):
        self.value("i32", "x >> 4 & 15", 13, "x: i32", x=0x1D7)
        self.value("i32", "1 | x & 4 ^ 6", 7, "x: i32", x=2)
        self.value("bool", "x & 1 == 1", True, "x: i32", x=3)
        self.value("i32", "~x << 1 + 1", -16, "x: i32", x=3)

    def test_shifts(self):
        for x, amount, left, right in ((-5, 1, -10, -3), (-5, 32, 0, -1), (5, 40, 0, 0), (7, -1, 0, 0), (-(2**31), 31, 0, -1)):
            self.value("i32", "x << n", left, "x: i32, n: i32", x=x, n=amount)
            self.value("i32", "x >> n", right, "x: i32, n: i32", x=x, n=amount)
        self.fails(NotUnderstood, "kernel k(x: i32, out y: i32[1]) { y[0] = x << 32; }", x=1)

    def test_unsigned(self):
        x = np.array([2**32 - 1, 2**31], np.uint32)
        self.body("u32[2]", "y[:] = x[:] >> 28;", [15, 8], "x: u32[2]", x=x)
        self.body("u32[2]", "y[:] = x[:] / 2;", [2**31 - 1, 2**30], "x: u32[2]", x=x)
        self.body("bool[2]", "y[:] = x[:] > 2147483648;", [True, False], "x: u32[2]", x=x)
        self.body("i32[2]", "y[:] = x[:] as i32;", [-1, -(2**31)], "x: u32[2]", x=x)
        self.body("u32[2]", "y[:] = mulhi(x[:], x[:]);", [2**32 - 2, 2**30], "x: u32[2]", x=x)
        self.body("u8[2]", "y[:] = x[:] as u8;", [255, 0], "x: f32[2]", x=np.array([300, -1], np.float32))

    def test_functions(self):
        self.value("i32", "popcount(x)", 31, "x: i32", x=-2)
        self.value("i32", "clz(x)", 28, "x: i32", x=8)
        self.value("i32", "bits(x, i32)", 0x3F800000, "x: f32", x=1.0)

    def test_asm(self):
        x = np.array([6, 12, -1], np.int32)
        self.body("i32[3]", 'y[:] = asm(i32, "lop3.b32 $0, $1, $2, 1, 0xea;", x[:], 3);', [3, 1, 3], "x: i32[3]", x=x)
        self.body("u8[2]", 'y[:] = asm(u8, "not.b16 $0, $1;", x[:]);', [255, 0], "x: u8[2]", x=np.array([0, 255], np.uint8))
        self.body("f32[2]", 'y[:] = asm(f32, ".reg .pred p;", "setp.lt.f32 p, $1, 0f00000000;", "mov.f32 $0, $1; @p mul.f32 $0, $1, -2.0;", x[:]);',
                  [4, 3], "x: f32[2]", x=np.array([-2, 3], np.float32))
        self.body("f32[2]", 'y[:] = asm(f32, "and.b32 $0, $1, 0xffff0000;", x[:]);', [1, -2], "x: f32[2]", x=np.array([1 + 2.0**-20, -2], np.float32))
        self.value("f32", 'asm(f32, "fma.rn.f32 $0, $1, $1, 1.0;", x)', 10.0, "x: f32", x=3.0)
        self.fails(NotUnderstood, 'kernel k(x: f32, out y: f32[1]) { y[0] = asm(f32, "sin.approx.f32 $0, $1;", x); }', x=1.0)
        self.fails(Undecided, 'kernel k(x: f32, out y: f32[1]) { y[0] = asm(f32, "rcp.approx.ftz.f32 $0, $1;", x); }', x=1e-40)

    def test_tf32(self):
        x = np.array([[1 + 2.0**-11, -1 - 2.0**-10 - 2.0**-12], [3, 0]], np.float32)
        self.body("f32[2, 2]", "y[:, :] = (x[:, :] as tf32) @ (x[:, :].T as tf32);", [[1 + (1 + 2.0**-10) ** 2, 3], [3, 9]], "x: f32[2, 2]", x=x)
        self.fails(NotUnderstood, "kernel k(x: f32[2, 2], out y: f32[2, 2]) { y[:, :] = (x[:, :] as tf32) + 1.0; }", x=x)
        self.fails(NotUnderstood, "kernel k(x: f32[2, 2], out y: f32[2, 2]) { y[:, :] = (x[:, :] as tf32) @ x[:, :]; }", x=x)

    def test_numeric_functions(self):
        x = np.array([2.5, -1.5, 0.5, nan, inf], np.float32)
        given = {"parameters": "x: f32[5]", "x": x}
        self.body("f32[5]", "y[:] = round(x[:]);", [2, -2, 0, nan, inf], **given)
        self.body("f32[5]", "y[:] = trunc(x[:]);", [2, -1, 0, nan, inf], **given)
        self.body("f32[5]", "y[:] = sign(x[:]);", [1, -1, 1, nan, 1], **given)
        self.body("bool[5]", "y[:] = isnan(x[:]);", [False, False, False, True, False], **given)
        self.body("bool[5]", "y[:] = isinf(x[:]);", [False, False, False, False, True], **given)
        self.body("bool[5]", "y[:] = isfinite(x[:]);", [True, True, True, False, False], **given)
        self.body("f32[5]", "y[:] = fmod(x[:], 2);", [0.5, -1.5, 0.5, nan, nan], **given)
        self.body("f32[5]", "y[:] = copysign(x[:], -1.0);", [-2.5, -1.5, -0.5, nan, -inf], **given)
        self.body("f32[5]", "y[:] = pow(x[:], 2.0);", [6.25, 2.25, 0.25, nan, inf], **given)
        self.value("f32", "atan2(x, -1.0)", np.float32(np.pi), "x: f32", x=0.0)
        self.value("f32", "sin(x)", np.sin(np.float64(3)).astype(np.float32), "x: f32", x=3.0)
        self.value("f32", "pow(2, 0.5) + cbrt(27)", np.float32(2**0.5 + 3))
        self.fails(NotUnderstood, "kernel k(x: i32, out y: f32[1]) { y[0] = sin(x); }", x=3)
        self.fails(NotUnderstood, "kernel k(x: i32, out y: f32[1]) { y[0] = pow(x, 2); }", x=3)


class Shapes(Case):
    def test_changes(self):
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        for shape, text, expected in (
            ("3, 2", "reshape(x[:, :], 3, 2)", [[0, 1], [2, 3], [4, 5]]), ("3, 2", "permute(x[:, :], 1, 0)", [[0, 3], [1, 4], [2, 5]]),
            ("2, 3", "flip(x[:, :], axis = 1)", [[2, 1, 0], [5, 4, 3]]), ("2, 6", "join(x[:, :], -x[:, :])", [[0, 0, 1, -1, 2, -2], [3, -3, 4, -4, 5, -5]]),
            ("2, 4", "concat(x[:, :], x[:, :][:, :1], axis = 1)", [[0, 1, 2, 0], [3, 4, 5, 3]]),
            ("2, 2", "broadcast(x[:, :][:, 2:], 2, 2)", [[2, 2], [5, 5]]), ("2, 2", "x[:, :][:, 1:3]", [[1, 2], [4, 5]]),
        ):  # fmt: skip
            self.body(f"f32[{shape}]", f"y[:, :] = {text};", expected, "x: f32[2, 3]", x=x)
        self.body("f32[3]", "y[:] = x[:, :][1, :];", [3, 4, 5], "x: f32[2, 3]", x=x)
        self.body("f32[1]", "y[0] = x[:, :][1, 2];", [5], "x: f32[2, 3]", x=x)
        self.body("f32[2]", "let a, b = split(x[:]); y[:] = a * 10.0 + b;", [1, 23], "x: f32[4]", x=np.arange(4, dtype=np.float32))
        self.fails(NotUnderstood, "kernel k(x: f32[4], out y: f32[1]) { y[0] = x[:][4]; }", x=X[:4])
        # Elements that are not valid stay without a position.
        self.body("i32[4]", "let i = tile(0, 2, 4).index; y[flip(i, axis = 0)] = full(i32[4], 7);", [7, 7, -1, -1])

    def test_order(self):
        x = np.array([2, nan, -0.0, 1, 0, 2], np.float32)
        self.body("f32[6]", "y[:] = sort(x[:], axis = 0);", [0, 0, 1, 2, 2, nan], "x: f32[6]", x=x)
        self.body("f32[6]", "y[:] = sort(x[:], axis = 0, descending = true);", [nan, 2, 2, 1, 0, 0], "x: f32[6]", x=x)
        self.body("i32[6]", "y[:] = argsort(x[:], axis = 0);", [2, 4, 3, 0, 5, 1], "x: f32[6]", x=x)
        self.body("i32[6]", "y[:] = argsort(x[:], axis = 0, descending = true);", [1, 0, 5, 3, 2, 4], "x: f32[6]", x=x)
        self.body("i32[2]", "let v, p = top(x[:], 2, axis = 0); y[:] = p;", [1, 0], "x: f32[6]", x=x)
        self.body("f32[2]", "let v, p = top(x[:], 2, axis = 0, descending = false); y[:] = v;", [0, 0], "x: f32[6]", x=x)
        self.fails(Undecided, "kernel k(x: f32[5], out y: i32[5]) { y[:] = argsort(exp(x[:]), axis = 0); }", x=X)


class Sizes(Case):
    def test_dimensions(self):
        self.check("kernel k<D: int = 2>(cu: i32[B + 1], x: f32[2 * D], out y: i32[B]) { y[tile(0, B, 4)] = B as i32; }", [3, 3, 3], cu=np.zeros(4, np.int32), x=np.zeros(4))
        self.check("kernel k(x: f32[2 + N], out y: i32[N]) { y[tile(0, N, 4)] = N as i32; }", [3] * 3, x=np.zeros(5))
        self.fails(NotUnderstood, "kernel k(x: f32[N], y: f32[N], out z: f32[N]) { }", x=X, y=X[:2])

    def test_outputs_start_unwritten(self):
        self.check("kernel k(out y: i32[2]) { y[0] = 3; }", [3, -1])


class Errors(Case):
    def test_illegal(self):
        self.fails(NotUnderstood, "kernel k(out y: i32[1]) { y[0] = (1 / 0) as i32; }")

    def test_bounds(self):
        """Checks the bounds of roundings."""
        x = np.array([2.0**24, 1, -(2.0**24)], np.float32)
        _, errors = evaluate("kernel k(x: f32[3], out y: f32[1], out z: f32[1]) { y[0] = sum(x[:], axis = 0); z[0] = max(x[:], axis = 0); }", {"x": x})
        self.assertGreaterEqual(errors["y"], 1)
        self.assertEqual(errors["z"], 0)
        self.fails(Undecided, "kernel k(x: f32[3], out y: bool[1]) { y[0] = sum(x[:], axis = 0) > 0.5; }", x=x)

    def test_bound_of_an_accumulated_product(self):
        """Checks that each of the four terms may be rounded away next to a large number."""
        text = "kernel k(x: f32[1, 1], a: f16[1, 4], out y: f32[1, 1]) {{ y[:, :] = {}; }}"
        product, a = "a[:, :] @ (ones(f16[4, 1]))", np.ones((1, 4), np.float32)
        for sum_ in (f"x[:, :] + {product}", f"{product} + x[:, :]"):
            for large, error in ((2.0**24, 4), (2.0**20, 0)):
                _, errors = evaluate(text.format(sum_), {"x": np.full((1, 1), large, np.float32), "a": a})
                self.assertGreaterEqual(errors["y"], error)
                self.assertEqual(errors["y"] > 0, error > 0)

    def test_exponentials_below_the_normal_numbers(self):
        text = "kernel k(x: f32[1], out y: f32[1]) { y[:] = exp2(x[:]); }"
        _, errors = evaluate(text, {"x": np.array([-129], np.float32)}, by_element=True)
        self.assertGreaterEqual(errors["y"][0], 2.0**-129)

    def test_bounds_of_elements(self):
        """Checks that a masked score is rounded to units of the mask, while other scores are exact."""
        text = """kernel k(x: f32[4], out y: f32[4], out z: f32[1]) {
          let s = x[:] + where(iota(4) < 2, -1e9, 0.0); let m = max(s, axis = 0); y[:] = exp(s - m); z[0] = m; }"""
        x = np.array([0.25, 1, 2, 3], np.float32)
        _, errors = evaluate(text, {"x": x}, by_element=True)
        self.assertEqual(errors["z"][0], 0)
        self.assertLess(errors["y"][0], 2e-38)
        self.assertTrue((errors["y"][2:] > 0).all() and (errors["y"] < 1e-4).all())
        self.assertGreater(evaluate(text, {"x": x})[1]["y"], 1)

    def test_syntax(self):
        for text in ("kernel k(out y: f32[1]) { y[0] = 1 < 2 < 3; }", "kernel k() { let x = ; }", "kernel k() { 1 + 2; }", "kernel k() { @ }"):
            self.fails(NotUnderstood, text)


if __name__ == "__main__":
    unittest.main()
