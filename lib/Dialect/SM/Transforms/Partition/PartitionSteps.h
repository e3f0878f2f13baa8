//===- PartitionSteps.h - The steps of sm-partition -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each makes what one kind of role does of the body of a kernel whose plan
// names it, and lets the body use that instead. What is given is at hand in
// all roles (KernelScopeValues.h).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_PARTITION_PARTITIONSTEPS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_PARTITION_PARTITIONSTEPS_H

#include "Roles/RingPlan.h"
#include "Roles/RoleSlice.h"

namespace tessera::sm {

/// Lets `role` fill those of `rings`, which are in the order of `plan`, that
/// are its own to fill: by tensor copies of one thread, or by its threads.
void cloneLoading(RoleOp role, const RingPlan &plan, ArrayRef<Value> rings,
                  const IsGiven &isGiven);

/// Lets `role`, if there is one, compute the tiles that go through rings
/// which it fills: it waits for what they are computed from, and hands them
/// over to the role that multiplies. What that does not need any more is left
/// to `eraseDeadTiles`. An error at a tile that another role cannot compute.
LogicalResult prepareTiles(KernelOp kernel, RoleOp role,
                           const IsGiven &isGiven);

/// Lets tiles go through the rings that "math" fills, for itself: its warps
/// arrive when they have written, and wait only where a product needs the tile,
/// which may be an iteration later. An error at a tile that cannot.
LogicalResult exchangeTiles(KernelOp kernel);

/// Hands tiles of stores over to `role`, as the plan of `kernel` says: a ring
/// in the other direction, of which one thread of the role takes the slots and
/// starts their copies. An error at a store whose position it cannot know.
LogicalResult handOverStores(KernelOp kernel, RoleOp role,
                             const IsGiven &isGiven);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PARTITION_PARTITIONSTEPS_H
