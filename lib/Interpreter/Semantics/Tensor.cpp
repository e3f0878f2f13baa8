//===- Tensor.cpp - Construction of tiles -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations of `tensor` on tiles of static shape, and `ub.poison`, which
// folding may produce. A poisoned value is NaN or -1, so that its use is
// visible.
//
//===----------------------------------------------------------------------===//

#include "tessera/Interpreter/Semantics.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace tessera;
using namespace tessera::interp;

static LogicalResult runSplat(tensor::SplatOp op, Frame &frame) {
  Tile result = frame.makeResult(op);
  result.fill(frame.getTile(op.getInput()));
  frame.set(op.getAggregate(), std::move(result));
  return success();
}

/// Returns the row-major position of index operands.
static FailureOr<int64_t> getPosition(Operation *op, ValueRange indices,
                                      ArrayRef<int64_t> shape, Frame &frame) {
  int64_t position = 0;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    int64_t value = frame.getInteger(index);
    if (value < 0 || value >= shape[dim])
      return frame.report(op, "index " + Twine(value) + " of dimension " +
                                  Twine(dim) + " is outside of the tile, " +
                                  "whose extent is " + Twine(shape[dim]));
    position = position * shape[dim] + value;
  }
  return position;
}

static LogicalResult runExtract(tensor::ExtractOp op, Frame &frame) {
  const Tile &source = frame.getTile(op.getTensor());
  FailureOr<int64_t> position =
      getPosition(op, op.getIndices(), source.getShape(), frame);
  if (failed(position))
    return failure();
  frame.set(op.getResult(), source.getElement(*position));
  return success();
}

static LogicalResult runInsert(tensor::InsertOp op, Frame &frame) {
  Tile result = frame.getTile(op.getDest());
  FailureOr<int64_t> position =
      getPosition(op, op.getIndices(), result.getShape(), frame);
  if (failed(position))
    return failure();
  result.setElement(*position, frame.getTile(op.getScalar()));
  frame.set(op.getResult(), std::move(result));
  return success();
}

static LogicalResult runFromElements(tensor::FromElementsOp op, Frame &frame) {
  Tile result = frame.makeResult(op);
  for (auto [i, element] : llvm::enumerate(op.getElements()))
    result.setElement(i, frame.getTile(element));
  frame.set(op.getResult(), std::move(result));
  return success();
}

/// Runs operations that only rename the dimensions of their first operand.
static LogicalResult runReshape(Operation *op, Frame &frame) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Tile result = frame.getTile(op->getOperand(0)).reshape(type.getShape());
  frame.set(op->getResult(0), std::move(result));
  return success();
}

static LogicalResult runPoison(Operation *op, Frame &frame) {
  Tile result = frame.makeResult(op);
  result.fill(Tile::getPoison(result.getType()));
  frame.set(op->getResult(0), std::move(result));
  return success();
}

void interp::addSplatSemantics(SemanticsTable &table) {
  table.add<tensor::SplatOp>(runSplat);
  table.add<ub::PoisonOp>(runPoison);
}

void interp::addTensorSemantics(SemanticsTable &table) {
  addSplatSemantics(table);
  table.add<tensor::ExtractOp>(runExtract);
  table.add<tensor::InsertOp>(runInsert);
  table.add<tensor::FromElementsOp>(runFromElements);
  table.add<tensor::CastOp>(runReshape);
  table.add<tensor::ExpandShapeOp>(runReshape);
  table.add<tensor::CollapseShapeOp>(runReshape);
  table.add<tensor::EmptyOp>(runPoison);
}
