//===- SMTileOps.td - Tiles in registers -------------------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_SM_IR_SMTILEOPS
#define TESSERA_DIALECTS_SM_IR_SMTILEOPS

include "dialects/SM/IR/SMOpBase.td"
include "dialects/Tile/IR/TileEnums.td"

def SM_IndicesOp : SM_Op<"indices", [Pure]> {
  let summary = "start, start + 1, start + 2, … as a tile";
  let description = [{
    Constraints:
    - C1: the result has rank 1 and elements of i32.

    ```mlir
    #line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
    sm.kernel @f(%n: index) grid() warps(4) {
      %i = sm.indices %n : tensor<128xi32, #line>
    }
    ```
  }];
  let arguments = (ins Index:$start);
  let results = (outs SM_Tile:$result);
  let assemblyFormat = "$start attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def SM_ReduceOp : SM_Op<"reduce", [Pure, SM_TakesScratch, SM_Accesses]> {
  let summary = "reduction of a tile along one axis";
  let description = [{
    As `tile.reduce`. All threads that hold an element of the result hold the same bits.

    Constraints:
    - C1: `axis` is a dimension of the operand; shapes and element types as for
      `tile.reduce`.
    - C2: the result has the layout `getReduced(source, axis)`; with `keep`, that of
      `getKept` (`include/tessera/Dialect/SM/IR/Layouts.h`).

    ```mlir
    #acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
    #row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
    sm.kernel @f() grid() warps(4) {
      %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
      %m = sm.reduce max %z axis 1 : tensor<64x16xf32, #acc> -> tensor<64xf32, #row>
    }
    ```
  }];
  let arguments = (ins Tile_ReduceKindAttr:$kind, SM_Tile:$source, I64Attr:$axis,
                       OptionalAttr<I64Attr>:$keep);
  let results = (outs SM_Tile:$result);
  let assemblyFormat = "$kind $source `axis` custom<PlainInteger>($axis) (`keep` custom<PlainInteger>($keep)^)? attr-dict `:` type($source) `->` type($result)";
  let builders = [OpBuilder<(ins "::tessera::tile::ReduceKind":$kind, "::mlir::Value":$source,
                                  "int64_t":$axis,
                                  CArg<"std::optional<int64_t>", "{}">:$keep)>];
  let hasVerifier = 1;
}

