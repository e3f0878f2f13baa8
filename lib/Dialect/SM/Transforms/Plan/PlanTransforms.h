//===- PlanTransforms.h - Plan of transformed operands ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_PLANTRANSFORMS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_PLANTRANSFORMS_H

#include "RoleBudget.h"
#include "Roles/RingPlan.h"

namespace tessera::sm {

/// The warps of a role that transforms tiles.
constexpr int64_t kTransformWarps = 4;

/// Returns the tiles of `kernel` that a role of `kTransformWarps` warps can
/// compute from what arrives through `rings`. Calls `refuse` for each tile that
/// takes scalars which that role cannot compute, and for all tiles if the
/// registers of `budget` do not suffice for both roles.
SmallVector<SmemStoreOp>
findTransformedOperands(KernelOp kernel, const RingPlan &rings,
                        const RegisterBudget &budget,
                        const IsVisible &isVisible,
                        function_ref<void(Operation *, const Twine &)> refuse);

/// Returns the registers that threads of the math role of `kernel` need if
/// other roles fill `rings` and compute the tiles of `transformed`.
int64_t getMathNeed(KernelOp kernel, const RingPlan &rings,
                    ArrayRef<SmemStoreOp> transformed);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_PLANTRANSFORMS_H
