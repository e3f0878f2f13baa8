//===- HalfForms.cpp - Arithmetic of 16-bit floats --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Half Precision Floating-Point Instructions". Operations are
// computed in f64 with rounding to odd, then rounded once to the type. The
// packed types compute the same on both halves. Results may be flushed, or
// clamped by `.sat` and `.relu`.
//
//===----------------------------------------------------------------------===//

#include "FloatExtremum.h"
#include "HalfArithmetic.h"
#include "ScalarFamilies.h"

using namespace tessera::emu;
namespace emu = tessera::emu;

namespace {

constexpr Type kHalves[] = {Type::F16, Type::F16x2, Type::BF16, Type::BF16x2};

bool isPacked(Type type) { return type == Type::F16x2 || type == Type::BF16x2; }
bool isF16(Type type) { return type == Type::F16 || type == Type::F16x2; }

/// The range to which a result is clamped.
enum class Clamp { None, Unit, Positive };

struct HalfAddition {
  static double compute(double a, double b) { return addToOdd(a, b); }
};
struct HalfSubtraction {
  static double compute(double a, double b) { return addToOdd(a, -b); }
};
struct HalfMultiplication {
  static double compute(double a, double b) { return a * b; }
};
struct HalfFusedMultiplication {
  static double compute(double a, double b, double c) {
    return addToOdd(a * b, c);
  }
};

template <typename H, typename Operation, bool isFlushed, Clamp clamp,
          typename... Operands>
H compute(Operands... operands) {
  H result = H::round(Operation::compute(
      double((isFlushed ? operands.flush() : operands).getValue())...));
  if (isFlushed)
    result = result.flush();
  if (clamp == Clamp::Unit)
    return result.saturateToUnit();
  return clamp == Clamp::Positive ? result.clampToPositive() : result;
}

template <auto function>
ScalarFunction liftFor(Type type) {
  return isPacked(type) ? liftToPairs<function> : lift<function>;
}

template <typename H, typename Operation, typename... Operands>
ScalarFunction choose(Type type, bool isFlushed, Clamp clamp) {
  return visitFlag(isFlushed, [&](auto flushes) {
    switch (clamp) {
    case Clamp::None:
      return liftFor<compute<H, Operation, flushes, Clamp::None, Operands...>>(
          type);
    case Clamp::Unit:
      return liftFor<compute<H, Operation, flushes, Clamp::Unit, Operands...>>(
          type);
    case Clamp::Positive:
      return liftFor<
          compute<H, Operation, flushes, Clamp::Positive, Operands...>>(type);
    }
    llvm_unreachable("clamp");
  });
}

template <typename Operation>
llvm::Expected<ScalarForm> findSum(FormName &name) {
  name.take("rn");
  llvm::Expected<Type> type = name.takeType(kHalves);
  if (!type)
    return type.takeError();
  ScalarFunction function;
  if (isF16(*type)) {
    bool isFlushed = name.take("ftz");
    Clamp clamp = name.take("sat") ? Clamp::Unit : Clamp::None;
    function = choose<F16, Operation, F16, F16>(*type, isFlushed, clamp);
  } else {
    function = choose<BF16, Operation, BF16, BF16>(*type, false, Clamp::None);
  }
  return name.makeForm(function, *type, {*type, *type});
}

} // namespace

llvm::Expected<ScalarForm> emu::findHalfSum(FormName &name) {
  if (name.getRoot() == "add")
    return findSum<HalfAddition>(name);
  if (name.getRoot() == "sub")
    return findSum<HalfSubtraction>(name);
  return findSum<HalfMultiplication>(name);
}

llvm::Expected<ScalarForm> emu::findHalfFusedProduct(FormName &name) {
  if (!name.take("rn"))
    return name.refuse("'.rn' is missing");
  llvm::Expected<Type> type = name.takeType(kHalves);
  if (!type)
    return type.takeError();
  bool isFlushed = isF16(*type) && name.take("ftz");
  Clamp clamp = name.take("relu")                  ? Clamp::Positive
                : isF16(*type) && name.take("sat") ? Clamp::Unit
                                                   : Clamp::None;
  using Operation = HalfFusedMultiplication;
  ScalarFunction function =
      isF16(*type)
          ? choose<F16, Operation, F16, F16, F16>(*type, isFlushed, clamp)
          : choose<BF16, Operation, BF16, BF16, BF16>(*type, isFlushed, clamp);
  return name.makeForm(function, *type, {*type, *type, *type});
}

