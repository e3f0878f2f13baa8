//===- Vocabulary.cpp - The words of the language ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The explanations. A test checks that each built-in function has one.
//
//===----------------------------------------------------------------------===//

#include "tessera/Frontend/Vocabulary.h"

#include "llvm/ADT/STLExtras.h"

using namespace tessera::frontend;

static constexpr WordText functionTexts[] = {
    {"abs", "abs(x)", "The absolute value of each element."},
    {"acos", "acos(x)", "The angle in [0, π] whose cosine is each element."},
    {"all", "all(x, axis = n)", "Whether all elements along an axis are true."},
    {"any", "any(x, axis = n)", "Whether an element along an axis is true."},
    {"argmax", "argmax(x, axis = n)",
     "The position of the largest element along an axis, as `i32`."},
    {"argmin", "argmin(x, axis = n)",
     "The position of the smallest element along an axis, as `i32`."},
    {"argsort", "argsort(x, axis = n, descending = false)",
     "The positions of the elements along an axis in their order, as `i32`."},
    {"asin", "asin(x)", "The angle in [-π/2, π/2] whose sine is each element."},
    {"asm", "asm(type, \"text\", x, …)",
     "Instructions of PTX on each element: `$0` is the result of the element "
     "type, `$1` is `x`."},
    {"atan", "atan(x)",
     "The angle in [-π/2, π/2] whose tangent is each element."},
    {"atan2", "atan2(y, x)", "The angle in [-π, π] of the point (x, y)."},
    {"atomic_add", "atomic_add(x[…], value, order = relaxed)",
     "Adds the valid elements to an `inout` tensor, each addition atomic. "
     "Yields the elements before."},
    {"atomic_and", "atomic_and(x[…], value, order = relaxed)",
     "Replaces elements by their bitwise and with the value, atomically. "
     "Yields the elements before."},
    {"atomic_cas", "atomic_cas(x[…], expected, value, order = relaxed)",
     "Stores the value where the element is the expected one, atomically. "
     "Yields the elements before."},
    {"atomic_exchange", "atomic_exchange(x[…], value, order = relaxed)",
     "Stores the value, atomically. Yields the elements before."},
    {"atomic_max", "atomic_max(x[…], value, order = relaxed)",
     "Replaces integers by their maximum with the value, atomically. Yields "
     "the elements before."},
    {"atomic_min", "atomic_min(x[…], value, order = relaxed)",
     "Replaces integers by their minimum with the value, atomically. Yields "
     "the elements before."},
    {"atomic_or", "atomic_or(x[…], value, order = relaxed)",
     "Replaces elements by their bitwise or with the value, atomically. Yields "
     "the elements before."},
    {"atomic_xor", "atomic_xor(x[…], value, order = relaxed)",
     "Replaces elements by their exclusive or with the value, atomically. "
     "Yields the elements before."},
    {"barrier", "barrier(), barrier(grid)",
     "Orders the program's own accesses to global memory: loads after it see "
     "stores before it. With `grid`, waits for all programs, and orders the "
     "accesses of all."},
    {"bits", "bits(x, type)",
     "The same bits as another type of equal width: `bits(x, i32)`."},
    {"broadcast", "broadcast(x, extent, …)",
     "Repeats a tile along its axes of extent 1."},
    {"cbrt", "cbrt(x)", "The cube root of each element."},
    {"ceil", "ceil(x)", "The next integer from below, as a float."},
    {"clz", "clz(x)", "The number of leading zero bits of each integer."},
    {"concat", "concat(x, y, …, axis = n)", "Tiles one after the other."},
    {"copysign", "copysign(x, sign)",
     "The magnitude of `x` with the sign of `sign`."},
    {"cos", "cos(x)", "The cosine of each element, an angle in radians."},
    {"cosh", "cosh(x)", "The hyperbolic cosine of each element."},
    {"cummax", "cummax(x, axis = n, reverse = false)",
     "Running maxima along an axis."},
    {"cummin", "cummin(x, axis = n, reverse = false)",
     "Running minima along an axis."},
    {"cumprod", "cumprod(x, axis = n, reverse = false)",
     "Running products along an axis."},
    {"cumsum", "cumsum(x, axis = n, reverse = false)",
     "Running sums along an axis."},
    {"erf", "erf(x)", "The error function of each element."},
    {"exp", "exp(x)", "e to the power of each element."},
    {"exp2", "exp2(x)", "2 to the power of each element."},
    {"expm1", "expm1(x)", "`exp(x) - 1`, accurate for small `x`."},
    {"flip", "flip(x, axis = n)", "The elements along an axis in reverse."},
    {"floor", "floor(x)", "The next integer from above, as a float."},
    {"fma", "fma(x, y, z)", "`x * y + z`, rounded once."},
    {"fmod", "fmod(x, y)",
     "The exact remainder of `x / y` with the sign of `x`."},
    {"full", "full(type, value)",
     "A tile of one value: `full(f32[BM], -inf)`."},
    {"iota", "iota(extent)", "`0, 1, 2, …` as `i32[extent]`."},
    {"isfinite", "isfinite(x)",
     "Whether each element is neither infinite nor NaN."},
    {"isinf", "isinf(x)", "Whether each element is infinite."},
    {"isnan", "isnan(x)", "Whether each element is NaN."},
    {"join", "join(x, y)",
     "The elements of two tiles in turns along the last axis; the inverse of "
     "`split`."},
    {"load", "load(x[…], fill = v)",
     "Loads with `fill` for the elements that are not valid."},
    {"log", "log(x)", "The natural logarithm of each element."},
    {"log1p", "log1p(x)", "`log(1 + x)`, accurate for small `x`."},
    {"log2", "log2(x)", "The logarithm to the base 2 of each element."},
    {"max", "max(x, y), max(x, axis = n)",
     "The larger of two, element by element; with `axis`, the maximum along an "
     "axis. NaN if an operand is."},
    {"min", "min(x, y), min(x, axis = n)",
     "The smaller of two, element by element; with `axis`, the minimum along "
     "an "
     "axis. NaN if an operand is."},
    {"mulhi", "mulhi(x, y)",
     "The high half of the product of integers, element by element."},
    {"ones", "ones(type)", "A tile of ones: `ones(f32[BM, BN])`."},
    {"permute", "permute(x, axis, …)",
     "The axes of a tile in another order: `permute(x, 0, 2, 1)`."},
    {"popcount", "popcount(x)",
     "The number of bits of each integer that are 1."},
    {"pow", "pow(x, y)", "`x` to the power `y`, element by element."},
    {"print", "print(\"text\", x, …)",
     "Prints a line with scalars and tiles, for debugging."},
    {"prod", "prod(x, axis = n)", "The product along an axis."},
    {"range", "for i in range(low, high, step)",
     "Walks integers from `low` below `high`; the step is 1 if absent."},
    {"reduce", "reduce(x, …, axis = n, with = merge)",
     "Combines the elements along an axis by an associative fn."},
    {"reshape", "reshape(x, extent, …)",
     "The elements of a tile, row by row, in another shape."},
    {"round", "round(x)",
     "The nearest integer, as a float; of two, the even one."},
    {"rsqrt", "rsqrt(x)", "1 by the square root of each element."},
    {"scan", "scan(x, …, axis = n, with = merge, reverse = false)",
     "Running combinations along an axis by an associative fn."},
    {"sigmoid", "sigmoid(x)", "`1 / (1 + exp(-x))` of each element."},
    {"sign", "sign(x)",
     "1 or -1 with the sign of each element; zeros and NaN stay."},
    {"sin", "sin(x)", "The sine of each element, an angle in radians."},
    {"sinh", "sinh(x)", "The hyperbolic sine of each element."},
    {"sort", "sort(x, axis = n, descending = false)",
     "The elements along an axis in their order; NaN is the greatest."},
    {"split", "let even, odd = split(x)",
     "The elements of even and of odd positions along the last axis."},
    {"sqrt", "sqrt(x)", "The square root of each element."},
    {"sum", "sum(x, axis = n)",
     "The sum along an axis, which is dropped. Sums of `f16`, `bf16` and f8 "
     "are "
     "rounded after every addition."},
    {"tan", "tan(x)", "The tangent of each element, an angle in radians."},
    {"tanh", "tanh(x)", "The hyperbolic tangent of each element."},
    {"tile", "tile(low, high, B)",
     "The range of `B` positions from `low`, valid below `high`."},
    {"tiles", "tiles(n, B), tiles(low, high, B), tiles(n, B, part = s of S)",
     "Tiles of `B` positions, after `for … in` and in a grid; with `part` the "
     "s-th of S nearly equal runs of them."},
    {"top", "let values, positions = top(x, k, axis = n)",
     "The `k` greatest elements along an axis in descending order, and their "
     "positions as `i32`."},
    {"trunc", "trunc(x)", "The next integer towards zero, as a float."},
    {"where", "where(condition, x, y)",
     "`x` where the `bool` holds, else `y`."},
    {"zeros", "zeros(type)", "A tile of zeros: `zeros(f32[BM, BN])`."},
};

