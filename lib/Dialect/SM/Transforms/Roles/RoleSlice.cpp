//===- RoleSlice.cpp - Scalar control flow of operations --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Method: backward program slicing. From a given operation, the slice collects
// the ops that its operands are computed from, and the loops and conditions
// around all of them, until nothing is added. An op that a role cannot execute
// ends the slice with a reason.
//
//===----------------------------------------------------------------------===//

#include "RoleSlice.h"
#include "GatheredLoads.h"
#include "TransformedOperands.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// Members of the slice
//===----------------------------------------------------------------------===//

LogicalResult RoleSlice::add(Operation *op, ValueRange operands,
                             std::string &why, Attribute layoutOfTiles) {
  llvm::DenseSet<Value> oldValues = values;
  llvm::DenseSet<Operation *> oldOps = ops;
  llvm::DenseMap<Operation *, Attribute> oldLayouts = layouts;
  layout = layoutOfTiles;
  auto addAll = [&]() -> LogicalResult {
    if (failed(needControlFlow(op, why)))
      return failure();
    for (Value value : operands)
      if (failed(needValue(value, why)))
        return failure();
    return success();
  };
  if (failed(addAll())) {
    values = oldValues;
    ops = oldOps;
    layouts = oldLayouts;
    return failure();
  }
  roots.insert(op);
  return success();
}

/// Adds the loops and conditions around `op`, up to what is given.
LogicalResult RoleSlice::needControlFlow(Operation *op, std::string &why) {
  Operation *parent = op->getParentOp();
  if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp>(parent))
    return success();
  if (!ops.insert(parent).second)
    return success();
  if (failed(needControlFlow(parent, why)))
    return failure();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    for (Value bound :
         {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      if (failed(needValue(bound, why)))
        return failure();
    return success();
  }
  if (auto branch = dyn_cast<scf::IfOp>(parent))
    return needValue(branch.getCondition(), why);
  return needValue(cast<scf::WhileOp>(parent).getConditionOp().getCondition(),
                   why);
}

/// A value of a `while` after its condition.
LogicalResult RoleSlice::needAfterCarried(scf::WhileOp loop, unsigned index,
                                          std::string &why) {
  bool isNew = values.insert(loop.getAfterArguments()[index]).second;
  isNew |= values.insert(loop.getResult(index)).second;
  if (!isNew)
    return success();
  if (failed(needControlFlow(loop.getConditionOp(), why)))
    return failure();
  return needValue(loop.getConditionOp().getArgs()[index], why);
}

/// Value `index` that `op` carries: both its argument and its result.
LogicalResult RoleSlice::needCarried(Operation *op, unsigned index,
                                     std::string &why) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    values.insert(loop.getRegionIterArg(index));
    values.insert(loop.getResult(index));
    if (failed(needControlFlow(loop.getBody()->getTerminator(), why)) ||
        failed(needValue(loop.getInitArgs()[index], why)))
      return failure();
    return needValue(loop.getYieldedValues()[index], why);
  }
  auto branch = cast<scf::IfOp>(op);
  values.insert(branch.getResult(index));
  if (failed(needControlFlow(branch.thenYield(), why)) ||
      failed(needValue(branch.thenYield().getOperand(index), why)))
    return failure();
  return needValue(branch.elseYield().getOperand(index), why);
}

LogicalResult RoleSlice::needTile(Value tile, std::string &why) {
  Operation *op = tile.getDefiningOp();
  if (!layout || !op || !isElementByElement(op)) {
    why = "its position or whether it is done depends on a tile";
    return failure();
  }
  if (layouts.try_emplace(op, layout).first->second != layout) {
    why = "its positions are those of rows of another size, too";
    return failure();
  }
  if (!ops.insert(op).second)
    return success();
  if (failed(needControlFlow(op, why)))
    return failure();
  for (Value operand : op->getOperands())
    if (!isGiven(operand) && failed(needValue(operand, why)))
      return failure();
  return success();
}

/// Adds a read of an arriving tile, with the wait and the release of its slot.
LogicalResult RoleSlice::needRead(Operation *read, std::string &why) {
  RingWaitOp wait = findWait(cast<SmemLoadOp>(read), why);
  if (!wait)
    return failure();
  SmallVector<Operation *> all{wait, read->getOperand(0).getDefiningOp(), read};
  llvm::copy_if(wait->getUsers(), std::back_inserter(all),
                llvm::IsaPred<RingReleaseOp>);
  for (Operation *op : all) {
    ops.insert(op);
    if (failed(needControlFlow(op, why)))
      return failure();
  }
  return success();
}

