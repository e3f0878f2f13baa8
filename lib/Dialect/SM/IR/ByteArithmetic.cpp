//===- ByteArithmetic.cpp - Tiles of i8 in words ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/ByteArithmetic.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace tessera;
using namespace tessera::sm;

static bool isTileOfBytes(Type type) {
  return isa<RankedTensorType>(type) && getElementTypeOrSelf(type).isInteger(8);
}

std::optional<unsigned> sm::getPowerOfTwo(Value tile) {
  APInt value;
  if (!matchPattern(tile, m_ConstantInt(&value)) || !value.isStrictlyPositive())
    return std::nullopt;
  int32_t power = value.exactLogBase2();
  return power < 0 ? std::nullopt : std::optional<unsigned>(power);
}

std::optional<unsigned> sm::getPowerOfRemainder(arith::SubIOp op) {
  auto product = op.getRhs().getDefiningOp<arith::MulIOp>();
  auto quotient =
      product ? product.getLhs().getDefiningOp<arith::FloorDivSIOp>() : nullptr;
  if (!quotient || quotient.getLhs() != op.getLhs())
    return std::nullopt;
  std::optional<unsigned> power = getPowerOfTwo(quotient.getRhs());
  return power && getPowerOfTwo(product.getRhs()) == power ? power
                                                           : std::nullopt;
}

bool sm::isByteInstruction(Operation *op) {
  if (op->getNumResults() != 1 || !isTileOfBytes(op->getResult(0).getType()))
    return false;
  if (isa<arith::MulIOp, arith::FloorDivSIOp>(op))
    return getPowerOfTwo(op->getOperand(1)).has_value();
  return isa<arith::AddIOp, arith::SubIOp, arith::AndIOp, arith::OrIOp,
             arith::XOrIOp>(op);
}

bool sm::isByteConversion(Operation *op) {
  return isa<arith::SIToFPOp>(op) &&
         isTileOfBytes(op->getOperand(0).getType()) &&
         isa<Float32Type, Float16Type, BFloat16Type>(
             getElementTypeOrSelf(op->getResult(0).getType()));
}

bool sm::isHeldInWords(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op || !(isa<ReadOp>(op) || isByteInstruction(op)) ||
      !isTileOfBytes(tile.getType()))
    return false;
  layout::Layout layout = getLayout(cast<RankedTensorType>(tile.getType()));
  return layout.getSize(layout::kRegister) % kBytesOfWord == 0 &&
         llvm::all_of(tile.getUsers(), [](Operation *user) {
           return isByteInstruction(user) || isByteConversion(user) ||
                  isa<MbarrierArriveOp>(user);
         });
}
