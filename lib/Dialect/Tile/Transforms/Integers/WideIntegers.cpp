//===- WideIntegers.cpp - Scalars in 64 bits --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rebuilds integer arithmetic in i64, on demand and by memoized recursion on
// the operands. The recursion ends at values that PositionBounds proves to have
// 32 bits; these are sign-extended. Loops and branches carry i64 before any
// other value is requested (widenCarried).
//
// Invariant: the i64 value equals the result of the operation in 64-bit
// arithmetic.
//
//===----------------------------------------------------------------------===//

#include "WideIntegers.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::tile;

bool tile::isModular(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::SelectOp>(op);
}

//===----------------------------------------------------------------------===//
// Values carried by loops and branches
//===----------------------------------------------------------------------===//

static Value makeCast(OpBuilder &builder, Location loc, Type type,
                      Value value) {
  return arith::IndexCastOp::create(builder, loc, type, value);
}

scf::ForOp WideIntegers::widenLoop(scf::ForOp loop) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Type i64 = builder.getI64Type();
  SmallVector<bool> isWide;
  SmallVector<Value> inits;
  for (auto [init, argument] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs())) {
    isWide.push_back(argument.getType().isIndex() && !fits(argument));
    inits.push_back(isWide.back() ? makeCast(builder, loc, i64, init) : init);
  }
  if (!llvm::is_contained(isWide, true))
    return loop;
  auto made = scf::ForOp::create(builder, loc, loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(), inits);
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  if (!made.getBody()->empty())
    made.getBody()->getTerminator()->erase();
  SmallVector<Value> arguments{made.getInductionVar()};
  builder.setInsertionPointToStart(made.getBody());
  for (auto [wide, argument] :
       llvm::zip_equal(isWide, made.getRegionIterArgs()))
    arguments.push_back(
        wide ? makeCast(builder, loc, builder.getIndexType(), argument)
             : Value(argument));
  made.getBody()->getOperations().splice(made.getBody()->end(),
                                         loop.getBody()->getOperations());
  for (auto [from, to] :
       llvm::zip_equal(loop.getBody()->getArguments(), arguments))
    from.replaceAllUsesWith(to);
  Operation *yield = made.getBody()->getTerminator();
  builder.setInsertionPoint(yield);
  for (auto [i, wide] : llvm::enumerate(isWide))
    if (wide)
      yield->setOperand(i, makeCast(builder, loc, i64, yield->getOperand(i)));
  builder.setInsertionPointAfter(made);
  for (auto [i, wide] : llvm::enumerate(isWide))
    loop.getResult(i).replaceAllUsesWith(
        wide ? makeCast(builder, loc, builder.getIndexType(), made.getResult(i))
             : made.getResult(i));
  loop.erase();
  return made;
}

scf::IfOp WideIntegers::widenBranch(scf::IfOp branch) {
  OpBuilder builder(branch);
  Location loc = branch.getLoc();
  Type i64 = builder.getI64Type();
  SmallVector<Type> types;
  SmallVector<bool> isWide;
  for (Value result : branch.getResults()) {
    isWide.push_back(result.getType().isIndex() && !fits(result));
    types.push_back(isWide.back() ? i64 : result.getType());
  }
  if (!llvm::is_contained(isWide, true))
    return branch;
  auto made = scf::IfOp::create(builder, loc, types, branch.getCondition(),
                                /*addThenBlock=*/false,
                                /*addElseBlock=*/false);
  made.getThenRegion().takeBody(branch.getThenRegion());
  made.getElseRegion().takeBody(branch.getElseRegion());
  for (scf::YieldOp yield : {made.thenYield(), made.elseYield()}) {
    builder.setInsertionPoint(yield);
    for (auto [i, wide] : llvm::enumerate(isWide))
      if (wide)
        yield->setOperand(i, makeCast(builder, loc, i64, yield.getOperand(i)));
  }
  builder.setInsertionPointAfter(made);
  for (auto [i, wide] : llvm::enumerate(isWide))
    branch.getResult(i).replaceAllUsesWith(
        wide ? makeCast(builder, loc, builder.getIndexType(), made.getResult(i))
             : made.getResult(i));
  branch.erase();
  return made;
}

