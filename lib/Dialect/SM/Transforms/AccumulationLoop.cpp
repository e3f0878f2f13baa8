//===- AccumulationLoop.cpp - Products that accumulate in a loop *- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before:                          After, if the loop runs at all:
//
//   for iter_args(acc)               s0 = wait; p0 = issue a, b, init
//     s = wait                       for iter_args(p = p0, last = s0)
//     acc' = mma a, b, acc             s = wait
//     release s                        p' = issue a, b, p
//     yield acc'                       retire leave 1; release last
//                                      yield p', s
//   pass                             pass; await; release
//
// One product is always in flight. The first one has the initial accumulator as
// a tensor, so a constant zero needs no registers to be set.
//
//===----------------------------------------------------------------------===//

#include "ProductLoops.h"
#include "TripCount.h"
#include "tessera/Dialect/SM/IR/SM.h"

#include "mlir/IR/IRMapping.h"

using namespace tessera;
using namespace tessera::sm;

namespace {
class AccumulationLoop {
public:
  explicit AccumulationLoop(scf::ForOp loop) : loop(loop) {}

  LogicalResult match(std::string &why);
  void replace();

private:
  SmallVector<Value> rewrite(OpBuilder &builder);
  bool isStable(Value operand);
  SmallVector<Value> cloneIteration(OpBuilder &builder, IRMapping &mapping,
                                    ValueRange lastSlots);

  scf::ForOp loop;
  /// By which the loop's rings go to another role, right after it.
  RingPassOp pass;
  SmallVector<MmaOp> products;
  /// The slots that products read, and where they are given back.
  llvm::SetVector<Value> slots;
  SmallPtrSet<Operation *, 4> releases;
};
} // namespace

/// Whether `operand` stays as it is while the product is in flight; notes the
/// slot that it lies in.
bool AccumulationLoop::isStable(Value operand) {
  if (loop.isDefinedOutsideOfLoop(operand))
    return true;
  auto tile = operand.getDefiningOp<SlotTileOp>();
  auto wait = tile ? tile.getSlot().getDefiningOp<RingWaitOp>() : RingWaitOp();
  if (!wait)
    return false;
  if (!loop.isDefinedOutsideOfLoop(tile.getSlot()))
    slots.insert(tile.getSlot());
  return true;
}

LogicalResult AccumulationLoop::match(std::string &why) {
  auto refuse = [&](StringRef reason) {
    why = reason.str();
    return failure();
  };
  Block *body = loop.getBody();
  loop.getBody()->walk([&](MmaOp product) { products.push_back(product); });
  for (MmaOp product : products) {
    if (product->getBlock() != body)
      return refuse("a product stands in a loop or condition within it");
    Value accumulator = product.getAccumulator();
    bool isCarried = llvm::is_contained(loop.getRegionIterArgs(), accumulator);
    bool isChained = accumulator.getDefiningOp<MmaOp>() &&
                     accumulator.getDefiningOp()->getBlock() == body;
    if (!(isCarried || isChained) || !accumulator.hasOneUse() ||
        !product->hasOneUse())
      return refuse("a product does more than add to what the loop carries");
    OpOperand &use = *product->use_begin();
    auto next = dyn_cast<MmaOp>(use.getOwner());
    bool isYielded = use.getOwner() == body->getTerminator();
    if (!isYielded && !(next && next.getAccumulator() == product.getResult()))
      return refuse("a product does more than add to what the loop carries");
    // The accumulator comes back in its own place.
    Value first = accumulator;
    while (auto before = first.getDefiningOp<MmaOp>())
      first = before.getAccumulator();
    if (isYielded &&
        (!isa<BlockArgument>(first) ||
         loop.getTiedLoopYieldedValue(cast<BlockArgument>(first))->get() !=
             product.getResult()))
      return refuse("a product does more than add to what the loop carries");
    if (!isStable(product.getA()) || !isStable(product.getB()))
      return refuse("an operand is made anew in each iteration, outside of a "
                    "ring, while the last product would still read it");
  }
  for (Value slot : slots) {
    auto wait = slot.getDefiningOp<RingWaitOp>();
    if (wait.getRing().getType().getStages() < 2)
      return refuse("a ring of one stage has no slot for the next product "
                    "while this one is in flight");
    for (Operation *user : slot.getUsers()) {
      if (isa<SlotTileOp>(user))
        continue;
      if (!isa<RingReleaseOp>(user) || user->getBlock() != body)
        return refuse("a slot of its operands is not given back in it");
      releases.insert(user);
    }
  }
  if (slots.empty())
    return refuse("no operand arrives through a ring");
  return success();
}

