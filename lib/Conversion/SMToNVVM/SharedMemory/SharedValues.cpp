//===- SharedValues.cpp - Elements in shared memory -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses to elements in shared memory at dynamic positions. An XOR swizzle
// toggles bits of the byte offset by bits of its 128-byte line. Invariant: the
// emitted offset equals that of layout::getSharedTile.
//
//===----------------------------------------------------------------------===//

#include "SharedValues.h"

using namespace tessera;
using namespace tessera::sm;

/// Checks whether a vector of `count` elements is moved as words. 8-bit
/// elements are, since the code generator splits vectors of bytes.
static bool movesWords(Type element, int64_t count) {
  return element.isInteger(8) && count % 4 == 0;
}

static Type getMemoryType(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : element;
}

static Type getVector(Type element, int64_t count) {
  return count == 1 ? element : VectorType::get(count, element);
}

static int64_t getBytes(Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

static Value emitVector(OpBuilder &builder, Location loc,
                        ArrayRef<Value> elements) {
  if (elements.size() == 1)
    return elements.front();
  Value vector = LLVM::PoisonOp::create(
      builder, loc, getVector(elements.front().getType(), elements.size()));
  for (auto [i, element] : llvm::enumerate(elements))
    vector = LLVM::InsertElementOp::create(builder, loc, vector, element,
                                           emitI32(builder, loc, i));
  return vector;
}

void sm::emitSharedStore(OpBuilder &builder, Location loc, Value address,
                         ArrayRef<Value> elements) {
  int64_t count = elements.size();
  SmallVector<Value> bytes;
  if (elements.front().getType().isInteger(1)) {
    for (Value bit : elements)
      bytes.push_back(
          LLVM::ZExtOp::create(builder, loc, builder.getI8Type(), bit));
    elements = bytes;
  }
  Type element = elements.front().getType();
  Value vector = emitVector(builder, loc, elements);
  if (movesWords(element, count))
    vector = LLVM::BitcastOp::create(
        builder, loc, getVector(builder.getI32Type(), count / 4), vector);
  LLVM::StoreOp::create(builder, loc, vector,
                        emitSharedPointer(builder, loc, address),
                        count * getBytes(element));
}

SmallVector<Value> sm::emitSharedLoad(OpBuilder &builder, Location loc,
                                      Value address, Type element,
                                      int64_t count) {
  Type inMemory = getMemoryType(element);
  bool words = movesWords(inMemory, count);
  Type type = words ? getVector(builder.getI32Type(), count / 4)
                    : getVector(inMemory, count);
  Value loaded = LLVM::LoadOp::create(builder, loc, type,
                                      emitSharedPointer(builder, loc, address),
                                      count * getBytes(inMemory));
  if (words)
    loaded = LLVM::BitcastOp::create(builder, loc, getVector(inMemory, count),
                                     loaded);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < count; ++i) {
    Value value = loaded;
    if (count > 1)
      value = LLVM::ExtractElementOp::create(builder, loc, loaded,
                                             emitI32(builder, loc, i));
    if (inMemory != element)
      value = LLVM::TruncOp::create(builder, loc, element, value);
    elements.push_back(value);
  }
  return elements;
}

Value sm::emitSharedOffset(OpBuilder &builder, Location loc, SmemType tile,
                           Value row, Value column) {
  int64_t bytes = tile.getElementBytes();
  int64_t rows = tile.getNumElements() / tile.getShape().back();
  int64_t rowBytes = tile.getShape().back() * bytes;
  auto constant = [&](int64_t value) { return emitI32(builder, loc, value); };
  auto mul = [&](Value value, int64_t by) -> Value {
    return by == 1 ? value
                   : LLVM::MulOp::create(builder, loc, value, constant(by))
                         .getResult();
  };
  auto add = [&](Value a, Value b) -> Value {
    return LLVM::AddOp::create(builder, loc, a, b);
  };
  Value byte = mul(column, bytes);
  int64_t span = static_cast<int64_t>(tile.getSwizzle());
  if (span == 0)
    return add(mul(row, rowBytes), byte);
  // See layout::getSharedTile: boxes of all rows, and chunks of 16 bytes that
  // are toggled by their 128-byte line.
  Value inBox = byte;
  Value box;
  if (rowBytes > span) {
    inBox = LLVM::AndOp::create(builder, loc, byte, constant(span - 1));
    box = LLVM::SubOp::create(builder, loc, byte, inBox);
  }
  Value offset = add(mul(row, span), inBox);
  Value line = LLVM::LShrOp::create(builder, loc, offset, constant(3));
  line =
      LLVM::AndOp::create(builder, loc, line, constant((span / 16 - 1) << 4));
  offset = LLVM::XOrOp::create(builder, loc, offset, line);
  return box ? add(offset, mul(box, rows)) : offset;
}

std::optional<int64_t> sm::findRowDistance(SmemType tile, int64_t rows) {
  int64_t span = static_cast<int64_t>(tile.getSwizzle());
  if (span == 0)
    return rows * tile.getShape().back() * tile.getElementBytes();
  // The pattern of a swizzle repeats after eight lines of 128 bytes.
  if (rows * span % 1024 != 0)
    return std::nullopt;
  return rows * span;
}
