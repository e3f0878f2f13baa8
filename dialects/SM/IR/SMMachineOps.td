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
  let summary = "equal tiles of shared memory";
  let description = [{
    `address` as for `sm.scratch`. Slots of a `ring` of the
    scheduled form are filled by tensor copies alone: who fills one has waited
    for the barrier of the ring that says that it is free, if there is one, and copies
    signal the barrier that says that it is full.

    Constraints:
    - C1: `ring` is at least 0.
    - C2: there are as many slots as barriers on each side of the ring.
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
  let summary = "one of equal tiles";
  let description = [{
    Constraints:
    - C1: an index that is `sm.slot_after` another one counts as many slots as there are.

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
  let summary = "the index of a slot so many after another one";
  let description = [{
    `(index + distance) mod count`: another slot than that of `index`, which those who
    order accesses may rely on.

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
  let summary = "memory barriers, initialised";
  let description = [{
    Each phase completes with `arrivals` arrivals and the bytes that were expected. Stands
    beside the roles; initialised before any of them starts.

    A barrier of a ring or a queue keeps the number of its `ring` and the side: a phase of
    a `full` barrier says that the slot of its index is filled, one of an `empty` barrier
    that it may be filled again. A ring whose slots are filled once has no `empty` one.

    Constraints:
    - C1: the parent is a kernel; `arrivals` is at least 1.
    - C2: `ring`, at least 0, and the side come together.
    - C3: a ring has one op for each side at most, with as many barriers as the other.

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
    One thread of each warpgroup arrives; in an elected role, its only thread. It does not
    wait for the others: what they read of a slot by themselves must be complete, by
    `sm.barrier`. With `cluster`, it arrives at this barrier of each CTA of the cluster.
    With `warps` one thread of each warp arrives, after what its warp has read or written.
    The thread arrives once what is listed by `after` is in registers: the machine may overtake a
    load from shared memory by an arrival that follows it, also where the PTX ISA ("Memory
    Consistency Model") has the one before the other.
    With `fetches` each thread does, when all that it has started to fetch
    (`sm.fetch.start`) is complete, and nobody waits for that here (PTX ISA,
    "cp.async.mbarrier.arrive").

    Constraints:
    - C1: `cluster` only in a kernel with clusters; one of `cluster`, `warps` and `fetches`.
    - C2: `fetches` not in an elected role.
    - C3: `after` without `cluster` and `fetches`.

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
  let summary = "arrives at a barrier and announces bytes";
  let description = [{
    The phase does not complete before copies have brought `bytes` more.

    Constraints:
    - C1: in an elected role; `bytes` from 0 to 2^20 - 1.

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
  let summary = "numbers in shared memory";
  let description = [{
    Stands beside the roles; nothing is in them at first. `address` as for `sm.scratch`.

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
  let summary = "sets one of the numbers";
  let description = [{
    One thread of the role writes. A barrier orders it before those who read: the writer
    arrives there afterwards.

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
  let summary = "one of the numbers";
  let description = [{
    All threads get it, by one access of each warp.

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
    What `sm.copy.start` becomes: the bytes are announced at `barrier`. With `multicast`
    this CTA copies its part, the `sm.cta_rank`-th, to the same place in each CTA of the
    cluster, and signals each one's barrier.

    Constraints:
    - C1 to C3 as for `sm.load`; no gathers, no mask; in an elected role.
    - C4: `multicast` only in a kernel with clusters.

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
  let summary = "starts to write an accumulator to a global tensor, by tensor copies";
  let description = [{
    Each warpgroup hands over the rows that it holds by itself: `columns` at a time go to
    one of `buffers` tiles of its own in shared memory (its part of the scratch memory of
    the op), and a tensor copy takes them from there. The op returns when the last copy
    has started; the end of the role waits for all of them. Elements outside of the tensor
    are skipped, and nothing else is: limits are sizes of the tensor, or known not to matter
    (`in_bounds`).

    With `add` the copies add to the tensor, element by element, atomic and relaxed (PTX
    ISA, "cp.reduce.async.bulk.tensor").

    Constraints:
    - C1 to C3 as for `sm.store`; no gathers, no mask.
    - C4: the tile has rank 2, elements of 16 bits or f32 and the layout of an accumulator
      over the warpgroups of its role.
    - C5: `columns` have 32, 64 or 128 bytes and divide those of a warpgroup; 1 to 8 `buffers`.
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
  let extraClassDeclaration = accessDeclarations # tileDeclarations;
}

#endif // TESSERA_DIALECTS_SM_IR_SMMACHINEOPS
