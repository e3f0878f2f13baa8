//===- TileComputeOps.td - Products, reductions and shapes -*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_TILE_IR_TILECOMPUTEOPS
#define TESSERA_DIALECTS_TILE_IR_TILECOMPUTEOPS

include "dialects/Tile/IR/TileOpBase.td"

def Tile_GemmOp : Tile_Op<"gemm", [Pure, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "matrix product with accumulation";
  let description = [{
    `result = accumulator + op(a) op(b)`; `op` transposes if `transpose_a` or `transpose_b` is
    set. Products are exact, and sums have the type of the accumulator. The order of the sums
    is unspecified. With `tf32`, the product reads `f32` operands as TF32: without the 13 low
    bits of their significands.

    Constraints:
    - C1: operands and result have rank 2.
    - C2: `op(a)` is MxK, `op(b)` is KxN, the accumulator is MxN.
    - C3: the element types of `a` and `b` are equal, or both of 8-bit float type.
    - C4: the accumulator is f32 for float operands and i32 for i8 operands; no other
      operands are allowed.
    - C5: `tf32` is for operands of f32.

    ```mlir
    tile.kernel @f(%q: !tile.global<[M, 64] x bf16>, %k: !tile.global<[N, 64] x bf16>)
        grid(%m in tiles(M, 128), %n in tiles(N, 32)) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %d = tile.range %c0 to %c64 : !tile.range<64>
      %a = tile.load %q[%m, %d] : !tile.global<[M, 64] x bf16>, !tile.range<128 of M>, !tile.range<64> -> tensor<128x64xbf16>
      %b = tile.load %k[%n, %d] : !tile.global<[N, 64] x bf16>, !tile.range<32 of N>, !tile.range<64> -> tensor<32x64xbf16>
      %z = arith.constant dense<0.0> : tensor<128x32xf32>
      %s = tile.gemm %a, %b, %z transpose_b : tensor<128x64xbf16>, tensor<32x64xbf16> -> tensor<128x32xf32>
    }
    ```
  }];
  let arguments = (ins Tile_Tensor:$a, Tile_Tensor:$b, Tile_Tensor:$accumulator,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b, UnitAttr:$tf32);
  let results = (outs Tile_Tensor:$result);
  let extraClassDeclaration = [{
    /// The dimension of each operand along which terms are summed.
    unsigned getTermDimOfA() { return getTransposeA() ? 0 : 1; }
    unsigned getTermDimOfB() { return getTransposeB() ? 1 : 0; }
  }];
  let assemblyFormat = [{
    $a `,` $b `,` $accumulator (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)?
    (`tf32` $tf32^)? attr-dict `:` type($a) `,` type($b) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [Pure]> {
  let summary = "reduction of a tile along one axis";
  let description = [{
    Combines the elements along `axis` and drops the axis. `max` and `min` yield NaN if any
    element is NaN. Each step of a sum of floats is rounded to the element type; the order of
    the steps is unspecified.

    With `keep p` the axis stays, with extent `p`: element `j` combines the elements whose
    position is `j` modulo `p`. A second reduction gives the complete result.
    `tile-defer-reductions` makes such partial results: a loop accumulates them without an
    exchange between threads.

    Constraints:
    - C1: `axis` is a dimension of the operand.
    - C2: the result has the element type of the operand and its shape without `axis`;
      with `keep`, the extent of `axis` is `keep` instead.
    - C3: the element type is not `i1`.
    - C4: `keep` is at least 1 and divides the extent of `axis`.

    ```mlir
    tile.kernel @f(%x: !tile.global<[M, N] x f32>) grid(%m in tiles(M, 16), %n in tiles(N, 64)) {
      %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
      %r = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
      %p = tile.reduce sum %t axis 1 keep 8 : tensor<16x64xf32> -> tensor<16x8xf32>
    }
    ```
  }];
  let arguments = (ins Tile_ReduceKindAttr:$kind, Tile_Tensor:$source, I64Attr:$axis,
                       OptionalAttr<I64Attr>:$keep);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$kind $source `axis` custom<PlainInteger>($axis) (`keep` custom<PlainInteger>($keep)^)? attr-dict `:` type($source) `->` type($result)";
  let builders = [OpBuilder<(ins "ReduceKind":$kind, "::mlir::Value":$source, "int64_t":$axis,
                                  CArg<"std::optional<int64_t>", "{}">:$keep)>];
  let hasVerifier = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "inclusive scan of a tile along one axis";
  let description = [{
    Element `i` along `axis` combines the elements `0 … i`, or `i … n-1` with `reverse`.
    `sum` is the cumulative sum.

    Constraints:
    - C1: `axis` is a dimension of the operand.
    - C2: the element type is not `i1`.

    ```mlir
    tile.kernel @f(%g: !tile.global<[N] x f32>) grid(%n in tiles(N, 64)) {
      %t = tile.load %g[%n] : !tile.global<[N] x f32>, !tile.range<64 of N> -> tensor<64xf32>
      %c = tile.scan sum %t axis 0 reverse : tensor<64xf32>
    }
    ```
  }];
  let arguments = (ins Tile_ReduceKindAttr:$kind, Tile_Tensor:$source, I64Attr:$axis,
                       UnitAttr:$reverse);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$kind $source `axis` custom<PlainInteger>($axis) (`reverse` $reverse^)? attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "repeats a tile along its dimensions of extent 1";
  let description = [{
    Constraints:
    - C1: source and result have the same rank and element type.
    - C2: each extent of the source is 1 or that of the result.

    ```mlir
    tile.kernel @f() grid() {
      %c = arith.constant dense<1.0> : tensor<64x1xf32>
      %b = tile.broadcast %c : tensor<64x1xf32> -> tensor<64x32xf32>
    }
    ```
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [Pure]> {
  let summary = "inserts a dimension of extent 1";
  let description = [{
    The result's dimension `axis` is new and has extent 1.

    Constraints:
    - C1: `axis` is a dimension of the result.
    - C2: the result has the element type of the operand and its shape with 1 inserted.

    ```mlir
    tile.kernel @f() grid() {
      %c = arith.constant dense<1.0> : tensor<64xf32>
      %e = tile.expand_dims %c axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    }
    ```
  }];
  let arguments = (ins Tile_Tensor:$source, I64Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source `axis` custom<PlainInteger>($axis) attr-dict `:` type($source) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "int64_t":$axis)>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", [Pure]> {
  let summary = "exchanges the two dimensions of a tile";
  let description = [{
    Constraints:
    - C1: the operand has rank 2.
    - C2: the result has the element type of the operand and its extents exchanged.

    ```mlir
    tile.kernel @f() grid() {
      %c = arith.constant dense<1.0> : tensor<64x32xf32>
      %t = tile.transpose %c : tensor<64x32xf32> -> tensor<32x64xf32>
    }
    ```
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$source)>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_RearrangeOp : Tile_Op<"rearrange", [Pure]> {
  let summary = "selects elements of tiles by an affine index map";
  let description = [{
    The elements of the sources are numbered row by row, one source after the other. The
    element of the result at position `(x0, x1, …)` is the one with the number
    `offset + x0 * strides[0] + x1 * strides[1] + …`. With `xor t`, the bits of `t` of that
    number are inverted.

    This op changes shapes, permutes and reverses dimensions, takes parts of tiles, repeats
    and joins tiles:

    | result | map |
    | --- | --- |
    | another shape | the strides of the rows of the new shape |
    | permuted dimensions | permuted strides |
    | a reversed dimension | a negative stride, from the last element |
    | a part | the position of its first element |
    | every second element | a stride of 2 |
    | two tiles of `n` elements as a new dimension | a stride of `n` |
    | partners of a butterfly network at distance `d` | `xor d` |

    Constraints:
    - C1: there is a source; sources and result have one element type.
    - C2: one stride for each dimension of the result.
    - C3: all numbers are those of elements of the sources.
    - C4: `xor` is at least 0, and the number of elements of the sources is a multiple of the
      power of two above it.

    ```mlir
    tile.kernel @f(%x: !tile.global<[M, 64] x f32>) grid(%m in tiles(M, 16)) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %d = tile.range %c0 to %c64 : !tile.range<64>
      %t = tile.load %x[%m, %d] : !tile.global<[M, 64] x f32>, !tile.range<16 of M>, !tile.range<64> -> tensor<16x64xf32>
      %odd = tile.rearrange %t from 1 by [64, 2] : (tensor<16x64xf32>) -> tensor<16x32xf32>
      %reversed = tile.rearrange %t from 63 by [64, -1] : (tensor<16x64xf32>) -> tensor<16x64xf32>
      %partner = tile.rearrange %t by [64, 1] xor 4 : (tensor<16x64xf32>) -> tensor<16x64xf32>
      %pair = tile.rearrange %t, %partner by [64, 1, 1024] : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64x2xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$sources, DefaultValuedAttr<I64Attr, "0">:$offset,
                       DenseI64ArrayAttr:$strides, DefaultValuedAttr<I64Attr, "0">:$toggle);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$sources (`from` custom<PlainInteger>($offset)^)? `by` $strides (`xor` custom<PlainInteger>($toggle)^)? attr-dict `:` functional-type($sources, $result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure]> {
  let summary = "the numbers 0, 1, 2, … as a tile";
  let description = [{
    Constraints:
    - C1: the result has rank 1.

    ```mlir
    tile.kernel @f() grid() {
      %i = tile.iota : tensor<64xi32>
    }
    ```
  }];
  let results = (outs Tile_IndexTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_AsmOp : Tile_Op<"asm", !listconcat([Pure], ElementwiseMappable.traits)> {
  let summary = "instructions of PTX on each element";
  let description = [{
    Runs the text for each element. `$0` is the register of the result, and `$1`, `$2`, … are
    the registers of the operands, with the types of their elements. The text may declare more
    registers (`.reg .b32 t;`). Its only effect is the result. Instructions decide whether an
    integer is signed.

    Constraints:
    - C1: there is an operand, and the element types are f16, bf16, f32, f64, i16, i32 or i64.
    - C2: operands and result are scalars, or tiles of one shape.
    - C3: the text is valid. Each instruction is known, without effects and branches, and its
      registers have the types that it names. All operands are read and none is written.
      Registers are written before they are read.

    ```mlir
    tile.kernel @f(%x: !tile.global<[N] x f32>) grid(%n in tiles(N, 64)) {
      %t = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<64 of N> -> tensor<64xf32>
      %r = tile.asm "rcp.approx.ftz.f32 $0, $1;" %t : (tensor<64xf32>) -> tensor<64xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$text, Variadic<AnyTypeOf<[Tile_Tensor, Tile_Element]>>:$sources);
  let results = (outs AnyTypeOf<[Tile_Tensor, Tile_Element]>:$result);
  let assemblyFormat = "$text $sources attr-dict `:` functional-type($sources, $result)";
  let hasVerifier = 1;
}

#endif // TESSERA_DIALECTS_TILE_IR_TILECOMPUTEOPS
