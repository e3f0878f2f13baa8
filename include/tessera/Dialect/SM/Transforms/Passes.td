//===- Passes.td - Passes on the sm dialect ----------------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_TRANSFORMS_PASSES
#define TESSERA_DIALECT_SM_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

class SM_KernelPass<string argument> : Pass<argument, "::tessera::sm::KernelOp"> {
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::tessera::sm::SMDialect"
  ];
}

defvar remarks = Option<"remarks", "remarks", "bool", /*default=*/"false",
    "Say at each place what was not done there and why">;

def LongestFirstPass : SM_KernelPass<"sm-longest-first"> {
  let summary = "let the programs that take longest begin first";
  let description = [{
    Multiprocessors take programs in the order of their numbers. If loops run the more often
    the larger a coordinate of the program is, as those of causal attention do, that
    coordinate is counted from its end: what is left at the end of a launch is short. If
    programs along the first axis take unequally long, those of several places along the
    second one, such as heads, are walked together, the long ones of all of them first.

    Requires: a planned kernel, with coordinates as tile-to-sm makes them of `sm.program_id`
    (not those of bands). Establishes: nothing that later passes rely on. Keeps results:
    programs are independent.

    See docs/passes/sm-longest-first.md.
  }];
  let options = [remarks];
  let statistics = [
    Statistic<"numReversed", "reversed", "Number of coordinates that are counted from the end">,
    Statistic<"numInterleaved", "interleaved", "Number of kernels whose programs walk over several places at a time">
  ];
}

def PersistPass : SM_KernelPass<"sm-persist"> {
  let summary = "let each CTA walk over many programs";
  let description = [{
    In a kernel whose schedule is persistent, everything from the first `sm.program_id` on
    moves into a loop over programs, from the CTA's own number to the number of programs
    in steps of `sm.cta_count`, and the kernel becomes `persistent`. Scalars that are the
    same in all programs stay before the loop.

    Requires: a planned kernel. Establishes: nothing that later passes rely on. Keeps
    results: programs are independent, and each is still run once.

    See docs/passes/sm-persist.md.
  }];
  let statistics = [
    Statistic<"numPersistent", "persistent", "Number of kernels made persistent">
  ];
}

def PlanPass : SM_KernelPass<"sm-plan"> {
  let summary = "choose roles, rings and stores of a kernel";
  let description = [{
    Writes an `#sm.plan` to the kernel, and to its fetches, loads, stores and
    additions the names of the rings and stores that they belong to (`sm.plan_entry`).
    Nothing else changes: `sm-tma-stores` and `sm-partition` carry the plan out.

    Fetches that tensor copies (TMA) can do get rings: those that are needed until the
    same op share one. Rings in loops have the slots of the schedule, or as many as fit
    (at most 4); others have 1, or 2 in a persistent kernel if that fits. What loops of
    products load for their arithmetic gets rings, too, if there is room: tiles of rank 2
    by tensor copies, rows by threads. One warpgroup computes in turn with another of its
    kind if the schedule says `pingpong`. Registers are the schedule's, or what the roles
    that load leave.

    Accumulators of 16-bit elements or f32 leave by tensor copies, each warpgroup through
    two buffers; those of f32 and additions only if that takes no slot of a ring. Those
    of loops of products leave through a ring to a role "store", if one slot of it fits.
    Tiles that warpgroups exchange get rings of 2 stages if the schedule says `exchange = 2`,
    `late_stores` or `pingpong`.
    Tiles that products take, and that are computed element by element from what arrives, get
    rings of 2 slots, filled by a role "transform" of one warpgroup, if registers and shared
    memory suffice.

    Requires: a planned kernel. Establishes: a plan. Kernels that have one, and variants,
    stay as they are, and so do those for which nothing is gained.

    See docs/passes/sm-plan.md.
  }];
  let options = [remarks];
  let statistics = [
    Statistic<"numPlanned", "planned", "Number of kernels that got a plan">
  ];
}

