//===- ApplySchedule.cpp - Loops as scheduled -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-apply-schedule. It chooses nothing: if the schedules of a loop
// are not legal, that is an error at the op.
//
//===----------------------------------------------------------------------===//

#include "DependenceGraph.h"
#include "PlannedLoop.h"
#include "tessera/Dialect/SM/Analysis/TripCount.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

namespace tessera::sm {
#define GEN_PASS_DEF_APPLYSCHEDULEPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// Checks whether the loop only adds to what `await` yields, one product after
/// the other, and in its own place.
static bool isSum(scf::ForOp loop, MmaAwaitOp await) {
  Value value = await.getResult();
  if (!value.hasOneUse())
    return false;
  OpOperand &use = *value.use_begin();
  if (use.getOwner() != loop.getBody()->getTerminator())
    return false;
  BlockArgument sum = loop.getRegionIterArg(use.getOperandNumber());
  value = await.getPending();
  while (value != sum) {
    auto issue = value.getDefiningOp<MmaIssueOp>();
    if (!issue || issue->getBlock() != loop.getBody() || !value.hasOneUse())
      return false;
    value = issue.getAccumulator();
  }
  return sum.hasOneUse();
}

/// Checks that what is awaited after the loop is not late: the peeled iteration
/// issues it from a tensor, all others from what is pending.
static LogicalResult verifyStagesOfSums(scf::ForOp loop) {
  for (auto await : loop.getBody()->getOps<MmaAwaitOp>()) {
    if (!runsAfterLoop(await))
      continue;
    Operation *issue = await.getPending().getDefiningOp();
    if (getSchedule(issue).getStage() == 0)
      continue;
    InFlightDiagnostic error =
        issue->emitOpError()
        << "cannot run an iteration late, since its sum stays pending";
    error.attachNote(await.getLoc()) << "until here, after the loop";
    return error;
  }
  return success();
}

/// Checks that what is awaited after the loop can be.
static LogicalResult verifyAwaitsAfter(scf::ForOp loop) {
  for (auto await : loop.getBody()->getOps<MmaAwaitOp>())
    if (runsAfterLoop(await) && !isSum(loop, await))
      return await.emitOpError()
             << "cannot run after the loop; expected a sum of products that "
                "the loop carries and does not use otherwise";
  return success();
}

/// Checks that a warpgroup that has its turn does not wait for warpgroups that
/// wait for theirs.
static LogicalResult verifyTurns(const DependenceGraph &graph) {
  PingPongWaitOp take;
  for (Operation *op : graph.getOps()) {
    if (auto next = dyn_cast<PingPongWaitOp>(op))
      take = next;
    if (!isa<PingPongPassOp>(op) || !take)
      continue;
    OpScheduleAttr start = getSchedule(take), end = getSchedule(op);
    auto fail = [&](Operation *at, Twine why) {
      InFlightDiagnostic error = at->emitOpError() << why;
      error.attachNote(take->getLoc()) << "the turn is taken here";
      return error;
    };
    if (start.getStage() != end.getStage())
      return fail(op, "has another stage than its turn");
    for (Operation *other : graph.getOps())
      if (int64_t order = getSchedule(other).getOrder();
          order > start.getOrder() && order < end.getOrder() &&
          !isOfOneWarpgroup(other))
        return fail(other, "may wait for warpgroups that wait for this turn; "
                           "expected it before or after");
  }
  return success();
}

/// Checks that slots are filled in the iteration that takes them: a slot cannot
/// be carried with what it is filled with.
static LogicalResult verifyFills(const DependenceGraph &graph) {
  for (Operation *op : graph.getOps()) {
    auto fill = dyn_cast<SlotStoreOp>(op);
    auto tile = fill ? fill.getTile().getDefiningOp<SlotTileOp>() : nullptr;
    Operation *acquire = tile ? tile.getSlot().getDefiningOp() : nullptr;
    if (!acquire || acquire->getBlock() != op->getBlock() ||
        getSchedule(acquire).getStage() == getSchedule(op).getStage())
      continue;
    InFlightDiagnostic error = op->emitOpError()
                               << "has another stage than its slot";
    error.attachNote(acquire->getLoc()) << "which is taken here";
    return error;
  }
  return success();
}

/// Checks that the schedules of a loop are legal.
static LogicalResult verifySchedule(const DependenceGraph &graph) {
  SmallVector<int64_t> stages, orders;
  llvm::SmallDenseMap<int64_t, Operation *> places;
  for (Operation *op : graph.getOps()) {
    OpScheduleAttr node = getSchedule(op);
    if (!node)
      return op->emitOpError() << "expected a '" << kOpScheduleAttrName
                               << "', as the other ops of the loop have";
    auto [known, isNew] = places.insert({node.getOrder(), op});
    if (!isNew) {
      InFlightDiagnostic error = op->emitOpError()
                                 << "has the order " << node.getOrder()
                                 << " of another op";
      error.attachNote(known->second->getLoc()) << "this one";
      return error;
    }
    stages.push_back(node.getStage());
    orders.push_back(node.getOrder());
  }
  for (const Dependence &dependence : graph.getDependences()) {
    int64_t slack = DependenceGraph::getSlack(dependence, stages);
    if (slack > 0 ||
        (slack == 0 && orders[dependence.before] < orders[dependence.after]))
      continue;
    InFlightDiagnostic error =
        graph.getOps()[dependence.after]->emitOpError()
        << "runs too early: expected it after the op that it depends on"
        << (dependence.distance ? ", of an iteration before" : "");
    error.attachNote(graph.getOps()[dependence.before]->getLoc())
        << "which runs here";
    return error;
  }
  for (Operation *op : graph.getOps())
    if (auto await = dyn_cast<MmaAwaitOp>(op)) {
      Operation *issue = await.getPending().getDefiningOp();
      if (!issue || issue->getBlock() != op->getBlock() ||
          getSchedule(issue).getStage() == getSchedule(op).getStage())
        continue;
      InFlightDiagnostic error =
          op->emitOpError()
          << "has another stage than its product, which would be in flight "
             "over the end of the loop that reads it; ptxas would make all "
             "products wait (C7514)";
      error.attachNote(issue->getLoc()) << "the product";
      return error;
    }
  if (failed(verifyFills(graph)) || failed(verifyStagesOfSums(graph.getLoop())))
    return failure();
  return verifyTurns(graph);
}

namespace {
struct ApplySchedule : sm::impl::ApplySchedulePassBase<ApplySchedule> {
  using ApplySchedulePassBase::ApplySchedulePassBase;

  void runOnOperation() override {
    if (getOperation().getForm() != Form::Scheduled)
      return;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (llvm::any_of(loop.getBody()->without_terminator(),
                       [](Operation &op) { return getSchedule(&op); }))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      // A loop that never runs is removed on the other sides of its rings as
      // well.
      if (getMostIterations(loop) == 0) {
        simplifyShortLoop(loop);
        continue;
      }
      if (failed(verifyAwaitsAfter(loop)))
        return signalPassFailure();
      FailureOr<DependenceGraph> graph = DependenceGraph::get(
          loop, [](Operation *op, Twine why) { op->emitOpError() << why; });
      if (failed(graph) || failed(verifySchedule(*graph)))
        return signalPassFailure();
      applySchedule(*graph);
      ++numLoops;
    }
    // Loops over the last block, on all sides of the rings.
    getOperation().walk([](scf::ForOp loop) { simplifyShortLoop(loop); });
    getOperation().walk([](RingAllocOp ring) {
      if (ring->use_empty())
        ring.erase();
    });
  }
};
} // namespace
