//===- PackedBytes.cpp - Four bytes in one register -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SIMD within a register. Sums mask the highest bit of each byte, so that
// carries do not cross bytes, and add that bit by exclusive or. A conversion
// inserts a byte into the mantissa of a float with a known exponent (prmt) and
// subtracts a constant.
//
//===----------------------------------------------------------------------===//

#include "PackedBytes.h"
#include "GlobalMemory/VectorAccess.h"
#include "Kernel/LoweringContext.h"
#include "ScalarMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::sm;

/// Returns the i16 as which two bytes were loaded; null if they were not.
static Value findHalf(OpBuilder &builder, Location loc, ValueRange bytes) {
  auto low = bytes[0].getDefiningOp<LLVM::ExtractElementOp>();
  auto high = bytes[1].getDefiningOp<LLVM::ExtractElementOp>();
  if (!low || !high || low.getVector() != high.getVector() ||
      cast<VectorType>(low.getVector().getType()).getNumElements() != 2 ||
      !matchPattern(low.getPosition(), m_Zero()) ||
      !matchPattern(high.getPosition(), m_One()))
    return {};
  return LLVM::BitcastOp::create(builder, loc, builder.getI16Type(),
                                 low.getVector());
}

Value sm::packBytes(OpBuilder &builder, Location loc, ValueRange bytes) {
  // One instruction combines two halves into a word, instead of seven for
  // bytes.
  Value low = findHalf(builder, loc, bytes.take_front(2));
  Value high = findHalf(builder, loc, bytes.drop_front(2));
  if (!low || !high)
    return packWords(builder, loc, bytes).front();
  Type type = builder.getI32Type();
  Value shifted = LLVM::ShlOp::create(
      builder, loc, LLVM::ZExtOp::create(builder, loc, type, high),
      emitI32(builder, loc, 16));
  return LLVM::OrOp::create(
      builder, loc, LLVM::ZExtOp::create(builder, loc, type, low), shifted);
}

SmallVector<Value> sm::unpackBytes(OpBuilder &builder, Location loc,
                                   Value word) {
  return unpackWords(builder, loc, builder.getI8Type(), kBytesOfWord, word);
}

namespace {
/// Arithmetic on words of four bytes.
class Words {
public:
  Words(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value repeat(unsigned byte) {
    return emitI32(builder, loc, static_cast<int32_t>(byte * 0x01010101u));
  }
  Value bitAnd(Value a, unsigned bytes) {
    return LLVM::AndOp::create(builder, loc, a, repeat(bytes));
  }
  Value bitOr(Value a, Value b) {
    return LLVM::OrOp::create(builder, loc, a, b);
  }
  Value bitXor(Value a, Value b) {
    return LLVM::XOrOp::create(builder, loc, a, b);
  }

  /// Adds bytes. The highest bits are masked, which leaves room for a carry,
  /// and are added without one.
  Value add(Value a, Value b) {
    Value low =
        LLVM::AddOp::create(builder, loc, bitAnd(a, 0x7f), bitAnd(b, 0x7f));
    return bitXor(low, bitAnd(bitXor(a, b), 0x80));
  }
  /// Subtracts bytes, with a highest bit from which to borrow.
  Value subtract(Value a, Value b) {
    Value low = LLVM::SubOp::create(builder, loc, bitOr(a, repeat(0x80)),
                                    bitAnd(b, 0x7f));
    Value high = bitXor(bitXor(a, b), repeat(0x80));
    return bitXor(low, bitAnd(high, 0x80));
  }
  Value shiftLeft(Value a, unsigned by) {
    Value shifted =
        LLVM::ShlOp::create(builder, loc, a, emitI32(builder, loc, by));
    return bitAnd(shifted, 0xff & (0xff << by));
  }
  Value shiftRightWithZeros(Value a, unsigned by) {
    Value shifted =
        LLVM::LShrOp::create(builder, loc, a, emitI32(builder, loc, by));
    return bitAnd(shifted, 0xff >> by);
  }
  /// Shifts bytes right. The sign, now at bit 7 - by, is multiplied into the
  /// bits above it.
  Value shiftRight(Value a, unsigned by) {
    Value shifted =
        LLVM::LShrOp::create(builder, loc, a, emitI32(builder, loc, by));
    Value sign = bitAnd(shifted, 0x80 >> by);
    int32_t above = ((1 << by) - 1) << 1;
    Value signs =
        LLVM::MulOp::create(builder, loc, sign, emitI32(builder, loc, above));
    return bitOr(bitAnd(shifted, 0xff >> by), signs);
  }

private:
  OpBuilder &builder;
  Location loc;
};
} // namespace

Value sm::emitBytes(OpBuilder &builder, Operation *op, ValueRange words) {
  Words bytes(builder, op->getLoc());
  Value a = words.front(), b = words.back();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::AddIOp) { return bytes.add(a, b); })
      .Case([&](arith::SubIOp difference) {
        if (std::optional<unsigned> power = getPowerOfRemainder(difference))
          return bytes.bitAnd(a, (1u << *power) - 1);
        return bytes.subtract(a, b);
      })
      .Case([&](arith::AndIOp) {
        return Value(LLVM::AndOp::create(builder, op->getLoc(), a, b));
      })
      .Case([&](arith::OrIOp) { return bytes.bitOr(a, b); })
      .Case([&](arith::XOrIOp) { return bytes.bitXor(a, b); })
      .Case([&](arith::MulIOp) {
        return bytes.shiftLeft(a, *getPowerOfTwo(op->getOperand(1)));
      })
      .Case([&](arith::FloorDivSIOp) {
        return bytes.shiftRight(a, *getPowerOfTwo(op->getOperand(1)));
      })
      .Case([&](arith::ShLIOp) {
        return bytes.shiftLeft(a, *getShiftOfBytes(op));
      })
      .Case([&](arith::ShRSIOp) {
        return bytes.shiftRight(a, *getShiftOfBytes(op));
      })
      .Case([&](arith::ShRUIOp) {
        return bytes.shiftRightWithZeros(a, *getShiftOfBytes(op));
      });
}

