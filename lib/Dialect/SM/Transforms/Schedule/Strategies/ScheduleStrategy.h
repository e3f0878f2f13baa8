//===- ScheduleStrategy.h - How to pipeline a loop --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A strategy decides which MMAs of a loop are issued when, and in which stage.
// LoopSchedule derives everything else from that. The table of strategies is in
// LoopScheduler.cpp; each strategy has a file of its own.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_STRATEGIES_SCHEDULESTRATEGY_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_STRATEGIES_SCHEDULESTRATEGY_H

#include "Schedule/LoopRegisters.h"
#include "Schedule/LoopSchedule.h"
#include "Schedule/SplitLoop.h"

namespace tessera::sm {

/// Requests of a kernel's schedule to its loops.
struct LoopHints {
  /// Warpgroups take turns at products.
  bool takesTurns = false;
  /// Products whose results the loop only stores run an iteration late.
  bool storesLate = false;
  /// How many registers more than certain to be free a schedule may take.
  int64_t leeway = 0;
  /// The order of loops with as many products as it names; empty if none is
  /// given.
  StringRef order;
  /// The place of the order to take among those that the clock predicts to be
  /// the fastest; none if orders are not searched.
  std::optional<unsigned> orderRank;
  /// Loops with fewer products are not searched.
  size_t fewestProducts = 2;
};

/// An order of issue, and the registers that its schedule may take; null if
/// their number does not matter.
struct Proposal {
  IssueOrder order;
  std::optional<RegisterLimit> limit = RegisterLimit();
};

/// Proposals, the best one first; or why the strategy does not apply.
using Proposals = OrReason<SmallVector<Proposal>>;

struct Strategy {
  llvm::StringLiteral name;
  /// Prepares the loop and proposes orders. The loop is a copy, which is thrown
  /// away if no proposal is taken.
  Proposals (*propose)(SplitLoop &loop, const LoopHints &hints);
  /// Returns what is wrong with the schedule of a proposal, which the ops of
  /// the loop have by now. Null if any legal schedule is good.
  Reason (*findFault)(const SplitLoop &loop, const LoopSchedule &schedule);
  /// Hints that the strategy meets.
  bool takesTurns = false, storesLate = false;
  /// Whether the strategy is tried for these hints; null if it always is.
  bool (*isTried)(const LoopHints &hints) = nullptr;

  /// Checks whether the strategy meets one of `hints`; of both, `takesTurns`.
  bool meets(const LoopHints &hints) const {
    return hints.takesTurns ? takesTurns : hints.storesLate && storesLate;
  }
};

/// Proposes the order that `hints` gives, for loops with its products. The
/// reason against all others is `kOtherProducts`.
inline constexpr llvm::StringLiteral kOtherProducts =
    "the order has other products than the loop";
Proposals proposeGivenOrder(SplitLoop &split, const LoopHints &hints);
/// Proposes the order of the rank that `hints` gives among those for which the
/// clock predicts the shortest iterations.
Proposals proposeSearchedOrder(SplitLoop &split, const LoopHints &hints);
Proposals proposeSums(SplitLoop &split, const LoopHints &hints);
Reason findSumFault(const SplitLoop &split, const LoopSchedule &schedule);
Proposals proposeDependentProduct(SplitLoop &split, const LoopHints &hints);
Proposals proposeLateStores(SplitLoop &split, const LoopHints &hints);
Proposals proposeInIteration(SplitLoop &split, const LoopHints &hints);
Reason findInIterationFault(const SplitLoop &split,
                            const LoopSchedule &schedule);

/// Returns the wait for the slot of a tile that warpgroups write for each other
/// and that `issue` reads, if the loop only stores the result of `issue`.
/// Otherwise null.
RingWaitOp findLateWait(scf::ForOp loop, MmaIssueOp issue);

/// Adds to `late` the ops that have to run late with `issue`, whose slot `wait`
/// waits for.
void addStored(MmaIssueOp issue, RingWaitOp wait,
               SmallVectorImpl<Operation *> &late);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_STRATEGIES_SCHEDULESTRATEGY_H
