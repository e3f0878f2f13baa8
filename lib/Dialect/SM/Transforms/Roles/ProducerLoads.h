//===- ProducerLoads.h - Loads that another role can bring ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loads for arithmetic that a producer role can do. These are vectors of
// statistics, scales and gates in a loop of products, and tiles that are
// converted before an MMA. A program also loads vectors before or after the
// loop, such as a bias. The planner adds an `sm.fetch` and an `sm.smem.load` to
// each such `sm.load`. It keeps either these two, in a ring, or the load.
// Gathered rows that a product reads need no `sm.smem.load`: their fetch
// replaces the `sm.smem.store` as well.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_PRODUCERLOADS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_PRODUCERLOADS_H

#include "RingPlan.h"
#include "RoleSlice.h"

#include "llvm/ADT/MapVector.h"

namespace tessera::sm {

/// Reports why a load is waited for at its place.
using RefuseLoad = function_ref<void(LoadOp, const Twine &)>;

/// Why another role cannot bring what `load` loads; none if it may.
Reason getObstacle(LoadOp load);

/// A load that may be staged, and the op whose tile is to arrive: the load, or
/// what is computed from it (ComputedRows.h).
struct StageableLoad {
  LoadOp load;
  Operation *brought;
  /// Whether it is a vector that a tensor copy should bring.
  bool isCopiedVector = false;
};

/// Returns the gathers in loops of products, except loads of positions.
SmallVector<LoadOp> findGathers(KernelOp kernel);

/// Checks whether `load` loads a row before or after a loop of products, or a
/// tile after one, and is in none.
bool isBesideProducts(LoadOp load);

/// Returns the loads that should be staged. These are the loads of loops of
/// products, and vectors and tiles that are loaded after such a loop. If CTAs
/// walk over programs, vectors before a loop are staged as well. Calls `refuse`
/// for those that cannot be fetched.
SmallVector<StageableLoad> findStageableLoads(KernelOp kernel,
                                              RefuseLoad refuse);

class ProducerLoads {
public:
  /// Moves the uses of `loads` to their replacements. Fetches of a loop come
  /// before all other ops that use memory there, so that they can share a slot.
  /// They name the rings of the loads, or of the values computed from them.
  explicit ProducerLoads(ArrayRef<StageableLoad> loads);

  bool empty() const { return loads.empty(); }
  SmallVector<FetchOp> getFetches() const;
  LoadOp getLoad(FetchOp fetch) const { return loads.find(fetch)->second.load; }
  /// Returns the op whose tile `fetch` represents; null if it represents none.
  Operation *getBrought(FetchOp fetch) const {
    auto known = loads.find(fetch);
    return known == loads.end() ? nullptr : known->second.brought;
  }
  /// Returns the value computed from the load of `fetch`; null if it is the
  /// load.
  Value getComputed(FetchOp fetch) const;
  /// Checks whether threads should bring `fetch`: a gather, or a vector that
  /// joins no slot of a tile.
  bool isForThreads(FetchOp fetch) const;

  /// Gives the load of `fetch` its uses back.
  void revert(FetchOp fetch);
  /// Erases the remaining loads. The loads of computed rows stay for the role
  /// that computes them.
  void commit();

private:
  struct Staged {
    LoadOp load;
    Operation *brought;
    SmemLoadOp read; // null if products alone use the tile
    OwningOpRef<SmemStoreOp>
        smemStore; // out of its block; null if there is none
    bool isCopiedVector;
  };
  void stage(StageableLoad row, Operation *place);

  llvm::MapVector<Operation *, Staged> loads; // by fetch
};

/// Adds to `slice` what a role needs to do `fetch`; the result is as of
/// `RoleSlice::add`.
Reason addFetch(RoleSlice &slice, const RingFetch &fetch);

/// How `fetch` arrives from another role, by its threads or by tensor copies;
/// or why it cannot.
/// `computed` as in RingFetch.
OrReason<RingFetch> matchFetch(FetchOp fetch, bool isByThreads, Value computed,
                               const IsVisible &isVisible);

/// Reports why `load`, in a loop of products or next to one, stays in its role.
/// A tile, or gathered rows, in a loop cause a warning: the role waits for them
/// in each iteration, which costs a factor. A row overlaps the products, and
/// other loads are needed once; they cause a remark if `remarks` is true.
void diagnoseUnstagedLoad(LoadOp load, const Twine &why, bool remarks);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_PRODUCERLOADS_H
