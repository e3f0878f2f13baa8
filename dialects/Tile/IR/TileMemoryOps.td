//===- TileMemoryOps.td - Transfers between tiles and global memory -*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_TILE_IR_TILEMEMORYOPS
#define TESSERA_DIALECTS_TILE_IR_TILEMEMORYOPS

include "dialects/Tile/IR/TileOpBase.td"

def Tile_LoadStoreIndex : AnyTypeOf<[Tile_Range, Index, Tile_IndexTensor],
    "a range, an index or a tensor of i32">;

// Shared by load, store and atomic; `in_bounds` as in vector.transfer_read.
class Tile_AccessOp<string mnemonic, list<Trait> traits>
    : Tile_Op<mnemonic, traits # [
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface, ["getEffects"]>]> {
  let hasVerifier = 1;
  code accessDeclarations = [{
    /// Whether index operand `dim` is known to be valid and within the tensor.
    bool isInBounds(unsigned dim) {
      auto flags = getInBounds();
      return flags && (*flags)[dim];
    }
    ::tessera::tile::GlobalType getGlobalType() {
      return ::llvm::cast<::tessera::tile::GlobalType>(getGlobal().getType());
    }
    /// Returns the axes of the tile along which each index extends.
    ::llvm::SmallVector<::tessera::tile::IndexAxes> getIndexAxes() {
      return ::tessera::tile::getIndexAxes(getIndices(), getAxes());
    }
  }];
  let extraClassDeclaration = accessDeclarations;
}

def Tile_LoadOp : Tile_AccessOp<"load", [DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "loads a tile or a scalar of a global tensor";
  let description = [{
    One index operand per dimension of the tensor:

    - a range keeps the dimension, with the extent of the range;
    - an `index` drops it;
    - a `tensor<…xi32>` replaces it by its own dimensions and gathers these positions.

    The result has the kept dimensions in order; without any it is a scalar. `axes` lists the
    first axis of the result for each range and tensor, in order. Two tensors with the same
    axes are paired: element i is at the positions i of both. Without `axes` no indices are
    paired, and the result is a product of all of them. An element is
    read if every index is valid: below the limit of its range, at least 0 and below the size
    of its dimension. Other elements are `fill` (zero if absent), so a load never faults.
    `in_bounds` states, for each index operand, that the check is known to hold. `open_ends`
    states that nothing uses the elements past the limit of this range. A load may then read
    them instead of writing `fill`.

    Constraints:
    - C1: the tensor is a parameter that can be read (`in` or `inout`).
    - C2: one index operand per dimension.
    - C3: a range of a named dimension indexes the dimension of that name.
    - C4: the result has the element type of the tensor and the kept extents.
    - C5: `fill` has the element type; `in_bounds` and `open_ends` have one entry per dimension.
    - C6: `axes` has one entry per range and tensor. The axes of an index follow those of the
      indices before, or are those of a tensor of the same shape before.

    ```mlir
    tile.kernel @f(%x: !tile.global<[B, N] x bf16>, %rows: !tile.global<[M] x i32>)
        grid(%n in tiles(N, 64), %b in B, %m in tiles(M, 16)) {
      %t = tile.load %x[%b, %n] fill(0xFF80 : bf16) : !tile.global<[B, N] x bf16>, index, !tile.range<64 of N> -> tensor<64xbf16>
      %i = tile.load %rows[%m] : !tile.global<[M] x i32>, !tile.range<16 of M> -> tensor<16xi32>
      %g = tile.load %x[%i, %n] in_bounds [false, true] : !tile.global<[B, N] x bf16>, tensor<16xi32>, !tile.range<64 of N> -> tensor<16x64xbf16>
      %p = tile.load %x[%i, %i] axes [0, 0] : !tile.global<[B, N] x bf16>, tensor<16xi32>, tensor<16xi32> -> tensor<16xbf16>
      %s = tile.load %rows[%b] : !tile.global<[M] x i32>, index -> i32
    }
    ```
  }];
  let arguments = (ins Tile_Global:$global, Variadic<Tile_LoadStoreIndex>:$indices,
                       OptionalAttr<TypedAttrInterface>:$fill,
                       OptionalAttr<DenseBoolArrayAttr>:$in_bounds,
                       OptionalAttr<DenseI64ArrayAttr>:$axes,
                       OptionalAttr<DenseBoolArrayAttr>:$open_ends);
  let results = (outs AnyTypeOf<[Tile_Tensor, Tile_Element]>:$result);
  let extraClassDeclaration = accessDeclarations # [{
    /// Whether nothing uses elements past the limit of index operand `dim`.
    bool hasOpenEnd(unsigned dim) {
      auto flags = getOpenEnds();
      return flags && (*flags)[dim];
    }
  }];
  let assemblyFormat = [{
    $global `[` $indices `]` (`axes` $axes^)? (`fill` `(` $fill^ `)`)? (`in_bounds` $in_bounds^)?
    (`open_ends` $open_ends^)? attr-dict
    `:` custom<AccessTypes>(type($global), type($indices)) `->` type($result)
  }];
}