/// Clones an iteration with its products in flight at the end. After the last
/// one, those of the iteration before are complete: `lastSlots` are given back.
SmallVector<Value> AccumulationLoop::cloneIteration(OpBuilder &builder,
                                                    IRMapping &mapping,
                                                    ValueRange lastSlots) {
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (releases.contains(&op))
      continue;
    auto product = dyn_cast<MmaOp>(op);
    if (!product) {
      builder.clone(op, mapping);
      continue;
    }
    Location loc = op.getLoc();
    Value issued =
        issueProduct(builder, product, mapping.lookupOrDefault(product.getA()),
                     mapping.lookupOrDefault(product.getB()),
                     mapping.lookupOrDefault(product.getAccumulator()));
    mapping.map(product.getResult(), issued);
    if (product != products.back() || lastSlots.empty())
      continue;
    MmaRetireOp::create(builder, loc, products.size());
    for (Value slot : lastSlots)
      RingReleaseOp::create(builder, loc, slot);
  }
  SmallVector<Value> carried;
  for (Value value : loop.getYieldedValues())
    carried.push_back(mapping.lookupOrDefault(value));
  for (Value slot : slots)
    carried.push_back(mapping.lookup(slot));
  return carried;
}

SmallVector<Value> AccumulationLoop::rewrite(OpBuilder &builder) {
  Location loc = loop.getLoc();
  unsigned numCarried = loop.getNumRegionIterArgs();
  IRMapping first;
  first.map(loop.getInductionVar(), loop.getLowerBound());
  first.map(loop.getRegionIterArgs(), loop.getInitArgs());
  SmallVector<Value> carried = cloneIteration(builder, first, {});
  Value second =
      arith::AddIOp::create(builder, loc, loop.getLowerBound(), loop.getStep());
  auto rest = scf::ForOp::create(
      builder, loc, second, loop.getUpperBound(), loop.getStep(), carried,
      [&](OpBuilder &inner, Location where, Value position, ValueRange values) {
        IRMapping mapping;
        mapping.map(loop.getInductionVar(), position);
        mapping.map(loop.getRegionIterArgs(), values.take_front(numCarried));
        scf::YieldOp::create(
            inner, where,
            cloneIteration(inner, mapping, values.drop_front(numCarried)));
      },
      loop.getUnsignedCmp());
  rest->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  // The products of the next role may queue up after the last one.
  if (pass)
    builder.clone(*pass);
  SmallVector<Value> results;
  for (Value result : rest.getResults().take_front(numCarried)) {
    auto pending = dyn_cast<PendingType>(result.getType());
    results.push_back(pending ? MmaAwaitOp::create(builder, loc,
                                                   pending.getTensor(), result,
                                                   /*leave=*/0)
                                    .getResult()
                              : result);
  }
  for (Value slot : rest.getResults().drop_front(numCarried))
    RingReleaseOp::create(builder, loc, slot);
  return results;
}

void AccumulationLoop::replace() {
  pass = dyn_cast_or_null<RingPassOp>(loop->getNextNode());
  scf::IfOp branch =
      replaceIfRun(loop, [&](OpBuilder &builder) { return rewrite(builder); });
  if (pass && branch)
    pass->moveBefore(branch.elseBlock()->getTerminator());
  else if (pass)
    pass.erase();
}

LogicalResult sm::overlapAccumulation(scf::ForOp loop, std::string &why) {
  AccumulationLoop accumulation(loop);
  if (failed(accumulation.match(why)))
    return failure();
  accumulation.replace();
  return success();
}
