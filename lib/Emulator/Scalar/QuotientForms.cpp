//===- QuotientForms.cpp - Quotients and roots of floats --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Floating-Point Instructions": div, rcp and sqrt. Forms with a
// rounding are exact. Approximate forms return the result rounded to nearest. A
// directed rounding of a square root corrects the rounded root by one step: a
// fused multiply-add gives the exact sign of a - root^2.
//
//===----------------------------------------------------------------------===//

#include "FloatArithmetic.h"
#include "ScalarFamilies.h"

using namespace tessera::emu;
namespace emu = tessera::emu;

namespace {

struct Reciprocal {
  template <typename T, Rounding mode>
  static T compute(T a) {
    return Division::compute<T, mode>(T(1), a);
  }
};

/// Returns the neighbour of `value`, a positive number, below or above.
template <typename T>
T step(T value, bool isUp) {
  return std::nextafter(value,
                        isUp ? std::numeric_limits<T>::infinity() : T(0));
}

struct SquareRoot {
  template <typename T, Rounding mode>
  static T compute(T a) {
    T root = std::sqrt(a);
    if constexpr (mode == Rounding::NearestTiesToEven)
      return root;
    if (!(root > 0) || std::isinf(root))
      return root;
    // The sign of a - root^2 decides. It is exact unless it is below the least
    // number, which scaling by 2^120 (f32) or 2^1000 (f64) prevents.
    if (std::fabs(a) < T(1e-18)) {
      int half = std::is_same_v<T, double> ? 500 : 60;
      return std::ldexp(
          correct<T, mode>(std::ldexp(a, 2 * half), std::ldexp(root, half)),
          -half);
    }
    return correct<T, mode>(a, root);
  }

private:
  /// Corrects a rounded root. Roots of subnormal numbers are normal, so scaling
  /// is exact.
  template <typename T, Rounding mode>
  static T correct(T a, T root) {
    T rest = std::fma(-root, root, a);
    if constexpr (mode == Rounding::TowardPositive)
      return rest > 0 ? step(root, true) : root;
    else
      return rest < 0 ? step(root, false) : root;
  }
};

/// Computes the documented cases of div.approx, which computes a * (1 / b): 1 /
/// b is below the normal numbers for b above 2^126.
template <bool isFlushed>
float divideApproximately(float a, float b) {
  a = flushIf<isFlushed>(a);
  b = flushIf<isFlushed>(b);
  float large = std::fabs(b);
  if (large > 0x1p126f && std::isfinite(large) && !std::isnan(a))
    return std::isinf(a)
               ? getNaN<float>()
               : std::copysign(
                     0.0f, std::signbit(a) == std::signbit(b) ? 1.0f : -1.0f);
  return computeRounded<float, Division, Rounding::NearestTiesToEven, isFlushed,
                        false>(a, b);
}

/// Approximates on the upper 32 bits (1.11.20): the operand is truncated to
/// them, the result is rounded to them, and the lower bits are zero.
template <bool isRoot>
double approximateUpperHalf(double a) {
  if (std::isnan(a))
    return fromWord<double>(0x7fffffff00000000);
  constexpr uint64_t low = 0xffffffff;
  a = flushSubnormal(fromWord<double>(toWord(a) & ~low));
  double result = isRoot ? std::sqrt(a) : a;
  if (std::isnan(result))
    return fromWord<double>(0x7fffffff00000000);
  result = computeRounded<double, Reciprocal, Rounding::NearestTiesToEven,
                          false, false>(result);
  // Ties do not occur: only powers of two have quotients with exactly 21 bits.
  uint64_t rounded = toWord(result) + (std::isinf(result) ? 0 : low / 2 + 1);
  return flushSubnormal(fromWord<double>(rounded & ~low));
}

double approximateReciprocalRoot(double a) {
  double root = std::sqrt(a);
  if (std::isnan(root))
    return settleNaN(root, a);
  return Reciprocal::compute<double, Rounding::NearestTiesToEven>(root);
}

template <typename Operation, typename T, typename... Operands>
ScalarFunction choose(Rounding rounding, bool isFlushed) {
  return visitRounding(rounding, [&](auto mode) {
    return visitFlag(isFlushed, [&](auto flushes) -> ScalarFunction {
      if constexpr (std::is_same_v<T, double> && flushes)
        return nullptr;
      else
        return lift<
            computeRounded<T, Operation, mode, flushes, false, Operands...>>;
    });
  });
}

/// Finds forms of f32 and f64 with a rounding.
template <typename Operation>
llvm::Expected<ScalarForm> findUnary(FormName &name, Rounding rounding) {
  llvm::Expected<Type> type = name.takeType({Type::F32, Type::F64});
  if (!type)
    return type.takeError();
  bool isFlushed = name.take("ftz");
  return name.makeForm(
      *type == Type::F32
          ? choose<Operation, float, float>(rounding, isFlushed)
          : choose<Operation, double, double>(rounding, isFlushed),
      *type, {*type});
}

/// Finds forms of f32, rounded to nearest.
template <typename Operation>
llvm::Expected<ScalarForm> findApproximate(FormName &name) {
  llvm::Expected<Type> type = name.takeType({Type::F32});
  if (!type)
    return type.takeError();
  return name.makeForm(choose<Operation, float, float>(
                           Rounding::NearestTiesToEven, name.take("ftz")),
                       *type, {*type});
}

llvm::Error refuseMissing(FormName &name) {
  return name.refuse("'.approx' or a rounding (.rn, .rz, .rm, .rp) is missing");
}

} // namespace

