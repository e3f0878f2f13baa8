//===- PipelinedLoop.cpp - A loop with fetches in flight --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelinedLoop.h"
#include "Roles/RingPlan.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// Kinds of loops
//===----------------------------------------------------------------------===//

/// Collects the ops that compute `value` in an iteration; they must be
/// available in earlier iterations.
Reason PipelinedLoop::addPosition(Value value,
                                  llvm::SetVector<Operation *> &found) {
  if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar())
    return Reason::none();
  Operation *op = value.getDefiningOp();
  if (!op)
    return "its position depends on what the loop carries";
  if (op->getBlock() != loop.getBody() || op->getNumRegions() != 0 ||
      !isMemoryEffectFree(op) || !value.getType().isIntOrIndexOrFloat())
    return "its position depends on more than scalars";
  for (Value operand : op->getOperands())
    if (Reason reason = addPosition(operand, found))
      return reason;
  found.insert(op);
  return Reason::none();
}

Reason PipelinedLoop::matchFetch(FetchOp fetch) {
  if (fetch.getGlobalType().isWritable())
    return "the kernel writes its tensor";
  if (Reason reason = findLastUse(fetch).getReason())
    return reason;
  // Slots lie one after the other.
  SmemType tile = fetch.getType();
  if (tile.getBytes() % tile.getAlignment() != 0)
    return "slots of its tile would not be aligned";
  llvm::SetVector<Operation *> found;
  for (Value operand : fetch->getOperands())
    if (Reason reason = addPosition(operand, found))
      return reason;
  positions.insert_range(found);
  fetches.push_back(fetch);
  return Reason::none();
}

LogicalResult
PipelinedLoop::match(function_ref<void(FetchOp, StringRef)> refuse) {
  // Nothing can run ahead of a single iteration.
  auto count = loop->getAttrOfType<IntegerAttr>(tile::kMaxTripCountAttrName);
  if (count && count.getInt() == 1)
    return failure();
  bool isInnermost = true;
  loop.getBody()->walk([&](LoopLikeOpInterface inner) { isInnermost = false; });
  for (FetchOp fetch : loop.getBody()->getOps<FetchOp>()) {
    Reason obstacle =
        isInnermost ? matchFetch(fetch) : "its loop holds another one";
    if (obstacle)
      refuse(fetch, obstacle.str());
  }
  return success(!fetches.empty());
}

//===----------------------------------------------------------------------===//
// The new loop
//===----------------------------------------------------------------------===//

static Value makeI32(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(value));
}

Value PipelinedLoop::isIteration(OpBuilder &builder, Value position,
                                 int64_t steps, Value &later) {
  Location loc = loop.getLoc();
  later = position;
  if (steps) {
    Value distance = loop.getStep();
    if (steps > 1)
      distance = arith::MulIOp::create(
          builder, loc, distance,
          arith::ConstantOp::create(
              builder, loc, builder.getIntegerAttr(distance.getType(), steps)));
    later = arith::AddIOp::create(builder, loc, position, distance);
  }
  return arith::CmpIOp::create(builder, loc,
                               loop.getUnsignedCmp()
                                   ? arith::CmpIPredicate::ult
                                   : arith::CmpIPredicate::slt,
                               later, loop.getUpperBound());
}

void PipelinedLoop::startIf(OpBuilder &builder, Value condition, Value position,
                            Value slot) {
  auto branch = scf::IfOp::create(builder, loop.getLoc(), condition,
                                  /*withElseRegion=*/false);
  OpBuilder inner = branch.getThenBodyBuilder();
  start(inner, position, slot);
}

void PipelinedLoop::start(OpBuilder &inner, Value position, Value slot) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), position);
  for (Operation *op : positions)
    inner.clone(*op, mapping);
  auto lookup = [&](ValueRange values) {
    return llvm::map_to_vector(
        values, [&](Value value) { return mapping.lookupOrDefault(value); });
  };
  for (auto [fetch, ring] : llvm::zip_equal(fetches, rings)) {
    Location loc = fetch.getLoc();
    Value tile = SlotsAtOp::create(inner, loc, fetch.getType(), ring, slot);
    FetchStartOp::create(
        inner, loc, fetch.getGlobal(), lookup(fetch.getIndices()),
        lookup(fetch.getLimits()),
        fetch.getMask() ? mapping.lookupOrDefault(fetch.getMask()) : Value(),
        fetch.getDimsAttr(), fetch.getInBoundsAttr(), tile,
        /*fill=*/TypedAttr());
  }
}

