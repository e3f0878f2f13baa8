//===- Reductions.cpp - Reductions and scans on the processor ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements combine in ascending order, as in the interpreter. Along the last
// dimension, maxima and sums of integers do not depend on the order: the lanes
// of a vector are partial results. A sum of floats does: some rows advance
// together, which hides the latency of additions.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/IR/IRMapping.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace tessera;
using namespace tessera::host;
using namespace tessera::tile;

Value KernelLowering::combine(ReduceKind kind, Type element, Value x, Value y,
                              int64_t width) {
  ElementBuilder elements = getElements(width);
  if (kind != ReduceKind::Sum)
    return elements.maximum(kind == ReduceKind::Min, x, y);
  if (!isa<FloatType>(element))
    return add(x, y);
  return elements.round(element, arith::AddFOp::create(builder, loc, x, y));
}

LogicalResult KernelLowering::lowerReduce(ReduceOp op) {
  if (op.getKeep())
    return refuse(op);
  auto type = cast<RankedTensorType>(op.getType());
  ExpressionRef source = getTile(op.getSource());
  int64_t axis = op.getAxis(), extent = source->getShape()[axis];
  Type element = type.getElementType();
  BufferRef result = allocate(type);
  values[op.getResult()] = makeRead(type, result);
  if (axis + 1 == int64_t(source->getShape().size())) {
    if (op.getKind() == ReduceKind::Sum && isa<FloatType>(element))
      sumRows(op, result);
    else
      reduceLastDimension(op, result);
    return success();
  }
  int64_t width = getLanes(type.getShape());
  forEachPosition(type.getShape(), width, [&](ArrayRef<Value> position) {
    Position from(position);
    from.insert(from.begin() + axis, getIndex(0));
    auto getElement = [&](Value i) {
      from[axis] = i;
      return evaluate(*source, from, width);
    };
    SmallVector<Value> total =
        emitLoop(1, extent, 1, getElement(getIndex(0)),
                 [&](Value i, ValueRange before) -> SmallVector<Value> {
                   return {combine(op.getKind(), element, before[0],
                                   getElement(i), width)};
                 });
    write(*result, position, total[0]);
  });
  return success();
}

void KernelLowering::reduceLastDimension(ReduceOp op, const BufferRef &result) {
  ExpressionRef source = getTile(op.getSource());
  int64_t extent = source->getShape().back();
  Type element = source->type.getElementType();
  int64_t width = getLanes(source->getShape());
  bool isFloat = isa<FloatType>(element);
  using vector::CombiningKind;
  CombiningKind kind =
      op.getKind() == ReduceKind::Sum ? CombiningKind::ADD
      : op.getKind() == ReduceKind::Max
          ? (isFloat ? CombiningKind::MAXIMUMF : CombiningKind::MAXSI)
          : (isFloat ? CombiningKind::MINIMUMF : CombiningKind::MINSI);
  forEachPosition(
      source->getShape().drop_back(), 1, [&](ArrayRef<Value> position) {
        auto getElements = [&](Value i) {
          Position from(position);
          from.push_back(i);
          return evaluate(*source, from, width);
        };
        SmallVector<Value> total =
            emitLoop(width, extent, width, getElements(getIndex(0)),
                     [&](Value i, ValueRange before) -> SmallVector<Value> {
                       return {combine(op.getKind(), element, before[0],
                                       getElements(i), width)};
                     });
        if (width > 1)
          total[0] = vector::ReductionOp::create(builder, loc, kind, total[0]);
        write(*result, position, total[0]);
      });
}

void KernelLowering::sumRows(ReduceOp op, const BufferRef &result) {
  ExpressionRef source = makeCheap(getTile(op.getSource()));
  Type element = source->type.getElementType();
  ArrayRef<int64_t> outer = source->getShape().drop_back();
  int64_t rows = 1;
  while (!outer.empty() && rows < 8 && outer.back() % (rows * 2) == 0)
    rows *= 2;
  forEachPosition(outer, rows, [&](ArrayRef<Value> position) {
    auto getRow = [&](int64_t row) {
      Position at(position);
      if (row != 0)
        at.back() = add(at.back(), getIndex(row));
      return at;
    };
    auto getElements = [&](Value i) {
      SmallVector<Value> column;
      for (int64_t row = 0; row < rows; ++row) {
        Position at = getRow(row);
        at.push_back(i);
        column.push_back(evaluate(*source, at, 1));
      }
      return column;
    };
    SmallVector<Value> totals =
        emitLoop(1, source->getShape().back(), 1, getElements(getIndex(0)),
                 [&](Value i, ValueRange before) {
                   SmallVector<Value> column = getElements(i);
                   for (auto [sum, addend] : llvm::zip(before, column))
                     addend = combine(ReduceKind::Sum, element, sum, addend, 1);
                   return column;
                 });
    for (int64_t row = 0; row < rows; ++row)
      write(*result, getRow(row), totals[row]);
  });
}

