//===- Tiles.cpp - Tiles as expressions and buffers -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates expressions element by element, a vector of the last dimension at a
// time. The number of lanes is the largest power of two that divides the last
// extent, up to a register; so no vector has a remainder.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace tessera;
using namespace tessera::host;

bool Expression::refersTo(const Buffer *other) const {
  return buffer.get() == other ||
         llvm::any_of(operands, [&](const ExpressionRef &operand) {
           return operand->refersTo(other);
         });
}

bool Expression::isPointwiseIn(const Buffer *other) const {
  if (kind != Read && kind != Map)
    return !refersTo(other);
  return llvm::all_of(operands, [&](const ExpressionRef &operand) {
    return operand->isPointwiseIn(other);
  });
}

/// Returns the type of elements in buffers.
static Type getStoredType(Type element) {
  Type held = getHeldType(element);
  return held.isInteger(1) ? Type(IntegerType::get(held.getContext(), 8))
                           : held;
}

BufferRef KernelLowering::allocate(RankedTensorType type) {
  Type stored = getStoredType(type.getElementType());
  int64_t bytes = type.getNumElements() * stored.getIntOrFloatBitWidth() / 8;
  auto buffer = std::make_shared<Buffer>(arena, arena.allocate(bytes));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(entry);
  auto memref = MemRefType::get(type.getShape(), stored);
  buffer->memref = memref::ViewOp::create(
      builder, loc, memref, arenaValue, getIndex(buffer->offset), ValueRange());
  return buffer;
}

ExpressionRef KernelLowering::makeRead(RankedTensorType type,
                                       BufferRef buffer) {
  Expression read{Expression::Read, type};
  read.buffer = std::move(buffer);
  return std::make_shared<Expression>(std::move(read));
}

BufferRef KernelLowering::materialize(const ExpressionRef &tile) {
  if (tile->kind == Expression::Read)
    return tile->buffer;
  BufferRef buffer = allocate(tile->type);
  evaluateInto(tile, buffer);
  return buffer;
}

ExpressionRef KernelLowering::makeCheap(const ExpressionRef &tile) {
  return tile->isCheap ? tile : makeRead(tile->type, materialize(tile));
}

void KernelLowering::evaluateInto(const ExpressionRef &tile,
                                  const BufferRef &buffer) {
  if (tile->buffer == buffer)
    return;
  int64_t width = getLanes(tile->getShape());
  forEachPosition(tile->getShape(), width, [&](ArrayRef<Value> position) {
    write(*buffer, position, evaluate(*tile, position, width));
  });
}

/// Evaluation is recursive, and the loops of long chains are slow to compile.
static constexpr int64_t kMaxDepth = 32;

void KernelLowering::define(Value value, Expression expression) {
  for (const ExpressionRef &operand : expression.operands)
    expression.depth = std::max(expression.depth, operand->depth + 1);
  bool isCheap = expression.isCheap;
  auto tile = std::make_shared<const Expression>(std::move(expression));
  if (tile->depth >= kMaxDepth) {
    values[value] = makeRead(tile->type, materialize(tile));
    return;
  }
  bool isUsedOnce = value.hasOneUse() &&
                    (*value.user_begin())->getBlock() == value.getParentBlock();
  values[value] = isCheap || isUsedOnce ? tile : makeCheap(tile);
}

ExpressionRef KernelLowering::getOperandTile(Value operand,
                                             RankedTensorType like) {
  const HostValue &value = values.find(operand)->second;
  if (const auto *tile = std::get_if<ExpressionRef>(&value))
    return *tile;
  Expression splat{Expression::Splat,
                   RankedTensorType::get(like.getShape(), operand.getType())};
  splat.scalar = std::get<Value>(value);
  return std::make_shared<Expression>(std::move(splat));
}

