//===- SlotCounts.cpp - Bounds on slots in use ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlotCounts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace tessera;
using namespace tessera::sm;

/// An upper bound of a number of slots; the largest one says that there is
/// none, and stays so under sums and products.
using Bound = uint64_t;
static constexpr Bound kNone = std::numeric_limits<Bound>::max();

static Bound countIn(Block &block, Value ring);

/// Slots of `ring` that one execution of `op` takes.
static Bound countIn(Operation *op, Value ring) {
  if (isa<RingAcquireOp, RingWaitOp>(op))
    return op->getOperand(0) == ring;
  Bound most = 0;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      most = std::max(most, countIn(block, ring));
  if (most == 0 || isa<scf::IfOp>(op))
    return most;
  auto loop = dyn_cast<scf::ForOp>(op);
  std::optional<llvm::APInt> trips =
      loop ? loop.getStaticTripCount() : std::nullopt;
  return trips ? llvm::SaturatingMultiply(most, trips->getLimitedValue())
               : kNone;
}

static Bound countIn(Block &block, Value ring) {
  Bound sum = 0;
  for (Operation &op : block)
    sum = llvm::SaturatingAdd(sum, countIn(&op, ring));
  return sum;
}

/// Slots of `ring` that a role takes on one side of `op`: all that may have
/// been taken before it starts, or may be taken once it is done.
static Bound countBeside(Operation *op, Value ring, bool isAfter) {
  Bound sum = 0;
  for (; !isa<RoleOp, KernelOp>(op); op = op->getParentOp()) {
    // Other iterations come before and after this one.
    if (isa<LoopLikeOpInterface>(op) && countIn(op, ring) > 0)
      return kNone;
    auto next = [&](Operation *at) {
      return isAfter ? at->getNextNode() : at->getPrevNode();
    };
    for (Operation *other = next(op); other; other = next(other))
      sum = llvm::SaturatingAdd(sum, countIn(other, ring));
  }
  return sum;
}

/// Slots that are newer than `slot` where `op` starts.
static Bound countNewer(Value slot, Operation *op, Value ring);

/// The same at the end of `block`, for a slot that its terminator yields.
static Bound countNewerAtEnd(Block &block, unsigned index, Value ring) {
  Operation *yield = block.getTerminator();
  return countNewer(yield->getOperand(index), yield, ring);
}

/// The same where `slot` becomes a value.
static Bound countNewerAtStart(Value slot, Value ring) {
  auto result = dyn_cast<OpResult>(slot);
  if (!result)
    return kNone;
  unsigned index = result.getResultNumber();
  if (isa<RingWaitOp>(result.getOwner()))
    return 0;
  if (auto branch = dyn_cast<scf::IfOp>(result.getOwner()))
    return std::max(countNewerAtEnd(*branch.thenBlock(), index, ring),
                    countNewerAtEnd(*branch.elseBlock(), index, ring));
  // A loop that never runs yields its initial values, and uses no slot.
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    return std::max(countNewer(loop.getInitArgs()[index], loop, ring),
                    countNewerAtEnd(*loop.getBody(), index, ring));
  return kNone;
}

static Bound countNewer(Value slot, Operation *op, Value ring) {
  Bound sum = countNewerAtStart(slot, ring);
  for (; op && sum != kNone; op = op->getParentOp()) {
    bool isThere = op->getBlock() == slot.getParentBlock();
    Operation *other = op->getPrevNode();
    for (; other && other != slot.getDefiningOp(); other = other->getPrevNode())
      sum = llvm::SaturatingAdd(sum, countIn(other, ring));
    if (isThere)
      return sum;
    if (!isa<scf::IfOp>(op->getParentOp()))
      return kNone;
  }
  return kNone;
}

bool sm::isFirstFilling(RingAcquireOp acquire) {
  Bound before = countBeside(acquire, acquire.getRing(), /*isAfter=*/false);
  return before < static_cast<Bound>(acquire.getRing().getType().getSlots());
}

bool sm::isLastUse(RingReleaseOp release, Value ring) {
  Bound newer = countNewer(release.getSlot(), release, ring);
  Bound later = countBeside(release, ring, /*isAfter=*/true);
  return llvm::SaturatingAdd(newer, later) <
         static_cast<Bound>(cast<RingType>(ring.getType()).getSlots());
}
