//===- SMRingOps.td - Rings between roles ------------------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_SM_IR_SMRINGOPS
#define TESSERA_DIALECTS_SM_IR_SMRINGOPS

include "dialects/SM/IR/SMMemoryOps.td"

def SM_RingAllocOp : SM_EffectOp<"ring.alloc"> {
  let summary = "a ring of slots";
  let description = [{
    All slots are free at first. One thread of each warpgroup releases a slot, so warps that
    read the slot separately must meet before (`sm.barrier`). With `warps` each warp
    releases the slot after its reads, and no warp waits for another.

    Constraints:
    - C1: the parent is a kernel.

    ```mlir
    sm.kernel @f() grid() warps(8) {
      %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
      %rows = sm.ring.alloc warps : !sm.ring<4 x [!sm.smem<128xf32>]>
    }
    ```
  }];
  let arguments = (ins UnitAttr:$warps);
  let results = (outs SM_Ring:$result);
  let assemblyFormat = "(`warps` $warps^)? attr-dict `:` custom<Whole>(type($result))";
  let extraClassDeclaration = [{
    /// Return whether threads fill its tiles with computed values, and with fetches.
    bool holdsValues();
    bool holdsFetches();
  }];
  let hasVerifier = 1;
}

class SM_TakeSlotOp<string mnemonic> : SM_EffectOp<mnemonic> {
  let arguments = (ins SM_Ring:$ring);
  let results = (outs SM_Slot:$slot);
  let assemblyFormat = "$ring attr-dict `:` custom<RingSlot>(type($ring), type($slot))";
  let hasVerifier = 1;
}

class SM_GiveSlotOp<string mnemonic> : SM_EffectOp<mnemonic> {
  let arguments = (ins SM_Slot:$slot);
  let assemblyFormat = "$slot attr-dict `:` custom<Whole>(type($slot))";
}

def SM_RingAcquireOp : SM_TakeSlotOp<"ring.acquire"> {
  let summary = "acquires the next free slot, to fill it";
  let description = [{
    Waits until all consumers have released the slot. An elected role fills the slot by
    tensor copies (`sm.copy.start`). The threads of other roles either fetch
    (`sm.fetch.start`) or store computed values (`sm.slot.store`), but not both.

    Constraints:
    - C1: the op is in a role, the only producer of this ring.

    ```mlir
    sm.kernel @f() grid() warps(1) {
      %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
      sm.role "load" warps(1) elected {
        %s = sm.ring.acquire %r : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
        sm.ring.commit %s : !sm.slot<[!sm.smem<64x64xbf16, swizzle = 128>]>
      }
    }
    ```
  }];
}

def SM_RingCommitOp : SM_GiveSlotOp<"ring.commit"> {
  let summary = "commits a filled slot to its consumers";
  let description = [{
    Copies into the slot need not be complete: consumers wait for the bytes of tensor copies,
    and for all fetches that the threads of this role have started. Values that threads have
    stored (`sm.slot.store`) are visible to threads, tensor cores and TMA.

    ```mlir
    sm.kernel @f() grid() warps(1) {
      %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
      sm.role "load" warps(1) elected {
        %s = sm.ring.acquire %r : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
        sm.ring.commit %s : !sm.slot<[!sm.smem<64x64xbf16, swizzle = 128>]>
      }
    }
    ```
  }];
}

def SM_RingWaitOp : SM_TakeSlotOp<"ring.wait"> {
  let summary = "waits for the next filled slot";
  let description = [{
    Waits until the slot is committed and its copies are complete. Tensor cores may then
    read it as well, for every kind of producer.

    ```mlir
    sm.kernel @f() grid() warps(4) {
      %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
      sm.role "math" warps(4) {
        %s = sm.ring.wait %r : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
        sm.ring.release %s : !sm.slot<[!sm.smem<64x64xbf16, swizzle = 128>]>
      }
    }
    ```
  }];
}

def SM_RingReleaseOp : SM_GiveSlotOp<"ring.release"> {
  let summary = "releases a slot, so that it can be filled again";
  let description = [{
    All reads of the slot must be complete: MMAs by an earlier await or retire.
    `sm.ring.alloc` determines whether warps or warpgroups release.

    ```mlir
    sm.kernel @f() grid() warps(4) {
      %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
      sm.role "math" warps(4) {
        %s = sm.ring.wait %r : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
        sm.ring.release %s : !sm.slot<[!sm.smem<64x64xbf16, swizzle = 128>]>
      }
    }
    ```
  }];
}

