//===- LoopRegisters.h - Registers of a scheduled loop ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_LOOPREGISTERS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_LOOPREGISTERS_H

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Support/Reason.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::sm {

/// The most registers that tiles take in a loop, or may take there.
struct RegisterPeak {
  int64_t ofAll = 0, ofProducts = 0;
};

/// Registers that a schedule may take above the available ones.
struct RegisterLimit {
  /// Registers that may be free.
  int64_t leeway = 0;
  /// Registers that the schedule is worth even if some values are reloaded.
  int64_t reloaded = 0;
};

/// Returns the registers that a schedule of `loop`, whose products are not
/// split yet, may take. A schedule may always take what the loop takes as it
/// is, even if that is more than the role has.
RegisterPeak getAvailableRegisters(scf::ForOp loop);

/// Applies the schedule of `loop` on a copy of its role, and counts registers.
/// Returns how many registers of the leeway the schedule takes; or by how much
/// it exceeds `limit`.
OrReason<int64_t> getTakenLeeway(scf::ForOp loop, const RegisterPeak &available,
                                 const RegisterLimit &limit);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_LOOPREGISTERS_H
