//===- PartitionSteps.h - The steps of sm-partition -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each step moves the work of one kind of role out of the body of a kernel
// whose plan names the role, and makes the body use the results. Given values
// are available in all roles (KernelScopeValues.h).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_PARTITION_PARTITIONSTEPS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_PARTITION_PARTITIONSTEPS_H

#include "Roles/RingPlan.h"
#include "Roles/RoleSlice.h"

namespace tessera::sm {

/// Makes the rings of the plan of `kernel`, in the order of its rings. Loads
/// that name one become fetches. Reports, at the op, loads that cannot arrive
/// by their ring.
FailureOr<RingPlan> makePlannedRings(KernelOp kernel,
                                     const IsVisible &isVisible);

/// Lets `role` fill those of `rings`, which are in the order of `plan`, that
/// are its own to fill: by tensor copies of one thread, or by its threads.
void cloneLoading(RoleOp role, const RingPlan &plan, ArrayRef<Value> rings,
                  const IsVisible &isVisible);

/// Makes `role`, if there is one, compute the tiles of the rings that it fills.
/// The role waits for the sources of the tiles and commits the results to the
/// role that multiplies. Code that the latter no longer needs is left to
/// `eraseDeadTiles`. Emits an error at a tile that another role cannot compute.
LogicalResult transformOperands(KernelOp kernel, RoleOp role,
                                const IsVisible &isVisible);

/// Moves tiles through the rings that "math" fills for itself. Its warps arrive
/// when they have written. They wait where a product needs the tile, which may
/// be an iteration later. Emits an error at a tile that cannot go through a
/// ring.
LogicalResult exchangeTiles(KernelOp kernel);

/// Moves stores to `role`, as the plan of `kernel` says, through a ring in the
/// other direction. One thread of the role waits for its slots and starts their
/// copies. Emits an error at a store whose position the role cannot know.
LogicalResult handOverStores(KernelOp kernel, RoleOp role,
                             const IsVisible &isVisible);

/// Erases values that `scope`, a role or a kernel without roles, computes or
/// reads without using them, and the parts of them that its loops carry. Erases
/// its waits for slots of rings that it does not use and another role does.
void eraseDeadTiles(Operation *scope);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PARTITION_PARTITIONSTEPS_H
