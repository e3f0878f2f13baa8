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
    "Report what was not done, at its place and with the reason">;

def LongestFirstPass : SM_KernelPass<"sm-longest-first"> {
  let summary = "run the longest programs of a launch first";
  let description = [{
    Reverses a coordinate of the program if loops run longer the larger it is, and groups programs
    in bands along the second axis. The tail of a launch is then short.

    - Requires: a planned kernel whose coordinates are those that tile-to-sm makes of `sm.program_id`.
    - Establishes: nothing that later passes rely on. Persistent kernels remain unchanged.
    - Keeps: results, since programs are independent.

    See docs/passes/sm-longest-first.md.
  }];
  let options = [remarks];
  let statistics = [
    Statistic<"numReversed", "reversed", "Number of reversed coordinates">,
    Statistic<"numInterleaved", "interleaved", "Number of kernels with bands of programs">
  ];
}

def PersistPass : SM_KernelPass<"sm-persist"> {
  let summary = "run a loop over many programs in each CTA";
  let description = [{
    Moves the kernel, from its first `sm.program_id` on, into a loop over programs.

    - Requires: a planned kernel. A kernel whose schedule is not persistent remains unchanged.
    - Establishes: a kernel that is `persistent`; scalars that all programs share are before the loop.
    - Keeps: results, since programs are independent and each program runs once.

    See docs/passes/sm-persist.md.
  }];
  let statistics = [
    Statistic<"numPersistent", "persistent", "Number of kernels made persistent">
  ];
}

def PlanPass : SM_KernelPass<"sm-plan"> {
  let summary = "choose the roles, rings and stores of a kernel";
  let description = [{
    Writes the plan only; `sm-tma-stores` and `sm-partition` carry it out.

    - Requires: a planned kernel. Variants and kernels with a plan remain unchanged.
    - Establishes: `#sm.plan` on the kernel, and the name of its ring or store (`sm.plan_entry`) on each
      fetch, load, store and addition that has one. A kernel that gains nothing gets no plan.
    - Keeps: everything else. A hint of the schedule that cannot be met is a warning.
    See docs/passes/sm-plan.md.
  }];
  let options = [remarks];
  let statistics = [
    Statistic<"numPlanned", "planned", "Number of kernels with a new plan">
  ];
}

def TmaStoresPass : SM_KernelPass<"sm-tma-stores"> {
  let summary = "store accumulators by tensor copies";
  let description = [{
    Turns each store and atomic addition of an accumulator that the plan names into `sm.tma.store`.

    - Requires: a planned kernel. A kernel without a plan remains unchanged.
    - Establishes: a plan without stores, except those of role "store". Strides that depend on sizes
      become conditions of the kernel (`requires`).
    - Keeps: results exactly, except for the order of atomic additions.
    - Refuses: a store in the plan that cannot be a tensor copy. See docs/passes/sm-tma-stores.md.
  }];
  let statistics = [
    Statistic<"numStores", "stores", "Number of stores by tensor copies">
  ];
}

def PartitionPass : SM_KernelPass<"sm-partition"> {
  let summary = "split the body of a kernel into the roles of its plan";
  let description = [{
    Each role except "math" becomes a slice of the kernel: its own operations, and a clone of the
    control flow and the scalars around them. Role "math" keeps the rest and waits for slots.
    - Requires: a planned kernel after `sm-tma-stores`. A kernel without a plan remains unchanged.
    - Establishes: the scheduled form, and the shared memory of the plan (`sm.planned_bytes`).
    - Keeps: results exactly, except for the order of atomic additions.
    - Refuses: a plan that cannot be carried out, with an error at the operation.
    See docs/passes/sm-partition.md.
  }];
  let statistics = [
    Statistic<"numPartitioned", "partitioned", "Number of kernels with roles">
  ];
}

def MultiCtaPass : SM_KernelPass<"sm-multicta"> {
  let summary = "share copies among the CTAs of a cluster";
  let description = [{
    A copy whose box is the same in all CTAs becomes `multicast`: each CTA copies a part to all CTAs.

    - Requires: a scheduled kernel. A kernel without clusters remains unchanged.
    - Establishes: nothing that later passes rely on.
    - Keeps: results exactly. A copy that cannot be shared remains, and `remarks` gives the reason.

    See docs/passes/sm-multicta.md.
  }];
  let options = [remarks];
  let statistics = [
    Statistic<"numShared", "shared", "Number of multicast copies">
  ];
}

