//===- PlanEntries.h - Rings and stores as entries of a plan ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conversion between rings and stores, as passes use them, and the entries
// of `#sm.plan`. sm-plan writes entries; sm-partition reads them, perhaps after
// an edit. An entry has a name, which its ops have as `sm.plan_entry`.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_PLANENTRIES_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_PLANENTRIES_H

#include "ComputedRings.h"
#include "ProducerLoads.h"
#include "TensorStore.h"

#include "llvm/ADT/StringSet.h"

namespace tessera::sm {

/// Writes the entries of a plan.
class PlanWriter {
public:
  explicit PlanWriter(MLIRContext *context) : context(context) {}

  /// Adds the rings of `plan`. The load of a fetch of `staged` has the name of
  /// the ring.
  void addRings(const RingPlan &plan, const ProducerLoads &staged);
  void addRings(ArrayRef<ComputedRing> computed);
  /// Adds `added` stores; those that share a ring share its entry.
  void addStores(ArrayRef<StoreChoice> added);

  /// Returns the plan of the entries.
  PlanAttr getPlan(ArrayRef<PlannedRoleAttr> roles, int64_t rest) const {
    return PlanAttr::get(context, roles, rings, stores, rest);
  }
  /// Returns the name of the entry of `op`; empty if it has none. Valid until
  /// an entry is added.
  StringRef getName(Operation *op) const;

private:
  /// Returns `name`, with a number if another entry of the list has that name.
  static std::string getUnique(llvm::StringSet<> &taken, StringRef name);
  void setName(Operation *op, StringRef name) { names[op] = name.str(); }

  MLIRContext *context;
  SmallVector<PlannedRingAttr> rings;
  SmallVector<PlannedStoreAttr> stores;
  llvm::StringSet<> ringNames, storeNames;
  llvm::DenseMap<Operation *, std::string> names;
};

/// Returns the ring of `entry`. Its ops determine its tiles.
PlannedRing readRing(PlannedRingAttr entry);

/// Returns the rings of the plan of `kernel` that `filler` fills, a computing
/// role, with the stores that name each.
SmallVector<ComputedRing> readComputedRings(KernelOp kernel, Filler filler);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_PLANENTRIES_H
