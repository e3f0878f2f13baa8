//===- HalfArithmetic.h - Arithmetic of 16-bit floats -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Half Precision Floating-Point Instructions". Values are converted
// to f64, where products are exact and sums are rounded to odd. One more
// rounding then gives the correct result.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_SCALAR_HALFARITHMETIC_H
#define TESSERA_LIB_EMULATOR_SCALAR_HALFARITHMETIC_H

#include "ScalarWords.h"
#include "tessera/Array/Rounding.h"

namespace tessera::emu {

template <array::ElementType type>
struct Half {
  uint16_t bits;

  static constexpr array::ElementType elementType = type;
  static constexpr uint16_t signBit = 0x8000;
  /// f16 has 5 bits of exponent, bf16 has 8. Greater bit patterns are NaNs.
  static constexpr uint16_t infinity =
      type == array::ElementType::F16 ? 0x7c00 : 0x7f80;
  static constexpr uint16_t nan = 0x7fff;

  float getValue() const {
    if constexpr (type == array::ElementType::BF16)
      return array::fromBits(uint32_t(bits) << 16);
    return array::decode(type, bits);
  }
  bool isNaN() const { return (bits & ~signBit) > infinity; }
  bool isNegative() const { return bits & signBit; }
  bool isSubnormal() const { return !(bits & infinity); }

  /// Rounds to nearest even; all NaNs become one.
  static Half round(float value) {
    if (std::isnan(value))
      return {nan};
    float rounded = array::roundTo(type, value);
    if constexpr (type == array::ElementType::BF16)
      return {static_cast<uint16_t>(array::getBits(rounded) >> 16)};
    return {static_cast<uint16_t>(array::encode(type, rounded))};
  }
  static Half round(double value) {
    return std::isnan(value) ? Half{nan} : round(array::roundToOdd(value));
  }

  Half flush() const {
    return isSubnormal() ? Half{static_cast<uint16_t>(bits & signBit)} : *this;
  }
  /// Clamps negative numbers and -0 to +0. Results that are a NaN have no sign.
  Half clampToPositive() const { return isNegative() ? Half{0} : *this; }
  /// Clamps to [0, 1]; a NaN and -0 become +0.
  Half saturateToUnit() const {
    constexpr uint16_t one = type == array::ElementType::F16 ? 0x3c00 : 0x3f80;
    if (isNaN() || isNegative())
      return {0};
    return bits > one ? Half{one} : *this;
  }
};

using F16 = Half<array::ElementType::F16>;
using BF16 = Half<array::ElementType::BF16>;

/// Returns the sum in f64, rounded to odd: truncated, with the last bit set if
/// inexact. It must not overflow unless an operand is infinite.
inline double addToOdd(double a, double b) {
  double sum = a + b;
  if (!std::isfinite(sum))
    return sum;
  // The rounding error is exact (Knuth's two-sum).
  double fromB = sum - a;
  double rest = (a - (sum - fromB)) + (b - fromB);
  uint64_t bits = toWord(sum);
  if (rest == 0 || bits & 1)
    return sum;
  return fromWord<double>((rest > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_SCALAR_HALFARITHMETIC_H