/// Checks whether `op` loads what nobody writes.
static bool isPlainLoad(Operation *op) {
  auto load = dyn_cast<LoadOp>(op);
  return load && !load.getGlobalType().isWritable();
}

LogicalResult RoleSlice::needValue(Value value, std::string &why) {
  if (isGiven(value) || values.contains(value))
    return success();
  bool isTile = isa<RankedTensorType>(value.getType());
  if (isTile && !changeLayout)
    return needTile(value, why);
  if (isTile && !changeType(value.getType())) {
    why = "its warps cannot share a tile that it takes";
    return failure();
  }
  if (!isTile && !value.getType().isIntOrIndexOrFloat()) {
    why = "its position or whether it is done depends on a tile";
    return failure();
  }
  values.insert(value);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      if (argument == loop.getInductionVar())
        return needControlFlow(loop.getBody()->getTerminator(), why);
      return needCarried(loop, argument.getArgNumber() - 1, why);
    }
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      unsigned index = argument.getArgNumber();
      if (argument.getOwner() == loop.getAfterBody()) {
        values.erase(value);
        return needAfterCarried(loop, index, why);
      }
      if (failed(needControlFlow(loop.getConditionOp(), why)) ||
          failed(needValue(loop.getInits()[index], why)))
        return failure();
      return needValue(loop.getYieldOp().getOperand(index), why);
    }
  } else {
    auto result = cast<OpResult>(value);
    Operation *op = result.getOwner();
    if (isa<scf::ForOp, scf::IfOp>(op))
      return needCarried(op, result.getResultNumber(), why);
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      values.erase(value);
      return needAfterCarried(loop, result.getResultNumber(), why);
    }
    if (changeLayout && isa<SmemLoadOp>(op))
      return needRead(op, why);
    if (op->getNumRegions() == 0 &&
        (isMemoryEffectFree(op) || (changeLayout && isPlainLoad(op)))) {
      ops.insert(op);
      if (failed(needControlFlow(op, why)))
        return failure();
      for (Value operand : op->getOperands())
        if (!isGiven(operand) && failed(needValue(operand, why)))
          return failure();
      return success();
    }
  }
  why = changeLayout ? "it is computed from products, or from what the kernel "
                       "writes"
                     : "its position or whether it is done depends on what the "
                       "kernel writes";
  return failure();
}

/// Returns `type`, of a value of the slice, in a clone; null if it can have
/// none.
Type RoleSlice::changeType(Type type) const {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile || !changeLayout)
    return type;
  Attribute layout = changeLayout(tile.getEncoding());
  return layout ? RankedTensorType::get(tile.getShape(), tile.getElementType(),
                                        layout)
                : Type();
}

//===----------------------------------------------------------------------===//
// Cloning
//===----------------------------------------------------------------------===//

using Emit = function_ref<void(Operation *, OpBuilder &, IRMapping &)>;

void RoleSlice::clone(Block &block, OpBuilder &builder, IRMapping &mapping,
                      Emit emit) {
  for (Operation &op : block.without_terminator()) {
    if (roots.contains(&op)) {
      emit(&op, builder, mapping);
      continue;
    }
    if (!ops.contains(&op))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      cloneLoop(loop, builder, mapping, emit);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      cloneIf(branch, builder, mapping, emit);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      cloneWhile(loop, builder, mapping, emit);
    else if (Operation *copy = builder.clone(op, mapping);
             Attribute layout = layouts.lookup(&op))
      setTileLayout(copy, layout);
    else if (changeLayout && op.getNumResults() == 1)
      if (auto tile = dyn_cast<RankedTensorType>(op.getResultTypes().front()))
        setTileLayout(copy, changeLayout(tile.getEncoding()));
  }
}

