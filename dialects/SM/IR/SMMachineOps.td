//===- SMMachineOps.td - Barriers, copies and fences of the machine -*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_SM_IR_SMMACHINEOPS
#define TESSERA_DIALECTS_SM_IR_SMMACHINEOPS

include "dialects/SM/IR/SMMemoryOps.td"

def SM_SlotsAllocOp : SM_EffectOp<"slots.alloc", [SM_TakesBuffer]> {
  let summary = "an array of equal tiles in shared memory";
  let description = [{
    `address` is as for `sm.scratch`. `ring` is the number of a ring of the scheduled form.
    A producer waits for the `empty` barrier of the slot, if there is one, before it fills
    the slot. A tensor copy into the slot signals the `full` barrier.

    Constraints:
    - C1: `ring` is at least 0.
    - C2: the number of slots is the number of barriers on each side of the ring.
    - C3: a tensor copy signals a ring's `full` barrier, with the index of the slot, if
      and only if it goes to a slot of that ring.

    ```mlir
    sm.kernel @f() grid() warps(8) form(expanded) {
      %s = sm.slots.alloc ring(0) at 1024 : !sm.slots<4 x !sm.smem<64x64xbf16, swizzle = 128>>
      %full = sm.mbarrier.alloc arrivals(1) ring(0) full at 0 : !sm.mbarrier<4>
    }
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$ring, OptionalAttr<I64Attr>:$address);
  let results = (outs SM_Slots:$result);
  let assemblyFormat = [{
    (`ring` `(` custom<PlainInteger>($ring)^ `)`)? (`at` custom<PlainInteger>($address)^)?
    attr-dict `:` custom<Whole>(type($result))
  }];
  let hasVerifier = 1;
}

def SM_SlotsAtOp : SM_Op<"slots.at", [Pure]> {
  let summary = "one tile of an array";
  let description = [{
    Constraints:
    - C1: if the index is an `sm.slot_after`, its `count` is the number of slots.

    ```mlir
    sm.kernel @f(%i: i32) grid() warps(8) form(expanded) {
      %s = sm.slots.alloc at 0 : !sm.slots<4 x !sm.smem<64x64xbf16, swizzle = 128>>
      %t = sm.slots.at %s[%i] : !sm.slots<4 x !sm.smem<64x64xbf16, swizzle = 128>>
    }
    ```
  }];
  let arguments = (ins SM_Slots:$slots, I32:$index);
  let results = (outs SM_Smem:$result);
  let assemblyFormat = "$slots `[` $index `]` attr-dict `:` custom<SlotsTile>(type($slots), type($result))";
  let hasVerifier = 1;
}

def SM_SlotAfterOp : SM_Op<"slot_after", [Pure, AllTypesMatch<["index", "result"]>]> {
  let summary = "the index of the slot at a distance after another slot";
  let description = [{
    `(index + distance) mod count`. The slot differs from the slot of `index`;
    `sm-place-fences` relies on this.

    Constraints:
    - C1: `distance` is at least 1 and less than `count`.

    ```mlir
    sm.kernel @f(%i: i32) grid() warps(4) form(expanded) {
      %s = sm.slots.alloc at 0 : !sm.slots<4 x !sm.smem<64x64xbf16, swizzle = 128>>
      %j = sm.slot_after %i by 3 of 4
      %t = sm.slots.at %s[%j] : !sm.slots<4 x !sm.smem<64x64xbf16, swizzle = 128>>
    }
    ```
  }];
  let arguments = (ins I32:$index, I64Attr:$distance, I64Attr:$count);
  let results = (outs I32:$result);
  let assemblyFormat = "$index `by` custom<PlainInteger>($distance) `of` custom<PlainInteger>($count) attr-dict";
  let hasVerifier = 1;
}

def SM_MbarrierAllocOp : SM_EffectOp<"mbarrier.alloc", [SM_TakesBuffer]> {
  let summary = "an array of initialised mbarriers";
  let description = [{
    Each phase completes with `arrivals` arrivals and the bytes that were expected. All
    barriers are initialised before a role starts.

    A barrier of a ring or a queue keeps the number of its `ring` and its side. A phase of a
    `full` barrier completes when the slot of its index is filled. A phase of an `empty`
    barrier completes when the slot is released. A ring whose slots are filled once has no
    `empty` barriers.

    Constraints:
    - C1: the parent is a kernel; `arrivals` is at least 1.
    - C2: `ring`, at least 0, and the side are given together.
    - C3: a ring has at most one op for each side. Both have the same number of barriers.

    ```mlir
    sm.kernel @f() grid() warps(8) form(expanded) {
      %b = sm.mbarrier.alloc arrivals(2) at 0 : !sm.mbarrier<4>
    }
    ```
  }];
  let arguments = (ins I64Attr:$arrivals, OptionalAttr<I64Attr>:$ring,
                       OptionalAttr<SM_SideAttr>:$side, OptionalAttr<I64Attr>:$address);
  let results = (outs SM_Mbarrier:$result);
  let assemblyFormat = [{
    `arrivals` `(` custom<PlainInteger>($arrivals) `)`
    (`ring` `(` custom<PlainInteger>($ring)^ `)` $side)?
    (`at` custom<PlainInteger>($address)^)? attr-dict `:` custom<Whole>(type($result))
  }];
  let hasVerifier = 1;
}

def SM_MbarrierWaitOp : SM_EffectOp<"mbarrier.wait"> {
  let summary = "waits for a phase of a barrier";
  let description = [{
    Returns when the phase of this parity (0 for the first) is complete. All threads wait.

    ```mlir
    sm.kernel @f(%i: i32) grid() warps(8) form(expanded) {
      %b = sm.mbarrier.alloc arrivals(1) at 0 : !sm.mbarrier<4>
      sm.mbarrier.wait %b[%i] parity %i : !sm.mbarrier<4>
    }
    ```
  }];
  let arguments = (ins SM_Mbarrier:$barrier, I32:$index, I32:$parity);
  let assemblyFormat = "$barrier `[` $index `]` `parity` $parity attr-dict `:` custom<Whole>(type($barrier))";
}

def SM_MbarrierArriveOp : SM_EffectOp<"mbarrier.arrive"> {
  let summary = "arrives at a barrier";
  let description = [{
    One thread of each warpgroup arrives; in an elected role, its only thread. The thread does
    not wait for other threads, so an `sm.barrier` must complete their accesses before.

    - `cluster`: the thread arrives at this barrier of each CTA of the cluster.
    - `warps`: one thread of each warp arrives, after the accesses of its warp.
    - `after`: the thread arrives when these values are in registers. On the machine an
      arrival may overtake earlier loads from shared memory, although the PTX ISA ("Memory
      Consistency Model") orders both.
    - `fetches`: each thread arrives when its fetches (`sm.fetch.start`) are complete, without
      a wait (PTX ISA, "cp.async.mbarrier.arrive").

    Constraints:
    - C1: `cluster` requires a kernel with clusters. At most one of `cluster`, `warps` and
      `fetches` is given.
    - C2: `fetches` is not allowed in an elected role.
    - C3: `after` is not allowed with `cluster` or `fetches`.

    ```mlir
    sm.kernel @f(%i: i32) grid() warps(8) form(expanded) {
      %b = sm.mbarrier.alloc arrivals(1) at 0 : !sm.mbarrier<4>
      sm.mbarrier.arrive %b[%i] : !sm.mbarrier<4>
    }
    ```
  }];
  let arguments = (ins SM_Mbarrier:$barrier, I32:$index, Variadic<AnyType>:$after, UnitAttr:$cluster,
                       UnitAttr:$warps, UnitAttr:$fetches);
  let assemblyFormat = "$barrier `[` $index `]` (`cluster` $cluster^)? (`warps` $warps^)? (`fetches` $fetches^)? (`after` $after^ `:` type($after))? attr-dict `:` custom<Whole>(type($barrier))";
  let builders = [OpBuilder<(ins "::mlir::Value":$barrier, "::mlir::Value":$index), [{
    $_state.addOperands({barrier, index});
  }]>];
  let hasVerifier = 1;
}

def SM_MbarrierExpectOp : SM_EffectOp<"mbarrier.expect"> {
  let summary = "arrives at an mbarrier and raises its transaction count";
  let description = [{
    The phase completes only after copies of `bytes` further bytes (PTX ISA,
    "mbarrier.arrive.expect_tx").

    Constraints:
    - C1: the op is in an elected role; `bytes` is from 0 to 2^20 - 1.

    ```mlir
    sm.kernel @f(%i: i32) grid() warps(1) form(expanded) {
      %b = sm.mbarrier.alloc arrivals(1) at 0 : !sm.mbarrier<4>
      sm.role "load" warps(1) elected {
        sm.mbarrier.expect %b[%i] bytes 8192 : !sm.mbarrier<4>
      }
    }
    ```
  }];
  let arguments = (ins SM_Mbarrier:$barrier, I32:$index, I64Attr:$bytes);
  let assemblyFormat = "$barrier `[` $index `]` `bytes` custom<PlainInteger>($bytes) attr-dict `:` custom<Whole>(type($barrier))";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

def SM_WordsAllocOp : SM_EffectOp<"words.alloc", [SM_TakesBuffer]> {
  let summary = "an array of numbers in shared memory";
  let description = [{
    The numbers are not initialised. `address` is as for `sm.scratch`.

    Constraints:
    - C1: the parent is a kernel.

    ```mlir
    sm.kernel @f() grid() warps(8) form(expanded) {
      %w = sm.words.alloc at 1024 : !sm.words<2>
    }
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$address);
  let results = (outs SM_Words:$result);
  let assemblyFormat = "(`at` custom<PlainInteger>($address)^)? attr-dict `:` custom<Whole>(type($result))";
  let hasVerifier = 1;
}

def SM_WordsStoreOp : SM_EffectOp<"words.store"> {
  let summary = "stores a number to shared memory";
  let description = [{
    One thread of the role writes. It arrives at an mbarrier afterwards, and readers wait for
    that mbarrier.

    ```mlir
    sm.kernel @f(%n: i32, %i: i32) grid() warps(8) form(expanded) {
      %w = sm.words.alloc at 0 : !sm.words<2>
      sm.words.store %n to %w[%i] : !sm.words<2>
    }
    ```
  }];
  let arguments = (ins I32:$number, SM_Words:$words, I32:$index);
  let assemblyFormat = "$number `to` $words `[` $index `]` attr-dict `:` custom<Whole>(type($words))";
}

def SM_WordsLoadOp : SM_EffectOp<"words.load"> {
  let summary = "loads a number from shared memory";
  let description = [{
    All threads get the number; each warp makes one access.

    ```mlir
    sm.kernel @f(%i: i32) grid() warps(8) form(expanded) {
      %w = sm.words.alloc at 0 : !sm.words<2>
      %n = sm.words.load %w[%i] : !sm.words<2>
    }
    ```
  }];
  let arguments = (ins SM_Words:$words, I32:$index);
  let results = (outs I32:$result);
  let assemblyFormat = "$words `[` $index `]` attr-dict `:` custom<Whole>(type($words))";
}

//===----------------------------------------------------------------------===//
// Tensor copies
//===----------------------------------------------------------------------===//

def SM_TmaLoadOp : SM_AccessOp<"tma.load", [SM_Accesses, SM_Asynchronous]> {
  let summary = "a tensor copy from global to shared memory";
  let description = [{
    The expanded form of `sm.copy.start` (PTX ISA, "cp.async.bulk.tensor"). Its bytes are
    announced at `barrier`. With `multicast` this CTA copies its part, number `sm.cta_rank`,
    to the same place in each CTA of the cluster, and signals the barrier of each CTA.

    Constraints:
    - C1 to C3 as for `sm.load`; no gathers, no mask; the op is in an elected role.
    - C4: `multicast` requires a kernel with clusters.

    ```mlir
    sm.kernel @f(%x: !tile.global<[M, K] x bf16>, %k: index, %i: i32) grid() warps(1) form(expanded) {
      %b = sm.mbarrier.alloc arrivals(1) at 0 : !sm.mbarrier<4>
      %s = sm.scratch at 1024 : !sm.smem<64x64xbf16, swizzle = 128>
      sm.role "load" warps(1) elected {
        sm.tma.load %x[%k, %k] dims [0, 1] in_bounds [true, true] limits(%k, %k) into %s signal %b[%i] : !tile.global<[M, K] x bf16>, index, index, !sm.smem<64x64xbf16, swizzle = 128>, !sm.mbarrier<4>
      }
    }
    ```
  }];
  let arguments = !con(accessArguments, (ins SM_Smem:$tile, SM_Mbarrier:$barrier, I32:$index,
                                             UnitAttr:$multicast));
  let assemblyFormat = [{
    $global `[` $indices `]` `dims` $dims (`in_bounds` $in_bounds^)?
    (`limits` `(` $limits^ `)`)? (`mask` `(` $mask^ `)`)?
    `into` $tile `signal` $barrier `[` $index `]` (`multicast` $multicast^)? attr-dict
    `:` custom<TmaTypes>(type($global), type($indices), type($tile), type($barrier))
  }];
}

def SM_TmaStoreOp : SM_AccessOp<"tma.store", [
    SM_TakesScratch, SM_Accesses, SM_Asynchronous]> {
  let summary = "starts to store an accumulator by tensor copies";
  let description = [{
    Each warpgroup stores the rows that it holds. It writes `columns` columns at a time to one
    of its own `buffers` in shared memory, a part of the scratch memory of the op. A tensor
    copy stores the buffer. The op ends when the last copy has started, and the role waits
    for all copies at its end. A copy skips elements outside of the tensor and no others, so
    each limit is a size of the tensor or irrelevant (`in_bounds`).

    With `add` the copies add to the tensor, element by element, atomic and relaxed (PTX
    ISA, "cp.reduce.async.bulk.tensor").

    Constraints:
    - C1 to C3 as for `sm.store`; no gathers, no mask.
    - C4: the tile has rank 2, elements of 16 bits or f32, and the layout of an accumulator
      over the warpgroups of its role.
    - C5: `columns` have 32, 64 or 128 bytes and divide the columns of a warpgroup; 1 to 8
      `buffers`.
    - C6: with `add`, the tensor is `inout`, of f32, f16 or bf16.

    ```mlir
    #acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
    sm.kernel @f(%x: !tile.global<[M, N] x bf16, out>, %i: index) grid() warps(4) form(expanded) {
      %M = tile.size M
      %N = tile.size N
      %t = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
      sm.tma.store %t to %x[%i, %i] dims [0, 1] limits(%M, %N) columns 64 buffers 2 : tensor<64x64xbf16, #acc>, !tile.global<[M, N] x bf16, out>, index, index
    }
    ```
  }];
  let arguments = !con((ins SM_Tile:$value), accessArguments,
                       (ins I64Attr:$columns, I64Attr:$buffers, UnitAttr:$add));
  let assemblyFormat = [{
    $value `to` $global `[` $indices `]` `dims` $dims (`limits` `(` $limits^ `)`)?
    (`mask` `(` $mask^ `)`)? (`in_bounds` $in_bounds^)?
    `columns` custom<PlainInteger>($columns) `buffers` custom<PlainInteger>($buffers)
    (`add` $add^)? attr-dict `:` type($value) `,`
    custom<AccessTypes>(type($global), type($indices))
  }];
  code tileDeclarations = [{
    /// One buffer: 64 rows of `columns`.
    ::tessera::sm::SmemType getBufferType();
  }];
  let extraClassDeclaration = accessDeclarations # unpairedDeclarations # tileDeclarations;
}

#endif // TESSERA_DIALECTS_SM_IR_SMMACHINEOPS
