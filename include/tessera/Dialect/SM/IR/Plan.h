//===- Plan.h - What a plan means for a kernel ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which ops belong to which ring or store of an `#sm.plan`, and what these
// take of shared memory. Who plans, verifies and carries out counts so.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_PLAN_H
#define TESSERA_DIALECT_SM_IR_PLAN_H

#include "tessera/Dialect/SM/IR/SM.h"

#include "llvm/ADT/MapVector.h"

namespace tessera::sm {

/// What `op` names by `sm.plan_entry`; empty if it names nothing.
StringRef getPlanEntryName(Operation *op);

/// Whether what `op` names is a ring, by which its tile arrives or is
/// exchanged, and not a store.
bool namesPlanEntry(Operation *op);

/// The ring of the plan that `op` names; null if it names none.
PlannedRingAttr findRing(Operation *op);

/// The store of the plan that `op` names; null if it names none.
PlannedStoreAttr findStore(Operation *op);

/// Takes the plan and the names out of `kernel`.
void dropPlan(KernelOp kernel);

/// By ring and block: the ops that fill a slot there, in their order.
using PlannedSlots =
    llvm::MapVector<std::pair<StringAttr, Block *>, SmallVector<Operation *>>;
PlannedSlots findPlannedSlots(KernelOp kernel);

/// How a tile that is loaded lies in a stage: rows are read by threads alone.
SmemType getStagedType(RankedTensorType tile);

/// What writes the rows that `load` gathers to where products read them; null
/// if nothing does, or if it does not gather.
StageOp findGatherStage(LoadOp load);

/// What a fetch, or a load that becomes one, brings; or what is exchanged.
SmemType getFetchedType(Operation *op);

/// How the tile of a store, or of an addition, lies in the ring to a role that
/// stores it; null if tensor copies cannot take it from there as a whole.
SmemType getHandedType(Operation *op);

/// What a stage of a ring takes of a tile.
inline int64_t getStageBytes(SmemType tile) {
  return llvm::alignTo(tile.getBytes(), tile.getAlignment());
}

/// The columns that a store by tensor copies sends at a time of an accumulator
/// of `warpgroups`, rows of a whole swizzle span if possible; nothing if rows
/// do not even have the narrowest.
std::optional<int64_t> getStoreColumns(RankedTensorType tile,
                                       int64_t warpgroups);

/// The bytes that one role takes for `buffers` buffers of a store, or of an
/// addition; 0 if no tensor copy could do it.
int64_t getStoreBytes(Operation *op, int64_t buffers);

/// Bytes of shared memory that a planned kernel may take.
struct PlannedBytes {
  int64_t rings, stores, rest;
  int64_t getSum() const { return rings + stores + rest; }
};
PlannedBytes getPlannedBytes(KernelOp kernel);

/// Checks that each ring of the plan of `kernel` has an op that fills it,
/// and reports one that has none. The verifier does not ask for it, since what
/// removes dead code removes such ops.
LogicalResult checkRingsAreFilled(KernelOp kernel);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_PLAN_H
