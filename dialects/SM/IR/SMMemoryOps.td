//===- SMMemoryOps.td - Global and shared memory -----------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_SM_IR_SMMEMORYOPS
#define TESSERA_DIALECTS_SM_IR_SMMEMORYOPS

include "dialects/SM/IR/SMOpBase.td"

def SM_AccessIndex : AnyTypeOf<[Index, SM_Tile], "an index or a tile of i32">;

// A box of a global tensor. All accesses share these rules:
//
// - `indices` has one entry for each dimension of the tensor.
// - `dims` lists, ascending, the dimensions along which the tile extends. Along such a
//   dimension the index is the start of the tile, or a tile with positions to gather, of
//   the shape of the axes along which it extends. Along other dimensions the index selects
//   one position.
// - `axes` lists, for each of `dims`, the first of these axes. Gathers of the same axes are
//   paired. Without `axes`, the axes of an index follow those of the indices before.
// - `limits` has one entry for each of `dims`, at most the size of the dimension. An element
//   is valid if its position p has 0 <= p < limit along each of `dims`, and `mask` is true.
// - `in_bounds` states, for each of `dims`, that all positions are known to be valid.
class SM_AccessOp<string mnemonic, list<Trait> traits = []>
    : SM_Op<mnemonic, traits # [
        AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface, ["getEffects"]>]> {
  let hasVerifier = 1;
  code accessDeclarations = [{
    /// Whether all positions along `dims[i]` are known to be valid.
    bool isInBounds(unsigned i) {
      auto flags = getInBounds();
      return flags && (*flags)[i];
    }
    ::tessera::tile::GlobalType getGlobalType() {
      return ::llvm::cast<::tessera::tile::GlobalType>(getGlobal().getType());
    }
    /// Returns, for each of `dims`, the axes of the tile along which its index
    /// extends.
    ::llvm::SmallVector<::tessera::tile::IndexAxes> getIndexAxes() {
      return ::tessera::sm::getIndexAxes(getIndices(), getDims(), getGivenAxes());
    }
  }];
  code unpairedDeclarations = [{
    ::std::optional<::llvm::ArrayRef<int64_t>> getGivenAxes() { return ::std::nullopt; }
  }];
  code pairedDeclarations = [{
    ::std::optional<::llvm::ArrayRef<int64_t>> getGivenAxes() { return getAxes(); }
  }];
  let extraClassDeclaration = accessDeclarations # unpairedDeclarations;
  dag accessArguments = (ins Tile_Global:$global, Variadic<SM_AccessIndex>:$indices,
                             Variadic<Index>:$limits, Optional<I1>:$mask,
                             DenseI64ArrayAttr:$dims,
                             OptionalAttr<DenseBoolArrayAttr>:$in_bounds);
}

def SM_LoadOp : SM_AccessOp<"load"> {
  let summary = "loads a tile of a global tensor to registers";
  let description = [{
    Invalid elements are `fill` (zero if absent). With empty `dims` the result is a scalar.

    Constraints:
    - C1: the tensor is a parameter of the kernel that can be read.
    - C2: one index for each dimension; `dims` ascend; one limit and one flag for each.
    - C3: the result has the element type of the tensor and the axes of `dims`; the extents of a
      gather are those of its tile.
    - C4: `fill` has the element type.

    ```mlir
    #row = #sm.layout<"4x128 = register[4*(0,1)] lane[32*(0,4)] warp[4*(1,0)]">
    sm.kernel @f(%x: !tile.global<[M, N] x f32>, %i: index, %j: index) grid() warps(4) {
      %M = tile.size M
      %N = tile.size N
      %t = sm.load %x[%i, %j] dims [0, 1] limits(%M, %N) fill(1.0 : f32) : !tile.global<[M, N] x f32>, index, index -> tensor<4x128xf32, #row>
      %p = arith.constant dense<0> : tensor<4x128xi32, #row>
      %g = sm.load %x[%p, %p] dims [0, 1] axes [0, 0] limits(%M, %N) : !tile.global<[M, N] x f32>, tensor<4x128xi32, #row>, tensor<4x128xi32, #row> -> tensor<4x128xf32, #row>
      %s = sm.load %x[%i, %j] dims [] : !tile.global<[M, N] x f32>, index, index -> f32
    }
    ```
  }];
  let extraClassDeclaration = accessDeclarations # pairedDeclarations;
  let arguments = !con(accessArguments, (ins OptionalAttr<DenseI64ArrayAttr>:$axes,
                                             OptionalAttr<TypedAttrInterface>:$fill));
  let results = (outs AnyTypeOf<[SM_Tile, Tile_Element]>:$result);
  let assemblyFormat = [{
    $global `[` $indices `]` `dims` $dims (`axes` $axes^)? (`limits` `(` $limits^ `)`)? (`mask` `(` $mask^ `)`)?
    (`fill` `(` $fill^ `)`)? (`in_bounds` $in_bounds^)? attr-dict
    `:` custom<AccessTypes>(type($global), type($indices)) `->` custom<Whole>(type($result))
  }];
}

