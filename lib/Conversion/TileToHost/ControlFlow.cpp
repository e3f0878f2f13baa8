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
  // Tiles of the body read the buffers of the loop.
  auto setAll = [&](ValueRange targets, ValueRange parts) {
    SmallVector<Value> list(parts);
    ArrayRef<Value> rest(list);
    unsigned next = 0;
    for (Value target : targets) {
      setParts(target, rest);
      if (auto tensor = dyn_cast<RankedTensorType>(target.getType()))
        values[target] = makeRead(tensor, buffers[next++]);
    }
  };

  auto loop =
      scf::ForOp::create(builder, loc, getIndex(0), trips, getIndex(1), init);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value trip = loop.getInductionVar();
    if (!type.isIndex())
      trip = arith::IndexCastOp::create(builder, loc, type, trip);
    values[op.getInductionVar()] = add(lower, multiply(trip, stride));
    setAll(op.getRegionIterArgs(), loop.getRegionIterArgs());
    if (failed(this->lower(*op.getBody())))
      return failure();

    SmallVector<Value> next;
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
    if (!init.empty())
      scf::YieldOp::create(builder, loc, next);
    for (Value argument : op.getBody()->getArguments())
      values.erase(argument);
    for (Operation &inner : *op.getBody())
      for (Value value : inner.getResults())
        values.erase(value);
  }
  loc = forLoc;
  setAll(op.getResults(), loop.getResults());
  for (const BufferRef &buffer : buffers)
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
    for (Operation &inner : from.front())
      for (Value value : inner.getResults())
        values.erase(value);
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
