//===- UnmetHints.h - Hints of a schedule -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warnings of what `schedule` asks for and the plan of a kernel has not.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_UNMETHINTS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_UNMETHINTS_H

#include "Roles/RingPlan.h"

namespace tessera::sm {

/// `exchange = 2` of a kernel that exchanges no tile through two slots. `why`
/// says what a loop lacks that writes one; empty if none does.
void warnOfExchanges(KernelOp kernel, StringRef why);

/// `pingpong` of one warpgroup that has no other one to take turns with.
void warnOfOneComputing(KernelOp kernel, const Twine &why);

/// `stages` that do not fit into the `available` bytes. The word means "at
/// most", so that fewer of them are worth a remark; but rings of one slot make
/// loops wait for each tile.
void warnOfSlots(KernelOp kernel, const RingPlan &rings, int64_t wanted,
                 int64_t available, bool remarks);

/// Warns that hints about roles have no effect because the kernel has none, and
/// says why it has none.
void warnOfOneRole(KernelOp kernel, const Twine &why);

/// `registers` of threads that compute, which have `registers` by the plan.
void warnOfRegisters(KernelOp kernel, int64_t registers);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_UNMETHINTS_H