static constexpr WordText memberTexts[] = {
    {"T", "t.T", "The transpose of a tile of rank 2."},
    {"end", "m.end", "`min(m.start + B, m.limit)` of a range, an `int`."},
    {"index", "m.index", "The positions of a range as `i32[B]`, valid or not."},
    {"limit", "m.limit",
     "The limit of a range: positions from there on are not valid."},
    {"start", "m.start", "The first position of a range, an `int`."},
    {"valid", "m.valid",
     "Which positions of a range are below its limit, as `bool[B]`."},
};

static constexpr WordText entryTexts[] = {
    {"cluster", "cluster = (2, 1)", "CTAs per cluster along the grid axes."},
    {"contract", "contract = false",
     "Rounds each product before it is added, where the compiler would round "
     "the sum alone."},
    {"dynamic", "dynamic",
     "With `persistent`: each CTA draws its next tile when it needs one."},
    {"exchange", "exchange = 0 … 2",
     "Slots of each tile that warpgroups write for each other in a loop."},
    {"fold_exp2", "fold_exp2 = false",
     "Keeps `exp` and `log` as written, where the compiler would fold them "
     "into "
     "`exp2` and `log2`."},
    {"mma_order", "mma_order = 1 … 8",
     "Takes one of the orders of products that are predicted to be the "
     "fastest."},
    {"late_stores", "late_stores",
     "Products whose results a loop only stores run an iteration late."},
    {"lazy_rescale", "lazy_rescale = false",
     "Rescales the accumulators of an online softmax in each iteration, where "
     "the compiler would wait until a maximum has grown by 8 octaves."},
    {"persistent", "persistent",
     "As many CTAs as run at once walk over many tiles each."},
    {"pingpong", "pingpong", "Warpgroups take turns at the tensor cores."},
    {"registers", "registers = 24 … 256",
     "Registers per thread that computes; a multiple of 8."},
    {"stages", "stages = 1 … 16",
     "Depth of the pipelines that tiles arrive through, at most."},
    {"warpgroups", "warpgroups = 1 … 3", "Warpgroups that compute."},
    {"warps", "warps = 1 … 16",
     "Warps that compute: 1, 2 or 16 without products on tensor cores, or 4, 8 "
     "or 12, which are `warpgroups = 1 … 3`."},
};

const WordText *tessera::frontend::findFunctionText(llvm::StringRef name) {
  const WordText *found = llvm::find_if(
      functionTexts, [&](const WordText &text) { return text.word == name; });
  return found == std::end(functionTexts) ? nullptr : found;
}

llvm::ArrayRef<WordText> tessera::frontend::getMembers() { return memberTexts; }

llvm::ArrayRef<WordText> tessera::frontend::getClauseEntries() {
  return entryTexts;
}
