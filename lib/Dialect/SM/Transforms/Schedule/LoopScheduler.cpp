//===- LoopScheduler.cpp - A plan for one loop ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans are tried on copies: of the loop, which takes its place if there is a
// plan, and of its role, whose registers are counted.
//
//===----------------------------------------------------------------------===//

#include "LoopScheduler.h"
#include "PlannedLoop.h"
#include "SplitProduct.h"
#include "tessera/Dialect/SM/IR/RegisterPressure.h"

#include "mlir/IR/IRMapping.h"

using namespace tessera;
using namespace tessera::sm;

/// Registers that tiles may take in addition to those available, and registers
/// that must stay free at products. Arithmetic goes by slices, so it may
/// need a few more: ptxas then loads some scalars again. Products need all
/// their registers at once, contiguously.
static constexpr int64_t kLeewayOfSlices = 8, kGapsOfProducts = 8;
/// A loop of more products is planned without such waits as
/// `PlannedProduct::startsAlone` asks for, or not at all.
static constexpr unsigned kMostProductsToTry = 6;

MmaAwaitOp sm::splitProduct(MmaOp product) {
  OpBuilder builder(product);
  Location loc = product.getLoc();
  Value issued = MmaIssueOp::create(
      builder, loc, PendingType::get(builder.getContext(), product.getType()),
      product.getA(), product.getB(), product.getAccumulator(),
      product.getTransposeA(), product.getTransposeB());
  auto await = MmaAwaitOp::create(builder, loc, product.getType(), issued,
                                  /*leave=*/0);
  product.replaceAllUsesWith(await.getResult());
  product.erase();
  return await;
}

MmaAwaitOp sm::getAwait(MmaIssueOp issue) {
  return cast<MmaAwaitOp>(*issue->user_begin());
}

static void add(RegisterPeak &peak, Operation *op,
                const RegisterPressure &pressure) {
  op->walk([&](Operation *inner) {
    int64_t registers = pressure.at(inner);
    peak.ofAll = std::max(peak.ofAll, registers);
    if (isa<MmaOp, MmaIssueOp, MmaAwaitOp>(inner))
      peak.ofProducts = std::max(peak.ofProducts, registers);
  });
}

LoopScheduler::LoopScheduler(scf::ForOp loop)
    : loop(loop), role(loop->getParentOfType<RoleOp>()) {
  for (MmaOp product :
       llvm::make_early_inc_range(loop.getBody()->getOps<MmaOp>()))
    products.push_back(
        splitProduct(product).getPending().getDefiningOp<MmaIssueOp>());
}

LogicalResult LoopScheduler::findSchedules(std::string &why) {
  FailureOr<DependenceGraph> found =
      DependenceGraph::get(loop, [&](Operation *, Twine reason) {
        why = "a product " + reason.str();
      });
  if (failed(found))
    return failure();
  graph = std::move(*found);
  return success();
}

LogicalResult LoopScheduler::plan(ArrayRef<PlannedProduct> order,
                                  ArrayRef<Operation *> late, std::string &why,
                                  bool readsRowsBeside) {
  if (failed(findSchedules(why)))
    return failure();
  FailureOr<LoopSchedule> plan =
      LoopSchedule::get(*graph, order, late, why, readsRowsBeside);
  if (succeeded(plan))
    plan->annotate();
  return plan;
}

//===----------------------------------------------------------------------===//
// All in their iteration
//===----------------------------------------------------------------------===//

/// Returns the registers that a plan of `loop`, whose products are not split
/// yet, may take. A plan may always take what the loop takes as it is, even if
/// that is more than the role has.
static RegisterPeak getAvailable(scf::ForOp loop) {
  auto role = loop->getParentOfType<RoleOp>();
  RegisterPressure pressure(role);
  RegisterPeak available;
  add(available, loop, pressure);
  int64_t forTiles = pressure.getRoomForTiles(getRegisterBudget(role));
  available.ofAll = std::max(available.ofAll, forTiles + kLeewayOfSlices);
  available.ofProducts =
      std::max(available.ofProducts, forTiles - kGapsOfProducts);
  return available;
}

bool LoopScheduler::fits(const RegisterPeak &available, int64_t leeway,
                         std::string &why) {
  IRMapping mapping;
  auto trial = cast<RoleOp>(OpBuilder(role).clone(*role, mapping));
  auto planned = cast<scf::ForOp>(mapping.lookup(loop.getOperation()));
  // A planned loop may be replaced, by several ops.
  Operation *before = planned->getPrevNode(), *end = planned->getNextNode();
  Block *block = planned->getBlock();
  applySchedule(*DependenceGraph::get(planned, [](Operation *, Twine) {}));
  RegisterPressure pressure(trial);
  RegisterPeak peak;
  for (Operation *op = before ? before->getNextNode() : &block->front();
       op != end; op = op->getNextNode())
    add(peak, op, pressure);
  trial.erase();
  bool isOfProducts = peak.ofProducts > available.ofProducts + leeway;
  takenLeeway = std::max({peak.ofProducts - available.ofProducts,
                          peak.ofAll - available.ofAll, int64_t(0)});
  if (takenLeeway <= leeway)
    return true;
  auto describe = [&](int64_t needed, int64_t most) {
    return (Twine(needed) + " of " + Twine(most)).str();
  };
  why = "tiles would take " +
        (isOfProducts ? describe(peak.ofProducts, available.ofProducts + leeway)
                      : describe(peak.ofAll, available.ofAll + leeway)) +
        " registers of a thread";
  return false;
}