def TmaStoresPass : SM_KernelPass<"sm-tma-stores"> {
  let summary = "let accumulators leave by tensor copies";
  let description = [{
    A store of an accumulator that the plan of the kernel names becomes `sm.tma.store`, and
    an atomic addition of one becomes `sm.tma.store … add`: threads of a fragment hold pairs
    of neighbours, which would be written 4 or 8 bytes at a time. Those that a role is to
    store keep the name of their store (`sm.plan_entry`), for `sm-partition`.

    A store can be such a copy if it writes an accumulator of 16-bit elements or f32; if its
    tensor is `out`, or nothing is done with it but to add to it; if no barrier orders it and
    another store to the tensor, for which copies do not wait; if it walks the last
    dimension, all strides are multiples of 16 bytes, and nothing but the sizes of the tensor
    limits it. Others that the plan names are errors. Strides that depend on sizes become
    conditions of the kernel (`requires`).

    Requires: a planned kernel. Establishes: a plan without stores, but for those that a
    role is to do. Keeps results exactly, but for the order of atomic additions. Kernels without a plan stay as they are.

    See docs/passes/sm-tma-stores.md.
  }];
  let statistics = [
    Statistic<"numStores", "stores", "Number of stores by tensor copies">
  ];
}

def PartitionPass : SM_KernelPass<"sm-partition"> {
  let summary = "make of one body a role for each part of the plan";
  let description = [{
    Rings of the kernel's plan become rings, and so do stores by a role. Each role but
    "math" becomes a clone of a slice of the kernel, the loops, conditions and scalars around
    what it does:

    - "load": one thread fills rings by tensor copies.
    - "fetch": threads fill others with rows and with tiles whose rows are gathered
      (`sm.fetch.start`), and with rows that are computed from one load (`sm.slot.store`).
    - "transform": waits for what a tile of `sm.smem.store`, or a row, is computed from, computes it,
      and fills a slot. With other warps than "math" its tiles have layouts of its own, with
      the widest vectors in rows; with as many it keeps the layouts, and computes all that
      does not depend on products.
    - "store": one thread waits for tiles and starts their copies (`sm.copy.store`).

    All other work moves into "math", which waits for slots where another role does the
    work, and releases them after their last use. What it fills for itself its warpgroups
    exchange: they arrive when they have written, and wait where a product reads. If the plan
    says that roles compute in turn, there are "math0", "math1" and so on, which compute every
    n-th program each and use the rings in turn (`sm.ring.take`).

    A fetch can be a tensor copy of another role if no mask but the bounds of the tensor
    applies, its tensor is only read, its last dimension is that of the tensor, all strides
    are multiples of 16 bytes, the tile is a sequence of boxes, and its position does not
    depend on tiles. Loads that the plan names become such fetches; they stand in loops of
    products, or are rows beside one. A tile can be transformed with other warps if that is
    arithmetic by elements on tiles that arrive in the same block or are loaded from what
    nobody writes, on rows of these that are repeated, and on constants; exchanged if a loop
    writes it, for products of its block alone; stored by a role if its position does not
    depend on tiles. What the plan names and cannot be is an error. Strides that depend on
    sizes become conditions of the kernel (`requires`). A limit inside of the tensor becomes
    an `sm.clip` after the wait.

    Requires: a planned kernel whose plan has no stores any more that are done by buffers.
    Establishes: the scheduled form, and how much shared memory the plan has
    (`sm.planned_bytes`). Keeps results exactly, but for the order of atomic additions.
    Kernels without a plan stay as they are.

    See docs/passes/sm-partition.md.
  }];
  let statistics = [
    Statistic<"numPartitioned", "partitioned", "Number of kernels that became roles">
  ];
}

def MultiCtaPass : SM_KernelPass<"sm-multicta"> {
  let summary = "share copies among the CTAs of a cluster";
  let description = [{
    In a kernel with clusters, a copy into a ring becomes `multicast` if its box is the
    same in all CTAs: each of them then loads its part and sends it to all. The ring's
    slots are filled again when all CTAs have released them.

    A copy is shared if its position does not depend on `sm.cta_rank`, its box can be cut
    into equal parts, and all CTAs take the slots of its ring equally often.

    Requires: a scheduled kernel. Establishes: nothing that later passes rely on. Keeps
    results exactly. Other copies stay as they are.

    See docs/passes/sm-multicta.md.
  }];
  let options = [remarks];
  let statistics = [
    Statistic<"numShared", "shared", "Number of copies that a cluster shares">
  ];
}

