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
    "Report what was done, and what was not and why, at its place">;

def LowerChecksPass : Tile_KernelPass<"tile-lower-checks"> {
  let summary = "remove checks and prints, or replace them by stores";
  let description = [{
    Removes `tile.check` and `tile.print`, so that they cost nothing on a GPU. With `keep`, they
    become stores to a further parameter, which the launch reads.

    - Requires: nothing. It runs before passes that change the extents of tiles.
    - Establishes: no `tile.check` and no `tile.print`. With `keep`, `tile.reports` describes the
      further parameter of a kernel that had any.
    - Keeps: results of a kernel whose checks hold.
    See docs/passes/tile-lower-checks.md.
  }];
  let options = [remarks, Option<"keep", "keep", "bool", /*default=*/"false",
    "Replace checks and prints by stores to a buffer">];
  let statistics = [Statistic<"numRemoved", "removed", "Number of removed checks and prints">];
}

def FoldExp2Pass : Tile_KernelPass<"tile-fold-exp2"> {
  let summary = "turn exp and log into exp2 and log2, and fold the factors";
  let description = [{
    Moves log2(e) and ln(2) to where they cost least: constants, scalars, vectors, initial values.

    - Requires: nothing. A kernel with `tile.no_fold_exp2` remains unchanged.
    - Establishes: no `math.exp` or `math.log` on floats; narrower types compute in f32.
    - Keeps: results up to the rounding of exponents. Stored values keep their unit, and a run-time
      scale may have any sign.
    See docs/passes/tile-fold-exp2.md.
  }];
  let options = [
    remarks,
    Option<"assumePositiveScale", "assume-positive-scale", "bool", /*default=*/"false",
           "Assume that scalars which scale the argument of an exponential are positive, and "
           "do not test their sign; results are undefined if one is not positive">
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
  let summary = "rescale an online softmax only if its maximum grows by octaves";
  let description = [{
    Exponents become relative to a reference that follows the running maximum in steps of `octaves`.
    A warp skips products of accumulators by a factor of 1 (`tile.rare_factor`).
    - Requires: `tile-fold-exp2` before it. A kernel with `tile.no_lazy_rescale` remains unchanged.
    - Establishes: nothing that later passes rely on.
    - Keeps: results up to the rounding of exponentials. A loop whose results may depend on the
      reference remains, and `remarks` gives the reason.
    See docs/passes/tile-lazy-rescale.md.
  }];
  let options = [
    remarks,
    Option<"octaves", "octaves", "unsigned", /*default=*/"8",
           "Growth of a maximum up to which the reference stays, at most 16 (f8e4m3: 6, f16 "
           "and f8e5m2: 8)">
  ];
  let statistics = [Statistic<"numRescaled", "rescaled", "Number of running maxima with a reference">];
}

def GuardMasksPass : Tile_KernelPass<"tile-guard-masks"> {
  let summary = "skip masks of products where they are all true";
  let description = [{
    In loops of products, a selection by a mask of positions becomes an `scf.if` on a test of scalars.

    - Requires: `tile-peel-masks` before it.
    - Establishes: nothing that later passes rely on.
    - Keeps: results exactly.

    See docs/passes/tile-guard-masks.md.
  }];
  let options = [remarks];
  let statistics = [Statistic<"numGuarded", "guarded", "Number of guarded selections">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def OpenEndsPass : Tile_KernelPass<"tile-open-ends"> {
  let summary = "find loads whose elements past the end of a range nothing uses";
  let description = [{
    Finds loads whose zeros past the end of a range do not matter: masks replace all values that depend on them, or
    stores leave them out.

    - Requires: nothing. It finds less after `tile-guard-masks`, since masks are in branches then.
    - Establishes: `open_ends` on these loads.
    - Keeps: results exactly.

    See docs/passes/tile-open-ends.md.
  }];
  let statistics = [Statistic<"numOpen", "open", "Number of ends of loads that nothing uses">];
}

def PeelMasksPass : Tile_KernelPass<"tile-peel-masks"> {
  let summary = "split loops where their masks are all true";
  let description = [{
    Splits an `scf.for` over tiles into up to three loops; the middle loop carries no mask. Ranges that
    are full are marked `full`, and accesses inside the tensor `in_bounds`.
    - Requires: nothing. A loop without a constant positive step remains unchanged.
    - Establishes: `tile.peeled` on split loops, so that a second run changes nothing, and
      `tile.max_trip_count` on the last loop if the number is known.
    - Keeps: results exactly; the same iterations run in the same order.
    See docs/passes/tile-peel-masks.md.
  }];
  let options = [
    remarks,
    Option<"maxSplits", "max-splits", "unsigned", /*default=*/"2",
           "Largest number of splits of a loop (each adds a copy of its body)">,
    Option<"peelLoads", "peel-loads", "bool", /*default=*/"false",
           "Also split loops that only mask loads and stores; off by default, since the "
           "target checks the bounds of transfers for free">
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
    A loop-carried sum of reductions becomes a tile of `keep` partial results per row, and one reduction
    after the loop. Maxima and minima without factors are deferred as well.

    - Requires: nothing.
    - Establishes: nothing that later passes rely on.
    - Keeps: results up to the order of summation.
    See docs/passes/tile-defer-reductions.md.
  }];
  let options = [
    remarks,
    Option<"keep", "keep", "int64_t", /*default=*/"0",
           "Partial results per row; 0: the number that threads can add without an exchange">
  ];
  let statistics = [
    Statistic<"numDeferred", "deferred", "Number of loop-carried reductions deferred">
  ];
}

def ContractPass : Tile_KernelPass<"tile-contract"> {
  let summary = "round products together with the sums that use them";
  let description = [{
    Makes `math.fma` of f32 sums with a product as operand; a product under `tile.reduce sum` gets
    `fastmath<contract>`.
    - Requires: nothing. It runs after the passes that match products and sums. A kernel with
      `tile.no_contract` remains unchanged, and so do sums of tiles in loops of matrix products.
    - Establishes: nothing that later passes rely on.
    - Keeps: results up to the rounding of products. A product with other uses remains.
    See docs/passes/tile-contract.md.
  }];
  let options = [remarks];
  let statistics = [Statistic<"numContracted", "contracted", "Number of products contracted with a sum">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def PadExtentsPass : Tile_KernelPass<"tile-pad-extents"> {
  let summary = "pad tiles whose extents do not spread over threads";
  let description = [{
    Pads a tile such as 1x1000, and the tiles that are computed with it, for example to 1x1024. Accesses
    exclude the padding; reductions see a neutral element there.

    - Requires: nothing. It runs before `tile-defer-reductions`.
    - Establishes: a thread holds at most twice as many elements of a tile as with extents rounded up to
      powers of two, unless an MMA uses the tile.
    - Keeps: results up to the order of sums. See docs/passes/tile-pad-extents.md.
  }];
  let options = [remarks];
  let statistics = [
    Statistic<"numPadded", "padded", "Number of loads of padded tiles">
  ];
}

def NarrowPositionsPass : Tile_KernelPass<"tile-narrow-positions"> {
  let summary = "compute positions in 32 bits, and in 64 where 32 may not suffice";
  let description = [{
    An `int` of the language has 64 bits, an `index` in machine code 32.

    - Requires: nothing.
    - Establishes: every `index` may be computed modulo 2^32. Operations that depend on the magnitude
      of a number that may exceed 32 bits are computed in `i64`.
    - Keeps: results exactly. Positions of accesses beyond 32 bits are clamped to positions out of bounds.
    See docs/passes/tile-narrow-positions.md.
  }];
  let options = [remarks];
  let statistics = [
    Statistic<"numWide", "wide", "Number of operations computed in 64 bits">
  ];
}

def NarrowConversionsPass : Tile_KernelPass<"tile-narrow-conversions"> {
  let summary = "convert bytes to floats without wider integers";
  let description = [{
    Replaces the conversion of an i8 that was extended and moved by a constant. The byte itself is
    converted, and the float is moved.

    - Requires: nothing.
    - Establishes: floats of tiles are converted from extended bytes, or from sums of them, only if the
      type of the float lacks an integer that may occur.
    - Keeps: results exactly. See docs/passes/tile-narrow-conversions.md.
  }];
  let options = [remarks];
  let statistics = [
    Statistic<"numConverted", "converted", "Number of tiles converted from bytes">
  ];
}

#endif // TESSERA_DIALECT_TILE_TRANSFORMS_PASSES
