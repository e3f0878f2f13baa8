//===- SMTypes.td - Types of the sm dialect ----------------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_SM_IR_SMTYPES
#define TESSERA_DIALECTS_SM_IR_SMTYPES

include "dialects/SM/IR/SMAttrs.td"
include "dialects/Tile/IR/TileTypes.td"
include "mlir/IR/CommonTypeConstraints.td"

class SM_Type<string name, string mnemonic_> : TypeDef<SM_Dialect, name> {
  let mnemonic = mnemonic_;
}

def SM_SmemType : SM_Type<"Smem", "smem"> {
  let summary = "a tile in shared memory";
  let description = [{
    A tile in the shared memory of one CTA, in the format of a tensor copy: consecutive boxes
    of all rows by one swizzle span (`include/tessera/Layout/SharedTile.h`). `swizzle` is the
    span in bytes: 128, 64 or 32. Without `swizzle`, the tile is dense and row-major.

    ```mlir
    sm.kernel @f(%x: !tile.global<[M, 64] x bf16>) grid() warps(4) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %t = sm.fetch %x[%c0, %c0] dims [0, 1] limits(%c64, %c64) : !tile.global<[M, 64] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
    }
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "::tessera::layout::Swizzle":$swizzle);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    int64_t getNumElements() const;
    int64_t getElementBytes() const;
    int64_t getBytes() const { return getNumElements() * getElementBytes(); }
    /// Returns the alignment of the address in bytes.
    int64_t getAlignment() const;
    /// Returns the map from offsets to elements.
    ::tessera::layout::Layout getLayout() const;
    /// Returns the tile of this shape and element type with the widest swizzle that its rows allow.
    static SmemType getWidest(::mlir::RankedTensorType type);
  }];
}

def SM_RingType : SM_Type<"Ring", "ring"> {
  let summary = "a ring of slots between two roles";
  let description = [{
    The ring has `slots` slots. A slot is a tuple of tiles in shared memory that are filled
    and released together. One role is the producer (`sm.ring.acquire` … `sm.ring.commit`); other roles are
    consumers (`sm.ring.wait` … `sm.ring.release`). All roles visit slots in the order of the
    ring.

    ```mlir
    sm.kernel @f() grid() warps(8) {
      %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
    }
    ```
  }];
  let parameters = (ins "int64_t":$slots, ArrayRefParameter<"::tessera::sm::SmemType">:$tiles);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def SM_SlotType : SM_Type<"Slot", "slot"> {
  let summary = "one slot of a ring, held by its producer or a consumer";
  let description = [{
    A linear token. The producer consumes it once by `sm.ring.commit`, a consumer once by
    `sm.ring.release`. `sm.slot.tile` yields its tiles before.

    ```mlir
    sm.kernel @f() grid() warps(4) {
      %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
      sm.role "math" warps(4) registers(240) {
        %s = sm.ring.wait %r : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
        sm.ring.release %s : !sm.slot<[!sm.smem<64x64xbf16, swizzle = 128>]>
      }
    }
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::tessera::sm::SmemType">:$tiles);
  let hasCustomAssemblyFormat = 1;
}

def SM_PendingType : SM_Type<"Pending", "pending"> {
  let summary = "a tile that an MMA in flight still writes";
  let description = [{
    The accumulator of issued MMAs. Only `sm.mma.await` turns it into a tensor, so IR cannot
    read the tile before the MMA is complete.

    ```mlir
    #acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
    sm.kernel @f(%n: index) grid() warps(4) {
      %a = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
      %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
      %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
      %p = sm.mma.issue %a, %b, %z : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xf32, #acc>
      %t = sm.mma.await %p : !sm.pending<tensor<64x16xf32, #acc>>
    }
    ```
  }];
  let parameters = (ins "::mlir::RankedTensorType":$tensor);
  let assemblyFormat = "`<` $tensor `>`";
  let genVerifyDecl = 1;
}

def SM_SlotsType : SM_Type<"Slots", "slots"> {
  let summary = "an array of equal tiles in shared memory";
  let description = [{
    `count` consecutive tiles, addressed by an index: the expanded form of a tile of a ring.

    ```mlir
    sm.kernel @f() grid() warps(8) form(expanded) {
      %s = sm.slots.alloc at 0 : !sm.slots<4 x !sm.smem<64x64xbf16, swizzle = 128>>
    }
    ```
  }];
  let parameters = (ins "int64_t":$count, "::tessera::sm::SmemType":$tile);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def SM_MbarrierType : SM_Type<"Mbarrier", "mbarrier"> {
  let summary = "an array of mbarriers in shared memory";
  let description = [{
    `count` mbarrier objects of 8 bytes (PTX ISA, "mbarrier"), addressed by an index.

    ```mlir
    sm.kernel @f() grid() warps(8) form(expanded) {
      %full = sm.mbarrier.alloc arrivals(1) at 0 : !sm.mbarrier<4>
    }
    ```
  }];
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
  let genVerifyDecl = 1;
}

def SM_QueueType : SM_Type<"Queue", "queue"> {
  let summary = "a queue of numbers from one role to others";
  let description = [{
    The queue has room for `count` numbers of type `index`. One role pushes. Each popping role
    gets all numbers in their order.

    ```mlir
    sm.kernel @f() grid() warps(8) {
      %q = sm.queue.alloc : !sm.queue<2>
    }
    ```
  }];
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
  let genVerifyDecl = 1;
}

def SM_WordsType : SM_Type<"Words", "words"> {
  let summary = "an array of numbers in shared memory";
  let description = [{
    `count` words of 4 bytes, addressed by an index: the expanded form of a queue.

    ```mlir
    sm.kernel @f() grid() warps(8) form(expanded) {
      %w = sm.words.alloc at 0 : !sm.words<2>
    }
    ```
  }];
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Constraints with a C++ class, for typed accessors. An assembly format prints such a type
// without its name, except by custom<Whole>.
//===----------------------------------------------------------------------===//

class SM_Is<string cppType, string summary>
    : Type<CPred<"::llvm::isa<" # cppType # ">($_self)">, summary, cppType>;

def SM_Smem : SM_Is<"::tessera::sm::SmemType", "a tile in shared memory">;
def SM_Ring : SM_Is<"::tessera::sm::RingType", "a ring">;
def SM_Slot : SM_Is<"::tessera::sm::SlotType", "a slot">;
def SM_Pending : SM_Is<"::tessera::sm::PendingType", "a pending tile">;
def SM_Slots : SM_Is<"::tessera::sm::SlotsType", "slots">;
def SM_Mbarrier : SM_Is<"::tessera::sm::MbarrierType", "memory barriers">;
def SM_Queue : SM_Is<"::tessera::sm::QueueType", "a queue">;
def SM_Words : SM_Is<"::tessera::sm::WordsType", "words of shared memory">;

// A tile in registers: static shape, element type of a tile, and a layout.
def SM_Tile : Type<
    CPred<"::tessera::sm::isRegisterTile($_self)">, "a tile in registers, with a layout",
    "::mlir::RankedTensorType">;

#endif // TESSERA_DIALECTS_SM_IR_SMTYPES