def PipelinePass : SM_KernelPass<"sm-pipeline"> {
  let summary = "keep fetches of threads in flight while other tiles are used";
  let description = [{
    In a kernel without roles, the fetches of an innermost loop go to a ring of slots:
    those of the first steps are started before the loop, and each step waits for its
    own and starts those of a later one (`sm.fetch.start`, `sm.fetch.await`). The first
    product of a step is issued before and awaited after that.

    A fetch can be in flight if its tensor is only read, its tile is used in its own
    iteration, and its position is computed by scalars from the loop's position and values
    from outside of it.

    Where several blocks share a multiprocessor, there are two slots if as many blocks
    have room in shared memory with them, else none. A block that is alone has the slots
    of its schedule (4 without one), or as many as fit.

    Requires: a planned kernel. Establishes: nothing that later passes rely on. Keeps
    results exactly. Kernels with roles stay as they are.

    See docs/passes/sm-pipeline.md.
  }];
  let options = [
    remarks,
    Option<"stages", "stages", "int64_t", /*default=*/"0",
           "This many slots, however few blocks have room then; 1: none; 0: by the rule">
  ];
  let statistics = [
    Statistic<"numLoops", "loops", "Number of loops with fetches in flight">
  ];
}

def ScheduleLoopsPass : SM_KernelPass<"sm-schedule-loops"> {
  let summary = "choose when each op of a loop of products runs";
  let description = [{
    Products that only add to what the loop carries stay in flight over the end of an
    iteration. Where threads compute what they multiply in registers, they run an iteration
    late, beside that work for the next one. Of two products that depend on each other
    (attention), the second runs an iteration late. All others are issued as soon as their operands are there, and awaited
    where their results are needed: those that need the fewest awaits first, as far as a
    thread has the registers. Each `sm.mma` becomes an issue and an await, and each op of the
    loop gets an `sm.schedule` that says when it runs; `sm-apply-schedule` does that. In a loop
    for which there is no such plan, products wait for each other, and rings are waited for
    where their slots are used.

    Requires: the scheduled form. Establishes: loops whose ops have schedules. Keeps results
    exactly.

    See docs/passes/sm-schedule-loops.md.
  }];
  let options = [
    remarks,
    Option<"leeway", "leeway", "int64_t", "0",
           "Registers above those that are certain to be free that tiles may take">
  ];
  let statistics = [
    Statistic<"numLoops", "loops", "Number of loops with a schedule">
  ];
}

def ApplySchedulePass : SM_KernelPass<"sm-apply-schedule"> {
  let summary = "run the ops of loops when their schedules say";
  let description = [{
    A loop whose ops have an `sm.schedule` is a plan: `sm-schedule-loops` writes them, and whoever edits
    the IR. The ops change places as the schedules say. Where some run an iteration late, the
    first iteration is peeled, under a test that there is one; what late ops need is carried,
    and the last ones run after the loop. Awaits leave as many products in flight as are
    issued after their own.

    A schedule that cannot be applied is an error at the op: an op of a loop without a schedule, two with one
    order, an op before one that it depends on, more slots held than a ring has, a product
    that would be in flight over the end of the loop that reads it.

    Requires: the scheduled form, before `sm-hoist-loads`. Establishes: no schedules. Keeps
    results exactly.

    See docs/passes/sm-apply-schedule.md.
  }];
  let statistics = [
    Statistic<"numLoops", "loops", "Number of loops that were planned">
  ];
}

