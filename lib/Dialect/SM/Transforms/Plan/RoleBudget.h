//===- RoleBudget.h - Resources of roles ------------------------*- C++ -*-===//
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

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_ROLEBUDGET_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_ROLEBUDGET_H

#include "Roles/RingPlan.h"

namespace tessera::sm {

struct RegisterBudget {
  int64_t load, transform, math;
};

/// Of the warps that load, those that fetch by threads.
int64_t countFetchWarps(const RingPlan &plan);

/// Why `kernel` has no warps for a role that loads; none if it has.
Reason getWarpObstacle(KernelOp kernel);

/// Warps of the roles other than the loading warpgroup, in whole warpgroups.
struct ComputingWarps {
  int64_t math, transform = 0;
};

/// Returns the registers per thread of one warpgroup that loads, and of the
/// computing ones. `wanted`, unless 0, is the number for those that multiply. A
/// role that fills one ring needs no thrift: its addresses fit into the
/// remaining registers, unless the others should be favoured. Unneeded
/// registers stay with the load role. A role that transforms tiles gets none
/// where too few would remain. `blocks` blocks share the registers of a
/// multiprocessor.
RegisterBudget splitRegisters(const GpuTarget &target, ComputingWarps warps,
                              int64_t wanted, bool favoursMath,
                              int64_t blocks = 1);

/// Bytes of shared memory that a kernel uses apart from rings and stores by
/// tensor copies: barriers, tiles that operations write for MMAs, and data that
/// moves between threads.
struct ScratchBudget {
  /// The bytes that rings and stores must leave. Data that moves between the
  /// threads of a role moves before its stores begin, or through the bytes of
  /// barriers.
  int64_t reserved;
  /// The same with ample barriers, as `upperBound` has them.
  int64_t reservedAmple;
  /// An upper bound, reached if no buffers share memory: ops of loops whose
  /// iterations overlap have two buffers then.
  int64_t upperBound;
  /// The data that operations write and move, without barriers.
  int64_t staging;
};

/// Returns the bytes of barriers of `slots` slots, with a queue of programs and
/// gaps for alignment.
int64_t getBarrierBytes(int64_t slots);

/// Returns the budget if `turns` roles compute and all rings have at most
/// `slots` slots. `isRing` tells which fetches and tiles have memory in a ring.
ScratchBudget getScratchBudget(KernelOp kernel, int64_t turns, int64_t slots,
                               function_ref<bool(Operation *)> isRing);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_ROLEBUDGET_H
