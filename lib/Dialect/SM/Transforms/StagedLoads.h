//===- StagedLoads.h - Loads that another role can bring --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop of products loads for its arithmetic: rows of statistics, scales
// and gates, and tiles that are converted before they are multiplied. Each such
// `sm.load` gets an `sm.fetch` and an `sm.read` beside it, which a ring can
// take over, until it is known whether one does. Gathered rows that a product
// reads need no `sm.read`: their fetch stands for the `sm.stage` as well.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_STAGEDLOADS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_STAGEDLOADS_H

#include "RingPlan.h"
#include "ScalarSlice.h"

#include "llvm/ADT/MapVector.h"

namespace tessera::sm {

/// What says why a load is waited for where it stands.
using RefuseLoad = function_ref<void(LoadOp, const Twine &)>;

class StagedLoads {
public:
  /// Finds the loads and gives what stands for them their uses. Fetches of a
  /// loop stand before all else that uses memory there, so that they can share
  /// a slot. Calls `refuse` for loads of such loops that cannot be fetched.
  StagedLoads(KernelOp kernel, RefuseLoad refuse);

  bool empty() const { return loads.empty(); }
  SmallVector<FetchOp> getFetches() const;
  LoadOp getLoad(FetchOp fetch) const { return loads.lookup(fetch).load; }

  /// Gives the load of `fetch` its uses back.
  void revert(FetchOp fetch);
  /// Erases the loads that are left.
  void commit();

private:
  struct Staged {
    LoadOp load;
    ReadOp read;   // null if products alone use the tile
    StageOp stage; // out of its block; null if there is none
  };
  void stage(LoadOp load, Operation *place);

  llvm::MapVector<Operation *, Staged> loads; // by fetch
};

/// Adds to `slice` what a role needs to do `fetch`; `why` as for
/// `ScalarSlice::add`.
LogicalResult addFetch(ScalarSlice &slice, const RingFetch &fetch,
                       std::string &why);

/// Adds to `plan`, of `fetches`, what loops of products load for their
/// arithmetic, as far as other roles can bring it and shared memory holds it.
/// Rows are brought by threads, since tensor copies would need aligned ones;
/// other tiles by tensor copies.
RingPlan addStagedLoads(KernelOp kernel, ArrayRef<RingFetch> fetches,
                        RingPlan plan, const IsGiven &isGiven,
                        RefuseLoad refuse);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_STAGEDLOADS_H