template <typename H, bool isNegation, bool isFlushed>
static H changeSign(H a) {
  if (isFlushed)
    a = a.flush();
  return {static_cast<uint16_t>(isNegation ? a.bits ^ H::signBit
                                           : a.bits & ~H::signBit)};
}

llvm::Expected<ScalarForm> emu::findHalfSign(FormName &name) {
  llvm::Expected<Type> type = name.takeType(kHalves);
  if (!type)
    return type.takeError();
  bool isFlushed = isF16(*type) && name.take("ftz");
  bool isNegation = name.getRoot() == "neg";
  ScalarFunction function = visitFlag(isFlushed, [&](auto flushes) {
    return visitFlag(isNegation, [&](auto negates) {
      return isF16(*type) ? liftFor<changeSign<F16, negates, flushes>>(*type)
                          : liftFor<changeSign<BF16, negates, flushes>>(*type);
    });
  });
  return name.makeForm(function, *type, {*type});
}

/// Returns the minimum or maximum. The result is one of the operands, up to its
/// sign, so rounding it is exact.
template <typename H, bool isMin, bool isFlushed, bool isNaNKept,
          bool isXorSign>
static H chooseHalf(H a, H b) {
  if (isFlushed) {
    a = a.flush();
    b = b.flush();
  }
  return H::round(chooseExtremum<float, isMin, isNaNKept, isXorSign>(
      a.getValue(), b.getValue()));
}

llvm::Expected<ScalarForm> emu::findHalfExtremum(FormName &name) {
  llvm::Expected<Type> type = name.takeType(kHalves);
  if (!type)
    return type.takeError();
  bool isFlushed = isF16(*type) && name.take("ftz");
  bool isNaNKept = name.take("NaN");
  bool isXorSign = name.take("xorsign");
  if (isXorSign != name.take("abs"))
    return name.refuse("'.xorsign' and '.abs' come together");
  ScalarFunction function = visitFlag(name.getRoot() == "min", [&](auto isMin) {
    return visitFlag(isFlushed, [&](auto flushes) {
      return visitFlag(isNaNKept, [&](auto keepsNaN) {
        return visitFlag(isXorSign, [&](auto xors) {
          return isF16(*type)
                     ? liftFor<chooseHalf<F16, isMin, flushes, keepsNaN, xors>>(
                           *type)
                     : liftFor<
                           chooseHalf<BF16, isMin, flushes, keepsNaN, xors>>(
                           *type);
        });
      });
    });
  });
  return name.makeForm(function, *type, {*type, *type});
}

template <typename H, double (*function)(double), bool isFlushed>
static H approximate(H a) {
  if (isFlushed)
    a = a.flush();
  H result = H::round(function(a.getValue()));
  return isFlushed ? result.flush() : result;
}

llvm::Expected<ScalarForm> emu::findHalfApproximation(FormName &name) {
  if (!name.take("approx"))
    return name.refuse("'.approx' is missing");
  llvm::Expected<Type> type = name.takeType(kHalves);
  if (!type)
    return type.takeError();
  bool isExp = name.getRoot() == "ex2";
  // ex2 of bf16 requires `.ftz`; f16 and tanh do not have it.
  if (isExp && !isF16(*type) && !name.take("ftz"))
    return name.refuse("'.ftz' is missing");
  if (!isExp)
    return name.makeForm(isF16(*type)
                             ? liftFor<approximate<F16, ::tanh, false>>(*type)
                             : liftFor<approximate<BF16, ::tanh, false>>(*type),
                         *type, {*type});
  return name.makeForm(isF16(*type)
                           ? liftFor<approximate<F16, ::exp2, false>>(*type)
                           : liftFor<approximate<BF16, ::exp2, true>>(*type),
                       *type, {*type});
}
