//===- NarrowFloats.cpp - Rounding to narrow float types --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The algorithms of Array/Rounding.h as vector operations. They use integer
// operations instead of fptrunc, which many processors emulate by calls.
//
//===----------------------------------------------------------------------===//

#include "ElementBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cmath>

using namespace tessera;
using namespace tessera::host;

namespace {
/// The parameters of a format, as in Array/Rounding.h.
struct Format {
  unsigned width;
  int fractionBits, minExponent, maxExponent;
  bool finiteOnly;

  int getDropped() const { return 23 - fractionBits; }
  uint32_t getSignBit() const { return 1u << (width - 1); }
  uint32_t getExponentMask() const {
    return (getSignBit() - 1) >> fractionBits << fractionBits;
  }
  uint32_t getLargest() const {
    return uint32_t(maxExponent + 127) << 23 |
           ((1u << fractionBits) - (finiteOnly ? 2 : 1)) << getDropped();
  }
};
} // namespace

static Format getFormat(Type element) {
  if (element.isF16())
    return {16, 10, -14, 15, false};
  if (element.isBF16())
    return {16, 7, -126, 127, false};
  if (isa<Float8E5M2Type>(element))
    return {8, 2, -14, 15, false};
  return {8, 3, -6, 8, true};
}

Value ElementBuilder::round(Type element, Value value) {
  if (!isa<FloatType>(element))
    return value;
  if (element.isF64())
    return widen(value);
  if (getElementTypeOrSelf(value.getType()).isF64())
    return roundWide(element, value);
  if (element.isF32())
    return value;
  Format format = getFormat(element);
  int dropped = format.getDropped();
  auto constant = [&](uint32_t bits) {
    return getInteger(int32_t(bits), i32());
  };
  Value bits = bitcast(i32(), value);
  Value magnitude =
      arith::AndIOp::create(builder, loc, bits, constant(0x7fffffffu));
  Value sign = arith::AndIOp::create(builder, loc, bits, constant(0x80000000u));
  Value last = arith::AndIOp::create(
      builder, loc,
      arith::ShRUIOp::create(builder, loc, magnitude, constant(dropped)),
      constant(1));
  Value rounded = arith::AddIOp::create(
      builder, loc,
      arith::AddIOp::create(builder, loc, magnitude,
                            constant((1u << (dropped - 1)) - 1)),
      last);
  rounded = arith::AndIOp::create(builder, loc, rounded,
                                  constant(~((1u << dropped) - 1)));
  using arith::CmpIPredicate;
  Value overflows =
      compare(int(CmpIPredicate::ugt), rounded, constant(format.getLargest()));
  Value result =
      select(overflows, constant(format.finiteOnly ? 0x7fc00000u : 0x7f800000u),
             rounded);
  if (format.minExponent > -126) {
    // Below the least normal number the quantum is fixed.
    int quantum = format.minExponent - format.fractionBits;
    Value shifter = getFloat(std::ldexp(1.5, quantum + 23));
    Value absolute = bitcast(f32(), magnitude);
    Value fixed = arith::SubFOp::create(
        builder, loc, arith::AddFOp::create(builder, loc, absolute, shifter),
        shifter);
    Value isSmall = compare(int(CmpIPredicate::ult), magnitude,
                            constant(uint32_t(format.minExponent + 127) << 23));
    result = select(isSmall, bitcast(i32(), fixed), result);
  }
  if (!format.finiteOnly)
    result = select(
        compare(int(CmpIPredicate::ugt), magnitude, constant(0x7f800000u)),
        constant(0x7fc00000u), result);
  return bitcast(f32(), arith::OrIOp::create(builder, loc, result, sign));
}

/// Rounds f64 to f32 by rounding to odd, so that the next rounding is the only
/// one.
Value ElementBuilder::roundToOdd(Value wide) {
  Value nearest = arith::TruncFOp::create(builder, loc, typed(f32()), wide);
  Value back = arith::ExtFOp::create(builder, loc, typed(f64()), nearest);
  // Ordered: NaN stays unchanged. Infinity equals itself.
  Value isInexact = compareFloats(int(arith::CmpFPredicate::ONE), back, wide);
  Value isLarger = compareFloats(int(arith::CmpFPredicate::OGT),
                                 math::AbsFOp::create(builder, loc, back),
                                 math::AbsFOp::create(builder, loc, wide));
  Value bits = bitcast(i32(), nearest);
  Value less = arith::SubIOp::create(builder, loc, bits, getInteger(1, i32()));
  Value odd = arith::OrIOp::create(builder, loc, select(isLarger, less, bits),
                                   getInteger(1, i32()));
  return bitcast(f32(), select(isInexact, odd, bits));
}

Value ElementBuilder::roundWide(Type element, Value value) {
  if (element.isF64())
    return value;
  if (element.isF32())
    return arith::TruncFOp::create(builder, loc, typed(f32()), value);
  return round(element, roundToOdd(value));
}