def SM_SlotTileOp : SM_Op<"slot.tile", [Pure]> {
  let summary = "a tile of a slot";
  let description = [{
    Constraints:
    - C1: `index` is below the number of tiles, and the result has the type of that tile.

    ```mlir
    sm.kernel @f() grid() warps(4) {
      %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
      sm.role "math" warps(4) {
        %s = sm.ring.wait %r : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
        %t = sm.slot.tile %s[0] : !sm.slot<[!sm.smem<64x64xbf16, swizzle = 128>]>
        sm.ring.release %s : !sm.slot<[!sm.smem<64x64xbf16, swizzle = 128>]>
      }
    }
    ```
  }];
  let arguments = (ins SM_Slot:$slot, I64Attr:$index);
  let results = (outs SM_Smem:$result);
  let assemblyFormat = "$slot `[` custom<PlainInteger>($index) `]` attr-dict `:` custom<SlotTile>(type($slot), type($result), ref($index))";
  let hasVerifier = 1;
}

def SM_CopyStartOp : SM_AccessOp<"copy.start", [SM_Accesses, SM_Asynchronous]> {
  let summary = "starts to copy a box of a global tensor into a slot by TMA";
  let description = [{
    Elements outside of the tensor become zero. So do elements from a limit on, if that is not
    the size of its dimension. Each limit of a `multicast` copy is a size, or positions are in
    bounds.

    With `multicast` each CTA of the cluster copies its share of the box to all CTAs. All CTAs
    must therefore start the same copies in the same order. The slot is free when the roles
    of all CTAs have released it.

    Constraints:
    - C1 to C3 as for `sm.load`; no gathers, no mask.
    - C4: the tile belongs to a slot that this role has acquired.
    - C5: `multicast` requires a kernel with clusters.

    ```mlir
    sm.kernel @f(%x: !tile.global<[M, K] x bf16>, %i: index) grid() warps(1) {
      %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
      sm.role "load" warps(1) elected {
        %M = tile.size M
        %K = tile.size K
        %s = sm.ring.acquire %r : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
        %t = sm.slot.tile %s[0] : !sm.slot<[!sm.smem<64x64xbf16, swizzle = 128>]>
        sm.copy.start %x[%i, %i] dims [0, 1] limits(%M, %K) into %t : !tile.global<[M, K] x bf16>, index, index, !sm.smem<64x64xbf16, swizzle = 128>
        sm.ring.commit %s : !sm.slot<[!sm.smem<64x64xbf16, swizzle = 128>]>
      }
    }
    ```
  }];
  let arguments = !con(accessArguments, (ins SM_Smem:$tile, UnitAttr:$multicast));
  let assemblyFormat = [{
    $global `[` $indices `]` `dims` $dims (`limits` `(` $limits^ `)`)? (`mask` `(` $mask^ `)`)?
    (`in_bounds` $in_bounds^)? `into` $tile (`multicast` $multicast^)? attr-dict
    `:` custom<CopyTypes>(type($global), type($indices), type($tile))
  }];
}

//===----------------------------------------------------------------------===//
// Rings of ping-pong roles
//===----------------------------------------------------------------------===//

class SM_RingTurnOp<string mnemonic> : SM_EffectOp<mnemonic> {
  let arguments = (ins Variadic<SM_Ring>:$rings);
  let assemblyFormat = "$rings attr-dict `:` type($rings)";
  let hasVerifier = 1;
}

def SM_RingTakeOp : SM_RingTurnOp<"ring.take"> {
  let summary = "waits until the previous ping-pong role passes the rings";
  let description = [{
    Roles of one warpgroup may consume rings in ping-pong. One role consumes each slot. After
    a take, a role continues with the slot after the last slot of the previous role. Roles
    take turns cyclically, in the order of the kernel; the first such role has the first turn
    (named barriers, PTX ISA "barrier").

    Constraints:
    - C1: the op is in a role of one warpgroup that is not elected.
    - C2: all roles that wait for slots of these rings do so between a take and a pass. All
      `sm.ring.take` and `sm.ring.pass` of a kernel name the same rings.

    ```mlir
    sm.kernel @f() grid() warps(8) {
      %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
      sm.role "math0" warps(4) {
        sm.ring.take %r : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
        sm.ring.pass %r : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
      }
      sm.role "math1" warps(4) {
        sm.ring.take %r : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
        sm.ring.pass %r : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
      }
    }
    ```
  }];
}

