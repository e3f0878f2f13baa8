//===- PlanRings.h - Plan of loads through rings ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_PLANRINGS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_PLANRINGS_H

#include "PlanStores.h"
#include "Roles/ProducerLoads.h"

namespace tessera::sm {

/// Returns the fetches of `kernel` that tensor copies of another role can do;
/// calls `refuse` for the others.
SmallVector<RingFetch>
findRingFetches(KernelOp kernel, const IsVisible &isVisible,
                function_ref<void(FetchOp, const Twine &)> refuse);

/// Checks whether `op` fetches to one of the rings of `plan`.
bool isInRing(const RingPlan &plan, FetchOp op);

/// Sets the slots of the rings of a plan and says how many bytes there were
/// for them; fails if not even one slot of each fits.
using FitSlots = function_ref<LogicalResult(RingPlan &, int64_t &)>;

/// Adds to `plan`, of `fetches`, what loops of products load for their
/// arithmetic, as far as other roles can bring it and shared memory holds it.
/// Gathers, and vectors that are not copied, are brought by threads; others by
/// tensor copies. Loads that stay are removed from `staged`.
RingPlan addStagedLoads(KernelOp kernel, ProducerLoads &staged,
                        ArrayRef<RingFetch> fetches, RingPlan plan,
                        const IsVisible &isVisible, FitSlots fitSlots,
                        RefuseLoad refuse);

/// Chooses the vectors of `loads` that tensor copies bring in the slots of
/// tiles, and not threads in a ring of their own. Such a vector has a carrier
/// (Roles/RingPlan.h) in its loop of products, which uses it as it is loaded,
/// or negated. It does not end before its tensor does, and permits all sizes
/// that `fetches` and `stores` permit.
void chooseCopiedVectors(MutableArrayRef<StageableLoad> loads,
                         ArrayRef<RingFetch> fetches,
                         ArrayRef<StoreChoice> stores);

/// Removes from `loads` tiles that follow products, such as a residual, and
/// would cost more than they gain as tensor copies. Such a tile is needed once,
/// so it should cost the kernel nothing else. These are tiles that have to be
/// clipped, and tiles that would exclude sizes which `fetches` and `stores`
/// permit. Where loops write tiles to shared memory, removes all of
/// them. Calls `refuse` for each.
void dropCostlyTiles(SmallVectorImpl<StageableLoad> &loads,
                     ArrayRef<RingFetch> fetches, ArrayRef<StoreChoice> stores,
                     RefuseLoad refuse);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_PLANRINGS_H
