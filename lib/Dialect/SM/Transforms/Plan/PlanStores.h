//===- PlanStores.h - Plan of stores by tensor copies -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_PLANSTORES_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_PLANSTORES_H

#include "Roles/RingPlan.h"
#include "Roles/TensorStore.h"

#include "tessera/Dialect/SM/IR/SharedMemoryBudget.h"

namespace tessera::sm {

/// Returns the slots that the schedule of `kernel` requests for rings in loops.
/// 0 means the number that fits.
int64_t getWantedSlots(KernelOp kernel);

/// The limits of rings.
struct RingBudget {
  /// Slots of rings in loops; 0: what fits.
  int64_t wanted;
  /// Shared memory, with the uses other than rings.
  SharedMemoryBudget memory;
  bool isPersistent;

  RingBudget(KernelOp kernel, const SharedMemoryBudget &memory);

  /// Returns the slots that `rings` have if `bytes` are taken; nothing if they
  /// do not fit.
  std::optional<SmallVector<int64_t>> getSlots(RingPlan rings,
                                               int64_t bytes) const;
};

/// Chooses the stores of `kernel` that leave by tensor copies, and takes their
/// buffers from `budget`: each of `turns` roles has its own. Calls `refuse` for
/// accumulators that stay with the threads.
SmallVector<StoreChoice>
chooseStores(KernelOp kernel, const RingPlan &rings, int64_t turns,
             RingBudget &budget,
             function_ref<void(Operation *, const Twine &)> refuse);

/// Takes from `stores` those of clipped tiles that a program does once: threads
/// can do them as well, so they get what rings and other stores leave.
SmallVector<StoreChoice>
takeClippedStores(SmallVectorImpl<StoreChoice> &stores);

/// Returns the `stores` that fit into `left` bytes, each multiplied by `turns`,
/// with the greatest number of buffers that fits. Calls `refuse` for others.
SmallVector<StoreChoice>
fitStores(ArrayRef<StoreChoice> stores, int64_t turns, int64_t left,
          function_ref<void(Operation *, const Twine &)> refuse);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_PLANSTORES_H
