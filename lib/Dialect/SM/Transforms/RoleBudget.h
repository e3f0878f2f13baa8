//===- RoleBudget.h - What roles get of a multiprocessor --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers and shared memory of a kernel that is split into a role that loads
// and one that computes.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLEBUDGET_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLEBUDGET_H

#include "RingPlan.h"

namespace tessera::sm {

struct RegisterBudget {
  int64_t load, math;
};

/// Registers per thread of one warpgroup that loads and of `mathWarps` warps
/// (whole warpgroups) that compute; `wanted`, unless 0, is what the latter
/// should get. A role that fills one ring needs no thrift: its addresses fit
/// into what is left over, unless the others are to be favoured. What is not
/// needed stays with the load role.
RegisterBudget splitRegisters(const GpuTarget &target, int64_t mathWarps,
                              int64_t wanted, bool favoursMath);

/// Bytes of shared memory that are left for rings beside what operations of
/// `kernel` take: tiles that they stage, and what moves between threads.
/// `isRing` tells which fetches need none of their own.
int64_t getRingBytes(KernelOp kernel, function_ref<bool(FetchOp)> isRing);

/// Sets the stages of all rings as the kernel's schedule and shared memory say;
/// `available` becomes the bytes that are left for them. Fails if not even one
/// stage of each fits.
LogicalResult chooseStages(KernelOp kernel, RingPlan &plan, int64_t &available);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLEBUDGET_H
