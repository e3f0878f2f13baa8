//===- ControlFlow.cpp - Loops and branches of a kernel ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile that a loop carries has one buffer. The next value is written to it
// at the end of an iteration, directly if no other next value depends on the
// old one, else through a copy. Scalars and ranges remain SSA values.
//
// As in the interpreter, a loop counts its iterations first, so that the last
// addition cannot overflow.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "tessera/Dialect/Tile/IR/EarlyExit.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace tessera;
using namespace tessera::host;
using namespace tessera::tile;

void KernelLowering::flattenTypes(Type type, SmallVectorImpl<Type> &types) {
  if (isa<RangeType>(type))
    types.append(2, builder.getIndexType());
  else if (!isa<RankedTensorType>(type))
    types.push_back(getHeldType(type));
}

void KernelLowering::flatten(Value value, SmallVectorImpl<Value> &parts) {
  if (isa<RangeType>(value.getType())) {
    HostRange range = getRange(value);
    parts.append({range.start, range.limit});
  } else if (!isa<RankedTensorType>(value.getType())) {
    parts.push_back(getScalar(value));
  }
}

void KernelLowering::setParts(Value value, ArrayRef<Value> &parts) {
  if (auto type = dyn_cast<RangeType>(value.getType())) {
    values[value] = makeRange(parts[0], parts[1], type.getExtent());
    parts = parts.drop_front(2);
  } else if (!isa<RankedTensorType>(value.getType())) {
    values[value] = parts.front();
    parts = parts.drop_front();
  }
}

void KernelLowering::setCarried(ValueRange targets, ValueRange parts,
                                ArrayRef<BufferRef> buffers) {
  SmallVector<Value> list(parts);
  ArrayRef<Value> rest(list);
  unsigned next = 0;
  for (Value target : targets) {
    setParts(target, rest);
    if (auto tensor = dyn_cast<RankedTensorType>(target.getType()))
      values[target] = makeRead(tensor, buffers[next++]);
  }
}

LogicalResult KernelLowering::lowerFor(scf::ForOp op) {
  Type type = op.getInductionVar().getType();
  for (Type carried : op.getResultTypes())
    if (!isSupportedType(carried))
      return refuse(op);
  Location forLoc = loc;
  ElementBuilder elements = getElements();
  Value lower = getScalar(op.getLowerBound());
  Value upper = getScalar(op.getUpperBound());
  Value step = getScalar(op.getStep());
  Value zero = elements.getInteger(0, type);
  bool isUnsigned = op.getUnsignedCmp();
  Value isWrong =
      compare(isUnsigned ? arith::CmpIPredicate::eq : arith::CmpIPredicate::sle,
              step, zero);
  failIf(isWrong);
  Value isEmpty = compare(isUnsigned ? arith::CmpIPredicate::uge
                                     : arith::CmpIPredicate::sge,
                          lower, upper);
  Value one = elements.getInteger(1, type);
  Value stride = arith::SelectOp::create(builder, loc, isWrong, one, step);
  Value distance = arith::SubIOp::create(builder, loc, upper, lower);
  // Rounded up, if there is a distance.
  Value trips =
      add(arith::DivUIOp::create(
              builder, loc, arith::SubIOp::create(builder, loc, distance, one),
              stride),
          one);
  trips = arith::SelectOp::create(
      builder, loc, arith::OrIOp::create(builder, loc, isEmpty, isWrong), zero,
      trips);
  if (!type.isIndex())
    trips = arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                         trips);
  std::optional<unsigned> runs = findEarlyExit(op);
  // A loop that may end early counts the steps of each iteration.
  if (!runs)
    trips = takeSteps(trips, *op.getBody());

  SmallVector<BufferRef> buffers;
  SmallVector<Value> init;
  for (Value value : op.getInitArgs()) {
    flatten(value, init);
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor)
      continue;
    buffers.push_back(allocate(tensor));
    buffers.back()->isCarried = true;
    evaluateInto(getTile(value), buffers.back());
  }

  // The number of the iteration is the first argument of the body.
  Operation *loop = nullptr;
  Block *body = nullptr;
  if (runs) {
    auto exiting = makeExitingLoop(op, *runs, trips, init);
    loop = exiting;
    body = exiting.getAfterBody();
  } else {
    auto counted =
        scf::ForOp::create(builder, loc, getIndex(0), trips, getIndex(1), init);
    loop = counted;
    body = counted.getBody();
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(body);
    Value trip = body->getArgument(0), position = trip;
    if (!type.isIndex())
      position = arith::IndexCastOp::create(builder, loc, type, trip);
    values[op.getInductionVar()] = add(lower, multiply(position, stride));
    SmallVector<Value> entered(body->getArguments().drop_front());
    setCarried(op.getRegionIterArgs(), entered, buffers);
    std::optional<KeptState> kept;
    if (runs && isEndlessIfRepeated(op))
      kept = keepState(op, trip, buffers);
    if (failed(this->lower(*op.getBody())))
      return failure();

    SmallVector<Value> next;
    if (runs)
      next.push_back(add(trip, getIndex(1)));
    SmallVector<ExpressionRef> tiles;
    for (Value value : op.getBody()->getTerminator()->getOperands()) {
      flatten(value, next);
      if (isa<RankedTensorType>(value.getType()))
        tiles.push_back(getTile(value));
    }
    // A next value may be written directly if it depends on the old one only
    // element by element, and no other next value depends on it.
    SmallVector<bool> direct;
    for (auto [i, tile] : llvm::enumerate(tiles)) {
      bool isDirect = tile->isPointwiseIn(buffers[i].get());
      for (auto [j, other] : llvm::enumerate(tiles))
        isDirect &= i == j || !other->refersTo(buffers[i].get());
      direct.push_back(isDirect);
    }
    for (auto [tile, isDirect, buffer] : llvm::zip(tiles, direct, buffers)) {
      if (isDirect || tile->buffer == buffer)
        continue;
      BufferRef copy = allocate(tile->type);
      evaluateInto(tile, copy);
      tile = makeRead(tile->type, copy);
    }
    for (bool phase : {true, false})
      for (auto [tile, isDirect, buffer] : llvm::zip(tiles, direct, buffers))
        if (isDirect == phase)
          evaluateInto(tile, buffer);
    if (kept)
      failIfRepeated(*kept, entered, ArrayRef(next).drop_front(), buffers);
    if (!next.empty())
      scf::YieldOp::create(builder, loc, next);
    erase(*op.getBody());
  }
  loc = forLoc;
  setCarried(op.getResults(), loop->getResults().drop_front(runs ? 1 : 0),
             buffers);
  for (const BufferRef &buffer : buffers)
    buffer->isCarried = false;
  return success();
}

