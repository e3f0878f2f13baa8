//===- ConvertRegions.cpp - Loops and branches ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts loops and branches recursively. A range becomes two carried values,
// and a tile one. Invariant: initial and yielded tiles are converted to the
// layout of the carried value, so that a loop has the same types in each
// iteration.
//
//===----------------------------------------------------------------------===//

#include "KernelConversion.h"

#include "tessera/Dialect/Tile/IR/GuardedMasks.h"

using namespace tessera;
using namespace tessera::sm;

SmallVector<Type> KernelConversion::getTypes(ValueRange like) {
  SmallVector<Type> types;
  for (Value value : like) {
    if (auto tile = dyn_cast<RankedTensorType>(value.getType()))
      types.push_back(withLayout(tile, assignment.get(value)));
    else if (isa<tile::RangeType>(value.getType()))
      types.append(2, builder.getIndexType());
    else
      types.push_back(value.getType());
  }
  return types;
}

FailureOr<SmallVector<Value>> KernelConversion::getAll(ValueRange values,
                                                       ValueRange like) {
  SmallVector<Value> result;
  for (auto [value, target] : llvm::zip_equal(values, like)) {
    if (!isa<RankedTensorType>(value.getType())) {
      llvm::append_range(result, scalars.find(value)->second);
      continue;
    }
    FailureOr<Value> tile = getTile(value, assignment.get(target));
    if (failed(tile))
      return failure();
    result.push_back(*tile);
  }
  return result;
}

void KernelConversion::defineAll(ValueRange old, ValueRange made) {
  unsigned next = 0;
  for (Value value : old) {
    if (isa<tile::RangeType>(value.getType())) {
      scalars[value] = {made[next], made[next + 1]};
      next += 2;
    } else {
      define(value, made[next++]);
    }
  }
}

LogicalResult KernelConversion::convertFor(scf::ForOp loop) {
  FailureOr<SmallVector<Value>> inits =
      getAll(loop.getInitArgs(), loop.getRegionIterArgs());
  if (failed(inits))
    return failure();
  auto made = scf::ForOp::create(
      builder, loop.getLoc(), getScalar(loop.getLowerBound()),
      getScalar(loop.getUpperBound()), getScalar(loop.getStep()), *inits,
      /*bodyBuilder=*/[](OpBuilder &, Location, Value, ValueRange) {},
      loop.getUnsignedCmp());
  if (Attribute count = loop->getAttr(tile::kMaxTripCountAttrName))
    made->setAttr(tile::kMaxTripCountAttrName, count);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(made.getBody());
    define(loop.getInductionVar(), made.getInductionVar());
    defineAll(loop.getRegionIterArgs(), made.getRegionIterArgs());
    if (failed(convertBody(*loop.getBody())))
      return failure();
    FailureOr<SmallVector<Value>> yielded =
        getAll(loop.getYieldedValues(), loop.getRegionIterArgs());
    if (failed(yielded))
      return failure();
    scf::YieldOp::create(builder, loop.getBody()->getTerminator()->getLoc(),
                         *yielded);
  }
  defineAll(loop.getResults(), made.getResults());
  return success();
}

LogicalResult KernelConversion::convertIf(scf::IfOp branch) {
  bool hasElse = branch.elseBlock();
  auto made =
      scf::IfOp::create(builder, branch.getLoc(), getTypes(branch.getResults()),
                        getScalar(branch.getCondition()),
                        /*addThenBlock=*/true,
                        /*addElseBlock=*/hasElse);
  if (Attribute mark = branch->getAttr(tile::kGuardedMasksAttrName))
    made->setAttr(tile::kGuardedMasksAttrName, mark);
  auto convertBranch = [&](Block &old, Block &block) -> LogicalResult {
    OpBuilder::InsertionGuard guard(builder);
    if (!block.empty())
      block.back().erase();
    builder.setInsertionPointToStart(&block);
    if (failed(convertBody(old)))
      return failure();
    FailureOr<SmallVector<Value>> yielded =
        getAll(old.getTerminator()->getOperands(), branch.getResults());
    if (failed(yielded))
      return failure();
    scf::YieldOp::create(builder, old.getTerminator()->getLoc(), *yielded);
    return success();
  };
  if (failed(convertBranch(*branch.thenBlock(), *made.thenBlock())))
    return failure();
  if (hasElse && failed(convertBranch(*branch.elseBlock(), *made.elseBlock())))
    return failure();
  defineAll(branch.getResults(), made.getResults());
  return success();
}

LogicalResult KernelConversion::convertWhile(scf::WhileOp loop) {
  FailureOr<SmallVector<Value>> inits =
      getAll(loop.getInits(), loop.getBeforeArguments());
  if (failed(inits))
    return failure();
  auto made = scf::WhileOp::create(builder, loop.getLoc(),
                                   getTypes(loop.getAfterArguments()), *inits);
  auto convertPart = [&](Block &old, Region &region) -> LogicalResult {
    SmallVector<Type> types = getTypes(old.getArguments());
    Block *block =
        builder.createBlock(&region, region.end(), types,
                            SmallVector<Location>(types.size(), loop.getLoc()));
    defineAll(old.getArguments(), block->getArguments());
    return convertBody(old);
  };
  OpBuilder::InsertionGuard guard(builder);
  if (failed(convertPart(*loop.getBeforeBody(), made.getBefore())))
    return failure();
  FailureOr<SmallVector<Value>> passed =
      getAll(loop.getConditionOp().getArgs(), loop.getAfterArguments());
  if (failed(passed))
    return failure();
  scf::ConditionOp::create(builder, loop.getConditionOp().getLoc(),
                           getScalar(loop.getConditionOp().getCondition()),
                           *passed);
  if (failed(convertPart(*loop.getAfterBody(), made.getAfter())))
    return failure();
  FailureOr<SmallVector<Value>> yielded =
      getAll(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
  if (failed(yielded))
    return failure();
  scf::YieldOp::create(builder, loop.getYieldOp().getLoc(), *yielded);
  builder.setInsertionPointAfter(made);
  defineAll(loop.getResults(), made.getResults());
  return success();
}
