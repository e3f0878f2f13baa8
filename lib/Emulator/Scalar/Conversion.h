//===- Conversion.h - Rounding to any scalar float type ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exact f64 values of the float types of cvt, and rounding of f64 values to
// these types by any mode.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_SCALAR_CONVERSION_H
#define TESSERA_LIB_EMULATOR_SCALAR_CONVERSION_H

#include "FloatArithmetic.h"
#include "HalfArithmetic.h"

namespace tessera::emu {

/// Returns visit(Tag<T>()) for the C++ type T of a float type; null for other
/// types.
template <typename Visit>
ScalarFunction visitFloat(Type type, Visit visit) {
  switch (type) {
  case Type::F16:
    return visit(Tag<F16>());
  case Type::BF16:
    return visit(Tag<BF16>());
  case Type::F32:
    return visit(Tag<float>());
  case Type::F64:
    return visit(Tag<double>());
  default:
    return nullptr;
  }
}

template <typename T>
double getExact(T value) {
  if constexpr (std::is_class_v<T>)
    return value.getValue();
  else
    return value;
}

template <typename T>
const llvm::fltSemantics &getSemantics() {
  if constexpr (std::is_same_v<T, F16>)
    return llvm::APFloat::IEEEhalf();
  else if constexpr (std::is_same_v<T, BF16>)
    return llvm::APFloat::BFloat();
  else if constexpr (std::is_same_v<T, float>)
    return llvm::APFloat::IEEEsingle();
  else
    return llvm::APFloat::IEEEdouble();
}

template <typename T>
T getBitsOf(const llvm::APFloat &value) {
  return fromWord<T>(value.bitcastToAPInt().getZExtValue());
}

/// Rounds by a mode. A NaN becomes the NaN of `T`; f64 keeps its payload.
template <typename T, Rounding mode>
T roundTo(double value) {
  constexpr bool isNearest = mode == Rounding::NearestTiesToEven;
  if constexpr (std::is_same_v<T, double>)
    return settleNaN(value, value);
  else if constexpr (isNearest && std::is_same_v<T, float>)
    return settleNaN(static_cast<float>(value));
  else if constexpr (isNearest)
    return T::round(value);
  if (std::isnan(value)) {
    if constexpr (std::is_class_v<T>)
      return {T::nan};
    else
      return getNaN<T>();
  }
  llvm::APFloat rounded(value);
  bool losesInfo;
  rounded.convert(getSemantics<T>(), mode, &losesInfo);
  return getBitsOf<T>(rounded);
}

/// Applies `.ftz`, which only affects f32.
template <bool isFlushed, typename T>
T flushSingle(T value) {
  if constexpr (isFlushed && std::is_same_v<T, float>)
    return flushSubnormal(value);
  else
    return value;
}

/// Applies `.sat` of floats.
template <typename T>
T saturateFloat(T value) {
  if constexpr (std::is_class_v<T>)
    return value.saturateToUnit();
  else
    return saturateToUnit(value);
}

/// Converts from f32 with `.satfinite` (finite results) and `.relu`
/// (non-negative results).
template <typename H, Rounding mode, bool isFinite, bool isRelu>
H narrow(float operand) {
  auto result = roundTo<H, mode>(operand);
  if (isFinite && !result.isNaN() && (result.bits & ~H::signBit) == H::infinity)
    --result.bits;
  return isRelu ? result.clampToPositive() : result;
}

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_SCALAR_CONVERSION_H