class SM_WriteOp<string mnemonic, Type value, list<Trait> traits = []>
    : SM_AccessOp<mnemonic, traits> {
  let extraClassDeclaration = accessDeclarations # pairedDeclarations;
  let arguments = !con((ins value:$value), accessArguments, (ins OptionalAttr<DenseI64ArrayAttr>:$axes));
  let assemblyFormat = [{
    $value `to` $global `[` $indices `]` `dims` $dims (`axes` $axes^)? (`limits` `(` $limits^ `)`)?
    (`mask` `(` $mask^ `)`)? (`in_bounds` $in_bounds^)? attr-dict
    `:` custom<Whole>(type($value)) `,` custom<AccessTypes>(type($global), type($indices))
  }];
}

def SM_StoreOp : SM_WriteOp<"store", AnyTypeOf<[SM_Tile, Tile_Element]>> {
  let summary = "stores a tile in registers to a global tensor";
  let description = [{
    Invalid elements are skipped. If several threads hold an element, one of them writes it.

    Constraints:
    - C1: the tensor is a parameter of the kernel that can be written.
    - C2, C3 as for `sm.load`.

    ```mlir
    #row = #sm.layout<"4x128 = register[4*(0,1)] lane[32*(0,4)] warp[4*(1,0)]">
    sm.kernel @f(%x: !tile.global<[M, N] x f32, out>, %i: index, %j: index) grid() warps(4) {
      %M = tile.size M
      %N = tile.size N
      %t = arith.constant dense<0.0> : tensor<4x128xf32, #row>
      sm.store %t to %x[%i, %j] dims [0, 1] limits(%M, %N) : tensor<4x128xf32, #row>, !tile.global<[M, N] x f32, out>, index, index
    }
    ```
  }];
}