llvm::Expected<ScalarForm> emu::findQuotient(FormName &name) {
  std::optional<unsigned> approximate = name.takeOneOf({"approx", "full"});
  std::optional<Rounding> rounding = name.takeRounding();
  if (!approximate && !rounding)
    return refuseMissing(name);
  if (approximate && rounding)
    return name.refuse("an approximation has no rounding");
  if (approximate) {
    llvm::Expected<Type> type = name.takeType({Type::F32});
    if (!type)
      return type.takeError();
    bool isFlushed = name.take("ftz");
    ScalarFunction function = *approximate == 1
                                  ? choose<Division, float, float, float>(
                                        Rounding::NearestTiesToEven, isFlushed)
                              : isFlushed ? lift<divideApproximately<true>>
                                          : lift<divideApproximately<false>>;
    return name.makeForm(function, *type, {*type, *type});
  }
  llvm::Expected<Type> type = name.takeType({Type::F32, Type::F64});
  if (!type)
    return type.takeError();
  bool isFlushed = name.take("ftz");
  return name.makeForm(
      *type == Type::F32
          ? choose<Division, float, float, float>(*rounding, isFlushed)
          : choose<Division, double, double, double>(*rounding, isFlushed),
      *type, {*type, *type});
}

llvm::Expected<ScalarForm> emu::findReciprocal(FormName &name) {
  if (!name.take("approx")) {
    std::optional<Rounding> rounding = name.takeRounding();
    return rounding ? findUnary<Reciprocal>(name, *rounding)
                    : refuseMissing(name);
  }
  if (name.peekType() == Type::F64 && name.take("ftz") && name.take("f64"))
    return name.makeForm(lift<approximateUpperHalf<false>>, Type::F64,
                         {Type::F64});
  return findApproximate<Reciprocal>(name);
}

llvm::Expected<ScalarForm> emu::findSquareRoot(FormName &name) {
  if (name.take("approx"))
    return findApproximate<SquareRoot>(name);
  std::optional<Rounding> rounding = name.takeRounding();
  return rounding ? findUnary<SquareRoot>(name, *rounding)
                  : refuseMissing(name);
}

llvm::Expected<ScalarForm> emu::findReciprocalRoot64(FormName &name) {
  bool isUpperHalf = name.take("ftz");
  llvm::Expected<Type> type = name.takeType({Type::F64});
  if (!type)
    return type.takeError();
  return name.makeForm(isUpperHalf ? lift<approximateUpperHalf<true>>
                                   : lift<approximateReciprocalRoot>,
                       *type, {*type});
}
