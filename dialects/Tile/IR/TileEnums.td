//===- TileEnums.td - Enumerations of the tile dialect -----*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_TILE_IR_TILEENUMS
#define TESSERA_DIALECTS_TILE_IR_TILEENUMS

include "dialects/Tile/IR/TileDialect.td"
include "mlir/IR/EnumAttr.td"

class Tile_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32Enum<name, summary, cases> {
  let cppNamespace = "::tessera::tile";
}

def Tile_Access : Tile_I32Enum<"Access", "how a kernel may use a global tensor", [
    I32EnumAttrCase<"In", 0, "in">, I32EnumAttrCase<"Out", 1, "out">,
    I32EnumAttrCase<"InOut", 2, "inout">]>;

def Tile_ReduceKind : Tile_I32Enum<"ReduceKind", "the combiner of a reduction", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">]>;

def Tile_ReduceKindAttr : EnumAttr<Tile_Dialect, Tile_ReduceKind, "reduce_kind"> {
  let description = [{
    How two elements are combined: `sum`, `max` or `min`.

    ```mlir
    tile.kernel @f() grid() {
      %c = arith.constant dense<1.0> : tensor<64x32xf32>
      %r = tile.reduce max %c axis 0 : tensor<64x32xf32> -> tensor<32xf32>
    }
    ```
  }];
}

#endif // TESSERA_DIALECTS_TILE_IR_TILEENUMS