def SM_ScanOp : SM_Op<"scan", [
    Pure, AllTypesMatch<["source", "result"]>, SM_TakesScratch, SM_Accesses]> {
  let summary = "inclusive scan of a tile along one axis";
  let description = [{
    As `tile.scan`.

    Constraints:
    - C1: `axis` is a dimension of the operand.

    ```mlir
    #line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
    sm.kernel @f() grid() warps(4) {
      %z = arith.constant dense<1.0> : tensor<128xf32, #line>
      %s = sm.scan sum %z axis 0 : tensor<128xf32, #line>
    }
    ```
  }];
  let arguments = (ins Tile_ReduceKindAttr:$kind, SM_Tile:$source, I64Attr:$axis,
                       UnitAttr:$reverse);
  let results = (outs SM_Tile:$result);
  let assemblyFormat = "$kind $source `axis` custom<PlainInteger>($axis) (`reverse` $reverse^)? attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def SM_ReduceWithOp : SM_Op<"reduce_with", [
    Pure, IsolatedFromAbove, SingleBlock, SM_TakesScratch, SM_Accesses]> {
  let summary = "reduction of tiles along one axis by a region";
  let description = [{
    As `tile.reduce_with`. All threads that hold an element of a result hold the same bits.

    Constraints:
    - C1: `axis` is a dimension of the operands, which have one shape and one layout. The
      layout numbers the positions on the axis by digits of the register, the lane and the
      warp.
    - C2: one result for each operand, with its element type and the layout
      `getReduced(source, axis)`.
    - C3: the region is as for `tile.reduce_with`.

    ```mlir
    #acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
    #row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
    sm.kernel @f() grid() warps(4) {
      %z = arith.constant dense<1.0> : tensor<64x16xf32, #acc>
      %p = sm.reduce_with %z axis 1 : (tensor<64x16xf32, #acc>) -> tensor<64xf32, #row> {
      ^bb0(%a: f32, %b: f32):
        %ab = arith.mulf %a, %b : f32
        tile.yield %ab : f32
      }
    }
    ```
  }];
  let arguments = (ins Variadic<SM_Tile>:$sources, I64Attr:$axis);
  let results = (outs Variadic<SM_Tile>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = "$sources `axis` custom<PlainInteger>($axis) attr-dict `:` functional-type($sources, $results) $combiner";
  let hasVerifier = 1;
}

def SM_ScanWithOp : SM_Op<"scan_with", [
    Pure, IsolatedFromAbove, SingleBlock, SM_TakesScratch, SM_Accesses]> {
  let summary = "inclusive scan of tiles along one axis by a region";
  let description = [{
    As `tile.scan_with`.

    Constraints:
    - C1: as for `sm.reduce_with`.
    - C2: one result for each operand, with its type.
    - C3: the region is as for `tile.reduce_with`.

    ```mlir
    #line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
    sm.kernel @f() grid() warps(4) {
      %z = arith.constant dense<1.0> : tensor<128xf32, #line>
      %p = sm.scan_with %z axis 0 : (tensor<128xf32, #line>) -> tensor<128xf32, #line> {
      ^bb0(%a: f32, %b: f32):
        %ab = arith.mulf %a, %b : f32
        tile.yield %ab : f32
      }
    }
    ```
  }];
  let arguments = (ins Variadic<SM_Tile>:$sources, I64Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<SM_Tile>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = "$sources `axis` custom<PlainInteger>($axis) (`reverse` $reverse^)? attr-dict `:` functional-type($sources, $results) $combiner";
  let hasVerifier = 1;
}

def SM_ExpandDimsOp : SM_Op<"expand_dims", [Pure]> {
  let summary = "inserts a dimension of extent 1";
  let description = [{
    Moves no elements: each thread keeps its elements.

    Constraints:
    - C1: shapes as for `tile.expand_dims`.
    - C2: the result has the layout of the operand with the dimension inserted.

    ```mlir
    #row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
    #column = #sm.layout<"64x1 = register[2*(8,0)] lane[4*(0,0) 8*(1,0)] warp[4*(16,0)]">
    sm.kernel @f() grid() warps(4) {
      %z = arith.constant dense<0.0> : tensor<64xf32, #row>
      %e = sm.expand_dims %z axis 1 : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
    }
    ```
  }];
  let arguments = (ins SM_Tile:$source, I64Attr:$axis);
  let results = (outs SM_Tile:$result);
  let assemblyFormat = "$source `axis` custom<PlainInteger>($axis) attr-dict `:` type($source) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "int64_t":$axis)>];
  let hasVerifier = 1;
}

def SM_BroadcastOp : SM_Op<"broadcast", [Pure]> {
  let summary = "repeats a tile along its dimensions of extent 1";
  let description = [{
    Each thread takes its elements from its own registers.

    Constraints:
    - C1: shapes as for `tile.broadcast`.
    - C2: each thread that holds an element of the result holds its source.

    ```mlir
    #column = #sm.layout<"64x1 = register[2*(8,0)] lane[4*(0,0) 8*(1,0)] warp[4*(16,0)]">
    #acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
    sm.kernel @f() grid() warps(4) {
      %z = arith.constant dense<0.0> : tensor<64x1xf32, #column>
      %b = sm.broadcast %z : tensor<64x1xf32, #column> -> tensor<64x16xf32, #acc>
    }
    ```
  }];
  let arguments = (ins SM_Tile:$source);
  let results = (outs SM_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def SM_TransposeOp : SM_Op<"transpose", [Pure]> {
  let summary = "exchanges the two dimensions of a tile";
  let description = [{
    Moves no elements: the layout of the result is the layout of the operand with its
    dimensions exchanged.

    Constraints:
    - C1: the operand has rank 2. Shape and layout of the result are those of the operand
      with exchanged dimensions.

    ```mlir
    #a = #sm.layout<"32x8 = lane[32*(1,0)] warp[4*(0,2)] register[2*(0,1)]">
    #t = #sm.layout<"8x32 = lane[32*(0,1)] warp[4*(2,0)] register[2*(1,0)]">
    sm.kernel @f() grid() warps(4) {
      %z = arith.constant dense<0.0> : tensor<32x8xf32, #a>
      %b = sm.transpose %z : tensor<32x8xf32, #a> -> tensor<8x32xf32, #t>
    }
    ```
  }];
  let arguments = (ins SM_Tile:$source);
  let results = (outs SM_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$source)>];
  let hasVerifier = 1;
}

def SM_RearrangeOp : SM_Op<"rearrange", [Pure, SM_TakesScratch, SM_Accesses]> {
  let summary = "selects elements of tiles by an affine index map";
  let description = [{
    As `tile.rearrange`. Registers are renamed if each thread holds the elements that it
    needs. If they are in registers of other lanes whose numbers differ in the same bits,
    the op shuffles. Otherwise the sources go through shared memory.

    Constraints:
    - C1: as for `tile.rearrange`. Sources and result may have any layouts.

    ```mlir
    #row = #sm.layout<"1024 = register[4*(1) 2*(512)] lane[32*(4)] warp[4*(128)]">
    #half = #sm.layout<"512 = register[2*(1) 2*(256)] lane[32*(2)] warp[4*(64)]">
    sm.kernel @f() grid() warps(4) {
      %z = arith.constant dense<0.0> : tensor<1024xf32, #row>
      %even = sm.rearrange %z by [2] : (tensor<1024xf32, #row>) -> tensor<512xf32, #half>
      %partner = sm.rearrange %z by [1] xor 8 : (tensor<1024xf32, #row>) -> tensor<1024xf32, #row>
    }
    ```
  }];
  let arguments = (ins Variadic<SM_Tile>:$sources, DefaultValuedAttr<I64Attr, "0">:$offset,
                       DenseI64ArrayAttr:$strides, DefaultValuedAttr<I64Attr, "0">:$toggle);
  let results = (outs SM_Tile:$result);
  let assemblyFormat = "$sources (`from` custom<PlainInteger>($offset)^)? `by` $strides (`xor` custom<PlainInteger>($toggle)^)? attr-dict `:` functional-type($sources, $result)";
  let hasVerifier = 1;
}

def SM_ConvertOp : SM_Op<"convert", [Pure, SM_TakesScratch, SM_Accesses]> {
  let summary = "changes the layout of a tile";
  let description = [{
    `getMovement` gives the cost: nothing, register moves, shuffles, or an exchange through
    shared memory with barriers of the role. With `share`, only the first holder of an element
    has it in the operand, as in results of `sm.atomic`.

    Constraints:
    - C1: source and result differ only in their layouts.

    ```mlir
    #a = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
    #b = #sm.layout<"128 = register[4*(1)] lane[32*(4)] warp[4*(0)]">
    sm.kernel @f() grid() warps(4) {
      %z = arith.constant dense<0.0> : tensor<128xf32, #a>
      %b = sm.convert %z : tensor<128xf32, #a> -> tensor<128xf32, #b>
    }
    ```
  }];
  let arguments = (ins SM_Tile:$source, UnitAttr:$share);
  let results = (outs SM_Tile:$result);
  let assemblyFormat = "$source (`share` $share^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def SM_AnyOp : SM_EffectOp<"any"> {
  let summary = "whether some element that the warp holds is true";
  let description = [{
    A vote of the warp (PTX ISA, "vote.sync"), and the only scalar of a role that may differ
    from warp to warp. Code under a condition on the result must not synchronise warps: it has
    no MMAs, no barriers, and no exchange through shared memory. For example, a warp skips a
    rescaling that none of its rows needs.

    Constraints:
    - C1: the tile has elements of i1.
    - C2: an `scf.if` on the result contains none of these operations.

    ```mlir
    #line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
    sm.kernel @f() grid() warps(4) {
      %z = arith.constant dense<true> : tensor<128xi1, #line>
      %a = sm.any %z : tensor<128xi1, #line>
    }
    ```
  }];
  let arguments = (ins SM_Tile:$source);
  let results = (outs I1:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let hasVerifier = 1;
}

#endif // TESSERA_DIALECTS_SM_IR_SMTILEOPS