def PipelinePass : SM_KernelPass<"sm-pipeline"> {
  let summary = "keep fetches of threads in flight during other work";
  let description = [{
    In a kernel without roles, the fetches of an innermost loop run ahead through a ring of slots.

    - Requires: a planned kernel. A kernel with roles remains unchanged.
    - Establishes: nothing that later passes rely on. Nothing is in flight after a loop.
    - Keeps: results exactly. A fetch that cannot run ahead waits, and `remarks` gives the reason.

    See docs/passes/sm-pipeline.md.
  }];
  let options = [
    remarks,
    Option<"stages", "stages", "int64_t", /*default=*/"0",
           "Slots of a ring, also if fewer blocks fit then; 1: no ring; 0: the pass chooses">
  ];
  let statistics = [
    Statistic<"numLoops", "loops", "Number of loops with fetches in flight">
  ];
}

def ScheduleLoopsPass : SM_KernelPass<"sm-schedule-loops"> {
  let summary = "choose the schedule of each loop of MMAs";
  let description = [{
    Splits each `sm.mma` of a loop into its issue and its await, and writes `sm.schedule` to each
    operation of the loop. `sm-apply-schedule` moves the operations.
    - Requires: the scheduled form.
    - Establishes: loops whose operations have schedules. A loop without a legal schedule has none: its
      MMAs wait for each other, and `remarks` gives the reason.
    - Keeps: results exactly.
    See docs/passes/sm-schedule-loops.md.
  }];
  let options = [
    remarks,
    Option<"leeway", "leeway", "int64_t", "0",
           "Registers that tiles may take in addition to those that are certainly free">,
    Option<"order", "order", "std::string", "",
           "Order of the MMAs of loops, by their numbers in the body: n issues, !n awaits, + executes "
           "all other ready operations; n' and !n' do so one iteration late">
  ];
  let statistics = [
    Statistic<"numLoops", "loops", "Number of loops with a schedule">
  ];
}

def ApplySchedulePass : SM_KernelPass<"sm-apply-schedule"> {
  let summary = "turn loops with schedules into pipelined loops";
  let description = [{
    Emits prologue, steady state and epilogue, and sets how many MMAs each await leaves in flight.

    - Requires: the scheduled form, before `sm-hoist-loads`.
    - Establishes: loops without `sm.schedule`; the order of the text is the order of execution.
    - Keeps: results exactly, for every legal schedule.
    - Refuses: an illegal schedule, with an error at the operation.
    See docs/passes/sm-apply-schedule.md.
  }];
  let statistics = [
    Statistic<"numLoops", "loops", "Number of loops with a schedule">
  ];
}

def HoistLoadsPass : SM_KernelPass<"sm-hoist-loads"> {
  let summary = "overlap loads with the MMA before them";
  let description = [{
    Moves a load that follows an MMA, or the read of a vector in a ring, after the issue of that MMA.

    - Requires: the scheduled form, after `sm-apply-schedule`. Other kernels remain unchanged.
    - Establishes: nothing that later passes rely on.
    - Keeps: results exactly. A load that cannot move stays, and `remarks` gives the reason.

    See docs/passes/sm-hoist-loads.md.
  }];
  let options = [remarks];
  let statistics = [
    Statistic<"numAdvanced", "advanced", "Number of loads moved after the issue of an MMA">
  ];
}

def SkipReductionsPass : SM_KernelPass<"sm-skip-reductions"> {
  let summary = "reduce over lanes only in warps where a running maximum grows";
  let description = [{
    Moves the reduction over lanes, the new reference and the products of accumulators into a branch.
    A warp takes the branch if the maximum of some row exceeds its reference by 8 octaves.

    - Requires: layouts, and the operations that `tile-lazy-rescale` makes.
    - Establishes: nothing that later passes rely on.
    - Keeps: results exactly. Reductions over warps, and those of a constant reference, stay.
    See docs/passes/sm-skip-reductions.md.
  }];
  let statistics = [
    Statistic<"numSkipped", "skipped", "Number of reductions moved into a branch">
  ];
}

def PrivatizeAtomicsPass : SM_KernelPass<"sm-privatize-atomics"> {
  let summary = "combine atomic operations on small tensors in shared memory";
  let description = [{
    Each CTA changes its own copy of the tensor, and combines the copy with the tensor at its end.

    - Requires: no rings. The kernel only changes the tensor, by operations of one kind on integers that
      commute, at positions that are tiles, and uses no element before. The tensor has known extents.
    - Establishes: nothing that later passes rely on.
    - Keeps: results exactly. Other atomic operations stay, as those of copies that do not fit.

    See docs/passes/sm-privatize-atomics.md.
  }];
  let options = [remarks];
  let statistics = [
    Statistic<"numCopies", "copies", "Number of tensors with a copy in each CTA">
  ];
}

