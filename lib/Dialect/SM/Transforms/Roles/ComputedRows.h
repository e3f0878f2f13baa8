//===- ComputedRows.h - Rows computed where they are fetched ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some values of a loop are computed from a vector alone, such as a log-sum-exp
// to another base. Each thread of the computing role would compute them for
// itself in each iteration. The role that fetches vectors can do it once: it
// loads the vector, computes element by element, and fills the slot with the
// result.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_COMPUTEDROWS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_COMPUTEDROWS_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Of the warps that load, those that fetch rows, if none of these are
/// gathered.
constexpr int64_t kRowWarps = 1;

/// Returns the op whose row the loop uses in place of what `load` loads: the
/// last of those that compute from it alone; `load` itself if there is none.
Operation *findComputedRow(LoadOp load);

/// Returns the load that `op`, or what it computes from, is in its block; null
/// if that is not one load alone.
LoadOp findLoadOfRow(Operation *op);

/// Moves `op` and what it is computed from in its block before `place`; without
/// doing anything if something else than element by element must come along.
LogicalResult hoistComputedRow(Operation *op, Operation *place);

/// How the threads of one warp share a row of type `row`; null if they do not
/// share it evenly.
Attribute getComputedLayout(RankedTensorType row);

/// Erases `op` and what it is computed from in its block, if nothing uses it
/// any more.
void eraseComputedRow(Operation *op);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_COMPUTEDROWS_H