scf::WhileOp KernelLowering::makeExitingLoop(scf::ForOp op, unsigned runs,
                                             Value trips, ValueRange init) {
  SmallVector<Value> entering = {getIndex(0)};
  llvm::append_range(entering, init);
  SmallVector<Type> before;
  for (Value value : op.getInitArgs().take_front(runs))
    flattenTypes(value.getType(), before);
  return scf::WhileOp::create(
      builder, loc, ValueRange(entering).getTypes(), entering,
      [&](OpBuilder &, Location, ValueRange carried) {
        Value granted = takeSteps(getIndex(1), *op.getBody());
        Value isGood =
            compare(arith::CmpIPredicate::eq, loadWord(state, kFailedWord),
                    arith::ConstantIntOp::create(builder, loc, 0, 64));
        Value isMore =
            compare(arith::CmpIPredicate::ult, carried.front(), trips);
        Value isGranted =
            compare(arith::CmpIPredicate::ne, granted, getIndex(0));
        Value goesOn =
            logicalAnd(logicalAnd(isMore, carried[before.size() + 1]),
                       logicalAnd(isGood, isGranted));
        scf::ConditionOp::create(builder, loc, goesOn, carried);
      },
      [](OpBuilder &, Location, ValueRange) {});
}

void KernelLowering::erase(Block &block) {
  for (Value argument : block.getArguments())
    values.erase(argument);
  for (Operation &op : block)
    for (Value value : op.getResults())
      values.erase(value);
}

