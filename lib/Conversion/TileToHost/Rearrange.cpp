//===- Rearrange.cpp - Rearranged tiles on the processor --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sources are one line of elements in memory. A copy takes vectors where
// the map keeps neighbours of the last dimension together.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace tessera;
using namespace tessera::host;
using namespace tessera::tile;

Value KernelLowering::getNumberOf(const IndexMap &map,
                                  ArrayRef<Value> position) {
  Value number = getIndex(map.offset);
  for (auto [x, stride] : llvm::zip_equal(position, map.strides))
    number = add(number, multiply(x, getIndex(stride)));
  if (map.toggle == 0)
    return number;
  return arith::XOrIOp::create(builder, loc, number, getIndex(map.toggle));
}

BufferRef KernelLowering::makeLine(RearrangeOp op, Value &line) {
  auto first = cast<RankedTensorType>(op.getSources().front().getType());
  Type element = first.getElementType();
  int64_t count = 0;
  for (Value source : op.getSources())
    count += cast<RankedTensorType>(source.getType()).getNumElements();
  auto type = RankedTensorType::get(count, element);
  if (op.getSources().size() > 1) {
    BufferRef buffer = allocate(type);
    int64_t begin = 0;
    for (Value source : op.getSources()) {
      ExpressionRef tile = getTile(source);
      int64_t width = getLanes(tile->getShape());
      IndexMap rows = IndexMap::getReshape(tile->getShape());
      rows.offset = begin;
      forEachPosition(tile->getShape(), width, [&](ArrayRef<Value> position) {
        write(*buffer, getNumberOf(rows, position),
              evaluate(*tile, position, width));
      });
      begin += tile->type.getNumElements();
    }
    line = buffer->memref;
    return buffer;
  }
  BufferRef buffer = materialize(getTile(op.getSources().front()));
  Type stored = cast<MemRefType>(buffer->memref.getType()).getElementType();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(entry);
  line = memref::ViewOp::create(builder, loc, MemRefType::get(count, stored),
                                arenaValue, getIndex(buffer->offset),
                                ValueRange());
  return buffer;
}

LogicalResult KernelLowering::lowerRearrange(RearrangeOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  Value line;
  BufferRef kept = makeLine(op, line);
  BufferRef result = allocate(type);
  IndexMap map = IndexMap::get(op);
  int64_t width = getLanes(type.getShape());
  // The inverted bits of neighbours must be equal.
  if (type.getRank() == 0 || map.strides.back() != 1 || map.toggle != 0)
    width = 1;
  forEachPosition(type.getShape(), width, [&](ArrayRef<Value> position) {
    write(*result, position,
          read(line, type.getElementType(), getNumberOf(map, position), width));
  });
  values[op.getResult()] = makeRead(type, result);
  return success();
}
