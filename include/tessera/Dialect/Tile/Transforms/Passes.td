//===- Passes.td - Passes on the tile dialect --------------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_TRANSFORMS_PASSES
#define TESSERA_DIALECT_TILE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

class Tile_KernelPass<string argument> : Pass<argument, "::tessera::tile::KernelOp"> {
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

defvar remarks = Option<"remarks", "remarks", "bool", /*default=*/"false",
    "Say at each place what was done there, and what was not and why">;

def FoldExp2Pass : Tile_KernelPass<"tile-fold-exp2"> {
  let summary = "turn exp and log into exp2 and log2 and fold the factors away";
  let description = [{
    Rewrites `exp(x)` as `exp2(log2(e) * x)` and `log(x)` as `ln(2) * log2(x)`, then moves
    the factor to where it costs least: into constants, into the product with a scalar
    (computed once, outside the loop), into row and column vectors before they are
    broadcast, and through values that loops carry. A product by a scalar that stays
    between a matrix product and `exp2` is delayed through masks and row maxima until it
    joins the subtraction before `exp2`, as one `math.fma` per element.

    Requires: nothing. Establishes: no `math.exp` or `math.log` on f32 values (other
    float types compute in f32), unless the kernel carries `tile.no_fold_exp2`.

    Results agree up to rounding of the affected operations. A value that leaves the
    kernel keeps its unit: a stored log-sum-exp stays natural. The sign of a run-time
    scale is respected: where the maximum of a product with a scalar of unknown sign is
    needed, the kernel chooses between maximum and minimum by that sign.

    See docs/passes/tile-fold-exp2.md.
  }];
  let options = [
    remarks,
    Option<"assumePositiveScale", "assume-positive-scale", "bool", /*default=*/"false",
           "Take scalars of unknown sign that scale the argument of an exponential to be "
           "positive, and so never test it; results are undefined if one is not">
  ];
  let statistics = [
    Statistic<"numExp", "exp", "Number of exp that became exp2">,
    Statistic<"numLog", "log", "Number of log that became log2">,
    Statistic<"numCarried", "carried", "Number of loop-carried values scaled by log2(e)">,
    Statistic<"numProducts", "products", "Number of products by log2(e) left on tiles">,
    Statistic<"numFused", "fused", "Number of multiply-adds formed">
  ];
}

def LazyRescalePass : Tile_KernelPass<"tile-lazy-rescale"> {
  let summary = "keep running maxima until they grow by octaves";
  let description = [{
    In loops of products with a running maximum (online softmax), exponents become
    relative to a reference that replaces the maximum. In each row, the reference follows
    the maximum if it has grown by more than `octaves`, and stays otherwise. Its factor
    `exp2(before - after)` then is exactly 1 in nearly all rows, and the products of
    accumulators by it get the attribute `tile.rare_factor`: a warp skips them if all its
    factors are 1.

    A dataflow analysis proves that results do not depend on the reference. Other loops
    stay as they are, and so do kernels with `tile.no_lazy_rescale`.

    Requires: `tile-fold-exp2` has run; loops with `math.exp` are left alone.
    Establishes: nothing that later passes rely on.

    Results agree up to rounding of the exponentials and what is computed from them.

    See docs/passes/tile-lazy-rescale.md.
  }];
  let options = [
    remarks,
    Option<"octaves", "octaves", "unsigned", /*default=*/"8",
           "Growth of a maximum up to which the reference stays, at most 16; f8e4m3 allows 6, "
           "f16 and f8e5m2 allow 8">
  ];
  let statistics = [Statistic<"numRescaled", "rescaled", "Number of running maxima that stay">];
}

def GuardMasksPass : Tile_KernelPass<"tile-guard-masks"> {
  let summary = "skip masks of products where they are all true";
  let description = [{
    In loops of products, a selection by a mask of positions becomes an `scf.if`: where a test
    of scalars says that the mask is all true, nothing is compared and selected. Selections
    that follow one another on one tile share a test.

    Requires: `tile-peel-masks` has run.
    Establishes: nothing that later passes rely on.

    See docs/passes/tile-guard-masks.md.
  }];
  let options = [remarks];
  let statistics = [Statistic<"numGuarded", "guarded", "Number of selections that are skipped">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def PeelMasksPass : Tile_KernelPass<"tile-peel-masks"> {
  let summary = "split loops where their masks are all true";
  let description = [{
    Splits an `scf.for` over tiles into up to three loops, so that the middle one, which
    runs nearly always, carries no mask: `tile.valid` of its ranges and comparisons of
    positions (causal, window) are provably all true there. The loops before and after
    keep the masks. Together they run the same iterations in the same order.

    In a loop of products, comparisons of positions are left to `tile-guard-masks`.

    Everywhere, ranges that are provably full are marked `full` and accesses that are
    provably valid and inside are marked `in_bounds`.

    Requires: nothing (loops without a constant positive step are left alone).
    Establishes: nothing that results rely on. The loops that it made are marked
    `tile.peeled`, so that a second run changes nothing, and the last one with
    `tile.max_trip_count`, if that is known.

    See docs/passes/tile-peel-masks.md.
  }];
  let options = [
    remarks,
    Option<"maxSplits", "max-splits", "unsigned", /*default=*/"2",
           "Most places at which one loop may be split (each adds a copy of its body)">,
    Option<"peelLoads", "peel-loads", "bool", /*default=*/"false",
           "Split also where only loads and stores are masked; off by default since the "
           "transfers of the target check bounds for free">
  ];
  let statistics = [
    Statistic<"numSplit", "split", "Number of loops split">,
    Statistic<"numMasks", "masks", "Number of masks removed from a loop">,
    Statistic<"numFull", "full", "Number of ranges marked full">,
    Statistic<"numInBounds", "in-bounds", "Number of access dimensions marked in_bounds">
  ];
}

def DeferReductionsPass : Tile_KernelPass<"tile-defer-reductions"> {
  let summary = "reduce loop-carried accumulators once, after the loop";
  let description = [{
    Turns a loop-carried `a = a * c + reduce(x)`, whose value only the next iteration
    uses, into a carried tile of `keep` partial results per row, `p = p * c + (x reduced
    to keep columns)`, and one reduction after the loop. Partial result `j` collects the
    columns equal to `j` modulo `keep`, which a thread that holds them can add without
    talking to others. Sums with per-row factors are handled, and maxima and minima
    without; loops in sequence hand the partial results on.

    Requires: nothing. Establishes: nothing that later passes rely on.
    Results agree up to the order of summation.

    See docs/passes/tile-defer-reductions.md.
  }];
  let options = [
    remarks,
    Option<"keep", "keep", "int64_t", /*default=*/"0",
           "Partial results per row; 0: as many as threads can add without an exchange">
  ];
  let statistics = [
    Statistic<"numDeferred", "deferred", "Number of loop-carried reductions deferred">
  ];
}

def ContractPass : Tile_KernelPass<"tile-contract"> {
  let summary = "round products with the sums that they go into";
  let description = [{
    Makes a `math.fma` of each sum or difference of f32 tiles of which one operand is a
    product that nothing else uses. It is rounded once, where product and sum would be
    rounded each, and is one instruction. Loops of matrix products stay as they are. A
    product that only a `tile.reduce sum` uses gets `fastmath<contract>`: its elements may
    be rounded with the sums of a thread. Kernels with `tile.no_contract` stay as they are.

    Requires: nothing; it runs after the passes that look for products and sums.
    Establishes: nothing that later passes rely on.

    Results agree up to rounding of the products.

    See docs/passes/tile-contract.md.
  }];
  let options = [remarks];
  let statistics = [Statistic<"numContracted", "contracted", "Number of products that are rounded with a sum">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def PadExtentsPass : Tile_KernelPass<"tile-pad-extents"> {
  let summary = "pad tiles whose extents do not spread over threads";
  let description = [{
    The numbers of lanes and warps are powers of two. A tile whose extent has a large odd
    factor, such as 1x1000, would be replicated in many threads. The pass pads such a tile,
    and all tiles that are computed with it, to an extent that spreads over threads
    (1x1024). Loads and stores do not access the padding; reductions and reverse scans see
    a neutral element there.

    Requires: nothing. Establishes: a thread holds at most twice as many elements of a tile
    as with extents rounded up to powers of two, unless a product uses the tile.

    Results are the same up to the order of sums.

    See docs/passes/tile-pad-extents.md.
  }];
  let options = [remarks];
  let statistics = [
    Statistic<"numPadded", "padded", "Number of loads whose tile is padded">
  ];
}

def NarrowPositionsPass : Tile_KernelPass<"tile-narrow-positions"> {
  let summary = "let positions of 32 bits do";
  let description = [{
    An `int` of the language has 64 bits, an `index` in machine code 32. Where a number
    may not have 32 bits (it comes from memory, is a product of sizes, a sum of offsets),
    what looks at its size is computed in `i64`: comparisons, minima, quotients,
    conversions. What is used as a position is brought to the nearest number of 32 bits
    that lies outside of every tensor, too: between -2^24 and 2^31 - 2^24.

    Requires: nothing. Establishes: every `index` may be computed modulo 2^32. All that
    looks at the size of one (other operations than sums, differences, products and
    selections) sees a number that has 32 bits.

    Results are the same: the machine simulator computes an `index` in 32 bits.

    See docs/passes/tile-narrow-positions.md.
  }];
  let options = [remarks];
  let statistics = [
    Statistic<"numWide", "wide", "Number of places that are computed in 64 bits">
  ];
}

#endif // TESSERA_DIALECT_TILE_TRANSFORMS_PASSES
