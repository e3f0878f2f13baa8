//===- ScheduleLoops.cpp - When ops of product loops run --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-schedule-loops.
//
//===----------------------------------------------------------------------===//

#include "LoopScheduler.h"
#include "tessera/Dialect/SM/IR/CostModel.h"
#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"
#include "tessera/Dialect/Tile/IR/UnmetSchedule.h"

namespace tessera::sm {
#define GEN_PASS_DEF_SCHEDULELOOPSPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

namespace {
struct ScheduleLoops : sm::impl::ScheduleLoopsPassBase<ScheduleLoops> {
  using ScheduleLoopsPassBase::ScheduleLoopsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getForm() != Form::Scheduled)
      return;
    // The loops right around products.
    llvm::SetVector<Operation *> loops;
    kernel.walk([&](MmaOp product) {
      if (auto loop = product->getParentOfType<scf::ForOp>())
        if (loop->getParentOfType<RoleOp>())
          loops.insert(loop);
    });
    tile::ScheduleAttr schedule = kernel.getScheduleAttr();
    LoopHints hints;
    hints.takesTurns = schedule && schedule.getPingpong();
    hints.storesLate = schedule && schedule.getLateStores();
    auto given = kernel->getAttrOfType<IntegerAttr>(kRegisterLeewayAttrName);
    hints.order = order;
    hints.leeway = given ? given.getInt() : leeway;
    bool isOrdered = schedule && schedule.getMmaOrder() > 0;
    auto tried = kernel->getAttrOfType<IntegerAttr>(kOrderRankAttrName);
    if (isOrdered) {
      hints.orderRank = schedule.getMmaOrder() - 1;
    } else if (tried) {
      hints.orderRank = tried.getInt();
      hints.fewestProducts = cost::kFewestTriedProducts;
    }
    bool isSearched = false;
    int64_t takenLeeway = 0;
    std::string unmet, noOrder;
    for (Operation *op : loops) {
      auto role = op->getParentOfType<RoleOp>();
      Location loc = op->getLoc();
      LoopHints own = hints;
      own.takesTurns &= hasWarpgroups(role);
      own.storesLate &= hasWarpgroups(role);
      LoopOutcome outcome = scheduleLoop(cast<scf::ForOp>(op), own);
      std::string why =
          outcome.strategy ? outcome.describeUnmet(own) : outcome.describe();
      if (outcome.strategy) {
        ++numLoops;
        takenLeeway = std::max(takenLeeway, outcome.leeway);
        isSearched |= outcome.strategy->propose == proposeSearchedOrder;
        startTurns(role);
        if (remarks && !why.empty() && own.takesTurns)
          emitRemark(loc) << "warpgroups take no turns in this loop: " << why
                          << " [warpgroups-in-phase]";
        else if (remarks && !why.empty())
          emitRemark(loc) << "no product runs late in this loop: " << why
                          << " [stores-in-iteration]";
      } else {
        putOffWaits(cast<scf::ForOp>(op));
        if (remarks)
          emitRemark(loc) << "products of this loop wait for each other: "
                          << why << " [products-in-order]";
      }
      for (const auto &[strategy, reason] : outcome.refusals) {
        if (strategy && strategy->propose == proposeSearchedOrder)
          noOrder = reason;
        if (strategy && strategy->propose == proposeGivenOrder &&
            reason != kOtherProducts) {
          emitError(loc) << "the order '" << order
                         << "' is not possible in this loop: " << reason;
          return signalPassFailure();
        }
      }
      if (unmet.empty())
        unmet = !why.empty() ? "of the first loop of products, " + why
                : hints.takesTurns
                    ? "each warpgroup issues the next product of its loop "
                      "before the last one is complete"
                    : "no product of tiles that warpgroups exchange is only "
                      "stored";
    }
    if (takenLeeway > 0)
      kernel->setAttr(kRegisterLeewayAttrName,
                      Builder(kernel).getI64IntegerAttr(takenLeeway));
    else
      kernel->removeAttr(kRegisterLeewayAttrName);
    if (isOrdered && !isSearched)
      warnOfNoOrder(kernel, noOrder);
    if (isOrdered || !isSearched)
      kernel->removeAttr(kOrderRankAttrName);
    if (hints.takesTurns && couldTakeTurns(kernel))
      warnOfNoTurns(kernel, unmet);
    else if (hints.storesLate && !hints.takesTurns && !loops.empty() &&
             !storesLate(kernel))
      warnOfNoLateStores(kernel, unmet);
  }

