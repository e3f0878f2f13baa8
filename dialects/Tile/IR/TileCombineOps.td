//===- TileCombineOps.td - Reductions with a region --------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_TILE_IR_TILECOMBINEOPS
#define TESSERA_DIALECTS_TILE_IR_TILECOMBINEOPS

include "dialects/Tile/IR/TileOpBase.td"

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "the results of a combiner";
  let description = [{
    Ends the region of `tile.reduce_with` or `tile.scan_with`.

    ```mlir
    tile.kernel @f() grid() {
      %t = arith.constant dense<1.0> : tensor<64xf32>
      %p = tile.reduce_with %t axis 0 : (tensor<64xf32>) -> tensor<f32> {
      ^bb0(%a: f32, %b: f32):
        %ab = arith.mulf %a, %b : f32
        tile.yield %ab : f32
      }
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

def Tile_ReduceWithOp : Tile_Op<"reduce_with", [Pure, IsolatedFromAbove, SingleBlock]> {
  let summary = "reduction of tiles along one axis by a region";
  let description = [{
    Combines the elements of the sources along `axis`, which is dropped. The region is an
    associative function. It takes the elements of a left part of the axis, then those of a
    right part. Elements are combined in the order of the axis, in unspecified association.

    Constraints:
    - C1: there is a source, and `axis` is a dimension of the sources, which have one shape.
    - C2: there is one result for each source, with its element type and the shape without
      `axis`.
    - C3: the region has two arguments of each element type: those of the left part, then
      those of the right one. It yields one value of each element type.
    - C4: the region contains elementwise operations of `arith` and `math`, and `tile.asm`, on
      scalars, each with one result.

    ```mlir
    tile.kernel @f(%x: !tile.global<[M, N] x f32>) grid(%m in tiles(M, 16), %n in tiles(N, 64)) {
      %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
      %w = arith.constant dense<1.0> : tensor<16x64xf32>
      %r:2 = tile.reduce_with %t, %w axis 1 : (tensor<16x64xf32>, tensor<16x64xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
      ^bb0(%a: f32, %v: f32, %b: f32, %w1: f32):
        %max = arith.maximumf %a, %b : f32
        %sum = arith.addf %v, %w1 : f32
        tile.yield %max, %sum : f32, f32
      }
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$sources, I64Attr:$axis);
  let results = (outs Variadic<Tile_Tensor>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = "$sources `axis` custom<PlainInteger>($axis) attr-dict `:` functional-type($sources, $results) $combiner";
  let hasVerifier = 1;
}

def Tile_ScanWithOp : Tile_Op<"scan_with", [Pure, IsolatedFromAbove, SingleBlock]> {
  let summary = "inclusive scan of tiles along one axis by a region";
  let description = [{
    Element `i` along `axis` combines the elements `0 … i`, or `i … n-1` with `reverse`. The
    region is that of `tile.reduce_with`. With `reverse` the scan begins with the last element:
    the left part consists of the elements after those of the right part.

    Constraints:
    - C1: there is a source, and `axis` is a dimension of the sources, which have one shape.
    - C2: there is one result for each source, with its type.
    - C3, C4: as for `tile.reduce_with`.

    ```mlir
    tile.kernel @f(%x: !tile.global<[N] x f32>) grid(%n in tiles(N, 64)) {
      %t = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<64 of N> -> tensor<64xf32>
      %p = tile.scan_with %t axis 0 reverse : (tensor<64xf32>) -> tensor<64xf32> {
      ^bb0(%a: f32, %b: f32):
        %ab = arith.mulf %a, %b : f32
        tile.yield %ab : f32
      }
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$sources, I64Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tensor>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = "$sources `axis` custom<PlainInteger>($axis) (`reverse` $reverse^)? attr-dict `:` functional-type($sources, $results) $combiner";
  let hasVerifier = 1;
}

#endif // TESSERA_DIALECTS_TILE_IR_TILECOMBINEOPS
