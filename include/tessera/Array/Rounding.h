//===- Rounding.h - Rounding to narrow float formats ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between f32, f64 and the narrow float formats, to nearest even,
// with subnormals. The results are those of llvm::APFloat::convert (a unit test
// compares them), with a few integer operations per element. Overflow gives
// infinity, or NaN in f8E4M3FN, which has no infinity.
//
// A narrow value is usually held as the equal f32; encode and decode convert
// between that and the bit pattern in memory.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_ARRAY_ROUNDING_H
#define TESSERA_ARRAY_ROUNDING_H

#include "tessera/Array/ElementType.h"
#include <cmath>
#include <cstring>
#include <limits>

namespace tessera::array {

inline uint32_t getBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// A binary format with a sign, `exponentBits` and `fractionBits`. Its
/// parameters are those that rounding needs: the least normal exponent and the
/// largest finite value.
template <int fractionBits_, int minExponent_, int maxExponent_,
          bool finiteOnly_>
struct NarrowFormat {
  static constexpr int fractionBits = fractionBits_;
  static constexpr int minExponent = minExponent_;
  static constexpr int maxExponent = maxExponent_;
  /// No infinity, and only the all-ones pattern is NaN (f8E4M3FN).
  static constexpr bool finiteOnly = finiteOnly_;
};
using F16Format = NarrowFormat<10, -14, 15, false>;
using BF16Format = NarrowFormat<7, -126, 127, false>;
using F8E5M2Format = NarrowFormat<2, -14, 15, false>;
using F8E4M3FNFormat = NarrowFormat<3, -6, 8, true>;

/// Returns the value of `Format` nearest to `value`, ties to even, as an f32.
template <typename Format>
inline float roundTo(float value) {
  constexpr int dropped = 23 - Format::fractionBits;
  uint32_t bits = getBits(value);
  uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t sign = bits & 0x80000000u;
  if (magnitude >= 0x7f800000u) {
    if (magnitude > 0x7f800000u || Format::finiteOnly)
      return fromBits(sign | 0x7fc00000u);
    return value;
  }
  if constexpr (Format::minExponent > -126) {
    // Below the least normal number the quantum is fixed. Adding a number whose
    // last place is that quantum rounds to it.
    if (magnitude < uint32_t(Format::minExponent + 127) << 23) {
      constexpr int quantum = Format::minExponent - Format::fractionBits;
      constexpr uint32_t shifter =
          (uint32_t(quantum + 23 + 127) << 23) | 0x400000u;
      float rounded =
          (fromBits(magnitude) + fromBits(shifter)) - fromBits(shifter);
      return fromBits(getBits(rounded) | sign);
    }
  }
  uint32_t rounded =
      (magnitude + ((1u << (dropped - 1)) - 1) + ((magnitude >> dropped) & 1)) &
      ~((1u << dropped) - 1);
  constexpr uint32_t largest =
      (uint32_t(Format::maxExponent + 127) << 23) |
      (((1u << Format::fractionBits) - (Format::finiteOnly ? 2 : 1))
       << dropped);
  if (rounded > largest)
    return fromBits(sign | (Format::finiteOnly ? 0x7fc00000u : 0x7f800000u));
  return fromBits(sign | rounded);
}

/// Rounds to odd: truncates `value` to f32, and sets the last bit if the result
/// is inexact. Rounding once more, to a format of at most 22 bits, gives the
/// same as rounding `value` directly.
float roundToOdd(double value);

/// Returns the value of the float type `type` nearest to `value`, as an f32.
/// F64 is not a target.
inline float roundTo(ElementType type, float value) {
  switch (type) {
  case ElementType::F16:
    return roundTo<F16Format>(value);
  case ElementType::BF16:
    return roundTo<BF16Format>(value);
  case ElementType::F8E4M3FN:
    return roundTo<F8E4M3FNFormat>(value);
  case ElementType::F8E5M2:
    return roundTo<F8E5M2Format>(value);
  default:
    return value;
  }
}

/// Rounds an f64 once to the float type `type`.
inline float roundTo(ElementType type, double value) {
  if (type == ElementType::F32)
    return static_cast<float>(value);
  return roundTo(type, roundToOdd(value));
}

/// Rounds `count` f32 values in place.
void roundAll(ElementType type, float *values, size_t count);

/// Returns the bit pattern of `value`, which must be a value of the narrow type
/// or f32.
uint32_t encode(ElementType type, float value);

/// Returns the f32 with the value of a bit pattern of a narrow type or f32.
float decode(ElementType type, uint32_t bits);

} // namespace tessera::array

#endif // TESSERA_ARRAY_ROUNDING_H