/// Emits the bytes of `word` and of `other`, 0 to 3 and 4 to 7, that the digits
/// of `selector` name (PTX ISA, prmt).
static Value emitPermute(OpBuilder &builder, Location loc, Value word,
                         uint32_t other, int32_t selector) {
  return emitIntrinsic(builder, loc, "llvm.nvvm.prmt", builder.getI32Type(),
                       {word,
                        emitI32(builder, loc, static_cast<int32_t>(other)),
                        emitI32(builder, loc, selector)});
}

/// Emits two f16: the bytes of `word` from `first` on, as the last bits of
/// 1024, minus `bias`.
static Value emitHalves(OpBuilder &builder, Location loc, Value word,
                        int32_t first, int32_t bias) {
  Value bits = emitPermute(builder, loc, word, 0x64646464,
                           0x4040 | (first + 1) << 8 | first);
  auto type = VectorType::get(2, builder.getF16Type());
  Value offset = LLVM::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type, builder.getF16FloatAttr(1024 + bias)));
  return LLVM::FSubOp::create(
      builder, loc, LLVM::BitcastOp::create(builder, loc, type, bits), offset);
}

/// Emits two bf16: the bytes of `word` from `first` on, from 0 to 127, as the
/// last bits of 128, minus `offset`.
static Value emitShortHalves(OpBuilder &builder, Location loc, Value word,
                             int32_t first, double offset) {
  Value bits = emitPermute(builder, loc, word, 0x43434343,
                           0x4040 | (first + 1) << 8 | first);
  auto type = VectorType::get(2, builder.getBF16Type());
  Value subtrahend = LLVM::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          type, builder.getFloatAttr(builder.getBF16Type(), 128 + offset)));
  return LLVM::FSubOp::create(builder, loc,
                              LLVM::BitcastOp::create(builder, loc, type, bits),
                              subtrahend);
}

SmallVector<Value> sm::emitSevenBitsToBF16(OpBuilder &builder, Location loc,
                                           Value word, bool isSigned) {
  // Bytes from 0 to 127: signed elements plus 64.
  Words bytes(builder, loc);
  int32_t bias = isSigned ? 64 : 0;
  Value biased =
      isSigned ? bytes.bitXor(bytes.bitAnd(word, 0x7f), bytes.repeat(0x40))
               : word;
  return {emitShortHalves(builder, loc, biased, 0, bias),
          emitShortHalves(builder, loc, biased, 2, bias)};
}

Value sm::addToConvertedBytes(OpBuilder &builder, Value pair,
                              const APFloat &distance) {
  auto difference = pair.getDefiningOp<LLVM::FSubOp>();
  DenseFPElementsAttr offsets;
  if (!difference || !matchPattern(difference.getRhs(), m_Constant(&offsets)) ||
      !offsets.isSplat())
    return {};
  auto offset = offsets.getSplatValue<APFloat>();
  if (offset.subtract(distance, APFloat::rmNearestTiesToEven) != APFloat::opOK)
    return {};
  Value both = LLVM::ConstantOp::create(
      builder, pair.getLoc(),
      DenseElementsAttr::get(offsets.getType(), offset));
  return LLVM::FSubOp::create(builder, pair.getLoc(), difference.getLhs(),
                              both);
}

/// Emits an f32: byte `index` of `word` as the last bits of 2^23, minus `bias`.
static Value emitFloat(OpBuilder &builder, Location loc, Value word,
                       int32_t index, int32_t bias) {
  Value bits = emitPermute(builder, loc, word, 0x4b000000, 0x7440 | index);
  Value offset = LLVM::ConstantOp::create(
      builder, loc, builder.getF32FloatAttr((1 << 23) + bias));
  return LLVM::FSubOp::create(
      builder, loc,
      LLVM::BitcastOp::create(builder, loc, builder.getF32Type(), bits),
      offset);
}

SmallVector<Value> sm::emitBytesToFloats(OpBuilder &builder, Location loc,
                                         Type element, Value word,
                                         bool isSigned) {
  // Bytes from 0 to 255: signed elements plus 128.
  Words bytes(builder, loc);
  int32_t bias = isSigned ? 128 : 0;
  Value biased = isSigned ? bytes.bitXor(word, bytes.repeat(0x80)) : word;
  SmallVector<Value> results;
  if (element.isF16()) {
    for (int32_t first : {0, 2})
      results.push_back(emitHalves(builder, loc, biased, first, bias));
    return results;
  }
  for (int32_t index = 0; index < kBytesOfWord; ++index)
    results.push_back(emitFloat(builder, loc, biased, index, bias));
  return results;
}
