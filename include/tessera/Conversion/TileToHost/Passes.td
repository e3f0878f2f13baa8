//===- Passes.td - From the tile dialect to host code ------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_CONVERSION_TILETOHOST_PASSES
#define TESSERA_CONVERSION_TILETOHOST_PASSES

include "mlir/Pass/PassBase.td"

def TileToHostPass : Pass<"tile-to-host", "::mlir::ModuleOp"> {
  let summary = "lower tile kernels to loops over vectors for the processor";
  let description = [{
    - Requires: nothing.
    - Establishes: a function for each kernel, which runs one program of the grid. Tiles are buffers
      of one arena, or are computed where they are used.
    - Keeps: results, bit by bit, up to one more rounding in products of f32 and in functions.
    - Refuses: nothing. A kernel with an operation that has no lowering remains, with a remark.

    See docs/passes/tile-to-host.md.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
  let options = [
    Option<"lanes", "lanes", "int64_t", /*default=*/"8",
           "Elements of f32 in a vector register, a power of two">
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "Number of lowered kernels">
  ];
}

#endif // TESSERA_CONVERSION_TILETOHOST_PASSES
