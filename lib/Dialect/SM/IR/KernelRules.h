//===- KernelRules.h - What holds of all ops in a kernel --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules about ops of any dialect that depend on where they stand: they are
// checked for the kernel as a whole, and reported at the op.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_IR_KERNELRULES_H
#define TESSERA_LIB_DIALECT_SM_IR_KERNELRULES_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Tiles have a layout over the warps of their role, and elected roles have no
/// tiles and nothing that takes all threads.
LogicalResult verifyRoleContents(KernelOp kernel);

/// Nothing that meets other warps stands under the vote of one (`sm.any`).
LogicalResult verifyVotes(KernelOp kernel);

/// A pending tile is consumed at most once on every path of one turn of a loop.
LogicalResult verifyPendingTiles(KernelOp kernel);

/// The parent of `op` is a kernel: it stands beside the roles.
LogicalResult verifyBesideRoles(Operation *op);

/// An op that concerns other CTAs stands in a kernel with clusters.
LogicalResult verifyInCluster(Operation *op);

/// Stages and barriers of a ring agree, and copies signal the ring whose
/// stages they fill.
LogicalResult verifyRingParts(KernelOp kernel);

/// The plan of a kernel fits its ops and its target: C8 to C13.
LogicalResult verifyPlan(KernelOp kernel);

/// What has an address lies aligned in the shared memory of the kernel.
LogicalResult verifyAddresses(KernelOp kernel);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_IR_KERNELRULES_H
