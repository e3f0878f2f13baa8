//===- Passes.td - From the tile dialect to the sm dialect -*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_CONVERSION_TILETOSM_PASSES
#define TESSERA_CONVERSION_TILETOSM_PASSES

include "mlir/Pass/PassBase.td"

def PlanProductsPass : Pass<"tile-plan-products", "::tessera::tile::KernelOp"> {
  let summary = "decide which unit computes each product, and for how many warpgroups";
  let description = [{
    Writes to each `tile.gemm` which unit computes it and where its operands lie
    (`sm.product`), and to the kernel how many warpgroups compute (`sm.warpgroups`).
    Products of few rows may be transposed, so that their columns take the place of rows.

    Requires: nothing. Establishes: a plan of products, which `tile-to-sm` carries out.
    Kernels that have one stay as they are.

    See docs/passes/tile-plan-products.md.
  }];
  let dependentDialects = ["::tessera::sm::SMDialect"];
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say for each product which unit computes it and why">
  ];
  let statistics = [
    Statistic<"numPlanned", "planned", "Number of kernels that got a plan">
  ];
}

def TileToSMPass : Pass<"tile-to-sm", "::mlir::ModuleOp"> {
  let summary = "give each tile a layout";
  let description = [{
    Turns every `tile.kernel` into an `sm.kernel` in planned form: one role, everything
    synchronous. Products become what their plan says; a kernel without a plan gets the one
    of `tile-plan-products`. It decides which thread holds which element of each tile; grid
    axes become arithmetic on the number of the program, ranges become pairs of start and
    limit.

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
           "Say for each change of layout what it moves, and of products what "
           "tile-plan-products says">,
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
