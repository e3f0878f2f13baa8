//===- PlanComputedRings.h - Rings that computing roles fill ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles that a role hands to itself, past a meeting of its warpgroups, to a
// role that stores, or from one that transforms them. All come from what rings
// of fetches and buffers of stores leave.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_PLANCOMPUTEDRINGS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_PLANCOMPUTEDRINGS_H

#include "PlanStores.h"
#include "Roles/ComputedRings.h"
#include "Roles/RoleSlice.h"

namespace tessera::sm {

/// Plans the rings that computing roles of `kernel` fill, within `left` bytes.
/// Stores that a program does once give up their second buffers for them.
class ComputedRingPlanner {
public:
  using Refuse = function_ref<void(Operation *, const Twine &)>;

  ComputedRingPlanner(KernelOp kernel, MutableArrayRef<StoreChoice> stores,
                      int64_t left)
      : kernel(kernel), stores(stores), left(left) {}

  /// Chooses rings for `tiles`, which a role of its own can compute; calls
  /// `refuse` for those that do not fit.
  SmallVector<ComputedRing> chooseTransformed(ArrayRef<SmemStoreOp> tiles,
                                              Refuse refuse);

  /// Chooses the tiles that warpgroups exchange through rings, other than
  /// `transformed` ones; calls `refuse` for those that do not fit.
  SmallVector<ComputedRing> chooseExchanges(ArrayRef<ComputedRing> transformed,
                                            Refuse refuse);

  /// Gives those stores slots that another role is to do; calls `refuse` for
  /// those of loops of products that stay.
  void chooseHandedStores(const IsVisible &isVisible, Refuse refuse);

private:
  void addRing(SmemStoreOp smemStore, Filler filler,
               SmallVectorImpl<ComputedRing> &rings, Refuse refuse);
  void shrinkSingleStores(int64_t wanted,
                          const llvm::DenseSet<Operation *> &ignored);

  KernelOp kernel;
  MutableArrayRef<StoreChoice> stores;
  int64_t left;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_PLANCOMPUTEDRINGS_H
