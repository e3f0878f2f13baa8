//===- KernelRules.h - Rules for all ops in a kernel ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules about ops of any dialect that depend on their place in the kernel. They
// are checked for the kernel as a whole, and reported at the op.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_IR_KERNELRULES_H
#define TESSERA_LIB_DIALECT_SM_IR_KERNELRULES_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Tiles have a layout over the warps of their role, and elected roles have no
/// tiles and nothing that takes all threads.
LogicalResult verifyRoleContents(KernelOp kernel);

/// Verifies that no op that synchronises with other warps is under the vote of
/// one warp (`sm.any`).
LogicalResult verifyVotes(KernelOp kernel);

/// A pending tile is consumed at most once on every path of one turn of a loop.
LogicalResult verifyPendingTiles(KernelOp kernel);

/// Verifies that the parent of `op` is a kernel: the op is at kernel scope.
LogicalResult verifyBesideRoles(Operation *op);

/// Verifies that an op that concerns other CTAs is in a kernel with clusters.
LogicalResult verifyInCluster(Operation *op);

/// Slots and barriers of a ring agree, and copies signal the ring whose
/// slots they fill.
LogicalResult verifyRingParts(KernelOp kernel);

/// The plan of a kernel fits its ops and its target: C8 to C13.
LogicalResult verifyPlan(KernelOp kernel);

/// Verifies that ops with an address are aligned and inside the shared memory
/// of the kernel.
LogicalResult verifyAddresses(KernelOp kernel);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_IR_KERNELRULES_H
