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

Reason RoleSlice::add(Operation *op, ValueRange operands,
                      Attribute layoutOfTiles) {
  llvm::DenseSet<Value> oldValues = values;
  llvm::DenseSet<Operation *> oldOps = ops;
  llvm::DenseMap<Operation *, Attribute> oldLayouts = layouts;
  layout = layoutOfTiles;
  auto addAll = [&]() -> Reason {
    if (Reason reason = needControlFlow(op))
      return reason;
    for (Value value : operands)
      if (Reason reason = needValue(value))
        return reason;
    return Reason::none();
  };
  if (Reason reason = addAll()) {
    values = oldValues;
    ops = oldOps;
    layouts = oldLayouts;
    return reason;
  }
  roots.insert(op);
  return Reason::none();
}

/// Adds the loops and conditions around `op`, up to what is given.
Reason RoleSlice::needControlFlow(Operation *op) {
  Operation *parent = op->getParentOp();
  if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp>(parent))
    return Reason::none();
  if (!ops.insert(parent).second)
    return Reason::none();
  if (Reason reason = needControlFlow(parent))
    return reason;
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    for (Value bound :
         {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      if (Reason reason = needValue(bound))
        return reason;
    return Reason::none();
  }
  if (auto branch = dyn_cast<scf::IfOp>(parent))
    return needValue(branch.getCondition());
  return needValue(cast<scf::WhileOp>(parent).getConditionOp().getCondition());
}

/// A value of a `while` after its condition.
Reason RoleSlice::needAfterCarried(scf::WhileOp loop, unsigned index) {
  bool isNew = values.insert(loop.getAfterArguments()[index]).second;
  isNew |= values.insert(loop.getResult(index)).second;
  if (!isNew)
    return Reason::none();
  if (Reason reason = needControlFlow(loop.getConditionOp()))
    return reason;
  return needValue(loop.getConditionOp().getArgs()[index]);
}

/// Value `index` that `op` carries: both its argument and its result.
Reason RoleSlice::needCarried(Operation *op, unsigned index) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    values.insert(loop.getRegionIterArg(index));
    values.insert(loop.getResult(index));
    if (Reason reason = needControlFlow(loop.getBody()->getTerminator()))
      return reason;
    if (Reason reason = needValue(loop.getInitArgs()[index]))
      return reason;
    return needValue(loop.getYieldedValues()[index]);
  }
  auto branch = cast<scf::IfOp>(op);
  values.insert(branch.getResult(index));
  if (Reason reason = needControlFlow(branch.thenYield()))
    return reason;
  if (Reason reason = needValue(branch.thenYield().getOperand(index)))
    return reason;
  return needValue(branch.elseYield().getOperand(index));
}

Reason RoleSlice::needTile(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!layout || !op || !isElementByElement(op))
    return "its position or whether it is done depends on a tile";
  if (layouts.try_emplace(op, layout).first->second != layout)
    return "its positions also belong to rows of another size";
  if (!ops.insert(op).second)
    return Reason::none();
  if (Reason reason = needControlFlow(op))
    return reason;
  for (Value operand : op->getOperands())
    if (Reason reason = needValue(operand))
      return reason;
  return Reason::none();
}

/// Adds a read of an arriving tile, with the wait and the release of its slot.
Reason RoleSlice::needRead(Operation *read) {
  OrReason<RingWaitOp> wait = findWait(cast<SmemLoadOp>(read));
  if (!wait)
    return wait.getReason();
  SmallVector<Operation *> all{*wait, read->getOperand(0).getDefiningOp(),
                               read};
  llvm::copy_if((*wait)->getUsers(), std::back_inserter(all),
                llvm::IsaPred<RingReleaseOp>);
  for (Operation *op : all) {
    ops.insert(op);
    if (Reason reason = needControlFlow(op))
      return reason;
  }
  return Reason::none();
}

/// Checks whether `op` loads what nobody writes.
static bool isPlainLoad(Operation *op) {
  auto load = dyn_cast<LoadOp>(op);
  return load && !load.getGlobalType().isWritable();
}

Reason RoleSlice::needValue(Value value) {
  if (isVisible(value) || values.contains(value))
    return Reason::none();
  bool isTile = isa<RankedTensorType>(value.getType());
  if (isTile && !changeLayout)
    return needTile(value);
  if (isTile && !changeType(value.getType()))
    return "its warps cannot share a tile that it takes";
  if (!isTile && !value.getType().isIntOrIndexOrFloat())
    return "its position or whether it is done depends on a tile";
  values.insert(value);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      if (argument == loop.getInductionVar())
        return needControlFlow(loop.getBody()->getTerminator());
      return needCarried(loop, argument.getArgNumber() - 1);
    }
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      unsigned index = argument.getArgNumber();
      if (argument.getOwner() == loop.getAfterBody()) {
        values.erase(value);
        return needAfterCarried(loop, index);
      }
      if (Reason reason = needControlFlow(loop.getConditionOp()))
        return reason;
      if (Reason reason = needValue(loop.getInits()[index]))
        return reason;
      return needValue(loop.getYieldOp().getOperand(index));
    }
  } else {
    auto result = cast<OpResult>(value);
    Operation *op = result.getOwner();
    if (isa<scf::ForOp, scf::IfOp>(op))
      return needCarried(op, result.getResultNumber());
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      values.erase(value);
      return needAfterCarried(loop, result.getResultNumber());
    }
    if (changeLayout && isa<SmemLoadOp>(op))
      return needRead(op);
    if (op->getNumRegions() == 0 &&
        (isMemoryEffectFree(op) || (changeLayout && isPlainLoad(op)))) {
      ops.insert(op);
      if (Reason reason = needControlFlow(op))
        return reason;
      for (Value operand : op->getOperands())
        if (Reason reason = needValue(operand))
          return reason;
      return Reason::none();
    }
  }
  return changeLayout
             ? "it is computed from products, or from what the kernel "
               "writes"
             : "its position or whether it is done depends on what the "
               "kernel writes";
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
