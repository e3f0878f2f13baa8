//===- FloatConversions.cpp - Conversions between float types ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Data Movement and Conversion Instructions: cvt": conversions to
// wider floats, to narrower floats with a rounding, and to integral values of
// the same type.
//
//===----------------------------------------------------------------------===//

#include "Conversion.h"
#include "ScalarFamilies.h"

using namespace tessera::emu;
namespace emu = tessera::emu;

template <typename Target, typename Source, Rounding mode, bool isFlushed,
          bool isSaturated>
static Target convertFloat(Source operand) {
  auto result =
      roundTo<Target, mode>(getExact(flushSingle<isFlushed>(operand)));
  result = flushSingle<isFlushed>(result);
  return isSaturated ? saturateFloat(result) : result;
}

template <typename T, Rounding mode, bool isFlushed, bool isSaturated>
static T roundToIntegral(T operand) {
  double value = getExact(flushSingle<isFlushed>(operand));
  double integral = mode == Rounding::TowardZero       ? std::trunc(value)
                    : mode == Rounding::TowardNegative ? std::floor(value)
                    : mode == Rounding::TowardPositive ? std::ceil(value)
                                                       : std::nearbyint(value);
  // An integral value between two values of a type is a value of the type.
  auto result = roundTo<T, Rounding::NearestTiesToEven>(integral);
  return isSaturated ? saturateFloat(result) : result;
}

/// Checks whether all values of `source` are values of `target`.
static bool isExact(Type target, Type source) {
  return target == source || target == Type::F64 ||
         (target == Type::F32 && source != Type::F64);
}

static llvm::Expected<ScalarForm> findNarrowing(FormName &name, Type target,
                                                Rounding rounding,
                                                bool isFinite, bool isRelu) {
  if (rounding == Rounding::TowardNegative ||
      rounding == Rounding::TowardPositive)
    return name.refuse("'.relu' and '.satfinite' need '.rn' or '.rz'");
  ScalarFunction function =
      visitFloat(target, [&]<typename T>(Tag<T>) -> ScalarFunction {
        if constexpr (!std::is_class_v<T>)
          return nullptr;
        else
          return visitRounding(rounding, [&](auto mode) {
            return visitFlag(isFinite, [&](auto finite) {
              return isRelu ? lift<narrow<T, mode, finite, true>>
                            : lift<narrow<T, mode, finite, false>>;
            });
          });
      });
  return name.makeForm(function, target, {Type::F32});
}

static llvm::Expected<ScalarForm>
findIntegralRounding(FormName &name, Type type, Rounding rounding,
                     bool isFlushed, bool isSaturated) {
  ScalarFunction function = visitFloat(type, [&]<typename T>(Tag<T>) {
    return visitRounding(rounding, [&](auto mode) {
      return visitFlag(isFlushed, [&](auto flushes) {
        return isSaturated ? lift<roundToIntegral<T, mode, flushes, true>>
                           : lift<roundToIntegral<T, mode, flushes, false>>;
      });
    });
  });
  return name.makeForm(function, type, {type});
}

llvm::Expected<ScalarForm> emu::findFloatConversion(FormName &name, Type target,
                                                    Type source) {
  bool hasSingle = target == Type::F32 || source == Type::F32;
  bool isFlushed = hasSingle && name.take("ftz");
  bool isSaturated = target != Type::BF16 && name.take("sat");
  std::optional<unsigned> integral =
      name.takeOneOf({"rni", "rzi", "rmi", "rpi"});
  if (integral) {
    if (target != source)
      return name.refuse("integer rounding keeps the type");
    constexpr Rounding modes[] = {
        Rounding::NearestTiesToEven, Rounding::TowardZero,
        Rounding::TowardNegative, Rounding::TowardPositive};
    return findIntegralRounding(name, target, modes[*integral], isFlushed,
                                isSaturated);
  }
  std::optional<Rounding> rounding = name.takeRounding();
  if (isExact(target, source)) {
    if (rounding)
      return name.refuse("this conversion is exact and takes no rounding");
    rounding = Rounding::NearestTiesToEven;
  }
  if (!rounding)
    return name.refuse("a rounding (.rn, .rz, .rm, .rp) is missing");
  if (source == Type::F32) {
    bool isRelu = name.take("relu"), isFinite = name.take("satfinite");
    if (isRelu || isFinite) {
      if (isFlushed || isSaturated)
        return name.refuse("'.relu' and '.satfinite' exclude '.ftz', '.sat'");
      return findNarrowing(name, target, *rounding, isFinite, isRelu);
    }
  }
  ScalarFunction function = visitFloat(target, [&]<typename T>(Tag<T>) {
    return visitFloat(source, [&]<typename S>(Tag<S>) {
      return visitRounding(*rounding, [&](auto mode) {
        return visitFlag(isFlushed, [&](auto flushes) {
          return isSaturated ? lift<convertFloat<T, S, mode, flushes, true>>
                             : lift<convertFloat<T, S, mode, flushes, false>>;
        });
      });
    });
  });
  return name.makeForm(function, target, {source});
}