def SM_RingPassOp : SM_RingTurnOp<"ring.pass"> {
  let summary = "passes the rings to the next ping-pong role";
  let description = [{
    See `sm.ring.take`. The role may release its slots later.

    ```mlir
    sm.kernel @f() grid() warps(4) {
      %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
      sm.role "math0" warps(4) {
        sm.ring.take %r : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
        sm.ring.pass %r : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
      }
    }
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

def SM_QueueAllocOp : SM_EffectOp<"queue.alloc"> {
  let summary = "a queue of numbers";
  let description = [{
    The queue is empty at first.

    Constraints:
    - C1: the parent is a kernel.

    ```mlir
    sm.kernel @f() grid() warps(8) {
      %q = sm.queue.alloc : !sm.queue<2>
    }
    ```
  }];
  let results = (outs SM_Queue:$result);
  let assemblyFormat = "attr-dict `:` custom<Whole>(type($result))";
  let hasVerifier = 1;
}

def SM_QueuePushOp : SM_EffectOp<"queue.push"> {
  let summary = "appends a number to a queue";
  let description = [{
    Waits until the queue has room: until all popping roles have popped the number that was
    pushed `count` pushes earlier.

    Constraints:
    - C1: the op is in an elected role, the only one that pushes to this queue.

    ```mlir
    sm.kernel @f(%n: index) grid() warps(1) {
      %q = sm.queue.alloc : !sm.queue<2>
      sm.role "load" warps(1) elected {
        sm.queue.push %n to %q : !sm.queue<2>
      }
    }
    ```
  }];
  let arguments = (ins Index:$number, SM_Queue:$queue);
  let assemblyFormat = "$number `to` $queue attr-dict `:` custom<Whole>(type($queue))";
  let hasVerifier = 1;
}

def SM_QueuePopOp : SM_EffectOp<"queue.pop"> {
  let summary = "pops the next number of a queue";
  let description = [{
    Waits for the number. Each popping role gets all numbers in their order; all of its
    threads get the same number.

    Constraints:
    - C1: the op is in a role other than the pushing one.

    ```mlir
    sm.kernel @f() grid() warps(4) {
      %q = sm.queue.alloc : !sm.queue<2>
      sm.role "math" warps(4) {
        %n = sm.queue.pop %q : !sm.queue<2>
      }
    }
    ```
  }];
  let arguments = (ins SM_Queue:$queue);
  let results = (outs Index:$result);
  let assemblyFormat = "$queue attr-dict `:` custom<Whole>(type($queue))";
  let builders = [OpBuilder<(ins "::mlir::Value":$queue), [{
    $_state.addOperands(queue);
    $_state.addTypes($_builder.getIndexType());
  }]>];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Ping-pong on the tensor cores
//===----------------------------------------------------------------------===//

class SM_PingPongOp<string mnemonic> : SM_EffectOp<mnemonic> {
  let arguments = (ins UnitAttr:$roles);
  let assemblyFormat = "(`roles` $roles^)? attr-dict";
  let builders = [OpBuilder<(ins)>];
  let hasVerifier = 1;
}

def SM_PingPongStartOp : SM_PingPongOp<"pingpong.start"> {
  let summary = "starts ping-pong: the first warpgroup of the role has its turn";
  let description = [{
    The warpgroups of a role alternate on the tensor cores: each one waits for its turn,
    issues, and passes the turn to the next one (named barriers, PTX ISA "barrier").

    With `roles`, whole roles of one warpgroup each alternate. These are all roles that have
    an `sm.pingpong` op, in the order of the kernel. The start is in the last of these roles.

    Constraints:
    - C1: the op is in a role of at least two warpgroups; with `roles`, of one.

    ```mlir
    sm.kernel @f() grid() warps(8) {
      sm.role "math" warps(8) {
        sm.pingpong.start
        sm.pingpong.wait
        sm.pingpong.pass
      }
    }
    ```
  }];
}

def SM_PingPongWaitOp : SM_PingPongOp<"pingpong.wait"> {
  let summary = "waits for the turn of this warpgroup";
  let description = [{
    See `sm.pingpong.start`.

    ```mlir
    sm.kernel @f() grid() warps(8) {
      sm.role "math" warps(8) {
        sm.pingpong.wait
      }
    }
    ```
  }];
}

def SM_PingPongPassOp : SM_PingPongOp<"pingpong.pass"> {
  let summary = "passes the turn to the next warpgroup";
  let description = [{
    See `sm.pingpong.start`.

    ```mlir
    sm.kernel @f() grid() warps(8) {
      sm.role "math" warps(8) {
        sm.pingpong.pass
      }
    }
    ```
  }];
}

#endif // TESSERA_DIALECTS_SM_IR_SMRINGOPS
