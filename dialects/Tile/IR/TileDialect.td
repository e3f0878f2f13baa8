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
  let summary = "what a GPU kernel computes, as mathematics on tiles";
  let description = [{
    A kernel of this dialect says what one tile of the output is. Tiles are builtin
    `tensor` values of static shape, so elementwise work is `arith` and `math`, and
    control flow is `scf`. The dialect adds only what these lack: the kernel itself with
    its named sizes and its grid, ranges (which part of which dimension a tile covers),
    masked transfers to and from global memory, the matrix product, reductions and the
    few shape changes that a tile needs.

    There are no threads, layouts, memory spaces or barriers between threads here; they
    belong to the level below. The rationale, the memory model and the rules for numbers
    stand in `dialects/Tile/README.md`.

    Two attributes are of no op of the dialect: `tile.phase` on a module is the name of the
    last phase that ran on it; the unit `tile.peeled` marks a loop whose masks were peeled.
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
