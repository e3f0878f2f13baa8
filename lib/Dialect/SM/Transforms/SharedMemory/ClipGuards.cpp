//===- ClipGuards.cpp - Clips where there is something to clip --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClipGuards.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace tessera;
using namespace tessera::sm;

/// Returns the next op of the block that touches memory.
static Operation *getNextEffect(Operation *op) {
  do
    op = op->getNextNode();
  while (op && isPure(op) && !isa<SharedAccessOpInterface>(op));
  return op;
}

static int64_t getExtent(ClipOp clip) {
  return clip.getTile().getType().getShape()[clip.getAxis()];
}

/// Checks whether both have something to do, or none has.
static bool haveOneCondition(ClipOp a, ClipOp b) {
  return a.getLimit() == b.getLimit() && getExtent(a) == getExtent(b);
}

/// Whether `clip` has something to do.
static Value makeCondition(OpBuilder &builder, ClipOp clip) {
  Location loc = clip.getLoc();
  Value extent = arith::ConstantIndexOp::create(builder, loc, getExtent(clip));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                               clip.getLimit(), extent);
}

/// Makes one condition for consecutive `clips`, at the last one, where all
/// values that they use are defined.
static scf::IfOp guard(MutableArrayRef<ClipOp> clips) {
  OpBuilder builder(clips.back());
  Location loc = clips.front().getLoc();
  // Clips with the same condition need no other one within the common one.
  SmallVector<Value> conditions;
  Value any;
  for (auto [index, clip] : llvm::enumerate(clips)) {
    if (index > 0 && haveOneCondition(clip, clips[index - 1])) {
      conditions.push_back(conditions.back());
      continue;
    }
    Value condition = makeCondition(builder, clip);
    any = any ? arith::OrIOp::create(builder, loc, any, condition).getResult()
              : condition;
    conditions.push_back(condition);
  }
  auto branch = scf::IfOp::create(builder, loc, any, /*withElseRegion=*/false);
  Operation *end = branch.thenBlock()->getTerminator();
  for (auto [index, clip] : llvm::enumerate(clips)) {
    Operation *place = end;
    if (conditions[index] != any) {
      OpBuilder inner(end);
      auto own = scf::IfOp::create(inner, loc, conditions[index],
                                   /*withElseRegion=*/false);
      place = own.thenBlock()->getTerminator();
    }
    clip->moveBefore(place);
  }
  OpBuilder inner(end);
  FenceOp::create(inner, loc);
  BarrierOp::create(inner, loc);
  return branch;
}

SmallVector<scf::IfOp> sm::guardClips(KernelOp kernel) {
  SmallVector<SmallVector<ClipOp>> groups;
  kernel.getBody().walk([&](ClipOp clip) {
    if (groups.empty() || getNextEffect(groups.back().back()) != clip)
      groups.emplace_back();
    groups.back().push_back(clip);
  });
  SmallVector<scf::IfOp> guards;
  for (SmallVector<ClipOp> &clips : groups)
    guards.push_back(guard(clips));
  return guards;
}

void sm::eraseDoubledInGuards(ArrayRef<scf::IfOp> guards) {
  for (scf::IfOp branch : guards) {
    Operation *barrier = branch.thenBlock()->getTerminator()->getPrevNode();
    Operation *next = getNextEffect(branch);
    if (auto fence = dyn_cast_or_null<FenceOp>(next)) {
      next = getNextEffect(fence);
      if (!isa_and_present<BarrierOp>(next))
        continue;
      barrier->getPrevNode()->erase();
    }
    if (isa_and_present<BarrierOp>(next))
      barrier->erase();
  }
}
