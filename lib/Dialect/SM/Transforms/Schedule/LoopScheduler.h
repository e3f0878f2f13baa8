//===- LoopScheduler.h - A plan for one loop --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_LOOPSCHEDULER_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_LOOPSCHEDULER_H

#include "LoopSchedule.h"

namespace tessera::sm {

/// The most registers that tiles take in a loop, or may take there.
struct RegisterPeak {
  int64_t ofAll = 0, ofProducts = 0;
};

/// Requests of a kernel's schedule to its loops.
struct LoopWishes {
  /// Warpgroups take turns at products.
  bool takesTurns = false;
  /// Products whose results the loop only stores run an iteration late.
  bool storesLate = false;
  /// How many registers more than certain to be free a plan may take.
  int64_t leeway = 0;
};

/// The result of planning a loop, apart from its ops.
struct LoopOutcome {
  /// Why the plan does not meet the wishes, or why there is none.
  std::string why;
  /// Registers that the plan takes above those that are certain to be free.
  /// With less leeway, the loop has another plan.
  int64_t leeway = 0;
};

/// Plans a loop in a role whose products it has split. Each attempt sets the
/// ops of all ops, or fails, says why, and leaves a loop to throw away.
class LoopScheduler {
public:
  explicit LoopScheduler(scf::ForOp loop);

  int64_t getTakenLeeway() const { return takenLeeway; }

  /// Products that only add to what the loop carries stay in flight over its
  /// end: those of an iteration are retired after those of the next one are
  /// issued.
  LogicalResult scheduleAccumulation(std::string &why);

  /// The same for products of tiles that threads compute: the products of an
  /// iteration overlap that work for the next one
  /// (RegisterOperandSchedule.cpp). Fails if that takes more than `available`.
  LogicalResult scheduleLateSum(const RegisterPeak &available,
                                std::string &why);

  /// The second of two products that depend on each other (attention) is issued
  /// after the first one of the next iteration; with `takesTurns`, warpgroups
  /// issue both in turn. Rows are read while both go on, where that takes no
  /// more than `available`.
  LogicalResult scheduleDependent(bool takesTurns,
                                  const RegisterPeak &available,
                                  std::string &why);

  /// Products whose results the loop only stores, from tiles that warpgroups
  /// exchange, run an iteration late (LateStoreSchedule.cpp); with
  /// `takesTurns`, warpgroups take turns at the first product. Fails if that
  /// takes more than `available` and `leeway`.
  LogicalResult scheduleLateStores(bool takesTurns,
                                   const RegisterPeak &available,
                                   int64_t leeway, std::string &why);

  /// Schedules work on the result of the only product an iteration late, so
  /// that it overlaps the next product (DelayedConsumerSchedule.cpp). Fails if
  /// that takes more than `available`.
  LogicalResult scheduleLateWork(const RegisterPeak &available,
                                 std::string &why);

  /// Each product is issued, and is complete, in its iteration. It takes
  /// registers for its result and for an operand; where all of them together
  /// take more than `available`, some products wait for those before them.
  /// Orders are tried from the one with the fewest such waits on. `leeway`
  /// registers more are taken where that is certain to gain.
  LogicalResult scheduleInIteration(const RegisterPeak &available,
                                    int64_t leeway, std::string &why);

private:
  LogicalResult findSchedules(std::string &why);
  /// Lets products that add to the same sum follow each other without awaits;
  /// fails if one does more than add to what the loop carries.
  LogicalResult chainSums(std::string &why);
  LogicalResult plan(ArrayRef<PlannedProduct> order, ArrayRef<Operation *> late,
                     std::string &why, bool readsRowsBeside = false);
  /// Checks whether the loop, planned as its ops say, takes at most `leeway`
  /// registers more than `available`, and sets `takenLeeway`.
  bool fits(const RegisterPeak &available, int64_t leeway, std::string &why);

  scf::ForOp loop;
  RoleOp role;
  SmallVector<MmaIssueOp> products;
  std::optional<DependenceGraph> graph;
  /// Registers that the plan takes above those that are available.
  int64_t takenLeeway = 0;
};

/// Returns the await of a product of a loop that is being planned.
MmaAwaitOp getAwait(MmaIssueOp issue);

/// Splits the products of `loop`, a loop of a role, and sets the ops of all
/// its ops by the first attempt of LoopScheduler that is a legal plan. A loop
/// that cannot be scheduled stays as it is.
LogicalResult scheduleLoop(scf::ForOp loop, const LoopWishes &wishes,
                           LoopOutcome &outcome);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_LOOPSCHEDULER_H
