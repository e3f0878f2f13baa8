//===- FloatArithmetic.h - Arithmetic of f32 and f64 ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Floating-Point Instructions". To nearest even, the host's
// operations are correctly rounded. Other rounding modes are rare, and use
// APFloat.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_SCALAR_FLOATARITHMETIC_H
#define TESSERA_LIB_EMULATOR_SCALAR_FLOATARITHMETIC_H

#include "FormName.h"
#include "ScalarWords.h"

#include "llvm/ADT/APFloat.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::emu {

template <Rounding mode>
using RoundingTag = std::integral_constant<Rounding, mode>;

template <typename Visit>
ScalarFunction visitRounding(Rounding rounding, Visit visit) {
  switch (rounding) {
  case Rounding::NearestTiesToEven:
    return visit(RoundingTag<Rounding::NearestTiesToEven>());
  case Rounding::TowardZero:
    return visit(RoundingTag<Rounding::TowardZero>());
  case Rounding::TowardNegative:
    return visit(RoundingTag<Rounding::TowardNegative>());
  case Rounding::TowardPositive:
    return visit(RoundingTag<Rounding::TowardPositive>());
  default:
    return nullptr;
  }
}

inline constexpr uint32_t kNaN32 = 0x7fffffff;
/// The NaN of f64 operations on operands that are not NaN; CUDA calls it
/// CUDART_NAN.
inline constexpr uint64_t kNaN64 = 0xfff8000000000000;

template <typename T>
T getNaN() {
  if constexpr (std::is_same_v<T, float>)
    return fromWord<float>(kNaN32);
  else
    return fromWord<double>(kNaN64);
}

/// Returns `result`, or its NaN in PTX. f32 has one NaN. f64 keeps the payload
/// of an operand, here the greatest. So threads that add up the same numbers in
/// another order have the same NaN.
template <typename T, typename... Operands>
T settleNaN(T result, Operands... operands) {
  if (!std::isnan(result)) [[likely]]
    return result;
  if constexpr (std::is_same_v<T, double>) {
    constexpr uint64_t quiet = 1ull << 51;
    uint64_t greatest = 0;
    for (double operand : {operands...})
      if (std::isnan(operand))
        greatest = std::max(greatest, toWord(operand) | quiet);
    if (greatest)
      return fromWord<double>(greatest);
  }
  return getNaN<T>();
}

/// Flushes subnormal numbers to zero, with their sign.
template <typename T>
T flushSubnormal(T value) {
  return std::fabs(value) < std::numeric_limits<T>::min()
             ? std::copysign(T(0), value)
             : value;
}

template <bool isFlushed, typename T>
T flushIf(T value) {
  return isFlushed ? flushSubnormal(value) : value;
}

/// Clamps to [0, 1]; a NaN and -0 become +0.
template <typename T>
T saturateToUnit(T value) {
  return value > 0 ? (value < 1 ? value : T(1)) : T(0);
}

template <typename T>
T convertFrom(const llvm::APFloat &value) {
  if constexpr (std::is_same_v<T, float>)
    return value.convertToFloat();
  else
    return value.convertToDouble();
}

// Operations with results rounded by a mode; a NaN may be any NaN.

struct Addition {
  template <typename T, Rounding mode>
  static T compute(T a, T b) {
    if constexpr (mode == Rounding::NearestTiesToEven)
      return a + b;
    llvm::APFloat sum(a);
    sum.add(llvm::APFloat(b), mode);
    return convertFrom<T>(sum);
  }
};

struct Subtraction {
  template <typename T, Rounding mode>
  static T compute(T a, T b) {
    if constexpr (mode == Rounding::NearestTiesToEven)
      return a - b;
    llvm::APFloat difference(a);
    difference.subtract(llvm::APFloat(b), mode);
    return convertFrom<T>(difference);
  }
};

struct Multiplication {
  template <typename T, Rounding mode>
  static T compute(T a, T b) {
    if constexpr (mode == Rounding::NearestTiesToEven)
      return a * b;
    llvm::APFloat product(a);
    product.multiply(llvm::APFloat(b), mode);
    return convertFrom<T>(product);
  }
};

struct Division {
  template <typename T, Rounding mode>
  static T compute(T a, T b) {
    if constexpr (mode == Rounding::NearestTiesToEven)
      return a / b;
    llvm::APFloat quotient(a);
    quotient.divide(llvm::APFloat(b), mode);
    return convertFrom<T>(quotient);
  }
};

struct FusedMultiplication {
  template <typename T, Rounding mode>
  static T compute(T a, T b, T c) {
    if constexpr (mode == Rounding::NearestTiesToEven)
      return std::fma(a, b, c);
    llvm::APFloat sum(a);
    sum.fusedMultiplyAdd(llvm::APFloat(b), llvm::APFloat(c), mode);
    return convertFrom<T>(sum);
  }
};

/// Computes an operation with the modifiers `.ftz` and `.sat`.
template <typename T, typename Operation, Rounding mode, bool isFlushed,
          bool isSaturated, typename... Operands>
T computeRounded(Operands... operands) {
  T result =
      Operation::template compute<T, mode>(flushIf<isFlushed>(operands)...);
  result = flushIf<isFlushed>(settleNaN(result, operands...));
  return isSaturated ? saturateToUnit(result) : result;
}

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_SCALAR_FLOATARITHMETIC_H