/// Checks whether warpgroups meet twice in each iteration of `loop`: before
/// they multiply a tile that they have written for each other, and before they
/// write the next one in its place.
static bool meetsTwice(scf::ForOp loop) {
  return !loop.getBody()->getOps<SmemStoreOp>().empty();
}

LogicalResult LoopScheduler::scheduleInIteration(const RegisterPeak &available,
                                                 int64_t leeway,
                                                 std::string &why) {
  if (failed(findSchedules(why)))
    return failure();
  SmallVector<PlannedProduct> early =
      LoopSchedule::chooseOrder(*graph, /*isEarly=*/true);
  SmallVector<PlannedProduct> late =
      LoopSchedule::chooseOrder(*graph, /*isEarly=*/false);

  // Bit i of a choice: product i + 1 waits for those before it.
  unsigned count = early.size() - 1;
  SmallVector<unsigned> choices{0};
  if (count < kMostProductsToTry)
    for (unsigned choice = 1; choice < 1u << count; ++choice)
      choices.push_back(choice);
  llvm::sort(choices, [](unsigned a, unsigned b) {
    return std::pair(llvm::popcount(a), a) < std::pair(llvm::popcount(b), b);
  });
  // Products in flight together gain less than warpgroups lose that meet twice.
  bool isEarlyTight = meetsTwice(loop);
  why.clear();
  std::string reason;
  for (unsigned choice : choices)
    for (bool isEarly : {true, false}) {
      SmallVector<PlannedProduct> products(isEarly ? early : late);
      for (unsigned bit = 0; bit < count; ++bit)
        products[bit + 1].startsAlone = choice >> bit & 1;
      FailureOr<LoopSchedule> plan =
          LoopSchedule::get(*graph, products, {}, reason);
      if (succeeded(plan) && !plan->overlaps())
        reason =
            "each needs the one before, and nothing is left to do meanwhile";
      if (succeeded(plan) && plan->overlaps()) {
        plan->annotate();
        if (fits(available, isEarly && isEarlyTight ? 0 : leeway, reason))
          return success();
      }
      // The reason to tell is that of the first plan, which has no such waits.
      if (why.empty())
        why = reason;
    }
  return failure();
}

//===----------------------------------------------------------------------===//
// Which kind
//===----------------------------------------------------------------------===//

/// Lets `schedule` try on a copy of `loop` that takes its place.
static LogicalResult
tryOnCopy(scf::ForOp loop,
          function_ref<LogicalResult(LoopScheduler &)> schedule) {
  auto copy = cast<scf::ForOp>(OpBuilder(loop).clone(*loop));
  loop->replaceAllUsesWith(copy);
  loop->remove();
  LoopScheduler scheduler(copy);
  if (succeeded(schedule(scheduler))) {
    loop->destroy();
    return success();
  }
  copy->replaceAllUsesWith(loop);
  copy->getBlock()->getOperations().insert(copy->getIterator(), loop);
  copy.erase();
  return failure();
}

LogicalResult sm::scheduleLoop(scf::ForOp loop, const LoopWishes &wishes,
                               LoopOutcome &outcome) {
  std::string &why = outcome.why;
  WalkResult walk = loop.getBody()->walk([&](MmaOp product) {
    return product->getBlock() == loop.getBody() ? WalkResult::advance()
                                                 : WalkResult::interrupt();
  });
  if (walk.wasInterrupted()) {
    why = "a product stands in a loop or condition within it";
    return failure();
  }
  auto isPlanned = [&](auto attempt) {
    return succeeded(tryOnCopy(loop, attempt));
  };
  auto takesLeeway = [&](LoopScheduler &scheduler, LogicalResult result) {
    if (succeeded(result))
      outcome.leeway = scheduler.getTakenLeeway();
    return result;
  };
  std::string ofSum, ofLateSum, ofWishes, ofOthers;
  bool isSum = isPlanned([&](LoopScheduler &scheduler) {
    return scheduler.scheduleAccumulation(ofSum);
  });
  if (isSum)
    return success();
  RegisterPeak available = getAvailable(loop);
  if (isPlanned([&](LoopScheduler &scheduler) {
        return scheduler.scheduleDependent(wishes.takesTurns, available,
                                           ofOthers);
      }))
    return success();
  if (isPlanned([&](LoopScheduler &scheduler) {
        return scheduler.scheduleLateSum(available, ofLateSum);
      }))
    return success();
  if ((wishes.takesTurns || wishes.storesLate) &&
      isPlanned([&](LoopScheduler &scheduler) {
        return takesLeeway(scheduler, scheduler.scheduleLateStores(
                                          wishes.takesTurns, available,
                                          wishes.leeway, ofWishes));
      }))
    return success();
  if (isPlanned([&](LoopScheduler &scheduler) {
        std::string ofLateWork;
        return scheduler.scheduleLateWork(available, ofLateWork);
      }))
    return success();
  if (isPlanned([&](LoopScheduler &scheduler) {
        return takesLeeway(scheduler, scheduler.scheduleInIteration(
                                          available, wishes.leeway, ofOthers));
      })) {
    why = ofWishes;
    return success();
  }
  // One product that does not add up: what it lacks for that says more.
  bool isSingle = llvm::hasSingleElement(loop.getBody()->getOps<MmaOp>());
  why = !ofLateSum.empty() ? ofLateSum : isSingle ? ofSum : ofOthers;
  return failure();
}
