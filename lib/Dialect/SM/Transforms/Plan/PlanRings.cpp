//===- PlanRings.cpp - Plan of loads through rings --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanRings.h"
#include "Roles/GatheredLoads.h"
#include "Roles/TensorStore.h"

#include "tessera/Dialect/SM/IR/Target.h"

using namespace tessera;
using namespace tessera::sm;

/// Checks whether a load is a large one.
static bool isTile(FetchOp fetch) {
  return fetch.getType().getRank() > 1 && !getGathered(fetch.getIndices());
}

/// The slots that rings in loops keep at least when tiles join them.
static constexpr int64_t kLeastSlots = 2;

SmallVector<RingFetch>
sm::findRingFetches(KernelOp kernel, const IsVisible &isVisible,
                    function_ref<void(FetchOp, const Twine &)> refuse) {
  SmallVector<RingFetch> found;
  kernel.walk<WalkOrder::PreOrder>([&](FetchOp op) {
    OrReason<RingFetch> fetch = matchFetch(op, /*isByThreads=*/false,
                                           /*computed=*/Value(), isVisible);
    if (fetch)
      found.push_back(*fetch);
    else
      refuse(op, fetch.getReason().str());
  });
  return found;
}

bool sm::isInRing(const RingPlan &plan, FetchOp op) {
  return llvm::any_of(plan.groups, [&](const FetchGroup &group) {
    return llvm::any_of(group.fetches,
                        [&](const RingFetch &fetch) { return fetch.op == op; });
  });
}

static int64_t getLoopSlots(const RingPlan &plan) {
  for (const PlannedRing &ring : plan.rings)
    if (ring.isInLoop)
      return ring.slots;
  return 0;
}

RingPlan sm::addStagedLoads(KernelOp kernel, ProducerLoads &staged,
                            ArrayRef<RingFetch> fetches, RingPlan plan,
                            const IsVisible &isVisible, FitSlots fitSlots,
                            RefuseLoad refuse) {
  llvm::DenseMap<Operation *, RingFetch> all;
  for (const RingFetch &fetch : fetches)
    all[fetch.op] = fetch;
  auto revert = [&](FetchOp fetch, const Twine &why) {
    refuse(staged.getLoad(fetch), why);
    all.erase(fetch);
    staged.revert(fetch);
  };
  for (FetchOp fetch : staged.getFetches()) {
    OrReason<RingFetch> found =
        matchFetch(fetch, staged.isForThreads(fetch), staged.getComputed(fetch),
                   isVisible);
    if (found)
      all[fetch] = *found;
    else
      revert(fetch, found.getReason().str());
  }
  int64_t available = 0;
  auto planAll = [&]() -> FailureOr<RingPlan> {
    SmallVector<RingFetch> inOrder;
    kernel.walk<WalkOrder::PreOrder>([&](FetchOp op) {
      if (auto known = all.find(op); known != all.end())
        inOrder.push_back(known->second);
    });
    RingPlan more = planRings(inOrder);
    if (failed(fitSlots(more, available)) ||
        getLoopSlots(more) < std::min(getLoopSlots(plan), kLeastSlots))
      return failure();
    return more;
  };
  FailureOr<RingPlan> more = planAll();
  // A load that is needed once costs no slot of a load that is needed in each
  // iteration. Tiles are large, rows are not.
  for (bool areRows : {false, true}) {
    if (succeeded(more) && getLoopSlots(*more) >= getLoopSlots(plan))
      break;
    bool hasReverted = false;
    for (FetchOp fetch : staged.getFetches())
      if (isBesideProducts(staged.getLoad(fetch)) && isTile(fetch) != areRows) {
        revert(fetch, "its ring would take the place of a slot of others");
        hasReverted = true;
      }
    if (hasReverted)
      more = planAll();
  }
  for (bool areRows : {false, true}) {
    if (succeeded(more))
      break;
    for (FetchOp fetch : staged.getFetches())
      if (isTile(fetch) != areRows)
        revert(fetch, "rings of it and of what products take do not fit into "
                      "the " +
                          Twine(available) +
                          " bytes of shared memory that are left");
    more = planAll();
  }
  return succeeded(more) ? *more : plan;
}

//===----------------------------------------------------------------------===//
// Conditions of tensor copies
//===----------------------------------------------------------------------===//

static bool endsEarly(LoadOp load) {
  for (unsigned axis = 0; axis < load.getDims().size(); ++axis)
    if (mayEndEarly(load, axis))
      return true;
  return false;
}

