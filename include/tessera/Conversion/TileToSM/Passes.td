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
  let summary = "choose the unit, the operands and the warpgroups of each product";
  let description = [{
    Writes the plan only; `tile-to-sm` carries it out.

    - Requires: nothing. A kernel with a plan of products remains unchanged.
    - Establishes: `sm.product` on each `tile.gemm`, and `sm.warpgroups` on the kernel, or `sm.warps` if
      the schedule asks for 1, 2 or 16 warps. Products of few rows may be transposed.
    - Refuses: products on tensor cores by 1, 2 or 16 warps, with an error at the product.

    See docs/passes/tile-plan-products.md.
  }];
  let dependentDialects = ["::tessera::sm::SMDialect"];
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Report the unit of each product, and the reason">
  ];
  let statistics = [
    Statistic<"numPlanned", "planned", "Number of kernels with a new plan">
  ];
}

def TileToSMPass : Pass<"tile-to-sm", "::mlir::ModuleOp"> {
  let summary = "lower tile kernels to sm kernels, and give each tile a layout";
  let description = [{
    Grid axes become arithmetic on the number of the program, ranges a start and a limit.
    - Requires: nothing. A kernel without a plan of products gets the one of `tile-plan-products`.
    - Establishes: form `planned`: one role, each operation complete when it ends. Only `tile.size`
      remains of the tile dialect; each tile has a layout or is in shared memory.
    - Keeps: results up to the order of sums.
    - Refuses: a plan that cannot be carried out, with an error at the product.
    See docs/passes/tile-to-sm.md.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::tessera::sm::SMDialect"
  ];
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Report what each change of layout moves, and the remarks of "
           "tile-plan-products">,
    Option<"rasterGroup", "raster-group", "int64_t", /*default=*/"0",
           "Tiles along the first axis in a band: programs that run at a time share operands "
           "in the cache; 1: no bands, 0: the pass chooses">
  ];
  let statistics = [
    Statistic<"numMma", "mma", "Number of products on tensor cores">,
    Statistic<"numDot", "dot", "Number of products by multiply-adds">,
    Statistic<"numFetch", "fetch", "Number of loads to shared memory">,
    Statistic<"numConvert", "convert", "Number of changes of layout">
  ];
}

#endif // TESSERA_CONVERSION_TILETOSM_PASSES
