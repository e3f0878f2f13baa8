//===- GatheredLoads.cpp - Loads of rows at given positions -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GatheredLoads.h"
#include "tessera/Dialect/SM/IR/Layouts.h"
#include "tessera/Dialect/SM/IR/Target.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace tessera;
using namespace tessera::sm;

Value sm::getGathered(OperandRange indices) {
  for (Value index : indices)
    if (isa<RankedTensorType>(index.getType()))
      return index;
  return Value();
}

Reason sm::getGatherObstacle(LoadOp load) {
  int64_t count = llvm::count_if(load.getIndices(), [](Value index) {
    return isa<RankedTensorType>(index.getType());
  });
  if (count == 0)
    return Reason::none();
  ArrayRef<int64_t> dims = load.getDims();
  if (count > 1)
    return "it gathers along several dimensions";
  auto rows =
      dyn_cast<RankedTensorType>(load.getIndices()[dims.front()].getType());
  if (dims.size() > 2 || !rows || rows.getRank() > 1)
    return "it gathers otherwise than by rows";
  return Reason::none();
}

Reason sm::matchGather(RingFetch &result) {
  FetchOp fetch = result.op;
  SmemType tile = fetch.getType();
  tile::GlobalType global = fetch.getGlobalType();
  if (tile.getRank() > 1) {
    if (fetch.getDims().back() != global.getRank() - 1)
      return "the last dimension of the tile is not that of the tensor";
    OrReason<SmallVector<tile::SizeAttr>> conditions =
        getRowConditions(getTarget(fetch), global);
    if (!conditions)
      return conditions.getReason();
    result.conditions = *conditions;
  }
  llvm::Expected<layout::Layout> layout =
      getPositionLayout(tile.getShape(), tile.getElementBytes(), kGatherWarps);
  if (!layout)
    return llvm::toString(layout.takeError());
  result.positionLayout = LayoutAttr::get(fetch.getContext(), *layout);
  return Reason::none();
}

bool sm::isElementByElement(Operation *op) {
  if (op->getNumRegions() != 0 || op->getNumResults() != 1 ||
      !isMemoryEffectFree(op))
    return false;
  return isa<LoadOp, IndicesOp, tensor::SplatOp>(op) ||
         op->hasTrait<OpTrait::ConstantLike>() ||
         OpTrait::hasElementwiseMappableTraits(op);
}

/// Moves what computes `value` before `loop`, if all of it can be.
static bool hoist(Value value, scf::ForOp loop) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || op->getNumRegions() != 0 ||
      !isMemoryEffectFree(op))
    return false;
  for (Value operand : op->getOperands())
    if (!hoist(operand, loop))
      return false;
  op->moveBefore(loop);
  return true;
}

void sm::hoistPositions(LoadOp load, scf::ForOp loop) {
  if (Value positions = getGathered(load.getIndices()))
    hoist(positions, loop);
}

/// Adds what computes `tile`, element by element, each op after its operands.
static void addTiles(Value tile, llvm::SetVector<Operation *> &ops) {
  Operation *op = tile.getDefiningOp();
  if (!op || !isElementByElement(op) ||
      !isa<RankedTensorType>(tile.getType()) || ops.contains(op))
    return;
  for (Value operand : op->getOperands())
    addTiles(operand, ops);
  ops.insert(op);
}

void sm::separatePositions(LoadOp load, SmemType tile,
                           PositionLayouts &layouts) {
  Value positions = getGathered(load.getIndices());
  if (!positions)
    return;
  llvm::Expected<layout::Layout> layout =
      getPositionLayout(tile.getShape(), tile.getElementBytes(), kGatherWarps);
  // Then no other role brings it.
  if (!layout)
    return llvm::consumeError(layout.takeError());
  Attribute own = LayoutAttr::get(load.getContext(), *layout);
  llvm::SetVector<Operation *> ops;
  addTiles(positions, ops);
  bool isShared = llvm::any_of(ops, [&](Operation *op) {
    Attribute other = layouts.lookup(op);
    return other && other != own;
  });
  IRMapping mapping;
  for (Operation *op : ops) {
    Operation *mine = op;
    if (isShared) {
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      mine = builder.clone(*op, mapping);
    }
    layouts[mine] = own;
  }
  for (OpOperand &index : load.getIndicesMutable())
    index.set(mapping.lookupOrDefault(index.get()));
}

bool sm::feedsPositions(LoadOp load) {
  // Each op once: functions such as random numbers have a great many paths.
  llvm::SetVector<Operation *> followed;
  followed.insert(load);
  for (size_t i = 0; i < followed.size(); ++i) {
    Value tile = followed[i]->getResult(0);
    for (Operation *user : tile.getUsers()) {
      if (auto gather = dyn_cast<LoadOp>(user))
        if (llvm::is_contained(gather.getIndices(), tile))
          return true;
      if (isElementByElement(user))
        followed.insert(user);
    }
  }
  return false;
}

void sm::setTileLayout(Operation *copy, Attribute layout) {
  Value result = copy->getResult(0);
  auto old = cast<RankedTensorType>(result.getType());
  auto type =
      RankedTensorType::get(old.getShape(), old.getElementType(), layout);
  if (auto constant = dyn_cast<arith::ConstantOp>(copy))
    constant.setValueAttr(
        cast<DenseElementsAttr>(constant.getValue()).reshape(type));
  result.setType(type);
}
