//===- FloatExtremum.h - The smaller or larger float ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions min and max on floats of all types (PTX ISA, "Floating-Point
// Instructions", "Half Precision Floating-Point Instructions").
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_SCALAR_FLOATEXTREMUM_H
#define TESSERA_LIB_EMULATOR_SCALAR_FLOATEXTREMUM_H

#include "FloatArithmetic.h"

namespace tessera::emu {

/// Returns the smaller or larger number; the other operand if one is a NaN,
/// unless NaNs are kept. -0 is less than +0. With `.xorsign.abs`, magnitudes
/// are compared, and the sign is that of the product; a NaN has no sign.
template <typename T, bool isMin, bool isNaNKept, bool isXorSign>
T chooseExtremum(T a, T b) {
  bool isNegative = std::signbit(a) != std::signbit(b);
  if (isXorSign) {
    a = std::fabs(a);
    b = std::fabs(b);
  }
  T result;
  if (std::isnan(a) || std::isnan(b)) [[unlikely]] {
    if (isNaNKept || (std::isnan(a) && std::isnan(b)))
      return settleNaN(a + b, a, b);
    result = std::isnan(a) ? b : a;
  } else if (a == b) {
    // Equal numbers differ at most in the sign of zero.
    result = std::signbit(a) == isMin ? a : b;
  } else {
    result = (a < b) == isMin ? a : b;
  }
  return isXorSign ? std::copysign(result, isNegative ? T(-1) : T(1)) : result;
}

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_SCALAR_FLOATEXTREMUM_H
