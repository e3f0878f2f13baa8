//===- IntegerConversions.cpp - From and to integers ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Data Movement and Conversion Instructions: cvt": integers to
// integers, integers to floats, floats to integers. Conversions to floats round
// once, by the host to nearest even and by APFloat in other modes. Conversions
// to integers round the exact f64 value to an integral value, then saturate.
//
//===----------------------------------------------------------------------===//

#include "Conversion.h"
#include "ScalarFamilies.h"

#include <algorithm>

using namespace tessera::emu;
namespace emu = tessera::emu;

template <typename Target, typename Source>
static constexpr bool isSuperset() {
  using S = std::numeric_limits<Source>;
  return std::in_range<Target>(S::min()) && std::in_range<Target>(S::max());
}

template <typename Target, typename Source, bool isSaturated>
static Target convertInteger(Source value) {
  using Limits = std::numeric_limits<Target>;
  if (isSaturated && !std::in_range<Target>(value))
    return std::cmp_less(value, 0) ? Limits::min() : Limits::max();
  return static_cast<Target>(value);
}

llvm::Expected<ScalarForm>
emu::findIntegerConversion(FormName &name, Type target, Type source) {
  bool isSaturated = name.take("sat");
  ScalarFunction function = visitInteger(target, [&]<typename T>(Tag<T>) {
    return visitInteger(source, [&]<typename S>(Tag<S>) -> ScalarFunction {
      if (!isSaturated)
        return lift<convertInteger<T, S, false>>;
      if constexpr (isSuperset<T, S>())
        return nullptr;
      else
        return lift<convertInteger<T, S, true>>;
    });
  });
  if (!function)
    return name.refuse("'.sat' without effect");
  return name.makeForm(function, target, {source});
}

template <typename Target, typename Source, Rounding mode, bool isSaturated>
static Target convertToFloat(Source value) {
  constexpr bool isNearest = mode == Rounding::NearestTiesToEven;
  Target result;
  if constexpr (isNearest && std::is_floating_point_v<Target>) {
    result = static_cast<Target>(value);
  } else {
    constexpr bool isSigned = std::is_signed_v<Source>;
    llvm::APFloat rounded(getSemantics<Target>());
    rounded.convertFromAPInt(
        llvm::APInt(64, static_cast<uint64_t>(value), isSigned), isSigned,
        mode);
    result = getBitsOf<Target>(rounded);
  }
  return isSaturated ? saturateFloat(result) : result;
}

llvm::Expected<ScalarForm> emu::findIntegerToFloat(FormName &name, Type target,
                                                   Type source) {
  std::optional<Rounding> rounding = name.takeRounding();
  if (!rounding)
    return name.refuse("a rounding (.rn, .rz, .rm, .rp) is missing");
  bool isSaturated = target != Type::BF16 && name.take("sat");
  // Integers have no subnormal results.
  if (target == Type::F32)
    name.take("ftz");
  ScalarFunction function = visitFloat(target, [&]<typename T>(Tag<T>) {
    return visitInteger(source, [&]<typename S>(Tag<S>) {
      return visitRounding(*rounding, [&](auto mode) {
        return isSaturated ? lift<convertToFloat<T, S, mode, true>>
                           : lift<convertToFloat<T, S, mode, false>>;
      });
    });
  });
  return name.makeForm(function, target, {source});
}

/// Rounds to an integral value; the modes are in the order of
/// `kIntegerRoundings`.
static double roundToIntegral(double value, Rounding mode) {
  switch (mode) {
  case Rounding::TowardZero:
    return std::trunc(value);
  case Rounding::TowardNegative:
    return std::floor(value);
  case Rounding::TowardPositive:
    return std::ceil(value);
  default:
    return std::nearbyint(value);
  }
}

/// Converts to an integer. A NaN gives zero if neither type has 64 bits, else
/// only the highest bit.
template <typename Target, typename Source, Rounding mode, bool isFlushed>
static Target convertToInteger(Source operand) {
  using Limits = std::numeric_limits<Target>;
  double value = getExact(flushSingle<isFlushed>(operand));
  if (std::isnan(value)) {
    bool isZero = !std::is_same_v<Source, double> && sizeof(Target) < 8;
    return isZero
               ? 0
               : static_cast<Target>(uint64_t(1) << (8 * sizeof(Target) - 1));
  }
  double integral = roundToIntegral(value, mode);
  // 2^n is exact, the largest integer may not be.
  double end = std::ldexp(1.0, Limits::digits);
  if (integral >= end)
    return Limits::max();
  if (integral < static_cast<double>(Limits::min()))
    return Limits::min();
  return static_cast<Target>(integral);
}

llvm::Expected<ScalarForm> emu::findFloatToInteger(FormName &name, Type target,
                                                   Type source) {
  std::optional<unsigned> place = name.takeOneOf({"rni", "rzi", "rmi", "rpi"});
  if (!place)
    return name.refuse("a rounding (.rni, .rzi, .rmi, .rpi) is missing");
  constexpr Rounding modes[] = {Rounding::NearestTiesToEven,
                                Rounding::TowardZero, Rounding::TowardNegative,
                                Rounding::TowardPositive};
  bool isFlushed = source == Type::F32 && name.take("ftz");
  // Results always saturate.
  name.take("sat");
  ScalarFunction function = visitFloat(source, [&]<typename S>(Tag<S>) {
    return visitInteger(target, [&]<typename T>(Tag<T>) {
      return visitRounding(modes[*place], [&](auto mode) {
        return isFlushed ? lift<convertToInteger<T, S, mode, true>>
                         : lift<convertToInteger<T, S, mode, false>>;
      });
    });
  });
  return name.makeForm(function, target, {source});
}