  /// Moves `op` to the first op of its block that uses it, or to `limit` if
  /// that comes before.
  static void sink(Operation *op, Operation *limit = nullptr) {
    Operation *first = limit;
    for (Operation *user : op->getUsers()) {
      Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user);
      if (!first || inBlock->isBeforeInBlock(first))
        first = inBlock;
    }
    if (first)
      op->moveBefore(first);
  }

  /// Moves waits down in a loop that keeps its order. Vectors are fetched, and
  /// so waited for, where an iteration begins. Each wait moves to the first use
  /// of its slot, so that earlier work need not wait. Ping-pong roles wait
  /// before they pass the ring.
  static void putOffWaits(scf::ForOp loop) {
    // A list of its own: a wait that has moved down is not met again.
    for (RingWaitOp wait :
         llvm::to_vector(loop.getBody()->getOps<RingWaitOp>())) {
      for (Operation *user : llvm::to_vector(wait->getUsers()))
        if (isa<SlotTileOp>(user))
          sink(user);
      sink(wait, findPass(wait));
    }
  }

  /// Returns the op after `wait` in its block that passes its ring on; null if
  /// none does.
  static Operation *findPass(RingWaitOp wait) {
    Operation *op = wait->getNextNode();
    for (; op; op = op->getNextNode())
      if (auto pass = dyn_cast<RingPassOp>(op);
          pass && llvm::is_contained(pass.getRings(), wait.getRing()))
        break;
    return op;
  }

  /// Checks whether warpgroups of a role could take turns, and none do.
  static bool couldTakeTurns(KernelOp kernel) {
    return llvm::any_of(kernel.getBody().getOps<RoleOp>(), hasWarpgroups) &&
           !kernel.walk([](PingPongWaitOp) { return WalkResult::interrupt(); })
                .wasInterrupted();
  }

  static void warnOfNoTurns(KernelOp kernel, StringRef why) {
    tile::warnOfUnmet(kernel, "pingpong", "warpgroups take no turns",
                      why.empty() ? "no loop has products on tensor cores"
                                  : why,
                      "leave it away; `warpgroups = 1` with `persistent` lets "
                      "two warpgroups compute a tile each, in turn",
                      "no-turns");
  }

  /// Checks whether a loop of `kernel` stores the result of the iteration
  /// before.
  static bool storesLate(KernelOp kernel) {
    return kernel
        .walk([](SlotStoreOp fill) {
          OpScheduleAttr node = getSchedule(fill);
          return node && node.getStage() > 0 ? WalkResult::interrupt()
                                             : WalkResult::advance();
        })
        .wasInterrupted();
  }

  static void warnOfNoOrder(KernelOp kernel, StringRef why) {
    tile::warnOfUnmet(
        kernel, "mma_order", "loops of products have the order of the rules",
        why.empty() ? "no loop has several products that complete "
                      "in their iteration"
                    : why,
        "remove it, or take smaller tiles if registers are "
        "missing",
        "no-mma-order");
  }

  static void warnOfNoLateStores(KernelOp kernel, StringRef why) {
    tile::warnOfUnmet(kernel, "late_stores",
                      "products for stores run in their iteration", why,
                      "remove it, or take smaller tiles if registers are "
                      "missing",
                      "no-late-stores");
  }

  /// Checks whether `role` has warpgroups that can take turns.
  static bool hasWarpgroups(RoleOp role) {
    int64_t group = getTarget(role).warpsPerWarpgroup;
    return role.getWarps() % group == 0 && role.getWarps() / group >= 2;
  }

  /// Gives the first turn to the first warpgroup. The last turn passes to the
  /// next loop or program.
  static void startTurns(RoleOp role) {
    bool takesTurns = role.walk([](PingPongWaitOp take) {
                            return take.getRoles() ? WalkResult::advance()
                                                   : WalkResult::interrupt();
                          })
                          .wasInterrupted();
    if (!takesTurns || !role.getBody().getOps<PingPongStartOp>().empty())
      return;
    OpBuilder builder = OpBuilder::atBlockBegin(&role.getBody().front());
    PingPongStartOp::create(builder, role.getLoc());
  }
};
} // namespace
