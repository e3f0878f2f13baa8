//===- TileDialect.td - The tile dialect -------------------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_TILE_IR_TILEDIALECT
#define TESSERA_DIALECTS_TILE_IR_TILEDIALECT

include "mlir/IR/DialectBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tessera::tile";
  let summary = "the mathematics of a GPU kernel on tiles";
  let description = [{
    A kernel of this dialect computes one tile of the output. Tiles are builtin `tensor`
    values of static shape. Elementwise work uses `arith` and `math`, control flow uses
    `scf`. The dialect adds

    - the kernel with its named sizes and its grid;
    - ranges: the part of a dimension that a tile covers;
    - masked transfers to and from global memory;
    - the matrix product, reductions and a few changes of shape.

    Threads, layouts, memory spaces and barriers between threads belong to the `sm` dialect.
    The rationale, the memory model and the rules for numbers are in
    `dialects/Tile/README.md`.

    Two attributes are on ops of other dialects. `tile.phase` on a module is the name of the
    last phase that ran on it. The unit attribute `tile.peeled` marks a loop whose masks were
    peeled.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
}

#endif // TESSERA_DIALECTS_TILE_IR_TILEDIALECT