int64_t KernelLowering::getLanes(ArrayRef<int64_t> shape) const {
  if (shape.empty())
    return 1;
  int64_t power = int64_t(1) << llvm::countr_zero(uint64_t(shape.back()));
  return std::min(lanes, power);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<Value> KernelLowering::emitLoop(
    int64_t begin, int64_t end, int64_t step, ValueRange init,
    function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  if (begin >= end)
    return llvm::to_vector(init);
  if (begin + step >= end)
    return body(getIndex(begin), init);
  auto loop = scf::ForOp::create(builder, loc, getIndex(begin), getIndex(end),
                                 getIndex(step), init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!init.empty()) // else the loop was created with its terminator
    scf::YieldOp::create(builder, loc, next);
  return llvm::to_vector_of<Value>(loop.getResults());
}

void KernelLowering::forEachPosition(ArrayRef<int64_t> extents,
                                     ArrayRef<int64_t> steps, Visit visit) {
  Position position;
  auto descend = [&](auto &self) -> void {
    size_t dim = position.size();
    if (dim == extents.size())
      return visit(position);
    emitLoop(0, extents[dim], steps[dim], {}, [&](Value index, ValueRange) {
      position.push_back(index);
      self(self);
      position.pop_back();
      return SmallVector<Value>();
    });
  };
  descend(descend);
}

void KernelLowering::forEachPosition(ArrayRef<int64_t> shape, int64_t width,
                                     Visit visit) {
  SmallVector<int64_t> steps(shape.size(), 1);
  if (!steps.empty())
    steps.back() = width;
  forEachPosition(shape, steps, visit);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value KernelLowering::read(Value memref, Type element, ArrayRef<Value> position,
                           int64_t width) {
  Type stored = getStoredType(element);
  Value value;
  if (width == 1)
    value = memref::LoadOp::create(builder, loc, memref, position);
  else
    value = vector::LoadOp::create(
        builder, loc, cast<VectorType>(getLanesType(stored, width)), memref,
        position);
  return element.isInteger(1) ? getElements(width).decode(element, value)
                              : value;
}

void KernelLowering::write(const Buffer &buffer, ArrayRef<Value> position,
                           Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (getElementTypeOrSelf(value.getType()).isInteger(1))
    value = getElements(vector ? vector.getDimSize(0) : 1)
                .encode(builder.getI1Type(), value);
  if (vector)
    vector::StoreOp::create(builder, loc, value, buffer.memref, position);
  else
    memref::StoreOp::create(builder, loc, value, buffer.memref, position);
}

Value KernelLowering::evaluate(const Expression &tile, ArrayRef<Value> position,
                               int64_t width) {
  ElementBuilder elements = getElements(width);
  switch (tile.kind) {
  case Expression::Read:
    return read(*tile.buffer, tile.type.getElementType(), position, width);
  case Expression::Splat:
    return elements.splat(tile.scalar);
  case Expression::Map: {
    SmallVector<Value> operands;
    for (const ExpressionRef &operand : tile.operands)
      operands.push_back(evaluate(*operand, position, width));
    Value failed;
    Value value = elements.emit(tile.op, operands, failed)[tile.number];
    if (failed)
      failIf(failed);
    return value;
  }
  case Expression::Broadcast: {
    const Expression &source = *tile.operands[0];
    Position from(position);
    for (auto [extent, index] : llvm::zip(source.getShape(), from))
      if (extent == 1)
        index = getIndex(0);
    if (width == 1 || source.getShape().back() != 1)
      return evaluate(source, from, width);
    return elements.splat(evaluate(source, from, 1));
  }
  case Expression::ExpandDims: {
    Position from(position);
    from.erase(from.begin() + tile.number);
    return evaluate(*tile.operands[0], from, width);
  }
  case Expression::Positions: {
    auto toI32 = [&](Value index) -> Value {
      return arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                        index);
    };
    Value base = elements.splat(toI32(add(tile.scalar, position[0])));
    if (width == 1)
      return base;
    SmallVector<int32_t> steps(llvm::to_vector(llvm::seq<int32_t>(0, width)));
    Value step = arith::ConstantOp::create(builder, loc,
                                           builder.getI32VectorAttr(steps));
    return arith::AddIOp::create(builder, loc, base, step);
  }
  case Expression::Valid: {
    if (width == 1)
      return compare(arith::CmpIPredicate::slt, position[0], tile.scalar);
    Value left = arith::SubIOp::create(builder, loc, tile.scalar, position[0]);
    return vector::CreateMaskOp::create(
        builder, loc, VectorType::get({width}, builder.getI1Type()), left);
  }
  }
  llvm_unreachable("unknown kind of expression");
}
