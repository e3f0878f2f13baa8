//===- TensorStore.h - Stores that tensor copies can do ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The requirements of a tensor copy on a store or an addition, the conditions
// that a launch must then satisfy, and stores by a role of their own.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_TENSORSTORE_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_TENSORSTORE_H

#include "RoleSlice.h"

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Support/Reason.h"

namespace tessera::sm {

struct TensorStore {
  int64_t columns = 0;
  /// Must be 0 at launch.
  SmallVector<tile::SizeAttr> conditions;
  /// Axes of the tile that may end before the tensor does. A tensor copy only
  /// skips elements outside of the tensor, so it is for tiles that do not end
  /// early.
  SmallVector<int64_t> clippedAxes;
};

/// A store, or an addition, and the number of buffers that tensor copies read;
/// or the number of slots of the ring to a role that stores.
struct StoreChoice {
  Operation *op;
  int64_t buffers;
  /// Whether threads store tiles that end before the tensor does.
  bool isClipped;
  int64_t slots = 0;
};

/// Checks whether `op`, a store or an addition, writes an accumulator: all
/// others are written as well by threads.
bool writesAccumulator(Operation *op);

/// Returns the tensor copy for `op`, which writes an accumulator; or why the op
/// stays.
OrReason<TensorStore> matchTensorStore(Operation *op);

/// Adds a store, or an addition, to what a role that stores executes: the
/// position and the limits of its tile, and the control flow around it. Returns
/// why that role cannot know them.
Reason addHandedStore(RoleSlice &slice, Operation *store);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_TENSORSTORE_H