void WideIntegers::widenCarried() {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isa<scf::ForOp, scf::IfOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (auto loop = dyn_cast<scf::ForOp>(op))
      widenLoop(loop);
    else
      widenBranch(cast<scf::IfOp>(op));
  clear();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void WideIntegers::clear() {
  bounds.clear();
  known.clear();
}

bool WideIntegers::fitsEnd(Value range) {
  int64_t extent = cast<RangeType>(range.getType()).getExtent();
  Interval start = bounds.getStart(range);
  return start.low >= kInt32.low && start.high <= kInt32.high - extent &&
         kInt32.contains(bounds.getLimit(range));
}

bool WideIntegers::hasNarrowOperands(Operation *op) {
  if (auto end = dyn_cast<EndOp>(op))
    return fitsEnd(end.getRange());
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return !operand.getType().isIndex() || fits(operand);
  });
}

Value WideIntegers::get(Value value) {
  if (Value wide = known.lookup(value))
    return wide;
  return known[value] = compute(value);
}

Value WideIntegers::compute(Value value) {
  Operation *op = value.getDefiningOp();
  // Operations with 32-bit operands and results are right in 32 bits, and so
  // are sums with 32-bit results.
  if (op && !(fits(value) && (isModular(op) || hasNarrowOperands(op))))
    return recompute(value);
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  return makeCast(builder, value.getLoc(), builder.getI64Type(), value);
}

Value WideIntegers::recompute(Value value) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Location loc = value.getLoc();
  Type i64 = builder.getI64Type();
  Operation *op = value.getDefiningOp();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::ConstantOp constant) -> Value {
        return arith::ConstantIntOp::create(
            builder, loc, i64, cast<IntegerAttr>(constant.getValue()).getInt());
      })
      .Case([&](arith::IndexCastOp narrow) -> Value {
        Value source = narrow.getIn();
        if (source.getType().isInteger(64))
          return source;
        return arith::ExtSIOp::create(builder, loc, i64, source);
      })
      .Case([&](StartOp start) { return getRange(start.getRange()).start; })
      .Case([&](LimitOp limit) { return getRange(limit.getRange()).limit; })
      .Case([&](EndOp end) {
        Value range = end.getRange();
        int64_t extent = cast<RangeType>(range.getType()).getExtent();
        return makeEnd(builder, loc, getRange(range), extent);
      })
      .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp,
            arith::FloorDivSIOp, arith::CeilDivSIOp, arith::RemSIOp,
            arith::MinSIOp, arith::MaxSIOp, arith::SelectOp, math::AbsIOp>(
          [&](auto) {
            SmallVector<Value> operands;
            for (Value operand : op->getOperands())
              operands.push_back(operand.getType().isIndex() ? get(operand)
                                                             : operand);
            return builder
                .create(loc, op->getName().getIdentifier(), operands, i64)
                ->getResult(0);
          })
      .Default([&](Operation *) { return makeCast(builder, loc, i64, value); });
}

Value WideIntegers::makeEnd(OpBuilder &builder, Location loc,
                            const Range &range, int64_t extent) {
  Type i64 = builder.getI64Type();
  Value last = arith::ConstantIntOp::create(
      builder, loc, i64, std::numeric_limits<int64_t>::max() - extent);
  Value distance = arith::ConstantIntOp::create(builder, loc, i64, extent);
  Value start = arith::MinSIOp::create(builder, loc, range.start, last);
  Value end = arith::AddIOp::create(builder, loc, start, distance);
  return arith::MinSIOp::create(builder, loc, end, range.limit);
}

WideIntegers::Range WideIntegers::getRange(Value range) {
  if (auto op = range.getDefiningOp<RangeOp>())
    return {get(op.getStart()), get(op.getLimit())};
  OpBuilder builder(range.getContext());
  builder.setInsertionPointAfterValue(range);
  Location loc = range.getLoc();
  Type i64 = builder.getI64Type();
  if (auto shift = range.getDefiningOp<ShiftOp>()) {
    Range source = getRange(shift.getRange());
    Value offset = get(shift.getOffset());
    return {arith::AddIOp::create(builder, loc, source.start, offset),
            arith::AddIOp::create(builder, loc, source.limit, offset)};
  }
  Type index = builder.getIndexType();
  Value start = StartOp::create(builder, loc, index, range);
  Value limit = LimitOp::create(builder, loc, index, range);
  return {makeCast(builder, loc, i64, start),
          makeCast(builder, loc, i64, limit)};
}

Value WideIntegers::clamp(OpBuilder &builder, Location loc, Value wide,
                          Interval interval) {
  Type i64 = builder.getI64Type();
  Value low = arith::ConstantIntOp::create(builder, loc, i64, interval.low);
  Value high = arith::ConstantIntOp::create(builder, loc, i64, interval.high);
  Value raised = arith::MaxSIOp::create(builder, loc, wide, low);
  Value bounded = arith::MinSIOp::create(builder, loc, raised, high);
  return makeCast(builder, loc, builder.getIndexType(), bounded);
}
