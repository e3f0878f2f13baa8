//===- PlannedRings.h - Rings that a plan names -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps each ring of a plan to the ops that name it.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_PARTITION_PLANNEDRINGS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_PARTITION_PLANNEDRINGS_H

#include "Roles/ProducerLoads.h"

namespace tessera::sm {

/// Makes the rings of the plan of `kernel`, in the order of its rings. Loads
/// that name one become fetches. Reports at the op what cannot arrive so.
FailureOr<RingPlan> makePlannedRings(KernelOp kernel, const IsGiven &isGiven);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PARTITION_PLANNEDRINGS_H
