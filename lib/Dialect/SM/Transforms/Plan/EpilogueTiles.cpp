//===- EpilogueTiles.cpp - Tiles that follow products -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueTiles.h"
#include "Roles/TensorStore.h"

#include "tessera/Dialect/SM/IR/Target.h"

using namespace tessera;
using namespace tessera::sm;

static bool endsEarly(LoadOp load) {
  for (unsigned axis = 0; axis < load.getDims().size(); ++axis)
    if (mayEndEarly(load, axis))
      return true;
  return false;
}

/// Checks whether loops of `kernel` write tiles to shared memory, for products
/// or to be stored: rings of these are planned later, and gain more.
static bool writesInLoops(KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        bool writes = isa<SmemStoreOp, StoreOp, AtomicAddOp, TmaStoreOp>(op);
        return writes && isInLoop(op) ? WalkResult::interrupt()
                                      : WalkResult::advance();
      })
      .wasInterrupted();
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

void sm::dropCostlyTiles(SmallVectorImpl<StageableLoad> &loads,
                         ArrayRef<RingFetch> fetches,
                         ArrayRef<StoreChoice> stores, RefuseLoad refuse) {
  SmallVector<tile::SizeAttr> conditions;
  for (const RingFetch &fetch : fetches)
    conditions.push_back(fetch.condition);
  for (const StoreChoice &store : stores)
    conditions.push_back(matchTensorStore(store.op)->condition);
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
      refuse(load, "it may end before its tensor does, and threads would have "
                   "to clip what a tensor copy brings");
      return true;
    }
    // A load that cannot be a tensor copy at all is refused with the other
    // loads.
    OrReason<tile::SizeAttr> condition =
        getTmaCondition(getTarget(load), load.getGlobalType());
    if (!condition || !*condition ||
        llvm::any_of(conditions, [&](tile::SizeAttr known) {
          return known && implies(known, *condition);
        }))
      return false;
    refuse(load, "a tensor copy of it needs " + condition->str() +
                     " to be 0, and nothing else of this kernel does");
    return true;
  });
}