def SM_AtomicOp : SM_AccessOp<"atomic"> {
  let summary = "changes elements of a global tensor atomically";
  let description = [{
    As `sm.store`; each element is replaced as `tile.atomic` says. Only the first holder of an
    element has it in the result. `sm.convert` with `share` gives it to the other holders. The
    order is that of the thread; `sm.barrier` extends it to the threads of the role.

    Constraints:
    - C1: the tensor is `inout`.
    - C2, C3 as for `sm.load`.
    - C4: `expected` and a result have the type of the operand. The result is a tile.
    - C5: an op that acquires has a result.

    ```mlir
    #row = #sm.layout<"4x128 = register[4*(0,1)] lane[32*(0,4)] warp[4*(1,0)]">
    sm.kernel @f(%x: !tile.global<[M, N] x f32, inout>, %i: index, %j: index) grid() warps(4) {
      %M = tile.size M
      %N = tile.size N
      %t = arith.constant dense<0.0> : tensor<4x128xf32, #row>
      sm.atomic add %t to %x[%i, %j] dims [0, 1] limits(%M, %N) : tensor<4x128xf32, #row>, !tile.global<[M, N] x f32, inout>, index, index
      %old = sm.atomic exchange %t to %x[%i, %j] dims [0, 1] order acquire limits(%M, %N) : tensor<4x128xf32, #row>, !tile.global<[M, N] x f32, inout>, index, index -> tensor<4x128xf32, #row>
    }
    ```
  }];
  let extraClassDeclaration = accessDeclarations # pairedDeclarations;
  let arguments = !con((ins Tile_AtomicKindAttr:$kind, AnyTypeOf<[SM_Tile, Tile_Element]>:$value,
                            Optional<AnyTypeOf<[SM_Tile, Tile_Element]>>:$expected),
                       accessArguments, (ins OptionalAttr<DenseI64ArrayAttr>:$axes,
                                             DefaultValuedAttr<Tile_AtomicOrderAttr,
                                                 "::tessera::tile::AtomicOrder::Relaxed">:$order));
  let results = (outs Optional<SM_Tile>:$old);
  let assemblyFormat = [{
    $kind $value (`if` $expected^ `:` type($expected))? `to` $global `[` $indices `]` `dims` $dims
    (`order` $order^)? (`axes` $axes^)? (`limits` `(` $limits^ `)`)? (`mask` `(` $mask^ `)`)?
    (`in_bounds` $in_bounds^)? attr-dict
    `:` custom<Whole>(type($value)) `,` custom<AccessTypes>(type($global), type($indices)) (`->` type($old)^)?
  }];
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

def SM_FetchOp : SM_AccessOp<"fetch", [SM_TakesBuffer, SM_Accesses]> {
  let summary = "fetches a tile of a global tensor to shared memory";
  let description = [{
    Invalid elements are zero. The tile is complete when the op ends: all threads of the role
    and the tensor cores may read it. In the fenced form, each thread may read only the
    elements that it has fetched itself. `sm-partition` turns fetches into copies to rings.

    Constraints:
    - C1 to C3 as for `sm.load`; no gathers.

    ```mlir
    sm.kernel @f(%x: !tile.global<[M, K] x bf16>, %i: index, %j: index) grid() warps(4) {
      %M = tile.size M
      %K = tile.size K
      %t = sm.fetch %x[%i, %j] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<128x64xbf16, swizzle = 128>
    }
    ```
  }];
  let arguments = !con(accessArguments, (ins OptionalAttr<I64Attr>:$address));
  let results = (outs SM_Smem:$result);
  let assemblyFormat = [{
    $global `[` $indices `]` `dims` $dims (`limits` `(` $limits^ `)`)? (`mask` `(` $mask^ `)`)?
    (`in_bounds` $in_bounds^)? (`at` custom<PlainInteger>($address)^)? attr-dict
    `:` custom<AccessTypes>(type($global), type($indices)) `->` custom<Whole>(type($result))
  }];
}

def SM_FetchStartOp : SM_AccessOp<"fetch.start", [SM_Accesses, SM_Asynchronous]> {
  let summary = "starts to copy a box of a global tensor to shared memory by all threads";
  let description = [{
    Copies like `sm.fetch`, into an existing tile. The copies of this op are one group. The
    group is complete after an `sm.fetch.await`, or, in a slot of a ring, after a consumer
    has waited for the slot. No thread may use the tile before.

    - Threads copy pieces of 16 bytes by `cp.async` (PTX ISA, "cp.async"). Copies that are not
      aligned at launch are complete when the op ends.
    - Each thread holds the positions of the rows that it gathers.
    - Invalid elements are `fill` (zero if absent).

    Constraints:
    - C1 to C3 as for `sm.load`.
    - C4: the op is not in an elected role.
    - C5: a gather is along the first dimension of a tile of rank 1 or 2. Threads share its
      pieces (rank 1: elements) evenly: of n threads, thread t copies the pieces t, t + n,
      t + 2n, … The positions have the corresponding layout.
    - C6: `fill` has the element type, and is only for a tile of rank 1 that is not gathered.

    ```mlir
    sm.kernel @f(%x: !tile.global<[M, K] x bf16>, %i: index, %s: i32) grid() warps(4) {
      %M = tile.size M
      %K = tile.size K
      %slots = sm.slots.alloc : !sm.slots<2 x !sm.smem<64x64xbf16, swizzle = 128>>
      %t = sm.slots.at %slots[%s] : !sm.slots<2 x !sm.smem<64x64xbf16, swizzle = 128>>
      sm.fetch.start %x[%i, %i] dims [0, 1] limits(%M, %K) into %t : !tile.global<[M, K] x bf16>, index, index, !sm.smem<64x64xbf16, swizzle = 128>
      sm.fetch.await leave 0
    }
    ```
  }];
  let arguments = !con(accessArguments, (ins SM_Smem:$tile, OptionalAttr<TypedAttrInterface>:$fill));
  let assemblyFormat = [{
    $global `[` $indices `]` `dims` $dims (`limits` `(` $limits^ `)`)? (`mask` `(` $mask^ `)`)?
    (`fill` `(` $fill^ `)`)? (`in_bounds` $in_bounds^)? `into` $tile attr-dict
    `:` custom<CopyTypes>(type($global), type($indices), type($tile))
  }];
}

def SM_FetchAwaitOp : SM_EffectOp<"fetch.await", [SM_Awaits]> {
  let summary = "waits for all but the newest fetches";
  let description = [{
    Waits until at most `leave` groups of `sm.fetch.start` are in flight. All threads of the
    role and the tensor cores may then use the tiles of the other groups. In the fenced form,
    each thread may read only the elements that it has fetched itself.

    Constraints:
    - C1: `leave` is not negative; the op is not in an elected role.

    ```mlir
    sm.kernel @f() grid() warps(4) {
      sm.fetch.await leave 1
    }
    ```
  }];
  let arguments = (ins I64Attr:$leave);
  let assemblyFormat = "`leave` custom<PlainInteger>($leave) attr-dict";
  let hasVerifier = 1;
}

def SM_CopyStoreOp : SM_AccessOp<"copy.store", [SM_Accesses]> {
  let summary = "stores a tile in shared memory to a global tensor by TMA";
  let description = [{
    Invalid elements are skipped. The tile may be reused when the op ends. The limits are
    sizes of the tensor, since the copy clips at these sizes.

    With `add` the copy adds to the tensor, element by element, atomic and relaxed (PTX
    ISA, "cp.reduce.async.bulk.tensor").

    Constraints:
    - C1 to C3 as for `sm.store`; no gathers, no mask.
    - C4: with `add`, the tensor is `inout`, of f32, f16 or bf16.

    ```mlir
    sm.kernel @f(%x: !tile.global<[M, K] x bf16, out>, %i: index, %j: index) grid() warps(4) {
      %M = tile.size M
      %K = tile.size K
      %t = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
      sm.copy.store %t to %x[%i, %j] dims [0, 1] limits(%M, %K) : !sm.smem<64x64xbf16, swizzle = 128>, !tile.global<[M, K] x bf16, out>, index, index
    }
    ```
  }];
  let arguments = !con((ins SM_Smem:$value), accessArguments, (ins UnitAttr:$add));
  let assemblyFormat = [{
    $value `to` $global `[` $indices `]` `dims` $dims (`limits` `(` $limits^ `)`)?
    (`mask` `(` $mask^ `)`)? (`in_bounds` $in_bounds^)? (`add` $add^)? attr-dict
    `:` custom<Whole>(type($value)) `,` custom<AccessTypes>(type($global), type($indices))
  }];
}

def SM_ScratchOp : SM_EffectOp<"scratch", [SM_TakesBuffer]> {
  let summary = "a tile of shared memory without contents";
  let description = [{
    `sm-allocate-smem` sets `address`, in bytes from the start of the dynamic shared memory
    of the CTA.

    ```mlir
    sm.kernel @f() grid() warps(4) {
      %t = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
    }
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$address);
  let results = (outs SM_Smem:$result);
  let assemblyFormat = "(`at` custom<PlainInteger>($address)^)? attr-dict `:` custom<Whole>(type($result))";
}

def SM_SmemStoreOp : SM_EffectOp<"smem.store", [SM_TakesBuffer, SM_Accesses]> {
  let summary = "stores a tile in registers to a new tile in shared memory";
  let description = [{
    The tile is complete for the threads of the role, the tensor cores and TMA when the op
    ends; in the fenced form, after `sm.fence` and `sm.barrier`.

    Constraints:
    - C1: shapes and element types of operand and result are equal.

    ```mlir
    #acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
    sm.kernel @f() grid() warps(4) {
      %z = arith.constant dense<0.0> : tensor<64x16xbf16, #acc>
      %t = sm.smem.store %z : tensor<64x16xbf16, #acc> -> !sm.smem<64x16xbf16, swizzle = 32>
    }
    ```
  }];
  let arguments = (ins SM_Tile:$source, OptionalAttr<I64Attr>:$address);
  let results = (outs SM_Smem:$result);
  let assemblyFormat = "$source (`at` custom<PlainInteger>($address)^)? attr-dict `:` custom<Whole>(type($source)) `->` custom<Whole>(type($result))";
  let hasVerifier = 1;
}

def SM_SmemLoadOp : SM_EffectOp<"smem.load", [SM_Accesses]> {
  let summary = "loads a tile in shared memory to registers";
  let description = [{
    Constraints:
    - C1: shapes and element types of operand and result are equal.

    ```mlir
    #acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
    sm.kernel @f() grid() warps(4) {
      %s = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
      %t = sm.smem.load %s : !sm.smem<64x16xbf16, swizzle = 32> -> tensor<64x16xbf16, #acc>
    }
    ```
  }];
  let arguments = (ins SM_Smem:$source);
  let results = (outs SM_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` custom<Whole>(type($source)) `->` custom<Whole>(type($result))";
  let hasVerifier = 1;
}

def SM_SmemAtomicOp : SM_EffectOp<"smem.atomic", [SM_Accesses]> {
  let summary = "changes elements of a tile in shared memory atomically";
  let description = [{
    For each element of `value`, the element of `tile` at the position is replaced as
    `tile.atomic` says. Positions outside of the tile are skipped. If several threads hold an
    element of `value`, one of them acts. Atomic operations need no barrier between each other.

    Constraints:
    - C1: `tile` has rank 1 and elements of i32 or i64. The kind is not `exchange` or `cas`.
    - C2: `value` has the element type of `tile`. `positions` has its shape and layout.

    ```mlir
    #row = #sm.layout<"256 = register[2*(1)] lane[32*(2)] warp[4*(64)]">
    #counts = #sm.layout<"64 = lane[32*(1)] warp[2*(32) 2*(0)]">
    sm.kernel @f() grid() warps(4) {
      %zeros = arith.constant dense<0> : tensor<64xi32, #counts>
      %counts = sm.smem.store %zeros : tensor<64xi32, #counts> -> !sm.smem<64xi32>
      %ones = arith.constant dense<1> : tensor<256xi32, #row>
      %p = arith.constant dense<7> : tensor<256xi32, #row>
      sm.smem.atomic add %ones to %counts[%p] : tensor<256xi32, #row>, !sm.smem<64xi32>, tensor<256xi32, #row>
    }
    ```
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, SM_Tile:$value, SM_Smem:$tile, SM_Tile:$positions);
  let assemblyFormat = [{
    $kind $value `to` $tile `[` $positions `]` attr-dict
    `:` custom<Whole>(type($value)) `,` custom<Whole>(type($tile)) `,` custom<Whole>(type($positions))
  }];
  let hasVerifier = 1;
}

def SM_SlotStoreOp : SM_EffectOp<"slot.store", [SM_Accesses]> {
  let summary = "stores a tile in registers to the tile of a slot";
  let description = [{
    Each thread writes all elements that it holds, also elements that several threads hold.
    The elements are visible to consumers after `sm.ring.commit`.

    Constraints:
    - C1: shapes and element types of the operands are equal.
    - C2: the tile belongs to a slot that this role has acquired, and all threads of the role
      execute the op.

    ```mlir
    #acc = #sm.layout<"64x32 = register[2*(0,1) 2*(8,0) 4*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
    sm.kernel @f() grid() warps(4) {
      %r = sm.ring.alloc : !sm.ring<2 x [!sm.smem<64x32xf32, swizzle = 128>]>
      sm.role "math" warps(4) {
        %x = arith.constant dense<0.0> : tensor<64x32xf32, #acc>
        %s = sm.ring.acquire %r : !sm.ring<2 x [!sm.smem<64x32xf32, swizzle = 128>]>
        %t = sm.slot.tile %s[0] : !sm.slot<[!sm.smem<64x32xf32, swizzle = 128>]>
        sm.slot.store %t with %x : !sm.smem<64x32xf32, swizzle = 128>, tensor<64x32xf32, #acc>
        sm.ring.commit %s : !sm.slot<[!sm.smem<64x32xf32, swizzle = 128>]>
      }
    }
    ```
  }];
  let arguments = (ins SM_Smem:$tile, SM_Tile:$value);
  let assemblyFormat = "$tile `with` $value attr-dict `:` custom<Whole>(type($tile)) `,` type($value)";
  let hasVerifier = 1;
}

def SM_ClipOp : SM_EffectOp<"clip", [SM_Accesses]> {
  let summary = "zeroes a tile in shared memory from a limit on";
  let description = [{
    A tensor copy writes zeros outside of the tensor only. If a range ends inside of the
    tensor, the role that copies zeroes the positions from `limit` on along `axis`. The limit
    counts from the start of the tile. A limit of at least the extent zeroes nothing.

    All threads of the first warp of the role write, and meet. Tensor cores and tensor copies
    see the zeros after the next synchronisation with this role.

    Constraints:
    - C1: the role is elected.
    - C2: the tile has rank 2 and `axis` is 0 or 1.

    ```mlir
    sm.kernel @f(%n: index) grid() warps(4) {
      %s = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
      sm.role "load" warps(4) elected {
        sm.clip %s axis 0 from %n : !sm.smem<64x16xbf16, swizzle = 32>
      }
    }
    ```
  }];
  let arguments = (ins SM_Smem:$tile, I64Attr:$axis, Index:$limit);
  let assemblyFormat = "$tile `axis` custom<PlainInteger>($axis) `from` $limit attr-dict `:` custom<Whole>(type($tile))";
  let hasVerifier = 1;
}

#endif // TESSERA_DIALECTS_SM_IR_SMMEMORYOPS
