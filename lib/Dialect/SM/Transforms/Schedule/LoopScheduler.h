//===- LoopScheduler.h - Choice of a strategy for a loop --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_LOOPSCHEDULER_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_LOOPSCHEDULER_H

#include "Schedule/Strategies/ScheduleStrategy.h"

namespace tessera::sm {

/// The result of scheduling a loop, apart from the schedule of its ops.
struct LoopOutcome {
  /// Why a strategy does not apply. `strategy` is null if the reason holds for
  /// all.
  struct Refusal {
    const Strategy *strategy;
    std::string reason;
  };

  /// Joins the reasons of the strategies of `refusals`, each with its name.
  std::string describe() const;
  /// The same, of the strategies that meet one of `hints`. Empty if the
  /// schedule meets it.
  std::string describeUnmet(const LoopHints &hints) const;

  /// The strategy of the schedule; null if there is none.
  const Strategy *strategy = nullptr;
  /// Strategies that were tried before, in the order of their table.
  SmallVector<Refusal> refusals;
  /// Registers that the schedule takes above those that are certain to be free.
  /// With less leeway, the loop has another schedule.
  int64_t leeway = 0;
};

/// Splits the products of `loop`, a loop of a role, and gives its ops the
/// schedule of the first strategy that applies. A loop that cannot be scheduled
/// stays as it is.
LoopOutcome scheduleLoop(scf::ForOp loop, const LoopHints &hints);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_LOOPSCHEDULER_H
