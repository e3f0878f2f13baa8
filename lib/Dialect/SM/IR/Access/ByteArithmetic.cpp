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

std::optional<unsigned> sm::getShiftOfBytes(Operation *op) {
  APInt amount;
  if (!isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op) ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&amount)) || amount.uge(8))
    return std::nullopt;
  return amount.getZExtValue();
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

namespace {
/// The least and the largest byte of a tile.
struct ByteRange {
  int64_t least = -128, most = 127;

  /// The range of the bytes of both.
  ByteRange joined(ByteRange other) const {
    return {std::min(least, other.least), std::max(most, other.most)};
  }

  /// The range moved by `distance`; all bytes if some would wrap around.
  ByteRange moved(int64_t distance) const {
    ByteRange range{least + distance, most + distance};
    return range.least < -128 || range.most > 127 ? ByteRange() : range;
  }
};
} // namespace

static std::optional<int64_t> getConstantByte(Value tile) {
  APInt value;
  return matchPattern(tile, m_ConstantInt(&value))
             ? std::optional<int64_t>(value.getSExtValue())
             : std::nullopt;
}

static ByteRange getByteRange(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (auto sum = dyn_cast_or_null<arith::AddIOp>(op)) {
    if (std::optional<int64_t> constant = getConstantByte(sum.getRhs()))
      return getByteRange(sum.getLhs()).moved(*constant);
  } else if (auto difference = dyn_cast_or_null<arith::SubIOp>(op)) {
    if (std::optional<unsigned> power = sm::getPowerOfRemainder(difference))
      return *power < 7 ? ByteRange{0, (1 << *power) - 1} : ByteRange();
    if (std::optional<int64_t> constant = getConstantByte(difference.getRhs()))
      return getByteRange(difference.getLhs()).moved(-*constant);
  } else if (auto quotient = dyn_cast_or_null<arith::FloorDivSIOp>(op)) {
    if (std::optional<unsigned> power = sm::getPowerOfTwo(quotient.getRhs())) {
      ByteRange range = getByteRange(quotient.getLhs());
      return {range.least >> *power, range.most >> *power};
    }
  } else if (auto shifted = dyn_cast_or_null<arith::ShRSIOp>(op)) {
    if (std::optional<unsigned> amount = sm::getShiftOfBytes(shifted)) {
      ByteRange range = getByteRange(shifted.getLhs());
      return {range.least >> *amount, range.most >> *amount};
    }
  } else if (auto shifted = dyn_cast_or_null<arith::ShRUIOp>(op)) {
    if (std::optional<unsigned> amount = sm::getShiftOfBytes(shifted))
      return *amount ? ByteRange{0, 255 >> *amount} : ByteRange();
  } else if (auto masked = dyn_cast_or_null<arith::AndIOp>(op)) {
    std::optional<int64_t> mask = getConstantByte(masked.getRhs());
    if (mask && *mask >= 0)
      return {0, *mask};
  } else if (auto rearrange = dyn_cast_or_null<RearrangeOp>(op)) {
    ByteRange range = getByteRange(rearrange->getOperand(0));
    for (Value operand : llvm::drop_begin(rearrange->getOperands()))
      range = range.joined(getByteRange(operand));
    return range;
  }
  return {};
}

bool sm::hasSevenBits(Value tile, bool isSigned) {
  ByteRange range = getByteRange(tile);
  return isSigned ? range.least >= -64 && range.most <= 63
                  : range.least >= 0 && range.most <= 127;
}

bool sm::isByteInstruction(Operation *op) {
  if (op->getNumResults() != 1 || !isTileOfBytes(op->getResult(0).getType()))
    return false;
  if (isa<arith::MulIOp, arith::FloorDivSIOp>(op))
    return getPowerOfTwo(op->getOperand(1)).has_value();
  return getShiftOfBytes(op) || isa<arith::AddIOp, arith::SubIOp, arith::AndIOp,
                                    arith::OrIOp, arith::XOrIOp>(op);
}

bool sm::isByteConversion(Operation *op) {
  return isa<arith::SIToFPOp, arith::UIToFPOp>(op) &&
         isTileOfBytes(op->getOperand(0).getType()) &&
         isa<Float32Type, Float16Type, BFloat16Type>(
             getElementTypeOrSelf(op->getResult(0).getType()));
}

bool sm::isHeldInWords(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op || !(isa<SmemLoadOp, RearrangeOp>(op) || isByteInstruction(op)) ||
      !isTileOfBytes(tile.getType()))
    return false;
  layout::Layout layout = getLayout(cast<RankedTensorType>(tile.getType()));
  return layout.getSize(layout::kRegister) % kBytesOfWord == 0 &&
         llvm::all_of(tile.getUsers(), [](Operation *user) {
           return isByteInstruction(user) || isByteConversion(user) ||
                  isa<MbarrierArriveOp, RearrangeOp>(user);
         });
}
