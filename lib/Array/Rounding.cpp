//===- Rounding.cpp - Rounding to narrow float formats ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The out-of-line parts of the conversions: buffers, f64, and bit patterns. An
// f64 is rounded in two steps. Rounding to odd keeps the inexactness in the
// last bit, so the second rounding, to nearest even, does not round twice
// (Boldo and Melquiond). Bit patterns are assembled from sign, exponent and
// fraction; subnormals are multiples of one step.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/Rounding.h"

using namespace tessera::array;

float tessera::array::roundToOdd(double value) {
  float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value) ||
      std::isinf(value))
    return nearest;
  // Step back if rounding went away from zero; overflow steps back to the
  // largest finite number, which is odd. The last bit then records the
  // inexactness.
  uint32_t bits = getBits(nearest);
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value))
    --bits;
  return fromBits(bits | 1);
}

template <typename Format>
static void roundBuffer(float *values, size_t count) {
  for (size_t i = 0; i < count; ++i)
    values[i] = roundTo<Format>(values[i]);
}

void tessera::array::roundAll(ElementType type, float *values, size_t count) {
  switch (type) {
  case ElementType::F16:
    return roundBuffer<F16Format>(values, count);
  case ElementType::BF16:
    return roundBuffer<BF16Format>(values, count);
  case ElementType::F8E4M3FN:
    return roundBuffer<F8E4M3FNFormat>(values, count);
  case ElementType::F8E5M2:
    return roundBuffer<F8E5M2Format>(values, count);
  default:
    return;
  }
}

/// Returns 2^exponent, which f32 may not represent.
static constexpr double getPowerOfTwo(int exponent) {
  double power = 1;
  for (; exponent > 0; --exponent)
    power *= 2;
  for (; exponent < 0; ++exponent)
    power /= 2;
  return power;
}

namespace {

/// The bit layout of one format; `exponentBits` follows from the bias.
template <typename Format, int exponentBits>
struct Pattern {
  static constexpr int fractionBits = Format::fractionBits;
  static constexpr int bias = 1 - Format::minExponent;
  static constexpr uint32_t signBit = 1u << (exponentBits + fractionBits);
  static constexpr uint32_t exponentMask = (1u << exponentBits) - 1;
  static constexpr uint32_t fractionMask = (1u << fractionBits) - 1;
  static constexpr double minNormal = getPowerOfTwo(Format::minExponent);
  /// The smallest positive number, and the distance of the numbers up to
  /// minNormal.
  static constexpr double step =
      getPowerOfTwo(Format::minExponent - fractionBits);

  static uint32_t encode(float value) {
    uint32_t bits = getBits(value);
    uint32_t sign = bits >> 31 ? signBit : 0;
    double magnitude = std::fabs(value);
    if (std::isnan(value)) {
      if (Format::finiteOnly)
        return sign | (exponentMask << fractionBits) | fractionMask;
      return sign | (exponentMask << fractionBits) | (1u << (fractionBits - 1));
    }
    if (std::isinf(value))
      return sign | (exponentMask << fractionBits);
    if (magnitude < minNormal)
      return sign | static_cast<uint32_t>(magnitude * (1 / step));
    uint32_t exponent = ((bits >> 23) & 0xff) - 127 + bias;
    uint32_t fraction = (bits & 0x7fffff) >> (23 - fractionBits);
    return sign | (exponent << fractionBits) | fraction;
  }

  static float decode(uint32_t bits) {
    uint32_t exponent = (bits >> fractionBits) & exponentMask;
    uint32_t fraction = bits & fractionMask;
    uint32_t sign = bits & signBit ? 0x80000000u : 0;
    if (exponent == exponentMask) {
      if (!Format::finiteOnly)
        return fromBits(sign | (fraction ? 0x7fc00000u : 0x7f800000u));
      if (fraction == fractionMask)
        return fromBits(sign | 0x7fc00000u);
    }
    float magnitude = exponent == 0
                          ? static_cast<float>(fraction * step)
                          : fromBits(((exponent - bias + 127) << 23) |
                                     (fraction << (23 - fractionBits)));
    return sign ? -magnitude : magnitude;
  }
};

using F16Pattern = Pattern<F16Format, 5>;
using BF16Pattern = Pattern<BF16Format, 8>;
using F8E4M3FNPattern = Pattern<F8E4M3FNFormat, 4>;
using F8E5M2Pattern = Pattern<F8E5M2Format, 5>;

} // namespace

uint32_t tessera::array::encode(ElementType type, float value) {
  switch (type) {
  case ElementType::F16:
    return F16Pattern::encode(value);
  case ElementType::BF16:
    return BF16Pattern::encode(value);
  case ElementType::F8E4M3FN:
    return F8E4M3FNPattern::encode(value);
  case ElementType::F8E5M2:
    return F8E5M2Pattern::encode(value);
  default:
    return getBits(value);
  }
}

float tessera::array::decode(ElementType type, uint32_t bits) {
  switch (type) {
  case ElementType::F16:
    return F16Pattern::decode(bits);
  case ElementType::BF16:
    return BF16Pattern::decode(bits);
  case ElementType::F8E4M3FN:
    return F8E4M3FNPattern::decode(bits);
  case ElementType::F8E5M2:
    return F8E5M2Pattern::decode(bits);
  default:
    return fromBits(bits);
  }
}