/// Steps after this one are in flight, as long as there are any; in the last
/// ones nothing is.
void PipelinedLoop::awaitSlot(OpBuilder &builder, Value position) {
  Location loc = loop.getLoc();
  auto await = [](int64_t leave) {
    return [leave](OpBuilder &at, Location where) {
      FetchAwaitOp::create(at, where, leave);
      scf::YieldOp::create(at, where);
    };
  };
  if (slots == 2) {
    FetchAwaitOp::create(builder, loc, /*leave=*/0);
    return;
  }
  Value later;
  Value areInFlight = isIteration(builder, position, slots - 2, later);
  scf::IfOp::create(builder, loc, areInFlight,
                    await((slots - 2) * fetches.size()), await(0));
}

/// Clones an iteration; its first product is in flight while `fill` is done.
void PipelinedLoop::cloneBody(OpBuilder &builder, IRMapping &mapping,
                              function_ref<void(OpBuilder &)> fill) {
  auto products = loop.getBody()->getOps<MmaOp>();
  if (products.empty())
    fill(builder);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (llvm::is_contained(fetches, &op))
      continue;
    auto product = dyn_cast<MmaOp>(op);
    if (!product || product != *products.begin()) {
      builder.clone(op, mapping);
      continue;
    }
    Location loc = op.getLoc();
    Value pending = MmaIssueOp::create(
        builder, loc, PendingType::get(op.getContext(), product.getType()),
        mapping.lookupOrDefault(product.getA()),
        mapping.lookupOrDefault(product.getB()),
        mapping.lookupOrDefault(product.getAccumulator()),
        product.getTransposeA(), product.getTransposeB());
    fill(builder);
    mapping.map(product.getResult(),
                MmaAwaitOp::create(builder, loc, product.getType(), pending,
                                   /*leave=*/0)
                    .getResult());
  }
}

/// Starts the fetches of the first steps, for which slots are free.
void PipelinedLoop::startFirst(OpBuilder &builder) {
  Location loc = loop.getLoc();
  Value first = makeI32(builder, loc, 0), end;
  if (slots == 2) {
    Value exists = isIteration(builder, loop.getLowerBound(), 0, end);
    return startIf(builder, exists, end, first);
  }
  // A loop, since a fetch is much code.
  Value isWithin = isIteration(builder, loop.getLowerBound(), slots - 1, end);
  end = arith::SelectOp::create(builder, loc, isWithin, end,
                                loop.getUpperBound());
  scf::ForOp::create(
      builder, loc, loop.getLowerBound(), end, loop.getStep(), first,
      [&](OpBuilder &inner, Location where, Value position, ValueRange slot) {
        start(inner, position, slot.front());
        Value next = arith::AddIOp::create(inner, where, slot.front(),
                                           makeI32(inner, where, 1));
        scf::YieldOp::create(inner, where, next);
      },
      loop.getUnsignedCmp());
}

void PipelinedLoop::rewrite(int64_t count) {
  slots = count;
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  MLIRContext *context = loop.getContext();
  for (FetchOp fetch : fetches)
    rings.push_back(
        SlotsAllocOp::create(builder, fetch.getLoc(),
                             SlotsType::get(context, slots, fetch.getType()),
                             /*planned=*/IntegerAttr(),
                             /*address=*/IntegerAttr()));
  startFirst(builder);

  unsigned numCarried = loop.getNumRegionIterArgs();
  SmallVector<Value> carried(loop.getInitArgs());
  carried.push_back(makeI32(builder, loc, 0));
  auto pipelined = scf::ForOp::create(
      builder, loc, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
      carried,
      [&](OpBuilder &inner, Location where, Value position, ValueRange values) {
        Value slot = values.back();
        IRMapping mapping;
        mapping.map(loop.getInductionVar(), position);
        mapping.map(loop.getRegionIterArgs(), values.take_front(numCarried));
        awaitSlot(inner, position);
        for (auto [fetch, ring] : llvm::zip_equal(fetches, rings))
          mapping.map(fetch.getResult(),
                      SlotsAtOp::create(inner, fetch.getLoc(), fetch.getType(),
                                        ring, slot)
                          .getResult());
        cloneBody(inner, mapping, [&](OpBuilder &at) {
          Value later;
          Value exists = isIteration(at, position, slots - 1, later);
          startIf(at, exists, later,
                  SlotAfterOp::create(at, where, slot.getType(), slot,
                                      slots - 1, slots));
        });
        SmallVector<Value> next;
        for (Value value : loop.getYieldedValues())
          next.push_back(mapping.lookupOrDefault(value));
        next.push_back(SlotAfterOp::create(inner, where, slot.getType(), slot,
                                           /*distance=*/1, slots));
        scf::YieldOp::create(inner, where, next);
      },
      loop.getUnsignedCmp());
  pipelined->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  FetchAwaitOp::create(builder, loc, /*leave=*/0);
  loop->replaceAllUsesWith(pipelined.getResults().take_front(numCarried));
  loop.erase();
}
