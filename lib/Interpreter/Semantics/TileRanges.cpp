//===- TileRanges.cpp - Sizes and ranges ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of `tile` on sizes and ranges. Sizes are expressions of the
// bound names of the launch. A range marked `full` must be within its limit,
// and the limit of a range of a named dimension must be the size of that name;
// other ranges are defects.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/Limits.h"
#include "tessera/Interpreter/Semantics.h"

using namespace tessera;
using namespace tessera::interp;
using namespace tessera::tile;

static LogicalResult runSize(SizeOp op, Frame &frame) {
  std::optional<int64_t> size =
      frame.getLaunch().getSizes().evaluate(op.getSize());
  if (!size)
    return frame.report(op, "size '" + op.getSize().str() +
                                "' has no value in this launch (a division by "
                                "zero, or a name that nothing binds)");
  if (*size > array::kMaxSize || !llvm::isInt<32>(*size))
    return frame.report(op, "size '" + op.getSize().str() + "' is " +
                                Twine(*size) + "; sizes are at most " +
                                array::kMaxSizeText);
  frame.set(op.getResult(), Tile::getInteger(ElementType::I64, *size));
  return success();
}

static LogicalResult runRange(RangeOp op, Frame &frame) {
  RangeType type = cast<RangeType>(op.getResult().getType());
  IndexRange range{frame.getInteger(op.getStart()), type.getExtent(),
                   frame.getInteger(op.getLimit())};
  if (StringAttr dimension = type.getDimension()) {
    std::optional<int64_t> size =
        frame.getLaunch().getSizes().lookup(dimension.getValue());
    if (size != range.limit)
      return frame.report(op, "the limit of a range of '" +
                                  dimension.getValue() + "' is " +
                                  Twine(range.limit) + ", but that size is " +
                                  (size ? std::to_string(*size) : "not bound"));
  }
  if (op.getFull() && !range.isFull())
    return frame.report(op, "range is marked full, but covers " +
                                Twine(range.start) + " to " +
                                Twine(range.at(range.extent)) + " with limit " +
                                Twine(range.limit));
  frame.set(op.getResult(), range);
  return success();
}

static LogicalResult runShift(ShiftOp op, Frame &frame) {
  IndexRange range = frame.getRange(op.getRange());
  int64_t offset = frame.getInteger(op.getOffset());
  range.start = range.at(offset);
  range.limit = int64_t(uint64_t(range.limit) + uint64_t(offset));
  frame.set(op.getResult(), range);
  return success();
}

static LogicalResult setIndex(Operation *op, int64_t value, Frame &frame) {
  frame.set(op->getResult(0), Tile::getInteger(ElementType::I64, value));
  return success();
}

static LogicalResult runStart(StartOp op, Frame &frame) {
  return setIndex(op, frame.getRange(op.getRange()).start, frame);
}

static LogicalResult runEnd(EndOp op, Frame &frame) {
  return setIndex(op, frame.getRange(op.getRange()).getEnd(), frame);
}

static LogicalResult runLimit(LimitOp op, Frame &frame) {
  return setIndex(op, frame.getRange(op.getRange()).limit, frame);
}

static LogicalResult runIndices(IndicesOp op, Frame &frame) {
  Tile result = frame.makeResult(op);
  const IndexRange &range = frame.getRange(op.getRange());
  for (auto [i, element] : llvm::enumerate(result.mutableIntegers()))
    element = range.at(i);
  result.normalize();
  frame.set(op.getResult(), std::move(result));
  return success();
}

static LogicalResult runValid(ValidOp op, Frame &frame) {
  Tile result = frame.makeResult(op);
  const IndexRange &range = frame.getRange(op.getRange());
  for (auto [i, element] : llvm::enumerate(result.mutableIntegers()))
    element = range.isValid(i);
  frame.set(op.getResult(), std::move(result));
  return success();
}

void interp::addSizeSemantics(SemanticsTable &table) {
  table.add<SizeOp>(runSize);
}

void interp::addTileRangeSemantics(SemanticsTable &table) {
  addSizeSemantics(table);
  table.add<RangeOp>(runRange);
  table.add<ShiftOp>(runShift);
  table.add<StartOp>(runStart);
  table.add<EndOp>(runEnd);
  table.add<LimitOp>(runLimit);
  table.add<IndicesOp>(runIndices);
  table.add<ValidOp>(runValid);
}
