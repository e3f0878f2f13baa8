//===- IntegerArithmetic.h - Sums of integers -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Integer Arithmetic Instructions". Sums are computed as 64-bit
// unsigned values. Their low bits are the result for operands of any sign.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_SCALAR_INTEGERARITHMETIC_H
#define TESSERA_LIB_EMULATOR_SCALAR_INTEGERARITHMETIC_H

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tessera::emu {

template <typename T>
T addWrapping(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

inline int32_t saturate(int64_t value) {
  using Limits = std::numeric_limits<int32_t>;
  return static_cast<int32_t>(
      std::clamp<int64_t>(value, Limits::min(), Limits::max()));
}

inline int32_t addSaturating(int32_t a, int32_t b) {
  return saturate(int64_t(a) + b);
}

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_SCALAR_INTEGERARITHMETIC_H
