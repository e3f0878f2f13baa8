//===- ProgramSlices.cpp - Dependences on axes of the grid ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramSlices.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tessera;
using namespace tessera::frontend;

/// Adds the values from which variable `number` of a loop is computed.
static void addVariable(scf::ForOp loop, unsigned number,
                        llvm::SetVector<Value> &slice) {
  slice.insert(loop.getInitArgs()[number]);
  slice.insert(loop.getYieldedValues()[number]);
  slice.insert(loop.getLowerBound());
  slice.insert(loop.getUpperBound());
  slice.insert(loop.getStep());
}

/// Adds the operands of the operation with a result.
static void addOperands(OpResult result, llvm::SetVector<Value> &slice) {
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return addVariable(loop, number, slice);
  slice.insert(op->operand_begin(), op->operand_end());
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      ValueRange yielded = block.getTerminator()->getOperands();
      if (isa<scf::IfOp>(op))
        slice.insert(yielded[number]);
      else
        slice.insert(yielded.begin(), yielded.end());
    }
}

llvm::SetVector<Value> tessera::frontend::getSlice(ValueRange values) {
  llvm::SetVector<Value> slice(values.begin(), values.end());
  for (size_t i = 0; i < slice.size(); ++i) {
    Value value = slice[i];
    if (auto result = dyn_cast<OpResult>(value)) {
      addOperands(result, slice);
      continue;
    }
    auto argument = cast<BlockArgument>(value);
    Operation *parent = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (loop && argument != loop.getInductionVar())
      addVariable(loop, argument.getArgNumber() - 1, slice);
    else if (!isa<tile::KernelOp>(parent))
      slice.insert(parent->operand_begin(), parent->operand_end());
  }
  return slice;
}

SmallVector<GridAxis>
tessera::frontend::getGridAxes(const KernelContext &context,
                               tile::KernelOp kernel) {
  SmallVector<GridAxis> axes;
  size_t first = context.signature.parameters.size();
  for (auto [number, axis] : llvm::enumerate(context.kernel.axes)) {
    auto attr = cast<tile::AxisAttr>(kernel.getAxes()[number]);
    BlockArgument argument = kernel.getBody().getArgument(first + number);
    auto range = dyn_cast<tile::RangeType>(argument.getType());
    std::optional<int64_t> size = attr.getSize().getConstantValue();
    if (!size || *size > (range ? range.getExtent() : 1))
      axes.push_back({&axis, argument});
  }
  return axes;
}

SmallVector<GridAxis>
tessera::frontend::getRepeatedAxes(const KernelContext &context,
                                   Operation *access, ValueRange indices) {
  SmallVector<Value> roots(indices);
  auto kernel = access->getParentOfType<tile::KernelOp>();
  for (Operation *op = access->getParentOp(); op != kernel;
       op = op->getParentOp())
    llvm::append_range(roots, op->getOperands());
  llvm::SetVector<Value> slice = getSlice(roots);
  SmallVector<GridAxis> axes = getGridAxes(context, kernel);
  llvm::erase_if(axes, [&](const GridAxis &axis) {
    return slice.contains(axis.argument);
  });
  return axes;
}

bool tessera::frontend::hasOrderedPrograms(tile::KernelOp kernel) {
  WalkResult walk = kernel.walk([](Operation *op) {
    return tile::waitsForPrograms(op) ? WalkResult::interrupt()
                                      : WalkResult::advance();
  });
  return walk.wasInterrupted();
}