/// Checks whether `wanted` is 0 wherever `known` is: a remainder of the same
/// number, by a divisor of the other one.
static bool implies(tile::SizeAttr known, tile::SizeAttr wanted) {
  if (known == wanted)
    return true;
  auto of = dyn_cast<AffineBinaryOpExpr>(known.getExpr());
  auto by = dyn_cast<AffineBinaryOpExpr>(wanted.getExpr());
  if (!of || of.getKind() != AffineExprKind::Mod || !by ||
      by.getKind() != AffineExprKind::Mod || of.getLHS() != by.getLHS() ||
      known.getSymbols() != wanted.getSymbols())
    return false;
  auto divisor = dyn_cast<AffineConstantExpr>(by.getRHS());
  return divisor && of.getRHS().isMultipleOf(divisor.getValue());
}

/// Returns the sizes that must be 0 at launch for `fetches` and `stores`.
static SmallVector<tile::SizeAttr> getConditions(ArrayRef<RingFetch> fetches,
                                                 ArrayRef<StoreChoice> stores) {
  SmallVector<tile::SizeAttr> conditions;
  for (const RingFetch &fetch : fetches)
    llvm::append_range(conditions, fetch.conditions);
  for (const StoreChoice &store : stores)
    llvm::append_range(conditions, matchTensorStore(store.op)->conditions);
  return conditions;
}

static bool areImplied(ArrayRef<tile::SizeAttr> wanted,
                       ArrayRef<tile::SizeAttr> conditions) {
  return llvm::all_of(wanted, [&](tile::SizeAttr condition) {
    return llvm::any_of(conditions, [&](tile::SizeAttr known) {
      return implies(known, condition);
    });
  });
}

//===----------------------------------------------------------------------===//
// Vectors in the slots of tiles
//===----------------------------------------------------------------------===//

/// Checks whether `op` only changes the sign of `load`, which the arithmetic
/// that uses the result does at no cost.
static bool isNegated(Operation *op, LoadOp load) {
  auto negation = dyn_cast<arith::NegFOp>(op);
  return negation && negation.getOperand() == load.getResult();
}

void sm::chooseCopiedVectors(MutableArrayRef<StageableLoad> loads,
                             ArrayRef<RingFetch> fetches,
                             ArrayRef<StoreChoice> stores) {
  SmallVector<tile::SizeAttr> conditions = getConditions(fetches, stores);
  for (StageableLoad &staged : loads) {
    LoadOp load = staged.load;
    if (cast<RankedTensorType>(load.getType()).getRank() != 1 ||
        getGathered(load.getIndices()) || load.getFillAttr() ||
        endsEarly(load) ||
        (staged.brought != load && !isNegated(staged.brought, load)) ||
        load->getParentOfType<KernelOp>().getClusterAxis() ||
        !findCarrier(load.getResult(), fetches))
      continue;
    OrReason<SmallVector<tile::SizeAttr>> wanted = getTmaConditions(load);
    if (!wanted || !areImplied(*wanted, conditions))
      continue;
    staged.brought = load;
    staged.isCopiedVector = true;
  }
}

//===----------------------------------------------------------------------===//
// Tiles after a loop of products
//===----------------------------------------------------------------------===//

/// Checks whether loops of `kernel` write tiles to shared memory, for products
/// or to be stored: rings of these are planned later, and gain more.
static bool writesInLoops(KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        bool writes = isa<SmemStoreOp, StoreOp, AtomicOp, TmaStoreOp>(op);
        return writes && isInLoop(op) ? WalkResult::interrupt()
                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

void sm::dropCostlyTiles(SmallVectorImpl<StageableLoad> &loads,
                         ArrayRef<RingFetch> fetches,
                         ArrayRef<StoreChoice> stores, RefuseLoad refuse) {
  SmallVector<tile::SizeAttr> conditions = getConditions(fetches, stores);
  llvm::erase_if(loads, [&](const StageableLoad &staged) {
    LoadOp load = staged.load;
    if (cast<RankedTensorType>(load.getType()).getRank() == 1 ||
        !isBesideProducts(load))
      return false;
    if (writesInLoops(load->getParentOfType<KernelOp>())) {
      refuse(load, "the room is for tiles that a loop writes");
      return true;
    }
    if (endsEarly(load)) {
      refuse(load, "it may end before its tensor does, and the role that "
                   "copies would have to wait for it and clip it");
      return true;
    }
    // A load that cannot be a tensor copy at all is refused with the other
    // loads.
    OrReason<SmallVector<tile::SizeAttr>> wanted = getTmaConditions(load);
    if (!wanted || areImplied(*wanted, conditions))
      return false;
    refuse(load, "a tensor copy of it needs " +
                     llvm::join(llvm::map_range(*wanted,
                                                [](tile::SizeAttr condition) {
                                                  return condition.str();
                                                }),
                                " and ") +
                     " to be 0, and nothing else of this kernel does");
    return true;
  });
}