def DynamicSchedulerPass : SM_KernelPass<"sm-dynamic-scheduler"> {
  let summary = "fetch the programs of persistent CTAs from an atomic counter";
  let description = [{
    The loading role fetches the number of the next program and passes it to the other roles in a queue.

    - Requires: a scheduled persistent kernel with a dynamic schedule, without clusters. It has one
      elected role and other roles, each with one loop over programs.
    - Establishes: nothing that later passes rely on.
    - Keeps: results, since each program runs once. A hint that cannot be met is a warning.
    See docs/passes/sm-dynamic-scheduler.md.
  }];
  let statistics = [
    Statistic<"numDrawing", "drawing", "Number of kernels with dynamically scheduled programs">
  ];
}

def ExpandRingsPass : SM_KernelPass<"sm-expand-rings"> {
  let summary = "lower rings to tiles, mbarriers and cursors";
  let description = [{
    - Requires: linear slots: each path consumes a slot once. A kernel without rings is valid.
    - Establishes: the expanded form without addresses (`sm-allocate-smem`), and `sm.progress`: the
      result of the proof that no role waits forever.
    - Keeps: results exactly.
    - Refuses: slots that are not linear, and roles that wait for each other in a cycle.

    See docs/passes/sm-expand-rings.md.
  }];
  let statistics = [
    Statistic<"numRings", "rings", "Number of rings expanded">
  ];
}

def AllocateSmemPass : SM_KernelPass<"sm-allocate-smem"> {
  let summary = "assign an address to every buffer in shared memory";
  let description = [{
    Buffers of one role with disjoint live ranges share bytes. Existing addresses are replaced.

    - Requires: a kernel without rings.
    - Establishes: form `expanded`: addresses of buffers, barriers and scratch memory, and
      `shared_memory` of the kernel.
    - Refuses: a kernel that needs more shared memory than a block or its plan has.
    See docs/passes/sm-allocate-smem.md.
  }];
  let statistics = [
    Statistic<"numBuffers", "buffers", "Number of buffers placed">,
    Statistic<"numBytes", "bytes", "Bytes of shared memory">,
    Statistic<"numSaved", "saved", "Bytes that sharing saved">
  ];
}

def PlaceFencesPass : SM_KernelPass<"sm-place-fences"> {
  let summary = "insert the barriers and proxy fences that shared memory requires";
  let description = [{
    In earlier forms an operation on shared memory is complete when it ends. In the fenced form
    operations only order their own thread; `sm.barrier` and `sm.fence` provide all other ordering.
    - Requires: form `expanded` or `planned`, without rings, with addresses in shared memory.
    - Establishes: form `fenced`. `sm.clip` and its barrier are under a condition.
    - Keeps: results exactly.
    - Refuses: accesses that no barrier can order.
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
    Two kinds of loops get two iterations in their body, and a last iteration after the loop if the
    number of iterations is odd.

    - Requires: nothing. It runs after `sm-place-fences`.
    - Establishes: nothing that later passes rely on.
    - Keeps: results exactly.
    See docs/passes/sm-unroll-loops.md.
  }];
  let statistics = [
    Statistic<"numLoops", "loops", "Number of loops unrolled">
  ];
}

def UnswitchLoopsPass : SM_KernelPass<"sm-unswitch-loops"> {
  let summary = "divide loops of MMAs into iterations with masks and iterations without";
  let description = [{
    A loop of MMAs with conditional masks (`tile-guard-masks`) becomes two loops, the second one without masks.
    A branch selects one of them, or the second continues where the condition begins to hold. The last
    iteration becomes a loop of its own if only that one clips rows past the end.

    - Requires: `tile.guarded_masks` on the branches. It runs after `sm-place-fences` and `sm-unroll-loops`.
    - Establishes: nothing that later passes rely on.
    - Keeps: results exactly.
    See docs/passes/sm-unswitch-loops.md.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"numLoops", "loops", "Number of loops that were divided">
  ];
}

def SpecializeVariantsPass : Pass<"sm-specialize-variants", "::mlir::ModuleOp"> {
  let summary = "carry out plans, and keep the plain kernel if they have conditions";
  let description = [{
    Runs `sm-tma-stores` and `sm-partition` on each kernel. If the result has conditions (`requires`),
    the kernel without its plan follows as a variant. A launch takes the first variant that fits.

    - Requires: planned kernels. Variants remain unchanged.
    - Establishes: the scheduled form of kernels with a plan, and `sm.variant_of` on plain kernels.
    - Keeps: results, as its two passes do.
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
  let summary = "make variants for aligned vectors, and for rows of one tile";
  let description = [{
    A variant for aligned vectors has no tests of alignment. A variant for rows of one tile loads each
    tile once instead of once per loop.

    - Requires: kernels after `sm-specialize-variants`. Variants remain unchanged.
    - Establishes: nothing that later passes rely on. Variants name their kernel in `sm.variant_of`.
    - Keeps: results; all variants of a kernel compute the same.
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