void RoleSlice::cloneLoop(scf::ForOp loop, OpBuilder &builder,
                          IRMapping &mapping, Emit emit) {
  SmallVector<unsigned> kept;
  SmallVector<Value> inits;
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (values.contains(argument)) {
      kept.push_back(index);
      inits.push_back(mapping.lookupOrDefault(loop.getInitArgs()[index]));
    }
  auto copy = scf::ForOp::create(
      builder, loop.getLoc(), mapping.lookupOrDefault(loop.getLowerBound()),
      mapping.lookupOrDefault(loop.getUpperBound()),
      mapping.lookupOrDefault(loop.getStep()), inits,
      [&](OpBuilder &inner, Location loc, Value position, ValueRange carried) {
        mapping.map(loop.getInductionVar(), position);
        for (auto [index, value] : llvm::zip(kept, carried))
          mapping.map(loop.getRegionIterArg(index), value);
        clone(*loop.getBody(), inner, mapping, emit);
        SmallVector<Value> yielded;
        for (unsigned index : kept)
          yielded.push_back(
              mapping.lookupOrDefault(loop.getYieldedValues()[index]));
        scf::YieldOp::create(inner, loc, yielded);
      },
      loop.getUnsignedCmp());
  for (auto [index, result] : llvm::zip(kept, copy.getResults()))
    mapping.map(loop.getResult(index), result);
}

void RoleSlice::cloneIf(scf::IfOp op, OpBuilder &builder, IRMapping &mapping,
                        Emit emit) {
  SmallVector<unsigned> kept;
  for (auto [index, result] : llvm::enumerate(op.getResults()))
    if (values.contains(result))
      kept.push_back(index);
  auto build = [&](Region &region) {
    return [&](OpBuilder &inner, Location loc) {
      SmallVector<Value> yielded;
      if (!region.empty()) {
        clone(region.front(), inner, mapping, emit);
        for (unsigned index : kept)
          yielded.push_back(mapping.lookupOrDefault(
              region.front().getTerminator()->getOperand(index)));
      }
      scf::YieldOp::create(inner, loc, yielded);
    };
  };
  auto buildThen = build(op.getThenRegion()),
       buildElse = build(op.getElseRegion());
  Value condition = mapping.lookupOrDefault(op.getCondition());
  scf::IfOp copy =
      op.getElseRegion().empty()
          ? scf::IfOp::create(builder, op.getLoc(), condition, buildThen)
          : scf::IfOp::create(builder, op.getLoc(), condition, buildThen,
                              buildElse);
  if (Block *other = copy.elseBlock();
      other && kept.empty() && other->without_terminator().empty())
    other->erase();
  for (auto [index, result] : llvm::zip(kept, copy.getResults()))
    mapping.map(op.getResult(index), result);
}

void RoleSlice::cloneWhile(scf::WhileOp loop, OpBuilder &builder,
                           IRMapping &mapping, Emit emit) {
  SmallVector<unsigned> before, after;
  SmallVector<Value> inits;
  SmallVector<Type> types;
  for (auto [index, argument] : llvm::enumerate(loop.getBeforeArguments()))
    if (values.contains(argument)) {
      before.push_back(index);
      inits.push_back(mapping.lookupOrDefault(loop.getInits()[index]));
    }
  for (auto [index, argument] : llvm::enumerate(loop.getAfterArguments()))
    if (values.contains(argument)) {
      after.push_back(index);
      types.push_back(changeType(argument.getType()));
    }
  auto lookup = [&](ValueRange from, ArrayRef<unsigned> kept) {
    SmallVector<Value> found;
    for (unsigned index : kept)
      found.push_back(mapping.lookupOrDefault(from[index]));
    return found;
  };
  auto copy = scf::WhileOp::create(
      builder, loop.getLoc(), types, inits,
      [&](OpBuilder &inner, Location loc, ValueRange carried) {
        for (auto [index, value] : llvm::zip(before, carried))
          mapping.map(loop.getBeforeArguments()[index], value);
        clone(*loop.getBeforeBody(), inner, mapping, emit);
        scf::ConditionOp condition = loop.getConditionOp();
        scf::ConditionOp::create(
            inner, loc, mapping.lookupOrDefault(condition.getCondition()),
            lookup(condition.getArgs(), after));
      },
      [&](OpBuilder &inner, Location loc, ValueRange carried) {
        for (auto [index, value] : llvm::zip(after, carried))
          mapping.map(loop.getAfterArguments()[index], value);
        clone(*loop.getAfterBody(), inner, mapping, emit);
        scf::YieldOp::create(inner, loc,
                             lookup(loop.getYieldOp().getOperands(), before));
      });
  for (auto [index, result] : llvm::zip(after, copy.getResults()))
    mapping.map(loop.getResult(index), result);
}
