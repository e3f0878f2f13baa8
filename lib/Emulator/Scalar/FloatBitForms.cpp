//===- FloatBitForms.cpp - Signs, extrema, kinds of floats ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Floating-Point Instructions": abs, neg, copysign, testp, min, max.
//
//===----------------------------------------------------------------------===//

#include "FloatArithmetic.h"
#include "FloatExtremum.h"
#include "ScalarFamilies.h"

using namespace tessera::emu;
namespace emu = tessera::emu;

// NaNs keep their payload here, which PTX allows and f64 requires.

template <typename T, bool isFlushed>
static T takeAbsolute(T a) {
  return std::fabs(flushIf<isFlushed>(a));
}

template <typename T, bool isFlushed>
static T negate(T a) {
  return -flushIf<isFlushed>(a);
}

template <typename T>
static T copySign(T sign, T magnitude) {
  return std::copysign(magnitude, sign);
}

template <typename T, bool isMin, bool isFlushed, bool isNaNKept,
          bool isXorSign>
static T choose(T a, T b) {
  return chooseExtremum<T, isMin, isNaNKept, isXorSign>(flushIf<isFlushed>(a),
                                                        flushIf<isFlushed>(b));
}

/// Returns the extremum of three; with `.abs`, of their magnitudes.
template <bool isMin, bool isFlushed, bool isNaNKept, bool isAbsolute>
static float chooseOfThree(float a, float b, float c) {
  auto prepare = [](float x) {
    x = flushIf<isFlushed>(x);
    return isAbsolute ? std::fabs(x) : x;
  };
  float first =
      chooseExtremum<float, isMin, isNaNKept, false>(prepare(a), prepare(b));
  return chooseExtremum<float, isMin, isNaNKept, false>(first, prepare(c));
}

llvm::Expected<ScalarForm> emu::findFloatSign(FormName &name) {
  bool isNegation = name.getRoot() == "neg";
  llvm::Expected<Type> type = name.takeType({Type::F32, Type::F64});
  if (!type)
    return type.takeError();
  if (*type == Type::F64)
    return name.makeForm(isNegation ? lift<negate<double, false>>
                                    : lift<takeAbsolute<double, false>>,
                         *type, {*type});
  return name.makeForm(
      visitFlag(name.take("ftz"),
                [&](auto flushes) {
                  return isNegation ? lift<negate<float, flushes>>
                                    : lift<takeAbsolute<float, flushes>>;
                }),
      *type, {*type});
}

llvm::Expected<ScalarForm> emu::findSignCopy(FormName &name) {
  llvm::Expected<Type> type = name.takeType({Type::F32, Type::F64});
  if (!type)
    return type.takeError();
  return name.makeForm(*type == Type::F32 ? lift<copySign<float>>
                                          : lift<copySign<double>>,
                       *type, {*type, *type});
}

template <bool isMin>
static llvm::Expected<ScalarForm> findExtremum(FormName &name) {
  llvm::Expected<Type> type = name.takeType({Type::F32, Type::F64});
  if (!type)
    return type.takeError();
  if (*type == Type::F64)
    return name.makeForm(lift<choose<double, isMin, false, false, false>>,
                         *type, {*type, *type});
  bool isFlushed = name.take("ftz"), isNaNKept = name.take("NaN");
  bool isXorSign = name.take("xorsign"), isAbsolute = name.take("abs");
  bool hasThree = name.countSources() == 3;
  if (hasThree && isXorSign)
    return name.refuse("'.xorsign' is for two operands");
  if (!hasThree && isXorSign != isAbsolute)
    return name.refuse("'.xorsign' and '.abs' come together");
  ScalarFunction function = visitFlag(isFlushed, [&](auto flushes) {
    return visitFlag(isNaNKept, [&](auto keepsNaN) {
      return visitFlag(isAbsolute, [&](auto isAbsolute) {
        return hasThree
                   ? lift<chooseOfThree<isMin, flushes, keepsNaN, isAbsolute>>
                   : lift<choose<float, isMin, flushes, keepsNaN, isAbsolute>>;
      });
    });
  });
  SmallVector<Type, 3> operands(hasThree ? 3 : 2, *type);
  return name.makeForm(function, *type, operands);
}

llvm::Expected<ScalarForm> emu::findFloatExtremum(FormName &name) {
  return name.getRoot() == "min" ? findExtremum<true>(name)
                                 : findExtremum<false>(name);
}

template <typename T>
static bool isFinite(T a) {
  return std::isfinite(a);
}
template <typename T>
static bool isInfinite(T a) {
  return std::isinf(a);
}
template <typename T>
static bool isNumber(T a) {
  return !std::isnan(a);
}
template <typename T>
static bool isNotANumber(T a) {
  return std::isnan(a);
}
/// Checks for a normal number; zero counts as normal.
template <typename T>
static bool isNormal(T a) {
  return std::isnormal(a) || a == 0;
}
template <typename T>
static bool isSubnormal(T a) {
  return std::fpclassify(a) == FP_SUBNORMAL;
}

llvm::Expected<ScalarForm> emu::findFloatTest(FormName &name) {
  std::optional<unsigned> property = name.takeOneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  if (!property)
    return name.refuse("the property is missing");
  llvm::Expected<Type> type = name.takeType({Type::F32, Type::F64});
  if (!type)
    return type.takeError();
  constexpr ScalarFunction ofF32[] = {
      lift<isFinite<float>>, lift<isInfinite<float>>,
      lift<isNumber<float>>, lift<isNotANumber<float>>,
      lift<isNormal<float>>, lift<isSubnormal<float>>};
  constexpr ScalarFunction ofF64[] = {
      lift<isFinite<double>>, lift<isInfinite<double>>,
      lift<isNumber<double>>, lift<isNotANumber<double>>,
      lift<isNormal<double>>, lift<isSubnormal<double>>};
  return name.makeForm((*type == Type::F32 ? ofF32 : ofF64)[*property],
                       Type::Pred, {*type});
}
