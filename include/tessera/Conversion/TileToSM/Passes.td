//===- Passes.td - From the tile dialect to the sm dialect -*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_CONVERSION_TILETOSM_PASSES
#define TESSERA_CONVERSION_TILETOSM_PASSES

include "mlir/Pass/PassBase.td"

def TileToSMPass : Pass<"tile-to-sm", "::mlir::ModuleOp"> {
  let summary = "give each tile a layout and each product a unit";
  let description = [{
    Turns every `tile.kernel` into an `sm.kernel` in planned form: one role, everything
    synchronous. It decides which products run on tensor cores, which tiles lie in shared
    memory, and which thread holds which element of the others; grid axes become
    arithmetic on the number of the program, ranges become pairs of start and limit.

    Requires: nothing. Establishes: no op of the tile dialect but `tile.size`; kernels in
    the form `planned`.

    See docs/passes/tile-to-sm.md.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::tessera::sm::SMDialect"
  ];
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say for each product which unit computes it and why, and for each change of "
           "layout what it moves">,
    Option<"rasterGroup", "raster-group", "int64_t", /*default=*/"0",
           "Tiles along the first axis that are walked together, so that programs that run "
           "at a time share operands in the cache; 1 walks axis by axis, 0 chooses">
  ];
  let statistics = [
    Statistic<"numMma", "mma", "Number of products on tensor cores">,
    Statistic<"numDot", "dot", "Number of products by multiply-adds">,
    Statistic<"numFetch", "fetch", "Number of loads to shared memory">,
    Statistic<"numConvert", "convert", "Number of changes of layout">
  ];
}

#endif // TESSERA_CONVERSION_TILETOSM_PASSES
