//===- UnswitchLoops.cpp - Loops without unneeded masks ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-unswitch-loops. A mask that tile-guard-masks made conditional
// divides the body of a loop into blocks, and ptxas schedules instructions
// within a block only. So all exponentials before the condition come before all
// conversions after it. The pass makes two loops of MMAs without such
// conditions: one always masks, the other never does.
//
// Conditions that depend on no iteration select one of the two loops. Of other
// conditions, each begins or ceases to hold with one iteration. The second loop
// then continues where the first one ends, with the values that it carries, so
// that copies and products stay in flight from one to the other.
//
//===----------------------------------------------------------------------===//

#include "LoopMasks.h"

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera::sm {
#define GEN_PASS_DEF_UNSWITCHLOOPSPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// Copies the loop without masks.
static scf::ForOp clonePlain(const LoopMasks &masks, OpBuilder &builder) {
  IRMapping mapping;
  auto plain = cast<scf::ForOp>(builder.clone(*masks.getLoop(), mapping));
  for (scf::IfOp mask : masks.getMasks()) {
    auto copy = cast<scf::IfOp>(mapping.lookup(mask.getOperation()));
    copy->replaceAllUsesWith(copy.thenYield().getOperands());
    copy.erase();
  }
  return plain;
}

/// Replaces each mask by what it does where its condition does not hold.
static void dropConditions(ArrayRef<scf::IfOp> masks) {
  for (scf::IfOp mask : masks) {
    Block *body = mask.elseBlock();
    mask->replaceAllUsesWith(mask.elseYield().getOperands());
    mask.elseYield().erase();
    mask->getBlock()->getOperations().splice(mask->getIterator(),
                                             body->getOperations());
    mask.erase();
  }
}

/// Makes a branch that selects a loop without masks where `common` holds.
static void select(const LoopMasks &masks, OpBuilder &builder, Value common) {
  scf::ForOp loop = masks.getLoop();
  Location loc = loop.getLoc();
  auto branch = scf::IfOp::create(builder, loc, loop.getResultTypes(), common,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  loop->replaceAllUsesWith(branch);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::ForOp plain = clonePlain(masks, builder);
  scf::YieldOp::create(builder, loc, plain.getResults());
  Block *otherwise = branch.elseBlock();
  loop->moveBefore(otherwise, otherwise->begin());
  builder.setInsertionPointToEnd(otherwise);
  scf::YieldOp::create(builder, loc, loop.getResults());
}

/// Makes `next` run from `threshold` on, after `loop` has run up to there.
static void chain(scf::ForOp loop, scf::ForOp next, Value threshold) {
  loop.getUpperBoundMutable().set(threshold);
  next.getLowerBoundMutable().set(threshold);
  next.getInitArgsMutable().assign(loop.getResults());
}

/// Replaces the loop by a loop with masks and a loop without them.
static void unswitch(LoopMasks &masks) {
  scf::ForOp loop = masks.getLoop();
  OpBuilder builder(loop);
  Value common = masks.makeCommonCondition(builder);
  if (masks.areInvariant()) {
    select(masks, builder, common);
    return;
  }
  Value threshold = masks.makeThreshold(builder, common);
  if (masks.begins())
    builder.setInsertionPointAfter(loop);
  scf::ForOp plain = clonePlain(masks, builder);
  dropConditions(masks.getMasks());
  if (masks.begins()) {
    loop->replaceAllUsesWith(plain);
    chain(loop, plain, threshold);
  } else {
    chain(plain, loop, threshold);
  }
}

namespace {
struct UnswitchLoops : sm::impl::UnswitchLoopsPassBase<UnswitchLoops> {
  using UnswitchLoopsPassBase::UnswitchLoopsPassBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (!loop.getBody()->getOps<MmaIssueOp>().empty() &&
          llvm::none_of(loop.getResultTypes(), llvm::IsaPred<PendingType>))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      if (LoopMasks masks(loop); !masks.getMasks().empty()) {
        unswitch(masks);
        ++numLoops;
      }
  }
};
} // namespace
