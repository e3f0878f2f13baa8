//===- Plan.h - Entries of a plan in a kernel -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps ops to the rings and stores of an `#sm.plan`. SharedMemoryBudget.h
// counts the bytes of both.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_PLAN_H
#define TESSERA_DIALECT_SM_IR_PLAN_H

#include "tessera/Dialect/SM/IR/SM.h"

#include "llvm/ADT/MapVector.h"

namespace tessera::sm {

/// Returns the name that `op` gives by `sm.plan_entry`; empty if it has none.
StringRef getPlanEntryName(Operation *op);

/// Checks whether `op` names a ring, through which its tile arrives or is
/// exchanged, and not a store.
bool namesPlanEntry(Operation *op);

/// Returns the ring of the plan that `op` names; null if it names none.
PlannedRingAttr findRing(Operation *op);

/// Returns the store of the plan that `op` names; null if it names none.
PlannedStoreAttr findStore(Operation *op);

/// Takes the plan and the names out of `kernel`.
void dropPlan(KernelOp kernel);

/// By ring and block: the ops that fill a slot there, in their order.
using PlannedSlots =
    llvm::MapVector<std::pair<StringAttr, Block *>, SmallVector<Operation *>>;
PlannedSlots findPlannedSlots(KernelOp kernel);

/// How a tile that is loaded lies in a slot: rows are read by threads alone.
SmemType getStagedType(RankedTensorType tile);

/// Returns the op that writes the rows gathered by `load` to where products
/// read them; null if there is none or if `load` does not gather.
SmemStoreOp findGatherStore(LoadOp load);

/// Returns the type of the tile that `op`, a fetch, a load that becomes one, or
/// an exchange, writes to shared memory.
SmemType getFetchedType(Operation *op);

/// Returns the layout of the tile of a store, or of an addition, in the ring to
/// a store role. Returns null if tensor copies cannot take the whole tile.
SmemType getStoreRingType(Operation *op);

/// Returns the columns that a store by tensor copies sends at a time of an
/// accumulator of `warpgroups`: rows of a whole swizzle span if possible.
/// Returns nothing if rows do not even have the narrowest span.
std::optional<int64_t> getStoreColumns(RankedTensorType tile,
                                       int64_t warpgroups);

/// Checks that each ring of the plan of `kernel` has an op that fills it,
/// and reports one that has none. The verifier does not ask for it, since what
/// removes dead code removes such ops.
LogicalResult checkRingsAreFilled(KernelOp kernel);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_PLAN_H