def Tile_StoreOp : Tile_AccessOp<"store", []> {
  let summary = "stores a tile or a scalar to a global tensor";
  let description = [{
    The reverse of `tile.load`, with the same index operands. Invalid elements are skipped. If
    two programs, or two positions of one scatter, write different values to one element, the
    element has one of these values.

    Constraints:
    - C1: the tensor is a parameter that can be written (`out` or `inout`).
    - C2 to C6 as for `tile.load`.

    ```mlir
    tile.kernel @f(%y: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 64)) {
      %z = arith.constant dense<0.0> : tensor<64xf32>
      tile.store %z to %y[%n] : tensor<64xf32>, !tile.global<[N] x f32, out>, !tile.range<64 of N>
    }
    ```
  }];
  let arguments = (ins AnyTypeOf<[Tile_Tensor, Tile_Element]>:$value,
                       Tile_Global:$global, Variadic<Tile_LoadStoreIndex>:$indices,
                       OptionalAttr<DenseBoolArrayAttr>:$in_bounds,
                       OptionalAttr<DenseI64ArrayAttr>:$axes);
  let assemblyFormat = [{
    $value `to` $global `[` $indices `]` (`axes` $axes^)? (`in_bounds` $in_bounds^)? attr-dict
    `:` type($value) `,` custom<AccessTypes>(type($global), type($indices))
  }];
}

def Tile_AtomicOp : Tile_AccessOp<"atomic", [AttrSizedOperandSegments]> {
  let summary = "changes elements of a global tensor atomically";
  let description = [{
    Replaces each valid element by a function of the element and the operand. Each replacement
    is atomic. Replacements have some order, which is unspecified. So the last bits of a
    floating-point sum may differ between runs.

    `add max min and or xor` combine both; `umax umin` compare integers without a sign.
    `exchange` stores the operand. `cas` stores the operand if the element is `expected`. The
    result, if there is one, has the elements before their replacement, and zeros where no
    element is valid.

    `order` orders other accesses of programs. `release` publishes the accesses of the program
    before the last `tile.barrier` before the op. An `acquire` that reads the released element,
    perhaps after other atomic operations have changed the element, happens after these
    accesses. So do all accesses after the next `tile.barrier`. `acq_rel` does both. Without
    `order` the op is relaxed and orders nothing.

    Constraints:
    - C1: the tensor is `inout`.
    - C2 to C6 as for `tile.load`.
    - C7: the element type is i32 or i64; for `add` also f64, f32, f16 or bf16; for `exchange`
      also f64 and f32.
    - C8: `expected` belongs to `cas`. It has the type of the operand.
    - C9: a result has the type of the operand, which is a tile.
    - C10: an op that acquires has a result.

    ```mlir
    tile.kernel @f(%y: !tile.global<[N] x i32, inout>) grid(%n in tiles(N, 64)) {
      %one = arith.constant dense<1> : tensor<64xi32>
      tile.atomic add %one to %y[%n] : tensor<64xi32>, !tile.global<[N] x i32, inout>, !tile.range<64 of N>
      %old = tile.atomic max %one to %y[%n] : tensor<64xi32>, !tile.global<[N] x i32, inout>, !tile.range<64 of N> -> tensor<64xi32>
      tile.atomic cas %one if %old : tensor<64xi32> to %y[%n] : tensor<64xi32>, !tile.global<[N] x i32, inout>, !tile.range<64 of N>
      tile.atomic add %one to %y[%n] order release : tensor<64xi32>, !tile.global<[N] x i32, inout>, !tile.range<64 of N>
    }
    ```
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, AnyTypeOf<[Tile_Tensor, Tile_Element]>:$value,
                       Optional<AnyTypeOf<[Tile_Tensor, Tile_Element]>>:$expected,
                       Tile_Global:$global, Variadic<Tile_LoadStoreIndex>:$indices,
                       OptionalAttr<DenseBoolArrayAttr>:$in_bounds,
                       OptionalAttr<DenseI64ArrayAttr>:$axes,
                       DefaultValuedAttr<Tile_AtomicOrderAttr,
                                         "::tessera::tile::AtomicOrder::Relaxed">:$order);
  let results = (outs Optional<Tile_Tensor>:$old);
  let assemblyFormat = [{
    $kind $value (`if` $expected^ `:` type($expected))? `to` $global `[` $indices `]`
    (`order` $order^)? (`axes` $axes^)? (`in_bounds` $in_bounds^)? attr-dict
    `:` type($value) `,` custom<AccessTypes>(type($global), type($indices)) (`->` type($old)^)?
  }];
}

def Tile_BarrierOp : Tile_Op<"barrier", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface, ["getEffects"]>]> {
  let summary = "orders accesses to global memory";
  let description = [{
    Loads after the barrier see the stores of the same program before it. A program needs a
    barrier only to read its own stores to an `inout` tensor, and between other accesses and an
    atomic operation with an order.

    With `grid`, a program waits until every program of the launch has come to the barrier, and
    loads after the barrier see the stores of all programs before it. All programs must come to
    the same barriers in the same order. A launch with more programs than run at the same time
    is an error. Without `grid`, the barrier does not order different programs.

    ```mlir
    tile.kernel @f() grid() {
      tile.barrier
      tile.barrier grid
    }
    ```
  }];
  let arguments = (ins UnitAttr:$grid);
  let builders = [OpBuilder<(ins), "build($_builder, $_state, false);">];
  let assemblyFormat = "(`grid` $grid^)? attr-dict";
}

#endif // TESSERA_DIALECTS_TILE_IR_TILEMEMORYOPS