Value ElementBuilder::multiplyAdd(Type element, Value x, Value y, Value z) {
  if (element == getHeldType(element))
    return math::FmaOp::create(builder, loc, x, y, z);
  // The product is exact in f64. Knuth's two-sum yields the error of the sum,
  // which becomes the last bit (rounding to odd).
  Value product = arith::MulFOp::create(builder, loc, widen(x), widen(y));
  Value addend = widen(z);
  Value sum = arith::AddFOp::create(builder, loc, product, addend);
  Value back = arith::SubFOp::create(builder, loc, sum, product);
  Value error = arith::AddFOp::create(
      builder, loc,
      arith::SubFOp::create(builder, loc, product,
                            arith::SubFOp::create(builder, loc, sum, back)),
      arith::SubFOp::create(builder, loc, addend, back));
  Value zero = getFloat(0, f64());
  auto isBelowZero = [&](Value value) {
    return compareFloats(int(arith::CmpFPredicate::OLT), value, zero);
  };
  Value isOpposite =
      arith::XOrIOp::create(builder, loc, isBelowZero(error), isBelowZero(sum));
  Value bits = bitcast(i64(), sum), one = getInteger(1, i64());
  Value less = arith::SubIOp::create(builder, loc, bits, one);
  Value odd =
      arith::OrIOp::create(builder, loc, select(isOpposite, less, bits), one);
  // An infinite or NaN sum has a NaN error, and an ordered comparison with NaN
  // is false. A zero sum is exact.
  Value isInexact = compareFloats(int(arith::CmpFPredicate::ONE), error, zero);
  return roundWide(element, bitcast(f64(), select(isInexact, odd, bits)));
}

Value ElementBuilder::decode(Type element, Value bits) {
  if (element.isInteger(1))
    // The lowest bit of a byte counts, as on a GPU.
    return arith::TruncIOp::create(builder, loc, typed(element), bits);
  if (!isa<FloatType>(element) || element == getHeldType(element))
    return bits;
  Format format = getFormat(element);
  auto constant = [&](uint32_t value) {
    return getInteger(int32_t(value), i32());
  };
  auto shiftLeft = [&](Value value, unsigned by) -> Value {
    return arith::ShLIOp::create(builder, loc, value, constant(by));
  };
  Value word = arith::ExtUIOp::create(builder, loc, typed(i32()), bits);
  if (element.isBF16())
    return bitcast(f32(), shiftLeft(word, 16));
  uint32_t signBit = format.getSignBit();
  Value magnitude =
      arith::AndIOp::create(builder, loc, word, constant(signBit - 1));
  Value sign =
      shiftLeft(arith::AndIOp::create(builder, loc, word, constant(signBit)),
                32 - format.width);
  // A product with a power of two moves the exponent, for subnormals as well.
  Value shifted = shiftLeft(magnitude, format.getDropped());
  Value scale = getFloat(std::ldexp(1.0, 126 + format.minExponent));
  Value result =
      bitcast(i32(), arith::MulFOp::create(builder, loc,
                                           bitcast(f32(), shifted), scale));
  uint32_t special = format.finiteOnly ? signBit - 1 : format.getExponentMask();
  Value isSpecial =
      compare(int(arith::CmpIPredicate::uge), magnitude, constant(special));
  Value replaced = format.finiteOnly
                       ? constant(0x7fc00000u)
                       : Value(arith::OrIOp::create(builder, loc, shifted,
                                                    constant(0x7f800000u)));
  result = select(isSpecial, replaced, result);
  return bitcast(f32(), arith::OrIOp::create(builder, loc, result, sign));
}

Value ElementBuilder::encode(Type element, Value held) {
  if (element.isInteger(1))
    return arith::ExtUIOp::create(builder, loc, typed(builder.getI8Type()),
                                  held);
  if (!isa<FloatType>(element) || element == getHeldType(element))
    return held;
  Format format = getFormat(element);
  auto constant = [&](uint32_t value) {
    return getInteger(int32_t(value), i32());
  };
  auto shiftRight = [&](Value value, unsigned by) -> Value {
    return arith::ShRUIOp::create(builder, loc, value, constant(by));
  };
  Type memory = typed(getMemoryType(element));
  Value bits = bitcast(i32(), held);
  if (element.isBF16())
    return arith::TruncIOp::create(builder, loc, memory, shiftRight(bits, 16));
  uint32_t signBit = format.getSignBit();
  Value sign = arith::AndIOp::create(
      builder, loc, shiftRight(bits, 32 - format.width), constant(signBit));
  Value magnitude =
      arith::AndIOp::create(builder, loc, bits, constant(0x7fffffffu));
  Value scale = getFloat(std::ldexp(1.0, -(126 + format.minExponent)));
  Value scaled =
      arith::MulFOp::create(builder, loc, bitcast(f32(), magnitude), scale);
  Value result = shiftRight(bitcast(i32(), scaled), format.getDropped());
  if (!format.finiteOnly)
    result = select(compare(int(arith::CmpIPredicate::eq), magnitude,
                            constant(0x7f800000u)),
                    constant(format.getExponentMask()), result);
  uint32_t nan = format.finiteOnly ? signBit - 1
                                   : format.getExponentMask() |
                                         1u << (format.fractionBits - 1);
  result = select(
      compare(int(arith::CmpIPredicate::ugt), magnitude, constant(0x7f800000u)),
      constant(nan), result);
  result = arith::OrIOp::create(builder, loc, result, sign);
  return arith::TruncIOp::create(builder, loc, memory, result);
}