LogicalResult KernelLowering::lowerWhile(scf::WhileOp op) {
  Location whileLoc = loc;
  // Tiles that enter the condition and tiles that leave it. The values of one
  // set do not refer to buffers of the same set.
  SmallVector<BufferRef> entering, leaving;
  SmallVector<Value> init;
  SmallVector<Type> types;
  auto allocateAll = [&](TypeRange types, SmallVector<BufferRef> &buffers) {
    for (Type type : types) {
      if (!isSupportedType(type))
        return failure();
      if (auto tensor = dyn_cast<RankedTensorType>(type)) {
        buffers.push_back(allocate(tensor));
        buffers.back()->isCarried = true;
      }
    }
    return success();
  };
  if (failed(allocateAll(op.getInits().getTypes(), entering)) ||
      failed(allocateAll(op.getResultTypes(), leaving)))
    return refuse(op);
  auto writeAll = [&](ValueRange from, ArrayRef<BufferRef> buffers,
                      SmallVectorImpl<Value> &parts) {
    unsigned next = 0;
    for (Value value : from) {
      flatten(value, parts);
      if (isa<RankedTensorType>(value.getType()))
        evaluateInto(getTile(value), buffers[next++]);
    }
  };
  writeAll(op.getInits(), entering, init);
  for (Type type : op.getResultTypes())
    flattenTypes(type, types);
  auto loop = scf::WhileOp::create(builder, loc, types, init);
  auto addBlock = [&](Region &region, TypeRange types) {
    SmallVector<Location> locations(types.size(), loc);
    return builder.createBlock(&region, {}, types, locations);
  };
  OpBuilder::InsertionGuard guard(builder);
  Block *before = addBlock(loop.getBefore(), ValueRange(init).getTypes());
  setCarried(op.getBeforeArguments(), before->getArguments(), entering);
  Value granted = takeSteps(getIndex(1), *op.getBeforeBody());
  if (failed(lower(*op.getBeforeBody())))
    return failure();
  SmallVector<Value> passed, next;
  scf::ConditionOp condition = op.getConditionOp();
  writeAll(condition.getArgs(), leaving, passed);
  // A failed check ends the loop, which may not end with other values.
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 64);
  Value isGood =
      compare(arith::CmpIPredicate::eq, loadWord(state, kFailedWord), zero);
  Value isGranted = compare(arith::CmpIPredicate::ne, granted, getIndex(0));
  Value goesOn = logicalAnd(getScalar(condition.getCondition()),
                            logicalAnd(isGood, isGranted));
  scf::ConditionOp::create(builder, loc, goesOn, passed);
  erase(*op.getBeforeBody());

  Block *after = addBlock(loop.getAfter(), types);
  setCarried(op.getAfterArguments(), after->getArguments(), leaving);
  takeSteps(getIndex(1), *op.getAfterBody());
  if (failed(lower(*op.getAfterBody())))
    return failure();
  writeAll(op.getYieldOp().getOperands(), entering, next);
  scf::YieldOp::create(builder, loc, next);
  erase(*op.getAfterBody());
  builder.setInsertionPointAfter(loop);
  loc = whileLoc;
  setCarried(op.getResults(), loop.getResults(), leaving);
  for (const BufferRef &buffer : leaving)
    buffer->isCarried = false;
  return success();
}

LogicalResult KernelLowering::lowerIf(scf::IfOp op) {
  SmallVector<Type> types;
  SmallVector<BufferRef> buffers;
  for (Type type : op.getResultTypes()) {
    if (!isSupportedType(type))
      return refuse(op);
    flattenTypes(type, types);
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      buffers.push_back(allocate(tensor));
  }
  Location ifLoc = loc;
  bool hasElse = !op.getElseRegion().empty();
  auto branch =
      scf::IfOp::create(builder, loc, types, getScalar(op.getCondition()),
                        hasElse || !types.empty());
  auto fill = [&](Region &from, Region &to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&to.front());
    if (failed(lower(from.front())))
      return failure();
    SmallVector<Value> parts;
    unsigned next = 0;
    for (Value value : from.front().getTerminator()->getOperands()) {
      flatten(value, parts);
      if (isa<RankedTensorType>(value.getType()))
        evaluateInto(getTile(value), buffers[next++]);
    }
    if (!types.empty())
      scf::YieldOp::create(builder, loc, parts);
    erase(from.front());
    return success();
  };
  if (failed(fill(op.getThenRegion(), branch.getThenRegion())))
    return failure();
  if (hasElse && failed(fill(op.getElseRegion(), branch.getElseRegion())))
    return failure();
  loc = ifLoc;
  SmallVector<Value> parts(branch.getResults());
  ArrayRef<Value> rest(parts);
  unsigned next = 0;
  for (Value result : op.getResults()) {
    setParts(result, rest);
    if (auto tensor = dyn_cast<RankedTensorType>(result.getType()))
      values[result] = makeRead(tensor, buffers[next++]);
  }
  return success();
}