def HoistLoadsPass : SM_KernelPass<"sm-hoist-loads"> {
  let summary = "issue loads while the product runs that they would follow";
  let description = [{
    A load that stands after a product in its block, such as a row of statistics that scores
    are combined with, is moved between the issue and the await of that product, with the
    scalars that it needs: its latency runs beside the product instead of after it. So is
    the read of a short row that another role has brought.

    Loads stay where they are if the kernel writes their tensor, if the product reads
    registers, if their place is computed after the product, or if the role has too few
    registers for the tile beside those that are live while the product runs.

    Requires: the scheduled form, after `sm-apply-schedule`; others stay as they are. Establishes:
    nothing that later passes rely on. Keeps results exactly.

    See docs/passes/sm-hoist-loads.md.
  }];
  let options = [remarks];
  let statistics = [
    Statistic<"numAdvanced", "advanced", "Number of loads that run beside a product">
  ];
}

def SkipReductionsPass : SM_KernelPass<"sm-skip-reductions"> {
  let summary = "reduce over lanes only in warps where a running maximum grows";
  let description = [{
    After `tile-lazy-rescale`, the maximum of a row matters only if it exceeds the reference by
    8 octaves. Each thread compares the maximum of its own elements, a warp votes, and the
    reduction over lanes, the new reference and the products of accumulators move into a branch.

    Other reductions stay: those over warps, which meet at a barrier, and those whose reference
    is a constant, which every row exceeds.

    Requires: layouts. Establishes: nothing that later passes rely on. Keeps results exactly.

    See docs/passes/sm-skip-reductions.md.
  }];
  let statistics = [
    Statistic<"numSkipped", "skipped", "Number of reductions in a branch">
  ];
}

def DynamicSchedulerPass : SM_KernelPass<"sm-dynamic-scheduler"> {
  let summary = "let CTAs draw their programs from a counter";
  let description = [{
    In a persistent kernel whose schedule is dynamic, the loops of the roles over programs
    take the next one that no CTA has begun (`sm.next_program`) instead of every n-th one.
    The role that loads draws, and hands the number to the others through a queue, with room
    for as many as it runs ahead.

    Requires: a scheduled kernel without clusters, of one elected role and others, each with
    one loop over programs. Establishes: nothing that later passes rely on. Keeps results:
    programs are independent, and each is still run once. Other kernels stay as they are,
    with a warning if they are persistent.

    See docs/passes/sm-dynamic-scheduler.md.
  }];
  let statistics = [
    Statistic<"numDrawing", "drawing", "Number of kernels that draw their programs">
  ];
}

def ExpandRingsPass : SM_KernelPass<"sm-expand-rings"> {
  let summary = "turn rings into tiles, barriers, indices and parities";
  let description = [{
    Each ring becomes `sm.slots` for each tile of its slots and two arrays of barriers,
    `full` and `empty`. Each role carries, for each ring that it uses, the index of the
    next slot and the parity of its phase through its loops and conditions. A slot
    becomes the index of its stage. Where control flow says that a slot is filled for
    the first time, nobody waits for it to be free; where it says that a slot is not
    filled again, nobody gives it back.

    Requires: linear slots; the pass checks this first and reports errors at the op. A
    kernel without rings is valid. Establishes: the expanded form, except addresses
    (`sm-allocate-smem`), and `sm.progress`: the result of the proof that no role waits for
    ever.

    See docs/passes/sm-expand-rings.md.
  }];
  let statistics = [
    Statistic<"numRings", "rings", "Number of rings expanded">
  ];
}

def AllocateSmemPass : SM_KernelPass<"sm-allocate-smem"> {
  let summary = "give everything in shared memory an address";
  let description = [{
    Sets `address` of `sm.fetch`, `sm.smem.store`, `sm.scratch`, `sm.slots.alloc` and
    `sm.mbarrier.alloc`, the attribute `sm.scratch_address` of ops whose lowering goes
    through shared memory, and `shared_memory` of the kernel. Addresses that are there
    already are set anew.

    Tiles of one role (of the kernel, if it has no roles) that are not alive together share
    memory; roles run side by side and share none, and neither does what stands beside
    them. Operands of `sm.mma.issue` and buffers of `sm.tma.store` live to the end of their
    role.

    Requires: no rings. Establishes: form `expanded`. A kernel that needs more than a block
    can have, or than its plan says (`sm.planned_bytes`), is refused, with a list of what it
    holds.

    See docs/passes/sm-allocate-smem.md.
  }];
  let statistics = [
    Statistic<"numBuffers", "buffers", "Number of buffers placed">,
    Statistic<"numBytes", "bytes", "Bytes of shared memory">,
    Statistic<"numSaved", "saved", "Bytes that sharing saved">
  ];
}

