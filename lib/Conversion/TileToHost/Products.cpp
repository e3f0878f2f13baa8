//===- Products.cpp - Matrix products on the processor ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Register blocking by outer products. A block of the result has some rows of
// one or two vectors, and stays in registers. A loop adds the products of
// columns of A with rows of B. Each element adds its terms in ascending order,
// as in the interpreter; fused multiply-adds round once.
//
// A transposed B is copied to row-major form, in square blocks that vector
// shuffles transpose.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace tessera;
using namespace tessera::host;
using namespace tessera::tile;

/// Returns the largest power of two that divides `extent`, up to `limit`.
static int64_t getDivisor(int64_t extent, int64_t limit) {
  int64_t divisor = 1;
  while (divisor * 2 <= limit && extent % (divisor * 2) == 0)
    divisor *= 2;
  return divisor;
}

LogicalResult KernelLowering::lowerGemm(GemmOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  int64_t rows = type.getShape()[0], columns = type.getShape()[1];
  auto typeOfA = cast<RankedTensorType>(op.getA().getType());
  auto typeOfB = cast<RankedTensorType>(op.getB().getType());
  int64_t depth = typeOfA.getShape()[op.getTermDimOfA()];
  bool isFloat = type.getElementType().isF32();

  BufferRef a = materialize(getTile(op.getA()));
  BufferRef b = materialize(getTile(op.getB()));
  if (op.getTransposeB())
    b = transpose(
        *b, RankedTensorType::get({depth, columns}, typeOfB.getElementType()));

  // The sum may replace its old value if nothing else refers to it: this
  // variable, the map of values, and the loop that carries it.
  ExpressionRef old = getTile(op.getAccumulator());
  BufferRef sum;
  if (old->kind == Expression::Read && old.use_count() == 2 &&
      old->buffer.use_count() == 1 + old->buffer->isCarried &&
      llvm::is_contained(lastUses.lookup(op), op.getAccumulator()))
    sum = old->buffer;
  else
    sum = allocate(type);

  int64_t width = getLanes(type.getShape());
  int64_t vectors = getDivisor(columns / width, 2);
  int64_t height = getDivisor(rows, lanes >= 16 ? 8 : 4);
  Type wide = getLanesType(type.getElementType(), width);
  ElementBuilder elements = getElements(width);
  auto load = [&](const Buffer &buffer, RankedTensorType from,
                  ArrayRef<Value> position, int64_t count) {
    Value value = read(buffer, from.getElementType(), position, count);
    if (!isFloat)
      value = arith::ExtSIOp::create(
          builder, loc, getLanesType(builder.getI32Type(), count), value);
    if (!op.getTf32())
      return value;
    // Without the bits that TF32 lacks.
    Type bits = getLanesType(builder.getI32Type(), count);
    TypedAttr mask = builder.getI32IntegerAttr(-0x2000);
    if (auto vector = dyn_cast<VectorType>(bits))
      mask = DenseElementsAttr::get(vector, builder.getI32IntegerAttr(-0x2000));
    Value kept = arith::AndIOp::create(
        builder, loc, arith::BitcastOp::create(builder, loc, bits, value),
        arith::ConstantOp::create(builder, loc, mask));
    return arith::BitcastOp::create(
               builder, loc, getLanesType(builder.getF32Type(), count), kept)
        .getResult();
  };
  forEachPosition(
      {columns, rows}, {width * vectors, height}, [&](ArrayRef<Value> at) {
        auto getRow = [&](int64_t i) { return add(at[1], getIndex(i)); };
        auto getColumn = [&](int64_t j) {
          return add(at[0], getIndex(j * width));
        };
        SmallVector<Value> init;
        for (int64_t i = 0; i < height; ++i)
          for (int64_t j = 0; j < vectors; ++j)
            init.push_back(evaluate(*old, {getRow(i), getColumn(j)}, width));
        SmallVector<Value> sums =
            emitLoop(0, depth, 1, init, [&](Value k, ValueRange partial) {
              SmallVector<Value> next, rowOfB;
              for (int64_t j = 0; j < vectors; ++j)
                rowOfB.push_back(load(*b, typeOfB, {k, getColumn(j)}, width));
              for (int64_t i = 0; i < height; ++i) {
                Value row = getRow(i);
                Value scalar = op.getTransposeA()
                                   ? load(*a, typeOfA, {k, row}, 1)
                                   : load(*a, typeOfA, {row, k}, 1);
                Value factor = elements.splat(scalar);
                for (int64_t j = 0; j < vectors; ++j) {
                  Value before = partial[i * vectors + j];
                  if (isFloat)
                    next.push_back(math::FmaOp::create(
                        builder, loc, wide, factor, rowOfB[j], before));
                  else
                    next.push_back(add(before, multiply(factor, rowOfB[j])));
                }
              }
              return next;
            });
        for (int64_t i = 0; i < height; ++i)
          for (int64_t j = 0; j < vectors; ++j)
            write(*sum, {getRow(i), getColumn(j)}, sums[i * vectors + j]);
      });
  values[op.getResult()] = makeRead(type, sum);
  return success();
}

BufferRef KernelLowering::transpose(const Buffer &source,
                                    RankedTensorType type) {
  BufferRef result = allocate(type);
  int64_t rows = type.getShape()[0], columns = type.getShape()[1];
  Type stored = cast<MemRefType>(source.memref.getType()).getElementType();
  int64_t size = std::min(getDivisor(rows, lanes), getDivisor(columns, lanes));
  forEachPosition({rows, columns}, {size, size}, [&](ArrayRef<Value> at) {
    SmallVector<Value> block;
    if (size == 1) {
      Value value = memref::LoadOp::create(builder, loc, source.memref,
                                           ValueRange{at[1], at[0]});
      memref::StoreOp::create(builder, loc, value, result->memref, at);
      return;
    }
    auto vector = VectorType::get({size}, stored);
    for (int64_t i = 0; i < size; ++i)
      block.push_back(
          vector::LoadOp::create(builder, loc, vector, source.memref,
                                 ValueRange{add(at[1], getIndex(i)), at[0]}));
    // Step s exchanges the blocks of s x s elements off the diagonal.
    for (int64_t s = 1; s < size; s *= 2)
      for (int64_t i = 0; i < size; ++i) {
        if (i & s)
          continue;
        SmallVector<int64_t> first, second;
        for (int64_t j = 0; j < size; ++j) {
          first.push_back(j & s ? size + j - s : j);
          second.push_back(j & s ? size + j : j + s);
        }
        Value x = block[i], y = block[i + s];
        block[i] = vector::ShuffleOp::create(builder, loc, x, y, first);
        block[i + s] = vector::ShuffleOp::create(builder, loc, x, y, second);
      }
    for (int64_t i = 0; i < size; ++i)
      vector::StoreOp::create(builder, loc, block[i], result->memref,
                              ValueRange{add(at[0], getIndex(i)), at[1]});
  });
  return result;
}
