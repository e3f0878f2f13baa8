//===- ComputedRows.cpp - Rows computed where they are fetched --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedRows.h"
#include "GatheredLoads.h"

#include "tessera/Dialect/SM/IR/Layouts.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace tessera;
using namespace tessera::sm;

/// A tile that is the same element everywhere, whoever holds it.
static bool isUniform(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return false;
  if (isa<tensor::SplatOp>(op))
    return true;
  auto constant = dyn_cast<arith::ConstantOp>(op);
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

static bool isTile(Value value) {
  return isa<RankedTensorType>(value.getType());
}

/// Checks whether `op` computes a row from rows of `rows`, and from nothing
/// else that differs among elements.
static bool computesFrom(Operation *op,
                         const llvm::SetVector<Operation *> &rows) {
  if (!isElementByElement(op) || isa<LoadOp, tensor::SplatOp>(op))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return !isTile(operand) || isUniform(operand) ||
           rows.contains(operand.getDefiningOp());
  });
}

Operation *sm::findComputedRow(LoadOp load) {
  auto row = dyn_cast<RankedTensorType>(load.getType());
  if (!row || row.getRank() != 1 || getGathered(load.getIndices()) ||
      !getComputedLayout(row))
    return load;
  llvm::SetVector<Operation *> rows;
  rows.insert(load);
  auto isRow = [&](Value value) {
    return rows.contains(value.getDefiningOp());
  };
  for (Operation *op = load->getNextNode(); op; op = op->getNextNode())
    if (llvm::any_of(op->getOperands(), isRow) && computesFrom(op, rows))
      rows.insert(op);
  // One row crosses to the loop, of the type that was loaded.
  Operation *result = nullptr;
  for (Operation *op : rows) {
    if (llvm::all_of(op->getUsers(),
                     [&](Operation *user) { return rows.contains(user); }))
      continue;
    if (result)
      return load;
    result = op;
  }
  return result && result->getResult(0).getType() == row ? result : load;
}

LoadOp sm::findLoadOfRow(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return load;
  LoadOp found;
  for (Value operand : op->getOperands()) {
    if (!isTile(operand) || isUniform(operand))
      continue;
    Operation *definition = operand.getDefiningOp();
    if (!definition || definition->getBlock() != op->getBlock() ||
        !isElementByElement(definition))
      return nullptr;
    LoadOp load = findLoadOfRow(definition);
    if (!load || (found && found != load))
      return nullptr;
    found = load;
  }
  return found;
}

/// `op` and what it is computed from in its block, from `first` on, in order.
static SmallVector<Operation *> getSlice(Operation *op, Operation *first) {
  llvm::SetVector<Operation *> slice;
  slice.insert(op);
  for (unsigned next = 0; next < slice.size(); ++next)
    for (Value operand : slice[next]->getOperands())
      if (Operation *definition = operand.getDefiningOp();
          definition && definition->getBlock() == op->getBlock() &&
          (!first || !definition->isBeforeInBlock(first)))
        slice.insert(definition);
  SmallVector<Operation *> order(slice.begin(), slice.end());
  llvm::sort(order,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return order;
}

LogicalResult sm::hoistComputedRow(Operation *op, Operation *place) {
  SmallVector<Operation *> slice = getSlice(op, place);
  for (Operation *moved : slice)
    if (moved->getNumRegions() != 0 || !isMemoryEffectFree(moved) ||
        (isTile(moved->getResult(0)) && !isElementByElement(moved)))
      return failure();
  while (llvm::is_contained(slice, place))
    place = place->getNextNode();
  for (Operation *moved : slice)
    moved->moveBefore(place);
  return success();
}

Attribute sm::getComputedLayout(RankedTensorType row) {
  llvm::Expected<layout::Layout> layout = getPositionLayout(
      row.getShape(), getElementBytes(row.getElementType()), kRowWarps);
  if (layout)
    return LayoutAttr::get(row.getContext(), *layout);
  llvm::consumeError(layout.takeError());
  return {};
}

void sm::eraseComputedRow(Operation *op) {
  SmallVector<Operation *> slice = getSlice(op, /*first=*/nullptr);
  for (Operation *unused : llvm::reverse(slice))
    if (isOpTriviallyDead(unused))
      unused->erase();
}
