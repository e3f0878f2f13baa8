//===- TileDebugOps.td - Checks and prints at run time -----*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_TILE_IR_TILEDEBUGOPS
#define TESSERA_DIALECTS_TILE_IR_TILEDEBUGOPS

include "dialects/Tile/IR/TileOpBase.td"

// The lines that a launch reports. Nothing in a kernel reads them.
def Tile_Reports : Resource<"::tessera::tile::Reports">;

class Tile_DebugOp<string mnemonic> : Tile_Op<mnemonic, [MemoryEffects<[MemWrite<Tile_Reports>]>]>;

def Tile_CheckOp : Tile_DebugOp<"check"> {
  let summary = "ends a launch unless a condition holds";
  let description = [{
    The condition is an `i1`, or a tile of them that must all be true. A program whose
    condition does not hold ends the launch with the message, which names the program and the
    first element that is false. `tile-lower-checks` removes the op or replaces it by
    `tile.report`.

    Constraints:
    - C1: the condition is an `i1` or a tensor of `i1`.

    ```mlir
    tile.kernel @f(%x: !tile.global<[N] x f32>) grid(%n in tiles(N, 64)) {
      %zero = arith.constant dense<0.0> : tensor<64xf32>
      %t = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<64 of N> -> tensor<64xf32>
      %c = arith.cmpf oge, %t, %zero : tensor<64xf32>
      tile.check %c, "x is not negative" : tensor<64xi1>
    }
    ```
  }];
  let arguments = (ins AnyTypeOf<[Tile_Tensor, Tile_Element]>:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
  let hasVerifier = 1;
}

def Tile_PrintOp : Tile_DebugOp<"print"> {
  let summary = "prints a line with values";
  let description = [{
    Prints the text and the values, scalars or tiles. `is_unsigned` states, for each value,
    whether the sign bit of its integers is a bit of the number.

    Constraints:
    - C1: `is_unsigned` has one entry for each value.

    ```mlir
    tile.kernel @f(%x: !tile.global<[N] x f32>) grid(%n in tiles(N, 64)) {
      %s = tile.start %n : !tile.range<64 of N>
      %t = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<64 of N> -> tensor<64xf32>
      tile.print "tile:" %s, %t unsigned [false, false] : index, tensor<64xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$text, Variadic<AnyTypeOf<[Tile_Tensor, Tile_Element, Index]>>:$values,
                       DenseBoolArrayAttr:$is_unsigned);
  let assemblyFormat = [{
    $text ($values^)? `unsigned` $is_unsigned attr-dict (`:` type($values)^)?
  }];
  let hasVerifier = 1;
}

#endif // TESSERA_DIALECTS_TILE_IR_TILEDEBUGOPS