LogicalResult KernelLowering::lowerScan(ScanOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  ExpressionRef source = getTile(op.getSource());
  BufferRef result = allocate(type);
  int64_t axis = op.getAxis(), extent = type.getShape()[axis];
  bool isLast = axis + 1 == type.getRank();
  SmallVector<int64_t> outer(type.getShape());
  outer.erase(outer.begin() + axis);
  int64_t width = isLast ? 1 : getLanes(type.getShape());
  forEachPosition(outer, width, [&](ArrayRef<Value> position) {
    Position at(position);
    at.insert(at.begin() + axis, getIndex(0));
    auto setPlace = [&](Value i) {
      if (op.getReverse())
        i = arith::SubIOp::create(builder, loc, getIndex(extent - 1), i);
      at[axis] = i;
    };
    setPlace(getIndex(0));
    Value first = evaluate(*source, at, width);
    write(*result, at, first);
    emitLoop(1, extent, 1, first,
             [&](Value i, ValueRange before) -> SmallVector<Value> {
               setPlace(i);
               Value next =
                   combine(op.getKind(), type.getElementType(), before[0],
                           evaluate(*source, at, width), width);
               write(*result, at, next);
               return {next};
             });
  });
  values[op.getResult()] = makeRead(type, result);
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions and scans by a region
//===----------------------------------------------------------------------===//

SmallVector<Value> KernelLowering::combineGroups(Region &combiner,
                                                 ValueRange left,
                                                 ValueRange right,
                                                 int64_t width) {
  ElementBuilder elements = getElements(width);
  IRMapping mapping;
  Block &block = combiner.front();
  mapping.map(block.getArguments().take_front(left.size()), left);
  mapping.map(block.getArguments().drop_front(left.size()), right);
  for (Operation &op : block.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      mapping.map(constant.getResult(),
                  elements.splat(getNumber(constant.getValue())));
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(mapping.lookup(operand));
    Value failed;
    mapping.map(op.getResult(0), elements.emit(&op, operands, failed).front());
    if (failed)
      failIf(failed);
  }
  SmallVector<Value> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(mapping.lookup(value));
  return results;
}

LogicalResult KernelLowering::lowerCombined(Operation *op, int64_t axis,
                                            Region &combiner, bool isScan,
                                            bool isReverse) {
  for (Operation &inner : combiner.front().without_terminator())
    if (!isa<arith::ConstantOp>(inner) && !ElementBuilder::supports(&inner))
      return refuse(&inner);
  SmallVector<ExpressionRef> sources;
  for (Value operand : op->getOperands())
    sources.push_back(makeCheap(getTile(operand)));
  SmallVector<BufferRef> results;
  for (OpResult result : op->getResults())
    results.push_back(allocate(cast<RankedTensorType>(result.getType())));
  ArrayRef<int64_t> shape = sources.front()->getShape();
  int64_t extent = shape[axis];
  SmallVector<int64_t> outer(shape);
  outer.erase(outer.begin() + axis);
  bool isLast = axis + 1 == static_cast<int64_t>(shape.size());
  int64_t width = isLast ? 1 : getLanes(shape);
  forEachPosition(outer, width, [&](ArrayRef<Value> position) {
    Position at(position);
    at.insert(at.begin() + axis, Value());
    auto setPlace = [&](Value i) {
      at[axis] = isReverse ? arith::SubIOp::create(builder, loc,
                                                   getIndex(extent - 1), i)
                                 .getResult()
                           : i;
    };
    auto getGroup = [&] {
      return llvm::map_to_vector(sources, [&](const ExpressionRef &source) {
        return evaluate(*source, at, width);
      });
    };
    auto writeGroup = [&](ArrayRef<Value> to, ValueRange group) {
      for (auto [buffer, value] : llvm::zip_equal(results, group))
        write(*buffer, to, value);
    };
    setPlace(getIndex(0));
    SmallVector<Value> first = getGroup();
    if (isScan)
      writeGroup(at, first);
    SmallVector<Value> total =
        emitLoop(1, extent, 1, first,
                 [&](Value i, ValueRange before) -> SmallVector<Value> {
                   setPlace(i);
                   SmallVector<Value> next =
                       combineGroups(combiner, before, getGroup(), width);
                   if (isScan)
                     writeGroup(at, next);
                   return next;
                 });
    if (!isScan)
      writeGroup(position, total);
  });
  for (auto [result, buffer] : llvm::zip_equal(op->getResults(), results))
    values[result] = makeRead(cast<RankedTensorType>(result.getType()), buffer);
  return success();
}
