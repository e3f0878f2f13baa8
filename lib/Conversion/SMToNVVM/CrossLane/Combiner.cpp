//===- Combiner.cpp - One step of a reduction -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Combines values by a balanced tree, which has the shortest chain of dependent
// operations. Products that may be rounded with their sum form short chains of
// multiply-adds first.
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"

#include "Elementwise/ScalarMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace tessera;
using namespace tessera::sm;
using tile::ReduceKind;

Value sm::emitToWork(OpBuilder &builder, Location loc, Type element,
                     Value value) {
  if (isa<FloatType>(element))
    return emitWiden(builder, loc, element, value);
  if (element == sm::getWorkType(element))
    return value;
  return LLVM::SExtOp::create(builder, loc, sm::getWorkType(element), value);
}

Value sm::emitFromWork(OpBuilder &builder, Location loc, Type element,
                       Value value) {
  if (isa<FloatType>(element))
    return emitNarrow(builder, loc, element, value);
  if (element == sm::getWorkType(element))
    return value;
  return LLVM::TruncOp::create(builder, loc, element, value);
}

Value Combiner::combine(OpBuilder &builder, Location loc, Value x,
                        Value y) const {
  bool isFloat = isa<FloatType>(element);
  switch (kind) {
  case ReduceKind::Sum:
    if (isFloat)
      return LLVM::FAddOp::create(builder, loc, x, y);
    return LLVM::AddOp::create(builder, loc, x, y);
  case ReduceKind::Max:
    if (isFloat)
      return LLVM::MaximumOp::create(builder, loc, x, y);
    return LLVM::SMaxOp::create(builder, loc, x, y);
  case ReduceKind::Min:
    if (isFloat)
      return LLVM::MinimumOp::create(builder, loc, x, y);
    return LLVM::SMinOp::create(builder, loc, x, y);
  }
  llvm_unreachable("all kinds are listed");
}

/// Number of products that one register adds up before its sum is combined with
/// others. The first product takes an extra instruction, and each product waits
/// for the one before.
static constexpr unsigned kChain = 8;

/// Returns the product that `value` is, if it may be rounded with a sum.
static arith::MulFOp getContractible(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  return product && value.getType().isF32() &&
                 bitEnumContainsAny(product.getFastmath(),
                                    arith::FastMathFlags::contract)
             ? product
             : arith::MulFOp();
}

/// Returns the sums of chains of `products`.
static SmallVector<Value> addUpChains(OpBuilder &builder, Location loc,
                                      ArrayRef<Value> products) {
  SmallVector<Value> sums;
  for (auto [number, value] : llvm::enumerate(products)) {
    if (number % kChain == 0) {
      sums.push_back(value);
      continue;
    }
    arith::MulFOp product = getContractible(value);
    sums.back() = LLVM::FMAOp::create(builder, loc, product.getLhs(),
                                      product.getRhs(), sums.back());
  }
  return sums;
}

Value Combiner::combineAll(OpBuilder &builder, Location loc,
                           SmallVector<Value> values) const {
  if (kind == ReduceKind::Sum && llvm::all_of(values, getContractible))
    values = addUpChains(builder, loc, values);
  while (values.size() > 1) {
    SmallVector<Value> next;
    for (unsigned i = 0; i + 1 < values.size(); i += 2)
      next.push_back(combine(builder, loc, values[i], values[i + 1]));
    if (values.size() % 2)
      next.push_back(values.back());
    values = std::move(next);
  }
  return values.front();
}

Value Combiner::emitIdentity(OpBuilder &builder, Location loc) const {
  Type type = getWorkType();
  if (kind == ReduceKind::Sum)
    return LLVM::ConstantOp::create(builder, loc, type,
                                    builder.getZeroAttr(type));
  bool isMax = kind == ReduceKind::Max;
  if (auto floatType = dyn_cast<FloatType>(type))
    return LLVM::ConstantOp::create(
        builder, loc, type,
        builder.getFloatAttr(
            type, llvm::APFloat::getInf(floatType.getFloatSemantics(), isMax)));
  unsigned width = type.getIntOrFloatBitWidth();
  return LLVM::ConstantOp::create(
      builder, loc, type,
      builder.getIntegerAttr(type, isMax ? APInt::getSignedMinValue(width)
                                         : APInt::getSignedMaxValue(width)));
}