def PlaceFencesPass : SM_KernelPass<"sm-place-fences"> {
  let summary = "place barriers and proxy fences of shared memory";
  let description = [{
    Until here, an op on shared memory is complete when it is done. From here on it orders
    nothing by itself: `sm.barrier` stands where threads of a role meet bytes that others of
    them have written or read, and `sm.fence` before it where tensor cores or tensor
    copies read what threads have written. A barrier orders everything before it, so ops
    share one. `sm.clip` and its barrier stand under a condition.

    Only ops that go through scratch memory of their own keep the barriers around it:
    `sm.convert`, `sm.reduce`, `sm.scan` and `sm.tma.store`.

    Requires: no rings; addresses in shared memory, form `expanded` (or `planned`).
    Establishes: form `fenced`. Keeps results exactly.

    See docs/passes/sm-place-fences.md.
  }];
  let statistics = [
    Statistic<"numBarriers", "barriers", "Number of barriers placed">,
    Statistic<"numFences", "fences", "Number of fences placed">
  ];
}

def UnrollLoopsPass : SM_KernelPass<"sm-unroll-loops"> {
  let summary = "unroll loops that would copy products, or wait for each load";
  let description = [{
    Two kinds of loops get two iterations in their body, and a last one after it for odd
    numbers of them. A loop that carries the result of a product, and still reads the one
    before after the product is issued, would copy it in each iteration: now products
    alternate between two places. A role that fills slots with what it loads and computes,
    for loops of one product that takes less time than a load, waits once for the loads of
    both iterations, if it has registers for them.

    Requires: nothing. Establishes: nothing that later passes rely on. Keeps results exactly.

    See docs/passes/sm-unroll-loops.md.
  }];
  let statistics = [
    Statistic<"numLoops", "loops", "Number of loops unrolled">
  ];
}

def SpecializeVariantsPass : Pass<"sm-specialize-variants", "::mlir::ModuleOp"> {
  let summary = "specialise kernels, and keep the plain one where that takes conditions";
  let description = [{
    Runs `sm-tma-stores` and `sm-partition` on each kernel. Where the result has conditions
    (`requires`), the kernel as it was follows, without a plan, as a variant: a symbol of its
    own, and the name of the kernel in the attribute `sm.variant_of`. A launch takes the first
    variant whose conditions hold, so that a kernel runs for all sizes.

    Requires: planned kernels. Establishes: what `sm-partition` does. Variants stay
    as they are.

    See docs/passes/sm-specialize-variants.md.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tessera::sm::SMDialect"
  ];
  let statistics = [
    Statistic<"numPlain", "plain", "Number of plain kernels kept">
  ];
}

def SpecializeRowsPass : Pass<"sm-specialize-rows", "::mlir::ModuleOp"> {
  let summary = "variants for vectors that are aligned, and for rows that are one tile";
  let description = [{
    A kernel without products that accesses vectors gets a variant for sizes that are multiples
    of a vector, where tensors begin at multiples of 16 bytes: it tests nothing of that. If loops
    of it walk the same size, in the same tiles, and load the same, it gets another one for where
    the size is one tile: that is loaded once. A launch takes the first
    variant whose conditions hold.

    Requires: kernels that `sm-specialize-variants` has seen. Establishes nothing that later passes
    rely on. Variants stay as they are.

    See docs/passes/sm-specialize-rows.md.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tessera::sm::SMDialect"
  ];
  let statistics = [
    Statistic<"numAligned", "aligned", "Number of kernels with a variant for aligned vectors">,
    Statistic<"numWhole", "whole", "Number of kernels with a variant for rows of one tile">
  ];
}

#endif // TESSERA_DIALECT_SM_TRANSFORMS_PASSES
